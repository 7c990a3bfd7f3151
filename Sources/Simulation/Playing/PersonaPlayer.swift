public import ContextQuality
import WireFormats

/// Plays a persona by rules. The same seed gives the same answers to the same questions.
///
/// It never looks for words in what the coach says: the engine knows what it asked about.
public struct PersonaPlayer: Sendable {
  /// What the coach's last message asks for.
  public enum Prompt: Hashable, Sendable {
    case nothing
    case question(components: [String], facets: [Facet])
    case measurements(Facet)
  }

  /// How the person answered.
  public enum Manner: String, Hashable, Sendable, CaseIterable {
    case told, partly, again, nothing, sidestep, question, bare, refused, distress
  }

  public struct Reply: Hashable, Sendable {
    public var text: String
    public var manner: Manner
    /// The facts in it that were not told before.
    public var told: [Facet] = []
    public var distress: Persona.Distress?
  }

  public let persona: Persona
  /// The facts told so far.
  public private(set) var told: Set<Facet> = []
  /// Messages so far.
  public private(set) var turn = 0
  private var questions: [String: Int] = [:]
  private var chance: SeededRandom
  /// The answer to a fixed text that is due.
  private var after: String?
  /// What was said last of each kind, so that the persona says nothing twice in a row.
  private var last: [Manner: String] = [:]

  /// Answers a measurement that the persona has nothing to say about; every pack understands it.
  static let skip = "skip"

  public init(_ persona: Persona, seed: UInt64) {
    self.persona = persona
    let name = persona.name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    chance = SeededRandom(seed: seed ^ name)
  }

  public mutating func reply(to prompt: Prompt) -> Reply {
    turn += 1
    if let words = after {
      after = nil
      return Reply(text: words, manner: .bare)
    }
    if let distress = persona.distress.first(where: { $0.turn == turn }) {
      after = distress.care == nil ? nil : distress.after
      return Reply(text: distress.says, manner: .distress, distress: distress)
    }
    switch prompt {
    case .nothing: return unasked()
    case .measurements(let facet): return measured(facet)
    case .question(let components, let facets):
      for component in components { questions[component, default: 0] += 1 }
      return answer(components, facets)
    }
  }

  private var manners: Manners { Manners(persona.mood(at: turn)) }
}

/// What a mood does to an answer.
private struct Manners {
  /// The most facts in an answer.
  let most: Int
  /// How many answers in a hundred tell nothing.
  let evasions: Int

  init(_ mood: Persona.Mood) {
    (most, evasions) =
      switch mood {
      case .open: (3, 4)
      case .plain: (2, 10)
      case .brief: (1, 14)
      case .guarded: (1, 30)
      case .low: (1, 22)
      }
  }
}

// Answers.
extension PersonaPlayer {
  /// The first message, or one after a text that asks nothing.
  private mutating func unasked() -> Reply {
    let facts = untold { $0.willing == .atOnce }.prefix(manners.most)
    let opening = turn == 1 ? persona.opening : nil
    guard !facts.isEmpty || opening != nil else {
      return Reply(text: pick(persona.phrases.bare, .bare), manner: .bare)
    }
    return tell(Array(facts), opening: opening)
  }

  private mutating func measured(_ facet: Facet) -> Reply {
    if let fact = persona.fact(facet), persona.refuses[facet.component] == nil {
      return tell([fact])
    }
    return Reply(text: Self.skip, manner: .refused)
  }

  private mutating func answer(_ components: [String], _ facets: [Facet]) -> Reply {
    let primary = components.first ?? ""
    if let words = persona.refuses[primary] { return Reply(text: words, manner: .refused) }
    if roll() < manners.evasions { return evasion() }
    let open = untold { fact in
      components.contains(fact.facet.component) && persona.refuses[fact.facet.component] == nil
        && isWilling(fact)
    }
    // Answers the question first, and tells what the coach doesn't know yet.
    let first = open.filter { $0.facet.component == primary && facets.contains($0.facet) }
    let ranked = first.shuffled(using: &chance) + open.filter { !first.contains($0) }
    guard !ranked.isEmpty else { return withoutFact(primary, facets) }
    var chosen = Array(ranked.prefix(Int.random(in: 1...manners.most, using: &chance)))
    chosen += alongside(components)
    // Asked again for what they said, people say it again before they answer the other half.
    if first.isEmpty, let fact = said(primary, facets), roll() < 50 {
      return tell(chosen, opening: pick(persona.phrases.again, .again) + " " + fact.says)
    }
    return tell(chosen)
  }

  /// A fact of the component that was told and that the coach still asks for.
  private mutating func said(_ component: String, _ facets: [Facet]) -> Persona.Fact? {
    persona.facts.filter {
      $0.facet.component == component && told.contains($0.facet) && facets.contains($0.facet)
    }.randomElement(using: &chance)
  }

  private func isWilling(_ fact: Persona.Fact) -> Bool {
    switch fact.willing {
    case .atOnce, .asked: true
    case .askedTwice: questions[fact.facet.component, default: 0] > 1
    case .inPassing: false
    }
  }

  /// A fact that slips out with the answer.
  private mutating func alongside(_ components: [String]) -> [Persona.Fact] {
    let passing = untold { $0.with.map(components.contains) ?? false }
    if let fact = passing.first, roll() < 70 { return [fact] }
    let eager = untold { $0.willing == .atOnce && !components.contains($0.facet.component) }
    if let fact = eager.first, roll() < 30 { return [fact] }
    return []
  }

  /// The answer if there is nothing new to tell about the component.
  private mutating func withoutFact(_ component: String, _ facets: [Facet]) -> Reply {
    let held = untold { $0.facet.component == component && $0.willing == .askedTwice }
    if let words = held.first?.partly { return Reply(text: words, manner: .partly) }
    if !held.isEmpty { return evasion() }
    if let fact = said(component, facets) {
      return Reply(text: pick(persona.phrases.again, .again) + " " + fact.says, manner: .again)
    }
    return Reply(text: pick(persona.phrases.nothing, .nothing), manner: .nothing)
  }

  private mutating func evasion() -> Reply {
    switch roll() {
    case ..<45: Reply(text: pick(persona.phrases.sidestep, .sidestep), manner: .sidestep)
    case ..<75: Reply(text: pick(persona.phrases.question, .question), manner: .question)
    default: Reply(text: pick(persona.phrases.bare, .bare), manner: .bare)
    }
  }

  private mutating func tell(_ facts: [Persona.Fact], opening: String? = nil) -> Reply {
    let new = facts.map(\.facet).filter { !told.contains($0) }
    told.formUnion(new)
    let text = joined([opening].compactMap(\.self) + facts.map(\.says))
    return Reply(text: text, manner: facts.isEmpty ? .bare : .told, told: new)
  }

  /// Sentences end somehow, except in speech.
  private func joined(_ texts: [String]) -> String {
    texts.reduce(into: "") { all, text in
      if let last = all.last {
        let isOpen = last.isLetter || last.isNumber
        all += isOpen && persona.register != .dictated ? ". " : " "
      }
      all += text
    }
  }

  private func untold(_ isMeant: (Persona.Fact) -> Bool) -> [Persona.Fact] {
    persona.facts.filter { !told.contains($0.facet) && isMeant($0) }
  }

  /// A number from 0 to 99.
  private mutating func roll() -> Int { Int.random(in: 0..<100, using: &chance) }

  private mutating func pick(_ texts: [String], _ manner: Manner) -> String {
    let new = texts.filter { $0 != last[manner] }
    let text = (new.isEmpty ? texts : new).randomElement(using: &chance) ?? ""
    last[manner] = text
    return text
  }
}
