import ContextQuality
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Rehearsal
import Synchronization
import Testing

extension TestWalk {
  /// A walk through a built-in journey.
  convenience init(
    shipped name: String, pack: String = "fitness", accounts: TestAccounts = TestAccounts(),
    permissions: any PermissionService = AllPermissions(),
    drafter: any DocumentDrafter = TestDrafter(), coach: CoachChoice = .patternRehearsal
  ) throws {
    let pack = try PromptPack.embedded(pack)
    self.init(
      try #require(try pack.journey(name)), pack: pack, accounts: accounts,
      permissions: permissions, drafter: drafter, coach: coach)
  }

  /// Goes on until a step is shown, or to the end.
  ///
  /// - Parameter choices: Answers by step; otherwise the first thing that leads on.
  @discardableResult
  func reach(
    _ target: String? = nil, _ engine: JourneyEngine, choices: [String: JSONValue] = [:]
  ) async throws -> JourneyScreen {
    var screen = await engine.screen
    for _ in 0..<200 {
      if screen.kind == .end || screen.step == target && screen.kind != .care { return screen }
      if screen.kind == .conversation, screen.button == nil {
        screen = try await talk(engine)
      } else {
        screen = try await engine.answer(choices[screen.step] ?? Self.answer(to: screen))
      }
      #expect(screen.problem == nil, "at \(screen.step)")
    }
    Issue.record("never reached \(target ?? "the end")")
    return screen
  }

  static func answer(to screen: JourneyScreen) -> JSONValue {
    switch screen.input {
    case .text: "Kim"
    case .stepper(let input): JSONValue(input.value(input.value, steppedBy: 1)) ?? true
    case .number(let min, _, _, _, let value): JSONValue(value ?? min + 5) ?? true
    case .timeRange: "11:00-19:00"
    case .open: .string("Something about \(screen.step), in my own words.")
    case .email:
      [
        "email": "kim@example.com",
        "consents": .array(screen.consents.map { .string($0.id) }),
      ]
    case .code: .string(TestAccounts.code)
    default:
      screen.kind == .tour
        ? true : screen.options.first.map { .string($0.id) } ?? true
    }
  }

  /// The coach in the conversation that is on screen.
  func coach(_ engine: JourneyEngine) async throws -> IntakeEngine {
    let input = try #require(await engine.conversation)
    let intake = try await IntakeEngine(
      log: log, coach: coach, pack: pack, settings: await engine.intakeSettings(for: input),
      entitlements: InMemoryEntitlement(), now: { [clock] in clock.now() })
    try await intake.open(show: { _ in })
    return intake
  }
}

/// Refuses every permission, and counts how often it was asked.
final class NoPermissions: PermissionService {
  private let count = Mutex(0)
  var asked: Int { count.withLock(\.self) }
  func isAvailable(_ permission: Permission) -> Bool { true }
  func request(_ permission: Permission) -> Bool {
    count.withLock { $0 += 1 }
    return false
  }
}
