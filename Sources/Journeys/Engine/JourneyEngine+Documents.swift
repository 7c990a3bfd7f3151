import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import Plans
import Signals

extension JourneyEngine {
  /// A document that is being written, and what there is of it.
  struct Drafting {
    let result: Task<Result<DraftedDocument, DraftError>, Never>
    /// One reader at a time.
    let parts: AsyncStream<DraftedDocument>
    /// What it is written from.
    let facts: DocumentFacts
    var isWatched = false
    var latest: DraftedDocument?
  }

  /// Waits for what the screen says is being done, then shows what follows.
  ///
  /// - Parameter show: Called with the screen whenever more of a document is there.
  public func settle(
    show: @escaping @Sendable (JourneyScreen) -> Void = { _ in }
  ) async throws -> JourneyScreen {
    guard let step = currentStep, let kind = step.drafts, state.documents[kind] == nil,
      let drafting = drafts[kind]
    else { return await screen }
    await watch(kind, drafting, show)
    // Whoever waited does something else now; the document is written on.
    if Task.isCancelled { return await screen }
    let result = await drafting.result.value
    try await settleProfile()
    // Somebody else may have waited for the same one, or it's written from other answers by now.
    guard drafts[kind]?.result == drafting.result else { return await screen }
    drafts[kind] = nil
    switch result {
    case .success(var document):
      failedDraft = nil
      document.facts = drafting.facts.text
      try await store(.drafted(document))
      // The answer was there first, so nobody has to press a button twice.
      if let name = step.field?.name, state.answers[name] != nil, state.step == step.id {
        try await goOn(from: step)
      }
      try await startDrafts()
    case .failure(let error):
      failedDraft = error
      problem = error.words
    }
    return await screen
  }

  private func watch(
    _ kind: DocumentKind, _ drafting: Drafting, _ show: @escaping @Sendable (JourneyScreen) -> Void
  ) async {
    guard !drafting.isWatched else { return }
    drafts[kind]?.isWatched = true
    for await part in drafting.parts {
      guard drafts[kind]?.result == drafting.result else { return }
      drafts[kind]?.latest = part
      if currentStep?.document == kind { show(await screen) }
    }
    if drafts[kind]?.result == drafting.result { drafts[kind]?.isWatched = false }
  }

  func startDrafts() async throws {
    try await dropOutdated()
    guard let kind = currentStep?.drafts, state.documents[kind] == nil, drafts[kind] == nil,
      failedDraft == nil
    else { return }
    startProfile()
    let (drafter, facts) = (providers.drafter, draftFacts)
    let (parts, arrived) = AsyncStream.makeStream(
      of: DraftedDocument.self, bufferingPolicy: .bufferingNewest(1))
    let result = Task<Result<DraftedDocument, DraftError>, Never> {
      defer { arrived.finish() }
      do throws(DraftError) {
        return .success(try await drafter.draft(kind, from: facts) { arrived.yield($0) })
      } catch {
        return .failure(error)
      }
    }
    drafts[kind] = Drafting(result: result, parts: parts, facts: self.facts(of: kind))
  }

  var draftFacts: DraftFacts {
    DraftFacts(
      pack: pack, intake: intake, answers: flow.rows, told: flow.told,
      goal: state.documents[.goal]?.document,
      units: state.units, timeZone: state.start?.timeZone ?? providers.timeZone.identifier,
      now: providers.now(), settings: baseSettings)
  }

  /// Continues with what follows the draft. Words are a change, so they go to its review.
  func leaveDraft(_ value: JSONValue, _ kind: DocumentKind, _ step: Step) async throws {
    guard !baseScreen.isPress(value) else {
      failedDraft = nil
      if state.documents[kind] != nil { try await goOn(from: step) }
      return
    }
    guard state.documents[kind] != nil, value.stringValue != nil,
      case .step(let id) = flow.next(after: step), let next = journey[step: id],
      case .review(kind, _, _) = next.content
    else {
      _ = isPressed(value)
      return
    }
    try await goOn(from: step)
    // The review's own words, such as "approve", are for what it shows.
    if ScreenOptions.id(value, baseScreen.options) == nil {
      try await review(value, kind, at: next)
    }
  }

