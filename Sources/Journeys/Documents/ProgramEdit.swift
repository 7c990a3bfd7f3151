import Intake
import Signals

/// A change to a program that rules can make.
struct ProgramEdit {
  private let words: String
  private let rules: DocumentRules
  private let little: Set<String>

  init(_ words: String, _ rules: DocumentRules, _ pack: PromptPack) {
    (self.words, self.rules) = (words, rules)
    little = pack.signals.littleWords
  }

  private static let shortest = 10
  private static let step = 5

  /// Nil if the words ask for nothing that rules can do.
  func applied(to program: TrainingProgram) -> TrainingProgram? {
    var program = program
    let days = self.days
    let meant = program.sessions.indices.filter {
      days.isEmpty || days.contains(program.sessions[$0].day)
    }
    let weeks = number("weeks", in: DocumentFields.weeks)
    let minutes = number("minutes", in: DocumentFields.minutes)
    let time = self.time
    if weeks != nil || minutes != nil || time != nil {
      program.weeks = weeks ?? program.weeks
      for index in meant {
        program.sessions[index].minutes = minutes ?? program.sessions[index].minutes
        program.sessions[index].time = time ?? program.sessions[index].time
      }
    } else if says("fewerWeeks") {
      program.weeks = max(DocumentFields.weeks.lowerBound, program.weeks - 1)
    } else if says("moreWeeks") {
      program.weeks = min(DocumentFields.weeks.upperBound, program.weeks + 1)
    } else if says("shorter") {
      for index in meant { shorten(&program.sessions[index]) }
    } else if says("longer") {
      for index in meant { lengthen(&program.sessions[index]) }
    } else if says("add"), days.count == 1, let like = program.sessions.last {
      add(days[0], like, to: &program)
    } else if days.count == 2, let from = program.sessions.firstIndex(where: { $0.day == days[0] })
    {
      program.sessions[from].day = days[1]
      program.sessions.sort { $0.day.number < $1.day.number }
    } else if rules.refused.match(words) {
      remove(days, from: &program)
    } else {
      return nil
    }
    return program
  }

  /// The days that are named, in the order of the words.
  private var days: [TrainingProgram.Day] {
    let sentence = Words(words).all
    return rules.days.compactMap { day, phrases in
      phrases.places(in: sentence).map(\.lowerBound).min().map { ($0, day) }
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func says(_ edit: String) -> Bool { rules.edits[edit]?.match(words) == true }

  /// The nearest number in a range.
  private func number(_ edit: String, in range: ClosedRange<Int>) -> Int? {
    let sentence = Words(words).all
    guard let place = rules.edits[edit]?.places(in: sentence).first else { return nil }
    return PhrasePattern.value(sentence[place.lowerBound]).map {
      min(max(Int($0.rounded()), range.lowerBound), range.upperBound)
    }
  }

  /// The hour that is named, such as "at 18:30" or "at 7 pm".
  private var time: String? {
    let sentence = Words(words).all
    guard let place = rules.edits["time"]?.places(in: sentence).first else { return nil }
    let numbers = sentence[place.lowerBound...].dropFirst().prefix(2)
      .prefix { PhrasePattern.value($0) != nil }
      .compactMap { PhrasePattern.value($0).map { Int($0) } }
    guard var hour = numbers.first else { return nil }
    let minute = numbers.dropFirst().first.flatMap { (0..<60).contains($0) ? $0 : nil } ?? 0
    if hour < 12, says("afternoon") { hour += 12 }
    return ClockRange.text(hour * 60 + minute)
  }

  private func add(
    _ day: TrainingProgram.Day, _ like: TrainingProgram.Session, to program: inout TrainingProgram
  ) {
    guard !program.sessions.contains(where: { $0.day == day }) else { return }
    var session = like
    session.day = day
    program.sessions.append(session)
    program.sessions.sort { $0.day.number < $1.day.number }
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

  private func remove(_ days: [TrainingProgram.Day], from program: inout TrainingProgram) {
    let unwanted = ProgramLimits.stems(ProgramLimits.refused(words, rules), little)
    program.sessions = program.sessions.compactMap { session in
      if days.contains(session.day) { return nil }
      var session = session
      session.exercises.removeAll { ProgramLimits.names($0.name, unwanted) != nil }
      return session.exercises.isEmpty ? nil : session
    }
  }
}
