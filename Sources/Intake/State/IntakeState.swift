public import ContextQuality
public import FoundationEssentials
public import Signals

/// Where a session stands: the fold over its events.
public struct IntakeState: Hashable, Sendable {
  /// What the last thing the coach said asks of the user.
  public enum Pending: Hashable, Sendable {
    case nothing
    case question(Question)
    case offer(Offer)
    case body
    case confirmation
  }

  public let rubric: Rubric
  /// The facet that a height or weight makes known; nil where the pack does not ask for them.
  public let bodyFacet: Facet?
  /// What each kind of care comes to.
  public let careNotes: CareNotes

  public internal(set) var transcript = Transcript()
  public internal(set) var ledger = Ledger()
  public private(set) var turns: [UserTurn] = []
  public private(set) var pending = Pending.nothing
  /// Components that the user would rather not talk about.
  public private(set) var declined: Set<String> = []
  /// Components that were asked about in vain.
  public private(set) var exhausted: Set<String> = []
  /// Facets that the user keeps to themselves; other questions of their components may be asked.
  public internal(set) var withheld: Set<Facet> = []
  public internal(set) var body: BodyNote?
  public private(set) var synthesis: Synthesis?
  public private(set) var isCompleted = false
  public private(set) var entitlement: Entitlement?
  /// Messages kept at the paywall.
  public private(set) var held: [String] = []
  /// Kinds of care that were given in this session.
  public private(set) var careGiven: [CareKind] = []
  /// The user is, or seems to be, under age.
  public internal(set) var isMinor = false
  /// What health data say, the newest; nil where there are none or the user wants none used.
  public internal(set) var health: HealthNote?
  /// Position of the last event.
  public private(set) var position = 0
  public private(set) var lastEventAt: Date?

  /// The coach has not spoken since the health data came.
  var healthIsNew = false
  /// Health data were noted that turned out to be somebody else's.
  var healthWasAnothers = false
  /// Kinds of readings for a doctor that have been told.
  var readingsTold: Set<HealthNote.DoctorReading.Topic> = []
  /// With which pack the session began; nil before it has.
  var start: SessionStart?
  var awaitsUser = false
  var unscored: [Int] = []
  package var scoredTurns: Set<Int> = []
  /// Ages that the scorer read, by the turn.
  var agesRead: [Int: Int] = [:]
  /// Turns whose reading failed, to be read with the next one.
  private(set) var missed: [Int] = []
  private var readAgain: Set<Int> = []
  var careDue: CareStep?
  var bodyAnswerTurn: Int?
  var bodyQuestions = 0
  /// User turns and conversation time since the user last chose to talk on.
  var countedTurns = 0
  var activeSeconds = 0.0
  var explicitlyAsked: Set<String> = []
  var acceptedOffer = false
  var isSummarised = false
  var isConfirmed = false
  var wantsCorrection = false
  var wantsToWait = false
  var isPaywallUp = false
  var paywallWasShown = false
  /// The last turn that said something a synthesis must take into account.
  var lastContentTurn = 0
  /// A summary has been given before, so that the next one is a renewed one.
  package private(set) var wasSummarised = false
  package private(set) var wasCoached = false
  /// When the session began: what a rehearsal varies its words by.
  package private(set) var startedAt: Date?
  /// The turn that a fixed care text answered last.
  package private(set) var lastCareTurn: Int?
  /// The turn whose answer told the user to get help at once, until they were asked how they are.
  private(set) var helpTurn: Int?
  private(set) var lastSummary: String?
  /// The component that the last question was about, where more than a few words answered it.
  private(set) var justAnswered: String?
  private(set) var unanswered: [String: Int] = [:]
  private(set) var openQuestion: Question?
  private var cutReply: String?

  /// A pause longer than this is an absence, and not counted as conversation time.
  static let longestPause = 300.0
  /// "I'm about … tall and I weigh …" says nothing more than its numbers.
  static let wordsAroundNumbers = 6
  /// Up to so many words an answer asks to be followed up at once.
  static let fewWords = 4
  /// Questions about one component without an answer, after which it is set aside.
  static let unansweredLimit = 2

  public init(
    rubric: Rubric, bodyFacet: Facet? = nil, careNotes: CareNotes = .minimum,
    events: [RecordedEvent] = []
  ) {
    self.rubric = rubric
    self.bodyFacet = bodyFacet
    self.careNotes = careNotes
    for event in events { apply(event) }
  }

