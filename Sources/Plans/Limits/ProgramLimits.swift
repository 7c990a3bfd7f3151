import ContextQuality
import Intake
import Signals

/// What a program has to keep to: the person's days, equipment, limits and dislikes, each with the words
/// that say so.
struct ProgramLimits: Sendable {
  private let rules: DocumentRules
  /// Nil if none is named.
  private let days: (allowed: Set<TrainingProgram.Day>, words: String)?
  private let most: (sessions: Int, words: String)?
  /// How long a session may be; nil if nobody said.
  let length: (minutes: Int, words: String)?
  /// The parts of the day that were named with the days.
  private let hours: (parts: [DocumentRules.PartOfDay], words: String)?
  private let times: TrainingTimes
  private let equipment: [String]
  private let limits: [(limit: DocumentRules.Limit, words: String)]
  private let dislikes: [(stem: String, words: String)]

  init(_ rules: DocumentRules, _ facts: DraftFacts) {
    self.rules = rules
    func said(_ name: String) -> [String] { facts.said(rules.said[name] ?? []) }
    let toldDays = said("days")
    times = TrainingTimes(toldDays, rules)
    days = Self.days(toldDays, times, rules)
    most = Self.most(toldDays, rules)
    // "Mondays at 7, 40 minutes" tells more than "Mondays at 7".
    length = toldDays.lazy.map { facts.sentence(around: $0) }.compactMap { words in
      rules.minutes(in: Words(words).all).map { (minutes: $0, words: words) }
    }.first { DocumentFields.minutes.contains($0.minutes) }
    hours = times.parts.isEmpty ? nil : (times.parts, Self.quote(toldDays))
    equipment = said("equipment")
    limits = rules.limits.compactMap { limit in
      said("limits").first { Self.says($0, limit.said, rules) }.map { (limit, $0) }
    }
    let little = facts.pack.signals.littleWords
    let liked = Set(said("likes").flatMap { Self.stems(Words($0).all, little) })
    dislikes = said("dislikes").flatMap { text in
      Self.stems(Self.refused(text, rules), little).filter { !liked.contains($0) }
        .map { ($0, text) }
    }
  }

  /// Nil if no day is named.
  private static func days(
    _ texts: [String], _ times: TrainingTimes, _ rules: DocumentRules
  ) -> (Set<TrainingProgram.Day>, String)? {
    // "Every day" beside a number is only about which days.
    let isDaily = most(texts, rules) == nil && texts.contains { says($0, rules.daily, rules) }
    if !times.named.isEmpty { return (times.named, quote(texts)) }
    return isDaily
      ? (Set(TrainingProgram.Day.allCases).subtracting(times.unsure), quote(texts)) : nil
  }

  /// Texts side by side, without those that are part of another.
  private static func quote(_ texts: [String]) -> String {
    texts.filter { text in !texts.contains { $0 != text && $0.contains(text) } }
      .joined(separator: "; ")
  }

  private static func most(
    _ texts: [String], _ rules: DocumentRules
  ) -> (sessions: Int, words: String)? {
    for text in texts {
      for sentence in Words(text).sentences {
        let numbers = rules.perWeek.places(in: sentence).compactMap { place in
          PhrasePattern.value(sentence[place.lowerBound]).map { Int($0) }
        }
        if let most = numbers.max() { return (most, text) }
        if rules.twice.match(sentence) { return (2, text) }
        if rules.once.match(sentence) { return (1, text) }
      }
    }
    return nil
  }

  /// Whether one of the phrases stands there without a "not" shortly before it.
  private static func says(_ text: String, _ phrases: Phrases, _ rules: DocumentRules) -> Bool {
    rules.sentences(of: text).joined().contains { part in
      let denials = rules.denied.places(in: part.words).map(\.upperBound)
      return phrases.places(in: part.words).contains { place in
        !denials.contains { (0...3).contains(place.lowerBound - $0) }
      }
    }
  }

