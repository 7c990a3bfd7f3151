import ContextQuality
import Intake
import LanguageModels
import Signals

/// A coach without a model. It reads with the encoder and speaks from the pack's question bank,
/// filled with the user's words.
struct RehearsalCoach: Coach {
  let pack: PromptPack
  let bank: QuestionBank
  /// Nil if the encoder does not know the rubric. The bank's patterns read then.
  let reader: RehearsalReader?

  /// Used in place of a model name.
  static let name = "rehearsal"

  /// - Parameter encodes: Whether the encoder reads, if it knows the rubric.
  /// - Throws: `PackError` if the pack's bank is missing or malformed.
  init(pack: PromptPack, encodes: Bool = true) throws(PackError) {
    self.pack = pack
    bank = try pack.questionBank()
    reader = encodes ? RehearsalReader(pack.rubric) : nil
  }

  var source: ProfileSource? { .rehearsal }

  var disclosure: SessionOutput.Notice? {
    let text = bank.lines(.disclosure).first?.filled(with: [:]) ?? ""
    return SessionOutput.Notice(code: Self.name, level: .info, text: text)
  }

  func read(
    _ turns: [Int], _ state: IntakeState, member: ReadingMember?, _ show: IntakeEngine.Show
  ) async -> Result<TurnReading, ModelError> {
    let answer = reader.map { scored(turns, state, by: $0) } ?? readSimply(turns, state)
    let check = EvidenceCheck(
      pack: pack, transcript: state.transcript, refusesOverload: false)
    let checked = check.check(answer)
    var scoring = Scoring(turns: turns, model: Self.name)
    (scoring.evidence, scoring.retracted) = (checked.evidence, checked.retracted)
    scoring.dropped = checked.dropped
    scoring.snapped = checked.snapped.isEmpty ? nil : checked.snapped
    let kept = turns.flatMap { withheld(in: $0, state) }
    let acts = acts(in: turns, state)
    scoring.acts = kept.isEmpty ? acts : (acts ?? []) + kept
    scoring.take(
      understood(in: turns, state),
      UnderstandingCheck(pack: pack, transcript: state.transcript, ledger: state.ledger))
    return .success(TurnReading(scoring))
  }

  /// What the pack's phrases say about the person. A phrase is no more than a hint.
  private func understood(in turns: [Int], _ state: IntakeState) -> PersonClaims {
    let known = Set(state.understanding.parts.map(\.id))
    var claims = PersonClaims()
    for turn in turns {
      let sentences = PatternReader.sentences(of: state.transcript.visibleTurn(turn) ?? "")
      for term in pack.understandingTerms.terms where !known.contains(term.id) {
        let said = sentences.first { sentence in
          let words = PhrasePattern.Text(Words(sentence).all)
          return term.hears.contains { $0.matches(in: words) }
        }
        guard let said else { continue }
        claims.parts.append(.init(term.id, confidence: .likely, turn: turn, quote: said))
      }
    }
    return claims
  }

  /// The topics that the user would rather not talk about.
  private func withheld(in turn: Int, _ state: IntakeState) -> [Act] {
    let sentences = PatternReader.sentences(of: state.transcript.visibleTurn(turn) ?? "")
    return bank.all(.withholds).flatMap { entry in
      sentences.filter(entry.matches).prefix(1).flatMap { sentence in
        entry.facets.map { Act(.declines, turn: turn, quote: sentence, facet: $0) }
      }
    }
  }

  private func readSimply(_ turns: [Int], _ state: IntakeState) -> ScorerAnswer {
    var answer = ScorerAnswer()
    let reader = PatternReader(bank: bank)
    answer.evidence = turns.flatMap { turn in
      let corrects = isCorrection(state.transcript.visibleTurn(turn) ?? "", state)
      return reader.claims(turn, state).filter {
        corrects || !state.ledger.known.contains($0.facet)
      }
    }
    for turn in turns { deny(in: turn, state, &answer) }
    answer.evidence = correcting(answer.evidence, state)
    return answer
  }

