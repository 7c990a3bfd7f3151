import ContextQuality
import IncrementalJSON
import Intake
import Signals

// What was understood, from the ledger's quotes and nothing else.
extension RehearsalCoach {
  func synthesise(
    _ state: IntakeState, minimal: Bool, today: String, _ show: IntakeEngine.Show
  ) async -> Result<Synthesis, SynthesisFailure> {
    var draft = ProfileDraft(
      bank: bank, state: state, today: today, readingRules: pack.readingRules)
    return .success(
      Synthesis(
        system: draft.system(disclaimer: pack.medicalDisclaimer), throughTurn: state.turns.count,
        isMinimal: minimal, model: Self.name))
  }

  /// Two paragraphs: what was heard, and what is next.
  func summary(_ synthesis: Synthesis, _ state: IntakeState, _ phrasing: Phrasing) -> String {
    let given = state.careGiven
    func entries(_ use: QuestionBank.Use) -> [QuestionBank.Entry] {
      bank.all(use).filter { $0.fits(given) }
    }
    var heard = phrasing.sentences(entries(.heard))
    if state.wasSummarised {
      let use = changed(by: state.turns.count, state)
      heard.insert(contentsOf: [phrasing.choose(bank.lines(use), for: use.rawValue) ?? ""], at: 0)
    }
    var uses: [QuestionBank.Use] = [.help]
    if synthesis.isMinimal {
      uses.append(.minimal)
    } else if !synthesis.system.missing.isEmpty {
      uses.append(.open)
    }
    let help = phrasing.sentences((uses + [.first]).flatMap(entries))
    let beside = Set(state.rubric.facets.flatMap { state.wordsBeside($0.facet) }.map(\.text))
    let quoted = beside.sorted().map { "\u{201C}\(UserWords($0, bank.quoting).text)\u{201D}" }
    let line = quoted.isEmpty ? nil : phrasing.choose(bank.lines(.beside), for: "beside")
    let putRight = line.map { "\($0) \(quoted.joined(separator: ", "))." }
    return [heard, help, [putRight].compactMap(\.self)].map { $0.joined(separator: " ") }.filter {
      !$0.isEmpty
    }
    .joined(separator: "\n\n")
  }

  /// What can be said of a turn after a summary: only what it did.
  private func changed(by turn: Int, _ state: IntakeState) -> QuestionBank.Use {
    let entries = state.ledger.entries
    if entries.contains(where: { $0.until == turn }) { return .renewed }
    return entries.contains { $0.evidence.turn == turn } ? .added : .unchanged
  }

  func coaching(_ state: IntakeState, _ facts: CoachingFacts, _ phrasing: Phrasing) -> String {
    let given = state.careGiven
    let entries = bank.all(.advice).filter { $0.fits(given) }
    let asked = state.turns.last.map(\.text) ?? ""
    let hasAsked = state.transcript.messages.last?.speaker == .user && !state.turns.isEmpty
    let figure = hasAsked ? figure(for: asked, state, phrasing) : nil
    let advice =
      figure
      ?? entries.first { hasAsked && $0.matches(asked) }.flatMap {
        phrasing.preferred($0.lines)
      }
    if state.wasCoached {
      let noted =
        facts.wasNoted
        ? phrasing.choose(bank.lines(.coachNoted, given), for: "coach-noted") : nil
      return advice ?? noted ?? phrasing.choose(bank.lines(.coachMore, given), for: "coach-more")
        ?? ""
    }
    // What was said in discovery may be over once goals or limits have changed.
    let remembered =
      facts.changes.isEmpty ? phrasing.sentences(bank.all(.coach).filter { $0.fits(given) }) : []
    let first = state.synthesis?.system.coachingPlan.firstAction
    return (remembered + [advice ?? first].compactMap(\.self)).joined(separator: " ")
  }
}

/// Writes a coaching system from the ledger.
private struct ProfileDraft {
  let bank: QuestionBank
  let state: IntakeState
  let today: String
  private let readingRules: ReadingRules
  private var claims: [JSONValue] = []
  private var missing: [String] = []
  private let phrasing: Phrasing

  init(bank: QuestionBank, state: IntakeState, today: String, readingRules: ReadingRules) {
    self.readingRules = readingRules
    self.bank = bank
    self.state = state
    self.today = today
    phrasing = Phrasing(state, bank)
  }

  mutating func system(disclaimer: String) -> CoachingSystem {
    var system = CoachingSystem(source: .rehearsal)
    system.personaProfile = persona(disclaimer)
    system.userGoals = goals()
    system.constraints = constraints()
    system.coachingPlan = plan()
    Grounding(
      transcript: state.transcript, readings: state.readings, answers: state.answers,
      readingRules: readingRules, signals: bank.signals
    ).ground(&system, claims: .array(claims))
    system.missing = missing
    return system
  }

  private mutating func persona(_ disclaimer: String) -> PersonaProfile {
    let shifts = texts(.toneShift).compactMap { text -> PersonaProfile.ToneShift? in
      let parts = text.split(separator: ":", maxSplits: 1).map(\.trimmed)
      return parts.count == 2 ? .init(when: parts[0], tone: parts[1]) : nil
    }
    var profile = PersonaProfile()
    profile.role = noted(texts(.role).first, "/personaProfile/role")
    profile.personality = texts(.personality)
    profile.philosophy = noted(texts(.philosophy).first, "/personaProfile/philosophy")
    profile.communicationStyle = noted(
      quote(bank.profile.communicationStyle)?.text, "/personaProfile/communicationStyle")
    profile.toneModulation = shifts
    profile.medicalDisclaimer = disclaimer
    return profile
  }

