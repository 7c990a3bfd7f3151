import Intake
import Signals

/// A change to a program that rules can make.
struct ProgramEdit {
  private typealias Day = TrainingProgram.Day

  private let sentence: [String]
  private let rules: DocumentRules
  private let little: Set<String>

  init(_ words: String, _ rules: DocumentRules, _ pack: PromptPack) {
    sentence = Words(words).all
    self.rules = rules
    little = pack.signals.littleWords
  }

  private static let shortest = 10
  private static let step = 5

  /// Nil if the words ask for nothing that rules can do.
  ///
  /// - Throws: If they ask for what no program can be.
  func applied(to program: TrainingProgram) throws(DraftError) -> TrainingProgram? {
    var program = program
    var isChanged = moved(&program) || swapped(&program) || removed(&program)
    if !isChanged { isChanged = try added(&program) }
    if !isChanged { isChanged = try counted(&program) || stretched(&program) }
    // What isn't in it needn't go.
    if !isChanged { isChanged = rules.refused.match(sentence) }
    program.sessions.sort { $0.day.number < $1.day.number }
    return isChanged ? program : nil
  }

  private func says(_ edit: String) -> Bool { rules.edits[edit]?.match(sentence) == true }

  private func places(_ edit: String) -> [Range<Int>] {
    rules.edits[edit]?.places(in: sentence).sorted { $0.lowerBound < $1.lowerBound } ?? []
  }
}

// Days.
extension ProgramEdit {
  /// The days that are named, with their places, in the order of the words.
  private var namedDays: [(place: Int, day: Day)] {
    rules.days.compactMap { day, phrases in
      phrases.places(in: sentence).map(\.lowerBound).min().map { ($0, day) }
    }.sorted { ($0.0, $0.1.number) < ($1.0, $1.1.number) }
  }

  private var days: [Day] { namedDays.map(\.day) }

  /// Days right behind a "no" or "cancel": "no Tuesday and Thursday", but not "no squats on Tuesday".
  private var refusedDays: [Day] {
    let named = namedDays
    let ends = (rules.refused.places(in: sentence) + places("remove")).map(\.upperBound)
    let turns = places("but").map(\.lowerBound)
    return named.filter { place, _ in
      ends.contains { end in
        end <= place && !turns.contains { (end..<place).contains($0) }
          && sentence[end..<place].enumerated().allSatisfy { offset, word in
            little.contains(word) || named.contains { $0.place == end + offset }
          }
      }
    }.map(\.day)
  }

  private func moved(_ program: inout TrainingProgram) -> Bool {
    let (days, refused) = (days, refusedDays)
    guard days.count == 2, refused.count < 2 else { return false }
    var (from, to) = (days[0], days[1])
    if let refusal = refused.first {
      (from, to) = (refusal, days[0] == refusal ? days[1] : days[0])
    } else if let instead = places("instead").first {
      // "Thursday instead of Tuesday" names the new day first.
      if namedDays.contains(where: { $0.place >= instead.upperBound }) { swap(&from, &to) }
    } else if !says("move"), !says("swap") {
      return false
    }
    let there = program.sessions.indices.filter { program.sessions[$0].day == to }
    guard let here = program.sessions.firstIndex(where: { $0.day == from }) else { return false }
    program.sessions[here].day = to
    if says("swap") {
      for index in there { program.sessions[index].day = from }
    } else if refused.count == 1, !there.isEmpty {
      // The other day has its own session already.
      program.sessions.remove(at: here)
    }
    return true
  }

  /// The sessions that are meant: those on the days that are named, or all.
  private func meant(_ program: TrainingProgram) -> [Int] {
    let days = days
    return program.sessions.indices.filter {
      days.isEmpty || days.contains(program.sessions[$0].day)
    }
  }
}