  private func scored(
    _ turns: [Int], _ state: IntakeState, by reader: RehearsalReader
  ) -> ScorerAnswer {
    let entries = reader.ledger(
      of: Self.visible(state.transcript), turns: state.scoredTurns.union(turns)
    ).entries
    var answer = ScorerAnswer()
    let takenBack = Set(entries.filter { turns.contains($0.until ?? 0) }.map(\.evidence.facet))
    answer.evidence = turns.flatMap { saidAnew(in: $0, state) }
      .filter { !takenBack.contains($0.facet) }
    for entry in entries where turns.contains(entry.evidence.turn) {
      answer.evidence.append(
        .init(
          facet: entry.evidence.facet, turn: entry.evidence.turn, quote: entry.evidence.text))
    }
    let kept = turns.reduce(into: [:]) { $0[$1] = keptGoal(in: $1, answer.evidence, state) }
    answer.evidence.removeAll { kept[$0.turn]?.contains($0.facet) == true }
    for turn in turns { deny(in: turn, state, &answer) }
    let beside = turns.flatMap { putBeside(in: $0, state, &answer) }
    answer.evidence += turns.compactMap { reason(in: $0, answer.evidence, state) }
    answer.evidence = tidied(answer.evidence).map { claim in
      var claim = claim
      if let rest = withoutObjection(claim.quote, reader) { claim.quote = rest }
      return claim
    }
    for entry in entries {
      guard let until = entry.until, turns.contains(until),
        kept[until]?.contains(entry.evidence.facet) != true
      else { continue }
      answer.retracted.append(
        .init(facet: entry.evidence.facet, turn: until, quote: entry.retractionQuote ?? ""))
    }
    answer.evidence = correcting(answer.evidence, state) + beside
    return answer
  }

  /// What follows "that's wrong, ".
  private func withoutObjection(_ quote: String, _ reader: RehearsalReader) -> String? {
    guard let comma = quote.firstIndex(of: ","),
      bank.all(.objection).contains(where: { $0.matches(String(quote[..<comma])) }),
      reader.ledger(of: String(quote[..<comma])).entries.isEmpty
    else { return nil }
    let rest = quote[quote.index(after: comma)...].trimmed
    return Words(rest).all.isEmpty ? nil : rest
  }

  /// Why somebody wants what they named, in the clause that says so: "… because my father was ill".
  private func reason(
    in turn: Int, _ claims: [ScorerAnswer.Claim], _ state: IntakeState
  ) -> ScorerAnswer.Claim? {
    guard let rule = bank.profile.reason, !state.ledger.known.contains(rule.facet),
      !claims.contains(where: { $0.facet == rule.facet }),
      let goal = claims.first(where: { $0.facet == rule.of && $0.turn == turn }),
      let text = state.transcript.visibleTurn(turn),
      let sentence = PatternReader.sentences(of: text).first(where: { $0.contains(goal.quote) }),
      let clause = rule.clause(in: sentence)
    else { return nil }
    return ScorerAnswer.Claim(facet: rule.facet, turn: turn, quote: clause)
  }

  /// A reason without what it is the reason for; and a few words that say by when say nothing else.
  private func tidied(_ claims: [ScorerAnswer.Claim]) -> [ScorerAnswer.Claim] {
    let dates = claims.filter { $0.facet == bank.profile.timeline && Self.isShort($0.quote) }
    return claims.compactMap { claim in
      let isDate = dates.contains { $0.turn == claim.turn && $0.quote == claim.quote }
      if isDate, claim.facet != bank.profile.timeline { return nil }
      guard let rule = bank.profile.reason, rule.facet == claim.facet,
        let clause = rule.clause(in: claim.quote)
      else { return claim }
      return ScorerAnswer.Claim(facet: claim.facet, turn: claim.turn, quote: clause)
    }
  }

  private static func isShort(_ quote: String) -> Bool {
    quote.split(whereSeparator: \.isWhitespace).count <= vague
  }

  static func visible(_ transcript: Transcript) -> Transcript {
    Transcript(transcript.messages.map { .init($0.speaker, PlainText.visible($0.text)) })
  }

  /// Whether a turn tells of a facet that is not known yet.
  func tellsMore(_ turn: Int, _ state: IntakeState) -> Bool {
    guard let reader, let text = state.transcript.visibleTurn(turn) else {
      return false
    }
    return reader.ledger(of: text).standing.contains {
      !state.ledger.known.contains($0.evidence.facet)
    }
  }

  func isSure(of facet: Facet, _ state: IntakeState) -> Bool {
    state.isSurelyHeard(facet, bank.quoting)
  }

  func perhapsTold(_ state: IntakeState) -> Set<Facet> {
    reader?.possible(in: Self.visible(state.transcript), turns: state.scoredTurns) ?? []
  }

  func starters(_ request: StarterRequest, _ state: IntakeState) async -> Starters? { nil }

  func say(
    _ occasion: Occasion, _ state: IntakeState, _ scene: Scene, _ show: IntakeEngine.Show
  ) async -> Spoken {
    let phrasing = Phrasing(state, bank)
    let text =
      switch occasion {
      case .greeting: greeting(state, scene.today, phrasing)
      case .question(let plan): question(plan, state, phrasing)
      case .checkIn: phrasing.choose(bank.lines(.askAfterCare), for: "ask-after-care") ?? ""
      case .summary(let synthesis): summary(synthesis, state, phrasing)
      case .offer: ""
      case .aside(let plan, _): (try? pack.asideFallback(plan, for: state)) ?? ""
      case .coaching: coaching(state, scene.facts, phrasing)
      }
    return Spoken(reply: CoachReply(text: text, model: Self.name), wasStreamed: false)
  }
}
