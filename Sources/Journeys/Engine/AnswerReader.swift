import ContextQuality
import EncoderScorer
import FoundationEssentials
import IncrementalJSON
import Intake
import OfflineScorer
import Plans
import Signals

/// Reads what somebody typed or chose at a step.
struct AnswerReader {
  let flow: JourneyFlow
  let pack: PromptPack

  enum Reading: Equatable {
    case answer(JourneyEvent.Answer)
    /// Nothing was answered, and nothing has to be.
    case nothing
    /// An earlier answer is taken back, and none has to stand in its place.
    case cleared
    /// What is wrong, for the person.
    case problem(String)
  }

  /// - Parameter input: A text or number as typed, an option's id, a time range's ends, or `true` for the
  ///   button alone.
  func read(_ input: JSONValue, at step: Step) -> Reading {
    let earlier = step.field.flatMap { flow.state.answers[$0.name] }
    let isBlank = input.stringValue.map(PlainText.isBlank) == true
    if isBlank, earlier != nil, step.field?.isOptional == true { return .cleared }
    if isBlank || input == .bool(true) { return confirmed(step, earlier) }
    switch step.content {
    case .text(_, let maxLength): return text(input, step, most: maxLength, pills: [])
    case .open(let open): return text(input, step, most: Self.longestText, pills: open.pills)
    case .stepper(let stepper): return stepper.reading(input, step, self)
    case .select(let options): return select(input, step, options)
    case .number(let number): return self.number(input, step, number)
    case .timeRange(let range): return timeRange(input, step, range)
    default: return .problem(JourneyProblems.expected)
    }
  }

  static let longestText = 8_000

  /// The button alone: the answer stays, or the default becomes one that says nothing.
  private func confirmed(_ step: Step, _ earlier: JourneyEvent.Answer?) -> Reading {
    // A default that was only confirmed follows what it depends on.
    if let earlier, earlier.isOwn || earlier.value.text != nil { return .answer(earlier) }
    if step.field?.isOptional == true { return .nothing }
    switch step.content {
    case .stepper(let stepper): return made(step, .number(stepper.initial), isOwn: false)
    case .number(let input):
      if let value = flow.initial(of: input, step) {
        return made(step, .number(value), isOwn: false)
      }
    case .timeRange(let input): return made(step, .range(input.initial), isOwn: false)
    default: break
    }
    if case .select = step.content { return .problem(JourneyProblems.choose) }
    return .problem(JourneyProblems.answer)
  }

  private func text(
    _ input: JSONValue, _ step: Step, most: Int, pills: [String]
  ) -> Reading {
    guard let typed = input.stringValue else { return .problem(JourneyProblems.expectedText) }
    let text = step.kind == .text ? PlainText.line(typed) : typed.trimmed
    guard text.count <= most else { return .problem(JourneyProblems.tooLong(most)) }
    return made(step, .text(text), isOwn: !pills.contains(text))
  }

  private func select(
    _ input: JSONValue, _ step: Step, _ options: [Step.SelectOption]
  ) -> Reading {
    guard let id = ScreenOptions.id(input, options.map { .init(id: $0.id, label: $0.label) }) else {
      return .problem(JourneyProblems.choose)
    }
    return made(step, .text(id), isOwn: true)
  }

  private func number(
    _ input: JSONValue, _ step: Step, _ wanted: Step.NumberInput
  ) -> Reading {
    var typed = input.stringValue?.trimmed.lowercased() ?? ""
    if let unit = wanted.unit { typed = Self.number(typed, without: unit) }
    var read = Measure.plain(typed)
    // "2.200" as much of Europe writes it.
    if let small = read, small < wanted.min, typed.wholeMatch(of: /\d{1,3}\.\d{3}/) != nil {
      read = small * 1_000
    }
    guard let number = input.doubleValue ?? read else {
      return .problem(
        wanted.notANumber
          ?? JourneyProblems.number(wanted.min, wanted.max, unit: wanted.unit))
    }
    if number < wanted.min {
      return .problem(
        wanted.tooSmall.map(flow.filled) ?? JourneyProblems.atLeast(wanted.min, wanted.unit))
    }
    if number > wanted.max {
      return .problem(
        wanted.tooLarge.map(flow.filled) ?? JourneyProblems.atMost(wanted.max, wanted.unit))
    }
    if wanted.isWhole, number != number.rounded() { return .problem(JourneyProblems.whole) }
    return made(step, .number(number), isOwn: true)
  }

