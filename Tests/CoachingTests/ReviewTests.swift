import FoundationEssentials
import HealthRecords
import IncrementalJSON
import Intake
import Journeys
import Signals
import Testing

@testable import Coaching
@testable import Plans

/// When the coach looks back, and what it proposes.
struct ReviewTests {
  static let day = 86_400.0

  /// Coaching that began on a day, with these entries.
  private func state(
    _ entries: [LogEntry], began: Day = monday, sessions: Int? = nil, more: [CoachingEvent] = [],
    care: CareKind? = nil, program: TrainingProgram? = nil
  ) throws -> CoachingState {
    var goals = UserGoals()
    goals.primary = "squat 100 kg"
    var system = CoachingSystem()
    system.userGoals = goals
    let at = Date(timeIntervalSince1970: Double(began.number) * Self.day + 3_600)
    var events: [RecordedEvent] = []
    func add(_ envelope: EventEnvelope) throws {
      events.append(try RecordedEvent(position: events.count + 1, at: at, envelope: envelope))
    }
    try add(
      EventEnvelope(
        IntakeEvent.synthesised(Synthesis(system: system, throughTurn: 1, isMinimal: false))))
    try add(EventEnvelope(IntakeEvent.entitled(Entitlement(source: "stub", grantedAt: at))))
    if let care {
      try add(
        EventEnvelope(
          IntakeEvent.cared(
            try JSONDecoder().decode(
              CareAnswer.self,
              from: Data(
                #"{"turn":1,"kind":"\#(care.rawValue)","name":"\#(care.rawValue)","text":"…"}"#.utf8
              )))))
    }
    if let sessions {
      var answer = ProposalAnswer(review: 0, outcome: .accepted)
      answer.sessions = sessions
      try add(
        EventEnvelope(
          CoachingEvent.reviewed(
            Review(
              number: 0, reason: .asked, from: began, through: began, done: 0,
              proposal: Proposal(change: .goal, text: "", because: "")))))
      try add(EventEnvelope(CoachingEvent.proposalAnswered(answer)))
    }
    for (index, entry) in entries.enumerated() {
      var entry = entry
      entry.number = index + 1
      try add(EventEnvelope(CoachingEvent.noted(entry)))
    }
    if let program {
      let draft = DraftedDocument(
        kind: .program, json: program.json.serialized(), rows: [], source: "template")
      try add(EventEnvelope(PlanEvent.drafted(draft)))
      try add(EventEnvelope(PlanEvent.approved(.program)))
    }
    for event in more { try add(EventEnvelope(event)) }
    let notes = try PromptPack.embedded().careNotes
    return try CoachingState(events: events, careNotes: notes)
  }

  private func reviewer(_ state: CoachingState, _ today: Day) throws -> Reviewer {
    Reviewer(state, try pack(), EntryText(try pack()), today: today)
  }

  @Test func theWeekComesAfterSevenDays() throws {
    let state = try state([])
    #expect(try reviewer(state, monday + 6).dueAtVisit(lastSeen: monday) == nil)
    #expect(try reviewer(state, monday + 7).dueAtVisit(lastSeen: monday + 6) == .week)
    #expect(try reviewer(state, monday + 400).dueAtVisit(lastSeen: monday) == .absence)
    #expect(try reviewer(CoachingState(), monday).dueAtVisit(lastSeen: nil) == nil)
    #expect(try reviewer(state, monday + 400).dueAtVisit(lastSeen: nil) == .absence)
    let review = try reviewer(state, monday + 7).review(.week)
    let after = try self.state([], more: [.reviewed(review)])
    #expect(try reviewer(after, monday + 13).dueAtVisit(lastSeen: monday + 7) == nil)
    #expect(try reviewer(after, monday + 14).dueAtVisit(lastSeen: monday + 7) == .week)
  }

  /// A week may have 167 hours or 169, and begins and ends at the person's midnight all the same.
  @Test(arguments: [
    ("Europe/Berlin", "2026-03-23T22:30:00Z", "2026-03-29T22:10:00Z"),
    ("Europe/Berlin", "2026-10-19T21:50:00Z", "2026-10-25T23:10:00Z"),
    ("America/New_York", "2026-03-03T04:30:00Z", "2026-03-10T03:30:00Z"),
    ("America/New_York", "2026-10-27T03:30:00Z", "2026-11-03T04:30:00Z"),
  ])
  func aWeekHasSevenDaysWhereClocksChange(zone: String, began: String, back: String) throws {
    let zone = try #require(TimeZone(identifier: zone))
    let (began, back) = (
      Day(of: try Date(began, strategy: .iso8601), in: zone),
      Day(of: try Date(back, strategy: .iso8601), in: zone)
    )
    #expect(back - began == 7)
    let state = try state([], began: began)
    #expect(try reviewer(state, back).dueAtVisit(lastSeen: back + -1) == .week)
    #expect(try reviewer(state, back + -1).dueAtVisit(lastSeen: back + -2) == nil)
  }

