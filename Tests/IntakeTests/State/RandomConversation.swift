import FoundationEssentials
import IntakeTestSupport
import LanguageModels
import Synchronization
import TestSupport

@testable import Intake

/// A conversation that a seed makes: somebody says anything at any time, the model answers or
/// fails, the log refuses to write, and the program is started anew.
struct RandomConversation {
  let settings: IntakeSettings
  let events: [RecordedEvent]

  /// A hundred of them, made once.
  static let all = Task {
    var all: [RandomConversation] = []
    for seed in 1...100 { all.append(try await RandomConversation(seed: UInt64(seed))) }
    return all
  }

  init(seed: UInt64, moves: Int = 30) async throws {
    var chance = SeededGenerator(seed: seed)
    settings = Self.settings(&chance)
    let stage = Stage(seed: chance.next(), settings: settings)
    for _ in 0..<Int.random(in: 3...moves, using: &chance) {
      try await stage.play(Self.move(&chance))
    }
    events = await stage.log.events()
  }

  enum Move {
    case open, again, subscribe, decline
    /// Whatever takes the conversation forward.
    case goAlong
    case say(String)
    case take(HealthNote)
    case withdrawHealth
    case fail(Int)
  }

  private static func settings(_ chance: inout SeededGenerator) -> IntakeSettings {
    IntakeSettings(
      readyAbove: [nil, 3_000, 5_000].randomElement(using: &chance) ?? nil,
      maxTurns: Int.random(in: 1...6, using: &chance),
      timeLimit: .seconds([30, 240].randomElement(using: &chance) ?? 240),
      followUp: FollowUpPolicy.allCases.randomElement(using: &chance) ?? .lowest)
  }

  private static func move(_ chance: inout SeededGenerator) -> Move {
    switch Int.random(in: 0..<100, using: &chance) {
    case 0..<8: .open
    case 8..<13: .again
    case 13..<17: .subscribe
    case 17..<20: .decline
    case 20..<23: .take(notes.randomElement(using: &chance) ?? HealthNoteTests.note)
    case 23..<25: .withdrawHealth
    case 25..<28: .fail(Int.random(in: 1...3, using: &chance))
    case 28..<55: .goAlong
    case 55..<75: .say(talk.randomElement(using: &chance) ?? "hm")
    default: .say(replies.randomElement(using: &chance) ?? "yes")
    }
  }

  private static let talk = [
    UsualConversation.first, UsualConversation.second, UsualConversation.third,
    "I want to lose 20 pounds by June", "my knee is shot from marathons", "there is no time",
    "forget the 20 pounds, I just want to be fitter", "180 cm and 80 kg", "1.80 kg",
    "I'm 180 cm and weigh 80 kg and my back has been killing me since the move in March",
  ]

  private static let replies = [
    "yes", "let's go", "go on with what you have", "keep talking", "no", "not now", "idk", "skip",
    "I'd rather not say", "I won't tell you what I weigh", "don't use my health data",
    "I don't want to live any more", "I have chest pain and my left arm is numb",
    "I make myself throw up after meals", "I'm 15", "I'm 15 and want to lose weight",
    "sorry, I'm 34", "I'm 42", "what dose of clenbuterol should I take",
    "I get palpitations and pass out when I run", "better now, thank you", "1", "2",
  ]

  private static let notes = [
    HealthNoteTests.note,
    HealthNoteTests.noting { $0.isMinor = true },
    HealthNoteTests.noting { $0.yearsOld = 42 },
    HealthNoteTests.noting {
      $0.forDoctor = [
        .init(
          kind: "bloodPressureHigh", isUrgent: true, text: "Your blood pressure was 190 over 120.")
      ]
    },
  ]
}

