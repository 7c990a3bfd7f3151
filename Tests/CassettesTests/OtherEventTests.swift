import FoundationEssentials
import HTTPStreaming
import IncrementalJSON
import Intake
import LanguageModels
import Testing
import WireFormats

@testable import Cassettes

/// Events of other modules are recorded, and what can't be recorded is said.
struct OtherEventTests {
  private static let noon = Date(timeIntervalSince1970: 1_800_000_000)

  private static let facts = ConversationRecording.Facts(
    title: "t", wireFormat: .openAI, rubricVersion: 1, settings: Cassette.Settings(),
    names: ["Marta"])

  private func log(_ envelopes: [EventEnvelope]) throws -> [RecordedEvent] {
    try envelopes.enumerated().map {
      try RecordedEvent(position: $0.offset + 1, at: Self.noon, envelope: $0.element)
    }
  }

  private func journey(_ step: Int) -> EventEnvelope {
    EventEnvelope(
      kind: "journeyStep", version: 2,
      json: #"{"type":"journeyStep","step":\#(step),"notes":["Marta was here"]}"#)
  }

  @Test func theyComeInWhereTheyWere() throws {
    let said = EventEnvelope(IntakeEvent.userSaid(UserTurn(turn: 1, text: "hi")))
    let recorder = CassetteRecorder(HTTPClient())
    recorder.begin(.open)
    try recorder.end(events: try log([journey(1), said, journey(2)]))
    recorder.begin(.say("hi"))
    try recorder.end(events: try log([journey(1), said, journey(2), journey(3), said, journey(4)]))
    let cassette = recorder.recording.cassette(Self.facts)
    #expect(cassette.otherEvents.map { $0.event["step"]?.intValue } == [1, 2, 3, 4])
    #expect(cassette.otherEvents.map(\.beforeStep) == [0, 1, 1, 2])
    #expect(cassette.otherEvents.map(\.version) == [2, 2, 2, 2])
    #expect(cassette.otherEvents.first?.event["notes"] == ["[name-1] was here"])
    #expect(try Cassette(parsing: Array(cassette.text.utf8)) == cassette)
  }

  @Test(arguments: [
    (#"{"event":{"name":"x"}}"#, "otherEvents[0].event.type"),
    (#"{"event":{"type":"userSaid"}}"#, "otherEvents[0].event.type"),
    (#"{"event":{"type":"x"},"beforeStep":3}"#, "otherEvents[0].beforeStep"),
    (#"{"event":{"type":"x"},"version":0}"#, "otherEvents[0].version"),
    (#"{"event":"x"}"#, "otherEvents[0].event"),
  ])
  func aWrongOneIsRefused(json: String, path: String) throws {
    let text = #"{"version":1,"title":"t","rubricVersion":1,"otherEvents":[\#(json)]}"#
    let error = #expect(throws: FieldError.self) { try Cassette(parsing: Array(text.utf8)) }
    #expect(error?.description.contains(path) == true, "\(String(describing: error))")
  }

  @Test func anEventThatIsNoObjectIsAnErrorAndCostsNoStep() throws {
    let recorder = CassetteRecorder(HTTPClient())
    recorder.begin(.open)
    let broken = EventEnvelope(kind: "journeyStep", version: 1, json: "[]")
    let error = #expect(throws: UnreadableEvent.self) {
      try recorder.end(events: try log([broken]))
    }
    #expect(error?.position == 1 && error?.kind == "journeyStep")
    #expect(recorder.recording.cassette(Self.facts).script == [Cassette.Step(.open)])
  }

  @Test func aRequestThatCannotBeReadIsNamed() async throws {
    let recorder = CassetteRecorder(NoServer())
    recorder.begin(.open)
    var request = HTTPRequest(method: .post, url: "http://127.0.0.1:9/v1/chat/completions")
    request.purpose = RequestPurpose.ask.rawValue
    request.body = Array(#"{"prompt":"no messages"}"#.utf8)
    _ = try? await recorder.send(request)
    let recording = recorder.recording
    #expect(recording.cassette(Self.facts).exchanges.isEmpty)
    let unreadable = recording.unreadableRequests(.openAI)
    #expect(unreadable.map(\.purpose) == [.ask])
    #expect(unreadable.first?.reason.contains("messages") == true)
  }
}

private struct NoServer: HTTPTransport {
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    throw HTTPError(.connectionLost, "nobody is there")
  }
}
