import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Rehearsal
import TestSupport
import Testing

/// Walks through every shipped journey until everything that can be done at a screen was done, and checks
/// after each step that a process started anew shows the same screen.
struct WalkTests {
  static let journeys: [(pack: String, journey: String)] = PromptPack.embeddedNames
    .filter { $0 != "shared" }
    .flatMap { name in
      ((try? PromptPack.embedded(name))?.journeyNames ?? []).map { (name, $0) }
    }

  @Test(arguments: journeys, [true, false])
  func everyEdgeLeadsSomewhereThatSurvivesARestart(
    _ which: (pack: String, journey: String), hasAccounts: Bool
  ) async throws {
    let pack = try PromptPack.embedded(which.pack)
    let journey = try #require(try pack.journey(which.journey))
    var walker = Walker(journey: journey, pack: pack, hasAccounts: hasAccounts)
    try await walker.walkEverywhere()
    let unseen = Set(journey.steps.map(\.id)).subtracting(walker.seen)
    // Without a service, nobody is sent a code.
    let expected = Set(journey.steps.filter { $0.kind == .verifyCode && !hasAccounts }.map(\.id))
    #expect(unseen == expected, "never shown")
    #expect(walker.left.isEmpty, "offered, but never tried: \(walker.left.sorted())")
    #expect(walker.endings > 0)
  }
}

/// Tries everything once.
private struct Walker {
  let journey: Journey
  let pack: PromptPack
  let hasAccounts: Bool
  private(set) var seen: Set<String> = []
  private(set) var endings = 0
  private var tried: Set<String> = []
  private var random = SeededGenerator(seed: 14)
  private var offered: Set<String> = []

  var left: Set<String> { offered.subtracting(tried) }

  init(journey: Journey, pack: PromptPack, hasAccounts: Bool) {
    (self.journey, self.pack, self.hasAccounts) = (journey, pack, hasAccounts)
  }

  private static let mostWalks = 60
  private static let mostSteps = 2_000

  mutating func walkEverywhere() async throws {
    for index in 0..<Self.mostWalks {
      // Once with the reader that people get.
      try await walk(index == 0 && !hasAccounts ? .rehearsal : .patternRehearsal)
      if left.isEmpty, endings > 0 { return }
    }
  }

  private mutating func walk(_ coach: CoachChoice) async throws {
    let walk = TestWalk(
      journey, pack: pack, accounts: TestAccounts(isAvailable: hasAccounts),
      clock: TestClock(ticks: 0), coach: coach)
    var (engine, screen) = try await walk.opened()
    for _ in 0..<Self.mostSteps {
      if !screen.step.isEmpty { seen.insert(screen.step) }
      if screen.kind == .end {
        endings += 1
        return
      }
      let (step, actions) = (screen.step, actions(at: screen))
      offered.formUnion(actions.map { "\(step) \($0.name)" })
      let action =
        actions.first { !tried.contains("\(step) \($0.name)") } ?? usual(actions, step)
      tried.insert("\(screen.step) \(action.name)")
      // Sometimes too soon for another code.
      walk.clock.advance(by: 20)
      switch action.act {
      case .talk: screen = try await walk.talk(engine)
      case .input(let input): screen = try await engine.act(input)
      }
      let (other, resumed) = try await walk.opened()
      #expect(
        resumed == screen,
        "after \(action.name) at \(screen.step), a restart shows \(resumed.step)")
      engine = other
    }
    Issue.record("no end after \(Self.mostSteps) steps, at \(screen.step)")
  }

  /// Mostly on, and sometimes anywhere, which leads to questions that only a second time brings up.
  private mutating func usual(_ actions: [Action], _ step: String) -> Action {
    // The other answer to a question that going back or starting over asks.
    if left.contains("\(step) [no]"),
      let asking = actions.first(where: { ["back", "[over]"].contains($0.name) })
    {
      return asking
    }
    // Only a change can be undone.
    if left.contains("\(step) [undo]"),
      let change = actions.first(where: { ["[apply]", "edit"].contains($0.name) })
    {
      return change
    }
    return chance(actions)
  }

  private mutating func chance(_ actions: [Action]) -> Action {
    Int.random(in: 0..<6, using: &random) == 0
      ? actions[Int.random(in: 0..<actions.count, using: &random)] : actions[0]
  }

  private struct Action {
    enum Act {
      case input(JourneyInput)
      case talk
    }
    var name: String
    var act: Act

    init(_ name: String, _ act: Act) { (self.name, self.act) = (name, act) }
    init(_ name: String, answer: JSONValue) { self.init(name, .input(.answer(answer))) }
  }

  /// What can be done, first what leads on.
  private func actions(at screen: JourneyScreen) -> [Action] {
    var actions = forward(screen)
    actions += screen.options.map { Action("[\($0.id)]", answer: .string($0.id)) }
    if screen.back != .none { actions.append(Action("back", .input(.back))) }
    if screen.hasInfo { actions.append(Action("info", .input(.info))) }
    if screen.hasUnits {
      actions.append(
        Action("units", .input(.units(screen.units == .metric ? .imperial : .metric))))
    }
    return actions
  }

  private func forward(_ screen: JourneyScreen) -> [Action] {
    var actions: [Action] = []
    if let button = screen.button, button.isEnabled {
      actions.append(Action("button", answer: true))
    }
    switch screen.input {
    case .text: actions.insert(Action("text", answer: "Kim"), at: 0)
    case .stepper(let input):
      actions.insert(
        Action("number", answer: JSONValue(input.value(input.max, steppedBy: -1)) ?? 0), at: 0)
      actions.append(Action("too much", answer: JSONValue(input.max + 100) ?? 0))
    case .number(let min, let max, _, _, _):
      actions.insert(Action("number", answer: JSONValue(min.rounded()) ?? 0), at: 0)
      actions.append(Action("too much", answer: JSONValue(max + 1) ?? 0))
      actions.append(Action("no number", answer: "a lot"))
    case .timeRange: actions.insert(Action("hours", answer: "22:00 to 4:30"), at: 0)
    case .open(_, let pills, _, _):
      actions.insert(Action("words", answer: "It changes from week to week, really."), at: 0)
      actions.append(Action("more words", answer: "I train twice a week, mostly at home."))
      if let pill = pills.first { actions.append(Action("pill", answer: .string(pill))) }
    case .email:
      let consents = JSONValue.array(screen.consents.map { .string($0.id) })
      actions.insert(
        Action("email", answer: ["email": "kim@example.com", "consents": consents]), at: 0)
      actions.append(Action("no email", answer: ["email": "kim@"]))
      actions.append(
        Action("refused", answer: ["email": "nobody@example.com", "consents": consents]))
    case .code:
      actions.insert(Action("code", answer: .string(TestAccounts.code)), at: 0)
      actions.append(Action("wrong code", answer: "000000"))
      actions.append(Action("short code", answer: "12"))
    case .message: actions.insert(Action("talk", .talk), at: 0)
    case .edit where screen.document?.state == .changing:
      actions = [
        Action("[apply]", answer: "apply"), Action("other words", answer: "Thu minutes: 45"),
        Action("no", answer: "no"),
      ]
    case .edit:
      actions.insert(Action("approve", answer: "approve"), at: 0)
      actions.append(Action("edit", answer: "Thu minutes: 20"))
      actions.append(Action("contradiction", answer: "exercises: Burpees 3x10"))
    case .select, nil: break
    }
    return actions
  }
}
