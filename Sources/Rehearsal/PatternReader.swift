import ContextQuality
import Intake
import Signals

/// Reads a user turn with the bank's `[reads …]` patterns, for a pack whose rubric has no offline
/// scorer.
///
/// The sentence that a pattern matches is the quote. A plain answer to a question counts for the
/// first facet that the question's words ask for.
struct PatternReader {
  let bank: QuestionBank

  /// What a turn says, with the sentence that says it.
  func claims(_ turn: Int, _ state: IntakeState) -> [ScorerAnswer.Claim] {
    guard let text = state.transcript.visibleTurn(turn) else { return [] }
    let found = bank.all(.reads).flatMap { entry in
      Self.sentences(of: text).filter(entry.matches).prefix(1).flatMap { sentence in
        entry.facets.map { ScorerAnswer.Claim(facet: $0, turn: turn, quote: sentence) }
      }
    }
    return found + answer(turn, text, state, without: Set(found.map(\.facet)))
  }

  /// An answer that says more than "I don't know" tells what was asked first.
  private func answer(
    _ turn: Int, _ text: String, _ state: IntakeState, without found: Set<Facet>
  ) -> [ScorerAnswer.Claim] {
    guard turn == state.turns.last?.turn, let asked = asked(before: turn, state),
      !found.contains(asked), !text.contains("?"),
      found.isDisjoint(with: state.askedFacets)
    else { return [] }
    return [ScorerAnswer.Claim(facet: asked, turn: turn, quote: text.trimmed)]
  }

  /// Of several facets that were to be asked, the question may be about the second one alone.
  private func asked(before turn: Int, _ state: IntakeState) -> Facet? {
    let question = state.transcript.coachMessage(before: turn).map(PlainText.visible) ?? ""
    let headings = bank.all(.ask).compactMap { entry in
      entry.lines.map(\.tune).filter { !$0.isEmpty && question.contains($0) }.map(\.count).max()
        .map { (facets: entry.facets, length: $0) }
    }
    let heading = headings.max { $0.length < $1.length }?.facets ?? []
    return heading.first(where: state.askedFacets.contains) ?? state.askedFacets.first
  }

  static func sentences(of text: String) -> [String] {
    text.split(omittingEmptySubsequences: true) { ".!?;\n".contains($0) }.map(\.trimmed)
      .filter { !$0.isEmpty }
  }
}
