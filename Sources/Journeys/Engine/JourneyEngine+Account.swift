import ContextQuality
import FoundationEssentials
import Intake
import Plans
import Signals

// The account, beside signing in: who is signed in, and what is in it of this journey.
extension JourneyEngine {
  /// Who is signed in; nil if nobody is, or if that is unknown.
  var account: Account? { get async { try? await providers.account.current() } }

  /// Whether the person was signed in until now, and signed out elsewhere.
  func hasLostAccount() async throws -> Bool {
    guard state.account.email != nil, providers.account.isAvailable else { return false }
    do throws(AccountError) {
      if try await providers.account.current() != nil { return false }
    } catch {
      return false
    }
    try await store(.signedOut)
    return true
  }

  /// Somebody who is signed in already is asked only for consents that are missing. A journey that is
  /// kept on this machine stays there.
  func adoptAccount() async throws {
    guard !state.account.isLocal, let account = await account, state.account.email != account.email
    else { return }
    try await store(.signedIn(email: account.email))
    try await passSignIn()
  }

  private func passSignIn() async throws {
    if let step = currentStep, step.isSignIn || step.kind == .verifyCode, !flow.isShown(step) {
      try await goOn(from: step)
    }
  }

  /// What of this session was sent to the account.
  struct Shared: Hashable {
    let progress: JourneyProgress
    let known: Set<Facet>

    init(_ engine: isolated JourneyEngine) {
      progress = JourneyProgress(engine.state, engine.intake)
      known = engine.intake.ledger.known
    }
  }

  /// Queues where the person is now, for their other devices. Nothing goes before they agreed to what the
  /// journey asks for.
  func share() async {
    guard state.account.email != nil, !state.account.isLocal,
      journey.steps.allSatisfy({ step in
        if case .signIn(let input) = step.content {
          flow.missingConsents(input).isEmpty
        } else {
          true
        }
      })
    else { return }
    if shared != Shared(self) { await queue([.intake]) }
  }

  /// Picks up where the person left off on another device, if their account has it.
  ///
  /// Answers that were given here first are the person's newest, so they stay.
  ///
  /// - Returns: Whether there was anything to pick up. If the account cannot be asked, the problem says so.
  func bringOver() async throws -> Bool {
    guard state.account.email != nil, !state.account.isLocal, let start = state.start,
      state.care?.holds != true, !intake.isMinor
    else { return false }
    let found: SyncedJourney?
    do throws(AccountError) {
      found = try await providers.account.synced(start.journey, of: pack.name, in: state.row)
    } catch {
      problem = JourneyProblems.notLooked(error.words)
      hasLooked = false
      return false
    }
    guard let found, isNews(found) else { return false }
    guard found.progress.version <= journey.version else {
      problem = JourneyProblems.newerElsewhere
      isBehind = found.isOwn
      return false
    }
    try await store(events(of: found))
    try await migrate()
    try await passSignIn()
    (drafts, failedDraft) = ([:], nil)
    if state.documents[.program]?.isApproved == true { try await beginCoaching() }
    return true
  }

  private func isNews(_ found: SyncedJourney) -> Bool {
    guard found.isOwn else {
      return state.start?.startsOver != true && state.answers.isEmpty && intake.turns.isEmpty
    }
    guard found.updatedAt > lastEventAt ?? .distantPast else { return false }
    if found.profile != nil, intake.synthesis == nil { return true }
    return found.progress.json != JourneyProgress(state, intake).json || tellsMore(found)
  }

  /// Whether it knows something that was never known here.
  private func tellsMore(_ found: SyncedJourney) -> Bool {
    let here = Set(intake.ledger.entries.map(\.evidence.facet))
    return found.known.contains { known in
      Facet(known.facet).map { pack.rubric[$0] != nil && !here.contains($0) } ?? false
    }
  }

  private func events(of found: SyncedJourney) -> [EventEnvelope] {
    var progress =
      found.progress.version < journey.version
      ? found.progress : found.progress.known(to: journey)
    let documents = progress.documents
    progress.documents = []
    var events = [
      EventEnvelope(JourneyEvent.broughtOver(.init(row: found.row, progress: progress)))
    ]
    for document in documents {
      let date = progress.approvedAt?[document.kind.rawValue].map { min($0, providers.now()) }
      if isApproved(document, at: date) { continue }
      events.append(EventEnvelope(PlanEvent.drafted(document)))
      events.append(EventEnvelope(PlanEvent.approved(document.kind, at: date)))
    }
    events += (heeded(found) + told(found)).map { EventEnvelope(IntakeEvent.answered($0)) }
    if let profile = found.profile {
      let synthesis = Synthesis(
        system: profile, throughTurn: intake.turns.count, isMinimal: false)
      events.append(EventEnvelope(IntakeEvent.synthesised(synthesis)))
    }
    return events
  }

