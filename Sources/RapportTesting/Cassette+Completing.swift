public import Cassettes
import ContextQuality
public import Intake
import LanguageModels
import WireFormats

extension Cassette {
  /// The cassette updated from a run: new keys, prompts, transcript and expectations.
  ///
  /// A range stays if it still holds. What only a person can set always stays: texts that a reply
  /// contains or lacks, what part of the synthesis contains or matches, `neverShown`, `neverAsked`.
  ///
  /// - Parameter run: A run with ``CassettePlayer/Matching/purpose``.
  public func completed(by run: ConversationRun, pack: PromptPack) -> Cassette {
    var cassette = self
    cassette.settings.packVersion = pack.version
    cassette.rubricVersion = pack.rubric.version
    // A recording that was stripped of its prompts stays so.
    let keepsPrompts = !prompts.isEmpty || exchanges.allSatisfy { $0.request == nil }
    cassette.prompts = []
    for (index, content) in run.requests.enumerated() {
      guard let content else { continue }
      cassette.exchanges[index].request = content.record
      let purpose = exchanges[index].purpose?.rawValue ?? ""
      if keepsPrompts, !cassette.prompts.contains(where: { $0.purpose == purpose }) {
        cassette.prompts.append(Prompt(purpose: purpose, lines: content.promptLines))
      }
      cassette.exchanges[index].response.countTokens(of: content)
    }
    cassette.transcript = run.transcript
    return cassette
  }

  /// - Parameters:
  ///   - run: A run of the cassette with its keys.
  ///   - drops: Whether to drop texts to contain, lack or match that no longer do.
  public func expecting(_ run: ConversationRun, dropsWhatFails drops: Bool = false) -> Cassette {
    var cassette = self
    cassette.expect = (expect ?? .everything).updated(to: run, isNew: expect == nil, drops)
    return cassette
  }
}

extension RecordedResponse {
  /// Estimated tokens of a hand-written answer, at four bytes each.
  fileprivate mutating func countTokens(of content: RequestContent) {
    guard case .answer(var answer) = self.content, answer.usage == nil else { return }
    let sent = content.system.utf8.count + content.messages.reduce(0) { $0 + $1.text.utf8.count }
    // A server that cut the prompt would report a power of two, alone or with the output: an odd
    // sum is neither.
    answer.usage = TokenUsage(input: sent / 4 | 1, output: max(2, answer.text.utf8.count / 4 & ~1))
    self.content = .answer(answer)
  }
}

extension Expectations {
  /// Adds expectations where there were none.
  fileprivate static var everything: Expectations {
    var all = Expectations()
    all.outcome = .ready
    all.facets = []
    all.asksOnlyWhatIsMissing = true
    all.events = []
    all.care = []
    all.discoveryComplete = .never
    all.paywall = []
    all.notices = []
    all.usage = TokenUsage(input: 0, output: 0)
    return all
  }

  fileprivate func updated(to run: ConversationRun, isNew: Bool, _ drops: Bool) -> Expectations {
    var updated = self
    if outcome != nil { updated.outcome = run.outcome }
    if discoveryComplete != nil {
      updated.discoveryComplete = run.completions.first.map { .afterTurn($0) } ?? .never
    }
    updated.turns =
      isNew
      ? run.turns.map { Turn(snapshot: $0) }
      : turns.filter { run.turn($0.turn) != nil || $0.isWritten && !drops }
        .map { $0.updated(to: run, drops) }
    if facets != nil { updated.facets = run.known }
    if events != nil { updated.events = run.events.compactMap(\.event?.kind) }
    if coachingEvents != nil || isNew && !run.coachingEvents.isEmpty {
      updated.coachingEvents = run.coachingEvents
    }
    if care != nil { updated.care = run.care }
    if paywall != nil { updated.paywall = run.paywallSteps }
    if notices != nil { updated.notices = run.notices.map(\.code) }
    if usage != nil { updated.usage = run.usage }
    updated.synthesis =
      isNew ? run.snapshotOfGoals : synthesis.compactMap { $0.updated(to: run, drops) }
    if isNew, run.synthesis != nil {
      updated.constraintsRestOnTurns =
        !(run.synthesis?.system.unsupported ?? []).contains { $0.hasPrefix("/constraints/") }
    } else if run.synthesis == nil {
      updated.constraintsRestOnTurns = nil
    }
    return updated
  }
}

extension Expectations.Turn {
  fileprivate init(snapshot turn: ConversationRun.Turn) {
    self.init(turn: turn.turn)
    overall = .exactly(turn.components.points)
    components = turn.components.components.filter { $0.percent > 0 }
      .map { Expectations.ComponentClaim(name: $0.name, score: .exactly($0.percent * 100)) }
    new = turn.new
    asks = turn.asks
  }

  /// Whether a person wrote some of it.
  fileprivate var isWritten: Bool { !replyContains.isEmpty || !replyLacks.isEmpty }

  fileprivate func updated(to run: ConversationRun, _ drops: Bool) -> Expectations.Turn {
    guard let seen = run.turn(turn) else { return self }
    var updated = self
    updated.overall = overall.map { $0.updated(to: seen.components.points) }
    updated.components = components.compactMap { claim in
      seen.components.components.first { $0.name == claim.name }.map {
        Expectations.ComponentClaim(
          name: claim.name, score: claim.score.updated(to: $0.percent * 100))
      }
    }
    if new != nil { updated.new = seen.new }
    if asks != nil { updated.asks = seen.asks }
    if drops {
      updated.replyContains = replyContains.filter(seen.replies)
      updated.replyLacks = replyLacks.filter { !seen.replies($0) }
    }
    return updated
  }
}

extension Expectations.Score {
  /// Keeps a range that still holds.
  fileprivate func updated(to points: Int) -> Self { holds(for: points) ? self : .exactly(points) }
}

extension Expectations.PointerClaim {
  private var isWritten: Bool {
    switch claim {
    case .contains, .matches: true
    case .equals, .absent: false
    }
  }

  /// Nil if there is no synthesis.
  fileprivate func updated(to run: ConversationRun, _ drops: Bool) -> Self? {
    if isWritten, !drops { return self }
    guard let document = run.synthesis?.system.json else { return nil }
    if mismatch(in: document, path: "") == nil { return self }
    let found = JSONPointer(pointer).value(in: document)
    return Self(pointer: pointer, claim: found.map { .equals($0) } ?? .absent)
  }
}

extension ConversationRun {
  /// What is known at the end, in the rubric's order.
  var known: [Evidence] {
    guard let state else { return [] }
    return state.rubric.facets.compactMap { state.ledger.evidence(for: $0.facet) }
  }

  fileprivate var snapshotOfGoals: [Expectations.PointerClaim] {
    guard let document = synthesis?.system.json else { return [] }
    return ["/userGoals/primary", "/coachingPlan/firstAction"].map { pointer in
      let found = JSONPointer(pointer).value(in: document)
      return Expectations.PointerClaim(
        pointer: pointer, claim: found.map { .equals($0) } ?? .absent)
    }
  }
}
