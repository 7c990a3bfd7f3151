import Cassettes
import ContextQuality
import Foundation
import IncrementalJSON
import Intake
import LanguageModels
import Testing

@testable import RapportTesting

/// Conversations that are told of health data.
@Suite struct HealthConversationTests {
  private func shipped(_ name: String) throws -> Cassette { try Shipped.cassette("health/" + name) }

  private func places(_ cassette: Cassette) async throws -> Set<String> {
    Set(try await cassette.failures().map { String($0.path.prefix { $0 != "[" && $0 != " " }) })
  }

  @Test func aReadingThatIsNotThereIsMissedWhereItIsExpected() async throws {
    var cassette = try shipped("mornings-went-dark")
    cassette.health?.note.evidence.removeAll { $0.facet == Facet("lifestyle.recovery") }
    #expect(
      try await places(cassette) == ["turns", "facets", "synthesis", "constraintsRestOnTurns"])
    cassette.health = nil
    #expect(try await !cassette.failures().isEmpty)
  }

  @Test func dataThatComeAtAnotherStepAreNoticed() async throws {
    var cassette = try shipped("phone-in-the-locker")
    cassette.health?.beforeStep = 1
    #expect(try await places(cassette) == ["turns", "events"])
  }

  @Test func anotherReadingThanExpectedIsAFailure() async throws {
    for change: (inout Evidence) -> Void in [
      { $0.basis = .reading("8 h of sleep a night", source: "Apple Health") },
      { $0.basis = .reading($0.text, source: "a diary") },
      { $0.basis = .quote($0.text, turn: 1) },
    ] {
      var cassette = try shipped("tablets-since-february")
      var facets = try #require(cassette.expect?.facets)
      let index = try #require(facets.firstIndex { $0.isReading })
      change(&facets[index])
      cassette.expect?.facets = facets
      #expect(try await places(cassette) == ["facets"])
    }
  }

  @Test func aReadingForADoctorIsSaidByCodeAndOnce() async throws {
    let run = await ConversationRunner(pack: try Shipped.pack.get())
      .run(try shipped("tablets-since-february"))
    let said = run.transcript.filter { $0.text.contains("153 over 94") }
    #expect(said.count == 1 && said.allSatisfy { $0.speaker == .coach })
    #expect(run.care.map(\.turn) == [0])
  }

  @Test func aQuestionAboutWhatTheDataAnswerIsNeedless() throws {
    let facet = try #require(Facet("lifestyle.recovery"))
    let note = HealthNote(
      source: "Apple Health", through: "2026-01-04",
      evidence: [Evidence(facet: facet, basis: .reading("6 h a night", source: "Apple Health"))])
    let question = IntakeEvent.asked(
      Question(
        components: ["lifestyle"], facets: [facet], explicit: false,
        reply: CoachReply(text: "How do you sleep?", model: "m")))
    var expect = Expectations()
    expect.asksOnlyWhatIsMissing = true
    for (events, count) in [([.healthNoted(note), question], 1), ([question], 0)] {
      let run = try Self.run(events)
      #expect(expect.mismatches(in: run).count == count)
    }
  }

  private static func run(_ events: [IntakeEvent]) throws -> ConversationRun {
    let pack = try Shipped.pack.get()
    var run = ConversationRun()
    run.events = events.enumerated().map {
      RecordedEvent(position: $0.offset + 1, at: Date(timeIntervalSince1970: 0), event: $0.element)
    }
    run.states = [
      pack.state(after: run.events)
    ]
    return run
  }

  /// Lines are what a live conversation shares with the recorded one, menus are not.
  @Test(arguments: [
    (0, [IntakeEvent.Kind.started, .healthNoted, .greeted, .userSaid]),
    (1, [.started, .greeted, .userSaid, .healthNoted]),
  ])
  func aLiveConversationIsToldOfThemAtTheSameLine(
    step: Int, events: [IntakeEvent.Kind]
  ) async throws {
    var cassette = try shipped("phone-in-the-locker")
    cassette.health?.beforeStep = step
    let run = try await live(cassette)
    #expect(run.events.compactMap(\.event?.kind).prefix(4) == events[...])
    #expect(run.events.count { $0.event?.kind == .healthNoted } == 1)
  }

  @Test func dataThatCameBeforeTheSecondLineComeBeforeItLiveToo() async throws {
    let run = try await live(try shipped("phone-in-the-locker"))
    let told = try #require(run.events.firstIndex { $0.event?.kind == .healthNoted })
    #expect(run.events[..<told].count { $0.event?.kind == .userSaid } == 2)
  }

  private func live(_ cassette: Cassette) async throws -> ConversationRun {
    let pack = try Shipped.pack.get()
    let recorded = await ConversationRunner(pack: pack).run(cassette)
    let script = LiveScript(cassette, recorded: recorded, consent: pack.consent)
    return await (try Listener(facets: []).runner()).run(cassette, script).run
  }
}