  @Test func aWeekSaysWhatWasPlannedDoneAndMoved() throws {
    let entries = [0, 7, 14, 21].map { squat(60 + Double($0), on: monday + $0) }
    let state = try state(entries, sessions: 2)
    let review = try reviewer(state, monday + 22).review(.asked)
    #expect(review.planned == 6 && review.done == 4)
    #expect(
      review.text.contains("You planned 6 sessions and did 4 in the last 3 weeks."),
      "\(review.text)")
    #expect(review.moved.first?.hasPrefix("Squats: your estimated one-rep maximum went") == true)
    #expect(review.text.contains("What got in the way?"))
  }

  @Test func oneSessionIsOne() throws {
    let state = try state([squat(60, on: monday)], sessions: 1)
    let review = try reviewer(state, monday + 7).review(.week)
    #expect(review.text.contains("You planned 1 session and did 1."), "\(review.text)")
  }

  @Test func tooManyMissedSessionsSuggestFewer() throws {
    let entries = (0..<4).map { squat(60 + Double($0), on: monday + 7 * $0) }
    let state = try state(entries, sessions: 3)
    let review = try reviewer(state, monday + 28).review(.week)
    let proposal = try #require(review.proposal)
    #expect(proposal.change == .fewerSessions && proposal.sessions == 1)
    #expect(
      review.text.contains("last 4 weeks. You planned 12 sessions and did 3."), "\(review.text)")
    #expect(proposal.because.contains("over the last 4 weeks you did 3 of 12"))
  }

  @Test func aProgramThatIsOverIsNotMissed() throws {
    let program = TrainingProgram(
      title: "T", weeks: 4,
      sessions: [TrainingProgram.Day.monday, .wednesday, .friday].map { day in
        TrainingProgram.Session(
          day: day, title: "S", minutes: 30, exercises: [.init(name: "Squats", sets: 3)])
      })
    let state = try state([squat(60, on: monday)], program: program)
    let during = try reviewer(state, monday + 14).review(.asked)
    #expect(during.planned == 6, "\(during.text)")
    let later = try reviewer(state, monday + 365).review(.asked)
    #expect(later.planned == nil && later.proposal == nil, "\(later.text)")
    let over = "Your program “T” ended on March 2, 2026."
    #expect(later.text.contains(over) && !later.text.contains("got in the way"), "\(later.text)")
    #expect(later.text.contains("What would you like to do next?"), "\(later.text)")
    let told = try self.state([squat(60, on: monday)], more: [.reviewed(later)], program: program)
    let again = try reviewer(told, monday + 366).review(.asked)
    #expect(!again.text.contains(over) && again.question == later.question, "\(again.text)")
    #expect(state.progress(try pack(), today: monday + 365).adherence == nil)
  }

  @Test func somebodyWhoComesBackAfterAYearIsWelcomedOnce() throws {
    let program = TrainingProgram(
      title: "T", weeks: 4,
      sessions: [
        TrainingProgram.Session(
          day: .monday, title: "S", minutes: 30, exercises: [.init(name: "Squats", sets: 3)])
      ])
    let state = try state([squat(60, on: monday)], program: program)
    #expect(state.lastActiveDay == monday, "a journey without a word in the chat counts")
    let back = try new(reviewer(state, monday + 365).asked(lastSeen: state.lastActiveDay))
    #expect(back.reason == .absence)
    #expect(back.text.hasPrefix("It's good to have you back."), "\(back.text)")
    #expect(back.text.contains("“T” ended on March 2, 2026."), "\(back.text)")
    #expect(back.question == "What has changed for you since then?")
    let told = try self.state([squat(60, on: monday)], more: [.reviewed(back)], program: program)
    let today = try reviewer(told, monday + 365)
    guard case .known(back) = today.asked(lastSeen: told.lastActiveDay) else {
      Issue.record("its proposal waits for an answer")
      return
    }
    #expect(today.dueAtVisit(lastSeen: told.lastActiveDay) == nil)
  }

  @Test func aWeekThatProposesLessLooksAtTheWeeksItRestsOn() throws {
    let entries = [squat(60, on: monday)]
    let weeks = [7, 14, 21].map { later in
      Review(number: later / 7, reason: .week, from: monday, through: monday + later, done: 0)
    }
    let state = try state(entries, sessions: 3, more: weeks.map { .reviewed($0) })
    let review = try reviewer(state, monday + 28).review(.week)
    #expect(review.from == monday + 1 && review.planned == 12 && review.done == 0)
    #expect(review.text.contains("last 4 weeks. You planned 12 sessions and did 0."))
    #expect(review.text.contains("over the last 4 weeks you did 0 of 12"), "\(review.text)")
  }

  /// What somebody already said got in the way isn't asked again.
  @Test func aWeekThatWasMissedForAKnownReasonAsksNothingTwice() throws {
    var skipped = LogEntry(day: monday + 9, kind: .skipped, activity: "training")
    skipped.note = "still coughing"
    let entries = [squat(60, on: monday), squat(62, on: monday + 1), skipped]
    let week = Review(number: 1, reason: .week, from: monday, through: monday + 7, done: 2)
    let state = try state(entries, more: [.reviewed(week)])
    let review = try reviewer(state, monday + 14).review(.week)
    #expect(review.question.contains("“still coughing”. How are you doing now?"), "\(review.text)")
    #expect(!review.text.contains("What got in the way?"))
  }

  @Test func onlyTheLastReviewsProposalIsOpen() throws {
    let proposal = Proposal(change: .fewerSessions, sessions: 1, text: "", because: "")
    let reviews = [1, 2].map { number in
      Review(
        number: number, reason: .asked, from: monday, through: monday, done: 0, proposal: proposal)
    }
    let open = try state([], more: reviews.map { .reviewed($0) })
    #expect(open.openReview?.number == 2)
    let answer = ProposalAnswer(review: 2, outcome: .refused)
    let settled = try state([], more: reviews.map { .reviewed($0) } + [.proposalAnswered(answer)])
    #expect(settled.openReview == nil)
  }

  @Test(arguments: [
    ("run a 10k by June", "2026-06-30"), ("a 10k in january", "2027-01-31"),
    ("by the end of march", "2026-03-31"), ("get in better shape by Feb", "2026-02-28"),
    ("by June 15", "2026-06-15"), ("by 1 february", "2027-02-01"), ("by June 2028", "2028-06-30"),
    ("bis März", "2026-03-31"), ("para junio", "2026-06-30"),
    ("bis Juni 10 kg abnehmen", "2026-06-30"), ("by June 5 km without a break", "2026-06-30"),
    ("by summer", nil), ("I may run", nil), ("by then I may run a 10k", nil),
    ("bench 80 kg by Christmas", "2026-12-25"), ("bis Weihnachten 80 kg", "2026-12-25"),
    ("para Navidad", "2026-12-25"), ("bis Ostern", "2026-04-05"), ("by Easter", "2026-04-05"),
    ("antes de Semana Santa", "2026-04-05"), ("bis Pfingsten", "2026-05-24"),
    ("by New Year", "2027-01-01"), ("bis Silvester", "2026-12-31"),
    ("hasta fin de año", "2026-12-31"),
    ("by Valentine's Day", "2026-02-14"), ("by the end of the year", "2026-12-31"),
    ("run 10k in 8 weeks", "2026-03-30"), ("in acht Wochen 10 km", "2026-03-30"),
    ("en 8 semanas", "2026-03-30"), ("within three months", "2026-05-02"),
    ("in einem Monat", "2026-03-02"), ("in a month", "2026-03-02"),
    ("dentro de un año", "2027-02-02"),
    ("by 15.3.2027", "2027-03-15"), ("bis 15.3.", "2026-03-15"), ("bis zum 1. 2.", "2027-02-01"),
    ("by 2027-03-15", "2027-03-15"), ("By the 3rd of March 2027", "2027-03-03"),
    ("para el 3 de marzo de 2027", "2027-03-03"), ("bis zum 3. März", "2026-03-03"),
    ("by 15/3/2027", "2027-03-15"), ("by 3/15/2027", "2027-03-15"), ("by 3/4/2027", nil),
    ("run 10.5 km", nil), ("5 km 3 times in weeks to come", nil), ("I love Christmas", nil),
    ("born 15.3.1990", nil), ("by 31.2.2027", nil),
    ("run 10k by mid March", "2026-03-15"), ("run 10k mid-March", "2026-03-15"),
    ("in the middle of March", "2026-03-15"), ("bis Mitte März", "2026-03-15"),
    ("para mediados de marzo", "2026-03-15"), ("by early March", "2026-03-10"),
    ("by the end of March", "2026-03-31"), ("bis Ende Februar", "2026-02-28"),
    ("mid-week runs in hills", nil), ("march at the front", nil),
    ("on June 14", "2026-06-14"), ("am 14. Juni", "2026-06-14"), ("el 14 de junio", "2026-06-14"),
    ("the race is on the 12th of September", "2026-09-12"),
    ("by May", "2026-05-31"), ("squat 100 kg", nil), ("by February 31", nil),
    ("ride 200 km in one day", nil), ("in 10 days", "2026-02-12"),
    ("200 km en un día", nil), ("200 km in einem Tag bis September", "2026-09-30"),
  ])
  func aGoalSaysByWhen(_ words: String, _ day: String?) throws {
    #expect(GoalDate(try pack()).day(in: words, today: monday)?.description == day)
  }

  @Test func aClockThatWentBackStopsNoReviews() throws {
    let later = Review(
      number: 1, reason: .week, from: monday + 393, through: monday + 400, done: 0)
    let state = try state([squat(60, on: monday)], more: [.reviewed(later)])
    #expect(try reviewer(state, monday + 7).dueAtVisit(lastSeen: monday) == .week)
    let review = try reviewer(state, monday + 7).review(.week)
    #expect(review.from == monday && review.done == 1, "\(review.text)")
  }

  @Test(arguments: [(-8 * 3_600, monday + -1), (0, monday), (10 * 3_600, monday)])
  func daysAreThoseOfThePersonsClock(_ seconds: Int, _ day: Day) throws {
    let at = Date(timeIntervalSince1970: Double(monday.number) * Self.day + 3_600)
    let granted = EventEnvelope(
      IntakeEvent.entitled(Entitlement(source: "stub", grantedAt: at)))
    let state = try CoachingState(
      events: [RecordedEvent(position: 1, at: at, envelope: granted)],
      secondsFromGMT: { _ in seconds })
    #expect(try reviewer(state, day + 6).dueAtVisit(lastSeen: day) == nil)
    #expect(try reviewer(state, day + 7).dueAtVisit(lastSeen: day) == .week)
  }

  @Test func aPlanAgreedOnTodayIsNotMissedYet() throws {
    let past = Review(
      number: 5, reason: .absence, from: monday + 50, through: monday + 57, done: 0,
      proposal: Proposal(change: .easeIn, sessions: 2, text: "", because: ""))
    var answer = ProposalAnswer(review: 5, outcome: .accepted)
    answer.sessions = 2
    let state = try state(
      [squat(60, on: monday)], sessions: 3, more: [.reviewed(past), .proposalAnswered(answer)])
    let review = try reviewer(state, monday + 57).review(.asked)
    #expect(review.proposal == nil, "\(review.text)")
    #expect(state.progress(try pack(), today: monday + 57).adherence == nil)
  }

  @Test func askedAgainSoonItLooksAtTheLastWeek() throws {
    let entries = [0, 3, 8, 10].map { squat(60, on: monday + $0) }
    let before = try state(entries)
    let first = try reviewer(before, monday + 10).review(.asked)
    let state = try state(entries, more: [.reviewed(first)])
    let again = try reviewer(state, monday + 11).review(.asked)
    #expect(again.from == monday + 5 && again.done == 2, "\(again.text)")
    let idle = try reviewer(state, monday + 20).review(.asked)
    #expect(idle.done == 0 && !idle.text.contains("in a row"), "\(idle.text)")
  }

  @Test func aPlateauIsBroughtUpOnce() throws {
    let entries = [0, 7, 14].map { squat(60, on: monday + $0) }
    let state = try state(entries)
    let reviewer = try reviewer(state, monday + 14)
    #expect(reviewer.dueAfterNoting == .plateau)
    let review = reviewer.review(.plateau)
    #expect(review.proposal?.change == .vary && review.proposal?.restsOn == [1, 2, 3])
    let refused = ProposalAnswer(review: review.number, outcome: .refused)
    let after = try self.state(entries, more: [.reviewed(review), .proposalAnswered(refused)])
    #expect(try self.reviewer(after, monday + 14).dueAfterNoting == nil)
    let week = try self.reviewer(after, monday + 21).review(.week)
    #expect(week.proposal == nil, "what was refused isn't proposed again")
  }

  @Test func whatHasNoLoadGetsNoTenthLighter() throws {
    let entries = [0, 7, 14].map { day in
      var entry = LogEntry(day: monday + day, kind: .strength, activity: "pushUp")
      (entry.sets, entry.repetitions) = (3, 8)
      return entry
    }
    let review = try reviewer(try state(entries), monday + 14).review(.plateau)
    #expect(review.proposal == nil, "\(review.text)")
  }

  @Test func lessDuringAFeverIsNoNews() throws {
    let entries = [(0, 11.0), (3, 10), (6, 4)].map { day, minutes in
      var entry = LogEntry(day: monday + day, kind: .timed, activity: "yoga")
      entry.seconds = minutes * 60
      return entry
    }
    let fever = KeptConstraint(
      id: "said-3-fever", list: .temporary, about: "fever", detail: "a fever",
      notedAt: monday + 4, expiresAt: monday + 5, origin: .init(turn: 3, quote: "a fever"))
    let settled = ConstraintAnswer(constraint: fever.id, outcome: .holds, turn: 3)
    let well = try reviewer(try state(entries), monday + 6).review(.asked)
    #expect(well.moved.contains { $0.contains("4 min") }, "\(well.text)")
    let ill = try reviewer(
      try state(entries, more: [.constraintProposed(fever), .constraintSettled(settled)]),
      monday + 6
    ).review(.asked)
    #expect(!ill.moved.contains { $0.contains("4 min") }, "\(ill.text)")
  }

  @Test(arguments: [(2, nil), (-1, nil), (-15, .plateau)] as [(Int, Review.Reason?)])
  func nothingStandsStillWhileSomethingLimitsThem(
    daysLeft: Int, reason: Review.Reason?
  ) throws {
    let today = monday + 14
    let cold = KeptConstraint(
      id: "cold", list: .temporary, about: "cold", detail: "a head cold", notedAt: today + -4,
      expiresAt: today + daysLeft, origin: .init(turn: 3, quote: "a head cold"))
    let state = try state(
      [0, 7, 14].map { squat(60, on: monday + $0) },
      more: [
        .constraintProposed(cold),
        .constraintSettled(ConstraintAnswer(constraint: "cold", outcome: .holds, turn: 3)),
      ])
    #expect(try reviewer(state, today).dueAfterNoting == reason)
  }

  @Test func theGoalReachedIsAMilestone() throws {
    let state = try state([squat(100, on: monday + 1, repetitions: 1)])
    let reviewer = try reviewer(state, monday + 1)
    #expect(reviewer.dueAfterNoting == .milestone)
    #expect(reviewer.review(.milestone).text.contains("what you set out for: squats 3×1 at 100 kg"))
  }

  @Test(
    arguments: [
      ([.agrees], "", "accepted", 3), ([.rejects], "", "refused", nil),
      ([.corrects], "rather 2", "changed", 2), ([.corrects], "lieber zwei", "changed", 2),
      ([.agrees, .corrects], "but on weekends", "changed", nil),
      ([.corrects], "2 or 3", "changed", nil), ([.reports], "", nil, nil),
      ([.unsure], "", nil, nil),
      ([.agrees, .rejects], "", nil, nil),
    ] as [([Act.Name], String, String?, Int?)])
  func whatTheAnswerDoesDecides(
    _ acts: [Act.Name], _ quote: String, _ outcome: String?, _ sessions: Int?
  ) throws {
    let proposal = Proposal(change: .fewerSessions, sessions: 3, text: "", because: "")
    let review = Review(
      number: 1, reason: .week, from: monday, through: monday, done: 0, proposal: proposal)
    let settled = try state([], more: [.reviewed(review)]).settling(
      review, "…", doing: acts.map { Act($0, turn: 3, quote: quote) }, turn: 3,
      EntryText(try pack()))
    guard case .proposalAnswered(let answer)? = settled?.events.first else {
      #expect(outcome == nil)
      return
    }
    #expect(answer.outcome.rawValue == outcome && answer.sessions == sessions)
  }

  @Test func anAcceptedGoalStandsBesideTheFirst() throws {
    let goal = "Running a 10k"
    let review = try reviewer(state([]), monday + 1).review(.priority, words: goal)
    let open = try state([], more: [.reviewed(review)])
    for (act, wanted) in [
      (Act(.agrees, turn: 9, quote: "yes"), goal),
      (Act(.corrects, turn: 9, quote: "a half marathon"), "a half marathon"),
    ] {
      let settled = try #require(
        open.settling(review, "…", doing: [act], turn: 9, EntryText(try pack())))
      var after = try state([], more: [.reviewed(review)] + settled.events)
      let amendment = try #require(settled.amendment)
      try after.apply(
        RecordedEvent(
          position: 99, at: Date(timeIntervalSince1970: 99), event: .amended(amendment)))
      #expect(after.goals.present?.goal == wanted && after.goals.original?.goal == "squat 100 kg")
      #expect(after.goals.present?.change?.turn == 9 && after.openReview == nil)
    }
  }

  @Test func aLaterProfileDoesNotReplaceTheFirstGoal() throws {
    var state = try state([])
    var system = CoachingSystem()
    system.userGoals.primary = "run a marathon"
    try state.apply(
      RecordedEvent(
        position: 99, at: .distantFuture,
        envelope: EventEnvelope(
          IntakeEvent.synthesised(Synthesis(system: system, throughTurn: 9, isMinimal: false)))))
    #expect(state.goals.original?.goal == "squat 100 kg")
    #expect(state.goals.present?.goal == "run a marathon")
  }

  private func new(_ asked: Reviewer.Asked) throws -> Review {
    let review: Review? = if case .new(let review) = asked { review } else { nil }
    return try #require(review)
  }

  @Test func afterHelpWasUrgedThereIsNoReviewForAWeek() throws {
    let entries = [-14, -7, 0].map { squat(60, on: monday + $0) }
    let crisis = try state(entries, care: .crisis)
    #expect(try reviewer(crisis, monday + 1).dueAfterNoting == nil)
    #expect(try reviewer(crisis, monday + 8).dueAtVisit(lastSeen: monday + 7) == .week)
    // Nor one that is asked for.
    guard case .resting(let words) = try reviewer(crisis, monday + 1).asked(lastSeen: monday)
    else {
      Issue.record("no rest")
      return
    }
    #expect(words.contains("How you are comes first"))
  }

  /// At a visit, the review comes before what is told of that day.
  @Test func whatIsNotedAfterAReviewBelongsToTheNext() throws {
    let first = try reviewer(try state([squat(60, on: monday)]), monday + 7).review(.week)
    func noted(_ number: Int, on day: Day) -> CoachingEvent {
      var entry = squat(60, on: day)
      entry.number = number
      return .noted(entry)
    }
    let after = try state(
      [squat(60, on: monday)],
      more: [.reviewed(first), noted(2, on: monday + 7), noted(3, on: monday + 9)])
    let next = try reviewer(after, monday + 14).review(.week)
    #expect(next.from == monday + 7 && next.done == 2, "\(next)")
    // A day whose training was counted is counted once.
    let counted = try state(
      [squat(60, on: monday), squat(60, on: monday + 7)],
      more: [.reviewed(first), noted(3, on: monday + 9)])
    #expect(try reviewer(counted, monday + 14).review(.week).done == 1)
  }

  @Test func aReviewThatIsAskedForCountsWhatWasNotedOfEarlierDays() throws {
    let entries = [-6, -4, -2].map { squat(60, on: monday + $0) }
    let review = try new(reviewer(state(entries), monday).asked(lastSeen: monday))
    #expect(review.done == 3, "\(review)")
  }

  @Test func aWeightIsNotSpokenOfAfterCareAboutEating() throws {
    let weights = [82.0, 81, 80, 79].enumerated().map { index, kilograms in
      var entry = LogEntry(day: monday + 7 * index, kind: .weight, activity: "weight")
      entry.kilograms = kilograms
      return entry
    }
    let usual = try reviewer(try state(weights), monday + 22).review(.week)
    #expect(usual.text.contains("Your weight moves by"))
    let cared = try state(weights, care: CareKind(rawValue: "eating-disorder"))
    #expect(try !reviewer(cared, monday + 22).review(.week).text.contains("weight"))
  }

  @Test(arguments: ["en", "es", "de"])
  func everyReviewIsWholeInEveryLanguage(_ code: String) throws {
    let entries = [0, 7, 14].map { squat(60, on: monday + $0) }
    let text = EntryText(try pack(), language: code)
    for reason in Review.Reason.allCases {
      let review = Reviewer(try state(entries), try pack(), text, today: monday + 14)
        .review(reason, words: "mehr laufen", lastSeen: monday)
      #expect(!review.text.contains("{{") && review.text.contains("\n\n"), "\(review.text)")
    }
  }
}
