import Coaching

/// Progress formatted for reading.
enum ProgressText {
  static func page(_ progress: Progress, _ text: EntryText) -> String {
    guard !progress.weeks.isEmpty else { return text.texts(.pageNothing) + "\n" }
    return
      ([overview(progress, text), activities(progress, text), milestones(progress, text)]
      .filter { !$0.isEmpty }).map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private static func overview(_ progress: Progress, _ text: EntryText) -> [String] {
    let (week, texts, streak) = (progress.thisWeek, text.texts, progress.streak)
    var amounts = [texts(.sessionOne, .sessionOther, week.sessions)]
    if week.kilograms > 0 {
      amounts.append(texts(.progressLifted, ["load": text.load(week.kilograms)]))
    }
    if week.kilometers > 0 { amounts.append(text.distance(week.kilometers)) }
    if week.minutes > 0 {
      amounts.append(texts(.planMinutes, ["count": "\(Int(rounding: week.minutes))"]))
    }
    var rows = [(texts(.progressWeek), amounts.joined(separator: ", "))]
    if let adherence = progress.adherence {
      let values = ["done": "\(adherence.done)", "planned": "\(adherence.planned)"]
      rows.append((texts(.pagePlan), texts(.progressAdherence, values)))
    }
    rows.append(
      (
        texts(.progressStreak),
        texts(.streakOne, .streakOther, streak.weeks, ["longest": "\(streak.longest)"])
      ))
    rows.append((texts(.progressAll), texts(.trainedOne, .trainedOther, progress.sessions)))
    if let weight = progress.weight, let last = weight.days.last {
      let trend = weight.perWeek.map { change in
        let signed = (change > 0 ? "+" : "") + text.load(change)
        return " (" + texts(.progressPerWeek, ["change": signed]) + ")"
      }
      rows.append((texts(.progressWeight), text.load(last.kilograms) + (trend ?? "")))
    }
    return PageRows.lines(rows)
  }

  private static func activities(_ progress: Progress, _ text: EntryText) -> [String] {
    let texts = text.texts
    return progress.activities.flatMap { activity -> [String] in
      var line = texts(
        .bestLine,
        [
          "activity": text.title(of: activity.activity), "name": texts(name(of: activity.measure)),
          "figure": text.figure(
            activity.best.value, activity.measure, of: activity.activity),
          "day": "\(activity.best.day)",
        ])
      if let heaviest = activity.heaviest?.kilograms {
        line += "; " + texts(.bestHeaviest, ["load": text.load(heaviest)])
      }
      if let farthest = activity.farthest?.kilometers {
        line += "; " + texts(.bestFarthest, ["distance": text.distance(farthest)])
      }
      if activity.plateau != nil { return [line, "  " + texts(.progressPlateau)] }
      guard let trend = activity.trend, trend.direction != .same else { return [line] }
      let name: CoachingText = trend.direction == .better ? .progressBetter : .progressWorse
      return [line, "  " + texts(name, ["count": "\(trend.sessions)"])]
    }
  }

  private static func name(of measure: ActivityProgress.Measure) -> CoachingText {
    switch measure {
    case .oneRepetitionMaximum: .bestOneRepetitionMaximum
    case .repetitions: .bestRepetitions
    case .pace: .bestPace
    case .duration: .bestDuration
    }
  }

  private static func milestones(_ progress: Progress, _ text: EntryText) -> [String] {
    let latest = progress.milestones.suffix(5).reversed()
    guard !latest.isEmpty else { return [] }
    return [text.texts(.progressMilestones)] + latest.map { "  \($0.day)  " + words(for: $0, text) }
  }

  private static func words(for milestone: Milestone, _ text: EntryText) -> String {
    let texts = text.texts
    let title = text.title(of: milestone.activity)
    return switch milestone.kind {
    case .sessions(1): texts(.reachedFirst)
    case .sessions(let count): texts(.trainedOne, .trainedOther, count)
    case .distance(let kilometers):
      texts(.reachedDistance, ["distance": text.milestoneDistance(kilometers), "activity": title])
    case .best(let measure, let value):
      "\(title): \(texts(name(of: measure))) \(text.figure(value, measure, of: milestone.activity))"
    case .goal: texts(.reachedGoal, ["activity": title])
    }
  }
}
