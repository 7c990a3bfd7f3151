import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Rehearsal
import Synchronization
import Testing

/// Signs in anybody with the code 123456, and remembers what it was asked.
final class TestAccounts: AccountService {
  static let code = "123456"
  let isAvailable: Bool
  private struct State {
    var account: Account?
    var sent: [String] = []
    var sendsOnce = false
    var held: Result<SyncedJourney?, AccountError> = .success(nil)
  }
  private let state = Mutex(State())

  /// - Parameter email: Of somebody who signed in before.
  init(isAvailable: Bool = true, signedIn email: String? = nil) {
    self.isAvailable = isAvailable
    if let email { state.withLock { $0.account = Account(id: "u1", email: email) } }
  }

  var sent: [String] { state.withLock(\.sent) }
  /// What the account answers when it's asked for a journey.
  func hold(_ held: Result<SyncedJourney?, AccountError>) { state.withLock { $0.held = held } }
  func synced(
    _ journey: String, of pack: String, in row: String?
  ) throws(AccountError) -> SyncedJourney? {
    try state.withLock(\.held).get()
  }
  func current() -> Account? { state.withLock(\.account) }
  func sendCode(to email: String) throws(AccountError) {
    if email.hasPrefix("nobody") {
      throw AccountError(code: "email-invalid", words: "I can't send anything to \(email).")
    }
    let isTooSoon = state.withLock { state in
      if state.sendsOnce, state.sent.contains(email) { return true }
      state.sent.append(email)
      return false
    }
    guard !isTooSoon else {
      throw AccountError(
        code: AccountError.tooSoon,
        words: "I can send the next code in 41 seconds. The one you have still works.",
        retryAfter: 41)
    }
  }
  /// From now on, an address gets one code.
  func sendOnce() { state.withLock { $0.sendsOnce = true } }
  func signOut() { state.withLock { $0.account = nil } }
  func verify(_ code: String, for email: String) throws(AccountError) -> Account {
    guard code == Self.code else {
      throw AccountError(code: "otp-expired", words: "That code is wrong or has expired.")
    }
    let account = Account(id: "u1", email: email)
    state.withLock { $0.account = account }
    return account
  }
}

/// Drafts a document of two rows. The edit "no squats" contradicts.
struct TestDrafter: DocumentDrafter {
  var source = DraftedDocument.template

  func draft(
    _ kind: DocumentKind, from facts: DraftFacts,
    show: @escaping @Sendable (DraftedDocument) -> Void
  ) -> DraftedDocument {
    DraftedDocument(
      kind: kind, json: "{\"answers\": \(facts.answers.count)}",
      rows: [.init(label: "Title", value: kind.rawValue)],
      values: ["primary": "a goal", "first": "Monday, 18:00"], source: source,
      note: "This is a template.")
  }

  func reply(
    to words: String, at document: DraftedDocument, proposed: DocumentEdit?, facts: DraftFacts
  ) -> DocumentReply {
    var changed = document
    changed.rows = [.init(label: "Title", value: words)]
    changed.json = (["title": .string(words)] as JSONValue).serialized()
    return .change(
      DocumentEdit(
        words: words, document: changed,
        diff: [.init(.removed, document.rows[0].value), .init(.added, words)],
        contradiction: words == "no squats" ? "You wanted strong legs." : nil))
  }
}

final class TestProfiles: ProfileStore {
  struct Full: Error {}
  private let state = Mutex<(rows: [ProfileRow], fails: Bool)>(([], false))
  var rows: [ProfileRow] { state.withLock(\.rows) }
  func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }
  func write(_ row: ProfileRow) throws {
    try state.withLock { state in
      if state.fails { throw Full() }
      state.rows.append(row)
    }
  }
}

final class TestSync: SyncQueue {
  struct Full: Error, CustomStringConvertible { let description = "the disk is full" }
  private let state = Mutex<(items: [SyncItem], fails: Bool)>(([], false))
  var items: [SyncItem] { state.withLock(\.items) }
  func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }
  func enqueue(_ item: SyncItem) throws {
    try state.withLock { state in
      if state.fails { throw Full() }
      state.items.append(item)
    }
  }
  func withdraw() { state.withLock { $0.items = [] } }
}

struct AllPermissions: PermissionService {
  func isAvailable(_ permission: Permission) -> Bool { true }
  func request(_ permission: Permission) -> Bool { true }
}

