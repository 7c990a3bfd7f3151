import Foundation
import HTTPStreaming
import IncrementalJSON
import LanguageModels
import Supabase
import SupabaseMock
import SupabaseTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.integration)
struct SupabaseAccountTests {
  @Test func theCodeFromTheEmailSignsIn() async throws {
    let project = try await MockProject()
    let keeper = MemoryKeeper()
    let account = try await project.signedIn(keeper)
    let session = try #require(await account.session())
    #expect(session.email == "marta@example.com" && !session.userID.isEmpty)
    #expect(keeper.session == session)
    #expect(try await account.accessToken() == session.accessToken)
    #expect(project.api.count(.refresh) == 0)
    await project.stop()
  }

  @Test func aWrongCodeIsToldAndTheRightOneStillWorks() async throws {
    let project = try await MockProject { $0.code = "123456" }
    let account = try project.account()
    try await account.sendCode(to: MockProject.email)
    let wrong = try #require(OneTimeCode("654321"))
    let error = await #expect(throws: SupabaseError.self) {
      try await account.signIn(MockProject.email, code: wrong)
    }
    #expect(error?.code == .wrongCode)
    try await account.signIn(MockProject.email, code: project.code())
    #expect(try await account.session() != nil)
    await project.stop()
  }

  @Test func anExpiredCodeIsAWrongOne() async throws {
    let project = try await MockProject()
    let account = try project.account()
    try await account.sendCode(to: MockProject.email)
    project.now.advance(3_601)
    let error = await #expect(throws: SupabaseError.self) {
      try await account.signIn(MockProject.email, code: project.code())
    }
    #expect(error?.code == .wrongCode)
    await project.stop()
  }

  /// Codes are tried as often as the project allows, and then not sent at all until it allows it.
  @Test func afterTooManyTriesNothingIsSentUntilTheWaitIsOver() async throws {
    let project = try await MockProject {
      $0.codeTries = 3
      $0.code = "123456"
    }
    let account = try project.account()
    try await account.sendCode(to: MockProject.email)
    let wrong = try #require(OneTimeCode("000000"))
    var codes: [SupabaseError.Code] = []
    for _ in 0..<6 {
      do { try await account.signIn(MockProject.email, code: wrong) } catch {
        codes.append(error.code)
      }
    }
    #expect(
      codes == [.wrongCode, .wrongCode, .wrongCode] + Array(repeating: .tooManyRequests, count: 3))
    #expect(project.api.count(.verify) == 4)
    project.now.advance(301)
    _ = try? await account.signIn(MockProject.email, code: wrong)
    #expect(project.api.count(.verify) == 5)
    await project.stop()
  }

  @Test func aNewCodeIsSentAfterThirtySecondsAndNotBefore() async throws {
    let project = try await MockProject()
    let account = try project.account()
    try await account.sendCode(to: MockProject.email)
    project.now.advance(20)
    let error = await #expect(throws: SupabaseError.self) {
      try await account.sendCode(to: MockProject.email)
    }
    #expect(error?.code == .emailLimit && error?.wait == .seconds(10))
    #expect(
      error?.userMessage == "I can send the next code in 10 seconds. The one you have still works.")
    #expect(project.api.count(.otp) == 1)
    project.now.advance(10)
    try await account.sendCode(to: MockProject.email)
    #expect(project.api.count(.otp) == 2)
    await project.stop()
  }

  @Test(arguments: [
    ("email-invalid", SupabaseError.Code.emailInvalid, nil as Int?, "email address"),
    ("email-limit:41", .emailLimit, 41, "in 41 seconds"),
    ("signups-off", .signupsOff, nil, "new accounts"),
    ("rate-limit:20", .tooManyRequests, 20, "wait 20 seconds"),
    ("server-error", .serverError, nil, "having trouble"),
    ("server-error:503", .serverError, nil, "having trouble"),
    ("gateway", .serverError, nil, "having trouble"),
    ("wrong-key", .wrongKey, nil, "SUPABASE_ANON_KEY"),
    ("lost-reply", .unreachable, nil, "can't reach"),
  ])
  func everyFailureHasItsOwnWords(
    fault: String, code: SupabaseError.Code, wait: Int?, words: String
  ) async throws {
    let fault = try #require(SupabaseFault(fault))
    let project = try await MockProject(faults: [.init(fault)])
    let account = try project.account()
    let error = await #expect(throws: SupabaseError.self) {
      try await account.sendCode(to: MockProject.email)
    }
    #expect(error?.code == code)
    #expect(error?.wait == wait.map { .seconds($0) })
    let message = try #require(error?.userMessage)
    #expect(message.contains(words), "\(message)")
    // No code was ever sent.
    #expect(!message.contains("you have still works"))
    #expect(!"\(message)\(try #require(error))".contains("marta"))
    await project.stop()
  }

  @Test func aProjectThatIsNotThereIsUnreachable() async throws {
    let project = try await MockProject()
    let account = try project.account()
    await project.stop()
    let error = await #expect(throws: SupabaseError.self) {
      try await account.sendCode(to: MockProject.email)
    }
    #expect(error?.code == .unreachable)
  }

  @Test func everyCodeHasWordsOfItsOwn() {
    let texts = SupabaseError.Code.allCases.map {
      SupabaseError($0, wait: .seconds(41), detail: "why", host: "example.com").userMessage
    }
    #expect(Set(texts).count == texts.count)
    for text in texts { #expect(text.hasSuffix(".") && text.count > 30, "\(text)") }
  }
}

