import Coaching
import FoundationEssentials
import HealthRecords
import Intake
import Testing

/// Constraints that lapse, that the log contradicts, and that are said in passing.
struct ConstraintTests {
  /// - Parameter later: A profile that is adopted after the steps.
  private func book(
    _ steps: [CoachingEvent] = [], later: CoachingSystem? = nil
  ) throws -> ConstraintBook {
    var system = CoachingSystem()
    system.constraints.temporary = [
      Constraint(
        type: "cold", detail: "a cold", notedAt: "2026-02-02", expiresAt: "2026-02-09")
    ]
    system.constraints.physical = [
      Constraint(type: "injury", detail: "bad left knee", notedAt: "2026-01-05")
    ]
    let synthesis = Synthesis(system: system, throughTurn: 1, isMinimal: false)
    let again = later.map {
      EventEnvelope(
        IntakeEvent.synthesised(Synthesis(system: $0, throughTurn: 9, isMinimal: false)))
    }
    let all =
      [EventEnvelope(IntakeEvent.synthesised(synthesis))] + steps.map { EventEnvelope($0) }
      + [again].compactMap(\.self)
    return try CoachingState(
      events: all.enumerated().map {
        try RecordedEvent(
          position: $0.offset + 1, at: Date(timeIntervalSince1970: 1_770_000_000),
          envelope: $0.element)
      }
    ).constraints
  }

  private func keeper(_ book: ConstraintBook, _ today: Day) throws -> ConstraintKeeper {
    ConstraintKeeper(try pack(), EntryText(try pack()), book, today: today)
  }

  @Test func aLimitIsFoundByItsNumberItsWordsOrItsID() throws {
    let book = try book()
    #expect(book.items.map(\.constraint.id) == ["physical/0", "temporary/0"])
    for name in ["2", "cold", "A COLD", "temporary/0"] {
      #expect(book.items(named: name).map(\.constraint.id) == ["temporary/0"], "\(name)")
    }
    #expect(book.items(named: "left knee").map(\.constraint.id) == ["physical/0"])
    for name in ["3", "0", "knee left", "old", ""] {
      #expect(book.items(named: name).isEmpty, "\(name)")
    }
  }

  @Test func aLaterProfileBringsNothingBackAndDropsNothing() throws {
    let archived = CoachingEvent.constraintSettled(
      ConstraintAnswer(constraint: "physical/0", outcome: .archived))
    let question = try #require(try keeper(book(), Day("2026-02-12")!).lapsed)
    var system = CoachingSystem()
    system.constraints.physical = [
      Constraint(type: "injury", detail: "bad left knee", notedAt: "2026-01-05"),
      Constraint(type: "injury", detail: "stiff neck", notedAt: "2026-03-05"),
    ]
    system.constraints.temporary = [
      Constraint(type: "travel", detail: "away until May", notedAt: "2026-03-05")
    ]
    let after = try book([archived, .constraintAsked(question)], later: system)
    #expect(after["physical/0"]?.status == .archived(on: Day("2026-02-02")!))
    #expect(after.active.map(\.detail) == ["a cold", "stiff neck", "away until May"])
    #expect(after.items.map(\.constraint.id).contains("temporary/0.2"))
    // What no profile names anymore, and nobody asked about, isn't a limit now.
    #expect(try book(later: system).active.map(\.detail).contains("a cold") == false)
  }

  @Test func aLimitIsOfTheDayAndWordsItRestsOn() throws {
    var system = CoachingSystem()
    system.constraints.physical = [
      Constraint(type: "injury", detail: "bad left knee", notedAt: "2020-01-05"),
      Constraint(type: "injury", detail: "sore hip", notedAt: "2031-01-05"),
    ]
    system.restsOn = ["/constraints/physical/0": [1]]
    let turn = UserTurn(turn: 1, text: "I run. My left knee is bad. Help!")
    let events: [(EventEnvelope, Double)] = [
      (EventEnvelope(IntakeEvent.userSaid(turn)), 1_770_000_000),
      (
        EventEnvelope(
          IntakeEvent.synthesised(Synthesis(system: system, throughTurn: 1, isMinimal: false))),
        1_770_000_000 + 3 * 86_400
      ),
    ]
    let state = try CoachingState(
      events: events.enumerated().map {
        try RecordedEvent(
          position: $0.offset + 1, at: Date(timeIntervalSince1970: $0.element.1),
          envelope: $0.element.0)
      })
    let limits = state.constraints.active
    #expect(limits.map(\.notedAt) == [monday, monday + 3])
    #expect(limits.map(\.origin.quote) == ["My left knee is bad", nil])
  }