  /// "45 sec" and "45s" are seconds as well.
  private static func number(_ typed: String, without unit: String) -> String {
    func named(_ text: some StringProtocol) -> String {
      text.lowercased().filter { $0.isLetter || $0 == "%" }
    }
    let number = typed.prefix { !$0.isLetter && $0 != "%" }
    let rest = named(typed.dropFirst(number.count))
    return !rest.isEmpty && named(unit).hasPrefix(rest) ? String(number).trimmed : typed
  }

  private func timeRange(
    _ input: JSONValue, _ step: Step, _ wanted: Step.TimeRangeInput
  ) -> Reading {
    guard let range = Self.range(input) else { return .problem(JourneyProblems.range) }
    guard range.start != range.end else { return .problem(JourneyProblems.sameTime) }
    guard range.length >= wanted.minMinutes else {
      return .problem(JourneyProblems.longer(ClockRange.length(wanted.minMinutes)))
    }
    guard range.length <= wanted.maxMinutes else {
      return .problem(JourneyProblems.shorter(ClockRange.length(wanted.maxMinutes)))
    }
    return made(step, .range(range), isOwn: true)
  }

  /// `12:00-20:00`, `12pm to 8pm`, or an object with both ends.
  private static func range(_ input: JSONValue) -> ClockRange? {
    if let start = input["start"]?.stringValue, let end = input["end"]?.stringValue {
      return both(start, end)
    }
    return input.stringValue.flatMap(ClockRange.init(typed:))
  }

  private static func both(_ start: String, _ end: String) -> ClockRange? {
    guard let start = ClockRange.minutes(start), let end = ClockRange.minutes(end) else {
      return nil
    }
    return ClockRange(start: start, end: end)
  }

  func made(_ step: Step, _ value: AnswerValue, isOwn: Bool) -> Reading {
    .answer(
      JourneyEvent.Answer(
        step: step.id, field: step.field?.name, value: value,
        wording: flow.filled(step.title), label: label(of: value, step), isOwn: isOwn))
  }

  private func label(of value: AnswerValue, _ step: Step) -> String {
    switch (value, step.content) {
    case (.text(let id), .select(let options)):
      options.first { $0.id == id }.map { flow.filled($0.label) } ?? id
    case (.number(let number), .stepper(let stepper)):
      stepper.text(number, in: flow.state.units)
    case (.number(let number), _): Measure.number(number)
    case (.range(let range), _):
      "\(ClockRange.text(range.start)) to \(ClockRange.text(range.end))"
    case (.text(let text), _): text
    }
  }
}

extension Step.Stepper {
  /// Reads `173`, `5'8"`, `1.73 m`, `154 lb`; a bare number is in the units that are shown.
  fileprivate func reading(
    _ input: JSONValue, _ step: Step, _ reader: AnswerReader
  ) -> AnswerReader.Reading {
    let units = reader.flow.state.units
    guard let value = value(input, units, reader.pack) else { return .problem(range(units)) }
    // Who is too young made no slip, and is told so.
    if quantity == .age, value >= 1, value < min, value < Double(CareNet.ageOfMajority) {
      return reader.made(step, .number(value.rounded(.down)), isOwn: true)
    }
    // A whole inch or pound at the limit may be half of one beyond it.
    let slack =
      quantity == .height || quantity == .weight
      ? Swift.max(1, scale(in: units) / 2 + 0.01) : 0
    guard (min - slack...max + slack).contains(value) else { return .problem(range(units)) }
    if quantity == .age || quantity == .count, by == by.rounded(), value != value.rounded() {
      return .problem(JourneyProblems.whole)
    }
    let rounded = (Swift.min(Swift.max(value, min), max) * 100).rounded() / 100
    return reader.made(step, .number(rounded), isOwn: true)
  }

