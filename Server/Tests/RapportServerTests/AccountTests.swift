import Foundation
import IncrementalJSON
import Intake
import Journeys
import LanguageModels
import Logging
import NIOHTTP1
import Plans
import SessionStore
import Supabase
import SupabaseMock
import Sync
import Synchronization
import TestSupport
import Testing

@testable import RapportServer

/// Signing in within a journey, and what the server sends to the account.
@Suite(.integration) struct AccountTests {
  private static let session = SessionID(rawValue: "journey")

  private func devices() -> ServerOptions {
    var options = ServerOptions.forTests
    options.authentication = Authentication(deviceKey: Array(repeating: 7, count: 32))
    return options
  }

  private func person(_ server: TestServer) async throws -> Client {
    let token = try await server.client.json(.POST, "/tokens").json["token"]?.stringValue ?? ""
    return Client(port: server.client.port, headers: [("authorization", "Bearer \(token)")])
  }

  /// Walks to the sign-in, and through it.
  private func signIn(_ walker: Walker, as email: String) async throws {
    try await walker.reach("signIn")
    try await walker.act(["answer": ["email": .string(email), "consents": ["terms", "privacy"]]])
    #expect(await walker.kind == "verifyCode")
    try await walker.act(["answer": .string(TestProject.code)])
    #expect(await walker.kind != "verifyCode")
  }

  private func account(_ client: Client) async throws -> JSONValue {
    try await client.json(.GET, "/account").json
  }

  /// Asks until so many rows have arrived; each question takes the server a moment.
  private func arrive(_ count: Int, _ client: Client) async throws {
    for _ in 0..<1_000 where try await account(client)["rows"]?["sent"]?.intValue != count {}
    #expect(try await account(client)["rows"]?["sent"]?.intValue == count)
  }

  private func keeper(_ server: TestServer, _ client: Client) async throws -> any SessionKeeper {
    let person = try await client.json(.GET, "/me").json["person"]?.stringValue ?? ""
    return server.store.belonging(to: PersonID(rawValue: person)).signInKeeper
  }

  @Test func whatAJourneyMadeReachesTheAccountAndNothingBeforeTheSignIn() async throws {
    let (project, model) = (try await TestProject(), try await MockModel())
    let folder = try TestFolder()
    let server = try await TestServer(folder, models: model.roles, project: project)
    let walker = Walker(server.client)
    try await walker.start("trainer-structured")
    try await walker.reach("signIn")
    #expect(project.count() == 0 && model.requests == 0, "nothing left before the sign-in")
    #expect(try await account(server.client)["signed_in"] == false)
    try await signIn(walker, as: "kim@example.com")
    try await walker.reach()
    try await arrive(4, server.client)
    #expect(try await account(server.client)["email"] == "kim@example.com")
    // The person at this machine shares the sign-in with the terminal's programs.
    let file = AccountFile(besideStore: folder.store)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let user = try #require(try file.load()?.userID)
    for table in ["intakes", "goals", "programs", "coaching_profiles"] {
      let rows = try await project.rows(of: table, for: file)
      #expect(rows.map { $0["user_id"]?.stringValue } == [user], "\(table)")
    }
    let out = try await server.client.json(.DELETE, "/account")
    #expect(out.json["signed_in"] == false && project.count("/auth/v1/logout") == 1)
    #expect(try file.load() == nil && server.store.signIn() == nil)
  }

  @Test func anotherServerGoesOnWhereThePersonLeftTheFirstOne() async throws {
    let (project, model) = (try await TestProject(), try await MockModel())
    let first = try await TestServer(TestFolder(), models: model.roles, project: project)
    let left = Walker(first.client)
    try await left.start("trainer-structured")
    try await left.reach("signIn")
    try await signIn(left, as: "kim@example.com")
    try await left.reach("goalReview")
    try await arrive(1, first.client)

    let second = try await TestServer(TestFolder(), models: model.roles, project: project)
    let service = try #require(second.accounts).service(for: .local, in: Self.session)
    try await service.sendCode(to: "kim@example.com")
    _ = try await service.verify(TestProject.code, for: "kim@example.com")
    let walker = Walker(second.client)
    try await walker.start("trainer-structured")
    let shown = await walker.screen
    #expect(shown["step"] == "goalReview", "\(shown)")
    // What wasn't approved is drafted again.
    try await walker.reach()
    #expect(await walker.kind == "end")
    // What is begun anew begins at its beginning.
    let new = Walker(second.client)
    try await new.start("trainer-structured", ["new": true])
    #expect(await new.step != "goalReview")
  }

