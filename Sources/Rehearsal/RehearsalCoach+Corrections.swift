import ContextQuality
import Intake
import Signals

// Messages that put right what was heard.
extension RehearsalCoach {
  /// Takes back what a turn says is not so, and takes what it says instead. A denial is no fact.
  func deny(in turn: Int, _ state: IntakeState, _ answer: inout ScorerAnswer) {
    let told = told(before: turn, state)
    for denied in denials(in: state.transcript.visibleTurn(turn) ?? "") {
      let takenBack = told.filter { denied.takesBack($0.text) }.map(\.facet)
      guard !takenBack.isEmpty || denied.namesNothing else { continue }
      answer.evidence = answer.evidence.compactMap { claim in
        let isInstead =
          takenBack.contains(claim.facet) && denied.instead.map(claim.quote.contains) ?? false
        guard claim.turn == turn, isInstead || claim.quote.overlaps(denied.clause) else {
          return claim
        }
        // Whoever puts something right doesn't answer the question.
        guard takenBack.isEmpty || takenBack.contains(claim.facet) else { return nil }
        return denied.instead.map { instead in
          ScorerAnswer.Claim(
            facet: claim.facet, turn: turn, quote: instead,
            of: state.ledger.evidence(for: claim.facet)?.text)
        }
      }
      for facet in takenBack
      where !answer.evidence.contains(where: { $0.facet == facet && $0.turn == turn }) {
        if let instead = denied.instead, facet.component == takenBack.first?.component {
          answer.evidence.append(
            .init(
              facet: facet, turn: turn, quote: instead,
              of: state.ledger.evidence(for: facet)?.text))
        } else {
          answer.retracted.append(.init(facet: facet, turn: turn, quote: denied.clause))
        }
      }
    }
  }

  /// The words that facets rest on from before a turn.
  private func told(before turn: Int, _ state: IntakeState) -> [Evidence] {
    pack.rubric.facets.compactMap { state.ledger.evidence(for: $0.facet) }
      .filter { !$0.isReading && $0.turn < turn }
  }

  private func denials(in text: String) -> [DeniedWords] {
    let objects = [.correction, .objection].flatMap(bank.all).contains { $0.matches(text) }
    return DeniedWords.all(in: text, .init(bank.signals), objects: objects)
  }

  /// The sentences that put a part of earlier words right. Those stand, since the rest of them is still so, and
  /// the summary quotes both. What else was heard in such a sentence does not count.
  func putBeside(in turn: Int, _ state: IntakeState, _ answer: inout ScorerAnswer)
    -> [ScorerAnswer.Claim]
  {
    guard let text = state.transcript.visibleTurn(turn),
      !answer.retracted.contains(where: { $0.turn == turn }),
      !answer.evidence.contains(where: { $0.turn == turn && $0.of != nil })
    else { return [] }
    let known = told(before: turn, state)
    let sentences = PatternReader.sentences(of: text)
    var beside: [ScorerAnswer.Claim] = []
    for denied in denials(in: text) {
      guard let sentence = sentences.first(where: { $0.contains(denied.clause) }) else { continue }
      let told = known.filter { denied.meant != nil || denied.touches($0.text) }.map(\.facet)
      // Read by itself: the question before it was about something else.
      let likeliest = reader?.likeliest(in: denied.meant ?? sentence) ?? []
      let isNews =
        denied.meant != nil
        && reader?.likeliest(in: sentence).isSubset(of: state.ledger.known) == false
      let touched =
        told.first(where: likeliest.contains) ?? (denied.isBare ? told.first : nil)
      let isReplaced = answer.evidence.contains {
        $0.facet == touched && $0.turn == turn && !$0.quote.overlaps(denied.clause)
      }
      guard let touched, !isReplaced, !isNews else { continue }
      answer.evidence.removeAll { claim in
        claim.turn == turn && claim.quote.overlaps(sentence)
          && (state.ledger.known.contains(claim.facet) || claim.quote.overlaps(denied.clause))
      }
      beside.append(.init(facet: touched, turn: turn, quote: sentence))
    }
    return beside
  }

  /// Whether a turn takes something back or puts something right.
  func putsRight(_ turn: Int, _ state: IntakeState) -> Bool {
    var answer = ScorerAnswer()
    deny(in: turn, state, &answer)
    return !answer.retracted.isEmpty || !answer.evidence.isEmpty
      || !putBeside(in: turn, state, &answer).isEmpty
  }

  /// What a correcting turn says about known facts. The encoder looks only for new facts, so this
  /// reads the turn by itself.
  func saidAnew(in turn: Int, _ state: IntakeState) -> [ScorerAnswer.Claim] {
    guard let reader, let text = state.transcript.visibleTurn(turn) else {
      return []
    }
    guard isCorrection(text, state) else { return [] }
    let said = reader.ledger(of: text).standing.map(\.evidence)
    // Read by itself, a date belongs to no goal yet.
    let date = bank.profile.timeline.flatMap { timeline in
      said.contains { $0.facet == timeline } ? nil : reader.said(about: timeline, in: text)
    }
    return (said + [date].compactMap(\.self)).compactMap { evidence in
      guard state.ledger.known.contains(evidence.facet) else { return nil }
      return .init(facet: evidence.facet, turn: turn, quote: evidence.text)
    }
  }

  /// The parts of the known goal that a turn would replace, but hardly tells: "no, the race is in July".
  func keptGoal(in turn: Int, _ claims: [ScorerAnswer.Claim], _ state: IntakeState) -> Set<Facet> {
    guard let reader, let text = state.transcript.visibleTurn(turn) else {
      return []
    }
    return Set(claims.filter { $0.turn == turn }.map(\.facet))
      .intersection(bank.profile.goal).intersection(state.ledger.known)
      .filter { reader.chance(of: $0, in: text) < Self.likely }
  }

  private static let likely = 0.5

  /// Even after a summary, only corrections replace earlier words.
  func isCorrection(_ text: String, _ state: IntakeState) -> Bool {
    let uses: [QuestionBank.Use] = state.wasSummarised ? [.correction, .objection] : [.correction]
    return uses.flatMap(bank.all).contains { $0.matches(text) }
  }

  /// The encoder reports a known facet only where a turn says it differently.
  func correcting(_ claims: [ScorerAnswer.Claim], _ state: IntakeState)
    -> [ScorerAnswer.Claim]
  {
    claims.map { claim in
      var claim = claim
      let known = state.ledger.evidence(for: claim.facet)
      claim.of = known.flatMap { $0.isReading ? nil : $0.text }
      return claim
    }
  }
}

extension String {
  /// Whether one of them is in the other.
  fileprivate func overlaps(_ other: String) -> Bool { contains(other) || other.contains(self) }
}