  /// Whether exactly this was approved here, to the second at which an account keeps it.
  ///
  /// - Parameter date: Nil if the account does not say.
  private func isApproved(_ document: DraftedDocument, at date: Date?) -> Bool {
    guard var known = state.documents[document.kind], known.isApproved else { return false }
    known.document.facts = nil
    guard known.document == document, let date, let here = known.approvedAt else {
      return known.document == document
    }
    return abs(here.timeIntervalSince(date)) < 1
  }

  /// What the coach has to heed, though no answer here says it.
  private func heeded(_ found: SyncedJourney) -> [FormAnswer] {
    let kinds = Set(pack.careNotes.kinds).subtracting(intake.careGiven)
    let care = (found.progress.care ?? []).filter(kinds.contains).map {
      FormAnswer(step: Self.heeded, evidence: [], care: $0)
    }
    let withheld = (found.progress.withheld ?? []).filter {
      pack.rubric[$0] != nil && !intake.withheld.contains($0)
    }
    guard !withheld.isEmpty else { return care }
    return care + [FormAnswer(step: Self.heeded, evidence: [], withheld: withheld)]
  }

  /// The answers and words as this session's ledger takes them; those that it has already are left out.
  private func told(_ found: SyncedJourney) -> [FormAnswer] {
    let known = Dictionary(grouping: found.known) { $0.step ?? Self.elsewhere }
    let answers = Dictionary(found.progress.answers.values.map { ($0.step, $0) }) { one, _ in one }
    return Set(known.keys).union(answers.keys).sorted().compactMap { id in
      let evidence = (known[id] ?? []).compactMap { self.evidence($0, at: id) }
      guard let answer = answers[id], let step = journey[step: id] else {
        let care = evidence.compactMap { reader.care(in: $0.text, at: journey.steps[0]) }.first
        return holds(evidence, at: id)
          ? nil : FormAnswer(step: id, evidence: evidence, care: care?.careKind)
      }
      if holds(evidence, at: id), state.answers[answer.field ?? id] == answer { return nil }
      return FormAnswer(
        step: id, evidence: evidence, words: reader.words(of: answer, at: step),
        age: isAge(step) ? answer.value.number.flatMap { Int(exactly: $0.rounded()) } : nil,
        care: careDue(answer, step)?.careKind)
    }
  }

  /// Words of a conversation count once: not where this session's own conversation has them.
  private func evidence(_ known: SyncedJourney.Known, at step: String) -> Evidence? {
    guard let facet = Facet(known.facet) else { return nil }
    let here = intake.ledger.evidence(for: facet)
    if step == Self.elsewhere, let here, here.answer?.step != Self.elsewhere { return nil }
    return Evidence(
      facet: facet,
      basis: .answer(
        .init(
          step: step, text: PlainText.visible(known.text),
          wording: PlainText.visible(known.wording ?? JourneyWords.elsewhere),
          turn: intake.turns.count)))
  }

  /// Whether the ledger has exactly this from the step.
  private func holds(_ evidence: [Evidence], at step: String) -> Bool {
    func texts(_ evidence: [Evidence]) -> [Facet: String] {
      Dictionary(evidence.map { ($0.facet, $0.text) }) { _, last in last }
    }
    let here = intake.ledger.entries.filter { $0.until == nil && $0.evidence.answer?.step == step }
    return texts(evidence.filter { pack.rubric[$0.facet] != nil }) == texts(here.map(\.evidence))
  }

  /// Stands for the step where words were said that no question of a form asked for.
  private static let elsewhere = "another-device"
  private static let heeded = "another-device-care"
}

extension JourneyProgress {
  /// Without steps that the journey does not have: what comes over a network may hold anything.
  fileprivate func known(to journey: Journey) -> JourneyProgress {
    func exists(_ step: String) -> Bool { journey[step: step] != nil }
    var result = self
    result.trail = trail.filter(exists)
    if let detour,
      !exists(detour.last) || !detour.trail.allSatisfy(exists) || detour.origin.map(exists) == false
    {
      (result.detour, result.step, result.trail) = (nil, detour.origin, detour.trail.filter(exists))
    }
    if let step = result.step, !exists(step) {
      (result.step, result.trail) = (journey.steps[0].id, [])
    } else if result.step == nil, !isCompleted {
      result.step = journey.steps[0].id
    }
    return result
  }
}
