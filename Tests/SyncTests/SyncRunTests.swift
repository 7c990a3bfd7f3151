import Foundation
import IncrementalJSON
import LanguageModels
import SessionStore
import Supabase
import SupabaseMock
import SupabaseTestSupport
import Sync
import Synchronization
import TestSupport
import Testing

@Suite(.integration)
struct SyncRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// One person's device: a store, an account, and what is queued.
  private struct Device {
    let outbox: Outbox
    let account: SupabaseAccount
    let project: MockProject

    init(_ project: MockProject, _ path: String) async throws {
      self.project = project
      outbox = Outbox(store: try SessionStore(path: path))
      account = try await project.signedIn()
    }

    func put(_ text: String, id: String = "main") throws {
      try outbox.put(
        OutboxRow(table: "goals", id: id, columns: ["primary": .string(text)]),
        at: project.now.date)
    }

    func sync(onlyDue: Bool = false) async throws -> SyncRun.Report {
      let now = project.now
      return try await SyncRun(outbox, to: account, now: { now.date }, chance: { 1 })
        .run(onlyDue: onlyDue)
    }

    var states: [OutboxEntry.State] { get throws { try outbox.entries().map(\.state) } }
    var stored: [JSONValue?] { project.api.rows(of: "goals").map { $0["primary"] } }
  }

  private func fault(_ text: String) throws -> SupabaseFault { try #require(SupabaseFault(text)) }

  @Test func whatIsQueuedArrivesOnceUnderTheUsersToken() async throws {
    let project = try await MockProject()
    let device = try await Device(project, folder.path("sync.db"))
    try device.put("a marathon")
    #expect(try await device.sync().sent == 1)
    #expect(try await device.sync().sent == 0)
    #expect(device.stored == ["a marathon"])
    #expect(project.api.count(.rows) == 1)
    let row = try #require(project.api.rows(of: "goals").first)
    #expect(row["user_id"]?.stringValue == (try await device.account.session())?.userID)
    #expect(row["updated_at"] == "2026-01-05T08:00:00.000Z")
    await project.stop()
  }

  /// Every third answer is lost after the request was carried out.
  @Test func lostAnswersLeaveTheAccountTheSame() async throws {
    let project = try await MockProject(
      faults: [.init(try fault("lost-reply"), every: 3, only: .rows)])
    let device = try await Device(project, folder.path("sync.db"))
    for index in 0..<10 { try device.put("goal \(index)", id: "\(index)") }
    var runs = 0
    while try device.states.contains(.waiting), runs < 20 {
      _ = try await device.sync()
      runs += 1
    }
    #expect(try device.states == Array(repeating: .sent, count: 10))
    #expect(runs > 1)
    #expect(device.stored == (0..<10).map { .string("goal \($0)") })
    await project.stop()
  }

  @Test func aPoisonedRowIsSetAsideByNameAndTheRestGoesOn() async throws {
    let project = try await MockProject(faults: [.init(try fault("bad-row"), times: 1)])
    let device = try await Device(project, folder.path("sync.db"))
    for name in ["first", "second", "third"] {
      try device.put(name, id: name)
      project.now.advance(1)
    }
    let report = try await device.sync()
    #expect(report.sent == 2 && report.setAside == 1)
    let aside = try #require(try device.outbox.entries().first { $0.state == .setAside })
    #expect(aside.row.id == "first" && aside.problem == "row-refused (PGRST204)")
    #expect(try await device.sync().sent == 0)
    #expect(try device.outbox.retry(at: project.now.date) == 1)
    #expect(try await device.sync().sent == 1)
    await project.stop()
  }

  @Test func whatARowPolicyRefusesIsSetAside() async throws {
    let project = try await MockProject(faults: [.init(try fault("row-policy"))])
    let device = try await Device(project, folder.path("sync.db"))
    try device.put("mine")
    #expect(try await device.sync().setAside == 1)
    #expect(try device.outbox.entries()[0].problem == "not-allowed (42501)")
    await project.stop()
  }

  @Test func aTokenThatTheProjectCallsExpiredIsRefreshedOnce() async throws {
    let project = try await MockProject(faults: [.init(try fault("expired-token"), times: 1)])
    let device = try await Device(project, folder.path("sync.db"))
    try device.put("one", id: "1")
    try device.put("two", id: "2")
    #expect(try await device.sync().sent == 2)
    #expect(project.api.count(.refresh) == 1)
    await project.stop()
  }

  @Test func anEndedSessionStopsTheRunAndKeepsTheQueue() async throws {
    let project = try await MockProject(faults: [
      .init(try fault("expired-token")), .init(try fault("session-ended")),
    ])
    let device = try await Device(project, folder.path("sync.db"))
    try device.put("one")
    #expect(try await device.sync().stopped?.code == .signedOut)
    #expect(try device.states == [.waiting])
    #expect(try await device.sync().stopped?.code == .notSignedIn)
    await project.stop()
  }

  @Test func aServerErrorIsRetriedLaterAndLaterAndThenArrives() async throws {
    let project = try await MockProject(
      faults: [.init(try fault("server-error"), times: 3, only: .rows)])
    let device = try await Device(project, folder.path("sync.db"))
    try device.put("one")
    var waits: [Double] = []
    for _ in 0..<3 {
      #expect(try await device.sync(onlyDue: true).postponed == 1)
      #expect(try await device.sync(onlyDue: true) == SyncRun.Report())
      let entry = try device.outbox.entries()[0]
      waits.append(entry.nextAt.timeIntervalSince(project.now.date))
      project.now.advance(waits.last ?? 0)
    }
    #expect(waits == [5, 10, 20])
    #expect(try await device.sync(onlyDue: true).sent == 1)
    await project.stop()
  }

  @Test func withoutAConnectionEverythingWaitsAndTheQueueSurvivesRestarts() async throws {
    let project = try await MockProject()
    let path = folder.path("sync.db")
    let account = try await project.signedIn()
    let now = project.now
    do {
      let outbox = Outbox(store: try SessionStore(path: path))
      for id in ["1", "2"] {
        try outbox.put(OutboxRow(table: "goals", id: id, columns: ["primary": "x"]), at: now.date)
      }
    }
    await project.stop()
    let outbox = Outbox(store: try SessionStore(path: path))
    let report = try await SyncRun(outbox, to: account, now: { now.date }, chance: { 0 }).run()
    #expect(report.stopped?.code == .unreachable && report.postponed == 2)
    let entries = try Outbox(store: try SessionStore(path: path)).entries()
    #expect(entries.map(\.attempts) == [1, 1] && entries.allSatisfy { $0.nextAt > now.date })
  }

  @Test func theProjectsWaitIsKept() async throws {
    let project = try await MockProject(
      faults: [.init(try fault("rate-limit:120"), times: 1, only: .rows)])
    let device = try await Device(project, folder.path("sync.db"))
    try device.put("one")
    #expect(try await device.sync().stopped?.wait == .seconds(120))
    #expect(try device.outbox.entries()[0].nextAt == project.now.date + 120)
    await project.stop()
  }

  @Test func theNewerOfTwoDevicesWinsAndTheOlderIsTold() async throws {
    let project = try await MockProject()
    let phone = try await Device(project, folder.path("sync.db"))
    let laptop = try await Device(project, folder.path("laptop.db"))
    try laptop.put("from the laptop")
    project.now.advance(60)
    try phone.put("from the phone")
    #expect(try await phone.sync().sent == 1)
    let told = Mutex<[SyncRun.Outcome]>([])
    let now = project.now
    let report = try await SyncRun(laptop.outbox, to: laptop.account, now: { now.date }).run {
      outcome in told.withLock { $0.append(outcome) }
    }
    #expect(report.outdated == 1)
    #expect(phone.stored == ["from the phone"])
    let entry = try laptop.outbox.entries()[0]
    #expect(entry.state == .outdated && entry.row.columns == ["primary": "from the laptop"])
    project.now.advance(60)
    try laptop.put("from the laptop again")
    #expect(try await laptop.sync().sent == 1)
    #expect(phone.stored == ["from the laptop again"])
    await project.stop()
  }

  @Test func nobodySignedInIsAResult() async throws {
    let project = try await MockProject()
    let outbox = Outbox(store: try SessionStore(path: folder.path("sync.db")))
    let report = try await SyncRun(outbox, to: try project.account()).run()
    #expect(report.stopped?.code == .notSignedIn)
    #expect(SupabaseTarget.allCases.allSatisfy { project.api.count($0) == 0 })
    await project.stop()
  }
}

