import LanguageModels

extension ModelCoach {
  func read(
    _ turns: [Int], _ state: IntakeState, draft: OutputRelay?, member: ReadingMember?,
    _ show: IntakeEngine.Show
  ) async -> Result<TurnReading, ModelError> {
    show(.waiting(.reading))
    var pass = ScoringPass(
      pack: pack, model: models.fast, transcript: state.transcript, ledger: state.ledger,
      turns: turns, isBackground: draft != nil)
    pass.person = PersonReading(
      understanding: state.understanding, hypothesis: state.hypotheses.open?.text, member: member)
    if let draft { pass.isRepaired = { draft.isWaitedFor } }
    return await pass.ask(show)
  }
}
