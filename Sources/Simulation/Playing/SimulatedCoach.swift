import ContextQuality
import FoundationEssentials
public import Intake
import LanguageModels
import Synchronization

/// A coach that personas can be played against.
public protocol PlayableCoach: Sendable {
  /// - Throws: ``SimulationFailure`` if the coach did not answer.
  func play(_ persona: Persona, seed: Int, wording: ModelWording?) async throws -> SimulatedRun
}

/// The engine as the coach that personas talk to. Nothing is stored, and time is simulated.
public struct SimulatedCoach: PlayableCoach {
  public var pack: PromptPack
  public var choice: CoachChoice
  public var settings: IntakeSettings
  /// Reads what it says and hears; nil takes the engine's word for it.
  public var reader: ConversationReader?

  /// When every simulated conversation starts.
  static let start = Date(timeIntervalSince1970: 1_772_438_400)
  private static let secondsPerTurn = 15.0

  public init(
    pack: PromptPack, choice: CoachChoice, settings: IntakeSettings = IntakeSettings(),
    reader: ConversationReader? = nil
  ) {
    (self.pack, self.choice, self.settings) = (pack, choice, settings)
    self.reader = reader
  }

  /// - Throws: ``SimulationFailure`` if the coach did not answer; the engine's errors.
  public func play(
    _ persona: Persona, seed: Int, wording: ModelWording? = nil
  ) async throws -> SimulatedRun {
    let clock = SimulatedClock(Self.start)
    var coach = self
    if case .random = settings.trialOrder {
      coach.settings.trialOrder = .random(seed: UInt64(bitPattern: Int64(seed)))
    }
    let tokens = TokenCount()
    if let models = choice.models {
      func counted(_ model: any LanguageModel) -> CountedModel {
        CountedModel(base: model, count: tokens)
      }
      coach.choice = .models(
        ModelRoles(
          fast: counted(models.fast), coach: counted(models.coach), deep: counted(models.deep)))
    }
    let engine = try await IntakeEngine(
      log: InMemorySessionLog(), coach: coach.choice, pack: pack, settings: coach.settings,
      entitlements: InMemoryEntitlement(), now: { clock.now })
    var run = try await coach.play(
      persona, seed: seed, wording: wording, engine: engine, clock: clock)
    run.tokens = tokens.total
    return try await reader?.read(run, of: persona) ?? run
  }

  /// Plays the persona in a session of the caller's.
  func play(
    _ persona: Persona, seed: Int, wording: ModelWording? = nil, engine: IntakeEngine,
    clock: SimulatedClock
  ) async throws -> SimulatedRun {
    var talk = PersonaTalk(persona, seed, wording, self, engine)
    try await talk.pass { try await engine.open(show: $0) }
    while talk.run.turns.count < SimulatedRun.mostTurns, let words = try await talk.next() {
      clock.advance(seconds: Self.secondsPerTurn)
      try await talk.pass { try await engine.say(words, show: $0) }
      try await talk.note(settings)
    }
    return await talk.finished()
  }
}

/// A conversation did not come to an end because the coach did not answer.
public struct SimulationFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public var persona: String
  public var reason: String

  public var description: String { "\(persona): \(reason)" }
}

/// Simulated time.
final class SimulatedClock: Sendable {
  private let date: Mutex<Date>

  init(_ start: Date) { date = Mutex(start) }

  var now: Date { date.withLock(\.self) }

  func advance(seconds: Double) { date.withLock { $0 += seconds } }
  func set(_ time: Date) { date.withLock { $0 = max($0, time) } }
}

/// A conversation in progress.
struct PersonaTalk {
  let coach: SimulatedCoach
  let engine: IntakeEngine
  var run: SimulatedRun
  private var voice: PersonaVoice
  private var patience: Int
  /// What the coach said since the person's last message.
  private var said: [String] = []
  /// The turn that was sent and is not noted yet; nil for a choice.
  private var open: SimulatedRun.Turn?
  private var careBefore = 0

  // Ids of the choices in an offer; every pack understands them.
  static let goAhead = "goAhead"
  private static let keepTalking = "keepTalking"

  init(
    _ persona: Persona, _ seed: Int, _ wording: ModelWording?, _ coach: SimulatedCoach,
    _ engine: IntakeEngine
  ) {
    (self.coach, self.engine) = (coach, engine)
    run = SimulatedRun(persona: persona.name, seed: seed)
    run.worth =
      ContextComponents(known: Set(persona.facts.map(\.facet)), rubric: coach.pack.rubric).points
    voice = PersonaVoice(persona, seed: seed, wording: wording)
    patience = persona.patience
  }

  mutating func pass(
    _ act: (@escaping IntakeEngine.Show) async throws -> Void
  ) async throws {
    let shown = ShownText()
    try await act { shown.add($0) }
    said += shown.messages
    if let reason = shown.failure {
      throw SimulationFailure(persona: run.persona, reason: reason)
    }
  }