// Exercises.
extension ProgramEdit {
  /// "Swap squats for lunges", "lunges instead of squats".
  private func swapped(_ program: inout TrainingProgram) -> Bool {
    let halves: (old: ArraySlice<String>, new: ArraySlice<String>)
    if let instead = places("instead").first {
      halves = (sentence[instead.upperBound...], sentence[..<instead.lowerBound])
    } else if let start = places("swap").first,
      let middle = places("for").first(where: { $0.lowerBound > start.upperBound })
    {
      halves = (sentence[start.upperBound..<middle.lowerBound], sentence[middle.upperBound...])
    } else {
      return false
    }
    let old = stems(Array(halves.old))
    guard let name = exercise(in: Array(halves.new)), !old.isEmpty else { return false }
    var isChanged = false
    for index in meant(program) {
      for place in program.sessions[index].exercises.indices
      where ProgramLimits.names(program.sessions[index].exercises[place].name, old) != nil {
        program.sessions[index].exercises[place].name = name
        isChanged = true
      }
    }
    return isChanged
  }

  /// What is refused: whole days, or exercises on the days that are named.
  private func removed(_ program: inout TrainingProgram) -> Bool {
    let refusedDays = refusedDays
    if !refusedDays.isEmpty {
      program.sessions.removeAll { refusedDays.contains($0.day) }
      return true
    }
    let ends = (rules.refused.places(in: sentence) + places("remove")).map(\.upperBound)
    guard let end = ends.min() else { return false }
    let unwanted = stems(Array(sentence[end...]))
    let meant = Set(meant(program))
    var isChanged = false
    program.sessions = program.sessions.enumerated().compactMap { index, session in
      guard meant.contains(index) else { return session }
      var session = session
      session.exercises.removeAll { ProgramLimits.names($0.name, unwanted) != nil }
      isChanged = isChanged || session.exercises.count < program.sessions[index].exercises.count
      return session.exercises.isEmpty ? nil : session
    }
    return isChanged
  }

  /// The stems of words, with those that mean the same exercise.
  private func stems(_ words: [String]) -> Set<String> {
    let stems = Set(ProgramLimits.stems(words, little))
    return rules.synonyms.reduce(stems) { all, group in
      group.isDisjoint(with: all) ? all : all.union(group)
    }
  }

  /// What is left of the words without days, numbers and little words: "stretching".
  private func exercise(in words: [String]) -> String? {
    let known = ["minutes", "time", "afternoon", "add", "filler"].flatMap { name in
      rules.edits[name]?.places(in: words).flatMap { Array($0) } ?? []
    }
    let days = rules.days.flatMap { $0.phrases.places(in: words).flatMap { Array($0) } }
    let left = words.indices.filter { !(known + days).contains($0) }.map { words[$0] }
    let isLittle = { (word: String) in little.contains(word) || PhrasePattern.value(word) != nil }
    let name = left.drop(while: isLittle).reversed().drop(while: isLittle).reversed()
      .joined(separator: " ")
    return name.count < 3 ? nil : name.prefix(1).uppercased() + name.dropFirst()
  }

  /// "Add Saturday and stretching": a session, an exercise, or both.
  private func added(_ program: inout TrainingProgram) throws(DraftError) -> Bool {
    guard let cue = places("add").first, !says("moreWeeks") else { return false }
    let minutes = try minutes
    let name = exercise(in: Array(sentence[cue.upperBound...]))
    let days = days
    let new = days.filter { day in !program.sessions.contains { $0.day == day } }
    guard name != nil || !new.isEmpty else {
      guard let minutes, days.count == program.sessions.count || !meant(program).isEmpty else {
        return false
      }
      for index in meant(program) {
        program.sessions[index].minutes = min(
          DocumentFields.minutes.upperBound, program.sessions[index].minutes + minutes)
      }
      return true
    }
    if let like = program.sessions.last {
      for day in new {
        var session = like
        (session.day, session.time) = (day, time ?? like.time)
        if name == nil { session.minutes = minutes ?? like.minutes }
        program.sessions.append(session)
      }
    }
    guard let name else { return true }
    let stems = stems([name.lowercased()])
    for index in program.sessions.indices
    where days.isEmpty || (new.isEmpty ? days : new).contains(program.sessions[index].day) {
      guard
        !program.sessions[index].exercises.contains(where: {
          ProgramLimits.names($0.name, stems) != nil
        })
      else { continue }
      program.sessions[index].exercises.append(
        .init(name: name, minutes: minutes ?? Self.shortest))
    }
    return true
  }
}

