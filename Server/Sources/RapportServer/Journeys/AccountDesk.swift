public import FoundationEssentials
import IncrementalJSON
import Journeys
public import Logging
public import SessionStore
public import Supabase
import Sync

/// People's accounts at a Supabase project: who has signed in within a journey, and what is sent there.
///
/// Sign-ins and rows are in the store, so they outlive the server. Sending happens in the background, one
/// run at a time for a person, and nothing waits for it.
public actor AccountDesk {
  private struct Known {
    let account: SupabaseAccount
    var usedAt = ContinuousClock.now
  }

  /// Somebody whose rows cannot be sent for now, such as while the project is away.
  private struct Pause {
    var until: Date
    var failures: Int
  }

  private let client: SupabaseClient
  private let store: any ConversationStore
  private let logger: Logger
  private let now: @Sendable () -> Date
  private var known: [PersonID: Known] = [:]
  private var sending: [PersonID: Task<Void, Never>] = [:]
  private var hasMore: Set<PersonID> = []
  private var pauses: [PersonID: Pause] = [:]
  private var round: Task<Void, Never>?
  private var isStopping = false

  /// How many people's rows a round sends at once.
  private static let width = 8
  /// How long an account that nobody uses is remembered. The store has everything but its pauses.
  private static let memory = Duration.seconds(1_800)

  public init(
    _ client: SupabaseClient, store: any ConversationStore, logger: Logger,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.client, self.store, self.logger, self.now) = (client, store, logger, now)
  }

  /// The person's account, whether they have signed in or not.
  func account(of person: PersonID) -> SupabaseAccount {
    if let account = known[person]?.account {
      known[person]?.usedAt = .now
      return account
    }
    let account = SupabaseAccount(client, keeper: store.belonging(to: person).signInKeeper)
    known[person] = Known(account: account)
    return account
  }
}

// Sending.
extension AccountDesk {
  /// Sends what is due to a person's account, soon.
  nonisolated func send(for person: PersonID) {
    Task { await begin(person, now: true) }
  }

  /// Looks for rows whose time has come, those of an earlier start among them.
  func tick() {
    known = known.filter {
      sending[$0.key] != nil || .now - $0.value.usedAt < Self.memory
    }
    guard round == nil, !isStopping else { return }
    round = Task {
      await sendDue()
      round = nil
    }
  }

  private func sendDue() async {
    do throws(StoreError) {
      let people = try await store.peopleWithRows(dueBy: now())
      await withTaskGroup(of: Void.self) { group in
        for (place, person) in people.enumerated() where !Task.isCancelled {
          if place >= Self.width { await group.next() }
          group.addTask { await self.begin(person, now: false)?.value }
        }
      }
    } catch {
      logger.warning("Couldn't look for rows to sync", metadata: ["error": "\(error)"])
    }
  }

  /// - Parameter now: Whether to try although the last attempt failed a moment ago.
  @discardableResult
  private func begin(_ person: PersonID, now isUrgent: Bool) -> Task<Void, Never>? {
    guard !isStopping else { return nil }
    if let task = sending[person] {
      if isUrgent { hasMore.insert(person) }
      return task
    }
    if !isUrgent, let pause = pauses[person], pause.until > now() { return nil }
    let task = Task {
      repeat {
        hasMore.remove(person)
        await run(person)
      } while hasMore.contains(person) && !Task.isCancelled
      sending[person] = nil
    }
    sending[person] = task
    return task
  }

  private func run(_ person: PersonID) async {
    let run = SyncRun(
      store.belonging(to: person).outbox, to: account(of: person), now: now)
    do throws(StoreError) {
      let report = try await run.run(onlyDue: true)
      // Rows that nobody has signed in for wait for that.
      guard let problem = report.stopped, problem.code != .notSignedIn else {
        pauses[person] = nil
        return
      }
      hold(person, problem.wait)
      logger.notice("Sync goes on later", metadata: ["reason": "\(problem.code.rawValue)"])
    } catch {
      hold(person, nil)
      logger.warning("Couldn't read or mark rows to sync", metadata: ["error": "\(error)"])
    }
  }