  /// The words behind "hate" and the like; all of them without such a word.
  static func refused(_ text: String, _ rules: DocumentRules) -> [String] {
    let sentences = Words(text).sentences
    let behind = sentences.flatMap { sentence -> [String] in
      guard let place = rules.refused.places(in: sentence).map(\.upperBound).min() else {
        return []
      }
      return Array(sentence[place...])
    }
    return behind.isEmpty ? sentences.flatMap(\.self) : behind
  }

  static func stems(_ words: [String], _ little: Set<String>) -> [String] {
    words.filter { $0.count >= 3 && !little.contains($0) }.map(stem)
  }

  /// Ignores endings: "squats" and "squat", "running" and "run".
  private static func stem(_ word: String) -> String {
    var word = word[...]
    if word.count > 5, word.hasSuffix("ing") {
      word = word.dropLast(3)
      let last = word.last
      if word.count > 3, word.dropLast().last == last { word = word.dropLast() }
    } else if word.count > 3, word.hasSuffix("s"), !word.hasSuffix("ss") {
      word = word.dropLast()
    }
    return String(word)
  }

  static func names(_ name: String, _ stems: some Sequence<String>) -> String? {
    let words = Set(
      Words(name).all.flatMap { [stem($0)] + $0.split(separator: "-").map { stem(String($0)) } })
    return stems.first { words.contains($0) }
  }
}

// Checking.
extension ProgramLimits {
  /// What the program breaks; empty if it keeps to everything.
  func problems(of program: TrainingProgram) -> [DocumentProblem] {
    var problems: [DocumentProblem] = []
    if let most, program.sessions.count > most.sessions {
      problems.append(
        .init(
          pointer: "/sessions",
          words: "\(program.sessions.count) sessions a week are more than you have time for "
            + "(\(PlainText.quoted(most.words)))"))
    }
    for (index, session) in program.sessions.enumerated() {
      if let words = dayProblem(session.day) {
        problems.append(.init(pointer: "/sessions/\(index)/day", words: words))
      }
      if let words = timeProblem(session) {
        problems.append(.init(pointer: "/sessions/\(index)/time", words: words))
      }
      if let length, session.minutes > length.minutes {
        problems.append(
          .init(
            pointer: "/sessions/\(index)/minutes",
            words: "\(session.minutes) minutes are more than you have time for "
              + "(\(PlainText.quoted(length.words)))"))
      }
      for (place, exercise) in session.exercises.enumerated() {
        if let words = problem(of: exercise) {
          problems.append(
            .init(pointer: "/sessions/\(index)/exercises/\(place)", words: words))
        }
      }
    }
    for (limit, words) in limits
    where !program.adaptations.contains(where: {
      limit.said.match($0.constraint) || limit.said.match($0.how)
    }) {
      problems.append(
        .init(
          pointer: "/adaptations",
          words: "nothing says how it deals with the \(limit.name) (\(PlainText.quoted(words)))"))
    }
    return problems
  }

  /// What a document breaks, in words.
  func problems(of document: DraftedDocument) -> [String] {
    document.program.map { problems(of: $0).map(\.words) } ?? document.goal.map(problems) ?? []
  }

  /// What a goal asks of the person against what they said.
  func problems(of goal: GoalContract) -> [String] {
    let texts = [goal.primary] + goal.milestones.map(\.what)
    return limits.filter { limit, _ in texts.contains { limit.avoided.match($0) } }
      .map { "it could strain your \($0.name) (\(PlainText.quoted($1)))" }
      + dislikes.filter { dislike in texts.contains { Self.names($0, [dislike.stem]) != nil } }
      .map { "you don't like that (\(PlainText.quoted($0.words)))" }
  }

  private func dayProblem(_ day: TrainingProgram.Day) -> String? {
    guard let days, !days.allowed.contains(day) else { return nil }
    return "\(DocumentWords.name(of: day)) isn't one of your days (\(PlainText.quoted(days.words)))"
  }

  private func timeProblem(_ session: TrainingProgram.Session) -> String? {
    guard let hours, let time = session.time, let minutes = ClockRange.minutes(time),
      times.time(on: session.day) != time,
      !hours.parts.contains(where: { $0.minutes.contains(minutes) })
    else { return nil }
    return "\(time) isn't when you can train (\(PlainText.quoted(hours.words)))"
  }

