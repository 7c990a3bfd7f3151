public import ContextQuality
public import FoundationEssentials
public import Signals

// Views of a state.
extension IntakeState {
  /// The session's start, before any event.
  public var atStart: IntakeState {
    IntakeState(rubric: rubric, bodyFacet: bodyFacet, careNotes: careNotes)
  }

  /// What the coach's last message asks of the user.
  public enum Pending: Hashable, Sendable {
    case nothing
    case question(Question)
    case offer(Offer)
    case body
    case confirmation
  }

  public var pending: Pending { phase.rules.pending }

  /// The phase as shown in outputs.
  ///
  /// Minors see no paywall, so for them discovery continues.
  public var shownPhase: SessionOutput.Done.Phase {
    switch phase.name {
    case .greeting, .discovering, .askingForMeasurements: .discovery
    case .offering: .offer
    case .confirming: pending == .confirmation ? .confirmation : .discovery
    case .atPaywall: isMinor ? .discovery : .paywall
    case .coaching: .coaching
    }
  }

  /// The facet that a height or weight makes known; nil if the pack does not ask for them.
  public var bodyFacet: Facet? { record.bodyFacet }
  public var transcript: Transcript { record.transcript }
  public var ledger: Ledger { record.ledger }
  public var turns: [UserTurn] { record.turns }
  public var body: BodyNote? { record.body }
  /// What goals and constraints can rest on in a form: the person's own answers, and nothing that they left
  /// as it was.
  package var answers: [AnswerSupport] {
    record.formAnswers.flatMap { answer in
      answer.words.map { [$0] } ?? answer.support
    }
  }

  /// The form's answers about a facet, in their order. What was taken back since then is left out.
  package func answers(about facet: Facet) -> [Evidence] {
    record.formAnswers.flatMap(\.evidence).filter { evidence in
      evidence.facet == facet
        && !ledger.entries.contains {
          $0.evidence.facet == facet && $0.retractionQuote != nil
            && ($0.until ?? 0) > evidence.turn
        }
    }
  }
  /// What the coach makes of the person so far.
  public var understanding: Understanding { record.understanding }
  /// The user's words to remember, from the readings.
  package var notes: [MemoryNote] { record.notes.map(\.note) }
  var remembered: [RememberedNote] { record.notes }
  package var hypotheses: Hypotheses { record.hypotheses }
  /// The discovery is over and the user continues.
  package var isCoaching: Bool { phase.name == .coaching }
  /// Facets the user keeps private; other questions about their components are allowed.
  public var withheld: Set<Facet> { record.withheld }
  /// Whether the user told something of a private facet with or after the wish to keep it private, such as the height
  /// of somebody who keeps their weight.
  package func isToldInPart(_ facet: Facet) -> Bool {
    guard withheld.contains(facet), let told = ledger.evidence(for: facet)?.turn else {
      return false
    }
    let declined = record.acts.filter { _, acts in
      acts.contains { $0.name == .declines && ($0.facet == facet || $0.facet == nil) }
    }
    return declined.keys.max().map { told >= $0 } ?? false
  }
  /// Position of the last event.
  public var position: Int { record.position }
  public var lastEventAt: Date? { record.clock.lastEventAt }
  /// When the session began. A rehearsal varies its wording by this.
  package var startedAt: Date? { record.clock.startedAt }
  /// The pack the session began with; nil before it begins.
  var start: SessionStart? { record.start }
  /// Whether a conversation began.
  package var isStarted: Bool { record.start != nil }

  /// The newest health data; nil if missing, or if the user opted out.
  public var health: HealthNote? { healthContext.note }
  /// The user is, or seems to be, a minor.
  public var isMinor: Bool { safety.isMinor }
  /// A minor without a coach, whose next message may correct their age.
  var awaitsAge: Bool { isMinor && entitlement == nil }
  /// Kinds of care given in this session.
  public var careGiven: [CareKind] { safety.careGiven }
  /// The turn that a fixed care text answered last.
  package var lastCareTurn: Int? { safety.lastCareTurn }
  /// Nothing sensitive is mentioned to minors, or after care that rules it out.
  package var leavesOutSensitive: Bool {
    isMinor || careGiven.contains(where: careNotes.hidesSensitive)
  }

