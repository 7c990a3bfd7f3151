import FoundationEssentials

/// The words around a document's fields.
enum DocumentWords {
  static let goal = "Goal"
  static let measure = "Measured by"
  static let byWhen = "By when"
  static let why = "Why"
  static let milestone = "Milestone"
  static let restsOn = "Rests on"
  static let program = "Program"
  static let length = "Length"
  static let leftOpen = "Left open"

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
  static func weeks(_ range: ClosedRange<Int>) -> String {
    "A program has \(range.lowerBound) to \(range.upperBound) weeks. Nothing was changed."
  }
  static func minutes(_ range: ClosedRange<Int>) -> String {
    "A session has \(range.lowerBound) to \(range.upperBound) minutes. Nothing was changed."
  }
  static let severalMilestones =
    "There are several milestones, and I can't tell which one you mean. \"No milestones\" leaves them all "
    + "out. Nothing was changed."
  static let restDays =
    "Every day without a session is a rest day. Tell me which session to leave out, such as \"no Thursday\". "
    + "Nothing was changed."
  static func shortest(_ minutes: Int) -> String {
    "That's as short as I make a session by myself, \(minutes) minutes. You can still say how long it "
      + "should be, such as \"\(DocumentFields.minutes.lowerBound) minutes\". Nothing was changed."
  }
  static let nothingLeft = "That would leave no session, so nothing was changed."
  static let noChange =
    "That wouldn't change anything here. Could you tell me in other words what to change?"
  static func noPlace(for amount: String) -> String {
    "Your goal has no place for \(amount). Tell me all of it, such as \"my goal is to …\". "
      + "Nothing was changed."
  }
  static func contradiction(_ reasons: [String]) -> String {
    "That goes against what you told me: " + joined(reasons)
      + ". I'll do it only if you say so again."
  }
  static func outdated(_ reasons: [String]) -> String {
    "As it is, it goes against what you told me: " + joined(reasons) + "."
  }
  static let unreadable =
    "I couldn't write that down properly just now. What you told me is saved; please try again."
  static let unreadableEdit =
    "I couldn't make that change just now, so nothing was changed. Please try again."
  static func rehearsedEdit(of kind: DocumentKind) -> String {
    let examples =
      switch kind {
      case .goal: "\"by August\", \"make it 8 kg\", \"because of my kids\" or \"no milestones\""
      case .program:
        "\"make Thursday shorter\", \"Tuesday at 18:30\", \"no squats\" or \"6 weeks\""
      }
    return "In a rehearsal I only understand changes such as \(examples). Nothing was changed."
  }
}

extension TrainingProgram.Exercise {
  /// `3 × 8-10, 12 kg, RPE 7`.
  public var loadText: String { DocumentWords.load(of: self) }
}