  private mutating func goals() -> UserGoals {
    let map = bank.profile
    let primary = map.goal.compactMap(quote).reduce(nil as Quote?) { goal, more in
      guard let goal, !goal.text.isEmpty else { return more }
      if UserWords.repeats(more.text, goal.text) { return goal }
      return Quote(text: goal.text + "; " + more.text, evidence: goal.evidence)
    }
    var goals = UserGoals()
    goals.primary = resting(primary, "/userGoals/primary")
    goals.timeline = resting(quote(map.timeline), "/userGoals/timeline")
    goals.deeper = resting(quote(map.deeper), "/userGoals/deeper")
    goals.milestones = []
    return goals
  }

  private mutating func plan() -> CoachingPlan {
    let given = state.careGiven
    func sentences(_ use: QuestionBank.Use) -> [String] {
      phrasing.sentences(bank.all(use).filter { $0.fits(given) })
    }
    let approach = sentences(.approach).joined(separator: " ")
    let first = texts(.firstAction).first
    var plan = CoachingPlan()
    plan.approach = noted(approach.isEmpty ? nil : approach, "/coachingPlan/approach")
    plan.checkInFrequency = noted(
      quote(bank.profile.checkInFrequency)?.text, "/coachingPlan/checkInFrequency")
    plan.initialFocus = Array(sentences(.focus).prefix(SynthesisReader.mostInitialFocus))
    plan.styleNotes = sentences(.style)
    plan.redFlags = Interviewer.careNotes(state) + sentences(.redFlag)
    plan.firstAction = noted(first, "/coachingPlan/firstAction")
    return plan
  }
}

extension ProfileDraft {
  private struct Quote {
    var text: String
    var evidence: Evidence
  }

  private func quote(_ facet: Facet?) -> Quote? {
    guard let facet, let evidence = state.heard(facet) else { return nil }
    let words = [evidence] + state.wordsBeside(facet)
    let text = words.map { state.words(of: $0, bank.quoting).text }.joined(separator: "; ")
    return Quote(text: text, evidence: evidence)
  }

  private func texts(_ use: QuestionBank.Use) -> [String] {
    let words = phrasing.words
    return bank.lines(use, state.careGiven).compactMap { $0.filled(with: words) }
  }

  private mutating func noted(_ text: String?, _ pointer: String) -> String? {
    if text == nil { missing.append(pointer) }
    return text
  }

  private mutating func resting(_ quote: Quote?, _ pointer: String) -> String? {
    guard let quote else { return noted(nil, pointer) }
    claim(quote, pointer)
    return quote.text
  }

  private mutating func claim(_ quote: Quote, _ pointer: String) {
    claims.append([
      "path": .string(pointer), "turn": JSONValue(quote.evidence.turn),
      "quote": .string(quote.evidence.text),
    ])
  }

  private mutating func constraints() -> Constraints {
    var constraints = Constraints()
    for (rule, quote) in bank.profile.constraints.flatMap(limits) {
      guard let list = list(rule, of: quote.text) else { continue }
      let isThere = Constraints.lists.contains { list in
        constraints[keyPath: list.path].contains { UserWords.repeats($0.detail, quote.text) }
      }
      guard !isThere else { continue }
      claim(quote, "/constraints/\(list.name)/\(constraints[keyPath: list.path].count)")
      constraints[keyPath: list.path].append(
        Constraint(
          type: rule.type, detail: quote.text, availability: self.quote(rule.availability)?.text,
          notedAt: today))
    }
    return constraints
  }

  /// What is known about a rule's facet. Each of a form's answers counts: a bad knee at one question and
  /// asthma at the next are two limits.
  private func limits(_ rule: ProfileMap.ConstraintRule) -> [(ProfileMap.ConstraintRule, Quote)] {
    var quotes = isDoubtful(rule) ? [] : [quote(rule.facet)].compactMap(\.self)
    for evidence in state.answers(about: rule.facet) where quotes.first?.evidence != evidence {
      let words = UserWords(evidence.text, bank.quoting)
      if words.saysNotKnowing || bank.saysThereIsNone(words.text) { continue }
      quotes.append(Quote(text: words.text, evidence: evidence))
    }
    return quotes.map { (rule, $0) }
  }

  /// Words that may say there is no such limit become a constraint only if they surely say one.
  private func isDoubtful(_ rule: ProfileMap.ConstraintRule) -> Bool {
    rule.list != nil && bank.profile.canBeNone.contains(rule.facet)
      && phrasing.words[rule.facet] == nil
  }

  /// The rule's list; where it names none, the one that the words belong to.
  private func list(
    _ rule: ProfileMap.ConstraintRule, of text: String
  ) -> (name: String, path: WritableKeyPath<Constraints, [Constraint]>)? {
    let name =
      rule.list ?? bank.all(.limit).first { $0.name != "physical" && $0.matches(text) }?.name
    return Constraints.lists.first { $0.name == name }
  }
}