@Suite(.integration)
struct AccountFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var session: AccountSession {
    AccountSession(
      project: "https://abc.supabase.co", userID: "u", email: "marta@example.com",
      accessToken: .init("access-canary"), refreshToken: .init("refresh-canary"),
      expiresAt: Date(timeIntervalSince1970: 1_767_603_600))
  }

  @Test func aSessionIsKeptForItsOwnerAlone() throws {
    let file = AccountFile(besideStore: folder.path("rapport.db"))
    #expect(try file.load() == nil)
    try file.save(session)
    #expect(try file.load() == session)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    try file.remove()
    #expect(try file.load() == nil)
    try file.remove()
  }

  @Test func aFileThatOthersCanReadIsNotUsed() throws {
    let file = AccountFile(besideStore: folder.path("rapport.db"))
    try file.save(session)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    let error = #expect(throws: SupabaseError.self) { try file.load() }
    #expect(error?.userMessage.contains("chmod 600") == true)
  }

  @Test(arguments: [0o600, 0o644])
  func aFileThatCantBeUsedIsKeptAsideByTheNextSignIn(mode: Int) throws {
    let file = AccountFile(besideStore: folder.path("rapport.db"))
    try Data("{".utf8).write(to: URL(filePath: file.path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    let error = #expect(throws: SupabaseError.self) { try file.load() }
    #expect(error?.userMessage.contains("so I didn't use it") == true)
    try file.save(session)
    #expect(try file.load() == session)
    let aside = file.path + ".unreadable"
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == "{")
    let kept = try FileManager.default.attributesOfItem(atPath: aside)[.posixPermissions]
    #expect(kept as? Int == 0o600)
    // A later sign-in replaces only its own.
    try file.save(session)
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == "{")
  }

  /// Counts who is inside at once.
  private actor Room {
    private var count = 0
    private(set) var most = 0

    func enter() {
      count += 1
      most = max(most, count)
    }

    func leave() { count -= 1 }
  }

  @Test func holdersTakeTurns() async throws {
    let path = folder.path("rapport.db")
    let room = Room()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let turn = try await AccountFile(besideStore: path).turn()
          await room.enter()
          await Task.yield()
          await room.leave()
          withExtendedLifetime(turn) {}
        }
      }
      try await group.waitForAll()
    }
    #expect(await room.most == 1)
  }

  @Test func nothingPrintsAToken() {
    let text = "\(session) \(String(reflecting: session))"
    #expect(!text.contains("canary"))
  }
}
