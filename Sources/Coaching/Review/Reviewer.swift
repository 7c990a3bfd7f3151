package import HealthRecords
import Plans

/// Decides when to look back, and writes the review: what was planned and done, what moved, one question,
/// and at most one proposed change.
package struct Reviewer {
  let state: CoachingState
  let pack: CoachingPack
  let text: EntryText
  let today: Day
  let progress: Progress

  package init(_ state: CoachingState, _ pack: CoachingPack, _ text: EntryText, today: Day) {
    (self.state, self.pack, self.text, self.today) = (state, pack, text, today)
    progress = state.progress(pack, today: today)
  }

  private var texts: CoachingTexts { text.texts }

  static let daysBetween = 7
  static let daysAway = 28
  /// The same topic is not brought up again for this many days.
  static let daysBetweenTopics = 28
  private static let mostMoved = 3

  // When.

  /// What calls for a review at a visit; nil if nothing does.
  ///
  /// - Parameter lastSeen: The day on which the person was last there.
  package func dueAtVisit(lastSeen: Day?) -> Review.Reason? {
    guard state.allowsReviews(on: today), let since = lastReview ?? state.firstDay else {
      return nil
    }
    if isBack(lastSeen) { return .absence }
    return today - since >= Self.daysBetween ? .week : nil
  }

  /// The review that somebody gets who asks for one.
  package func asked(lastSeen: Day?) -> Asked {
    guard state.allowsReviews(on: today) else { return .resting(texts(.reviewResting)) }
    let review =
      isBack(lastSeen) ? review(.absence, lastSeen: lastSeen) : self.review(.asked)
    guard let last = state.reviews.last, state.has(review) else { return .new(review) }
    return .known(last.review)
  }

  package enum Asked {
    case new(Review)
    /// Today's still waits for an answer, or says the same.
    case known(Review)
    /// After somebody was told to get help; with what the coach says instead.
    case resting(String)
  }

  /// Whether the person was away for long, and was not welcomed back yet.
  private func isBack(_ lastSeen: Day?) -> Bool {
    guard let lastSeen = lastSeen ?? state.firstDay, today - lastSeen >= Self.daysAway else {
      return false
    }
    return lastReview.map { $0 - lastSeen < Self.daysAway } ?? true
  }

  /// What calls for a review after entries were noted.
  package var dueAfterNoting: Review.Reason? {
    guard state.allowsReviews(on: today), !state.reviews.contains(where: \.isOpen) else {
      return nil
    }
    if let newMilestone, !isWhereTheyBegin(newMilestone) { return .milestone }
    return newPlateau.flatMap(vary) == nil ? nil : .plateau
  }

  /// Whether something that passes limited them within these days: less was to be expected.
  private func isLimited(_ days: ClosedRange<Day>) -> Bool {
    state.constraints.items.contains { item in
      let limit = item.constraint
      let passes =
        limit.list == .temporary
        || limit.isOfCoaching && (limit.expiresAt ?? limit.asksAt) != nil
      guard passes else { return false }
      let last: Day
      switch item.status {
      case .active: last = limit.expiresAt ?? today
      case .archived(let day): last = min(day, limit.expiresAt ?? day)
      case .refused, .proposed: return false
      }
      return (limit.beginsAt ?? limit.notedAt) <= days.upperBound && last >= days.lowerBound
    }
  }

  /// A review of a day that is still to come was made by a clock that was wrong.
  private var past: CoachingState.PastReview? {
    state.reviews.last { $0.review.through <= today }
  }

  private var lastReview: Day? { past?.review.through }

  /// The first day that the last review did not count.
  private var sinceLast: Day? { past.map { $0.review.through + ($0.countsItsDay ? 1 : 0) } }

  private func isNew(_ topic: String) -> Bool {
    !state.reviews.contains { past in
      past.review.topics.contains(topic) && today - past.review.through < Self.daysBetweenTopics
    }
  }

  /// A goal reached, a distance or a round number of sessions; bests alone are no reason to stop. Somebody who heard
  /// of one does not hear of an earlier one.
  private var newMilestone: Milestone? {
    let all = progress.milestones
    let told = all.lastIndex { wasEverTold($0.topic) }.map { $0 + 1 } ?? 0
    return all[told...].last { milestone in
      switch milestone.kind {
      case .best, .sessions(1): return false
      case .sessions, .distance, .goal: break
      }
      return today - milestone.day <= Self.daysBetween
    }
  }

  /// Whether it is of the first sessions in the log, which tell where somebody begins.
  private func isWhereTheyBegin(_ milestone: Milestone) -> Bool {
    guard case .distance = milestone.kind else { return false }
    let before = state.log.entries.count {
      $0.activity == milestone.activity && $0.isTraining && $0.day < milestone.day
    }
    return before < Milestone.sessionsBeforeABest
  }

  private func wasEverTold(_ topic: String) -> Bool {
    state.reviews.contains { $0.review.topics.contains(topic) }
  }

  private var newPlateau: ActivityProgress? {
    progress.activities.first { activity in
      guard let plateau = activity.plateau, today - plateau.through <= Self.daysBetween,
        !isLimited(plateau.from...plateau.through)
      else { return false }
      return isNew(Self.topic(of: activity))
    }
  }

  private static func topic(of plateau: ActivityProgress) -> String {
    "plateau \(plateau.activity)"
  }

  // What.

  /// - Parameters:
  ///   - words: What the person said matters more now, for a new priority.
  ///   - lastSeen: For an absence, when it began.
  package func review(
    _ reason: Review.Reason, words: String? = nil, lastSeen: Day? = nil
  ) -> Review {
    var from = max(sinceLast ?? state.firstDay ?? today, today + -27)
    // Whoever asks again soon gets the last week, not the hours since, with what was noted of the days
    // before coaching.
    if reason == .asked {
      let first = state.log.entries.lazy.filter(\.isTraining).map(\.day).min() ?? today
      from = min(
        from, max(min(state.firstDay ?? today, first), today + (1 - Self.daysBetween)))
    }
    var review = Review(
      number: (state.reviews.last?.review.number ?? 0) + 1, reason: reason, from: min(from, today),
      through: today, planned: planned(from: from),
      done: trainingDays(from: min(from, today)))
    review = widened(review)
    review.moved = moved(review)
    review.question = question(reason, review)
    review.proposal = proposal(review, words: words, lastSeen: lastSeen)
    review.topics = topics(reason, review.proposal)
    review.text = write(review, opening(review, words: words, lastSeen: lastSeen))
    return review
  }

  /// Sessions from a day on, up to the end of the program.
  private func planned(from: Day) -> Int? {
    guard let sessions = state.sessionsPerWeek else { return nil }
    let isOver = state.sessionsPerWeek(on: today) == nil
    let from = max(from, state.planBegan ?? from)
    let weeks = ((isOver ? state.planEnds ?? today : today) - from + 4) / 7
    if isOver, weeks < 1 { return nil }
    return sessions * max(1, weeks)
  }

  private func trainingDays(from: Day) -> Int {
    Set(state.log.entries.filter { $0.isTraining && $0.day >= from && $0.day <= today }.map(\.day))
      .count
  }

  /// Weeks that a review looks back over.
  private func weeks(_ review: Review) -> Int { max(1, (today - review.from + 4) / 7) }

  private func opening(_ review: Review, words: String?, lastSeen: Day?) -> String {
    switch review.reason {
    case .week: texts(.reviewWeek, .reviewWeeks, weeks(review))
    case .asked: texts(.reviewAsked)
    case .milestone: texts(.reviewMilestone)
    case .plateau: texts(.reviewPlateau)
    case .priority: texts(.reviewPriority, ["words": words ?? ""])
    case .absence:
      texts(.reviewAbsence, ["days": "\(lastSeen.map { today - $0 } ?? 0)"])
    }
  }

  /// Whether there is too little to hold against a week's plan or against what was before.
  private func isEarly(_ review: Review) -> Bool {
    review.reason == .asked && (today - review.from) + 1 < Self.daysBetween
  }

  private func done(_ review: Review) -> String {
    if review.reason == .milestone { return "" }
    if isNewsThatProgramIsOver(review), let end = state.planEnds {
      let title = state.plan.program?.title ?? ""
      return texts(.doneOver, ["title": title, "day": texts.day(end, seenFrom: today)])
    }
    if progress.sessions == 0, review.reason != .absence { return texts(.doneNothing) }
    if isEarly(review), let planned = state.sessionsPerWeek(on: today) {
      return texts(
        .doneSoFar,
        ["planned": sessions(planned), "done": "\(review.done)", "day": texts.day(review.from)])
    }
    if review.planned == nil, review.reason != .absence, progress.sessions == 1 {
      return texts(.doneFirst)
    }
    if let planned = review.planned, review.reason != .absence {
      let values = ["planned": sessions(planned), "done": "\(review.done)"]
      let isWide = review.reason == .asked && weeks(review) > 1
      guard isWide else { return texts(.donePlanned, values) }
      return texts(.doneWeeks, values.merging(["weeks": "\(weeks(review))"]) { $1 })
    }
    switch review.done {
    case 0: return review.reason == .absence ? "" : texts(.doneNone)
    case 1: return texts(.doneOne)
    default: return texts(.doneOther, ["done": "\(review.done)"])
    }
  }

  /// Whether the program ended before what the review looks at, and no review has said so.
  private func isNewsThatProgramIsOver(_ review: Review) -> Bool {
    guard let end = state.planEnds, end < today, review.planned == nil,
      [.week, .asked, .absence].contains(review.reason)
    else { return false }
    return !state.reviews.contains { end < $0.review.through && $0.review.through <= today }
  }

  private var isProgramOver: Bool { state.planEnds.map { $0 < today } ?? false }

  /// `2 sessions`.
  private func sessions(_ count: Int) -> String { texts(.sessionOne, .sessionOther, count) }

  private func moved(_ review: Review) -> [String] {
    let since = review.from
    var lines: [String] = []
    if let milestone = newMilestone,
      review.reason == .milestone || milestone.kind != .sessions(review.done)
    {
      lines.append(text.words(for: milestone, of: state.log[milestone.entry].map { text($0) }))
    }
    for activity in progress.activities where lines.count < Self.mostMoved {
      guard let last = activity.sessions.last, last.day >= since else { continue }
      if let plateau = activity.plateau, !isLimited(plateau.from...plateau.through) {
        lines.append(texts(.movedPlateau, ["activity": capitalized(activity)]))
      } else if let trend = activity.trend,
        trend.direction == .better || !isLimited(min(since, today)...today),
        trend.direction != .same,
        let before = activity.sessions.last(where: { $0.day < since }) ?? activity.sessions.first,
        before.entry != last.entry
      {
        lines.append(
          texts(
            Self.movedText(activity.measure),
            [
              "activity": capitalized(activity),
              "from": text.figure(before.value, activity.measure, of: activity.activity),
              "to": text.figure(last.value, activity.measure, of: activity.activity),
            ]))
      }
    }
    if let weight = progress.weight, let change = weight.perWeek,
      let last = weight.days.last, last.day >= since, lines.count < Self.mostMoved
    {
      lines.append(texts(.movedWeight, ["change": text.load(change)]))
    }
    let weeks = progress.streak.weeks
    // A Sunday and the Monday after it are no two weeks.
    let isSpanned = state.log.entries.contains {
      $0.isTraining && $0.day <= today + -7 * (weeks - 1)
    }
    if weeks > 1, isSpanned, trainingDays(from: since) > 0, lines.count < Self.mostMoved {
      lines.append(texts(.movedStreak, ["weeks": "\(progress.streak.weeks)"]))
    }
    return lines
  }

  private static func movedText(_ measure: ActivityProgress.Measure) -> CoachingText {
    switch measure {
    case .oneRepetitionMaximum: .movedMaximum
    case .repetitions: .movedRepetitions
    case .pace: .movedPace
    case .duration: .movedDuration
    }
  }

  private func capitalized(_ activity: ActivityProgress) -> String {
    let title = text.title(of: activity.activity)
    return title.prefix(1).uppercased() + title.dropFirst()
  }

  private func question(_ reason: Review.Reason, _ review: Review) -> String {
    let question = questionText(reason, review)
    guard question == .questionMissed, let known = knownReason(since: review.from) else {
      return texts(question)
    }
    return texts(.questionKnown, ["words": known])
  }

  /// What the person said got in the way: beside a skipped session, or as something that is not over yet.
  private func knownReason(since: Day) -> String? {
    let skipped = state.log.entries.last { entry in
      entry.kind == .skipped && entry.note != nil && entry.day >= since && entry.day <= today
    }
    return skipped?.note
      ?? state.constraints.items.last {
        $0.status == .active && $0.constraint.list == .temporary
          && $0.constraint.notedAt >= since && $0.constraint.notedAt <= today
      }?.constraint.detail
  }

  private func questionText(_ reason: Review.Reason, _ review: Review) -> CoachingText {
    switch reason {
    case .plateau: return .questionPlateau
    case .milestone: return .questionMilestone
    case .absence: return .questionAbsence
    case .priority: return .questionPriority
    case .week, .asked:
      if isProgramOver, review.planned == nil { return .questionNext }
      if progress.sessions < 2, review.planned == nil { return .questionFirst }
      if isEarly(review) { return .questionSoFar }
      if let planned = review.planned {
        return review.done < planned ? .questionMissed : .questionWeek
      }
      return review.done == 0 ? .questionMissed : .questionWeek
    }
  }

  private func topics(_ reason: Review.Reason, _ proposal: Proposal?) -> [String] {
    var topics = newMilestone.map { [$0.topic] } ?? []
    if let plateau = newPlateau, reason == .plateau || proposal?.change == .vary {
      topics.append(Self.topic(of: plateau))
    }
    return topics
  }

  private func write(_ review: Review, _ opening: String) -> String {
    // A new priority is answered, not measured.
    let figures = review.reason == .priority ? [] : [done(review)] + review.moved
    let sums = ([opening] + figures).filter { !$0.isEmpty }.joined(separator: " ")
    var parts = [sums, review.question]
    if let proposal = review.proposal {
      parts.append(
        texts(.proposalLine, ["proposal": proposal.text, "because": proposal.because]))
    }
    return parts.joined(separator: "\n\n")
  }
}