  func problem(of exercise: TrainingProgram.Exercise) -> String? {
    if let (limit, words) = limits.first(where: { $0.limit.avoided.match(exercise.name) }) {
      return "\(exercise.name) could strain your \(limit.name) (\(PlainText.quoted(words)))"
    }
    if let name = Self.names(exercise.name, dislikes.map(\.stem)),
      let words = dislikes.first(where: { $0.stem == name })?.words
    {
      return "\(exercise.name) is something you don't like (\(PlainText.quoted(words)))"
    }
    guard !equipment.isEmpty else { return nil }
    for item in rules.equipment where item.used.match(exercise.name) {
      if !equipment.contains(where: { Self.says($0, item.owned, rules) }) {
        return "\(exercise.name) needs \(item.name), which you didn't say you have "
          + "(\(PlainText.quoted(Self.quote(equipment))))"
      }
    }
    return nil
  }

  /// The program without what it may not hold. A session on another day moves to a free one.
  ///
  /// - Returns: Also what was changed, in words.
  func kept(_ program: TrainingProgram) -> (program: TrainingProgram, changes: [String]) {
    var (program, changes) = (program, [String]())
    var taken = Set(program.sessions.map(\.day).filter { dayProblem($0) == nil })
    program.sessions = program.sessions.compactMap { session in
      var session = session
      session.exercises.removeAll { exercise in
        guard let words = problem(of: exercise) else { return false }
        changes.append(words)
        return true
      }
      guard !session.exercises.isEmpty else { return nil }
      if let words = timeProblem(session) {
        changes.append(words)
        session.time = nil
      }
      guard let words = dayProblem(session.day) else { return session }
      changes.append(words)
      let free = TrainingProgram.Day.allCases.first {
        days?.allowed.contains($0) == true && !taken.contains($0)
      }
      guard let free else { return nil }
      taken.insert(free)
      session.day = free
      return session
    }
    if let most, program.sessions.count > most.sessions {
      changes += problems(of: program).filter { $0.pointer == "/sessions" }.map(\.words)
      program.sessions.removeLast(program.sessions.count - most.sessions)
    }
    program.sessions.sort { $0.day.number < $1.day.number }
    return (program, changes)
  }

  /// The days to train on, in order: those that were named, or else some beside which there is no "not". As many as
  /// the person said, where the days allow it.
  func days(preset: [TrainingProgram.Day]) -> [TrainingProgram.Day] {
    let all = TrainingProgram.Day.allCases
    let allowed = all.filter { days?.allowed.contains($0) ?? !times.unsure.contains($0) }
    let chosen = days == nil ? preset.filter(allowed.contains) : allowed
    let count = most?.sessions ?? (days == nil ? preset : chosen).count
    return TrainingProgram.Day.spread(Array(chosen.prefix(count)), to: count, within: allowed)
      .sorted { $0.number < $1.number }
  }

  /// Each limit with the words that name it.
  var named: [(name: String, words: String)] { limits.map { ($0.limit.name, $0.words) } }
  /// The person's words about the limit that a text is about.
  func words(naming text: String) -> String? {
    limits.first { $0.limit.said.match(text) }?.words
  }
}

extension TrainingProgram.Day {
  /// The days and as many more as it takes, each as far from the others as it can be.
  fileprivate static func spread(_ days: [Self], to count: Int, within allowed: [Self]) -> [Self] {
    var days = days
    while days.count < count {
      let free = allowed.filter { !days.contains($0) }
      let farthest = free.max { one, other in
        let nearest = [one, other].map { day in days.map { day.distance(to: $0) }.min() ?? 0 }
        return (nearest[0], -one.number) < (nearest[1], -other.number)
      }
      guard let farthest else { break }
      days.append(farthest)
    }
    return days
  }

  private func distance(to other: Self) -> Int {
    let apart = abs(number - other.number)
    return min(apart, 7 - apart)
  }
}