/// A journey in memory, with somebody walking through it.
final class TestWalk: Sendable {
  let journey: Journey
  let pack: PromptPack
  let log: InMemorySessionLog
  let accounts: TestAccounts
  let profiles = TestProfiles()
  let sync = TestSync()
  let clock: TestClock
  let permissions: any PermissionService
  let drafter: any DocumentDrafter
  /// Reads by patterns unless a test needs the encoder, which costs a second a message here.
  let coach: CoachChoice

  init(
    _ journey: Journey, pack: PromptPack, accounts: TestAccounts = TestAccounts(),
    clock: TestClock = TestClock(), permissions: any PermissionService = AllPermissions(),
    drafter: any DocumentDrafter = TestDrafter(), coach: CoachChoice = .patternRehearsal,
    events: [RecordedEvent] = []
  ) {
    self.coach = coach
    (self.journey, self.pack, self.accounts) = (journey, pack, accounts)
    (self.clock, self.permissions, self.drafter) = (clock, permissions, drafter)
    log = InMemorySessionLog(events)
  }

  /// The journey as a process finds it that has just been started.
  ///
  /// - Parameter log: Nil for the walk's own.
  func engine(
    log other: InMemorySessionLog? = nil, startsOver: Bool = false
  ) async throws -> JourneyEngine {
    try await JourneyEngine(
      journey, pack: pack, log: other ?? log,
      providers: JourneyProviders(
        account: accounts, drafter: drafter, sync: sync, profiles: profiles,
        permissions: permissions, now: { [clock] in clock.now() },
        timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt, startsOver: startsOver))
  }

  /// Opens it and waits for drafts.
  func opened(
    looksElsewhere: Bool = false
  ) async throws -> (JourneyEngine, JourneyScreen) {
    let engine = try await engine()
    var screen = try await engine.open(looksElsewhere: looksElsewhere)
    while screen.isBusy { screen = try await engine.settle() }
    return (engine, screen)
  }

  /// Talks with the rehearsal coach until the journey goes on.
  func talk(
    _ engine: JourneyEngine, entitlement: InMemoryEntitlement = InMemoryEntitlement()
  ) async throws -> JourneyScreen {
    guard let input = await engine.conversation else { return await engine.screen }
    let intake = try await IntakeEngine(
      log: log, coach: coach, pack: pack, settings: await engine.intakeSettings(for: input),
      entitlements: entitlement, now: { [clock] in clock.now() })
    try await intake.open(show: { _ in })
    var screen = try await engine.conversationAdvanced()
    for line in Self.lines where await engine.conversation != nil {
      let state = await intake.state
      if state.shownPhase == .paywall {
        #expect(await engine.conversation != nil)
        #expect(await entitlement.current() == nil)
        try await intake.continueAfterPaywall(show: { _ in })
      } else {
        let text =
          switch state.pending {
          case .offer: "1"
          case .body: "skip"
          case .confirmation: "let's go"
          case .question, .nothing:
            // The pattern reader takes a bare line as an answer only to what was asked.
            state.askedFacets.contains(.body) ? "I'm 42, 180 cm and 92 kg." : line
          }
        try await intake.say(text, show: { _ in })
      }
      screen = try await engine.conversationAdvanced()
    }
    while screen.isBusy { screen = try await engine.settle() }
    return screen
  }

  private static let lines =
    [
      "I want to lose 10 kg by June so I can keep up with my kids.",
      "My knee hurts when I squat, and after work I'm too tired to start.",
      "I like swimming and hate running. I have dumbbells at home.",
      "I work nine to five and could train Tuesday and Thursday evenings.",
      "I'm 180 cm and 92 kg, and I walk about 5,000 steps a day.",
    ] + Array(repeating: "I'd rather not say.", count: 30)
}

extension Facet {
  fileprivate static let body = Facet(component: "currentState", name: "body")
}

extension JourneyEngine {
  /// Answers, then waits for drafts.
  @discardableResult
  func answer(_ value: JSONValue) async throws -> JourneyScreen {
    try await act(.answer(value))
  }

  @discardableResult
  func act(_ input: JourneyInput) async throws -> JourneyScreen {
    var screen = try await take(input)
    while screen.isBusy { screen = try await settle() }
    return screen
  }
}
