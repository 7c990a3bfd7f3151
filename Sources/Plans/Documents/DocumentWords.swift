import ContextQuality
package import FoundationEssentials

/// The words around a document's fields.
package enum DocumentWords {
  static let goal = "Goal"
  static let measure = "Measured by"
  static let byWhen = "By when"
  static let why = "Why"
  static let milestone = "Milestone"
  static let restsOn = "Rests on"
  static let program = "Program"
  static let length = "Length"

  /// A text without a first word that its label says already: "By when: August", not "By when: by August".
  static func without(_ word: String, _ text: String) -> String {
    let words = text.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == word, !words[1].hasPrefix("of ") else {
      return text
    }
    return words[1].prefix(1).uppercased() + words[1].dropFirst()
  }

  static func name(of day: TrainingProgram.Day) -> String {
    day.rawValue.prefix(1).uppercased() + day.rawValue.dropFirst()
  }

  static func length(_ program: TrainingProgram) -> String {
    let count = program.sessions.count
    return (program.weeks == 1 ? "1 week" : "\(program.weeks) weeks") + ", "
      + (count == 1 ? "1 session" : "\(count) sessions") + " a week"
  }

  /// `Tuesday, 18:00, 45 minutes`.
  static func time(of session: TrainingProgram.Session) -> String {
    [name(of: session.day), session.time, "\(session.minutes) minutes"].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// `Tuesday, November 24, 18:00, 45 minutes`.
  package static func time(of planned: ProgramSchedule.Planned, in zone: TimeZone) -> String {
    [
      ProgramSchedule.dayInWords(planned.start, in: zone), planned.session.time,
      "\(planned.session.minutes) minutes",
    ].compactMap(\.self).joined(separator: ", ")
  }

  /// `3 × 8-10, 12 kg, RPE 7`.
  static func load(of exercise: TrainingProgram.Exercise) -> String {
    let sets: String? =
      switch (exercise.sets, exercise.repetitions) {
      case (let sets?, let repetitions?): "\(sets) × \(repetitions)"
      case (let sets?, nil): sets == 1 ? "1 set" : "\(sets) sets"
      case (nil, let repetitions?): repetitions
      case (nil, nil): nil
      }
    let minutes = exercise.minutes.map { $0 == 1 ? "1 minute" : "\($0) minutes" }
    return [sets, minutes, exercise.load, exercise.effort, exercise.note].compactMap(\.self)
      .joined(separator: ", ")
  }

  static func fromWeek(_ week: Int) -> String { "From week \(week)" }
  static func because(_ constraint: String) -> String { "Because of “\(constraint)”" }
  /// Each reason once, and the words that several rest on behind the last of them.
  private static func joined(_ reasons: [String]) -> String {
    func words(_ reason: String) -> Substring? {
      reason.ranges(of: " (\"").last.map { reason[$0.upperBound...].dropLast(2) }
    }
    var kept: [String] = []
    for reason in reasons where !kept.contains(reason) { kept.append(reason) }
    return kept.enumerated().map { index, reason in
      guard let said = words(reason),
        kept.enumerated().contains(where: { other, reason in
          guard other != index, let more = words(reason) else { return false }
          return more == said ? other > index : more.contains(said)
        })
      else { return reason }
      return String(reason.dropLast(said.count + 5))
    }.joined(separator: "; ")
  }

  static func left(_ changes: [String]) -> String {
    "I checked it against what you told me and changed this: " + joined(changes) + "."
  }
  static func noSession(on day: TrainingProgram.Day) -> String {
    "There's no session on \(name(of: day)). Nothing was changed."
  }
  static let noChange =
    "That wouldn't change anything here. Could you tell me in other words what to change?"
  package static func contradiction(_ reasons: [String]) -> String {
    "That goes against what you told me: " + joined(reasons)
      + ". I'll do it only if you say so again."
  }
  package static func outdated(_ reasons: [String]) -> String {
    "As it is, it goes against what you told me: " + joined(reasons) + "."
  }
  static let unreadable =
    "I couldn't write that down properly just now. What you told me is saved; please try again."
  static let unreadableEdit =
    "I couldn't make that change just now, so nothing was changed. Please try again."
  /// - Parameter ofOneDay: An example of a change to one session.
  static func fields(_ names: [String], example: String, ofOneDay: String?) -> String {
    let oneDay = ofOneDay.map { ", or \u{201C}\($0)\u{201D} for one session" } ?? ""
    return "In a rehearsal, write a change as a field and its value, such as "
      + "\u{201C}\(example)\u{201D}\(oneDay). The fields are \(names.joined(separator: ", ")). Nothing was changed."
  }
  /// - Parameter problem: What was expected.
  static func misread(
    _ value: String, _ field: String, _ problem: String?, example: String
  ) -> String {
    "I can't take \(PlainText.quoted(value)) for \(field)\(problem.map { " (\($0))" } ?? ""). "
      + "Write it like \u{201C}\(example)\u{201D}. Nothing was changed."
  }
}

extension TrainingProgram.Exercise {
  /// `3 × 8-10, 12 kg, RPE 7`.
  public var loadText: String { DocumentWords.load(of: self) }
}
