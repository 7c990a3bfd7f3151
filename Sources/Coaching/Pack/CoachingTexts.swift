import ContextQuality
package import HealthRecords
import IncrementalJSON

/// What coaching says by itself, in one language, from a pack's `coaching/texts.CODE.json`.
public struct CoachingTexts: Sendable {
  /// Such as `en`.
  public let code: String
  private let texts: [String: String]
  private let decimal: String
  private let date: String
  private let months: [String]
  /// From Monday.
  private let weekdays: [String]
  private let and: String

  init(_ text: String, code: String, file: String) throws(PackError) {
    let document = try PackDocument(text, file: file)
    try document.checkKeys(
      of: document.root, ["decimal", "date", "months", "weekdays", "and", "texts"])
    self.code = code
    decimal = try document.text(document.root, "decimal")
    date = try document.text(document.root, "date")
    and = try document.text(document.root, "and")
    months = try document.texts(document.root, "months")
    guard months.count == 12 else { throw document.wrong("months: expected twelve") }
    weekdays = try document.texts(document.root, "weekdays")
    guard weekdays.count == 7 else { throw document.wrong("weekdays: expected seven") }
    var texts: [String: String] = [:]
    for (name, value) in try document.object(document.root, "texts") {
      guard CoachingText(rawValue: name) != nil else {
        throw document.wrong("texts: \(name): there is no such text")
      }
      texts[name] = value.stringValue
    }
    if let missing = CoachingText.allCases.first(where: { texts[$0.rawValue] == nil }) {
      throw document.wrong("texts: \(missing.rawValue): expected a text, found none")
    }
    self.texts = texts
  }

  package func callAsFunction(_ text: CoachingText, _ values: [String: String] = [:]) -> String {
    var filled = texts[text.rawValue] ?? ""
    for (name, value) in values { filled = filled.replacing("{{\(name)}}", with: value) }
    return filled
  }

  func day(_ day: Day) -> String {
    date.replacing("{{day}}", with: "\(day.parts.day)")
      .replacing("{{month}}", with: months[day.parts.month - 1])
  }

  private static let daysWithoutYear = 180

  /// The day with its year if it's long ago.
  package func day(_ day: Day, seenFrom today: Day) -> String {
    abs(today - day) > Self.daysWithoutYear ? dayWithYear(day) : self.day(day)
  }

  package func dayWithYear(_ day: Day) -> String {
    self(.dayOfYear, ["day": self.day(day), "year": "\(day.parts.year)"])
  }

  /// The month that a word names, from 1; its first three letters will do.
  func month(_ word: String) -> Int? {
    months.firstIndex { name in
      let name = name.lowercased()
      return word == name || word.count == 3 && name.hasPrefix(word)
    }.map { $0 + 1 }
  }

  /// The day of the week, from 0 for Monday.
  package func weekday(_ number: Int) -> String {
    weekdays.indices.contains(number) ? weekdays[number] : ""
  }

  /// A text for one thing or for several.
  package func callAsFunction(
    _ one: CoachingText, _ other: CoachingText, _ count: Int, _ values: [String: String] = [:]
  ) -> String {
    self(count == 1 ? one : other, values.merging(["count": "\(count)"]) { $1 })
  }

  func list(_ items: [String]) -> String {
    guard items.count > 1 else { return items.first ?? "" }
    return items.dropLast().joined(separator: ", ") + and + (items.last ?? "")
  }

  /// With at most this many decimals, and none that are zero.
  func number(_ value: Double, decimals: Int = 1) -> String {
    let scale = decimals == 2 ? 100.0 : decimals == 1 ? 10.0 : 1
    let scaled = Int(rounding: abs(value) * scale)
    let (whole, rest) = (scaled / Int(scale), scaled % Int(scale))
    let sign = value < 0 && scaled > 0 ? "\u{2212}" : ""
    guard rest > 0 else { return sign + "\(whole)" }
    var digits = "\(rest)"
    while digits.count < decimals { digits = "0" + digits }
    while digits.hasSuffix("0") { digits.removeLast() }
    return sign + "\(whole)\(decimal)\(digits)"
  }
}

