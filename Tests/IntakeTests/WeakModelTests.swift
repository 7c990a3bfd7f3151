import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import LanguageModels
import Signals
import Synchronization
import Testing

@testable import Intake

/// What becomes of a model that is too small.
struct WeakModelTests {
  private func passed(_ text: String, asked: Int, pieces: Int) -> (shown: String, kept: String) {
    var words = ReplyWords(asked: asked)
    var shown = ""
    var rest = text[...]
    while !rest.isEmpty {
      shown += words.pass(String(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    return (shown + words.finish(), words.passed)
  }

  @Test(arguments: [1, 3, 1_000])
  func aReplyEndsWithItsLastWholeSentence(pieces: Int) {
    let text = (1...40).map { "Sentence number \($0)." }.joined(separator: " ")
    let (shown, kept) = passed(text, asked: 10, pieces: pieces)
    #expect(shown == (1...10).map { "Sentence number \($0)." }.joined(separator: " "))
    #expect(kept == shown)
    #expect(passed(text, asked: 40, pieces: pieces).kept == text)
  }

  /// Half a question doesn't count as asked.
  @Test func aReplyThatCannotBeEndedIsACut() async throws {
    let endless = String(repeating: "and then we walk a little further, ", count: 400)
    let session = try await ScriptedSession { request in
      request.purpose == .greet
        ? .text("Hey! " + endless) : UsualConversation.script(request)
    }
    try await session.open()
    #expect(session.messages.first?.cut == .tooLarge)
    #expect(session.notices.map(\.code) == ["reply-endless"])
  }

  @Test(arguments: [1, 3, 1_000])
  func whatGoesRoundIsKeptOnce(pieces: Int) {
    let text = "Hello. " + String(repeating: "What would you like to change? ", count: 20)
    let kept = passed(text, asked: 200, pieces: pieces).kept
    #expect(kept.trimmed == "Hello. What would you like to change?")
  }

  @Test(arguments: [
    "Run, rest, run, rest, run, rest, run.", "No, no, no, no, no, no!",
    "---------------------------------",
    "Monday: 5 km.\nTuesday: 5 km.\nWednesday: 5 km.\n",
  ])
  func ordinaryRepetitionIsNone(text: String) {
    #expect(passed(text, asked: 200, pieces: 1).shown.trimmed == text.trimmed)
  }

  private static let long =
    "My knee hurts on stairs since March, so I'd rather walk, and I want to do ten kilometres by summer"

  /// - Parameter pieces: The characters that arrive at once.
  private func watched(_ answer: String, pieces: Int = 7) -> (reason: String?, read: Int) {
    var watch = ReadingWatch(said: ["hi", Self.long], QuoteWords())
    var (rest, read) = (answer[...], 0)
    while !rest.isEmpty, watch.reason == nil {
      watch.receive(String(rest.prefix(pieces)))
      read += rest.prefix(pieces).count
      rest = rest.dropFirst(pieces)
    }
    return (watch.reason, read)
  }

  private func answer(_ quotes: [String]) -> String {
    let items = quotes.map { #"{"facet":"a.b","turn":2,"quote":"\#($0)","about":"self"}"# }
    return #"{"evidence":["# + items.joined(separator: ",") + "]}"
  }

  /// A quote in other spelling, a cut one and a short invention beside good ones are left to the check.
  @Test(arguments: [1, 7, 10_000])
  func aReadingOfTheirWordsGoesOn(pieces: Int) {
    let quotes = [
      Self.long, "my kne hurts on the stairs", "ten kilometers by summer", "I'd rather walk",
      "he loves long bike tours in the Alps", "My knee hurts … by summer",
    ]
    #expect(watched(answer(quotes), pieces: pieces).reason == nil)
  }

  @Test(arguments: [1, 7, 10_000])
  func aQuoteThatLeavesTheirWordsEndsTheReading(pieces: Int) {
    let invented = (0..<200).map { "word\($0)" }.joined(separator: " ")
    let (reason, read) = watched(answer(["My knee hurts and " + invented]), pieces: pieces)
    #expect(reason?.contains("isn't what the user wrote") == true)
    #expect(pieces > 7 || read < 250)
  }

  @Test func aQuoteThatOutgrowsTheirWordsEndsTheReading() {
    let (reason, read) = watched(
      answer([String(repeating: Self.long + "\\n", count: 72)]))
    #expect(reason?.contains("isn't what the user wrote") == true)
    #expect(read < 400)
  }

  @Test func aReadingOfInventionsAloneEnds() {
    let invented = (0..<500).map { "I love number \($0) of the bikes in Rome" }
    let (reason, read) = watched(answer(invented))
    #expect(reason?.contains("none of its quotes") == true)
    #expect(read < 1_500)
  }

  @Test func aReadingThatRepeatsItselfEnds() {
    let item = #"{"facet":"a.b","turn":1},"#
    #expect(watched(String(repeating: item, count: 5)).reason == nil)
    let (reason, read) = watched(String(repeating: item, count: 1_000))
    #expect(reason?.contains("repeats") == true)
    #expect(read < 1_600)
    let different = (0..<1_000).map { #"{"facet":"a.b","turn":\#($0)},"# }.joined()
    #expect(watched(different).reason == nil)
  }

  @Test func whatWasReadBeforeALoopCounts() async throws {
    let item = #"{"facet":"goalClarity.outcome","turn":1,"quote":"walk ten kilometres"},"#
    let session = try await ScriptedSession { request in
      request.purpose == .score
        ? .text(#"{"evidence":["# + String(repeating: item, count: 500))
        : UsualConversation.script(request)
    }
    try await session.open()
    try await session.say("I want to walk ten kilometres")
    #expect(await session.state.ledger.known == [Facet(component: "goalClarity", name: "outcome")])
  }

  private func roles(_ room: ServerRoom) -> ModelRoles {
    ModelRoles(all: ScriptedModel(room: room, answer: { _ in nil }))
  }

  private func reading(_ window: Int?, _ messages: [Transcript.Message]) throws -> ModelRequest {
    let transcript = Transcript(messages)
    var pass = ScoringPass(
      pack: try PromptPack.embedded(),
      model: ScriptedModel(room: ServerRoom(window: window), answer: { _ in nil }),
      transcript: transcript, ledger: Ledger(), turns: [transcript.userTurns.count])
    pass.person = PersonReading(understanding: Understanding())
    return try pass.request()
  }

  /// Its window decides: nobody sets anything. 1,900 tokens of this English are about 7,400 bytes.
  @Test(arguments: [2_048, 4_096])
  func aSmallWindowGetsAShortReading(window: Int) throws {
    let words = String(repeating: "I want to walk further each week. ", count: 400)
    let long: [Transcript.Message] = [.init(.coach, words), .init(.user, words + "That's all.")]
    let request = try reading(window, long)
    let text = request.messages.map(\.text).joined()
    #expect(request.system.utf8.count + text.utf8.count < 7_400)
    #expect(text.contains("That's all."))
    #expect(request.schema?.json.contains("\"care\"") == true)
    #expect(request.schema?.json.contains("\"stated\"") == true)
    for whole in [nil, 8_192] {
      #expect(try reading(whole, long).messages.map(\.text).joined().contains(words))
    }
  }

  /// On a server that does one thing at a time, the question would hold up the reading.
  @Test(arguments: [(1, true), (4, false), (nil, false)])
  func aServerWithOneSlotReadsFirst(slots: Int?, readsFirst: Bool) throws {
    let coach = ModelCoach(pack: try PromptPack.embedded(), models: roles(ServerRoom(slots: slots)))
    #expect(coach.readsFirst == readsFirst)
  }

  /// A model can take a plain wish for something to decline. Urgent kinds stay, whatever is said.
  @Test(arguments: [("decline", []), ("medical", []), ("crisis", [CareKind.crisis])])
  func careThatWasAMistakeCanBeTakenBack(kind: String, kept: [CareKind]) async throws {
    let session = try await ScriptedSession { request in
      guard request.purpose == .score else { return UsualConversation.script(request) }
      let isFirst = request.messages.last?.text.contains("\"newUserTurns\": [1]") == true
      return .text(
        isFirst
          ? Evidences.json([], care: kind, careQuote: "walk 10 km")
          : Evidences.json([], acts: [("corrects", "", 2, "I only want to walk")]))
    }
    try await session.open()
    try await session.say("I want to walk 10 km")
    #expect(await session.state.careGiven == [CareKind(rawValue: kind)])
    try await session.say("You got that wrong, I only want to walk")
    #expect(await session.state.careGiven == kept)
  }

  @Test(arguments: [("decline", []), ("emergency", [CareKind.emergency])])
  func careWithoutTheirWordsCountsOnlyIfItIsUrgent(kind: String, given: [CareKind]) async throws {
    let session = try await ScriptedSession { request in
      request.purpose == .score
        ? .text(Evidences.json([], care: kind, careQuote: "a dose of steroids"))
        : UsualConversation.script(request)
    }
    try await session.open()
    try await session.say("I want to walk 10 km")
    #expect(await session.state.careGiven == given)
  }

  @Test func thePaywallClaimsNoUnderstandingWhileLittleIsKnown() throws {
    let pack = try PromptPack.embedded()
    for language in [nil] + pack.translations.all {
      let titles = try [true, false].map { isLittle in
        try pack.paywall(insight: "", held: 0, isLittle: isLittle, language).title
      }
      #expect(titles[0] != titles[1])
      #expect(titles.allSatisfy { !$0.isEmpty && !$0.contains("{") })
    }
    #expect(try pack.paywall(insight: "", held: 0, isLittle: false).title.contains("gets you"))
    #expect(try !pack.paywall(insight: "", held: 0, isLittle: true).title.contains("gets you"))
  }

  @Test func theHeadlineOfThePaywallSpeaksOfThePerson() throws {
    let pack = try PromptPack.embedded()
    func title(_ goal: String, _ language: Translation? = nil, isLittle: Bool = false) throws
      -> String
    {
      try pack.paywall(insight: "", held: 0, isLittle: isLittle, goal: goal, language).title
    }
    for language in [nil] + pack.translations.all {
      let short = try title("drop 20 lbs by June (2027-06-14).", language)
      #expect(short.contains(#/^[“„«]Drop 20 lbs by June[”“»]: /#), "\(short)")
    }
    #expect(try !title("drop 20 lbs", isLittle: true).contains("20"))
    let long = String(repeating: "run and ", count: 20)
    #expect(try title(long).hasPrefix("Your coach"))
  }

  @Test(arguments: [false, true])
  func afterADisclosureTheHeadlineNamesNoGoal(isDisclosed: Bool) async throws {
    let pack = try ScriptedSession.pack.get()
    var system = CoachingSystem()
    system.userGoals.primary = "Drop 20 lbs"
    let care = CareAnswer(turn: 1, kind: .medical, name: "medical", text: "See a doctor.")
    let known = pack.rubric.facets.map { Evidence(facet: $0.facet, quote: "hello", turn: 1) }
    let events: [IntakeEvent] =
      [
        .started(
          SessionStart(
            pack: pack.name, packVersion: pack.version, rubricVersion: pack.rubric.version)),
        .userSaid(UserTurn(turn: 1, text: "hello")), .scored(Scoring(turns: [1], evidence: known)),
      ] + (isDisclosed ? [.cared(care)] : [])
      + [
        .synthesised(Synthesis(system: system, throughTurn: 1, isMinimal: false)),
        .summarised(CoachReply(text: "Here's what I heard.")), .discoveryCompleted,
      ]
    let session = try await ScriptedSession(
      events: events.enumerated().map { index, event in
        RecordedEvent(
          position: index + 1, at: Date(timeIntervalSince1970: 1_799_999_900), event: event)
      }, UsualConversation.script)
    try await session.open()
    let title = try #require(session.paywalls.first?.title)
    #expect(title.contains("20 lbs") != isDisclosed, "\(title)")
  }

  private static func claiming(_ quote: String) -> ModelReply {
    .text(Evidences.json([("goalClarity.outcome", 1, quote)]))
  }

  /// A new process handles each message, as on a server.
  @Test func threePoorReadingsInARowAreSaidOnce() async throws {
    let readings: [(String, ModelReply, isSaid: Bool)] = [
      ("I want to swim a mile", .failing(.promptTooLong), false),
      ("I get up at six", Self.claiming("a horse in Rome"), false),
      ("I want to swim a mile, really", Self.claiming("swim a mile"), false),
      ("my shifts change", .failing(.badRequest), false),
      ("hm", .text(Evidences.json([])), false),
      ("there is a lake", Self.claiming("a boat in Oslo"), false),
      ("I like it there", .text("Sure! Here is the JSON:"), true),
      ("in the evening", .failing(.badRequest), false),
    ]
    var events: [RecordedEvent] = []
    for (words, reading, isSaid) in readings {
      let session = try await ScriptedSession(
        settings: IntakeSettings(maxTurns: 20), events: events
      ) { $0.purpose == .score ? reading : UsualConversation.script($0) }
      try await session.open()
      try await session.say(words)
      #expect(
        session.notices.contains { $0.code == "model-listens-poorly" } == isSaid, "\(words)")
      events = await session.log.events()
    }
  }

  /// A server that couldn't be reached says nothing about its model.
  @Test func whatNobodyReadCountsForNothing() {
    var listening = Listening()
    for kind in [ScoringFailure.Kind.unread, .unread, .promptCut, .unread] {
      listening.hear(Scoring(turns: [1], failure: ScoringFailure(kind, "")))
    }
    #expect(!listening.isPoor)
  }

  private func weak(_ reader: QuickReader?) async throws -> ScriptedSession {
    let session = try await ScriptedSession(
      settings: IntakeSettings(maxTurns: 20), surroundings: Surroundings(reader: reader)
    ) { request in
      guard request.purpose == .score else { return UsualConversation.script(request) }
      let knows = request.messages.contains { $0.text.contains("a bigger model now") }
      return knows ? Self.claiming("row across a lake") : .failing(.badRequest)
    }
    try await session.open()
    for words in ["I want to row across a lake", "before I turn 50", "I have a boat"] {
      try await session.say(words)
    }
    return session
  }

  @Test func theProgramsOwnReaderGoesOnForTheScore() async throws {
    let session = try await weak(.finding("goalClarity.timeframe", "exercisePreferences.access"))
    let state = await session.state
    #expect(
      state.ledger.known.map(\.description).sorted() == [
        "exercisePreferences.access", "goalClarity.timeframe",
      ])
    let scored = await session.log.events().compactMap { event in
      if case .scored(let scoring) = event.event { scoring } else { nil }
    }
    #expect(scored.map(\.reader) == [nil, nil, "glance"])
    #expect(scored.last?.turns == [1, 2, 3])
    #expect(scored.last?.points == state.components().points)
    #expect(state.components().points > 0)
    // What it found is told to nobody.
    #expect(state.ledger.sure.isEmpty)
    #expect(
      state.ledger.evidence(for: state.ledger.known.first ?? .init(component: "", name: "")) == nil)
    #expect(
      try await session.engine.paywall().title
        == session.engine.pack.paywall(
          insight: "", held: 0, isLittle: true
        ).title)
    let question = session.model.requests(for: .ask).last
    #expect(question?.system.contains("a lake\"") == false)

    try await session.say("I use a bigger model now")
    let after = await session.state
    #expect(after.ledger.known.map(\.description) == ["goalClarity.outcome"])
    #expect(after.ledger.sure == after.ledger.known)
  }

  @Test func withoutAReaderThereIsNoScore() async throws {
    let session = try await weak(nil)
    #expect(await session.state.ledger.known.isEmpty)
    #expect(await session.state.phase.name == .discovering)
  }

  /// A glance counts for the score, and promises no more than a careful start.
  @Test func aGlanceIsNoUnderstanding() async throws {
    let pack = try PromptPack.embedded()
    let all = pack.rubric.facets.map(\.facet.description)
    let reader = QuickReader(name: "glance") { transcript, known in
      QuickReading(
        evidence: all.compactMap { Facet($0) }.filter { !known.contains($0) }.map {
          Evidence(facet: $0, quote: "row", turn: transcript.userTurns.count)
        })
    }
    let session = try await weak(reader)
    #expect(await session.state.synthesis?.isMinimal == true)
    #expect(await session.state.isProfileCurrent)
  }
}
