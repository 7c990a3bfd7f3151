import Cassettes
import ContextQuality
import IncrementalJSON
import Intake
import LanguageModels
import RapportTesting
import Signals
import Testing

/// Every expectation fails when it does not hold, at its own place, and only it.
@Suite struct ExpectationTests {
  typealias Change = @Sendable (inout Expectations) -> Void

  static let wrong: [(String, Change)] = [
    ("outcome", { $0.outcome = .ready }),
    ("discoveryComplete", { $0.discoveryComplete = .afterTurn(2) }),
    ("turns[0].overall", { $0.turns[0].overall = .exactly(1) }),
    ("turns[0].overall", { $0.turns[0].overall = .between(0, 100) }),
    (
      "turns[1].components.obstacles",
      { $0.turns[1].components = [.init(name: "obstacles", score: .exactly(10_000))] }
    ),
    (
      "turns[1].components.luck",
      { $0.turns[1].components = [.init(name: "luck", score: .exactly(0))] }
    ),
    ("turns[0].new", { $0.turns[0].new = [] }),
    ("turns[0].asks", { $0.turns[0].asks = ["lifestyle"] }),
    ("turns[0].replyContains[0]", { $0.turns[0].replyContains = ["bananas"] }),
    ("turns[0].replyLacks[0]", { $0.turns[0].replyLacks = ["DOABLE"] }),
    ("turns[2]", { $0.turns.append(.init(turn: 9)) }),
    ("facets", { $0.facets?[0].basis = .quote("drop about", turn: 1) }),
    ("neverAsked[0]", { $0.neverAsked = ["gets in the way"] }),
    ("neverShown[0]", { $0.neverShown = ["good to MEET you"] }),
    ("events", { $0.events?.removeLast() }),
    ("care", { $0.care = [.init(turn: 1, kind: .medical)] }),
    ("paywall", { $0.paywall = [.shown] }),
    ("notices", { $0.notices = ["model-busy"] }),
    ("usage", { $0.usage?.output += 1 }),
    ("synthesis", { $0.synthesis = [.init(pointer: "/userGoals", claim: .absent)] }),
  ]

  @Test(arguments: wrong.indices)
  func aWrongExpectationFailsAtItsPlace(_ index: Int) async throws {
    let (path, change) = Self.wrong[index]
    var cassette = try await Small.complete()
    var expect = try #require(cassette.expect)
    change(&expect)
    cassette.expect = expect
    #expect(try await cassette.failures().map(\.path) == [path])
  }

  @Test func scoresMayBeARangeWhoseEndsBelongToIt() async throws {
    var cassette = try await Small.complete()
    guard case .exactly(let points)? = cassette.expect?.turns[0].overall else {
      return #expect(Bool(false))
    }
    for range in [(points, 10_000), (0, points), (points, points)] {
      cassette.expect?.turns[0].overall = .between(range.0, range.1)
      #expect(try await cassette.failures().isEmpty)
    }
    cassette.expect?.turns[0].overall = .between(points + 1, 10_000)
    #expect(try await cassette.failures().count == 1)
  }

  @Test(arguments: [
    ("/userGoals/primary", Expectations.PointerClaim.Claim.contains("LOSE 12"), true),
    ("/userGoals/primary", .contains("marathon"), false),
    ("/userGoals/primary", .matches("[0-9]+ kg$"), true),
    ("/userGoals/primary", .matches("^kg"), false),
    ("/userGoals/nothing", .absent, true),
    ("/userGoals/primary", .absent, false),
    ("/constraints/physical/0/type", .equals("knee"), true),
    ("/constraints/physical/9", .equals("injury"), false),
    ("/userGoals/primry", .matches(".*"), false),
  ])
  func claimsAboutTheSynthesisAreByJSONPointer(
    _ pointer: String, _ claim: Expectations.PointerClaim.Claim, _ holds: Bool
  ) async throws {
    var cassette = try Shipped.cassette("correction/brothers-number")
    cassette.expect = Expectations()
    cassette.expect?.synthesis = [.init(pointer: pointer, claim: claim)]
    #expect(try await cassette.failures().isEmpty == holds)
  }

  @Test func completingKeepsRangesThatHoldAndWhatOnlyAPersonCanWant() async throws {
    var cassette = try await Small.complete()
    cassette.expect?.turns[0].overall = .between(0, 10_000)
    cassette.expect?.neverShown = ["rubric"]
    cassette.expect?.usage = TokenUsage(input: 1, output: 1)
    let again = try await Small.completed(cassette)
    #expect(again.expect?.turns[0].overall == .between(0, 10_000))
    #expect(again.expect?.neverShown == ["rubric"])
    #expect(again.expect?.usage != TokenUsage(input: 1, output: 1))
  }
}
