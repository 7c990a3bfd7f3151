import ContextQuality
import IncrementalJSON
import Intake
import LanguageModels
import OfflineScorer
import Signals

// What was understood, from the ledger's quotes and nothing else.
extension RehearsalCoach {
  func synthesise(
    _ state: IntakeState, minimal: Bool, today: String, _ show: IntakeEngine.Show
  ) async -> Result<Synthesis, SynthesisFailure> {
    var draft = ProfileDraft(bank: bank, state: state, today: today)
    return .success(
      Synthesis(
        system: draft.system(disclaimer: pack.medicalDisclaimer), throughTurn: state.turns.count,
        isMinimal: minimal, model: Self.name))
  }

  /// Two paragraphs: what was heard, and how it goes on.
  func summary(_ synthesis: Synthesis, _ state: IntakeState, _ phrasing: Phrasing) -> String {
    let given = state.careGiven
    func entries(_ use: QuestionBank.Use) -> [QuestionBank.Entry] {
      bank.all(use).filter { $0.fits(given) }
    }
    var heard = phrasing.sentences(entries(.heard))
    if state.wasSummarised {
      let use: QuestionBank.Use = state.isFresh(state.turns.count) ? .renewed : .unchanged
      heard.insert(contentsOf: [phrasing.choose(bank.lines(use), for: use.rawValue) ?? ""], at: 0)
    }
    var uses: [QuestionBank.Use] = [.help]
    if synthesis.isMinimal {
      uses.append(.minimal)
    } else if !synthesis.system.missing.isEmpty {
      uses.append(.open)
    }
    let help = phrasing.sentences((uses + [.first]).flatMap(entries))
    return [heard, help].map { $0.joined(separator: " ") }.filter { !$0.isEmpty }
      .joined(separator: "\n\n")
  }

  func coaching(_ state: IntakeState, _ phrasing: Phrasing) -> String {
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
      return advice ?? phrasing.choose(bank.lines(.coachMore, given), for: "coach-more") ?? ""
    }
    let remembered = phrasing.sentences(bank.all(.coach).filter { $0.fits(given) })
    let first = state.synthesis?.system.coachingPlan.firstAction
    return (remembered + [advice ?? first].compactMap(\.self)).joined(separator: " ")
  }
}

extension IntakeState {
  /// Whether a turn changed what is known.
  fileprivate func isFresh(_ turn: Int) -> Bool {
    ledger.entries.contains { $0.evidence.turn == turn || $0.until == turn }
  }
}

/// Writes a coaching system from what the ledger holds.
private struct ProfileDraft {
  let bank: QuestionBank
  let state: IntakeState
  let today: String
  private var claims: [JSONValue] = []
  private var missing: [String] = []
  private let phrasing: Phrasing

  init(bank: QuestionBank, state: IntakeState, today: String) {
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
    Grounding(transcript: state.transcript, readings: state.readings)
      .ground(&system, claims: .array(claims))
    system.missing = missing
    return system
  }

  private mutating func persona(_ disclaimer: String) -> PersonaProfile {
    let shifts = texts(.toneShift).compactMap { text -> PersonaProfile.ToneShift? in
      let parts = text.split(separator: ":", maxSplits: 1).map(\.trimmed)
      return parts.count == 2 ? .init(when: parts[0], tone: parts[1]) : nil
    }
    let tone = Facet(component: "communicationStyle", name: "tone")
    return PersonaProfile(
      role: noted(texts(.role).first, "/personaProfile/role"), personality: texts(.personality),
      philosophy: noted(texts(.philosophy).first, "/personaProfile/philosophy"),
      communicationStyle: noted(
        state.ledger.evidence(for: tone).map { state.words(of: $0).text },
        "/personaProfile/communicationStyle"),
      toneModulation: shifts, medicalDisclaimer: disclaimer)
  }