@Suite(.integration)
struct TokenRefreshTests {
  /// Fifty callers find an expired token at once.
  @Test func callersShareOneRefresh() async throws {
    let project = try await MockProject()
    let account = try await project.signedIn()
    project.now.advance(3_600)
    let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
      for _ in 0..<50 { group.addTask { try await account.accessToken() } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens.count == 1)
    #expect(project.api.count(.refresh) == 1)
    await project.stop()
  }

  /// As two processes share a file.
  @Test func accountsThatShareASessionTakeTurns() async throws {
    let project = try await MockProject()
    let keeper = MemoryKeeper()
    let first = try await project.signedIn(keeper)
    let others = try (0..<4).map { _ in try project.account(keeper) }
    for round in 1...5 {
      project.now.advance(3_600)
      let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
        for account in [first] + others { group.addTask { try await account.accessToken() } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(tokens.count == 1)
      #expect(project.api.count(.refresh) == round)
    }
    await project.stop()
  }

  @Test func aTokenIsRefreshedBeforeItExpires() async throws {
    let project = try await MockProject()
    let account = try await project.signedIn()
    let first = try await account.accessToken()
    project.now.advance(3_600 - 61)
    #expect(try await account.accessToken() == first)
    project.now.advance(2)
    #expect(try await account.accessToken() != first)
    await project.stop()
  }

  @Test func aTokenThatIsStillGoodIsUsedWhileTheProjectIsDown() async throws {
    let down = try #require(SupabaseFault("server-error"))
    let project = try await MockProject(faults: [.init(down, only: .refresh)])
    let account = try await project.signedIn()
    let first = try await account.accessToken()
    project.now.advance(3_600 - 30)
    #expect(try await account.accessToken() == first)
    project.now.advance(31)
    let error = await #expect(throws: SupabaseError.self) { try await account.accessToken() }
    #expect(error?.code == .serverError)
    #expect(try await account.session() != nil)
    await project.stop()
  }

  /// The project has rotated the token, and nobody here knows.
  @Test func aLostReplyDoesNotSignAnybodyOut() async throws {
    let lost = try #require(SupabaseFault("lost-reply"))
    let project = try await MockProject(faults: [.init(lost, times: 1, only: .refresh)])
    let account = try await project.signedIn()
    project.now.advance(3_600)
    let error = await #expect(throws: SupabaseError.self) { try await account.accessToken() }
    #expect(error?.code == .unreachable)
    project.now.advance(3_600)
    _ = try await account.accessToken()
    await project.stop()
  }

  @Test func afterAFullDiskTheNextProcessStillGetsIn() async throws {
    let project = try await MockProject()
    let keeper = MemoryKeeper()
    let account = try await project.signedIn(keeper)
    let old = keeper.session
    project.now.advance(3_600)
    keeper.isFull.withLock { $0 = true }
    let token = try await account.accessToken()
    #expect(try await account.accessToken() == token && keeper.session == old)
    keeper.isFull.withLock { $0 = false }
    let next = try project.account(keeper)
    _ = try await next.accessToken()
    #expect(keeper.session != old)
    await project.stop()
  }

  @Test func aStolenOldTokenEndsTheSession() async throws {
    let project = try await MockProject()
    let keeper = MemoryKeeper()
    let account = try await project.signedIn(keeper)
    let stolen = try #require(keeper.session).refreshToken
    for _ in 0..<2 {
      project.now.advance(3_600)
      _ = try await account.accessToken()
    }
    let client = try project.client()
    let thief = await #expect(throws: SupabaseError.self) { try await client.refresh(stolen) }
    #expect(thief?.code == .signedOut)
    project.now.advance(3_600)
    let error = await #expect(throws: SupabaseError.self) { try await account.accessToken() }
    #expect(error?.code == .signedOut)
    #expect(keeper.session == nil)
    #expect(error?.userMessage.contains("still here") == true)
    await project.stop()
  }

  @Test func signingOutForgetsBothTokens() async throws {
    let project = try await MockProject()
    let keeper = MemoryKeeper()
    let account = try await project.signedIn(keeper)
    let old = try #require(keeper.session)
    #expect(try await account.signOut() == nil)
    #expect(keeper.session == nil)
    let client = try project.client()
    let refused = await #expect(throws: SupabaseError.self) {
      try await client.refresh(old.refreshToken)
    }
    #expect(refused?.code == .signedOut)
    let rows = await #expect(throws: SupabaseError.self) {
      try await client.rows(of: "goals", token: old.accessToken)
    }
    #expect(rows?.code == .tokenRefused)
    let error = await #expect(throws: SupabaseError.self) { try await account.accessToken() }
    #expect(error?.code == .notSignedIn)
    await project.stop()
  }

  @Test func signingOutWithoutAConnectionForgetsThemHere() async throws {
    let project = try await MockProject()
    let keeper = MemoryKeeper()
    let account = try await project.signedIn(keeper)
    await project.stop()
    #expect(try await account.signOut()?.code == .unreachable)
    #expect(keeper.session == nil)
  }

  @Test func tokensAreSentToTheirOwnProjectAlone() async throws {
    let keeper = MemoryKeeper()
    let mine = try await MockProject()
    _ = try await mine.signedIn(keeper)
    let other = try await MockProject()
    let account = try other.account(keeper)
    let error = await #expect(throws: SupabaseError.self) { try await account.accessToken() }
    #expect(error?.code == .notSignedIn)
    #expect(SupabaseTarget.allCases.allSatisfy { other.api.count($0) == 0 })
    await mine.stop()
    await other.stop()
  }
}

