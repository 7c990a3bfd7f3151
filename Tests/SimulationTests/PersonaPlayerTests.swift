import ContextQuality
import Signals
import Testing

@testable import Simulation

/// Rules hold for every seed.
struct PersonaPlayerTests {
  private static let seeds: ClosedRange<UInt64> = 1...40

  private func question(
    _ components: String..., facets: [Facet] = []
  ) -> PersonaPlayer.Prompt { .question(components: components, facets: facets) }

  /// Nobody evades in this mood as it is used here.
  private func calm(_ change: (inout Persona) -> Void = { _ in }) throws -> Persona {
    try Sheets.persona {
      $0.distress = []
      change(&$0)
    }
  }

  @Test(arguments: seeds)
  func theFirstMessageTellsWhatIsToldAtOnce(_ seed: UInt64) throws {
    var player = PersonaPlayer(try calm(), seed: seed)
    let reply = player.reply(to: .nothing)
    #expect(reply.text == "Hello there. I would like to row a whole lake.")
    #expect(reply.told.map(\.name) == ["outcome"])
  }

  @Test(arguments: seeds)
  func whatIsAskedTwiceForIsPartlyToldAtFirst(_ seed: UInt64) throws {
    var player = PersonaPlayer(
      try calm { $0.facts.removeAll { $0.facet.name == "barrier" } }, seed: seed)
    let physical = try Sheets.facet("obstacles.physical")
    var asked = 0
    for _ in 0..<12 {
      asked += 1
      let reply = player.reply(to: question("obstacles", facets: [physical]))
      if reply.told.contains(physical) { break }
      if reply.text == "My wrist is a story." {
        #expect(asked == 1)
      }
    }
    #expect(asked > 1)
    #expect(player.told.contains(physical))
  }

  @Test(arguments: seeds)
  func whatIsToldInPassingIsNeverToldWhenAskedFor(_ seed: UInt64) throws {
    var player = PersonaPlayer(try calm(), seed: seed)
    let sleep = try Sheets.facet("lifestyle.recovery")
    for _ in 0..<6 { #expect(!player.reply(to: question("lifestyle")).told.contains(sleep)) }
    for _ in 0..<6 { _ = player.reply(to: question("exercisePreferences")) }
    let rowed = try Sheets.facet("exercisePreferences.access")
    #expect(player.told.contains(rowed))
  }

  @Test func whatSlipsOutComesWithItsComponent() throws {
    let sleep = try Sheets.facet("lifestyle.recovery")
    let persona = try calm()
    let count = Self.seeds.count { seed in
      var player = PersonaPlayer(persona, seed: seed)
      return player.reply(to: .question(components: ["exercisePreferences"], facets: [])).told
        .contains(sleep)
    }
    #expect((15...38).contains(count))
  }

  @Test(arguments: seeds)
  func aRefusedComponentIsRefusedEveryTime(_ seed: UInt64) throws {
    var player = PersonaPlayer(try calm(), seed: seed)
    for _ in 0..<4 {
      let reply = player.reply(to: question("nutritionReadiness"))
      #expect(reply.text == "Food is not up for discussion.")
      #expect(reply.manner == .refused)
    }
  }

  @Test func distressComesAtItsTurnAndIsFollowedByItsAnswer() throws {
    var player = PersonaPlayer(try Sheets.persona(), seed: 3)
    for _ in 0..<3 { _ = player.reply(to: question("goalClarity")) }
    let cry = player.reply(to: question("goalClarity"))
    #expect(cry.manner == .distress)
    #expect(cry.distress?.care == .crisis)
    #expect(player.reply(to: .nothing).text == "I called her.")
  }

  @Test(arguments: seeds)
  func whatWasSaidIsSaidAgain(_ seed: UInt64) throws {
    var player = PersonaPlayer(try calm { $0.moods = [] }, seed: seed)
    let capacity = try Sheets.facet("currentState.capacity")
    var replies: [PersonaPlayer.Reply] = []
    for _ in 0..<8 {
      replies.append(player.reply(to: question("currentState", facets: [capacity])))
    }
    #expect(replies.flatMap(\.told).count { $0 == capacity } == 1)
    let again = replies.filter { $0.manner == .again }
    #expect(!again.isEmpty)
    #expect(
      again.allSatisfy { $0.text == "As I told you: Two kilometers, then my arms give up." })
  }

  @Test(arguments: seeds)
  func theSameSeedTellsTheSame(_ seed: UInt64) throws {
    let persona = try Sheets.persona()
    func replies() -> [PersonaPlayer.Reply] {
      var player = PersonaPlayer(persona, seed: seed)
      return (0..<10).map { _ in player.reply(to: question("obstacles", "exercisePreferences")) }
    }
    #expect(replies() == replies())
  }

  @Test func seedsDiffer() throws {
    let persona = try Sheets.persona()
    let talks = Set(
      Self.seeds.map { seed in
        var player = PersonaPlayer(persona, seed: seed)
        return (0..<6).map { _ in
          player.reply(to: question("obstacles", "exercisePreferences")).text
        }
      })
    #expect(talks.count > 5)
  }

  @Test func measurementsAreToldOrSkipped() throws {
    let body = try Sheets.facet("currentState.body")
    var player = PersonaPlayer(try calm(), seed: 1)
    #expect(player.reply(to: .measurements(body)).text == "skip")
    var other = PersonaPlayer(
      try calm { $0.facts.append(.init(facet: body, says: "Seventy kilos.")) }, seed: 1)
    #expect(other.reply(to: .measurements(body)).text == "Seventy kilos.")
  }
}
