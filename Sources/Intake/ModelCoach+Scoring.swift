import LanguageModels

extension ModelCoach {
  func read(
    _ turns: [Int], _ state: IntakeState, isBackground: Bool, _ show: IntakeEngine.Show
  ) async -> Result<Scoring, ModelError> {
    show(.waiting(.reading))
    let pass = ScoringPass(
      pack: pack, model: models.fast, transcript: state.transcript, ledger: state.ledger,
      turns: turns, isBackground: isBackground)
    return await pass.ask(show)
  }
}
