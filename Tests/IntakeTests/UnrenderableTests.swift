import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import LanguageModels
import Synchronization
import Testing

@testable import Intake

/// A prompt that can't be rendered is never sent.
struct UnrenderableTests {
  private static func files() throws -> [String: String] {
    try PromptPack.embeddedFiles("fitness")
  }

  @Test(arguments: [
    ("prompts/ask.mustache", "{{#hasKnown}}You know something.{{/hasKnown}}"),
    ("prompts/greet.mustache", "{{#findings}}Hello"),
  ])
  func aFolderIsRefusedWithTheFileAndTheReason(path: String, text: String) throws {
    var files = try Self.files()
    files[path] = text
    let error = #expect(throws: PackError.self) { try PromptPack(files: files, folder: "mine") }
    #expect(error?.file == "mine/\(path)")
    #expect(error?.reason.isEmpty == false)
  }

  @Test func aKindOfCareThatStandsTwiceIsRefused() throws {
    var files = try Self.files()
    let notes = try #require(files["care/notes.json"])
    let kind = #"{"kind": "crisis", "note": "Twice."},"#
    files["care/notes.json"] = notes.replacing("\"kinds\": [", with: "\"kinds\": [" + kind)
    let error = #expect(throws: PackError.self) { try PromptPack(files: files, folder: "mine") }
    #expect(error?.file == "mine/care/notes.json")
    #expect(error?.reason == "kinds: expected each kind once")
  }

  @Test func everyEmbeddedPromptSaysSomething() throws {
    let pack = try PromptPack(files: try Self.files(), folder: "fitness")
    for name in TemplateName.allCases where name.isPrompt {
      #expect(throws: Never.self, "\(name)") { try pack.render(name, [:]) }
    }
  }

  @Test(arguments: [
    ("prompts/greet.mustache", RequestPurpose.greet), ("prompts/score.mustache", .score),
    ("prompts/synthesise.mustache", .synthesise),
  ])
  func theEngineSaysSoAndSendsNothing(path: String, purpose: RequestPurpose) async throws {
    var files = try Self.files()
    files[path] = "{{#broken}}"
    let model = ScriptedCoach(UsualConversation.script)
    let clock = TestClock()
    let shown = Shown()
    let engine = try await IntakeEngine(
      log: InMemorySessionLog(), models: ModelRoles(all: model),
      pack: try PromptPack(unchecked: files, folder: "fitness"),
      entitlements: InMemoryEntitlement(), now: { clock.now() })
    try await engine.open { shown.add($0) }
    if purpose != .greet {
      for line in [UsualConversation.first, UsualConversation.second, UsualConversation.third] {
        try await engine.say(line) { shown.add($0) }
      }
      if purpose == .score { #expect(await engine.state.ledger.known.isEmpty) }
    }
    #expect(model.requests(for: purpose).isEmpty)
    let notice = try #require(shown.notices.first { $0.code == "prompt-unusable" })
    #expect(notice.level == .error)
    #expect(notice.detail?.contains("fitness/\(path)") == true)
  }
}

private final class Shown: Sendable {
  private let outputs = Mutex<[SessionOutput]>([])

  func add(_ output: SessionOutput) { outputs.withLock { $0.append(output) } }

  var notices: [SessionOutput.Notice] {
    outputs.withLock(\.self).compactMap {
      if case .notice(let notice) = $0 { notice } else { nil }
    }
  }
}