  public mutating func apply(_ recorded: RecordedEvent) {
    if let last = lastEventAt {
      let gap = recorded.at.timeIntervalSince(last)
      if gap > 0 && gap <= Self.longestPause { activeSeconds += gap }
    }
    position = recorded.position
    startedAt = startedAt ?? recorded.at
    lastEventAt = recorded.at
    if let event = recorded.event { apply(event) }
  }

  private mutating func apply(_ event: IntakeEvent) {
    switch event {
    case .started(let start): self.start = start
    case .greeted(let reply):
      hear(reply, pending: .nothing)
      healthIsNew = healthIsNew && reply.cut != nil
    case .userSaid(let turn): hear(turn)
    case .scored(let scoring): note(scoring)
    case .cared(let answer): note(answer)
    case .asked(let question):
      hear(question)
      healthIsNew = healthIsNew && (question.reply.cut != nil || question.components.isEmpty)
    case .offered(let offer):
      hear(CoachReply(text: offer.text), pending: .offer(offer))
    case .bodyAsked(let question):
      bodyQuestions += 1
      hear(CoachReply(text: question.text), pending: .body)
    case .bodyNoted(let note): hear(note)
    case .synthesised(let new):
      synthesis = new
      isSummarised = false
    case .summarised(let reply):
      isSummarised = reply.cut == nil
      if isSummarised {
        wasSummarised = true
        lastSummary = reply.text
      }
      hear(reply, pending: reply.cut == nil ? .confirmation : .nothing)
    case .discoveryCompleted:
      isCompleted = true
      pending = .nothing
    case .paywallShown:
      isPaywallUp = true
      paywallWasShown = true
    case .paywallDeclined: isPaywallUp = true
    case .messageHeld(let message):
      held.append(message.text)
      isPaywallUp = false
    case .entitled(let entitlement):
      self.entitlement = entitlement
      awaitsUser = false
    case .coached(let reply):
      wasCoached = wasCoached || reply.cut == nil
      hear(reply, pending: .nothing)
      healthIsNew = healthIsNew && reply.cut != nil
    case .healthNoted(let note): hear(note)
    case .healthWithdrawn: withdrawHealth()
    }
  }
}

// What the coach said.
extension IntakeState {
  private mutating func hear(_ reply: CoachReply, pending: Pending) {
    if reply.cut == nil {
      helpTurn = nil
      cutReply = nil
      transcript.append(.init(.coach, reply.text))
      awaitsUser = true
    } else {
      cutReply = reply.text
    }
    self.pending = pending
  }

  private mutating func hear(_ question: Question) {
    wantsCorrection = false
    wantsToWait = false
    guard !question.components.isEmpty else {
      return hear(question.reply, pending: question.isCheckIn ? .nothing : .confirmation)
    }
    hear(question.reply, pending: .question(question))
    openQuestion = question
    if question.explicit, question.reply.cut == nil {
      explicitlyAsked.formUnion(question.components)
    }
  }

  private mutating func note(_ answer: CareAnswer) {
    if answer.name == CareStep.reading { return noteReading(answer) }
    careDue = nil
    // After discovery, turns are read for an age alone; an answer ends the wait for it.
    if isCompleted { unscored = [] }
    careGiven.append(answer.kind)
    lastCareTurn = answer.turn
    let before = pending
    hear(CoachReply(text: answer.text), pending: before)
    helpTurn = careNotes.sendsForHelp(answer.kind) ? answer.turn : nil
  }
}

// What the user said.
extension IntakeState {
  private mutating func hear(_ turn: UserTurn) {
    if let cutReply {
      transcript.append(.init(.coach, cutReply))
      self.cutReply = nil
    }
    turns.append(turn)
    transcript.append(.init(.user, turn.text))
    awaitsUser = false
    if turn.releasesHeld { held = [] }
    if let age = turn.statedAge {
      // A paywall that was held back for a minor comes up for the adult who put it right.
      if isMinor && age >= CareNet.ageOfMajority { isPaywallUp = false }
      isMinor = age < CareNet.ageOfMajority
    }
    if let care = turn.care {
      if care.kind == .minor && care.concernsUser { isMinor = true }
      let saidTheirAge = care.name == CareKind.minor.rawValue && isMinor && turn.statedAge != nil
      careDue = CareStep(
        kind: care.kind, name: saidTheirAge ? CareStep.minorStated : care.name, turn: turn.turn)
    } else if health?.isMinor == true {
      askTheirAge()
    }
    if let facet = turn.withholds { withheld.insert(facet) }
    guard !isCompleted else {
      if awaitsAge { unscored.append(turn.turn) }
      return
    }
    take(turn)
  }

