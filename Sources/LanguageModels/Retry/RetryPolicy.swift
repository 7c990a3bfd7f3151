/// Decides whether to retry a failed request, and when. A value: no clock, no sleep.
///
/// It retries only requests of which nothing was shown, and never those rejected for the key, the
/// account's credit or the request itself. The server's wishes (`x-should-retry`, `retry-after`…)
/// override our own backoff.
public struct RetryPolicy: Hashable, Sendable {
  /// The most requests to send.
  public var attempts: Int
  /// The most requests to an overloaded server; at least ``attempts``.
  public var busyAttempts: Int
  /// The first wait if the server names none; each further one is twice as long.
  public var firstDelay = Duration.milliseconds(500)
  /// The longest wait if the server names none.
  public var longestBackoff: Duration
  /// The longest wait that a server may ask for; beyond it we give up.
  public var longestWait: Duration
  /// The largest share of our own wait that jitter may remove, from 0 to 1.
  public var jitter = 0.25

  public init(
    attempts: Int = 4, busyAttempts: Int? = nil, longestBackoff: Duration = .seconds(8),
    longestWait: Duration = .seconds(60)
  ) {
    self.attempts = attempts
    self.busyAttempts = max(attempts, busyAttempts ?? attempts)
    self.longestBackoff = longestBackoff
    self.longestWait = longestWait
  }

  /// A policy that never waits.
  public static let never = RetryPolicy(attempts: 1)

  enum Decision: Hashable {
    case wait(Duration, ModelWait.Reason)
    case giveUp
    /// The server asks for a longer wait than ours.
    case tooLongToWait(Duration)
  }

  /// - Parameters:
  ///   - hasContent: Part of the reply has been shown.
  ///   - isBackground: The conversation continues without the answer, so the server's capacity is
  ///     left to what the user is waiting for.
  ///   - attempt: The number of requests sent so far, from 1.
  ///   - random: From 0 to 1.
  func decision(
    after failure: ModelError, hints: WaitHints, hasContent: Bool, isBackground: Bool = false,
    attempt: Int, random: Double
  ) -> Decision {
    guard !hasContent, !isBackground, hints.shouldRetry != false,
      let reason = Self.reason(to: failure, isWished: hints.shouldRetry == true)
    else { return .giveUp }
    if let delay = hints.delay, delay > longestWait { return .tooLongToWait(delay) }
    let isBusy = reason == .rateLimited || reason == .overloaded
    guard attempt < (isBusy ? busyAttempts : attempts) else { return .giveUp }
    return .wait(hints.delay ?? backoff(attempt: attempt, random: random), reason)
  }

  private func backoff(attempt: Int, random: Double) -> Duration {
    var delay = firstDelay
    for _ in 1..<max(1, min(attempt, 32)) where delay < longestBackoff { delay *= 2 }
    let kept = 1 - jitter * min(1, max(0, random))
    return min(delay, longestBackoff) * kept
  }

  private static func reason(to failure: ModelError, isWished: Bool) -> ModelWait.Reason? {
    switch failure.kind {
    case .unauthorized, .keyMissing, .outOfCredit, .webPage, .redirected, .insecure, .notEncrypted,
      .cancelled, .tooLarge,
      .modelNotFound, .promptTooLong, .protocolViolation:
      return nil
    // An answer that ended before its first word can be requested again.
    case .truncated: return .serverError
    case .unreachable: return .unreachable
    case .rateLimited: return .rateLimited
    case .overloaded: return .overloaded
    case .serverError, .gatewayError: return .serverError
    case .timedOut, .badRequest:
      return isWished || failure.status == 408 || failure.status == 409 ? .serverError : nil
    }
  }
}