  @Test func eachPersonHasTheirOwnAccount() async throws {
    let project = try await TestProject()
    let folder = try TestFolder()
    let server = try await TestServer(
      folder, pack: try .embedded("nutrition"), options: devices(), project: project)
    let (anna, ben) = (try await person(server), try await person(server))
    // Nobody's journey here signs in, so both do so at the desk.
    let desk = try #require(server.accounts)
    for (client, email) in [(anna, "anna@example.com"), (ben, "ben@example.com")] {
      let person = PersonID(
        rawValue: try await client.json(.GET, "/me").json["person"]?.stringValue ?? "")
      let service = desk.service(for: person, in: Self.session)
      try await service.sendCode(to: email)
      _ = try await service.verify(TestProject.code, for: email)
      let walker = Walker(client)
      try await walker.start("matador")
      try await walker.reach("calories")
      try await walker.act(["answer": email.hasPrefix("anna") ? 1500 : 2500])
      try await walker.reach()
      // The profile, and the answers for their other devices.
      try await arrive(2, client)
    }
    for (client, calories) in [(anna, 1500), (ben, 2500)] {
      let rows = try await project.rows(
        of: "user_profiles", for: try await keeper(server, client))
      #expect(rows.map { $0["calorie_target"]?.intValue } == [calories])
    }
    #expect(try await account(anna)["email"] == "anna@example.com")
    // Hers ends with her; his stays.
    let hers = try await keeper(server, anna)
    #expect(try await anna.json(.DELETE, "/me").status == 200)
    #expect(try await hers.load() == nil)
    #expect(try await account(ben)["signed_in"] == true)
    #expect(!FileManager.default.fileExists(atPath: folder.store + ".account"))
  }

  @Test func whatCouldNotBeSentIsSentAfterARestart() async throws {
    let fault = try #require(SupabaseFault("server-error"))
    let project = try await TestProject(faults: [.init(fault, times: 1, only: .rows)])
    let folder = try TestFolder()
    let clock = Mutex(Date())
    let now: @Sendable () -> Date = { clock.withLock { $0 } }
    var server = try await TestServer(
      folder, pack: try .embedded("nutrition"), project: project, now: now)
    let desk = try #require(server.accounts)
    let walker = Walker(server.client)
    try await walker.start("matador")
    try await walker.reach()
    let service = desk.service(for: .local, in: Self.session)
    try await service.sendCode(to: "kim@example.com")
    _ = try await service.verify(TestProject.code, for: "kim@example.com")
    // The row was refused once, and waits; the journey went on.
    for _ in 0..<1_000 where project.count("/rest/") < 1 { _ = try await account(server.client) }
    await server.stop()
    #expect(try server.store.sessions().count == 1)
    let waiting = try Outbox(store: server.store).entries()
    #expect(waiting.map(\.state) == [.waiting] && waiting.map(\.attempts) == [1])
    clock.withLock { $0 += 60 }
    server = try await TestServer(
      folder, pack: try .embedded("nutrition"), project: project, now: now)
    try await arrive(1, server.client)
  }

  /// Two servers that share a store find the same token expired at the same moment.
  @Test func serversThatShareAStoreRefreshOnce() async throws {
    let project = try await TestProject()
    let store = try SessionStore(path: TestFolder().store)
      .belonging(to: PersonID(rawValue: "device:kim"))
    let first = SupabaseAccount(project.client, keeper: store.signInKeeper)
    let email = try #require(EmailAddress("kim@example.com"))
    try await first.sendCode(to: email)
    try await first.signIn(email, code: try #require(OneTimeCode(TestProject.code)))
    #expect(try store.signIn()?.contains("refreshToken") == true)
    let refused = try await first.accessToken()
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 {
        let account = SupabaseAccount(project.client, keeper: store.signInKeeper)
        group.addTask { try await account.accessToken(replacing: refused).revealed }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(project.count("/auth/v1/token") == 1 && tokens.count == 1)
    #expect(!tokens.contains(refused.revealed))
  }

  @Test func anAccountTakesOverADevicesSignIn() async throws {
    let project = try await TestProject()
    let store = try SessionStore(path: TestFolder().store)
    let (device, account) = (PersonID(rawValue: "device:1"), PersonID(rawValue: "account:1"))
    let desk = try project.accounts(store, .init(label: "test"), { Date() })
    let service = desk.service(for: device, in: Self.session)
    try await service.sendCode(to: "kim@example.com")
    _ = try await service.verify(TestProject.code, for: "kim@example.com")
    try await desk.alone(with: device) { try store.belonging(to: device).move(to: account) }
    #expect(try await service.current() == nil)
    let theirs = desk.service(for: account, in: Self.session)
    #expect(try await theirs.current()?.email == "kim@example.com")
  }

  @Test func withoutAProjectThereIsNoAccount() async throws {
    let server = try await TestServer(TestFolder())
    #expect(
      try await account(server.client) == ["available": false, "signed_in": false, "email": .null])
    #expect(try await server.client.json(.DELETE, "/account").status == 200)
  }
}