@Suite(.integration)
struct SupabaseRowsTests {
  private func row(_ text: String, at second: Int) -> JSONObject {
    ["id": "a", "body": .string(text), "updated_at": .string("2026-01-05T08:00:\(second)Z")]
  }

  @Test func aRowIsInsertedMergedAndNeverReplacedByAnOlderOne() async throws {
    let project = try await MockProject()
    let account = try await project.signedIn()
    let (client, token) = (try project.client(), try await account.accessToken())
    func put(_ text: String, _ second: Int) async throws -> String? {
      try await client.upsert(
        row(text, at: second), into: "goals", key: ["user_id", "id"], token: token)?["body"]?
        .stringValue
    }
    #expect(try await put("one", 10) == "one")
    #expect(try await put("one", 10) == "one")
    #expect(try await put("two", 20) == "two")
    #expect(try await put("old", 15) == nil)
    let rows = try await client.rows(of: "goals", where: [("id", "a")], token: token)
    #expect(rows.count == 1 && rows[0]["body"] == "two")
    #expect(rows[0]["user_id"]?.stringValue == (try await account.session())?.userID)
    await project.stop()
  }

  @Test func rowsOfOthersAreNeitherSeenNorChanged() async throws {
    let project = try await MockProject()
    let marta = try await project.signedIn()
    let jonas = try await project.signedIn(as: MockProject.address("jonas@example.com"))
    let client = try project.client()
    let token = try await marta.accessToken()
    _ = try await client.upsert(
      row("hers", at: 10), into: "goals", key: ["user_id", "id"], token: token)
    let his = try await jonas.accessToken()
    #expect(try await client.rows(of: "goals", token: his).isEmpty)
    var stolen = row("mine now", at: 30)
    stolen["user_id"] = .string(try #require(await marta.session()).userID)
    let taken = stolen
    let error = await #expect(throws: SupabaseError.self) {
      try await client.upsert(taken, into: "goals", key: ["user_id", "id"], token: his)
    }
    #expect(error?.code == .notAllowed)
    #expect(project.api.rows(of: "goals").map { $0["body"] } == ["hers"])
    await project.stop()
  }

  @Test(arguments: [
    ("expired-token", SupabaseError.Code.tokenRefused), ("row-policy", .notAllowed),
    ("bad-row", .rowRefused), ("server-error", .serverError), ("gateway", .serverError),
  ])
  func whatPostgRESTRefusesIsUnderstood(fault: String, code: SupabaseError.Code) async throws {
    let fault = try #require(SupabaseFault(fault))
    let project = try await MockProject(faults: [.init(fault, only: .rows)])
    let account = try await project.signedIn()
    let (client, token) = (try project.client(), try await account.accessToken())
    let error = await #expect(throws: SupabaseError.self) {
      try await client.rows(of: "goals", token: token)
    }
    #expect(error?.code == code)
    await project.stop()
  }

  @Test func aTableThatIsNotThereIsNamed() async throws {
    let project = try await MockProject()
    let account = try await project.signedIn()
    let (client, token) = (try project.client(), try await account.accessToken())
    let error = await #expect(throws: SupabaseError.self) {
      try await client.rows(of: "nowhere", token: token)
    }
    #expect(error?.code == .rowRefused && error?.detail == "PGRST205")
    await project.stop()
  }
}