  private func range(_ units: Units) -> String {
    let (low, high) = (Measure.number(min), text(max, in: units))
    return switch quantity {
    case .age: JourneyProblems.between(low, Measure.number(max), "an age")
    case .count: JourneyProblems.between(low, high, "a number")
    case .height, .weight:
      JourneyProblems.between(text(min, in: units), high, "a \(quantity.rawValue)")
    }
  }

  private func value(_ input: JSONValue, _ units: Units, _ pack: PromptPack) -> Double? {
    // Programs send metric numbers.
    if let number = input.doubleValue { return number }
    guard let text = input.stringValue else { return nil }
    guard quantity == .height || quantity == .weight else {
      var typed = text.trimmed.lowercased()
      if let unit = unit?.lowercased(), typed.hasSuffix(unit) {
        typed = String(typed.dropLast(unit.count))
      }
      return Measure.plain(typed) ?? ageOfMinor(text, pack) ?? inWords(text, pack)
    }
    if quantity == .height, let height = Self.feetAndInches(text) { return height }
    if let number = Measure.plain(text) { return bare(number, units) }
    guard let facts = pack.measureWords.bareAnswer(text) else { return nil }
    return quantity == .height ? facts.heightCentimetres : facts.weightKilograms
  }

  /// "Thirty", "30 years old", "I'm 30"; and "four" of a count.
  private func inWords(_ text: String, _ pack: PromptPack) -> Double? {
    let visible = PlainText.visible(text)
    if quantity == .age { return pack.careNet.answeredAge(in: visible).map(Double.init) }
    let words = Words(visible).all
    return words.count == 1 ? PhrasePattern.value(words[0]) : nil
  }

  /// An age under 18 in a sentence holds like a bare one, unless something is more urgent.
  private func ageOfMinor(_ text: String, _ pack: PromptPack) -> Double? {
    let visible = PlainText.visible(text)
    guard quantity == .age, pack.careNet.classify(visible)?.kind == .minor,
      let age = pack.careNet.statedAge(in: visible), age < CareNet.ageOfMajority
    else { return nil }
    return Double(age)
  }

  /// "5.8", "5 8" and "5.11" are feet and inches, in centimeters.
  private static func feetAndInches(_ text: String) -> Double? {
    let parts = text.trimmed.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "." || $0 == "," || $0 == " " })
    guard parts.count == 2, (1...2).contains(parts[1].count), let feet = Int(parts[0]),
      (3...8).contains(feet), let inches = Int(parts[1]), (0..<12).contains(inches)
    else { return nil }
    return Double(feet * 12 + inches) * Units.centimetersPerInch
  }

  private func bare(_ number: Double, _ units: Units) -> Double {
    switch (quantity, units) {
    case (.height, _) where number < 3: number * 100
    case (.height, .metric): number
    case (.height, .imperial):
      number >= 100
        ? number : (number < 9 ? number * 12 : number) * Units.centimetersPerInch
    case (.weight, .imperial): number * Units.kilogramsPerPound
    default: number
    }
  }
}

// What an answer tells.
extension AnswerReader {
  /// What the answer makes known. A default that was not touched and a suggestion that was only picked tell
  /// nothing.
  func evidence(of answer: JourneyEvent.Answer, at step: Step) -> [Evidence] {
    guard answer.isOwn, let field = step.field else { return [] }
    func evidence(_ facet: Facet, _ text: String) -> Evidence {
      Evidence(
        facet: facet,
        basis: .answer(
          Evidence.Answer(
            step: step.id, text: text, wording: answer.wording, turn: flow.intake.turns.count)))
    }
    switch step.content {
    case .select(let options):
      let option = options.first { $0.id == answer.value.text }
      return (option?.facets ?? field.facets).map { evidence($0, answer.label) }
    case .open:
      return read(answer, field.facets).filter { !field.ignores.contains($0.facet) }
        .filter { field.facets.contains($0.facet) || !isKnownElsewhere($0.facet, step) }
        .map { evidence($0.facet, $0.text) }
    default: return field.facets.map { evidence($0, answer.label) }
    }
  }

