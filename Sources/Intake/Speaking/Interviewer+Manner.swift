import ContextQuality
import Signals

// How the coach talks to this person.
extension Interviewer {
  enum MannerUse { case question, coaching }

  /// The most words of a coaching reply to somebody who writes short messages.
  private static let shortReplyWords = 60

  /// Adds how to talk to the person, if anything is understood of them.
  ///
  /// It chooses the words, never the topic: what is asked about follows from the score alone.
  func withManner(
    _ prompt: String, _ state: IntakeState, _ scene: Scene, _ use: MannerUse
  ) throws(PackError) -> String {
    let parts = state.understanding.parts.compactMap { part in
      pack.understandingTerms[part.id].map { (part: part, term: $0) }
    }.filter { item in
      // A mood is that of one message.
      (item.part.aspect != .mood || item.part.turn == state.turns.last?.turn)
        && !(item.term.hasWeight && state.leavesOutSensitive)
    }
    // Before there is a plan, hints on what to plan would only mislead.
    let speak = parts.filter { use == .coaching || [.style, .mood].contains($0.part.aspect) }
      .compactMap(\.term.speak).filter { !$0.isEmpty }
    // A question has its own limit.
    let isTerse = use == .coaching && Self.isTerse(state)
    guard !parts.isEmpty || !scene.signals.isEmpty || isTerse else { return prompt }
    let values: [String: Any] = [
      "understanding": parts.map { part, term in
        [
          "title": term.title, "confidence": part.confidence.rawValue,
          "quote": PlainText.line(part.quote),
          "kilograms": part.kilograms.map { "\($0)" } ?? "",
        ]
      },
      "hasUnderstanding": !parts.isEmpty,
      "speak": speak,
      "hasMood": parts.contains { $0.part.aspect == .mood } && use == .coaching,
      "isTerse": isTerse, "wordLimit": "\(Self.shortReplyWords)",
      "signals": scene.signals, "hasSignals": !scene.signals.isEmpty,
    ]
    return prompt + "\n\n" + (try pack.render(.manner, values))
  }

  /// The most words in the usual message of somebody who writes short ones.
  private static let fewWords = 12
  /// Fewer messages say little about how somebody writes.
  private static let enoughMessages = 2

  private static func isTerse(_ state: IntakeState) -> Bool {
    state.turns.count >= enoughMessages && usualLength(state) <= fewWords
  }
}
