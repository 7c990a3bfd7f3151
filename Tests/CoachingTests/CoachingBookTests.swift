import FoundationEssentials
import HealthRecords
import IncrementalJSON
import Intake
import Journeys
import Plans
import Testing

@testable import Coaching

/// What a client shows and changes.
struct CoachingBookTests {
  private func book(
    _ entries: [LogEntry], _ reader: CoachingBook.Reader = .init(), on day: Day = monday
  ) throws -> CoachingBook {
    let events = try entries.enumerated().map { index, entry in
      var entry = entry
      entry.number = index + 1
      return try RecordedEvent(
        position: index + 1, at: Date(timeIntervalSince1970: Double(index)),
        envelope: EventEnvelope(CoachingEvent.noted(entry)))
    }
    return try CoachingBook(
      PromptPack.embedded(), pack(), events: events, for: reader,
      at: Date(timeIntervalSince1970: Double(day.number) * 86_400 + 43_200))
  }

  /// What an entry is corrected from reads as the same entry again, in each language and unit.
  @Test(arguments: ["en", "es", "de"], [Units.metric, .imperial])
  func anEntrysWordsReadAsTheEntry(_ language: String, _ units: Units) throws {
    var weight = LogEntry(day: monday, kind: .weight, activity: "weight")
    weight.kilograms = 80
    var yoga = LogEntry(day: monday, kind: .timed, activity: "yoga")
    yoga.seconds = 2_400
    var hard = squat(62.5, on: monday)
    hard.effort = .hard
    hard.note = "with the new belt"
    var skipped = LogEntry(day: monday, kind: .skipped, activity: "squat")
    skipped.note = "my back hurts"
    let entries = [
      hard, skipped, squat(0, on: monday, repetitions: 12), run(5, minutes: 31, on: monday), yoga,
      weight,
    ]
    let book = try book(entries, .init(units: units, language: language))
    let shown = try #require(book.log()["entries"]?.arrayValue)
    #expect(shown.count == entries.count)
    for (json, entry) in zip(shown.reversed(), entries) {
      let words = try #require(json["words"]?.stringValue)
      let number = "\(json["number"]?.intValue ?? 0)"
      let again = try #require(try book.correcting(number, words).entries.first, "\(words)")
      #expect(again.kind == entry.kind && again.activity == entry.activity, "\(words)")
      #expect(again.sets == entry.sets && again.repetitions == entry.repetitions, "\(words)")
      #expect(abs((again.kilograms ?? 0) - (entry.kilograms ?? 0)) < 0.05, "\(words)")
      #expect(abs((again.kilometers ?? 0) - (entry.kilometers ?? 0)) < 0.01, "\(words)")
      #expect(again.seconds == entry.seconds && again.effort == entry.effort, "\(words)")
      #expect(again.note == entry.note, "\(words)")
    }
  }

  /// What a journey begins with is nobody's choice.
  @Test func unitsOfEntriesGoBeforeThoseThatAJourneyBegan() throws {
    var entry = squat(60, on: monday)
    entry.number = 1
    let start = PlanEvent.Start(
      journey: "discovery", version: 1, pack: "fitness", units: .metric, timeZone: "GMT")
    func units(_ events: [EventEnvelope]) throws -> Units? {
      try CoachingState(
        events: events.enumerated().map {
          try RecordedEvent(position: $0 + 1, at: Date(timeIntervalSince1970: 0), envelope: $1)
        }
      ).units
    }
    let begun = EventEnvelope(PlanEvent.started(start))
    #expect(try units([begun]) == .metric)
    entry.units = .imperial
    let noted = EventEnvelope(CoachingEvent.noted(entry))
    #expect(try units([begun, noted]) == .imperial)
    let chosen = EventEnvelope(PlanEvent.unitsChosen(.metric))
    #expect(try units([begun, chosen, noted]) == .metric)
  }

  @Test func aSkippedSessionHasNoLoad() throws {
    var skipped = LogEntry(day: monday, kind: .skipped, activity: "training")
    skipped.note = "tired"
    let book = try book([skipped])
    for words in ["70 kg", "felt hard", "5 km"] {
      #expect(throws: CoachingRefusal.self) { try book.correcting("1", words) }
    }
  }