// The one proposed change.
extension Reviewer {
  /// Weeks that a change of sessions rests on.
  private static let leastWeeks = 2
  /// Below this share of the plan, less is proposed.
  private static let fewerBelow = 0.6
  private static let mostSessions = 6

  private func proposal(
    _ review: Review, words: String?, lastSeen: Day?
  ) -> Proposal? {
    let proposal: Proposal? =
      switch review.reason {
      case .priority: words.map { goal($0) }
      case .absence: easeIn(after: lastSeen)
      case .plateau: newPlateau.flatMap(vary)
      case .milestone: nil
      case .week, .asked: fewer(review) ?? newPlateau.flatMap(vary) ?? more
      }
    return proposal.flatMap { wasRefused($0) ? nil : $0 }
  }

  /// What was refused is not proposed again for a while.
  private func wasRefused(_ proposal: Proposal) -> Bool {
    state.reviews.contains { past in
      guard past.answer?.outcome == .refused, let refused = past.review.proposal else {
        return false
      }
      return refused.change == proposal.change && refused.activity == proposal.activity
        && proposal.change != .goal && today - past.review.through < Self.daysBetweenTopics
    }
  }

  private func goal(_ words: String) -> Proposal {
    Proposal(
      change: .goal, goal: words, text: texts(.proposalGoal, ["goal": words]),
      because: texts(.becausePriority))
  }