  /// The last profile as it stands now: with what was amended, and what is known of the person.
  public var synthesis: Synthesis? {
    guard var synthesis = written else { return nil }
    for amendment in record.amendments { synthesis.system.take(amendment) }
    if synthesis.system.about != nil { synthesis.system.about = PersonFacts(self) }
    return synthesis
  }
  /// The last profile as it was written.
  private var written: Synthesis? { phase.conclusion?.synthesis ?? record.profile }
  /// What was amended in it, oldest first.
  package var amendments: [Amendment] { record.amendments }
  /// Whether the profile knows every turn and every answer of a form.
  package var isProfileCurrent: Bool {
    guard let written, !record.isProfileStale else { return false }
    return written.throughTurn >= record.queue.lastContentTurn
  }
  package var lastSummary: String? { phase.conclusion?.summary }
  /// The discovery is over.
  public var isCompleted: Bool { [.atPaywall, .coaching].contains(phase.name) }
  public var entitlement: Entitlement? { phase.entitlement }
  /// Messages held at the paywall.
  public var held: [String] { phase.held.map(\.text) }

  var asked: AskedQuestions { record.asked }
  /// Components the user would rather not talk about.
  public var declined: Set<String> { asked.declined }
  /// Components that are not asked about again unless the user returns to them.
  public var setAside: Set<String> { declined.union(asked.exhausted) }
  /// The facets asked for by the question the last turn answers; empty if none.
  package var askedFacets: [Facet] { asked.open?.facets ?? [] }
  /// Whether a question about the component has had no result so far.
  package func wasAskedInVain(_ component: String) -> Bool { asked.wasAskedInVain(component) }
  /// Turns that a scorer has read.
  package var scoredTurns: Set<Int> { record.queue.scored }

  /// What was read of what a turn does; empty if nothing was.
  package func acts(of turn: Int) -> [Act] { record.acts[turn] ?? [] }

  /// Whether the last message does this, as far as it was read.
  package func lastTurnDoes(_ name: Act.Name) -> Bool {
    turns.last.map { acts(of: $0.turn).contains { $0.name == name } } ?? false
  }

  /// Questions that were answered at the paywall on the day of the last event.
  var asidesToday: Int {
    lastEventAt.flatMap { record.asidesAtPaywall[CalendarDay.text(of: $0)] } ?? 0
  }

  /// Whether the plan is about body weight and nobody knows how tall the user is.
  var needsHeight: Bool {
    body?.heightCentimetres == nil
      && ledger.standing.contains { $0.evidence.mark == .weight }
  }

  /// Components with nothing left to ask: set aside, or all missing facets are private.
  package var closed: Set<String> {
    setAside.union(rubric.components.map(\.name).filter { missing($0).isEmpty })
  }

  /// The facets that may be asked for in a component, in rubric order.
  package func missing(_ component: String) -> [Facet] {
    rubric.missing(in: component, known: ledger.known.union(withheld)).map(\.facet)
      .filter { !isTender || $0 != bodyFacet }
  }

  /// Of these facets, those that one question can ask for.
  package func askable(_ facets: [Facet]) -> [Facet] {
    rubric.askable(facets, known: ledger.known.union(withheld))
  }

  /// Whether the user told of a low moment. Nobody is asked for their weight after that.
  var isTender: Bool { record.lowTurn != nil }

  /// Whether the last message is the first after one that told of a low moment.
  var followsLowMoment: Bool { record.lowTurn.map { turns.last?.turn == $0 + 1 } ?? false }

  /// Whether reading the user's last message failed, so that it is read again with the next one.
  package var missedLastTurn: Bool {
    turns.last.map { record.queue.missed.contains($0.turn) } ?? false
  }

  var listening: Listening { record.listening }

  /// Whether so little is known beyond doubt that the coach promises only a careful start.
  package var isLittleKnown: Bool {
    ContextComponents(known: ledger.sure, rubric: rubric).isMinimal
  }

  /// The current scores.
  public func components(_ settings: IntakeSettings = IntakeSettings()) -> ContextComponents {
    ContextComponents(known: ledger.known, rubric: rubric, readyAbove: settings.readyAbove)
  }
}

extension FormAnswer {
  /// A step's evidence for several facets can share its words.
  fileprivate var support: [AnswerSupport] {
    var seen: Set<AnswerSupport> = []
    return evidence.compactMap(\.answer)
      .map { AnswerSupport(step: $0.step, answer: $0.text, wording: $0.wording) }
      .filter { seen.insert($0).inserted }
  }
}
