import Coaching
import HealthRecords

/// Progress formatted for reading.
enum ProgressText {
  static func page(_ progress: Progress, _ text: EntryText) -> String {
    guard !progress.weeks.isEmpty else {
      return "Nothing is noted yet. Tell the coach what you did, or run `rapport log add`.\n"
    }
    return
      ([overview(progress, text), activities(progress, text), milestones(progress, text)]
      .filter { !$0.isEmpty }).map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private static func overview(_ progress: Progress, _ text: EntryText) -> [String] {
    let week = progress.thisWeek
    var amounts = ["\(week.sessions) \(week.sessions == 1 ? "session" : "sessions")"]
    if week.kilograms > 0 { amounts.append("\(text.load(week.kilograms)) lifted") }
    if week.kilometers > 0 { amounts.append(text.distance(week.kilometers)) }
    if week.minutes > 0 { amounts.append("\(Int(week.minutes.rounded())) min") }
    var lines = ["This week   " + amounts.joined(separator: ", ")]
    if let adherence = progress.adherence {
      lines.append("Plan        \(adherence.done) of \(adherence.planned) sessions in recent weeks")
    }
    let streak = progress.streak
    lines.append(
      "Streak      \(count(streak.weeks, "week")) in a row (longest: \(streak.longest))")
    lines.append("In all      \(count(progress.sessions, "day")) of training")
    if let weight = progress.weight, let last = weight.days.last {
      let trend = weight.perWeek.map { " (\(signed($0, text)) a week)" } ?? ""
      lines.append("Weight      \(text.load(last.kilograms))\(trend)")
    }
    return lines
  }

  private static func signed(_ kilograms: Double, _ text: EntryText) -> String {
    (kilograms > 0 ? "+" : "") + text.load(kilograms)
  }

  private static func activities(_ progress: Progress, _ text: EntryText) -> [String] {
    progress.activities.flatMap { activity -> [String] in
      let title = text.title(of: activity.activity)
      let best = text.figure(activity.best.value, activity.measure)
      var line = "\(title): \(name(of: activity.measure)) \(best) on \(activity.best.day)"
      if let heaviest = activity.heaviest?.kilograms { line += "; heaviest \(text.load(heaviest))" }
      if let farthest = activity.farthest?.kilometers {
        line += "; farthest \(text.distance(farthest))"
      }
      var lines = [line]
      if activity.plateau != nil {
        lines.append("  no gain over the last three comparable sessions")
      } else if let trend = activity.trend, trend.direction != .same {
        lines.append(
          "  getting \(trend.direction.rawValue) over the last \(trend.sessions) comparable sessions"
        )
      }
      return lines
    }
  }

  private static func name(of measure: ActivityProgress.Measure) -> String {
    switch measure {
    case .oneRepetitionMaximum: "best estimated one-rep maximum"
    case .repetitions: "most repetitions"
    case .pace: "best pace"
    case .duration: "longest"
    }
  }

  private static func milestones(_ progress: Progress, _ text: EntryText) -> [String] {
    let latest = progress.milestones.suffix(5).reversed()
    guard !latest.isEmpty else { return [] }
    return ["Milestones"]
      + latest.map { "  \($0.day)  " + words(for: $0, text) }
  }

  private static func words(for milestone: Milestone, _ text: EntryText) -> String {
    let title = text.title(of: milestone.activity)
    return switch milestone.kind {
    case .sessions(let count): count == 1 ? "first day of training" : "\(count) days of training"
    case .distance(let kilometers): "first \(text.distance(kilometers)) (\(title))"
    case .best(let measure, let value):
      "\(title): \(name(of: measure)) \(text.figure(value, measure))"
    case .goal: "goal reached (\(title))"
    }
  }

  private static func count(_ number: Int, _ word: String) -> String {
    "\(number) \(word)" + (number == 1 ? "" : "s")
  }
}