  /// The words of an open answer, for what a profile says later, also if they were picked.
  func words(of answer: JourneyEvent.Answer, at step: Step) -> AnswerSupport? {
    guard case .open = step.content, let text = answer.value.text else { return nil }
    return AnswerSupport(step: step.id, answer: PlainText.visible(text), wording: answer.wording)
  }

  /// What another question has asked for is not replaced by an aside: "be direct with me" is no goal.
  private func isKnownElsewhere(_ facet: Facet, _ step: Step) -> Bool {
    guard let known = flow.intake.ledger.evidence(for: facet) else { return false }
    if case .answer(let answer) = known.basis { return answer.step != step.id }
    return true
  }

  /// Open words are read by the encoder, which needs no model and no network, next to the question that they answer. For a rubric that it
  /// does not know, they count for what the question asks.
  private func read(
    _ answer: JourneyEvent.Answer, _ facets: [Facet]
  ) -> [(facet: Facet, text: String)] {
    let text = PlainText.visible(answer.value.text ?? "")
    guard pack.consent.isYes(text) == nil else { return [] }
    guard pack.rubric.isReadOffline else { return facets.map { ($0, text) } }
    let transcript = Transcript([.init(.coach, answer.wording), .init(.user, text)])
    var claims = ScorerAnswer()
    let ledger =
      EncoderScorer()?.ledger(of: transcript) ?? OfflineScorer().ledger(of: transcript)
    claims.evidence = ledger.entries.filter { $0.until == nil }.map {
      .init(facet: $0.evidence.facet, turn: $0.evidence.turn, quote: $0.evidence.text)
    }
    let check = EvidenceCheck(pack: pack, transcript: transcript, refusesOverload: false)
    let found = check.check(claims).evidence.map { (facet: $0.facet, text: $0.text) }
    // A whole answer is about what was asked: "six hours" of sleep are no commitments.
    guard !facets.isEmpty else { return found }
    let hasAnswered = found.contains { facets.contains($0.facet) }
    let others = found.filter {
      facets.contains($0.facet) || Words($0.text).all != Words(text).all
    }
    return hasAnswered || avoids(text, answer.wording) ? others : [(facets[0], text)] + others
  }

  /// Whether the words leave the question open: they decline it, do not know, or ask something themselves.
  private func avoids(_ text: String, _ wording: String) -> Bool {
    guard let model = EncoderModel.builtIn, let reader = ActReader(model: model),
      let reading = reader.read(text, after: wording, at: .question, needsFamiliar: true)
    else { return true }
    let avoiding: Set = [
      "declines", "unsure", "stops", "asks-reason", "asks-plan", "asks-service", "asks-coaching",
    ]
    return !avoiding.isDisjoint(with: reading.sure + reading.possible)
  }

  /// What comes first because of what was typed, in an object, too. An address is no words.
  func care(for value: JSONValue, at step: Step) -> JourneyEvent.Care? {
    let typed = value.objectValue?.map { $0.value } ?? [value]
    for text in typed.compactMap(\.stringValue) where !JourneyEngine.isEmail(text.trimmed) {
      if let care = care(in: text, at: step) { return care }
    }
    return nil
  }

  /// What comes first because of a text: help, or that the person is too young.
  func care(in text: String, at step: Step) -> JourneyEvent.Care? {
    let visible = PlainText.visible(text)
    guard let finding = pack.care(in: visible) else { return nil }
    let isStated =
      finding.kind == .minor && finding.concernsUser
      && (pack.careNet.statedAge(in: visible) ?? CareNet.ageOfMajority) < CareNet.ageOfMajority
    return care(
      finding.kind, isStated ? CareStep.minorStated : finding.name, step, words: visible,
      holds: finding.kind == .minor && finding.concernsUser)
  }

  /// Whether the words are an answer nevertheless: a plan has to know a warning sign, and somebody else's
  /// age changes nothing.
  func isNote(_ care: JourneyEvent.Care) -> Bool {
    guard let kind = care.careKind else { return false }
    return !pack.careNotes.sendsForHelp(kind) && !pack.careNotes.hidesSensitive(kind)
  }