  @Test func changesAreEventsOrRefusals() throws {
    let book = try book([squat(60, on: monday)])
    let run = try #require(try book.adding("ran 5k in 31 min", on: "2026-01-30").entries.first)
    #expect(run.number == 2 && run.day.description == "2026-01-30")
    #expect(try book.removing("1").events == [.removed(entry: 1)])
    #expect(throws: CoachingRefusal.noEntry(words: "There's no entry of this number.")) {
      try book.removing("7")
    }
    #expect(throws: CoachingRefusal.blank) { try book.adding(" \u{200B}") }
    for goal in ["", "  "] {
      #expect(throws: CoachingRefusal.blank) { try book.changing(goal: goal) }
    }
    #expect(throws: CoachingRefusal.badDate("yesterday")) {
      try book.adding("ran 5k", on: "yesterday")
    }
    #expect(throws: CoachingRefusal.self) {
      try book.correcting("1", "squats 3x5 60kg; run 5k 31:00")
    }
    #expect(throws: CoachingRefusal.noLimit("c9")) { try book.settling(limit: "c9", holds: true) }
    #expect(throws: CoachingRefusal.notCoaching) { try book.reviewing() }
    #expect(
      throws: CoachingRefusal.tooLong(limit: 2_000),
      performing: { try book.changing(goal: String(repeating: "x", count: 2_001)) })
  }

  /// What can't be right says which figure, and what is taken.
  @Test(arguments: [
    ("ran 400 km", "400 km", "250 km"), ("ran 5k in 3 min", "100 km/h", "40 km/h"),
    ("squats 3x5 at 900 kg", "900 kg", "600 kg"), ("weighed 800 kg", "800 kg", "350 kg"),
    ("80 sets squats", "80 sets", "30 sets"),
  ])
  func implausibleFiguresAreRefused(
    _ words: String, _ figure: String, _ most: String
  ) throws {
    let book = try book([squat(60, on: monday)])
    let error = try #require(throws: CoachingRefusal.self) { try book.adding(words) }
    #expect(error.reason.contains("\(figure) can't be right: I take"), "\(error)")
    #expect(error.reason.contains("to \(most). Check"), "\(error)")
    #expect(throws: CoachingRefusal.self) { try book.correcting("1", "900 kg") }
  }

  @Test(arguments: ["gestern", "yesterday", "ayer:", "2026-02-01"])
  func aDayAloneMovesAnEntry(_ words: String) throws {
    let book = try book([squat(60, on: monday)], .init(language: "de"))
    let moved = try #require(try book.correcting("1", words).entries.first)
    #expect(moved.day == monday + -1 && moved.kilograms == 60 && moved.sets != nil)
    let missing = try #require(throws: CoachingRefusal.self) { try book.correcting("9", words) }
    #expect(missing.reason == "Einen Eintrag mit dieser Nummer gibt es nicht.")
  }

  @Test func datesHaveBounds() throws {
    let book = try book([squat(60, on: monday)])
    let first = try #require(Day("2006-02-02"))
    let rest = "is too long ago. The log takes days from February 2, 2006 on."
    for (date, day) in [("1800-01-01", "January 1, 1800"), ("2006-02-01", "February 1, 2006")] {
      let refusal = CoachingRefusal.tooLongAgo(words: "\(day) \(rest)")
      #expect(throws: refusal) { try book.adding("ran 5k", on: date) }
      #expect(throws: refusal) { try book.correcting("1", "65 kg", on: date) }
    }
    func toCome(_ day: String) -> CoachingRefusal {
      .notYet(words: "Only what has happened is noted, and \(day) is to come.")
    }
    #expect(throws: toCome("December 1, 2026")) { _ = try book.adding("2026-12-01 ran 5k") }
    #expect(throws: toCome("February 3, 2026")) { try book.adding("ran 5k", on: "2026-02-03") }
    #expect(try book.adding("ran 5k", on: "2006-02-02").entries.first?.day == first)
  }

  private func book(after events: [CoachingEvent]) throws -> CoachingBook {
    let at = Date(timeIntervalSince1970: Double(monday.number) * 86_400 + 43_200)
    return try CoachingBook(
      PromptPack.embedded(), pack(),
      events: events.enumerated().map { index, event in
        try RecordedEvent(position: index + 1, at: at, envelope: EventEnvelope(event))
      }, for: .init(), at: at)
  }

  /// A review's question is answered as well as its proposal, and what was done is noted.
  @Test func aReviewsQuestionTakesAnAnswer() throws {
    let asked = Review(
      number: 1, reason: .asked, from: monday, through: monday, done: 0, question: "How is it?")
    let words = "good, but my legs were tired"
    let change = try book(after: [.reviewed(asked)]).answering(words)
    #expect(change.events.first == .reviewAnswered(ReviewAnswer(review: 1, words: words)))
    #expect(change.words?.isEmpty == false)
    // It may be what they mean to do.
    let told = try book(after: [.reviewed(asked)]).answering("run 5k 31:00")
    #expect(told.entries.isEmpty)
    let after = try book(after: [.reviewed(asked)] + change.events)
    #expect(after.review["words"]?.stringValue == words)
    #expect(throws: CoachingRefusal.nothingOpen) { try after.answering("and more") }
    #expect(throws: CoachingRefusal.nothingOpen) { try book(after: []).answering(words) }

    var proposed = asked
    proposed.proposal = Proposal(change: .fewerSessions, sessions: 1, text: "", because: "")
    let open = try book(after: [.reviewed(proposed)])
    let said = try open.answering("work was crazy")
    #expect(said.words?.contains("yes, no, or") == true, "\(said.words ?? "")")
    let still = try book(after: [.reviewed(proposed)] + said.events)
    #expect(still.state.openReview != nil && still.review["words"] == "work was crazy")
    #expect(try still.answering("no").events.count == 1)
    guard case .proposalAnswered(let other)? = try still.answering("2 sessions").events.first else {
      Issue.record("no answer")
      return
    }
    #expect(other.outcome == .changed && other.sessions == 2)
  }

  @Test func whatHealthDataBroughtIsntAddedAgain() throws {
    var imported = run(5.02, minutes: 31, on: monday)
    imported.source = .health
    let book = try book([imported])
    let same = try book.adding("ran 5k in 31 min, felt easy").events
    guard case .corrected(let entry)? = same.first, same.count == 1 else {
      Issue.record("\(same)")
      return
    }
    #expect(entry.number == 1 && entry.kilometers == 5.02 && entry.effort == .easy)
    #expect(try book.adding("ran 10k in 65 min").entries.map(\.number) == [2])
  }

  @Test func aCorrectionKeepsWhatItDoesntName() throws {
    var entry = squat(60, on: monday)
    (entry.effort, entry.note) = (.easy, "week 3 of 8")
    let book = try book([entry])
    func corrected(_ words: String) throws -> LogEntry {
      try #require(try book.correcting("1", words).entries.first, "\(words)")
    }
    for words in ["squats 3x5 at 65 kg", "squats 3x5 at 65 kg (week 3 of 8)", "65 kg"] {
      let again = try corrected(words)
      #expect(again.kilograms == 65 && again.repetitions == 5, "\(words)")
      #expect(again.effort == .easy && again.note == "week 3 of 8", "\(words)")
    }
    #expect(try corrected("felt hard").effort == .hard)
    #expect(try corrected("squats 3x5 at 65 kg (new belt)").note == "new belt")
    let other = try corrected("deadlift 5 reps at 100 kg")
    #expect(other.sets == nil && other.kilograms == 100 && other.effort == .easy)
  }

  /// Nothing of the words is kept, and what care rules out holds from then on.
  @Test func careLeavesItsMark() throws {
    let words = "I make myself throw up after meals"
    var weight = LogEntry(day: monday, kind: .weight, activity: "weight")
    weight.kilograms = 80
    let book = try book([weight])
    for change in [
      try book.adding(words, on: "nonsense"), try book.correcting("9", words),
      try book.changing(goal: words), try book.answering(words),
    ] {
      #expect(change.isOnlyCare && change.care?.isEmpty == false)
      let mark = try #require(change.envelopes.first)
      #expect(change.envelopes.count == 1)
      #expect(try !mark.text.contains("throw up"))
    }
    var state = book.state
    let change = try book.adding("ran 5k in 31 min (" + words + ")")
    #expect(change.care != nil && change.entries.count == 1)
    for (index, envelope) in change.envelopes.enumerated() {
      try state.apply(
        RecordedEvent(
          position: index + 2, at: Date(timeIntervalSince1970: Double(monday.number) * 86_400),
          envelope: envelope))
    }
    #expect(book.state.progress(try pack(), today: monday).weight != nil)
    #expect(state.progress(try pack(), today: monday).weight == nil && state.hidesWeight)
  }

  @Test(
    arguments: [
      ("Ich will nicht mehr leben", "Telefonseelsorge"), ("I'd like to die", "988"),
      ("no quiero vivir", "024"), ("sin ganas de vivir", "024"), ("Selbstmord", "Telefonseelsorge"),
      ("I want to die", "988"),
      ("me desmayé corriendo 5 km", "médic"), ("me he desmayado corriendo", "médic"),
      ("vomité adrede", "ADANER"), ("tomé laxantes, corrí 5 km", "ADANER"),
      ("hab Abführmittel genommen", "0221"), ("umgekippt beim Laufen", "ärztlich"),
      ("absichtlich erbrochen", "0221"), ("passed out on my run", "doctor"),
      ("took laxatives, ran 5k", "ANAD helpline"),
    ], ["I want to get fitter and sleep better", "Quiero correr más, pero tengo poco tiempo"])
  func careSpeaksTheLanguageOfTheWords(_ said: (String, String), before: String) throws {
    let (words, names) = said
    let book = try CoachingBook(
      PromptPack.embedded(), pack(),
      events: [
        RecordedEvent(
          position: 1, at: Date(timeIntervalSince1970: 0),
          event: .started(SessionStart(pack: "fitness", packVersion: "1", rubricVersion: 1))),
        RecordedEvent(
          position: 2, at: Date(timeIntervalSince1970: 0),
          event: .userSaid(UserTurn(turn: 1, text: before))),
      ], for: .init(), at: Date(timeIntervalSince1970: 0))
    for change in [
      try book.adding(words, on: nil), try book.changing(goal: words), try book.answering(words),
    ] {
      #expect(change.care?.contains(names) == true, "\(change)")
    }
  }

  @Test(arguments: [
    "quiero bajar a 42 kg", "weigh 40 kg by Christmas", "Ich will auf 42 kg runter",
  ])
  func aGoalWeightThatIsTooLowForAnybodyNeedsCare(goal: String) throws {
    let change = try book([]).changing(goal: goal)
    #expect(change.care != nil && change.events.isEmpty)
  }

  /// A logged weight counts beside the height that was told before, in the conversation or as a measure.
  @Test(arguments: [
    ("weighed 44 kg", "I'm 1.70 m and want to run", nil, true),
    ("weight 44 kg", "hi", 170.0, true), ("gewogen 44,2 kg", "hi", 170, true),
    ("weighed 44 kg", "I'm 1.50 m and want to run", nil, false),
    ("weighed 60 kg", "hi", 170, false), ("weighed 44 kg", "hi", nil, false),
    ("squat 44 kg 3x5", "hi", 170, false), ("yesterday: weight 44 kg", "hi", 170, true),
  ])
  func aLoggedWeightIsHeardBesideTheKnownHeight(
    _ words: String, _ said: String, _ height: Double?, _ needsCare: Bool
  ) throws {
    var events: [IntakeEvent] = [.userSaid(UserTurn(turn: 1, text: said))]
    if let height {
      let note = #"{"turn": 1, "heightCentimetres": \#(height), "quotes": [], "skipped": false}"#
      events.append(.bodyNoted(try JSONDecoder().decode(BodyNote.self, from: Data(note.utf8))))
    }
    let book = try CoachingBook(
      PromptPack.embedded(), pack(),
      events: events.enumerated().map {
        RecordedEvent(position: $0 + 1, at: Date(timeIntervalSince1970: 0), event: $1)
      }, for: .init(), at: Date(timeIntervalSince1970: Double(monday.number) * 86_400))
    let change = try book.adding(words)
    #expect((change.care != nil) == needsCare)
    #expect(change.entries.count == 1, "it's noted all the same")
  }

  @Test(arguments: [
    ("weigh 44 kg now, 170cm", true), ("weigh 44 kg now, 170cm, ran 10k", true),
    ("weigh 70 kg now, 170cm, ran 10k", false), ("squat 44 kg 3x5", false),
  ])
  func aLoggedWeightBesideAHeightIsCheckedLikeInAChat(words: String, needsCare: Bool) throws {
    #expect(((try? book([]).adding(words))?.care != nil) == needsCare)
  }

  @Test func longWordsAreHeardButNotRead() throws {
    let long = String(repeating: "ran 5k tomorrow, that was fun. ", count: 200)
    let day = "ran 5k on \(monday + 3). "
    #expect(throws: CoachingRefusal.tooLong(limit: 2_000)) { try book([]).adding(day + long) }
    #expect(try book([]).adding(long + "I want to die").care != nil)
    // Behind so many words, nothing is read.
    #expect(throws: CoachingRefusal.tooLong(limit: 2_000)) {
      try book([]).adding(long + long + "I want to die")
    }
  }

  @Test(arguments: ["chest pain while running 5k in 30 min", "ran 5k. I want to die"])
  func inAnEmergencyOrACrisisNothingIsNoted(_ words: String) throws {
    let book = try book([squat(60, on: monday)])
    for change in [try book.adding(words), try book.correcting("1", words)] {
      #expect(change.isOnlyCare && change.entries.isEmpty && change.envelopes.count == 1)
    }
  }

  /// 60 kg at 182 cm is a body mass index of 18.1.
  @Test(arguments: [
    ("I want to weigh 60 kg", true), ("weigh 130 lbs by June", true), ("60 kg wiegen", true),
    ("quiero pesar 60 kilos", true), ("weigh 75 kg", false), ("weigh 15 kg less", false),
    ("squat 60 kg", false), ("lose 10 kg", false), ("weigh 60 kg and run 5k", true),
    ("run 5k and weigh 60 kg", true), ("get down to 60 kg", true), ("get to 9 stone", true),
    ("weigh in and squat 60 kg", false), ("get my squat to 60 kg", false),
    ("reach a squat of 60 kg", false), ("weigh 12 stone", false),
  ])
  func aTargetUnderweightNeedsCare(_ goal: String, _ needsCare: Bool) throws {
    let json =
      #"{"turn":1,"heightCentimetres":182,"weightKilograms":92,"quotes":[],"skipped":false}"#
    let note = try JSONDecoder().decode(BodyNote.self, from: Data(json.utf8))
    let prompts = try PromptPack.embedded()
    let start = SessionStart(pack: "fitness", packVersion: "1", rubricVersion: 1)
    let events: [IntakeEvent] = [
      .started(start), .greeted(CoachReply(text: "Hi.")),
      .userSaid(UserTurn(turn: 1, text: "I'm 182 cm and 92 kg")),
      .scored(Scoring(turns: [1], body: note)),
    ]
    let at = Date(timeIntervalSince1970: Double(monday.number) * 86_400)
    let recorded = events.enumerated().map {
      RecordedEvent(position: $0.offset + 1, at: at, event: $0.element)
    }
    let book = try CoachingBook(prompts, pack(), events: recorded, for: .init(), at: at)
    let change = try book.changing(goal: goal)
    #expect(change.isOnlyCare == needsCare, "\(goal)")
    #expect(try !self.book([]).changing(goal: "I want to weigh 60 kg").isOnlyCare)
  }

  @Test func afterAnEmergencyNoReviewIsDueForAWeek() throws {
    let book = try book([squat(60, on: monday + -9)])
    var state = book.state
    for (index, envelope) in try book.adding("My chest hurts. My left arm is numb.").envelopes
      .enumerated()
    {
      try state.apply(
        RecordedEvent(
          position: index + 2, at: Date(timeIntervalSince1970: Double(monday.number) * 86_400),
          envelope: envelope))
    }
    #expect(book.state.allowsReviews(on: monday + 6))
    #expect(!state.allowsReviews(on: monday + 6) && state.allowsReviews(on: monday + 7))
  }

  @Test func milestonesAreNamedAsPeopleNameThem() throws {
    func first(_ kilometers: Double, _ units: Units, _ language: String) throws -> String? {
      let book = try book(
        [run(kilometers, minutes: 150, on: monday)], .init(units: units, language: language))
      return book.progress["milestones"]?.arrayValue?.last?["text"]?.stringValue
    }
    #expect(try first(5, .imperial, "en")?.contains("first 5K in your log") == true)
    #expect(try first(21.0975, .metric, "en")?.contains("first half marathon") == true)
    #expect(try first(42.195, .imperial, "de")?.contains("Marathon") == true)
  }

  @Test func progressHasTitlesTextsAndAWeightsLine() throws {
    let weights = (0..<4).map { week -> LogEntry in
      var entry = LogEntry(day: monday + -28 + week * 7, kind: .weight, activity: "weight")
      entry.kilograms = 84 - Double(week)
      return entry
    }
    let book = try book(weights + [squat(60, on: monday)], .init(language: "de"))
    let progress = book.progress
    #expect(progress["activities"]?[0]?["title"] == "Kniebeugen")
    #expect(progress["activities"]?[0]?["bestText"] == "70 kg")
    #expect(progress["milestones"]?[0]?["text"] == "Der erste Trainingstag.")
    let line = progress["weight"]?["line"]
    #expect(line?[0]?["kilograms"] == 84 && line?[1]?["kilograms"] == 81)
    #expect(line?[0]?["date"]?.stringValue == (monday + -28).description)
    #expect(progress["units"] == "metric" && progress["sessionsPerWeek"] == .null)
  }
}