  func review(_ value: JSONValue, _ kind: DocumentKind, at step: Step) async throws {
    guard let document = state.documents[kind] else {
      failedDraft = nil
      return
    }
    let options = baseScreen.options
    // Enter takes what is shown first, beside a change that waits.
    let isEntered = document.proposed != nil && (value == true || value == "")
    let choice = isEntered ? options.first?.id : ScreenOptions.id(value, options)
    switch choice.flatMap(ReviewChoice.init(rawValue:)) {
    case .approve: try await approve(kind, at: step)
    case .undo: try await undo(document)
    case .apply: try await store(.edited(kind))
    case .discard: try await store(.editDropped(kind))
    case nil:
      guard let words = value.stringValue ?? value["edit"]?.stringValue, !PlainText.isBlank(words)
      else {
        problem =
          document.proposed == nil ? JourneyProblems.changeOrApprove : JourneyProblems.choose
        return
      }
      let asked = ReviewChoice(rawValue: words.trimmed.lowercased())
      if document.proposed == nil, let asked, asked != .approve {
        problem = asked == .undo ? JourneyProblems.nothingToUndo : JourneyProblems.nothingWaits
        return
      }
      guard words.count <= AnswerReader.longestText else {
        problem = JourneyProblems.tooLong(AnswerReader.longestText)
        return
      }
      try await reply(words, to: document, kind, at: step)
    }
  }

  private func approve(_ kind: DocumentKind, at step: Step) async throws {
    try await store(.approved(kind))
    if kind == .program { try await beginCoaching() }
    try await goOn(from: step)
  }

  /// Brings back what was there before the last change. Where that goes against what the person has said
  /// meanwhile, it is a change that waits for their yes.
  private func undo(_ known: DocumentState) async throws {
    guard let earlier = known.earlier.last else { return }
    let kind = known.document.kind
    // What was there under the same answers was theirs, or they confirmed it.
    let broken = known.isOutdated ? draftFacts.contradictions(of: earlier) : []
    guard !broken.isEmpty else { return try await store(.editUndone(kind)) }
    var edit = DocumentEdit(
      words: JourneyWords.undo, document: earlier,
      diff: DocumentEdit.diff(from: known.document, to: earlier),
      contradiction: DocumentWords.contradiction(broken))
    edit.isUndo = true
    try await store(.editProposed(edit))
  }

  /// Takes a yes or no to what is shown, in words. Other words ask for a change, in place of one that waits.
  private func reply(
    _ words: String, to known: DocumentState, _ kind: DocumentKind, at step: Step
  ) async throws {
    let asked = ReviewChoice(rawValue: words.trimmed.lowercased())
    if asked == .approve, known.proposed?.contradiction != nil {
      // Approving the document isn't yet a yes to what contradicts a limit.
      problem = JourneyProblems.choose
      return
    }
    let reply: DocumentReply
    if let isYes = asked.map({ $0 == .approve }) ?? pack.consent.isYes(words) {
      reply = isYes ? .agrees : .rejects
    } else {
      do throws(DraftError) {
        reply = try await providers.drafter.reply(
          to: words, at: known.document, proposed: known.proposed, facts: draftFacts)
      } catch {
        problem = error.words
        return
      }
    }
    // Another change may have come first.
    guard let now = state.documents[kind], now.document == known.document,
      now.proposed == known.proposed, state.step == step.id
    else { return }
    switch reply {
    case .agrees where known.proposed != nil: try await store(.edited(kind))
    case .agrees: try await approve(kind, at: step)
    case .rejects where known.proposed != nil: try await store(.editDropped(kind))
    case .rejects: problem = JourneyProblems.nothingWaits
    case .change(let edit): await propose(edit)
    }
  }

  private func propose(_ edit: DocumentEdit) async {
    do {
      try await store(.editProposed(edit))
    } catch {
      problem = "I couldn't save that change, so nothing was changed: \(error)"
    }
  }
}

extension Step {
  /// The document that the step shows.
  var document: DocumentKind? {
    switch content {
    case .draft(let kind, _), .review(let kind, _, _): kind
    default: nil
    }
  }

  /// The document that the step needs.
  var drafts: DocumentKind? { document ?? field?.meanwhile?.document }
}