  /// What the person writes next; nil at the end.
  mutating func next() async throws -> String? {
    try Task.checkCancellation()
    let state = await engine.state
    if state.isMinor {
      run.ending = .care
      return nil
    }
    switch state.shownPhase {
    case .confirmation, .paywall, .coaching:
      if run.readyAt != nil { run.ending = .ready } else { run.ending = .offer }
      return nil
    case .offer:
      patience -= 1
      let choice = patience >= 0 ? Self.keepTalking : Self.goAhead
      let label = await engine.choices.first { $0.id == choice }?.label
      said.append("> \(label ?? choice)")
      return choice
    case .discovery: return try await answer(state)
    }
  }

  private mutating func answer(_ state: IntakeState) async throws -> String {
    let words = said.joined(separator: "\n\n")
    let turn = try await voice.turn(after: words, asking: try await asked(state, words))
    careBefore = state.careGiven.count
    said = []
    open = turn
    return turn.reply.text
  }

  private func asked(_ state: IntakeState, _ words: String) async throws -> PersonaPlayer.Prompt {
    // A menu is no matter of words.
    if case .measurements = state.prompt { return state.prompt }
    guard let reader = coach.reader else { return state.prompt }
    // Nobody answers a greeting's question, since some coaches have no greeting.
    guard let said = run.turns.last?.reply.text else { return .nothing }
    return try await reader.reading(of: words, after: said, by: voice.player.persona).prompt
  }

  /// Takes down what came of the last message.
  mutating func note(_ settings: IntakeSettings) async throws {
    guard var turn = open else { return }
    open = nil
    let state = await engine.state
    turn.found = state.ledger.known.intersection(voice.told).subtracting(run.found).sorted()
    turn.worth = ContextComponents(known: Set(turn.found), rubric: state.rubric).points
    turn.care = Array(state.careGiven.dropFirst(careBefore))
    let scores = state.components(settings)
    turn.points = scores.points
    run.turns.append(turn)
    if run.readyAt == nil, scores.isReadyForCoaching { run.readyAt = run.turns.count }
  }

  mutating func finished() async -> SimulatedRun {
    let state = await engine.state
    run.misheard = state.ledger.known.subtracting(voice.told).sorted()
    run.closing = said.joined(separator: "\n\n")
    if let system = state.synthesis?.system {
      // What rests on nothing is left out before a profile is kept.
      (run.unsupported, run.leftOut) = ([], system.unsupported.count)
    }
    return run
  }
}

/// A persona's side of a conversation: the rules choose what the persona tells, and a model may word it.
struct PersonaVoice {
  private(set) var player: PersonaPlayer
  private let wording: ModelWording?
  private var transcript: [String] = []

  init(_ persona: Persona, seed: Int, wording: ModelWording?) {
    player = PersonaPlayer(persona, seed: UInt64(bitPattern: Int64(seed)))
    self.wording = wording
  }

  var told: Set<Facet> { player.told }

  mutating func turn(
    after coach: String, asking prompt: PersonaPlayer.Prompt
  ) async throws -> SimulatedRun.Turn {
    var turn = SimulatedRun.Turn(coach: coach, reply: .init(text: "", manner: .bare))
    if case .question(let components, let facets) = prompt {
      turn.components = components
      turn.wanted = facets.filter { $0.component == components.first }
      turn.isRepeated = isRepeated(turn.wanted)
    }
    turn.reply = player.reply(to: prompt)
    transcript += [turn.coach]
    if let wording {
      if let words = try await wording.words(
        for: turn.reply, of: player.persona, after: transcript)
      {
        turn.reply.text = words
      } else {
        turn.isRuleInstead = true
      }
    }
    transcript += [turn.reply.text]
    return turn
  }

  /// Whether a question asks for something that was told, and for nothing that was not.
  private func isRepeated(_ wanted: [Facet]) -> Bool {
    let known = player.persona.facts.map(\.facet).filter(wanted.contains)
    return known.contains(where: told.contains) && known.allSatisfy(told.contains)
  }
}

extension IntakeState {
  /// What the coach's last message asks of the person.
  fileprivate var prompt: PersonaPlayer.Prompt {
    switch pending {
    case .question(let question):
      .question(components: question.components, facets: question.facets)
    case .body: bodyFacet.map { .measurements($0) } ?? .nothing
    case .nothing, .offer, .confirmation: .nothing
    }
  }
}

/// What a pass shows.
final class ShownText: Sendable {
  private let outputs = Mutex<[SessionOutput]>([])

  func add(_ output: SessionOutput) { outputs.withLock { $0.append(output) } }

  /// The coach's messages.
  var messages: [String] {
    outputs.withLock(\.self).compactMap { if case .message(let one) = $0 { one.text } else { nil } }
  }

  /// The lines beside them, such as what was noted.
  var notices: [SessionOutput.Notice] {
    outputs.withLock(\.self).compactMap { if case .notice(let one) = $0 { one } else { nil } }
  }

  /// Why the pass stopped early; nil if it did not.
  var failure: String? {
    guard case .done(let done)? = outputs.withLock(\.last), done.failed else { return nil }
    return notices.last.map { $0.detail ?? $0.text } ?? "the model did not answer"
  }
}
