import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import Testing

@testable import Intake

/// What rapport 0.1 wrote is read as what it meant.
struct OldPayloadTests {
  private func read(_ json: String, _ kind: String) throws -> IntakeEvent? {
    try RecordedEvent(
      position: 1, at: Date(timeIntervalSince1970: 0),
      envelope: EventEnvelope(kind: kind, version: 1, json: json)
    ).event
  }

  @Test(arguments: [
    (
      "the server cut the prompt: the scorer did not see the whole conversation",
      ScoringFailure.Kind.promptCut
    ),
    ("the model or its provider refused to read the conversation", .refused),
    ("the answer reached the length limit before its end", .tooLong),
    ("truncated: the body ended", .other), ("the answer holds no whole JSON object", .other),
  ])
  func aFailureWasAString(detail: String, kind: ScoringFailure.Kind) throws {
    let json =
      #"{"type":"scored","turns":[1],"evidence":[],"retracted":[],"dropped":{},"points":0,"#
      + #""failure":"\#(detail)"}"#
    guard case .scored(let scoring)? = try read(json, "scored") else {
      Issue.record("not scored")
      return
    }
    #expect(scoring.failure == ScoringFailure(kind, detail))
    let again = try read(try EventEnvelope(IntakeEvent.scored(scoring)).text, "scored")
    #expect(again == .scored(scoring))
  }

  /// The names are in logs for good.
  @Test func aCutIsNamedAsItAlwaysWas() throws {
    #expect(
      Set(CutReason.allCases.map(\.rawValue)) == [
        "cancelled", "length", "refusal", "unreachable", "insecure", "notEncrypted",
        "unauthorized", "outOfCredit", "rateLimited", "overloaded", "modelNotFound",
        "promptTooLong", "badRequest", "truncated", "timedOut", "tooLarge", "protocolViolation",
      ])
    let event = try read(#"{"type":"greeted","text":"He","cut":"timedOut"}"#, "greeted")
    #expect(event == .greeted(CoachReply(text: "He", cut: .timedOut)))
    let error = #expect(throws: UnreadableEvent.self) {
      try read(#"{"type":"greeted","text":"He","cut":"hiccup"}"#, "greeted")
    }
    #expect(error?.field == "cut" && error?.found == "\"hiccup\"")
  }

  @Test func aReadingForADoctorWasASentenceAndAKindApart() throws {
    let json =
      #"{"type":"healthNoted","source":"Apple Health","through":"2026-01-30","findings":[],"#
      + #""figures":[],"isMinor":false,"forDoctor":["One.","Two.","Three."],"#
      + #""forDoctorKinds":["bloodPressureHigh/urgent","restingHeartRateHigh"],"evidence":["#
      + #"{"facet":"currentState.activity","reading":"380 kcal a day","source":"Apple Health"},"#
      + #"{"facet":"lifestyle.recovery","reading":"6 h of sleep","source":"Apple Health"}]}"#
    guard case .healthNoted(let note)? = try read(json, "healthNoted") else {
      Issue.record("no note")
      return
    }
    #expect(
      note.forDoctor == [
        .init(kind: "bloodPressureHigh", isUrgent: true, text: "One."),
        .init(kind: "restingHeartRateHigh", text: "Two."), .init(kind: "Three.", text: "Three."),
      ])
    #expect(note.evidence.map(\.topics) == [[.unknown], [.unknown]])
    let again = try read(try EventEnvelope(IntakeEvent.healthNoted(note)).text, "healthNoted")
    #expect(again == .healthNoted(note))
  }

  @Test func aNewerEventIsToldAndLeftAlone() async throws {
    let events = [
      try RecordedEvent(
        position: 1, at: Date(timeIntervalSince1970: 0),
        envelope: EventEnvelope(kind: "offered", version: 2, json: #"{"type":"offered"}"#))
    ]
    let session = try await ScriptedSession(events: events, UsualConversation.script)
    try await session.open()
    #expect(session.notices.map(\.code) == ["newer-events"])
    try await session.say("I want to lose 20 pounds")
    #expect(session.notices.map(\.code) == ["newer-events"] && session.done.last?.failed == true)
    #expect(await session.log.events().map(\.envelope.kind) == ["offered"])
    #expect(session.model.requests.isEmpty)
  }
}
