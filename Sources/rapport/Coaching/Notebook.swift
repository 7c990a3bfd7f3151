import Coaching
import FoundationEssentials
import HealthRecords
import Intake
import Journeys
import Plans

/// What `/log`, `/goals`, `/plan` and `/review` show in a conversation.
struct Notebook {
  let prompts: PromptPack
  /// Days that `/log` goes back.
  private static let days = 14

  init(_ prompts: PromptPack) { self.prompts = prompts }

  private var today: Day { Day(of: Date(), in: .current) }

  private func read(_ events: [RecordedEvent]) throws -> (CoachingState, CoachingPack, EntryText) {
    let state = try CoachingState(events: events, careNotes: prompts.careNotes) {
      TimeZone.current.secondsFromGMT(for: $0)
    }
    let pack = try CoachingPack(prompts)
    let language = prompts.languageCode(for: prompts.state(after: events))
    return (state, pack, EntryText(pack, language: language, units: state.units ?? .metric))
  }

  func page(_ command: SlashCommand, _ events: [RecordedEvent]) throws -> String {
    let (state, pack, text) = try read(events)
    switch command {
    case .goals:
      let cycle = state.hidesWeight ? nil : prompts.dayCycle(after: events)?.day(at: Date())
      return GoalsText.page(state, pack, text.texts, today: today, cycle)
    case .plan:
      return plan(state, text.texts)
    default:
      let recent = state.log.byDay.filter { today - $0.day < Self.days }
      let lines = recent.reversed().map { "#\($0.number)  \($0.day)  \(text($0))" }
      let page = ProgressText.page(state.progress(pack, today: today), text)
      return (lines + [lines.isEmpty ? "" : "\n"]).joined(separator: "\n") + page
    }
  }

  private func plan(_ state: CoachingState, _ texts: CoachingTexts) -> String {
    let program = state.plan.program
    var lines: [String] = []
    if let end = state.programEnds, end < today {
      let day = texts.day(end, seenFrom: today)
      lines.append(texts(.pagePlanOver, ["title": program?.title ?? "", "day": day]))
      if let sessions = state.sessionsPerWeek(on: today) {
        lines.append(texts(.pagePlan) + ": " + texts(.planOne, .planOther, sessions))
      }
      lines.append(texts(.pageNextPlan))
      return lines.joined(separator: "\n") + "\n"
    }
    guard let sessions = state.sessionsPerWeek else { return texts(.pageNoPlan) + "\n" }
    lines.append("\(program?.title ?? texts(.pagePlan)): " + texts(.planOne, .planOther, sessions))
    for session in program?.sessions ?? [] {
      let day = session.day.number - 1
      let minutes = texts(.planMinutes, ["count": "\(session.minutes)"])
      lines.append("  \(texts.weekday(day))  \(session.title), \(minutes)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  func review(_ events: [RecordedEvent]) throws -> (text: String, events: [EventEnvelope]) {
    let (state, pack, text) = try read(events)
    switch Reviewer(state, pack, text, today: today).asked(lastSeen: state.lastActiveDay) {
    case .new(let review):
      return (review.text + "\n", [EventEnvelope(CoachingEvent.reviewed(review))])
    case .known(let review): return (review.text + "\n", [])
    case .resting(let words): return (words + "\n", [])
    }
  }
}
