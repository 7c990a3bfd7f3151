import FoundationEssentials
import HTTPStreaming
import Testing

@testable import LanguageModels

struct RetryPolicyTests {
  private let policy = RetryPolicy()
  private let overloaded = ModelError(.overloaded, detail: "", status: 503)

  private func decide(
    _ error: ModelError, hints: WaitHints = WaitHints(), hasContent: Bool = false, attempt: Int = 1,
    random: Double = 0
  ) -> RetryPolicy.Decision {
    policy.decision(
      after: error, hints: hints, hasContent: hasContent, attempt: attempt, random: random)
  }

  @Test func waitsDoubleToTheirCeilingAndThenItGivesUp() {
    #expect(decide(overloaded) == .wait(.milliseconds(500), .overloaded))
    #expect(decide(overloaded, attempt: 2) == .wait(.seconds(1), .overloaded))
    #expect(decide(overloaded, attempt: 3) == .wait(.seconds(2), .overloaded))
    #expect(decide(overloaded, attempt: 4) == .giveUp)
    let patient = RetryPolicy(attempts: .max)
    let late = patient.decision(
      after: overloaded, hints: WaitHints(), hasContent: false, attempt: .max - 1, random: 0)
    #expect(late == .wait(.seconds(8), .overloaded))
  }

  @Test func aServerWithoutRoomIsAskedMoreOftenThanOneThatIsAway() {
    let batch = RetryPolicy(attempts: 2, busyAttempts: 5)
    func decide(_ kind: ModelError.Kind, attempt: Int) -> RetryPolicy.Decision {
      batch.decision(
        after: ModelError(kind, detail: "", status: kind == .rateLimited ? 429 : nil),
        hints: WaitHints(), hasContent: false, attempt: attempt, random: 0)
    }
    #expect(decide(.unreachable, attempt: 2) == .giveUp)
    #expect(decide(.rateLimited, attempt: 4) == .wait(.seconds(4), .rateLimited))
    #expect(decide(.rateLimited, attempt: 5) == .giveUp)
  }

  @Test func chanceTakesOffAtMostAQuarter() {
    #expect(decide(overloaded, random: 1) == .wait(.milliseconds(375), .overloaded))
    #expect(decide(overloaded, random: 99) == .wait(.milliseconds(375), .overloaded))
  }

  @Test func nothingThatWasShownIsAskedForAgain() {
    #expect(decide(overloaded, hasContent: true) == .giveUp)
  }

  @Test func theServersWishGoesFirst() {
    #expect(
      decide(overloaded, hints: WaitHints(delay: .seconds(60))) == .wait(.seconds(60), .overloaded))
    #expect(
      decide(overloaded, hints: WaitHints(delay: .seconds(61))) == .tooLongToWait(.seconds(61)))
    #expect(decide(overloaded, hints: WaitHints(shouldRetry: false)) == .giveUp)
    let refused = ModelError(.badRequest, detail: "", status: 400)
    #expect(decide(refused) == .giveUp)
    #expect(
      decide(refused, hints: WaitHints(shouldRetry: true))
        == .wait(.milliseconds(500), .serverError))
  }

  @Test(arguments: [
    ModelError.Kind.unauthorized, .outOfCredit, .insecure, .modelNotFound, .promptTooLong,
    .tooLarge, .protocolViolation, .cancelled, .keyMissing, .webPage, .redirected,
  ])
  func someFailuresAreNeverTriedAgain(_ kind: ModelError.Kind) {
    let wish = WaitHints(delay: .seconds(1), shouldRetry: true)
    #expect(decide(ModelError(kind, detail: "", status: 503), hints: wish) == .giveUp)
  }

  @Test func anAnswerThatEndedBeforeItBeganIsAskedForAgainAndOneThatBeganIsNot() {
    let ended = ModelError(.truncated, detail: "")
    #expect(decide(ended) == .wait(.milliseconds(500), .serverError))
    #expect(decide(ended, attempt: 4) == .giveUp)
    #expect(decide(ended, hasContent: true) == .giveUp)
    #expect(decide(ended, hints: WaitHints(shouldRetry: false)) == .giveUp)
  }

  @Test(arguments: [
    (408, ModelError.Kind.timedOut, true), (409, .badRequest, true), (429, .rateLimited, true),
    (500, .serverError, true), (502, .gatewayError, true), (504, .gatewayError, true),
    (503, .overloaded, true), (529, .overloaded, true),
    (400, .badRequest, false), (422, .badRequest, false),
  ])
  func statusesDecide(status: Int, kind: ModelError.Kind, isRetried: Bool) {
    #expect(ProviderFailure(status: status, message: "").kind == kind)
    let decision = decide(ModelError(kind, detail: "", status: status))
    #expect((decision != .giveUp) == isRetried)
  }
}

struct WaitHintsTests {
  private let now = Date(timeIntervalSince1970: 784_111_767)  // 10 s before 08:49:37

  private func delay(_ headers: HTTPHeaders, status: Int = 429) -> Duration? {
    WaitHints(headers: headers, status: status, now: now).delay
  }

  @Test(arguments: [
    ("2", Duration.seconds(2)), ("1.5", .milliseconds(1500)), ("0", nil), ("-3", nil), ("", nil),
    ("soon", nil), ("nan", nil), ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(10)),
    ("Sunday, 06-Nov-94 08:49:37 GMT", .seconds(10)), ("Sun Nov  6 08:49:37 1994", .seconds(10)),
    ("Sun, 06 Nov 1994 08:49:00 GMT", nil), ("Sun, 36 Nov 1994 08:49:37 GMT", nil),
    ("1e999", .seconds(1_000_000_000)), ("99999999999999999999", .seconds(1_000_000_000)),
  ])
  func readsRetryAfter(text: String, expected: Duration?) {
    #expect(delay(["retry-after": text]) == expected)
  }

  @Test func millisecondsGoFirst() {
    #expect(delay(["retry-after": "9", "retry-after-ms": "250"]) == .milliseconds(250))
  }

  @Test func theServersOwnClockCounts() {
    let headers: HTTPHeaders = [
      "date": "Sun, 06 Nov 1994 08:49:35 GMT", "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    #expect(delay(headers) == .seconds(2))
  }

  @Test(arguments: [
    ("12ms", Duration.milliseconds(12)), ("1m30.5s", .milliseconds(90_500)),
    ("6m0s", .seconds(360)),
    ("1h", .seconds(3600)), ("7", .seconds(7)), ("-1", nil), ("0", nil), ("0s", nil), ("1x", nil),
    ("m", nil), ("9999999999999h", .seconds(1_000_000_000)),
  ])
  func readsResetDurations(text: String, expected: Duration?) {
    #expect(delay(["x-ratelimit-reset-requests": text]) == expected)
  }

  @Test func aLimitWithSomethingLeftIsNotWaitedFor() {
    #expect(
      delay([
        "x-ratelimit-reset-requests": "3s", "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "1200",
      ]) == .seconds(3))
  }

  @Test func readsAnthropicsTimestamps() {
    #expect(
      delay([
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "1994-11-06T08:49:37Z",
        "anthropic-ratelimit-tokens-remaining": "50000",
        "anthropic-ratelimit-tokens-reset": "1994-11-06T09:49:37Z",
      ]) == .seconds(10))
    #expect(
      delay(["anthropic-ratelimit-tokens-reset": "1994-11-06T10:49:37.000+02:00"]) == .seconds(10))
  }

  @Test func resetsMatterForTooManyRequestsOnly() {
    #expect(delay(["x-ratelimit-reset-requests": "3s"], status: 500) == nil)
  }
}
