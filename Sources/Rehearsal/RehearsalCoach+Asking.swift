import ContextQuality
import Intake
import Signals

// Greeting and asking.
extension RehearsalCoach {
  /// Findings stated before the first question.
  private static let greetingFindings = 2

  /// Opens with health data findings, if any.
  func greeting(_ state: IntakeState, _ today: String, _ phrasing: Phrasing) -> String {
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

  func question(_ plan: QuestionPlan, _ state: IntakeState, _ phrasing: Phrasing) -> String {
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
  static let vague = 3

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
    // All that the message did is take something back.
    if state.ledger.entries.contains(where: { $0.until == turn.turn }) {
      return choose(.reactCorrected)
    }
    if let text = reply(to: turn, isFirst: false, state, phrasing) { return text }
    if turn.text.trimmed.hasSuffix("?") { return choose(.reactQuestion) }
    return plan.explicit ? nil : choose(.reactElsewhere)
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