  private mutating func take(_ turn: UserTurn) {
    // What answers a text about care answers no menu and no question from before.
    let isPlain = turn.care == nil && !owesCheckIn
    let goesAhead = turn.intent == .goAhead && isPlain
    switch pending {
    case .offer where goesAhead:
      acceptedOffer = true
    case .offer:
      talkOn()
      if turn.intent != .keepTalking { takeForScoring(turn) }
    case .confirmation where goesAhead:
      isConfirmed = synthesisIsCurrent
    case .confirmation where isPlain && turn.intent == .notNow:
      wantsToWait = true
    case .confirmation where isPlain && turn.intent != .other:
      wantsCorrection = true
    case .confirmation:
      takeForScoring(turn)
    case .body where isPlain:
      bodyAnswerTurn = turn.turn
    case .nothing where goesAhead && synthesisIsCurrent:
      // The summary was cut: there is nothing yet to agree to.
      break
    case .question, .nothing, .body:
      countedTurns += 1
      takeForScoring(turn)
    }
    if turn.intent == .declineToAnswer, isPlain, case .question(let question) = pending {
      declined.formUnion(question.components.prefix(1))
      withheld.formUnion(question.facets.filter { $0 == bodyFacet })
    }
    if turn.care == nil { pending = .nothing }
  }

  private mutating func takeForScoring(_ turn: UserTurn) {
    // What could not be read then is read along now, once.
    unscored += missed
    readAgain.formUnion(missed)
    missed = []
    unscored.append(turn.turn)
    lastContentTurn = turn.turn
  }

  /// The user chose to keep talking: a new allowance, and everything but what they declined may be
  /// asked again.
  private mutating func talkOn() {
    countedTurns = 0
    activeSeconds = 0
    explicitlyAsked = []
    exhausted = []
    unanswered = [:]
    acceptedOffer = false
  }

  private mutating func hear(_ note: BodyNote) {
    body = note.completed(by: body)
    bodyAnswerTurn = nil
    if note.skipped, let bodyFacet { withheld.insert(bodyFacet) }
    if let bodyFacet, note.implausible == nil, let quote = note.quotes.first {
      ledger.record(Evidence(facet: bodyFacet, quote: quote, turn: note.turn))
    }
    if note.isForScorer == true || saysMore(note) {
      unscored.append(note.turn)
      lastContentTurn = note.turn
    }
  }

  /// Whether an answer about height and weight holds something else as well.
  private func saysMore(_ note: BodyNote) -> Bool {
    guard !note.skipped, note.implausible == nil else { return false }
    let stated = note.quotes.reduce(0) { $0 + PlainText.wordCount($1) }
    let text = transcript.userTurn(note.turn) ?? ""
    return PlainText.wordCount(text) - stated > Self.wordsAroundNumbers
  }
}

// What the scorer found.
extension IntakeState {
  private mutating func note(_ scoring: Scoring) {
    unscored.removeAll { scoring.turns.contains($0) }
    if scoring.failure != nil { missed += scoring.turns.filter { !readAgain.contains($0) } }
    scoredTurns.formUnion(scoring.readTurns)
    ledger.apply(scoring.evidence, retracted: scoring.retracted)
    let age = hearPersonal(scoring)
    if let care = scoring.care, careDue == nil, !careWasGiven(for: care.turn) {
      careDue = CareStep(kind: care.kind, name: care.name ?? care.kind.rawValue, turn: care.turn)
      if care.kind == .minor, care.name == nil, (statedAge ?? 0) < CareNet.ageOfMajority {
        isMinor = true
      }
      awaitsUser = false
    }
    if let age { settle(age) }
    if scoring.failure == nil { settleQuestion(Set(scoring.evidence.map(\.facet.component))) }
  }

  func careWasGiven(for turn: Int) -> Bool {
    awaitsUser && turn == turns.last?.turn
  }

  /// A question that brought nothing twice is not asked a third time.
  private mutating func settleQuestion(_ answered: Set<String>) {
    justAnswered = nil
    declined.subtract(answered)
    exhausted.subtract(answered)
    for component in answered { unanswered[component] = nil }
    guard let question = openQuestion, let component = question.components.first else { return }
    openQuestion = nil
    let answer = turns.last.map { PlainText.wordCount($0.text) } ?? 0
    if answer > Self.fewWords, turns.last?.intent == .other { justAnswered = component }
    // Who answered the other half of the question did not pass over it.
    guard answered.isDisjoint(with: question.components) else { return }
    unanswered[component, default: 0] += 1
    if unanswered[component, default: 0] >= Self.unansweredLimit { exhausted.insert(component) }
  }
}
