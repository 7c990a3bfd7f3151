import ContextQuality
import IntakeTestSupport
import LanguageModels
import Synchronization
import Testing

@testable import Intake

/// What becomes of a model that is too small.
struct WeakModelTests {
  private func passed(_ text: String, asked: Int, pieces: Int) -> (shown: String, kept: String) {
    var words = ReplyWords(asked: asked)
    var shown = ""
    var rest = text[...]
    while !rest.isEmpty {
      shown += words.pass(String(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    return (shown + words.finish(), words.passed)
  }

  @Test(arguments: [1, 3, 1_000])
  func aReplyEndsWithItsLastWholeSentence(pieces: Int) {
    let text = (1...40).map { "Sentence number \($0)." }.joined(separator: " ")
    let (shown, kept) = passed(text, asked: 10, pieces: pieces)
    #expect(shown == (1...10).map { "Sentence number \($0)." }.joined(separator: " "))
    #expect(kept == shown)
    #expect(passed(text, asked: 40, pieces: pieces).kept == text)
  }

  /// Half a question doesn't count as asked.
  @Test func aReplyThatCannotBeEndedIsACut() async throws {
    let endless = String(repeating: "and then we walk a little further, ", count: 400)
    let session = try await ScriptedSession { request in
      request.purpose == .greet
        ? .text("Hey! " + endless) : UsualConversation.script(request)
    }
    try await session.open()
    #expect(session.messages.first?.cut == .tooLarge)
    #expect(session.notices.map(\.code) == ["reply-endless"])
  }

  @Test(arguments: [1, 3, 1_000])
  func whatGoesRoundIsKeptOnce(pieces: Int) {
    let text = "Hello. " + String(repeating: "What would you like to change? ", count: 20)
    let kept = passed(text, asked: 200, pieces: pieces).kept
    #expect(kept.trimmed == "Hello. What would you like to change?")
  }

  @Test(arguments: [
    "Run, rest, run, rest, run, rest, run.", "No, no, no, no, no, no!",
    "---------------------------------",
    "Monday: 5 km.\nTuesday: 5 km.\nWednesday: 5 km.\n",
  ])
  func ordinaryRepetitionIsNone(text: String) {
    #expect(passed(text, asked: 200, pieces: 1).shown.trimmed == text.trimmed)
  }

  @Test func anEndlessReadingIsStopped() {
    let transcript = Transcript([.init(.user, "I want to run")])
    let long = (0..<200).map { "word\($0)" }.joined(separator: " ")
    var watch = ReadingWatch(transcript)
    watch.receive(#"{"evidence":[{"quote":"I want to run"}"#)
    #expect(watch.reason == nil)
    watch.receive(#", {"quote":""# + long)
    #expect(watch.reason?.contains("longer") == true)
    var other = ReadingWatch(transcript)
    other.receive(String(repeating: #"{"facet":"a.b","turn":1},"#, count: 5))
    #expect(other.reason == nil)
    other.receive(String(repeating: #"{"facet":"a.b","turn":1},"#, count: 1_000))
    #expect(other.reason?.contains("repeats") == true)
  }

  @Test func threePoorReadingsInARowAreSaidOnce() {
    let poor = Scoring(turns: [1], failure: ScoringFailure(.unusableAnswer, ""))
    let invented = Scoring(turns: [1], dropped: ["quote not found": 2])
    let facet = Facet(component: "a", name: "b")
    let good = Scoring(turns: [1], evidence: [Evidence(facet: facet, quote: "a", turn: 1)])
    let nothing = Scoring(turns: [1])
    var listening = Listening()
    var said: [Bool] = []
    for scoring in [poor, invented, good, poor, invented, nothing, poor, poor] {
      said.append(listening.isPoor(after: scoring))
    }
    #expect(said == [false, false, false, false, false, false, true, false])
  }
}
