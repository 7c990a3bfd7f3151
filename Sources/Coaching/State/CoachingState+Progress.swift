public import HealthRecords
import Plans

extension CoachingState {
  /// What the log adds up to, against the plan and the goal. After care about eating, without a weight.
  public func progress(_ pack: CoachingPack, today: Day) -> Progress {
    var progress = Progress(
      log, today: today, sessionsPerWeek: sessionsPerWeek(on: today), planBegan: planBegan,
      target: target(pack), withoutMaximum: pack.withoutMaximum, unraced: pack.unraced)
    if hidesWeight { progress.weight = nil }
    return progress
  }

  /// Sessions a week: as agreed in a review, else as the program says; nil without a plan.
  public var sessionsPerWeek: Int? { agreedSessions ?? plan.program.map(\.sessions.count) }

  /// Nil also once the program is over.
  public func sessionsPerWeek(on day: Day) -> Int? {
    planEnds.map { $0 < day } ?? false ? nil : sessionsPerWeek
  }

  /// The program's last day, also if sessions were agreed on since; nil without one.
  package var programEnds: Day? { plan.schedule.flatMap { Day($0.lastDay) } }

  /// The program's last day; nil without one, and if sessions were agreed on after it.
  package var planEnds: Day? {
    guard let end = programEnds, agreedOn.map({ $0 <= end }) ?? true else { return nil }
    return end
  }

  /// The first day of the plan: when its sessions were last agreed on, or when coaching began.
  var planBegan: Day? { agreedOn ?? firstDay }

  /// The day by which the present goal is to be reached; nil if none was named.
  package func goalDay(_ pack: CoachingPack) -> Day? {
    guard let goal = goals.present else { return nil }
    let reader = GoalDate(pack)
    return reader.day(in: goal.goal, today: goal.day)
      ?? goal.timeline.flatMap { reader.day(in: $0, today: goal.day) }
  }

  /// What the present goal asks for, if it is written like an entry: `squat 100 kg`, `run 5 km in 25 min`. The coach
  /// does not announce that any other was reached.
  func target(_ pack: CoachingPack) -> LogEntry? {
    guard let goal = goals.present?.goal else { return nil }
    let text = EntryText(pack, units: units ?? .metric)
    let target = LogGrammar(text, today: Day(number: 0), isTyped: false).entry(in: goal)
    return target?.isTraining == true ? target : nil
  }
}