// Numbers.
extension ProgramEdit {
  private func counted(_ program: inout TrainingProgram) throws(DraftError) -> Bool {
    let (weeks, minutes, time) = (try weeks, try minutes, time)
    guard weeks != nil || minutes != nil || time != nil else { return false }
    program.weeks = weeks ?? program.weeks
    for index in meant(program) {
      program.sessions[index].minutes = minutes ?? program.sessions[index].minutes
      program.sessions[index].time = time ?? program.sessions[index].time
    }
    return true
  }

  private func stretched(_ program: inout TrainingProgram) -> Bool {
    if says("fewerWeeks") {
      program.weeks = max(DocumentFields.weeks.lowerBound, program.weeks - 1)
    } else if says("moreWeeks") {
      program.weeks = min(DocumentFields.weeks.upperBound, program.weeks + 1)
    } else if says("shorter") {
      for index in meant(program) { shorten(&program.sessions[index]) }
    } else if says("longer") {
      for index in meant(program) { lengthen(&program.sessions[index]) }
    } else {
      return false
    }
    return true
  }

  private var weeks: Int? {
    get throws(DraftError) {
      guard let number = number("weeks") else { return nil }
      guard DocumentFields.weeks.contains(number) else {
        throw DraftError(words: DocumentWords.weeks(DocumentFields.weeks))
      }
      return number
    }
  }

  private var minutes: Int? {
    get throws(DraftError) {
      guard let number = rules.minutes(in: sentence) else { return nil }
      guard DocumentFields.minutes.contains(number) else {
        throw DraftError(words: DocumentWords.minutes(DocumentFields.minutes))
      }
      return number
    }
  }

  private var time: String? { rules.time(in: sentence) }

  private func number(_ edit: String) -> Int? {
    places(edit).first.flatMap { PhrasePattern.value(sentence[$0.lowerBound]) }
      .map { Int(min(max($0.rounded(), 0), 1_000_000)) }
  }

  private func lengthen(_ session: inout TrainingProgram.Session) {
    session.minutes = min(
      DocumentFields.minutes.upperBound,
      session.minutes + max(Self.step, session.minutes / 3))
  }

  private func shorten(_ session: inout TrainingProgram.Session) {
    let minutes = session.minutes * 2 / 3 / Self.step * Self.step
    session.minutes = max(Self.shortest, minutes)
    if session.exercises.count > 2 { session.exercises.removeLast() }
  }
}

// Also for what somebody says of their days.
extension DocumentRules {
  /// Whether the words name days, or how many a week.
  func tellsDays(_ words: [String]) -> Bool {
    ([perWeek, once, twice] + days.map(\.phrases)).contains { $0.match(words) }
  }

  /// How long a session is: "40 minutes", "half an hour".
  func minutes(in words: [String]) -> Int? {
    if let place = edits["minutes"]?.places(in: words).first {
      return PhrasePattern.value(words[place.lowerBound]).map {
        Int(min(max($0.rounded(), 0), 100_000))
      }
    }
    if edits["halfHour"]?.match(words) == true { return 30 }
    return edits["hour"]?.match(words) == true ? 60 : nil
  }

  /// The hour that is named, such as "at 18:30", "7 pm" or "at 7 in the evening".
  func time(in words: [String]) -> String? {
    guard let place = edits["time"]?.places(in: words).min(by: { $0.lowerBound < $1.lowerBound })
    else { return nil }
    let numbers = words[place.lowerBound...].drop { PhrasePattern.value($0) == nil }.prefix(2)
      .prefix { PhrasePattern.value($0) != nil }
      .compactMap { PhrasePattern.value($0).map { Int($0) } }
    guard var hour = numbers.first else { return nil }
    let minute = numbers.dropFirst().first.flatMap { (0..<60).contains($0) ? $0 : nil } ?? 0
    if hour < 12, edits["afternoon"]?.match(words) == true { hour += 12 }
    if hour == 12, words.contains("am") { hour = 0 }
    return ClockRange.text(hour * 60 + minute)
  }
}