  private func easeIn(after lastSeen: Day?) -> Proposal? {
    guard let lastSeen else { return nil }
    let sessions = max(1, (state.sessionsPerWeek ?? 3) / 2 + (state.sessionsPerWeek ?? 3) % 2)
    return Proposal(
      change: .easeIn, sessions: sessions,
      text: texts(.proposalEaseIn, ["sessions": self.sessions(sessions)]),
      because: texts(.becauseAbsence, ["days": "\(today - lastSeen)"]))
  }

  private func vary(_ activity: ActivityProgress) -> Proposal? {
    // Without a load or a pace, nothing can be made a tenth lighter.
    guard let plateau = activity.plateau,
      [.oneRepetitionMaximum, .pace].contains(activity.measure)
    else { return nil }
    let name: CoachingText = activity.measure == .pace ? .proposalVaryPace : .proposalVary
    return Proposal(
      change: .vary, activity: activity.activity,
      text: texts(name, ["activity": text.title(of: activity.activity)]),
      because: texts(.becausePlateau), restsOn: plateau.entries)
  }

  private var wholeWeeks: [Progress.Week] {
    Array(progress.weeks.dropLast().suffix(Progress.adherenceWeeks))
  }

  private func fewer(_ review: Review) -> Proposal? {
    guard let planned = state.sessionsPerWeek(on: today), planned > 1,
      let adherence = progress.adherence,
      adherence.planned >= planned * Self.leastWeeks, adherence.share < Self.fewerBelow,
      let all = review.planned, all >= planned * Self.leastWeeks,
      Double(review.done) < Double(all) * Self.fewerBelow
    else { return nil }
    let weeks = all / planned
    let sessions = max(1, (review.done + weeks / 2) / weeks)
    return Proposal(
      change: .fewerSessions, sessions: sessions,
      text: texts(.proposalFewer, ["sessions": self.sessions(sessions), "planned": "\(planned)"]),
      because: texts(
        .becauseFewer,
        ["weeks": "\(weeks)", "done": "\(review.done)", "planned": "\(all)"]))
  }

  /// A week alone is no reason to plan less: where several are, the whole review looks at those.
  private func widened(_ review: Review) -> Review {
    guard [.week, .asked].contains(review.reason), let adherence = progress.adherence,
      let planned = state.sessionsPerWeek(on: today), planned > 0
    else { return review }
    let weeks = adherence.planned / planned
    var wide = review
    wide.from = today + (1 - 7 * weeks)
    wide.planned = planned * weeks
    wide.done = trainingDays(from: wide.from)
    guard wide.from < review.from, let proposal = fewer(wide), !wasRefused(proposal) else {
      return review
    }
    return wide
  }

  private var more: Proposal? {
    let weeks = wholeWeeks
    guard let planned = state.sessionsPerWeek(on: today), planned < Self.mostSessions,
      !state.hidesWeight,
      weeks.count >= Self.leastWeeks, weeks.allSatisfy({ $0.sessions > planned })
    else { return nil }
    return Proposal(
      change: .moreSessions, sessions: planned + 1,
      text: texts(.proposalMore, ["sessions": sessions(planned + 1), "planned": "\(planned)"]),
      because: texts(.becauseMore, ["weeks": "\(weeks.count)"]))
  }
}
