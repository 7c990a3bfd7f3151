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

  private static func visible(_ transcript: Transcript) -> Transcript {
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

// Greeting and asking.
extension RehearsalCoach {
  /// Findings stated before the first question.
  private static let greetingFindings = 2

  /// Opens with health data findings, if any.
  private func greeting(_ state: IntakeState, _ today: String, _ phrasing: Phrasing) -> String {
    var seen = Array(Interviewer.findings(state).prefix(Self.greetingFindings))
    if !seen.isEmpty, let health = state.health, health.isOld(on: today) {
      seen.insert("This is how things were when you exported your health data.", at: 0)
    }
    let greeting = phrasing.choose(bank.lines(.greet), for: "greet") ?? ""
    let endings = [". ", "! "].compactMap { greeting.firstRange(of: $0)?.upperBound }
    guard !seen.isEmpty, let hello = endings.min() else {
      return (seen + [greeting]).joined(separator: " ")
    }
    return greeting[..<hello] + seen.joined(separator: " ") + " " + greeting[hello...]
  }

  private func question(_ plan: QuestionPlan, _ state: IntakeState, _ phrasing: Phrasing) -> String
  {
    let plan = withoutRepeats(plan, state)
    let question = asked(plan, state, style(plan, state), phrasing)
    var opening = opening(plan, state, phrasing)
    // Don't quote words that the question already quotes.
    if let quote = question?.quotation, opening?.contains(quote) == true { opening = nil }
    return [opening, question].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Leaves out what the user perhaps told already, if anything else is left to ask.
  private func withoutRepeats(_ plan: QuestionPlan, _ state: IntakeState) -> QuestionPlan {
    let possible = (plan.explicit ? [] : perhapsTold(state)).union(justTold(state))
    var left = plan
    left.missing = state.askable(plan.missing.filter { !possible.contains($0) })
    left.companionMissing = state.askable(
      plan.companionMissing.filter { !possible.contains($0) })
    if !left.missing.isEmpty { return left }
    guard let companion = plan.companion, !left.companionMissing.isEmpty else { return plan }
    (left.component, left.companion) = (companion, nil)
    (left.missing, left.companionMissing) = (left.companionMissing, [])
    return left
  }

  /// What the message before the question tells, as far as the encoder can say.
  private func justTold(_ state: IntakeState) -> Set<Facet> {
    reader?.told(in: Self.visible(state.transcript), known: state.ledger.known) ?? []
  }

  /// Most words in a usual message for short questions.
  private static let terse = 6

  private func style(_ plan: QuestionPlan, _ state: IntakeState) -> [BankLine.Style] {
    if plan.explicit { return [.explicit, .again, .usual] }
    let isShort = Interviewer.usualLength(state) <= Self.terse || isUnderstood(.short, state)
    let usual: [BankLine.Style] = isShort ? [.short, .usual] : [.usual]
    return needsSuggestions(plan, state) ? [.again] + usual : usual
  }

  /// A user with no answer to an open question gets suggestions.
  private func needsSuggestions(_ plan: QuestionPlan, _ state: IntakeState) -> Bool {
    guard let turn = state.turns.last else { return false }
    let isVague = state.ledger.known.isEmpty && Self.words(of: turn) <= Self.vague
    return isVague || state.lastTurnDoes(.unsure) || state.wasAskedInVain(plan.component)
      || isUnderstood(.suggestions, state)
  }

  /// Whether what is understood of the person calls for such questions. It never changes the topic.
  private func isUnderstood(_ asking: UnderstandingTerms.Asking, _ state: IntakeState) -> Bool {
    state.understanding.parts.contains { pack.understandingTerms[$0.id]?.asks == asking }
  }

  /// Too few words to start from if the user has told nothing yet.
  private static let vague = 3

  private static func words(of turn: UserTurn) -> Int {
    turn.text.split(whereSeparator: \.isWhitespace).count
  }

  /// The question that covers most missing facets, in wording not used before.
  private func asked(
    _ plan: QuestionPlan, _ state: IntakeState, _ styles: [BankLine.Style], _ phrasing: Phrasing
  ) -> String? {
    let isFirst = state.turns.isEmpty
    let openers = isFirst ? bank.all(.askFirst).filter { asks($0, plan) } : []
    let opened = Set(openers.map(\.facets))
    let entries =
      openers + bank.all(.ask).filter { asks($0, plan) && !opened.contains($0.facets) }
    let fitting = entries.filter { $0.fits(state.careGiven) }
    let ranked = (fitting.isEmpty ? entries : fitting).sorted { left, right in
      let (mine, theirs) = (worth(left, state), worth(right, state))
      return mine == theirs ? left.line < right.line : mine > theirs
    }
    for style in isFirst ? [.usual] : styles {
      for entry in ranked {
        let lines = entry.lines.filter { $0.style == style && phrasing.isLight($0) }
        if let text = phrasing.chooseNew(lines, for: "ask \(entry.line)") { return text }
      }
    }
    return phrasing.choose(ranked.flatMap(\.lines).filter(phrasing.isLight), for: "ask")
  }

  /// Whether it asks about the component and only for unknown, planned facets.
  private func asks(_ entry: QuestionBank.Entry, _ plan: QuestionPlan) -> Bool {
    let wanted = plan.explicit ? plan.missing : plan.missing + plan.companionMissing
    return entry.facets.allSatisfy(wanted.contains)
      && entry.facets.contains { $0.component == plan.component }
  }

  /// Score a full answer would add, in ten-thousandths. Care-related entries come first.
  private func worth(_ entry: QuestionBank.Entry, _ state: IntakeState) -> Int {
    // If tied, a question that spans components sounds less like a list.
    let points = entry.facets.reduce(Set(entry.facets.map(\.component)).count) {
      $0 + pack.rubric.points($1)
    }
    return entry.after.isEmpty ? points : points + 10_000
  }
}

// Text before the question.
extension RehearsalCoach {
  private func opening(_ plan: QuestionPlan, _ state: IntakeState, _ phrasing: Phrasing) -> String?
  {
    guard let turn = state.turns.last else { return nil }
    func choose(_ use: QuestionBank.Use) -> String? {
      phrasing.choose(bank.lines(use, state.careGiven), for: use.rawValue)
    }
    if isAfterCare(turn, state), let text = choose(.reactAfterCare) { return text }
    if let text = kindness(to: turn, state, phrasing) { return text }
    if let text = figure(for: turn.text, state, phrasing) { return text }
    if let text = reply(to: turn, isFirst: true, state, phrasing) { return text }
    if turn.intent == .keepTalking || state.lastTurnDoes(.talksOn) { return choose(.reactTalkOn) }
    if state.lastTurnDoes(.unsure) { return choose(.reactNothing) }
    let keepsPrivate = bank.all(.withholds).contains { $0.matches(turn.text) }
    if state.lastTurnDoes(.declines) || keepsPrivate { return choose(.reactDeclined) }
    let facets = worthTakingUp(turn, state)
    if isTender(state) { return choose(.reactElsewhere) }
    if !facets.isEmpty { return reaction(to: facets, state, phrasing) }
    if isTakenBack(turn, state) { return choose(.reactCorrected) }
    if let text = reply(to: turn, isFirst: false, state, phrasing) { return text }
    if turn.text.trimmed.hasSuffix("?") { return choose(.reactQuestion) }
    return plan.explicit ? nil : choose(.reactElsewhere)
  }

  /// Whether all that the message did is take something back.
  private func isTakenBack(_ turn: UserTurn, _ state: IntakeState) -> Bool {
    state.ledger.entries.contains { $0.until == turn.turn }
  }

  /// The first question after a care text, whether or not the user was asked how they are.
  private func isAfterCare(_ turn: UserTurn, _ state: IntakeState) -> Bool {
    guard let care = state.lastCareTurn, let kind = state.careGiven.last else { return false }
    return turn.turn - care == (state.careNotes.sendsForHelp(kind) ? 2 : 1)
  }

  /// Newly known facets. One word out of many says too little.
  private func worthTakingUp(_ turn: UserTurn, _ state: IntakeState) -> [Facet] {
    let isShort = Self.words(of: turn) <= Self.terse
    return state.ledger.entries.map(\.evidence).filter { evidence in
      evidence.answer == nil && evidence.turn == turn.turn
        && state.heard(evidence.facet) == evidence
        && (isShort || state.words(of: evidence, bank.quoting).quoted != nil)
    }.map(\.facet)
  }

  /// Health data figures that answer a question.
  func figure(for question: String, _ state: IntakeState, _ phrasing: Phrasing) -> String? {
    let shown = state.health?.figures.filter { !($0.isSensitive && state.leavesOutSensitive) } ?? []
    for entry in bank.all(.figure) where entry.matches(question) {
      if let item = shown.first(where: { $0.about == entry.name }) {
        let opening = phrasing.preferred(entry.lines) ?? ""
        return [opening, PlainText.line(item.text) + "."].filter { !$0.isEmpty }
          .joined(separator: " ")
      }
    }
    return nil
  }

  private func reply(
    to turn: UserTurn, isFirst: Bool, _ state: IntakeState, _ phrasing: Phrasing
  ) -> String? {
    let entries = bank.all(.reply).filter { $0.isFirst == isFirst && $0.fits(state.careGiven) }
    guard let entry = entries.first(where: { $0.matches(turn.text) }) else { return nil }
    return phrasing.preferred(entry.lines)
  }

  private func kindness(
    to turn: UserTurn, _ state: IntakeState, _ phrasing: Phrasing
  ) -> String? {
    let entries = bank.all(.kind).filter { $0.fits(state.careGiven) && $0.matches(turn.text) }
    return entries.first.flatMap { phrasing.chooseNew($0.lines, for: "kind") }
  }

  /// True shortly after the user tells something hard.
  private func isTender(_ state: IntakeState) -> Bool {
    state.turns.suffix(Self.tenderTurns).contains { turn in
      bank.all(.kind).contains { $0.matches(turn.text) }
    }
  }

  private static let tenderTurns = 3

  /// Reacts to one thing the user just said: the first with words in the bank. Prefers one whose
  /// quote supports only that facet.
  private func reaction(
    to facets: [Facet], _ state: IntakeState, _ phrasing: Phrasing
  ) -> String? {
    let corrected = facets.contains { facet in
      state.ledger.entries.contains { $0.evidence.facet == facet && $0.until == state.turns.count }
    }
    // Saying it again in other words puts nothing right.
    let says = state.turns.last.map { turn in
      bank.all(.correction).contains { $0.matches(turn.text) }
    }
    if corrected, says != false,
      let text = phrasing.choose(bank.lines(.reactCorrected), for: "corrected")
    {
      return text
    }
    let isTerse = Interviewer.usualLength(state) <= Self.terse
    let entries = bank.all(.react).filter {
      $0.facets.allSatisfy { facets.contains($0) && phrasing.words[$0] != nil }
        && $0.fits(state.careGiven)
    }
    let isShared = { (entry: QuestionBank.Entry) in
      entry.facets.contains(where: state.isHeardAsAnother)
    }
    for entry in entries.filter({ !isShared($0) }) + entries.filter(isShared) {
      let lines = entry.lines.filter { isTerse == ($0.style == .short) && phrasing.isLight($0) }
      if let text = phrasing.chooseNew(lines, for: "react \(entry.line)") { return text }
    }
    return nil
  }
}

extension String {
  /// The first quoted text.
  fileprivate var quotation: Substring? {
    guard let begin = firstIndex(of: "\u{201C}"),
      let end = self[begin...].firstIndex(of: "\u{201D}")
    else { return nil }
    return self[begin...end]
  }
}

extension Rubric {
  /// A facet's worth, in ten-thousandths of the overall score.
  func points(_ facet: Facet) -> Int {
    guard let component = self[component: facet.component], let definition = self[facet] else {
      return 0
    }
    return component.weight * definition.weight
  }
}
