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

  /// - Parameter shared: The text that all packs share, from which what is missing comes.
  init(_ text: String, over shared: String?, code: String, file: String) throws(PackError) {
    let document = try PackDocument(text, file: file)
    var faults = PackFaults()
    faults.gather { () throws(PackError) in
      try document.checkKeys(
        of: document.root, ["decimal", "date", "months", "weekdays", "and", "texts"])
    }
    self.code = code
    let base = shared.flatMap { $0 == text ? nil : try? JSONValue(parsing: $0) }
    var members = base?.objectValue ?? JSONObject()
    for (name, value) in document.root.objectValue ?? JSONObject() { members[name] = value }
    let root = JSONValue.object(members)
    func member(_ name: String) -> String {
      faults.gather { () throws(PackError) in try document.text(root, name) } ?? ""
    }
    (decimal, date, and) = (member("decimal"), member("date"), member("and"))
    func names(_ name: String, _ count: Int) -> [String] {
      let names = faults.gather { () throws(PackError) in try document.texts(root, name) } ?? []
      if names.count != count {
        faults.add(document.wrong("\(name): expected \(count), found \(names.count)", at: name))
      }
      return names
    }
    (months, weekdays) = (names("months", 12), names("weekdays", 7))
    var texts: [String: String] = [:]
    for (name, value) in base?["texts"]?.objectValue ?? JSONObject() {
      texts[name] = value.stringValue
    }
    for (name, value) in document.root["texts"]?.objectValue ?? JSONObject() {
      if CoachingText(rawValue: name) == nil {
        let hint = name.nearest(among: CoachingText.allCases.map(\.rawValue))
          .map { "; did you mean \($0)?" }
        faults.add(
          document.wrong(
            "texts: \(name): there is no such text\(hint ?? "")", at: name,
            in: document.root["texts"]))
      }
      texts[name] = value.stringValue
    }
    for missing in CoachingText.allCases where texts[missing.rawValue] == nil {
      faults.add(
        document.wrong("texts: \(missing.rawValue): expected a text, found none", at: "texts"))
    }
    self.texts = texts
    try faults.raise()
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

  /// The day with its year if it is long ago.
  package func day(_ day: Day, seenFrom today: Day) -> String {
    abs(today - day) > Self.daysWithoutYear ? dayWithYear(day) : self.day(day)
  }

  /// Such as `Friday, December 4`.
  func dayAndWeekday(_ day: Day, seenFrom today: Day) -> String {
    weekday(day.weekday) + ", " + self.day(day, seenFrom: today)
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
  case noted, corrected, removed, known, best, skipped, training
  case weight, at, implausible, unclear, lapOne, lapOther, stepOne, stepOther
  case correctedNone, notNoted, unread, noEntry, badFigure, toCome
  case tooLongAgo, dayLast, `in`, setOne, setOther, repetitionOne, repetitionOther
  case effortEasy, effortModerate, effortHard, distanceFive, distanceTen, distanceHalfMarathon
  case distanceMarathon, yesterday, dayOfYear, dayOther, reviewWeek, reviewWeeks, reviewAsked
  case reviewResting, reviewDue, reviewMilestone, reviewPlateau, reviewPriority, reviewAbsence
  case donePlanned, doneWeeks, doneOver, doneOne, doneOther, doneNone
  case movedMaximum, movedRepetitions, movedPace, movedDuration, movedWeight, movedStreak
  case movedPlateau, milestoneSessions, milestoneDistance, milestoneGoal, milestoneFirst
  case milestoneBest, questionWeek, questionMissed, questionKnown, questionNext, questionPlateau
  case questionMilestone, questionAbsence, questionPriority, proposalFewer
  case becauseFewer, proposalMore, becauseMore, proposalVary, proposalVaryPace
  case becausePlateau, proposalEaseIn, becauseAbsence, proposalGoal
  case becausePriority, proposalLine, answerAccepted, answerRefused, answerChanged, answerKept
  case answerKeptOpen, constraintLapsed, constraintContradicted, constraintNoted
  case constraintNotedUntil, constraintNotedFrom, constraintNotedBetween, constraintArchived,
    constraintHolds, constraintRefused
  case goalChanged, choiceAccept, choiceChange, choiceRefuse, choiceOver, choiceNotOver
  case choiceKeep, choiceDrop, pageGoal, pageOriginal, pageBy, pageWhy, pageMilestone, pagePlan
  case pageToday, cycleDay
  case pageLimits, pageNoGoal, pageNoPlan, pagePlanOver, pageNextPlan, pageNothing
  case planOne, planOther, planMinutes, limitPhysical, limitTime, limitResources, limitTemporary
  case limitNoted, limitUntil, limitQuote, limitProposed, limitArchived, limitRefused
  case progressWeek, progressStreak, progressAll, progressWeight, progressMilestones
  case sessionOne, sessionOther, progressLifted, progressAdherence
  case streakOne, streakOther, trainedOne, trainedOther, progressPerWeek
  case bestOneRepetitionMaximum, bestRepetitions, bestPace, bestDuration, bestLine, bestHeaviest
  case bestFarthest, progressPlateau, progressBetter, progressWorse
  case reachedFirst, reachedDistance, reachedGoal, doneSoFar, doneNothing, doneFirst
  case questionSoFar, questionFirst
}