  /// Of a long sentence, the clauses that a limit is from.
  @Test(arguments: [
    ("Left knee is painful", "my left knee is bad from football and it hurts on stairs"),
    ("two small kids", "two small kids"),
    ("Asthma", nil),
  ])
  func theQuoteIsTheClause(_ detail: String, _ quote: String?) throws {
    var system = CoachingSystem()
    system.constraints.physical = [
      Constraint(type: "injury", detail: detail, notedAt: "2026-01-05")
    ]
    system.restsOn = ["/constraints/physical/0": [1]]
    let text =
      "I want to run a half marathon because dad did one, my left knee is bad from football and it hurts "
      + "on stairs, and I have two small kids"
    let envelopes = [
      EventEnvelope(IntakeEvent.userSaid(UserTurn(turn: 1, text: text))),
      EventEnvelope(
        IntakeEvent.synthesised(Synthesis(system: system, throughTurn: 1, isMinimal: false))),
    ]
    let state = try CoachingState(
      events: envelopes.enumerated().map {
        try RecordedEvent(
          position: $0.offset + 1, at: Date(timeIntervalSince1970: 1_770_000_000),
          envelope: $0.element)
      })
    #expect(state.constraints.active.map(\.origin.quote) == [quote])
  }

  @Test func whatStillHurtsIsNotOverSooner() throws {
    let injury = KeptConstraint(
      id: "said-3-knee", list: .temporary, about: "knee", detail: "my knee hurts",
      notedAt: Day("2026-02-02")!, expiresAt: Day("2026-06-02")!)
    let question = ConstraintQuestion(
      constraint: injury.id, reason: .contradicted, on: Day("2026-02-12")!, text: "…")
    let book = try book([
      .constraintProposed(injury),
      .constraintSettled(ConstraintAnswer(constraint: injury.id, outcome: .holds)),
      .constraintAsked(question),
    ])
    let keeper = try keeper(book, Day("2026-02-12")!)
    let answer = keeper.answer(to: question, "yes, it still hurts", turn: 5).answer
    #expect(answer.outcome == .holds && answer.expiresAt == Day("2026-06-02"))
  }

  @Test func aColdIsFollowedUpOnceAndThenArchived() throws {
    let book = try book()
    #expect(try keeper(book, Day("2026-02-09")!).lapsed == nil)
    let keeper = try keeper(book, Day("2026-02-12")!)
    let question = try #require(keeper.lapsed)
    #expect(question.text == "On February 2 you told me about this: “a cold”. Is that over?")
    let gone = keeper.answer(to: question, "yes, all good", turn: 5)
    #expect(gone.answer.outcome == .archived)
    let after = try self.book([.constraintAsked(question), .constraintSettled(gone.answer)])
    #expect(after["temporary/0"]?.status == .archived(on: Day("2026-02-02")!))
    #expect(try self.keeper(after, Day("2026-03-12")!).lapsed == nil)
    #expect(after.items.count == 2, "archived, not deleted")
    let silent = ConstraintAnswer(constraint: "temporary/0", outcome: .unanswered)
    let quiet = try self.book([.constraintAsked(question), .constraintSettled(silent)])
    #expect(quiet.active.map(\.id) == ["physical/0"])
  }

  @Test func whatStillHoldsIsAskedAboutLater() throws {
    let day = Day("2026-02-12")!
    let question = try #require(try keeper(book(), day).lapsed)
    let answer = try keeper(book(), day).answer(to: question, "no, still coughing", turn: 5).answer
    #expect(answer.outcome == .holds && answer.expiresAt == day + 7)
    let after = try book([.constraintAsked(question), .constraintSettled(answer)])
    #expect(try keeper(after, day + 3).lapsed == nil)
    #expect(try keeper(after, day + 8).lapsed != nil)
  }