  private mutating func goals() -> UserGoals {
    var primary = quote("goalClarity.outcome")
    if let target = quote("goalClarity.target") {
      if let outcome = primary {
        if !UserWords(target.text).repeats(UserWords(outcome.text)) {
          primary = Quote(text: outcome.text + "; " + target.text, evidence: outcome.evidence)
        }
      } else {
        primary = target
      }
    }
    return UserGoals(
      primary: resting(primary, "/userGoals/primary"),
      timeline: resting(quote("goalClarity.timeframe"), "/userGoals/timeline"),
      deeper: resting(quote("goalClarity.motive"), "/userGoals/deeper"), milestones: [])
  }

  private mutating func plan() -> CoachingPlan {
    let given = state.careGiven
    func sentences(_ use: QuestionBank.Use) -> [String] {
      phrasing.sentences(bank.all(use).filter { $0.fits(given) })
    }
    let approach = sentences(.approach).joined(separator: " ")
    let first = texts(.firstAction).first
    return CoachingPlan(
      approach: noted(approach.isEmpty ? nil : approach, "/coachingPlan/approach"),
      checkInFrequency: frequency(),
      initialFocus: Array(sentences(.focus).prefix(SynthesisReader.mostInitialFocus)),
      styleNotes: sentences(.style),
      redFlags: Interviewer.careNotes(state) + sentences(.redFlag),
      firstAction: noted(first, "/coachingPlan/firstAction"))
  }

  private mutating func frequency() -> CoachingPlan.CheckInFrequency? {
    let said = quote("communicationStyle.cadence")?.text ?? ""
    let name = bank.all(.checkIn).first { $0.matches(said) }?.name
    let frequency = name.flatMap(CoachingPlan.CheckInFrequency.init(rawValue:))
    if frequency == nil { missing.append("/coachingPlan/checkInFrequency") }
    return frequency
  }
}

extension ProfileDraft {
  private struct Quote {
    var text: String
    var evidence: Evidence
  }

  private func quote(_ name: String) -> Quote? {
    guard let facet = Facet(name), let evidence = state.ledger.evidence(for: facet) else {
      return nil
    }
    return Quote(text: state.words(of: evidence).text, evidence: evidence)
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

  /// The physical limit, unless the words say that there is none.
  private var limits: Quote? {
    phrasing.words[Facet(component: "obstacles", name: "physical")] == nil
      ? nil : quote("obstacles.physical")
  }

  private mutating func constraints() -> Constraints {
    var constraints = Constraints()
    func add(
      _ quote: Quote?, _ type: String, to path: WritableKeyPath<Constraints, [Constraint]>,
      _ name: String, availability: String? = nil
    ) {
      guard let quote else { return }
      let said = UserWords(quote.text)
      let isThere = Constraints.lists.contains { list in
        constraints[keyPath: list.path].contains { UserWords($0.detail).repeats(said) }
      }
      guard !isThere else { return }
      claim(quote, "/constraints/\(name)/\(constraints[keyPath: path].count)")
      constraints[keyPath: path].append(
        Constraint(type: type, detail: quote.text, availability: availability, notedAt: today))
    }
    let free = quote("lifestyle.availability")
    add(limits, "injury or condition", to: \.physical, "physical")
    add(quote("lifestyle.commitments"), "commitments", to: \.time, "time", availability: free?.text)
    add(free, "availability", to: \.time, "time")
    for name in ["obstacles.barrier", "obstacles.detail"] {
      guard let quote = quote(name), let list = list(of: quote.text) else { continue }
      add(quote, "obstacle", to: list.path, list.name)
    }
    add(quote("exercisePreferences.access"), "place and equipment", to: \.resources, "resources")
    return constraints
  }

  /// Where an obstacle belongs, by its words; nil where it is none of the lists'.
  private func list(
    of text: String
  ) -> (name: String, path: WritableKeyPath<Constraints, [Constraint]>)? {
    let name = bank.all(.limit).first { $0.name != "physical" && $0.matches(text) }?.name
    return Constraints.lists.first { $0.name == name }
  }
}
