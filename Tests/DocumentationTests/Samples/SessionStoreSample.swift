import ContextQuality
import Foundation
import Intake
import LanguageModels
import SessionStore
import Testing

@Suite struct SessionStoreSample {
  /// Opens the latest conversation in a store, or starts one.
  func engine(storeAt path: String, model: any LanguageModel) async throws -> IntakeEngine {
    let store = try SessionStore(path: path)
    let session = try store.latestSession() ?? store.createSession(at: Date())
    return try await IntakeEngine(
      log: store.log(for: session), models: ModelRoles(all: model),
      pack: try PromptPack.embedded(), entitlements: StoredEntitlement(store: store),
      now: { Date() })
  }

  @Test func aConversationResumesFromItsFile() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "user.db").path
    let model = ScriptedModel(answers: [.greet: [.text("What would you like to change?")]])
    try await engine(storeAt: path, model: model).open { _ in }

    let silent = ScriptedModel { _ in nil }
    let resumed = try await engine(storeAt: path, model: silent)
    #expect(await resumed.state.transcript.messages.count == 1)
    try await resumed.open { _ in }
    #expect(silent.requests.isEmpty, "the greeting was kept, so nothing is asked for again")
  }
}