  /// The same for an age that was given as a number.
  func care(age: Double, at step: Step) -> JourneyEvent.Care? {
    guard age < Double(CareNet.ageOfMajority) else { return nil }
    return care(.minor, CareStep.minorStated, step, words: nil, holds: true)
  }

  /// In the language of the words, or else of those typed before.
  private func care(
    _ kind: CareKind, _ name: String, _ step: Step, words: String?, holds: Bool
  ) -> JourneyEvent.Care {
    let typed = flow.journey.steps.filter { $0.kind == .open }.compactMap {
      $0.field.flatMap { flow.state.answers[$0.name]?.value.text }
    }
    return JourneyEvent.Care(
      step: step.id, kind: kind.rawValue, name: name,
      text: pack.careText(name, kind: kind, answering: typed + [words].compactMap(\.self)),
      holds: holds)
  }
}

extension JourneyEvent.Care {
  /// What a conversation keeps in mind. A minor cannot leave the step, so there is nothing to keep.
  var careKind: CareKind? { holds ? nil : CareKind(rawValue: kind) }
}

/// What is wrong with an answer, for the person.
enum JourneyProblems {
  static let expected = "I can't use that here."
  static let talking =
    "We're talking here, so this went nowhere. Say it in the conversation, please."
  /// - Parameter label: What the button says.
  static func onlyButton(_ label: String) -> String {
    "There's no question here. \u{201C}\(label)\u{201D} goes on."
  }
  static func atCare(_ label: String) -> String {
    "I've read that. Take the time you need; \u{201C}\(label)\u{201D} goes on when you're ready."
  }
  static let expectedText = "I expected a text here."
  static let answer = "I need an answer here to go on."
  static let choose = "Please choose one of these."
  static let changeOrApprove = "Tell me what to change, or approve it."
  static let nothingToUndo = "There's no change to undo."
  static let nothingWaits =
    "No change waits for a yes or no. Tell me what to change, or approve it."
  static let whole = "A whole number, please."
  static let range = "I couldn't read that. Try something like 12:00 to 20:00."
  static let sameTime = "It can't end when it begins. Try something like 12:00 to 20:00."
  static let signedOut =
    "You were signed out, so your answers wait here until you sign in again."
  static let newerElsewhere =
    "You went on with this on another device, in a newer version of this program. Please update this one; "
    + "your answers are safe there. Until then, what you answer here stays here."
  static func notLooked(_ why: String) -> String {
    "I couldn't look for what you answered on another device. \(why)"
  }
  static let codeStillGood = "The code I sent you before still works. Enter it here."

  static func tooLong(_ most: Int) -> String { "That's too long; \(most) characters at most." }
  /// - Parameter what: Such as "an age".
  static func between(_ low: String, _ high: String, _ what: String) -> String {
    "Enter \(what) from \(low) to \(high)."
  }
  static func number(_ low: Double, _ high: Double, unit: String?) -> String {
    between(with(low, nil), with(high, unit), "a number")
  }
  static func atLeast(_ least: Double, _ unit: String?) -> String {
    "It must be at least \(with(least, unit))."
  }
  static func atMost(_ most: Double, _ unit: String?) -> String {
    "It can be at most \(with(most, unit))."
  }
  static func longer(_ length: String) -> String { "That's too short; at least \(length)." }
  static func shorter(_ length: String) -> String { "That's too long; \(length) at most." }
  static func digits(_ count: Int) -> String { "The code has \(count) digits." }
  static func wait(_ seconds: Int) -> String {
    "I can send a new code in \(seconds) \(seconds == 1 ? "second" : "seconds")."
  }
  static func consents(_ labels: [String]) -> String {
    "Please confirm \(labels.count == 1 ? "this" : "these") to go on: "
      + labels.map { "“\($0)”" }.joined(separator: ", ")
  }
  static let email = "That doesn't look like an email address."
  static let notSaved =
    "I couldn't save that to your profile, so nothing has changed there. Your answers are safe. Try again."

  private static func with(_ number: Double, _ unit: String?) -> String {
    [Measure.number(number), unit].compactMap(\.self).joined(separator: " ")
  }
}
