import Intake
import Signals

/// A change to a program that rules can make.
struct ProgramEdit {
  private typealias Day = TrainingProgram.Day

  private let sentence: [String]
  private let rules: DocumentRules
  private let little: Set<String>

  init(_ words: String, _ rules: DocumentRules, _ pack: PromptPack) {
    sentence = Words(ClockRange.settled(words)).all
    self.rules = rules
    little = pack.signals.littleWords
  }

  private static let shortest = 10
  private static let step = 5

  /// Nil if the words ask for nothing that rules can do.
  ///
  /// - Throws: If they ask for what no program can be.
  func applied(to program: TrainingProgram) throws(DraftError) -> TrainingProgram? {
    // "Don't make Thursday shorter" asks for no change, and two directions at once aren't told apart.
    if isDenied || says("shorter") && says("longer") { return nil }
    // A longer warm-up or plank is no longer session.
    if says("shorter") || says("longer"), says("part") || names(program) { return nil }
    if says("add"), says("rest") { throw DraftError(words: DocumentWords.restDays) }
    var program = program
    var isChanged =
      try adjusted(&program) || moved(&program) || swapped(&program) || keptOnly(&program)
      || removed(&program) || spread(&program)
    if !isChanged { isChanged = try added(&program) }
    if !isChanged { isChanged = try counted(&program) }
    if !isChanged { isChanged = try stretched(&program) }
    // What isn't in it needn't go.
    if !isChanged { isChanged = rules.refused.match(sentence) }
    program.sessions.sort { $0.day.number < $1.day.number }
    return isChanged ? program : nil
  }

  private func says(_ edit: String) -> Bool { rules.edits[edit]?.match(sentence) == true }