  @Test func heavySquatsWithABadKneeAreAskedAbout() throws {
    let day = Day("2026-02-05")!
    let keeper = try keeper(book(), day)
    #expect(keeper.contradicted(by: [squat(20, on: day)]) == nil)
    var entry = squat(80, on: day)
    entry.number = 4
    let question = try #require(keeper.contradicted(by: [entry]))
    #expect(question.constraint == "physical/0" && question.entry == 4)
    #expect(
      question.text
        == "I see squats 3×5 at 80 kg in your log, and that made me think of something you told me: "
        + "“bad left knee”. Does it still hold? Should I keep planning around it?")
    let after = try book([.constraintAsked(question)])
    #expect(try self.keeper(after, day + 1).contradicted(by: [entry]) == nil)
    #expect(after["physical/0"]?.status == .active, "never dropped in silence")
  }

  @Test(arguments: [
    ("my shoulder hurts since yesterday", "shoulder"), ("I caught the flu", "flu"),
    ("skipped today, back hurts", "back"),
    ("Mir tut die Schulter weh, sie schmerzt und zwickt", "shoulder"),
    ("my knee hurts", nil), ("my shoulder no longer hurts", nil), ("it's cold outside", nil),
    ("does my back hurt?", nil), ("I'm back", nil), ("my son hurt his shoulder", nil),
    ("my wife and I both have sore shoulders", "shoulder"),
    ("not bad today, back on track!", nil), ("back squats 3x5 at 30 kg, felt bad", nil),
    ("pulled 140 kg on deadlift, back to my old numbers", nil),
    ("did hip thrusts 3x10, sore", nil), ("calf raises 4x15, a bit sore now", nil),
    ("shoulder press 3x5, bad day", nil), ("I'm back and sore", nil), ("sore but back at it", nil),
    ("hip hop class, sore all over", nil), ("pulled a sled, shoulders fine", nil),
    ("knee raises 3x10, stiff", nil), ("5 km zu Fuß, alles tut weh", nil),
    ("Wadenheben 4x15, Schmerzen keine", nil), ("fui a pie, dolor de cabeza", nil),
    ("elevaciones de talones 3x10, dolor ninguno", nil),
    ("I'm still cold from the rain, ran 2k", nil), ("I had a cold shower, I'm awake", nil),
    ("back squats 3x5, my back hurts", "back"), ("deadlifts 3x5, back is sore", "back"),
    ("tweaked my back on the deadlift", "back"), ("my lower back is bad today", "back"),
    ("pulled a muscle in my calf", "calf"), ("pulled my hamstring", "thigh"),
    ("calf raises 4x15, calf hurts", "calf"), ("shoulder press 3x5, shoulder pain", "shoulder"),
    ("Schulterdrücken 3x5, Schulter schmerzt, Schmerzen links", "shoulder"),
    ("hip thrusts, my hip is sore", "hip"),
    ("me duele la espalda, dolor fuerte", "back"), ("mein Rücken schmerzt, Schmerzen", "back"),
  ])
  func newOnesAreOnlyProposed(_ message: String, _ about: String?) throws {
    let found = try keeper(book(), monday).mentioned(in: message, turn: 7)
    #expect(found?.about == about)
    if let found { #expect(message.contains(found.origin.quote ?? "?") && found.expiresAt != nil) }
  }

  /// Of a long message, the clause that it rests on is shown.
  @Test(arguments: [
    (
      "Did 3x5 squats at 60 kg and bench 3x8 at 40 kg before work, and my shoulder hurts since then",
      "my shoulder hurts since then"
    ),
    (
      "I went to the park with the kids and the dog this morning, my lower back is sore, but it was fun",
      "my lower back is sore"
    ),
    ("my shoulder hurts when I press, I think", "my shoulder hurts when I press, I think"),
  ])
  func theClauseIsShownNotTheMessage(_ message: String, _ clause: String) throws {
    let keeper = try keeper(ConstraintBook(), monday)
    let mentioned = keeper.mentioned(in: message, turn: 7)
    let found = try #require(mentioned)
    let detail = found.detail
    let question = keeper.question(about: found).text
    #expect(detail == clause && message.contains(detail))
    #expect(question.contains("“\(clause)”"))
  }

  @Test func aLongDetailIsCutToItsClauseInQuestions() throws {
    let long =
      "I work nine to five and have two kids, my left knee has been bad since football, and I like swimming"
    var system = CoachingSystem()
    system.constraints.physical = [
      Constraint(type: "injury", detail: long, notedAt: "2026-01-05")
    ]
    let book = try book(later: system)
    let question = try #require(
      keeper(book, monday).contradicted(by: [squat(80, on: monday)]))
    #expect(question.text.contains("“my left knee has been bad since football”"))
  }

  @Test(arguments: [
    ("skipped today, flu", "flu"), ("skipped, sick", "sick"), ("got covid, skipped", "covid"),
    ("stomach bug, skipped", "sick"), ("rolled my ankle, skipped", "ankle"),
    ("twisted my knee, no training", "knee"), ("Training ausgelassen, krank", "sick"),
    ("couldn't train, kid was sick", nil), ("skipped, sick dog", nil), ("sick workout today", nil),
    ("foam rolled my ankle", nil), ("skipped, busy", nil),
  ])
  func whatKeptSomebodyFromTrainingIsAskedAbout(_ message: String, _ about: String?) throws {
    let found = try keeper(ConstraintBook(), monday).mentioned(in: message, turn: 7)
    #expect(found?.about == about)
  }

  @Test(arguments: [
    ("I have a cold", true), ("I caught a bad cold", true), ("ich bin erkältet", true),
    ("estoy resfriada", true), ("I'm cold", false), ("I have cold feet", false),
    ("I'm tired, it's a cold day", false),
  ])
  func aColdIsNoFeeling(_ message: String, _ isIll: Bool) throws {
    let found = try keeper(ConstraintBook(), monday).mentioned(in: message, turn: 7)
    #expect((found?.about == "cold") == isIll)
  }

  @Test(arguments: [
    ("yes please", "holds"), ("no", "refused"), ("it's fine now", "refused"),
    ("what do you think?", "unanswered"),
  ])
  func aProposedOneHoldsOnlyAfterAYes(_ reply: String, _ outcome: String) throws {
    let keeper = try keeper(book(), monday)
    let new = try #require(keeper.mentioned(in: "my shoulder hurts", turn: 7))
    let proposed = try self.keeper(book([.constraintProposed(new)]), monday)
    let question = proposed.question(about: new)
    #expect(proposed.answer(to: question, reply, turn: 8).answer.outcome.rawValue == outcome)
  }

  @Test(arguments: [
    ("no, it was 65 kg", "unanswered"), ("no, it was squats", "unanswered"),
    ("no, sixty five kg", "unanswered"), ("what a day", "unanswered"),
    ("no change, it's as bad as ever", "holds"), ("not better at all", "holds"),
    ("keep it", "holds"), ("don't", "holds"), ("no, don't drop it", "holds"),
    ("it's not gone", "holds"), ("I don't think it's gone", "holds"), ("no, it hurts", "holds"),
    ("no better", "holds"), ("fine, but not on stairs", "holds"), ("a bit better", "holds"),
    ("yes, 2 more weeks", "holds"), ("still hurts, 6 of 10", "holds"),
    ("yes please", "holds"), ("it still hurts", "holds"), ("I hope it's gone soon", "holds"),
    ("nicht gut", "holds"), ("nicht besser", "holds"), ("nein, noch nicht", "holds"),
    ("ist nicht weg", "holds"), ("no está mejor", "holds"), ("sigue igual", "holds"),
    ("no", "archived"), ("No, thanks.", "archived"), ("no, it's fine", "archived"),
    ("No, no need", "archived"), ("it's fine now", "archived"), ("all gone", "archived"),
    ("it no longer hurts", "archived"), ("no longer a problem", "archived"),
    ("it doesn't hurt anymore", "archived"), ("no, much better now", "archived"),
    ("nein", "archived"), ("Nein, nicht nötig", "archived"), ("nein, alles gut", "archived"),
    ("tut nicht mehr weh", "archived"), ("no, gracias", "archived"),
    ("No, no hace falta", "archived"), ("ya no me duele", "archived"),
  ])
  func anInjuryIsArchivedOnlyOnClearWords(_ reply: String, _ outcome: String) throws {
    let day = Day("2026-02-05")!
    let keeper = try keeper(book(), day)
    let question = try #require(keeper.contradicted(by: [squat(80, on: day)]))
    #expect(keeper.answer(to: question, reply, turn: 5).answer.outcome.rawValue == outcome)
  }
}
