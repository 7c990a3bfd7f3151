public import ContextQuality
public import Signals

/// The state of a session: the fold over its events.
///
/// The phase decides what comes next. The other properties apply in every phase: what was said and
/// asked, safety, and health data.
public struct IntakeState: Hashable, Sendable {
  public let rubric: Rubric
  /// The effects of each kind of care.
  public let careNotes: CareNotes
  @Shared package private(set) var phase = Phase.greeting(Greeting())
  @Shared package private(set) var record: Record
  @Shared package private(set) var safety = Safety()
  @Shared package private(set) var healthContext = HealthContext()
  /// Events that could not happen at their position. They changed nothing else.
  package private(set) var unexpected: [UnexpectedEvent] = []

  /// - Parameter bodyFacet: The facet that a height or weight makes known; nil if the pack does not
  ///   ask for them.
  public init(
    rubric: Rubric, bodyFacet: Facet? = nil, careNotes: CareNotes = .minimum,
    events: [RecordedEvent] = []
  ) {
    self.rubric = rubric
    self.careNotes = careNotes
    record = Record(bodyFacet: bodyFacet)
    for event in events { apply(event) }
  }

  public mutating func apply(_ recorded: RecordedEvent) {
    record.clock.advance(to: recorded.at)
    record.position = recorded.position
    // Other modules fold their own kinds.
    guard let event = recorded.event else { return }
    let phase = phase.name
    if !apply(event) {
      unexpected.append(
        UnexpectedEvent(position: recorded.position, kind: event.kind, phase: phase))
    }
  }

  /// - Returns: false if the event cannot happen here; nothing has changed then.
  private mutating func apply(_ event: IntakeEvent) -> Bool {
    switch event {
    case .userSaid(let turn): return hear(turn)
    case .started(let start): return begin(start)
    case .scored(let scoring):
      guard !turns.isEmpty else { return false }
      hear(scoring)
    case .bodyNoted(let note):
      guard phase.name == .discovering || note.turn == record.queue.bodyAnswer else { return false }
      record.hear(note)
    case .replied(let aside):
      guard !turns.isEmpty else { return false }
      hear(aside)
    case .cared(let answer): hear(answer)
    case .healthNoted(let note): hear(note)
    case .answered(let answer): hear(answer)
    case .supposed(let hypothesis): return record.hypotheses.ask(hypothesis)
    case .settled(let answer): return settle(answer)
    case .amended(let amendment): take(amendment)
    case .healthWithdrawn:
      healthContext.withdraw(statedAge: record.statedAge)
      record.ledger.withdrawReadings()
    default:
      guard let next = phase.rules.after(event) else { return false }
      phase = next
      note(event)
    }
    return true
  }
}

// Changes to everything except the phase.
extension IntakeState {
  private mutating func begin(_ start: SessionStart) -> Bool {
    // A journey's form can have come before the first conversation.
    guard record.start == nil, record.turns.isEmpty else { return false }
    record.start = start
    return true
  }

  /// Rejects a turn out of order, because its quotes would point to other words.
  private mutating func hear(_ turn: UserTurn) -> Bool {
    guard turn.turn == record.turns.count + 1 else { return false }
    let wasMinor = safety.isMinor
    record.hear(turn)
    safety.hear(turn, dataSayMinor: healthContext.note?.isMinor == true)
    let message = UserMessage(
      turn: turn, isPlain: turn.care == nil && !owesCheckIn,
      correctsTheirAge: wasMinor && !safety.isMinor)
    phase = phase.rules.hearing(message, &record)
    // After discovery, a minor's messages are read only for their age.
    if isCompleted, awaitsAge { record.queue.readAlone(turn.turn) }
    return true
  }

  private mutating func note(_ event: IntakeEvent) {
    switch event {
    case .entitled:
      record.floor = .coach
      record.rereadReports()
      if case .clarity = record.owed { record.owed = nil }
    case .offered, .bodyAsked, .summarised, .discoveryCompleted: record.openSince = turns.count
    case .asked(let question):
      record.asked.hear(question)
      if !question.isMenu { record.openSince = turns.count }
    case .synthesised(let synthesis): record.take(synthesis)
    // Sessions from before coaching turns were read have some that never were.
    case .coached(let reply) where reply.isSent: record.queue.leaveUnread()
    default: break
    }
    guard let reply = event.reply else { return }
    hear(reply)
    if reply.cut == nil, event.canSpeakOfHealth { healthContext.coachSpoke() }
  }

  private mutating func take(_ amendment: Amendment) {
    record.amend(amendment)
    guard amendment.new == nil else { return }
    let flags = "/coachingPlan/redFlags/"
    if amendment.pointer.hasPrefix(Amendment.notes) {
      record.dropNote(amendment.old ?? "")
    } else if amendment.pointer.hasPrefix(flags),
      let index = Int(amendment.pointer.dropFirst(flags.count))
    {
      safety.takeOutFlag(index)
    }
  }

  private mutating func hear(_ reply: CoachReply) {
    record.hear(reply)
    if reply.cut == nil { safety.coachSpoke() }
  }

  private mutating func hear(_ aside: Aside) {
    if phase.name == .atPaywall, case .answer = record.owed,
      let day = lastEventAt.map(CalendarDay.text)
    {
      record.asidesAtPaywall[day, default: 0] += 1
    }
    hear(aside.reply)
    if !aside.waits, aside.reply.cut == nil { record.floor = .coach }
  }

