import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Testing

/// Signing in within a journey, agreeing, and keeping everything here.
struct JourneySignInTests {
  @Test func signingInNeedsAnAddressAndEveryConsent() async throws {
    let walk = try JourneyTests.walk(
      #"{"id": "in", "kind": "signIn", "title": "Email?", "invalid": "No address.", "#
        + #""consents": [{"id": "terms", "label": "Terms"}, {"id": "privacy", "label": "Privacy"}]}, "#
        + #"{"id": "code", "kind": "verifyCode", "title": "Code for {{email}}?"}"#)
    let (engine, first) = try await walk.opened()
    #expect(first.button?.isEnabled == false)
    #expect(
      try await engine.answer(["email": "kim@", "consents": ["terms"]]).problem == "No address.")
    let missing = try await engine.answer(["email": "kim@example.com"])
    #expect(missing.problem == "Please confirm this to go on: “Privacy”")
    #expect(walk.accounts.sent.isEmpty)
    // What was typed stays, and the button takes it.
    #expect(missing.input == .email(placeholder: nil, value: "kim@example.com"))
    let kept = try await engine.answer(["consents": ["terms"]])
    #expect(kept.input == .email(placeholder: nil, value: "kim@example.com"))
    // What is sent is all that is agreed to.
    let other = try await engine.answer(["email": "kim@example.com", "consents": ["privacy"]])
    #expect(other.problem == "Please confirm this to go on: “Terms”")
    #expect(other.consents.map(\.isGiven) == [false, true])
    _ = try await engine.answer(["consents": []])
    #expect(await engine.state.account.consents.isEmpty)
    #expect(try await walk.opened().1.consents.allSatisfy { !$0.isGiven })
    let code = try await engine.answer([
      "email": "kim@example.com", "consents": ["terms", "privacy"],
    ])
    #expect(code.title == "Code for kim@example.com?")
    #expect(walk.accounts.sent == ["kim@example.com"])
    #expect(await Set(engine.state.account.consents.keys) == ["terms", "privacy"])
    #expect(try await engine.answer("000000").problem == "That code is wrong or has expired.")
    #expect(try await engine.answer("12345").problem == "The code has 6 digits.")
    #expect(try await engine.answer("12345678901").problem == "The code has 6 digits.")
    // Another length is for the project to judge.
    #expect(
      try await engine.answer("9352 5891").problem == "That code is wrong or has expired.")
    #expect(try await engine.answer("resend").problem?.contains("seconds") == true)
    walk.clock.advance(by: 30)
    #expect(try await engine.answer("resend").problem == nil)
    #expect(walk.accounts.sent.count == 2)
    #expect(try await engine.answer("different").step == "in")
    try await engine.answer(["email": "lee@example.com"])
    #expect(try await engine.answer("123 456").step == "bye")
    #expect(await engine.state.account.email == "lee@example.com")
  }

  private static let agreeing =
    #"{"id": "in", "kind": "signIn", "title": "Email?", "#
    + #""consents": [{"id": "terms", "label": "Terms"}]}, "#
    + #"{"id": "code", "kind": "verifyCode", "title": "Code?"}"#

  /// Elsewhere, such as in an account command, nobody asked for this journey's consents.
  @Test func whoIsSignedInAlreadyIsAskedForTheConsentsOnly() async throws {
    for signsInFirst in [true, false] {
      let walk = try JourneyTests.walk(Self.agreeing)
      if !signsInFirst { _ = try await walk.opened() }
      _ = try walk.accounts.verify(TestAccounts.code, for: "kim@example.com")
      let (engine, screen) = try await walk.opened()
      #expect(screen.step == "in" && screen.button?.isEnabled == false)
      #expect(screen.input == .email(placeholder: nil, value: "kim@example.com"))
      #expect(try await engine.answer(true).problem == "Please confirm this to go on: “Terms”")
      #expect(try await engine.answer(["consents": ["terms"]]).step == "bye")
      #expect(await Set(engine.state.account.consents.keys) == ["terms"])
      #expect(walk.accounts.sent.isEmpty)
    }
  }

  @Test func whoIsSignedInAndDoesNotAgreeKeepsItHere() async throws {
    let walk = try JourneyTests.walk(Self.agreeing)
    _ = try walk.accounts.verify(TestAccounts.code, for: "kim@example.com")
    let (engine, _) = try await walk.opened()
    #expect(try await engine.answer("local").step == "bye")
    #expect(await engine.state.account.isLocal)
  }

  @Test func whoKeepsItHereAfterSigningInIsSignedOutAndSendsNothing() async throws {
    let walk = try JourneyTests.walk(
      #"{"id": "in", "kind": "signIn", "title": "Email?"}, "#
        + #"{"id": "code", "kind": "verifyCode", "title": "Code?", "sync": ["intake"]}, "#
        + #"{"id": "again", "kind": "signIn", "title": "Email?", "#
        + #""consents": [{"id": "terms", "label": "Terms"}]}"#)
    let (engine, _) = try await walk.opened()
    try await engine.answer("kim@example.com")
    #expect(try await engine.answer(.string(TestAccounts.code)).step == "again")
    #expect(walk.sync.items.map(\.kind) == [.intake])
    #expect(try await engine.answer("local").step == "bye")
    #expect(walk.sync.items.isEmpty && walk.accounts.current() == nil)
    let account = await engine.state.account
    #expect(account.isLocal && account.email == nil)
    // Signing in elsewhere doesn't change that.
    _ = try walk.accounts.verify(TestAccounts.code, for: "kim@example.com")
    let (later, _) = try await walk.opened()
    #expect(await later.state.account.isLocal)
    #expect(walk.sync.items.isEmpty)
  }

  @Test func withoutAServiceEverythingStaysHere() async throws {
    let walk = try JourneyTests.walk(
      #"{"id": "in", "kind": "signIn", "title": "Email?", "localNote": "It would sync.", "#
        + #""consents": [{"id": "terms", "label": "Terms"}]}, "#
        + #"{"id": "code", "kind": "verifyCode", "title": "Code?"}"#,
      accounts: TestAccounts(isAvailable: false))
    let (engine, screen) = try await walk.opened()
    #expect(screen.body == ["It would sync."])
    #expect(screen.options.map(\.id) == ["local"] && screen.input == nil)
    // Nobody was shown what to agree to.
    try await engine.answer(["email": "kim@", "consents": ["terms"]])
    #expect(await engine.state.account.consents.isEmpty)
    #expect(try await engine.answer("local").step == "bye")
    #expect(await engine.state.account.isLocal)
  }

  @Test(arguments: [
    ".kim@x.com", "kim.@x.com", "k..m@x.com", "kim@-example.com", "kim@example-.com", "x@example.c",
    "x@example.42", "kim@exa_mple.com", "kim@example", "kim@.com", "a@b@c.de", "k im@x.com",
    "@x.com",
    "\"kim\"@x.com",
  ])
  func whatNoProviderTakesIsNoAddress(text: String) {
    #expect(!JourneyEngine.isEmail(text))
  }

  @Test(arguments: [
    "kim@x.com", "k.i-m+tag@mail.example.co.uk", "o'kim@example.museum", "kim@7.com",
  ])
  func anAddressIsOne(text: String) {
    #expect(JourneyEngine.isEmail(text))
  }
}
