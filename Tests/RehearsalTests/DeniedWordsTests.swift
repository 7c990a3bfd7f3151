import ContextQuality
import Intake
import IntakeTestSupport
import Testing

@testable import Rehearsal

/// People who say that it isn't so.
struct DeniedWordsTests {
  private func quotes(
    _ lines: [String], pack: String, settings: IntakeSettings = IntakeSettings()
  ) async throws -> [Facet: String] {
    let session = try await OfflineRehearsal(pack: pack, settings: settings)
    try await session.open()
    for line in lines { try await session.say(line) }
    let ledger = await session.state.ledger
    return ledger.known.reduce(into: [:]) { $0[$1] = ledger.evidence(for: $1)?.text }
  }

  @Test(arguments: ["fitness", "nutrition"])
  func whatIsDeniedIsReplacedByWhatItIs(pack: String) async throws {
    let quotes = try await quotes(
      [
        "I want to cook dinner at home four nights a week by June",
        "what stops me is the heat of the oven in my kitchen, it gets too hot",
        "it's not the oven heat that stops me, it's the washing up afterwards",
      ], pack: pack)
    #expect(quotes.values.allSatisfy { !$0.contains("oven") }, "\(quotes)")
    #expect(quotes.values.contains { $0.contains("washing up") }, "\(quotes)")
  }

  /// What it does needs no repeating, and what it is instead needs no form.
  @Test func theObstacleIsAnotherOne() async throws {
    let quotes = try await quotes(
      [
        "I want to cook at home by June", "I think the heat of the oven is my problem",
        "it's not the oven heat that stops me, I'm just exhausted after work",
      ], pack: "fitness")
    let obstacles = quotes.filter { $0.key.component == "obstacles" }.values
    #expect(obstacles.allSatisfy { $0 == "I'm just exhausted after work" }, "\(quotes)")
    #expect(!obstacles.isEmpty)
  }

  @Test func aDateThatIsPutRightLeavesTheGoal() async throws {
    let quotes = try await quotes(
      [
        "I want to deadlift 100 kilos by Christmas next year",
        "Christmas this year, not next year. And I have a slipped disc from 2021",
      ], pack: "fitness")
    let outcome = Facet(component: "goalClarity", name: "outcome")
    #expect(quotes[outcome]?.contains("deadlift") == true, "\(quotes)")
  }

  @Test(arguments: [
    ("I have asthma and not much time", "I don't have asthma, I meant hay fever"),
    ("I have asthma", "I don't have asthma, I have hay fever"),
    ("I have asthma", "It's hay fever, not asthma"), ("I have asthma", "hay fever, not asthma"),
    ("I have asthma", "Sorry, not asthma, hay fever"),
    ("I have asthma", "Sorry, I meant hay fever, not asthma"),
    ("I have asthma", "it isn't asthma, actually hay fever"),
    ("I have asthma", "not asthma but hay fever"),
  ])
  func aConditionIsPutRight(said: String, correction: String) async throws {
    let quotes = try await quotes(
      ["I want to run a 10k by May", said, correction], pack: "fitness")
    #expect(quotes.values.allSatisfy { !$0.contains("asthma") }, "\(quotes)")
    let physical = Facet(component: "obstacles", name: "physical")
    #expect(quotes[physical] == "hay fever", "\(quotes)")
  }

  /// A message that objects names another one, before the summary and after it.
  @Test(arguments: [[], ["go on with what you have"]])
  func anObjectionNamesAnotherOne(between: [String]) async throws {
    let quotes = try await quotes(
      ["I want to run a 10k by May", "my knee hurts"] + between + ["No it's my ankle that hurts"],
      pack: "fitness", settings: IntakeSettings(maxTurns: between.isEmpty ? 20 : 2))
    #expect(quotes.values.allSatisfy { !$0.contains("knee") }, "\(quotes)")
    #expect(quotes.values.contains("my ankle that hurts"), "\(quotes)")
  }

  @Test func whatAnObjectionIsAboutIsQuotedAlone() async throws {
    let quotes = try await quotes(
      [
        "I want to run a 10k by May", "my knee hurts", "go on with what you have",
        "that's wrong, I want to run a half marathon, not a 10k",
      ], pack: "fitness", settings: IntakeSettings(maxTurns: 2))
    let goal = Facet(component: "goalClarity", name: "outcome")
    #expect(quotes[goal] == "I want to run a half marathon", "\(quotes)")
  }

  /// A summary says what was put right.
  @Test func whatWasPutRightIsInTheSummary() async throws {
    let session = try await OfflineRehearsal(settings: IntakeSettings(maxTurns: 2))
    try await session.open()
    for line in ["I want to run a 10k by May", "I have asthma", "go on with what you have"] {
      try await session.say(line)
    }
    let before = await session.coachMessages.count
    try await session.say("I don't have asthma, I meant hay fever")
    let said = await session.coachMessages.dropFirst(before).joined(separator: "\n")
    #expect(said.contains("“hay fever”") && !said.contains("asthma"), "\(said)")
    let physical = await session.engine.state.synthesis?.system.constraints.physical
    #expect(physical?.map(\.detail) == ["hay fever"])
  }