  private func hold(_ person: PersonID, _ wait: Duration?) {
    let failures = (pauses[person]?.failures ?? 0) + 1
    let seconds = RetryDelay.seconds(after: failures, wait: wait, chance: .random(in: 0...1))
    pauses[person] = Pause(until: now().addingTimeInterval(seconds), failures: failures)
  }

  /// Begins nothing more, and gives what is being sent this long. What is not sent stays in the store.
  func stop(within grace: Duration) async {
    isStopping = true
    round?.cancel()
    let running = Array(sending.values)
    guard !running.isEmpty else { return }
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let waiting = Task {
      for task in running { await task.value }
      end.finish()
    }
    let limit = Task {
      // The server stops in real time.
      try? await Task.sleep(for: grace)
      for task in running { task.cancel() }
      end.finish()
    }
    for await _ in ends {}
    limit.cancel()
    waiting.cancel()
  }
}

// What a person may ask about their account.
extension AccountDesk {
  /// Who has signed in, and how far their rows have come.
  func state(of person: PersonID) async throws -> JSONValue {
    let session = try await account(of: person).session()
    let entries = try await store.belonging(to: person).outbox.entries()
    func count(_ state: OutboxEntry.State) -> JSONValue {
      JSONValue(entries.count { $0.state == state })
    }
    return [
      "available": true, "signed_in": .bool(session != nil),
      "email": session.map { .string($0.email) } ?? .null,
      "rows": [
        "waiting": count(.waiting), "sent": count(.sent), "set_aside": count(.setAside),
        "outdated": count(.outdated),
      ],
    ]
  }

  /// Ends the sign-in here, and at the project if it can be reached. Rows that wait stay the account's.
  func signOut(_ person: PersonID) async throws {
    try await account(of: person).signOut()
    pauses[person] = nil
  }

  /// Forgets the sign-in of somebody who is being deleted. The project hears of it without anybody waiting.
  func forget(_ person: PersonID) async throws {
    sending[person]?.cancel()
    let keeper = store.belonging(to: person).signInKeeper
    let turn = try await keeper.turn()
    defer { withExtendedLifetime(turn) {} }
    let session = try await keeper.load()
    try await keeper.remove()
    (known[person], pauses[person]) = (nil, nil)
    guard let session, session.project == client.project.url else { return }
    Task { [client] in try? await client.signOut(session.accessToken) }
  }

  /// Does something to a person's rows and sign-in while neither is used.
  func alone(with person: PersonID, _ work: @Sendable () async throws -> Void) async throws {
    let keeper = store.belonging(to: person).signInKeeper
    let turn = try await keeper.turn()
    defer { withExtendedLifetime(turn) {} }
    known[person] = nil
    try await work()
  }
}

// Journeys.
extension AccountDesk {
  /// Signs a person in within a journey.
  nonisolated func service(for person: PersonID, in session: SessionID) -> any AccountService {
    JourneySignIn(desk: self, person: person, session: session)
  }

  private struct JourneySignIn: AccountService {
    let desk: AccountDesk
    let person: PersonID
    let session: SessionID

    var isAvailable: Bool { true }

    func current() async throws(AccountError) -> Account? { try await accounts.current() }

    func sendCode(to email: String) async throws(AccountError) {
      try await accounts.sendCode(to: email)
    }

    func verify(_ code: String, for email: String) async throws(AccountError) -> Account {
      let account = try await accounts.verify(code, for: email)
      desk.send(for: person)
      return account
    }

    func signOut() async { await accounts.signOut() }

    func synced(
      _ journey: String, of pack: String, in row: String?
    ) async throws(AccountError) -> SyncedJourney? {
      try await accounts.synced(journey, of: pack, in: row)
    }

    private var accounts: JourneyAccounts {
      get async {
        JourneyAccounts(
          await desk.account(of: person), store: desk.store.belonging(to: person), session: session)
      }
    }
  }
}

/// Somebody whose app has signed them in: their requests come with an account's token.
struct SignedInCaller: AccountService {
  let account: Account

  var isAvailable: Bool { true }
  func current() -> Account? { account }

  func sendCode(to email: String) async throws(AccountError) {
    try NoAccount().sendCode(to: email)
  }

  func verify(_ code: String, for email: String) async throws(AccountError) -> Account {
    try NoAccount().verify(code, for: email)
  }
}
