import ContextQuality
public import FoundationEssentials
import HealthRecords
import IncrementalJSON
public import Intake
import Plans
import Signals

// For the coaching prompt.
extension CoachingModule {
  private static let mostEntries = 12

  public func facts(on now: Date) -> CoachingFacts {
    let today = today(now)
    let english = EntryText(pack, units: chosenUnits)
    let words = pack.factWords
    var facts = CoachingFacts()
    for amendment in amendments where amendment.turn != nil {
      facts.changes.append(
        words(
          .amended,
          [
            "old": PlainText.quoted(amendment.old ?? ""),
            "new": PlainText.quoted(amendment.new ?? ""),
          ]))
    }
    if let goal = state.goals.present, goal.change != nil {
      facts.changes.append(
        words(.goal, ["goal": goal.goal, "original": state.goals.original?.goal ?? ""]))
    }
    if let sessions = state.agreedSessions {
      facts.changes.append(words(.sessions, ["sessions": "\(sessions)"]))
    }
    for item in state.constraints.items {
      let detail = PlainText.quoted(item.constraint.detail)
      switch item.status {
      case .archived:
        facts.changes.append(words(.archived, ["detail": detail]))
        facts.over.insert(item.constraint.detail)
      case .active where item.constraint.expiresAt.map { $0 < today } == true:
        facts.changes.append(words(.lapsed, ["detail": detail]))
      case .active where !item.constraint.id.contains("/"):
        facts.changes.append(
          words(.holds, ["detail": detail, "when": Self.span(of: item.constraint)]))
      case .active, .proposed, .refused: break
      }
    }
    if let review = shown.before {
      facts.changes.append(words(.asked, ["question": review.question]))
    }
    if let next = following(at: now) {
      facts.changes.append(words(.follows, ["question": PlainText.line(next.text)]))
    }
    if !state.hidesWeight, let cycle = pack.cycle(journeys) {
      facts.programme = Self.days(of: cycle, now)
    }
    let latest = state.log.byDay.suffix(Self.mostEntries).reversed()
    facts.entries = latest.filter { !($0.kind == .weight && state.hidesWeight) }
      .map { entry in
        // A note may hold a weight.
        let note = state.hidesWeight ? nil : entry.note.map { " " + PlainText.quoted($0) }
        return "\(entry.day): \(english(entry))\(note ?? "")"
      }
    facts.currentState = currentState(today, english)
    facts.wasNoted = !fresh.isEmpty
    facts.hasBegun = state.log.entries.contains {
      $0.isTraining && $0.source != .health && $0.day >= state.firstDay ?? today
    }
    return facts
  }

  /// What holds today, and from when what comes next.
  private static func days(of cycle: DayCycle, _ now: Date) -> [String] {
    let (today, next) = (cycle.day(at: now), cycle.next(after: now))
    return [
      "\(today.date), today: \(today.kind), day \(today.number) of \(today.count). \(today.summary)",
      "\(next.date): \(next.kind), day 1 of \(next.count). \(next.summary)",
    ]
  }

  /// `from 2026-12-18 until 2027-01-03`.
  private static func span(of constraint: KeptConstraint) -> String {
    "from \(constraint.beginsAt ?? constraint.notedAt)"
      + (constraint.expiresAt.map { " until \($0)" } ?? "")
  }

  private func currentState(_ today: Day, _ english: EntryText) -> [String] {
    guard !state.log.entries.isEmpty else { return [] }
    let progress = state.progress(pack, today: today)
    var lines = [
      pack.factWords(
        .week,
        [
          "sessions": "\(progress.thisWeek.sessions)", "streak": "\(progress.streak.weeks)",
        ])
    ]
    for activity in progress.activities.prefix(3) where activity.plateau != nil {
      lines.append(
        pack.factWords(.plateau, ["activity": english.title(of: activity.activity)]))
    }
    return lines
  }
}
