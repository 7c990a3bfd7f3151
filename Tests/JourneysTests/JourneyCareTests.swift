import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Signals
import Testing

/// Care comes before anything else, whatever the field.
extension JourneyTests {
  @Test func careComesFirstWhateverTheField() async throws {
    let walk = try Self.walk(Self.name)
    let (engine, _) = try await walk.opened()
    let care = try await engine.answer("I want to kill myself")
    #expect(care.kind == .care && !care.body.isEmpty)
    #expect(try await walk.opened().1.kind == .care)
    #expect(await engine.state.answers["name"] == nil, "it's no name")
    #expect(walk.pack.state(after: await walk.log.events()).careGiven == [.crisis])
    #expect(try await engine.answer(true).step == "name")
    #expect(try await engine.answer("Ann").step == "bye")
  }

  @Test(arguments: [
    #""kind": "number", "min": 1000, "max": 4000"#,
    #""kind": "select", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]"#,
    #""kind": "timeRange", "start": "12:00", "end": "20:00""#,
  ])
  func careComesFirstWhereWordsAreNoAnswer(step: String) async throws {
    let walk = try Self.walk(#"{"id": "it", "field": "it", "title": "Which?", \#(step)}"#)
    let (engine, _) = try await walk.opened()
    #expect(try await engine.answer("I want to kill myself").kind == .care)
    #expect(await engine.state.answers["it"] == nil)
    #expect(try await engine.answer(true).step == "it")
  }

  @Test(arguments: [
    (["Ich will nicht mehr leben"], "Telefonseelsorge"),
    (["Quiero perder diez kilos para mi boda", "suicidio"], "024"),
    (["I want to lose 10 kg for my wedding", "suicide"], "988"),
  ])
  func careSpeaksTheLanguageOfTheWords(words: [String], names: String) async throws {
    let walk = try Self.walk(
      Self.more + #", {"id": "other", "kind": "open", "field": "other", "title": "And?"}"#)
    let (engine, _) = try await walk.opened()
    for earlier in words.dropLast() { _ = try await engine.answer(.string(earlier)) }
    let care = try await engine.answer(.string(words[words.count - 1]))
    #expect(care.kind == .care)
    #expect(care.body.joined().contains(names), "\(care.body)")
  }

  @Test(arguments: [
    #""kind": "open", "field": "it""#, #""kind": "intro", "button": "Go""#,
    #""kind": "signIn", "local": "Stay here""#,
  ])
  func wordsThatCallForHelpAreNoAnswer(step: String) async throws {
    let walk = try Self.walk(#"{"id": "it", "title": "What?", \#(step)}"#)
    let (engine, _) = try await walk.opened()
    #expect(try await engine.answer("I want to kill myself").kind == .care)
    // What is said to the help is heard, too.
    #expect(try await engine.answer("I'm going to kill myself tonight").kind == .care)
    #expect(try await engine.answer(true).step == "it")
    #expect(await engine.state.answers.isEmpty)
    #expect(walk.pack.state(after: await walk.log.events()).ledger.entries.isEmpty)
  }

  private static let more =
    #"{"id": "more", "kind": "open", "field": "more", "title": "What do you want?", "#
    + #""facets": ["goalClarity.outcome"]}"#

  @Test func wordsThatNeedCareAreNoOpenAnswerEither() async throws {
    let walk = try Self.walk(Self.more)
    let (engine, _) = try await walk.opened()
    #expect(try await engine.answer("I want to lose 10 kg. I want to kill myself.").kind == .care)
    #expect(await engine.state.answers["more"] == nil)
    #expect(try await known(walk).isEmpty)
    #expect(walk.pack.state(after: await walk.log.events()).careGiven == [.crisis])
    // The same step is asked again, and what was answered well before stays.
    #expect(try await engine.answer(true).step == "more")
    #expect(try await engine.answer("I want to lose 10 kg.").step == "bye")
    let before = try await known(walk)
    #expect(!before.isEmpty)
    #expect(try await engine.act(.back).step == "more")
    #expect(try await engine.answer("I want to kill myself").kind == .care)
    #expect(try await engine.answer(true).step == "more")
    #expect(await engine.state.answers["more"]?.value == .text("I want to lose 10 kg."))
    #expect(try await known(walk) == before)
  }

  @Test func aWarningSignIsAnAnswerWithCare() async throws {
    let walk = try Self.walk(Self.more)
    let (engine, _) = try await walk.opened()
    let words = "I want to run 10 km. I get chest pain when I run."
    #expect(try await engine.answer(.string(words)).kind == .care)
    #expect(await engine.state.answers["more"]?.value == .text(words))
    #expect(walk.pack.state(after: await walk.log.events()).careGiven == [.medical])
    #expect(try await engine.answer(true).step == "bye")
  }

  @Test func whatIsTypedAtACareTextIsHeard() async throws {
    let walk = try Self.walk(Self.name)
    let (engine, _) = try await walk.opened()
    let first = try await engine.answer("I make myself throw up")
    let crisis = try await engine.answer("I want to kill myself")
    #expect(crisis.kind == .care && crisis.body != first.body)
    #expect(walk.pack.state(after: await walk.log.events()).careGiven.last == .crisis)
    #expect(try await engine.answer("ok").step == "name")
  }

  @Test(arguments: [
    #""kind": "intro""#, #""kind": "explainer""#,
    #""kind": "reveal", "rows": [{"label": "A", "value": "B"}]"#, #""kind": "signIn""#,
    #""kind": "permission", "permission": "notifications", "allow": "Yes", "decline": "No""#,
    #""kind": "choice", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]"#,
  ])
  func careComesFirstWhereNoWordsAreAsked(step: String) async throws {
    let walk = try Self.walk(#"{"id": "it", "title": "It", \#(step)}"#)
    let (engine, _) = try await walk.opened()
    let typed: [JSONValue] = [
      "I want to kill myself", ["email": "I want to kill myself", "consents": []],
    ]
    for words in typed {
      #expect(try await engine.answer(words).kind == .care)
      let shown = try await engine.answer(true)
      #expect(shown.step == "it" && shown.kind != .care && shown.problem == nil)
    }
    #expect(walk.pack.state(after: await walk.log.events()).careGiven == [.crisis, .crisis])
    #expect(await engine.state.permissions.isEmpty)
  }

  @Test func careComesFirstAtACode() async throws {
    let walk = try Self.walk(
      #"{"id": "in", "kind": "signIn", "title": "Email?"}, "#
        + #"{"id": "code", "kind": "verifyCode", "title": "Code?"}"#)
    let (engine, _) = try await walk.opened()
    #expect(try await engine.answer("kim@example.com").step == "code")
    #expect(try await engine.answer("I want to kill myself").kind == .care)
    #expect(try await engine.answer(true).step == "code")
    #expect(try await engine.answer("123456").step == "bye")
  }

  @Test func careComesBeforeAQuestionThatStays() async throws {
    let walk = try Self.walk(Self.reminding)
    let (engine, _) = try await walk.opened()
    try await engine.answer("skip")
    try await engine.answer(true)
    walk.clock.advance(by: 7 * 86_400)
    let (later, due) = try await walk.opened()
    #expect(due.kind == .reminder)
    #expect(try await later.answer("I want to kill myself").kind == .care)
    #expect(try await later.answer(true) == due)
    #expect(try await later.answer("never").kind == .end)
    let asking = try Self.walk(
      Self.name + #", {"id": "two", "kind": "text", "field": "two", "title": "Two?", "#
        + #""back": {"ask": "Go back?"}}"#)
    let (other, _) = try await asking.opened()
    try await other.answer("Kim")
    #expect(try await other.act(.back).kind == .confirmation)
    #expect(try await other.answer("I want to kill myself").kind == .care)
    #expect(try await other.answer(true).kind == .confirmation)
    #expect(try await other.answer("no").step == "two")
  }

  @Test func careComesFirstAtADifference() async throws {
    let walk = try Self.walk(
      Self.name + #", {"id": "edit", "kind": "review", "document": "goal", "title": "Goal", "#
        + #""approve": "Approve"}"#)
    let (engine, _) = try await walk.opened()
    try await engine.answer("Kim")
    let proposed = try await engine.answer("shorter")
    #expect(!proposed.diff.isEmpty)
    #expect(try await engine.answer("I want to kill myself").kind == .care)
    #expect(try await engine.answer(true) == proposed)
    #expect(try await engine.answer("apply").rows.map(\.value) == ["shorter"])
    #expect(try await engine.answer(["edit": "I want to kill myself"]).kind == .care)
  }

  @Test func aMinorGoesNoFurtherUntilTheAgeChanges() async throws {
    let walk = try Self.walk(
      #"{"id": "age", "kind": "stepper", "field": "age", "title": "Age?", "quantity": "age", "#
        + #""min": 13, "max": 100, "initial": 30}"#)
    let (engine, _) = try await walk.opened()
    // Under the step's least age, too.
    for age in ["15", "9", "I'm 12 years old"] {
      #expect(try await engine.answer(.string(age)).kind == .care)
      #expect(try await engine.answer(true).step == "age")
      #expect(try await engine.answer(true).kind == .care)
      try await engine.answer(true)
    }
    #expect(try await engine.answer("0").problem == "Enter an age from 13 to 100.")
    #expect(try await engine.answer("150").problem == "Enter an age from 13 to 100.")
    #expect(try await engine.answer("35").step == "bye")
  }
}