  @Test(arguments: [
    "I don't have a gym, I swim in the lake", "I have asthma, not diabetes",
    "I don't have time on Mondays, I have time on Sundays",
  ])
  func otherWordsPutNothingRight(words: String) async throws {
    let quotes = try await quotes(
      ["I want to run a 10k by May", "I have asthma and not much time", words], pack: "fitness")
    #expect(quotes.values.contains { $0.contains("asthma") }, "\(quotes)")
  }

  @Test func whatWasDeniedIsSo() async throws {
    let quotes = try await quotes(
      [
        "I want to lose 10 kg for my wedding in June", "I have no time, I work 60 hours a week",
        "no, that's wrong, I have plenty of time. What stops me is boredom",
      ], pack: "fitness")
    let obstacles = quotes.filter { $0.key.component == "obstacles" }.values
    #expect(obstacles.contains("What stops me is boredom"), "\(quotes)")
    #expect(obstacles.allSatisfy { !$0.contains("no time") }, "\(quotes)")
  }

  @Test func anAnswerThatHasTheWordsIsNoDenial() async throws {
    let quotes = try await quotes(
      [
        "I want to lose 10 kg for my wedding in June", "I have no time, I work 60 hours a week",
        "I have time on Sundays",
      ], pack: "fitness")
    #expect(quotes.values.contains { $0.contains("no time") }, "\(quotes)")
  }

  /// What puts only a part right stands beside the earlier words, in the profile and in the summary.
  @Test(arguments: [
    ("I want to lose 10 kg by summer", "It isn't 10 kg, it is 5 kg"),
    ("I can train on Mondays and Thursdays", "Mondays don't work after all, Fridays do"),
    ("I want to swim a mile by May", "Sorry, I meant by July"),
    ("I'm 45 and want to be able to hike again", "I'm not 45, I'm 54"),
    ("My knee hurts when I run", "No, not my knee, my hip"),
    ("I have time on Tuesdays and Saturdays at six", "It's not the Tuesdays, Saturdays it is"),
  ])
  func whatPutsAPartRightIsQuotedBeside(said: String, correction: String) async throws {
    let session = try await OfflineRehearsal(
      pack: "fitness", settings: IntakeSettings(maxTurns: 3))
    try await session.open()
    for line in ["hello, I hope you can help me", said, correction] { try await session.say(line) }
    let ledger = await session.state.ledger
    let pieces = ledger.known.map { ledger.pieces(for: $0).map(\.evidence.text) }
    #expect(pieces.contains([said, correction]), "\(pieces)")
    #expect(pieces.allSatisfy { $0 == [said, correction] || $0 == [said] }, "\(pieces)")
    try await session.say("go on with what you have")
    if case .offer = await session.state.pending {
      try await session.say("Take a careful first step")
    }
    let state = await session.state
    let summary = state.transcript.messages.last?.text ?? ""
    #expect(
      summary.contains("You also put this right: \u{201C}\(correction)\u{201D}"), "\(summary)")
  }

  /// Who tells something else with a "not" and a word of theirs puts nothing right.
  @Test func aDenialOfSomethingElseIsNews() async throws {
    let quotes = try await quotes(
      ["I want to play with my kids", "My kids don't sleep, so I'm tired all the time"],
      pack: "fitness")
    let outcome = Facet(component: "goalClarity", name: "outcome")
    #expect(quotes[outcome] == "I want to play with my kids")
    #expect(quotes.keys.contains { $0.component != "goalClarity" }, "\(quotes)")
  }

  /// A date that is put right after the summary is a date, whatever else the words sound like.
  @Test(arguments: [
    ("no, the race is in July", "July"), ("actually, make it October", "October"),
    ("that's wrong, the deadline is December", "December"),
  ])
  func aDateThatIsPutRightIsNoGoal(correction: String, month: String) async throws {
    let quotes = try await quotes(
      [
        "I want to run a half marathon in May because my sister died", "my knee hurts sometimes",
        "go on with what you have", correction,
      ], pack: "fitness", settings: IntakeSettings(maxTurns: 2))
    #expect(quotes[Facet(component: "goalClarity", name: "timeframe")]?.contains(month) == true)
    for part in ["outcome", "target"] {
      let quote = quotes[Facet(component: "goalClarity", name: part)]
      #expect(quote?.contains("half marathon") != false, "\(part): \(quote ?? "")")
    }
  }

  @Test func anotherGoalStillReplacesTheFirst() async throws {
    let quotes = try await quotes(
      [
        "I want to run a half marathon in May because my sister died", "my knee hurts sometimes",
        "go on with what you have", "no, the goal is a pull-up",
      ], pack: "fitness", settings: IntakeSettings(maxTurns: 2))
    let outcome = Facet(component: "goalClarity", name: "outcome")
    #expect(quotes[outcome]?.contains("pull-up") == true, "\(quotes)")
  }
}