/// What a random conversation happens on.
private actor Stage {
  let log = ShakyLog()
  private let model: ScriptedCoach
  private let settings: IntakeSettings
  private let entitlements = InMemoryEntitlement()
  private let clock = TestClock()
  private let chance: Mutex<SeededGenerator>
  private var engine: IntakeEngine?

  init(seed: UInt64, settings: IntakeSettings) {
    self.settings = settings
    var first = SeededGenerator(seed: seed)
    let answers = Mutex(SeededGenerator(seed: first.next()))
    chance = Mutex(first)
    model = ScriptedCoach { request in answers.withLock { Self.answer(request, &$0) } }
  }

  func play(_ move: RandomConversation.Move) async throws {
    let pauses: [Double] = [1, 5, 40, 400]
    clock.advance(by: chance.withLock { pauses.randomElement(using: &$0) ?? 1 })
    if case .open = move { engine = nil }
    let engine = try await current()
    do {
      switch move {
      case .open: try await engine.open { _ in }
      case .again: try await engine.again { _ in }
      case .subscribe: try await engine.continueAfterPaywall { _ in }
      case .decline: try await engine.declinePaywall { _ in }
      case .goAlong: try await goAlong(engine)
      case .say(let text): try await engine.say(text) { _ in }
      case .take(let note): await engine.take(note)
      case .withdrawHealth: await engine.withdrawHealth()
      case .fail(let count): await log.refuse(after: count)
      }
    } catch is ShakyLog.Refused {
      self.engine = nil
    }
  }

  private func goAlong(_ engine: IntakeEngine) async throws {
    let state = await engine.state
    let next = [UsualConversation.first, UsualConversation.second, UsualConversation.third]
    switch state.phase.name {
    case .atPaywall: try await engine.continueAfterPaywall { _ in }
    case .greeting, .discovering:
      try await engine.say(next[min(state.turns.count, 2)]) { _ in }
    case .offering, .confirming, .coaching: try await engine.say("yes") { _ in }
    case .askingForMeasurements: try await engine.say("180 cm and 80 kg") { _ in }
    }
  }

  private func current() async throws -> IntakeEngine {
    if let engine { return engine }
    let clock = clock
    let engine = try await IntakeEngine(
      log: log, models: ModelRoles(all: model), pack: try ScriptedSession.pack.get(),
      settings: settings, entitlements: entitlements, now: { clock.now() })
    self.engine = engine
    return engine
  }

  private static func answer(
    _ request: ModelRequest, _ chance: inout SeededGenerator
  ) -> ModelReply {
    switch Int.random(in: 0..<20, using: &chance) {
    case 0: return .failing(.unreachable)
    case 1: return .failing(.truncated, after: "Well, that is")
    case 2: return .text("")
    case 3 where request.purpose == .score:
      let care = ["crisis", "minor", "medical", "low"].randomElement(using: &chance) ?? "crisis"
      return .text(Evidences.json([], care: care))
    case 5...8 where request.purpose == .score:
      return .text(Evidences.json([], acts: anyActs(of: request, &chance)))
    case 4 where request.purpose == .score:
      return .text(Evidences.json([("goalClarity.outcome", 1, "lose 20 pounds")]))
    default: return UsualConversation.script(request)
    }
  }
}

extension Stage {
  /// Whatever a model may make of the new turns.
  private static func anyActs(
    of request: ModelRequest, _ chance: inout SeededGenerator
  ) -> [(String, String, Int, String)] {
    ScriptedActs.newTurns(of: request).flatMap { turn, words in
      (0..<Int.random(in: 1...2, using: &chance)).map { _ in
        let act = Act.Name.allCases.randomElement(using: &chance) ?? .agrees
        let about = Act.Subject.allCases.randomElement(using: &chance) ?? .plan
        return (act.rawValue, act == .asks ? about.rawValue : "", turn, words)
      }
    }
  }
}

/// A log that refuses to write once, when it is told to.
actor ShakyLog: SessionLog {
  struct Refused: Error {}

  private let inner = InMemorySessionLog()
  private var left: Int?

  func refuse(after count: Int) { left = count }

  func events() async -> [RecordedEvent] { await inner.events() }

  func append(_ events: [EventEnvelope], at date: Date) async throws -> [RecordedEvent] {
    if let left {
      self.left = left > 1 ? left - 1 : nil
      if left == 1 { throw Refused() }
    }
    return try await inner.append(events, at: date)
  }
}
