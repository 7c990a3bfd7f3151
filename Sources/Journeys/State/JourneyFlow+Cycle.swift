import FoundationEssentials
public import Intake
public import Plans

extension PromptPack {
  /// The days that take turns since the journey that a session finished; nil if it has none, or is another
  /// pack's.
  public func dayCycle(after events: [RecordedEvent]) -> DayCycle? {
    guard let state = try? JourneyState(events: events) else { return nil }
    return JourneyFlow(after: state, of: self)?.cycle
  }
}

extension JourneyFlow {
  /// The finished journey; nil if it is not finished, or another pack's.
  init?(after state: JourneyState, of pack: PromptPack) {
    guard state.isCompleted, let start = state.start, start.pack == pack.name,
      let known = try? pack.journey(start.journey)
    else { return nil }
    self.init(journey: known, state: state, intake: pack.state())
  }

  /// Nil if the journey has no cycle or is not over.
  var cycle: DayCycle? {
    guard let cycle = journey.cycle, let start = state.start, let date = state.completedAt,
      state.version == journey.version
    else { return nil }
    return DayCycle(
      title: journey.title, startedAt: date,
      timeZone: TimeZone(identifier: start.timeZone) ?? .gmt,
      parts: cycle.map { part in
        .init(kind: part.label, days: part.days, rows: ScreenMaker.filled(part.rows, self))
      })
  }
}