  /// Whether the words name one of the exercises.
  private func names(_ program: TrainingProgram) -> Bool {
    let stems = stems(sentence)
    return program.sessions.flatMap(\.exercises).contains {
      ProgramLimits.names($0.name, stems) != nil
    }
  }

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
          } && isListed(place, since: end, named)
      }
    }.map(\.day)
  }

  /// "No Tuesday and Thursday" refuses both, "not on Tuesday, on Wednesday" only the first.
  private func isListed(_ place: Int, since end: Int, _ named: [(place: Int, day: Day)]) -> Bool {
    guard let last = named.last(where: { (end..<place).contains($0.place) }) else { return true }
    let between = last.place + 1..<place
    return between.isEmpty || places("and").contains { between.contains($0.lowerBound) }
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

  /// Whether an exercise goes on the days that are named: "stretching on Monday", but not "Monday and stretching".
  private var isOnNamedDays: Bool {
    places("on").contains { on in namedDays.contains { $0.place == on.upperBound } }
  }

  /// "Only on weekends": what is on other days comes to the days that are named, or goes.
  private func keptOnly(_ program: inout TrainingProgram) -> Bool {
    let (named, days) = (namedDays, days)
    let isOnly = places("only").contains { only in
      named.contains { place, _ in
        place < only.lowerBound
          ? only.lowerBound - place == 1 : place - only.upperBound <= Self.reach
      }
    }
    guard isOnly, refusedDays.isEmpty, rules.minutes(in: sentence) == nil,
      program.sessions.contains(where: { !days.contains($0.day) })
    else { return false }
    var free = days.filter { day in !program.sessions.contains { $0.day == day } }
    program.sessions = program.sessions.compactMap { session in
      guard !days.contains(session.day) else { return session }
      guard !free.isEmpty else { return nil }
      var session = session
      session.day = free.removeFirst()
      return session
    }
    return true
  }

  /// Words between "only" and a day: "I can only train on Tuesday".
  private static let reach = 3

  /// "Three days a week": more sessions on the days that are farthest from the others, or fewer.
  private func spread(_ program: inout TrainingProgram) -> Bool {
    guard let count = rules.timesPerWeek(in: sentence), days.isEmpty, !says("add"),
      !says("remove"), !program.sessions.isEmpty, count != program.sessions.count
    else { return false }
    let taken = program.sessions.map(\.day)
    for day in Day.spread(taken, to: count).dropFirst(taken.count) {
      guard var session = program.sessions.last else { break }
      session.day = day
      program.sessions.append(session)
    }
    while program.sessions.count > count {
      // The first session stays; of the others, the one that follows another the closest goes.
      let closest = program.sessions.indices.dropFirst().min { one, other in
        let gaps = [one, other].map {
          program.sessions[$0].day.distance(to: program.sessions[$0 - 1].day)
        }
        return gaps[0] < gaps[1]
      }
      guard let closest else { break }
      program.sessions.remove(at: closest)
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

extension TrainingProgram.Day {
  /// The days and as many more as it takes, each as far from the others as it can be.
  static func spread(_ days: [Self], to count: Int, within allowed: [Self] = allCases) -> [Self] {
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

  fileprivate func distance(to other: Self) -> Int {
    let apart = abs(number - other.number)
    return min(apart, 7 - apart)
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
    // "Also make Thursday shorter" names no exercise.
    guard !Self.changes.contains(where: { rules.edits[$0]?.match(words) == true }) else {
      return nil
    }
    let known = ["minutes", "time", "afternoon", "sets", "add", "filler"].flatMap { name in
      rules.edits[name]?.places(in: words).flatMap { Array($0) } ?? []
    }
    let days = rules.days.flatMap { $0.phrases.places(in: words).flatMap { Array($0) } }
    let left = words.indices.filter { !(known + days).contains($0) }.map { words[$0] }
    let isLittle = { (word: String) in little.contains(word) || PhrasePattern.value(word) != nil }
    let name = left.drop(while: isLittle).reversed().drop(while: isLittle).reversed()
      .joined(separator: " ")
    return name.count < 3 ? nil : name.prefix(1).uppercased() + name.dropFirst()
  }

  /// "3 sets of lunges", "3 sets of 10 lunges".
  private var sets: (count: Int, repetitions: String?)? {
    guard let place = places("sets").max(by: { $0.upperBound < $1.upperBound }),
      let count = PhrasePattern.value(sentence[place.lowerBound]).flatMap({ Int(exactly: $0) }),
      (1...20).contains(count)
    else { return nil }
    let next = sentence[place.upperBound...].first
    let repetitions = next.flatMap { PhrasePattern.value($0) == nil ? nil : $0 }
    return (count, repetitions)
  }

  private static let changes = [
    "shorter", "longer", "fewerWeeks", "moreWeeks", "move", "instead", "remove",
  ]

  /// "Add Saturday and stretching": a session, an exercise, or both.
  private func added(_ program: inout TrainingProgram) throws(DraftError) -> Bool {
    guard let cue = places("add").first, !says("moreWeeks") else { return false }
    let minutes = try minutes
    let name = exercise(in: Array(sentence[cue.upperBound...]))
    let days = days
    let new = days.filter { day in !program.sessions.contains { $0.day == day } }
    guard name != nil || !new.isEmpty else {
      guard let minutes, !meant(program).isEmpty else { return false }
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
        if name == nil {
          session.minutes = minutes ?? like.minutes
        } else if isOnNamedDays {
          // "Add a plank on Monday" asks for no more than that.
          (session.exercises, session.minutes) = ([], minutes ?? Self.shortest)
        }
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
        .init(
          name: name, sets: sets?.count, repetitions: sets?.repetitions,
          minutes: minutes ?? (sets == nil ? Self.shortest : nil)))
    }
    return true
  }
}

// Numbers.
extension ProgramEdit {
  /// "10 minutes longer", "cut Thursday by 10 minutes": minutes by which sessions change, not those that
  /// they get.
  private func adjusted(_ program: inout TrainingProgram) throws(DraftError) -> Bool {
    guard let place = places("minutes").first, let minutes = rules.minutes(in: sentence) else {
      return false
    }
    func follows(_ edit: String) -> Bool {
      places(edit).contains { $0.lowerBound == place.upperBound }
    }
    let isBy = places("by").contains { $0.upperBound == place.lowerBound }
    let isLess = follows("less") || isBy && (says("shorter") || says("remove"))
    guard isLess || follows("more") || isBy && (says("longer") || says("add")) else { return false }
    let range = DocumentFields.minutes
    for index in meant(program) {
      let changed = program.sessions[index].minutes + (isLess ? -minutes : minutes)
      guard range.contains(changed) else { throw DraftError(words: DocumentWords.minutes(range)) }
      program.sessions[index].minutes = changed
    }
    return !meant(program).isEmpty
  }

  /// A "don't" before what it asks for.
  private var isDenied: Bool {
    let denied = places("denied").map(\.upperBound)
    return ["shorter", "longer", "move", "add", "remove", "swap"].flatMap { places($0) }
      .contains { place in denied.contains { ($0...$0 + 3).contains(place.lowerBound) } }
  }

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

  private func stretched(_ program: inout TrainingProgram) throws(DraftError) -> Bool {
    if says("fewerWeeks") {
      program.weeks = max(DocumentFields.weeks.lowerBound, program.weeks - 1)
    } else if says("moreWeeks") {
      program.weeks = min(DocumentFields.weeks.upperBound, program.weeks + 1)
    } else if says("shorter") {
      let most = meant(program).map { program.sessions[$0].minutes }.max()
      if let most, most <= Self.shortest {
        throw DraftError(words: DocumentWords.shortest(most))
      }
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
    session.minutes = min(session.minutes, max(Self.shortest, minutes))
    if session.exercises.count > 2 { session.exercises.removeLast() }
  }
}

// Also for what somebody says of their days.
extension DocumentRules {
  /// Whether the words name days, or how many a week.
  func tellsDays(_ words: [String]) -> Bool { !dayPlaces(in: words).isEmpty }

  /// How many sessions a week the words name.
  func timesPerWeek(in words: [String]) -> Int? {
    if let place = perWeek.places(in: words).first {
      return PhrasePattern.value(words[place.lowerBound]).flatMap { Int(exactly: $0) }
    }
    if !twice.places(in: words).isEmpty { return 2 }
    if !once.places(in: words).isEmpty { return 1 }
    return daily.places(in: words).isEmpty ? nil : 7
  }

  private func dayPlaces(in words: [String]) -> [Range<Int>] {
    ([perWeek, once, twice, daily] + days.map(\.phrases)).flatMap { $0.places(in: words) }
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
    timePlaces(in: words).first.flatMap { time(at: $0, in: words, said: words) }
  }

  func timePlaces(in words: [String]) -> [Range<Int>] {
    (edits["time"]?.places(in: words) ?? []).sorted { $0.lowerBound < $1.lowerBound }
  }

  func isBesideDays(_ place: Range<Int>, in words: [String]) -> Bool {
    dayPlaces(in: words).contains { day in
      max(place.lowerBound - day.upperBound, day.lowerBound - place.upperBound) <= 2
    }
  }

  /// "Half past six", "a quarter to seven".
  private func spoken(
    at place: Range<Int>, in words: [String], said around: [String]
  ) -> String? {
    for (name, minute) in [("halfPast", 30), ("quarterPast", 15), ("quarterTo", -15)] {
      guard let found = edits[name]?.places(in: words).first(where: { place.overlaps($0) }),
        let number = PhrasePattern.value(words[found.upperBound - 1])
      else { continue }
      var hour = Int(number) % 12
      if edits["afternoon"]?.match(around) == true { hour += 12 }
      return ClockRange.text((hour * 60 + minute + 1_440) % 1_440)
    }
    return nil
  }

  /// - Parameter around: The words that say whether it's in the morning.
  func time(at place: Range<Int>, in words: [String], said around: [String]) -> String? {
    if edits["noon"]?.match(Array(words[place])) == true { return ClockRange.text(12 * 60) }
    if let time = spoken(at: place, in: words, said: around) { return time }
    func number(_ index: Int) -> Int? {
      words.indices.contains(index) ? PhrasePattern.value(words[index]).map { Int($0) } : nil
    }
    guard let start = words[place.lowerBound...].indices.first(where: { number($0) != nil }),
      var hour = number(start)
    else { return nil }
    // "At 6, 30 minutes" is six o'clock.
    let lengths = edits["minutes"]?.places(in: words) ?? []
    let isLength = lengths.contains { $0.lowerBound == start + 1 }
    let minute = isLength ? 0 : number(start + 1).flatMap { (0..<60).contains($0) ? $0 : nil } ?? 0
    if hour < 12, edits["afternoon"]?.match(around) == true { hour += 12 }
    if hour == 12, edits["morning"]?.match(around) == true { hour = 0 }
    return ClockRange.text(hour * 60 + minute)
  }
}
