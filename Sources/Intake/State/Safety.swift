import Signals

/// Safety state: care that is due, care already given, help already urged.
package struct Safety: Hashable, Sendable {
  /// The fixed answer that comes before anything else.
  private(set) var careDue: CareStep?
  /// Kinds of care given in this session.
  private(set) var careGiven: [CareKind] = []
  /// The turn that a fixed care text answered last.
  private(set) var lastCareTurn: Int?
  /// The turn that was last told to see a doctor.
  private var medicalTurn: Int?
  /// The user is, or seems to be, a minor.
  private(set) var isMinor = false
  /// The turn whose answer urged the user to get help at once, until they are asked how they are.
  private(set) var helpTurn: Int?

  /// Whether the user has answered a text that urged them to get help.
  func awaitsCheckIn(after last: UserTurn?) -> Bool {
    guard let helpTurn, let last else { return false }
    return last.turn > helpTurn && careDue == nil
  }

  /// Whether the user has just been told the same. The coach, who keeps it in mind, answers what they say
  /// about it; an urgent sign is always answered first.
  ///
  /// - Parameter name: The text's name in the pack.
  func hasJustTold(_ name: String, before turn: Int) -> Bool {
    guard name == CareKind.medical.rawValue, let medicalTurn else { return false }
    return turn - medicalTurn <= Self.turnsOfMedicalCare
  }

  private static let turnsOfMedicalCare = 12

  mutating func hear(_ turn: UserTurn, dataSayMinor: Bool) {
    if let age = turn.statedAge { isMinor = age < CareNet.ageOfMajority }
    if let care = turn.care {
      if care.kind == .minor && care.concernsUser { isMinor = true }
      let saidTheirAge =
        care.name == CareKind.minor.rawValue && isMinor && turn.statedAge != nil
      careDue = CareStep(
        kind: care.kind, name: saidTheirAge ? CareStep.minorStated : care.name, turn: turn.turn)
    } else if dataSayMinor {
      askTheirAge(after: turn.turn)
    }
  }

  /// Handles a care mark from the scorer.
  ///
  /// - Returns: false if other care is due already.
  mutating func take(_ care: CareMark, statedAge: Int?) -> Bool {
    let name = care.name ?? care.kind.rawValue
    guard careDue == nil, !hasJustTold(name, before: care.turn) else { return false }
    careDue = CareStep(kind: care.kind, name: name, turn: care.turn)
    if care.kind == .minor, care.name == nil, (statedAge ?? 0) < CareNet.ageOfMajority {
      isMinor = true
    }
    return true
  }

  /// Handles an age from the scorer. A minor is answered first, unless something more urgent is
  /// due.
  ///
  /// - Parameter isAnswered: Whether the coach has already answered that turn.
  /// - Returns: Whether an answer has become due.
  mutating func settle(_ age: AgeNote, isAnswered: Bool) -> Bool {
    defer { isMinor = !age.isAdult }
    guard !age.isAdult else { return false }
    let step = CareStep(kind: .minor, name: CareStep.minorStated, turn: age.turn)
    if careDue?.name == CareKind.minor.rawValue {
      careDue = step
      return false
    }
    guard !isMinor, careDue == nil, !isAnswered else { return false }
    careDue = step
    return true
  }

  /// Handles health data that says the user is a minor.
  ///
  /// - Parameter turn: The turn to answer with the question; nil to wait for the next one.
  mutating func suspectMinor(askingAfter turn: Int?) {
    isMinor = true
    if let turn { askTheirAge(after: turn) }
  }

  private mutating func askTheirAge(after turn: Int) {
    guard isMinor, careDue == nil, !careGiven.contains(.minor) else { return }
    careDue = CareStep(kind: .minor, name: CareStep.minorData, turn: turn)
  }

  mutating func note(_ answer: CareAnswer, urgesHelp: Bool) {
    careDue = nil
    careGiven.append(answer.kind)
    lastCareTurn = answer.turn
    if answer.kind == .medical { medicalTurn = answer.turn }
    helpTurn = urgesHelp ? answer.turn : nil
  }

  /// Handles what the user does after a fixed care text. Who corrects it takes it back, and it is no
  /// longer kept in mind; urgent help is, whatever they say, and an age is corrected by an age.
  mutating func hear(_ acts: [Act]) {
    guard let lastCareTurn, let kind = careGiven.last,
      ![.emergency, .crisis, .minor].contains(kind),
      acts.contains(where: { $0.name == .corrects && $0.turn == lastCareTurn + 1 })
    else { return }
    careGiven.removeLast()
    self.lastCareTurn = nil
    if kind == .medical { medicalTurn = nil }
  }

  /// A red flag of the profile is taken out, as once a doctor has cleared it. Those of care come first in it, one
  /// for each kind.
  mutating func takeOutFlag(_ index: Int) {
    guard index < Set(careGiven).count else { return }
    careGiven.removeAll { $0 == .medical }
    medicalTurn = nil
  }

  /// A form has shown the text already; the conversation keeps it in mind.
  mutating func noteForm(_ kind: CareKind) { careGiven.append(kind) }

  mutating func coachSpoke() { helpTurn = nil }
}
