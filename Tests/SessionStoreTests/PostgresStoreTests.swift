import Foundation
import Glibc
import Intake
import SessionStore
import TestSupport
import Testing

@testable import PostgresStore

/// What only a database behind a network can do to a store.
@Suite(.serialized, .enabled(if: PostgresServer.url != nil))
struct PostgresStoreTests {
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)

  private func event(_ text: String) -> [EventEnvelope] {
    [EventEnvelope(IntakeEvent.userSaid(UserTurn(turn: 1, text: text)))]
  }

  @Test func aForeignSchemaIsLeftAlone() async throws {
    let stores = try TestStores(.postgres)
    #expect(try await PostgresStore.existing(stores.address) == nil)
    try stores.link().script("CREATE SCHEMA rapport; CREATE TABLE rapport.theirs (a TEXT)")
    let refused = await code { _ = try await stores.open() }
    #expect(refused == .notAStore)
    #expect(try stores.link().query("SELECT * FROM theirs").isEmpty)
  }

  @Test func aSchemaWithoutMovesLearnsWhoSomebodyWas() async throws {
    let stores = try TestStores(.postgres)
    let id = try await stores.open().createSession(nil, at: noon)
    try stores.link().script(
      """
      DROP TABLE rapport.moved; DROP TABLE rapport.purchase;
      DROP TABLE rapport.recovery; UPDATE rapport.format SET version = 2
      """)
    let store = try await stores.open()
    #expect(try await store.sessions().map(\.id) == [id])
    try await store.register(at: noon)
    let ben = PersonID(rawValue: "ben")
    try await store.move(to: ben)
    let account = store.belonging(to: ben)
    #expect(try await account.formerIDs() == [.local])
    try await account.take(PurchaseReport(.paid, source: "shop", at: noon))
    #expect(try await account.entitlement()?.grantedAt == noon)
  }

  @Test func aReadingRoleIsEnoughToRead() async throws {
    let stores = try TestStores(.postgres)
    let id = try await stores.open().createSession(nil, at: noon)
    let existing = try #require(try await PostgresStore.existing(stores.address))
    #expect(try await existing.sessions().map(\.id) == [id])
  }

  /// Every connection is cut again and again while events are written.
  @Test func eventsAreNeitherLostNorDoubledWhenConnectionsBreak() async throws {
    let stores = try TestStores(.postgres)
    let store = try await stores.openPostgres()
    let id = try await store.createSession(nil, at: noon)
    let written = Counter()
    let writing = Task { [noon] in
      let log = store.log(for: id)
      for number in 0..<300 {
        _ = try await log.append(event("\(number)"), at: noon)
        written.increment()
      }
    }
    let cutting = Task {
      let link = try stores.link()
      // Several appends fit between two cuts.
      for cut in 1..<75 {
        await written.reaches(4 * cut)
        try link.query(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
          """)
      }
    }
    try await writing.value
    try await cutting.value
    let texts = try await store.events(of: id).compactMap { recorded in
      if case .userSaid(let turn) = recorded.event { turn.text } else { nil }
    }
    #expect(texts == (0..<300).map { "\($0)" })
  }

  /// After a lost answer, the append is run again.
  @Test func anAppendThatWasStoredIsNotStoredAgain() async throws {
    let stores = try TestStores(.postgres)
    let store = try await stores.openPostgres()
    let id = try await store.createSession(nil, at: noon)
    for seen in [nil, 1] {
      let append = try EventAppend(id, event("again"), at: noon, store: store.name)
      let first = try append.run(try stores.link(), behind: seen)
      #expect(try append.run(try stores.link(), behind: seen) == first)
    }
    #expect(try await store.events(of: id).map(\.position) == [1, 2])
  }

  @Test func anAppendThatWasCutBeforeItsCommitIsStored() async throws {
    let stores = try TestStores(.postgres)
    let store = try await stores.openPostgres()
    let id = try await store.createSession(nil, at: noon)
    // A sequence isn't rolled back, so only the first append is cut.
    try stores.link().script(
      """
      CREATE SEQUENCE cuts;
      CREATE FUNCTION cut_once() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('cuts') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
          RETURN NULL;
        END $$;
      CREATE TRIGGER cut_once AFTER INSERT ON event
        FOR EACH STATEMENT EXECUTE FUNCTION cut_once();
      """)
    #expect(try await store.log(for: id).append(event("one"), at: noon).map(\.position) == [1])
    #expect(try stores.link().query("SELECT nextval('cuts')").first?.integer(0) == 3)
    #expect(try await store.events(of: id).count == 1)
  }

  @Test func aWriterKeepsItsPlaceWhenItsConnectionBreaks() async throws {
    let stores = try TestStores(.postgres)
    let (store, other) = (try await stores.openPostgres(), try await stores.openPostgres())
    let id = try await store.createSession(nil, at: noon)
    var writer: SessionWriter? = try await store.acquireWriter(of: id)
    let link = try stores.link()
    // Tests run side by side, each in its own database; locks are listed for the whole server.
    let lock = """
      SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
      WHERE locktype = 'advisory' AND granted AND datname = current_database()
      """
    let before = try #require(try link.query(lock).first?.integer(0))
    try link.query("SELECT pg_terminate_backend($1::bigint::int)", [.integer(before)])
    // Only the server knows when the lock is taken again.
    while try [nil, before].contains(link.query(lock).first?.integer(0)) { await Task.yield() }
    guard case .sessionHeld = await code({ _ = try await other.acquireWriter(of: id) }) else {
      Issue.record("two writers")
      return
    }
    withExtendedLifetime(writer) {}
    writer = nil
    _ = try await store.acquireWriter(of: id)
  }

  @Test func connectionsAreBounded() async throws {
    let stores = try TestStores(.postgres)
    let store = try await stores.openPostgres(connections: 3)
    let ids = try await withThrowingTaskGroup(of: SessionID.self) { group in
      for _ in 0..<60 { group.addTask { try await store.createSession(nil, at: noon) } }
      return try await group.reduce(into: Set<SessionID>()) { $0.insert($1) }
    }
    #expect(ids.count == 60)
    let open = try stores.link().query(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)
    #expect((open.first?.integer(0) ?? 99) <= 3)
  }

  @Test func aDatabaseThatIsAwayIsSaid() async throws {
    let stores = try TestStores(.postgres)
    let away = try PostgresAddress("postgres://nobody:canary-pw@127.0.0.1:1/none")
    let error = await #expect(throws: StoreError.self) { _ = try await PostgresStore(away) }
    guard case .cannotOpen = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("canary-pw") == false)
    #expect(error?.userMessage.contains("postgres://127.0.0.1:1/none") == true)
    withExtendedLifetime(stores) {}
  }
}

/// Where the database is, without asking it.
@Suite struct PostgresAddressTests {
  @Test func aNameHoldsNeitherUserNorPassword() throws {
    let address = try PostgresAddress(
      "postgres://anna:s3cret%40@db.example.com:6432/rapport", environment: [:])
    #expect("\(address)" == "postgres://db.example.com:6432/rapport")
    #expect(address.parameters["password"] == "s3cret@")
  }

  @Test(arguments: [
    "postgres://anna:s3cret@[db/rapport", "postgres://anna:s3cret@db/x?nonsense=1",
    "postgres:/anna:s3cret@db", "postgres://anna:p@s3cret@db/x", "postgres://anna:s3cret%@db/x",
    "postgresql:s3cret",
  ])
  func aMalformedURLIsRefusedWithoutRepeatingIt(url: String) {
    #expect(PostgresAddress.isMeant(by: url))
    let error = #expect(throws: StoreError.self) { try PostgresAddress(url) }
    #expect(error?.description.contains("s3cret") == false)
    #expect(error?.userMessage.contains("s3cret") == false)
  }

  @Test(arguments: [
    ("postgres://db.example.com/x", [:], "require"),
    ("postgres://db.example.com/x?sslmode=verify-full", [:], "verify-full"),
    ("postgres://10.0.0.7,127.0.0.1/x", [:], "require"), ("postgres://127.0.0.1/x", [:], nil),
    ("postgres:///x?host=/run/postgresql", [:], nil), ("postgres:///x", [:], nil),
    ("postgres:///x", ["PGHOST": "db"], "require"),
    ("postgres://db/x", ["PGSSLMODE": "verify-ca"], nil),
  ])
  func aPasswordCrossesNoNetworkInTheClear(
    url: String, environment: [String: String], mode: String?
  ) throws {
    #expect(
      try PostgresAddress(url, environment: environment).parameters["sslmode"] == mode)
  }

  @Test(arguments: ["rapport.db", "/var/lib/rapport.db", "C:x", "mypostgres://x", "postgres"])
  func aFileIsAFile(path: String) { #expect(!PostgresAddress.isMeant(by: path)) }
}
