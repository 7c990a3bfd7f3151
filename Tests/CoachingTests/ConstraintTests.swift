import ContextQuality
import FoundationEssentials
import HealthRecords
import Intake
import Testing

@testable import Coaching

/// Constraints that lapse, and that the log contradicts.
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
    let read = Evidence(
      facet: try #require(Facet("obstacles.physical")), quote: "My left knee is bad", turn: 1)
    let events: [(EventEnvelope, Double)] = [
      (EventEnvelope(IntakeEvent.userSaid(turn)), 1_770_000_000),
      (EventEnvelope(IntakeEvent.scored(Scoring(turns: [1], evidence: [read]))), 1_770_000_000),
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

  /// A mark without a word is nothing that somebody said about a limit.
  @Test(arguments: ["\"", "\u{201C}", ""])
  func aLoneQuotationMarkIsNoQuote(mark: String) throws {
    var system = CoachingSystem()
    system.constraints.physical = [
      Constraint(type: "injury", detail: mark, notedAt: "2026-02-02"),
      Constraint(type: "injury", detail: "bad knee", notedAt: "2026-02-02"),
    ]
    system.restsOn = ["/constraints/physical/0": [1], "/constraints/physical/1": [1]]
    let read = Evidence(
      facet: try #require(Facet("obstacles.physical")), quote: mark, turn: 1)
    let events = [
      EventEnvelope(IntakeEvent.userSaid(UserTurn(turn: 1, text: "My \(mark) bad knee"))),
      EventEnvelope(IntakeEvent.scored(Scoring(turns: [1], evidence: [read]))),
      EventEnvelope(
        IntakeEvent.synthesised(Synthesis(system: system, throughTurn: 1, isMinimal: false))),
    ]
    let state = try CoachingState(
      events: events.enumerated().map {
        try RecordedEvent(
          position: $0.offset + 1, at: Date(timeIntervalSince1970: 1_770_000_000),
          envelope: $0.element)
      })
    #expect(state.constraints.items.map(\.constraint.origin.quote) == [nil, "bad knee"])
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
    let answer = try #require(reply(keeper, question, .agrees))
    let after = try self.book([
      .constraintProposed(injury), .constraintAsked(question), .constraintSettled(answer),
    ])
    #expect(answer.outcome == .holds && after.active.last?.expiresAt == Day("2026-06-02"))
  }

  @Test func aColdIsFollowedUpOnceAndThenArchived() throws {
    let book = try book()
    #expect(try keeper(book, Day("2026-02-09")!).lapsed == nil)
    let keeper = try keeper(book, Day("2026-02-12")!)
    let question = try #require(keeper.lapsed)
    #expect(question.text == "On February 2 you told me about this: “a cold”. Is that over?")
    let gone = try #require(reply(keeper, question, .agrees))
    #expect(gone.outcome == .archived)
    let after = try self.book([.constraintAsked(question), .constraintSettled(gone)])
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
    let answer = try #require(try reply(keeper(book(), day), question, .rejects))
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
        + "“bad left knee”. Should I keep planning around it?")
    // Nor for training before the limit, or if the coach has just spoken of it.
    let early = squat(80, on: Day("2026-01-04")!)
    #expect(keeper.contradicted(by: [early]) == nil)
    #expect(keeper.contradicted(by: [entry], after: "Mind that knee.") == nil)
    let after = try book([.constraintAsked(question)])
    #expect(try self.keeper(after, day + 1).contradicted(by: [entry]) == nil)
    #expect(after["physical/0"]?.status == .active, "never dropped in silence")
  }

  private func reply(
    _ keeper: ConstraintKeeper, _ question: ConstraintQuestion, _ acts: Act.Name...
  ) -> ConstraintAnswer? {
    keeper.answer(
      to: question, "…", doing: acts.map { Act($0, turn: 5, quote: "…") }, turn: 5)?.answer
  }

  /// If in doubt, a limit holds.
  @Test(
    arguments: [
      ([.agrees], "holds"), ([.rejects], "archived"), ([.endsLimit], "archived"),
      ([.changesLimit], "holds"), ([.corrects], "holds"), ([.agrees, .changesLimit], "holds"),
      ([], nil), ([.reports], nil), ([.agrees, .rejects], nil),
    ] as [([Act.Name], String?)])
  func whatTheAnswerDoesDecides(_ acts: [Act.Name], _ outcome: String?) throws {
    let day = Day("2026-02-05")!
    let keeper = try keeper(book(), day)
    let question = try #require(keeper.contradicted(by: [squat(80, on: day)]))
    let answer = keeper.answer(
      to: question, "…", doing: acts.map { Act($0, turn: 5, quote: "…") }, turn: 5)
    #expect(answer?.answer.outcome.rawValue == outcome)
  }
}
