import LanguageModels

extension ModelCoach {
  func read(
    _ turns: [Int], _ state: IntakeState, member: ReadingMember?, _ show: IntakeEngine.Show
  ) async -> Result<TurnReading, ModelError> {
    show(.waiting(.reading))
    var pass = ScoringPass(
      pack: pack, model: models.fast, transcript: state.transcript, ledger: state.ledger,
      turns: turns)
    pass.moment = ReadingMoment(state)
    let language = pack.translation(for: state)
    pass.choices = pack.choices(state, language).map(\.label)
    pass.person = PersonReading(
      understanding: state.understanding, hypothesis: state.hypotheses.open?.text, member: member,
      amends: pack.amends(state),
      today: state.lastEventAt.map { CalendarDay.withWeekday(CalendarDay.text(of: $0)) })
    return await pass.read(show)
  }
}