/// The texts by name.
package enum CoachingText: String, CaseIterable {
  case noted, corrected, removed, known, best, skipped, training, weight, at, implausible, unclear
  case lapOne = "lap.one"
  case lapOther = "lap.other"
  case stepOne = "step.one"
  case stepOther = "step.other"
  case correctedNone = "corrected.none"
  case notNoted = "noted.nothing"
  case unread = "noted.unread"
  case noEntry = "refused.noEntry"
  case badFigure = "refused.figure"
  case toCome = "refused.toCome"
  case tooLongAgo = "refused.tooLongAgo"
  case dayLast = "refused.dayLast"
  case `in`
  case setOne = "set.one"
  case setOther = "set.other"
  case repetitionOne = "repetition.one"
  case repetitionOther = "repetition.other"
  case effortEasy = "effort.easy"
  case effortModerate = "effort.moderate"
  case effortHard = "effort.hard"
  case distanceFive = "distance.5"
  case distanceTen = "distance.10"
  case distanceHalfMarathon = "distance.halfMarathon"
  case distanceMarathon = "distance.marathon"
  case yesterday = "day.1"
  case dayOfYear = "day.ofYear"
  case dayOther = "day.other"
  case reviewWeek = "review.week"
  case reviewWeeks = "review.weeks"
  case reviewAsked = "review.asked"
  case reviewResting = "review.resting"
  case reviewDue = "review.due"
  case reviewMilestone = "review.milestone"
  case reviewPlateau = "review.plateau"
  case reviewPriority = "review.priority"
  case reviewAbsence = "review.absence"
  case donePlanned = "done.planned"
  case doneWeeks = "done.weeks"
  case doneOver = "done.over"
  case doneOne = "done.one"
  case doneOther = "done.other"
  case doneNone = "done.none"
  case movedMaximum = "moved.oneRepetitionMaximum"
  case movedRepetitions = "moved.repetitions"
  case movedPace = "moved.pace"
  case movedDuration = "moved.duration"
  case movedWeight = "moved.weight"
  case movedStreak = "moved.streak"
  case movedPlateau = "moved.plateau"
  case milestoneSessions = "milestone.sessions"
  case milestoneDistance = "milestone.distance"
  case milestoneGoal = "milestone.goal"
  case milestoneFirst = "milestone.first"
  case milestoneBest = "milestone.best"
  case questionWeek = "question.week"
  case questionMissed = "question.missed"
  case questionKnown = "question.known"
  case questionNext = "question.next"
  case questionPlateau = "question.plateau"
  case questionMilestone = "question.milestone"
  case questionAbsence = "question.absence"
  case questionPriority = "question.priority"
  case proposalFewer = "proposal.fewer"
  case becauseFewer = "because.fewer"
  case proposalMore = "proposal.more"
  case becauseMore = "because.more"
  case proposalVary = "proposal.vary"
  case proposalVaryPace = "proposal.varyPace"
  case becausePlateau = "because.plateau"
  case proposalEaseIn = "proposal.easeIn"
  case becauseAbsence = "because.absence"
  case proposalGoal = "proposal.goal"
  case becausePriority = "because.priority"
  case proposalLine = "proposal.line"
  case answerAccepted = "answer.accepted"
  case answerRefused = "answer.refused"
  case answerChanged = "answer.changed"
  case answerKept = "answer.kept"
  case answerKeptOpen = "answer.keptOpen"
  case constraintLapsed = "constraint.lapsed"
  case constraintContradicted = "constraint.contradicted"
  case constraintNoted = "constraint.noted"
  case constraintNotedUntil = "constraint.notedUntil"
  case constraintArchived = "constraint.archived"
  case constraintHolds = "constraint.holds"
  case constraintRefused = "constraint.refused"
  case goalChanged = "goal.changed"
  case choiceAccept = "choice.accept"
  case choiceChange = "choice.change"
  case choiceRefuse = "choice.refuse"
  case choiceOver = "choice.over"
  case choiceNotOver = "choice.notOver"
  case choiceKeep = "choice.keep"
  case choiceDrop = "choice.drop"
  case pageGoal = "page.goal"
  case pageOriginal = "page.original"
  case pageBy = "page.by"
  case pageWhy = "page.why"
  case pageMilestone = "page.milestone"
  case pagePlan = "page.plan"
  case pageLimits = "page.limits"
  case pageNoGoal = "page.noGoal"
  case pageNoPlan = "page.noPlan"
  case pagePlanOver = "page.planOver"
  case pageNextPlan = "page.nextPlan"
  case pageNothing = "page.nothing"
  case planOne = "plan.one"
  case planOther = "plan.other"
  case planMinutes = "plan.minutes"
  case limitPhysical = "limit.physical"
  case limitTime = "limit.time"
  case limitResources = "limit.resources"
  case limitTemporary = "limit.temporary"
  case limitNoted = "limit.noted"
  case limitUntil = "limit.until"
  case limitQuote = "limit.quote"
  case limitProposed = "limit.proposed"
  case limitArchived = "limit.archived"
  case limitRefused = "limit.refused"
  case progressWeek = "progress.week"
  case progressStreak = "progress.streak"
  case progressAll = "progress.all"
  case progressWeight = "progress.weight"
  case progressMilestones = "progress.milestones"
  case sessionOne = "session.one"
  case sessionOther = "session.other"
  case progressLifted = "progress.lifted"
  case progressAdherence = "progress.adherence"
  case streakOne = "streak.one"
  case streakOther = "streak.other"
  case trainedOne = "trained.one"
  case trainedOther = "trained.other"
  case progressPerWeek = "progress.perWeek"
  case bestOneRepetitionMaximum = "best.oneRepetitionMaximum"
  case bestRepetitions = "best.repetitions"
  case bestPace = "best.pace"
  case bestDuration = "best.duration"
  case bestLine = "best.line"
  case bestHeaviest = "best.heaviest"
  case bestFarthest = "best.farthest"
  case progressPlateau = "progress.plateau"
  case progressBetter = "progress.better"
  case progressWorse = "progress.worse"
  case reachedFirst = "reached.first"
  case reachedDistance = "reached.distance"
  case reachedGoal = "reached.goal"
  case doneSoFar = "done.soFar"
  case doneNothing = "done.nothing"
  case doneFirst = "done.first"
  case questionSoFar = "question.soFar"
  case questionFirst = "question.first"
}
