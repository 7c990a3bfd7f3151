import LanguageModels

extension ModelCoach {
  func read(
    _ turns: [Int], _ state: IntakeState, draft: OutputRelay?, _ show: IntakeEngine.Show
  ) async -> Result<Scoring, ModelError> {
    show(.waiting(.reading))
    var pass = ScoringPass(
      pack: pack, model: models.fast, transcript: state.transcript, ledger: state.ledger,
      turns: turns, isBackground: draft != nil)
    if let draft { pass.isRepaired = { draft.isWaitedFor } }
    return await pass.ask(show)
  }
}
