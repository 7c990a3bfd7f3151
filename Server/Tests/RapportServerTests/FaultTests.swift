import IncrementalJSON
import Intake
import LanguageModels
import Logging
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import RapportServer

struct FaultTests {
  private final class Time: Sendable {
    private let instant = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { instant.withLock(\.self) }
    func pass(_ duration: Duration) { instant.withLock { $0 += duration } }
  }

  @Test func aPartFailsAfterThreeTimesOverAMinute() {
    let time = Time()
    let faults = Faults { time.now }
    for _ in 0..<5 { faults.failed(.model, "model-unreachable") }
    #expect(faults.present == nil, "a moment is no while")
    time.pass(.seconds(61))
    faults.failed(.model, "model-slow")
    #expect(faults.present?.part == .model && faults.present?.cause == "model-slow")
    // It's given another chance.
    time.pass(.seconds(301))
    #expect(faults.present == nil)
    faults.failed(.model, "model-slow")
    #expect(faults.present != nil)
    faults.worked(.store)
    #expect(faults.present != nil)
    faults.worked(.model)
    #expect(faults.present == nil)
  }
}

@Suite(.integration) struct ReadinessTests {
  /// The load balancer learns that every reply fails, and so does the operator.
  @Test func aModelThatFailsForAWhileIsSeen() async throws {
    let model = try await MockModel(broken: "ask")
    var options = ServerOptions.forTests
    let clock = Mutex(ContinuousClock.now)
    let now = { @Sendable () -> ContinuousClock.Instant in clock.withLock(\.self) }
    options.clock = now
    let server = try await TestServer(TestFolder(), models: model.roles, options: options)
    let client = server.client
    let id = try await client.chat(["first_message": true]).conversation
    #expect(try await client.json(.GET, "/readyz").status == 200)
    for line in lines.prefix(3) {
      let events = try await client.chat(["conversation_id": .string(id), "message": .string(line)])
      #expect(events.first("done")?["failed"] == true)
      clock.withLock { $0 += .seconds(40) }
    }
    let ready = try await client.json(.GET, "/readyz")
    #expect(ready.status == 503 && ready.code == "model-failing")
    let metrics = try await client.json(.GET, "/metrics").text
    #expect(metrics.contains("rapport_replies_failed_total{cause=\""))
    // Monitors of uptime ask for the head alone.
    for method in [HTTPMethod.GET, .HEAD] {
      #expect(try await client.json(method, "/healthz").status == 200)
    }
  }

  @Test func whatTheModelDeclinesIsCountedAndLoggedWithItsRequest() async throws {
    let model = try await MockModel(faultyOnce: ("ask", "refusal"))
    let log = WarningLog()
    let server = try await TestServer(TestFolder(), models: model.roles, logger: log.logger)
    let client = server.client
    let id = try await client.chat(["first_message": true]).conversation
    let said: JSONValue = ["conversation_id": .string(id), "message": .string(lines[0])]
    #expect(try await client.chat(said).first("notice")?["code"] == "model-declined")
    let metrics = try await client.json(.GET, "/metrics").text
    #expect(metrics.contains(#"rapport_notices_total{cause="model-declined"} 1"#))
    let line = try #require(log.lines.first { $0.message == "The model gave trouble" })
    #expect(line.metadata?["code"] == "model-declined")
    #expect(line.metadata?["hb.request.id"] != nil)
  }
}

struct PersonalNoticeTests {
  /// Somebody who chats on another person's server can't set anything up.
  @Test(arguments: [ModelError.Kind.unauthorized, .modelNotFound, .outOfCredit, .promptTooLong])
  func nobodyElseReadsWhatTheOperatorShouldDo(kind: ModelError.Kind) throws {
    let notice = SessionOutput.Notice(
      ModelError(kind, detail: "scripted"), hadText: false, saved: true)
    let event = try #require(StreamEvent.events(for: .notice(notice)).first)
    let full = try #require(event.full)
    #expect(full.contains("`rapport ") && full.contains("scripted"))
    let plain = try JSONValue(parsing: event.plain ?? "")
    #expect(
      plain["text"]?.stringValue
        == "Something on our side keeps me from answering just now. Your words are saved. "
        + "Please try again later.")
    #expect(plain["detail"] == nil && plain["code"]?.stringValue == notice.code)
  }
}