  private mutating func hear(_ answer: CareAnswer) {
    if answer.name == CareStep.reading {
      // Not part of the conversation, so the floor doesn't change.
      healthContext.tellReadings()
      record.transcript.append(.init(.coach, answer.text))
    } else {
      if isCompleted { record.queue.leaveUnread() }
      hear(CoachReply(text: answer.text))
      safety.note(answer, urgesHelp: careNotes.sendsForHelp(answer.kind))
    }
  }

  private mutating func hear(_ scoring: Scoring) {
    let last = record.turns.last
    let answered = record.floor == .user ? last?.turn : nil
    let age = record.hear(scoring, by: rubric)
    // What corrects a fact takes no care back.
    let correctsFact =
      scoring.age != nil || scoring.body != nil
      || scoring.evidence.contains { $0.corrects != nil } || !scoring.retracted.isEmpty
    if !correctsFact { safety.hear(scoring.acts ?? []) }
    if let care = scoring.care, care.turn != answered,
      safety.take(care, statedAge: record.statedAge)
    {
      record.floor = .coach
    }
    if let age { settle(age, isAnswered: age.turn == answered) }
    heed(scoring)
    if scoring.failure == nil || scoring.reader != nil {
      record.asked.settle(
        answered: Set(scoring.evidence.map(\.facet.component)), by: last,
        doing: last.map { self.acts(of: $0.turn) } ?? [])
    }
  }

  /// Lets the phase act on what the message that waits for the coach does.
  ///
  /// An act counts for what was open when its turn was said. Of several messages to one question, the
  /// last that does something decides.
  private mutating func heed(_ scoring: Scoring) {
    guard let last = record.turns.last, scoring.turns.contains(last.turn), last.intent == nil,
      !owesCheckIn, !awaitsAge
    else { return }
    let open = scoring.turns.filter { $0 > record.openSince }
    // "We can go on" says how they are.
    let answersCheckIn =
      phase.name == .discovering && pending == .nothing && safety.lastCareTurn != nil
    // What earlier ones correct stays corrected.
    let acts = scoring.acts.map { all in
      let said = open.sorted().map { turn in all.filter { $0.turn == turn } }.filter { !$0.isEmpty }
      return said.dropLast().joined().filter { $0.name == .corrects }
        + (said.last ?? []).filter { !answersCheckIn || $0.name != .goesOn }
    }
    let tells =
      scoring.evidence.contains { open.contains($0.turn) }
      || scoring.retracted.contains { open.contains($0.turn) } || scoring.body != nil
    guard last.care == nil, record.floor == .coach, safety.careDue == nil else {
      return heedBesideCare(acts ?? [], tells: tells, last.turn)
    }
    phase = phase.rules.heeding(
      HeededReading(turn: last.turn, acts: acts, tells: tells), &record)
  }

  /// Care is answered first. What corrects the profile or ends the questions counts afterward.
  private mutating func heedBesideCare(_ acts: [Act], tells: Bool, _ turn: Int) {
    switch phase {
    case .confirming where tells || acts.has(.corrects): record.queue.noteContent(turn)
    case .discovering(let discovering) where acts.has(.stops): phase = discovering.ended
    default: break
    }
  }

  private mutating func settle(_ age: AgeNote, isAnswered: Bool) {
    let wasMinor = safety.isMinor
    if safety.settle(age, isAnswered: isAnswered) { record.floor = .coach }
    if wasMinor, !safety.isMinor { phase.showPaywallAgain() }
  }

  /// A yes makes its facet known, with the user's own words.
  private mutating func settle(_ answer: HypothesisAnswer) -> Bool {
    guard let hypothesis = record.hypotheses.settle(answer) else { return false }
    if answer.verdict == .yes, let quote = answer.quote, rubric[hypothesis.facet] != nil {
      record.ledger.add(
        Evidence(facet: hypothesis.facet, quote: quote, turn: answer.turn))
    }
    return true
  }

  private mutating func hear(_ answer: FormAnswer) {
    record.hear(answer)
    record.ledger.replaceAnswers(
      of: answer.step,
      with: answer.evidence.filter { $0.answer?.step == answer.step && rubric[$0.facet] != nil })
    if let age = answer.age { record.hear(age: age) }
    if let care = answer.care { safety.noteForm(care) }
  }

  private mutating func hear(_ note: HealthNote) {
    healthContext.take(note)
    record.ledger.replaceReadings(
      with: note.evidence.filter { $0.isReading && rubric[$0.facet] != nil })
    // The user's stated age overrides the birth date on their phone.
    guard note.isMinor, record.statedAge == nil else { return }
    safety.suspectMinor(askingAfter: record.floor == .user ? nil : record.turns.last?.turn)
  }
}

extension IntakeEvent {
  /// The coach's reply in it; nil if it is not a coach message.
  fileprivate var reply: CoachReply? {
    switch self {
    case .greeted(let reply), .summarised(let reply), .coached(let reply): reply
    case .asked(let question): question.reply
    case .offered(let offer): CoachReply(text: offer.text)
    case .bodyAsked(let question): CoachReply(text: question.text)
    default: nil
    }
  }

  /// Fixed texts and summaries never mention new health data.
  fileprivate var canSpeakOfHealth: Bool {
    switch self {
    case .greeted, .coached: true
    case .asked(let question): !question.components.isEmpty
    default: false
    }
  }
}
