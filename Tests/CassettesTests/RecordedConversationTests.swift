import Coaching
import ContextQuality
import FoundationEssentials
import HTTPStreaming
import Intake
import LanguageModels
import MockServer
import RapportTesting
import TestSupport
import Testing
import WireFormats

@testable import Cassettes

/// A whole conversation, recorded over a socket and played again by the engine.
@Suite(.integration)
struct RecordedConversationTests {
  private static let lines = [
    "drop about 20 lbs by june so i can keep up with my kids. no time though",
    "work. new job, 60h weeks. and my right knee is shot from marathons. i'm Marta "
      + "<marta.k@example.com>, call me: 555-0132 or +49 171 2345678",
    "love swimming, hate burpees, pool next door. i'm 42, 4000 steps a day, out of breath on the "
      + "stairs. Marta's knee \"hurts\"",
    "tue and thu mornings, 30 minutes. dinner is usually drive-thru. be blunt, check in weekly, marta",
    "let's go", "what first? my key was sk-test-1234567890abcdef", "1", "and after that?",
  ]

  private func record(_ format: WireFormat, names: [String]) async throws -> Cassette {
    let api = ModelAPI(script: try BuiltInCoach.script())
    let model = try await MockServer { request in api.answer(request) }
    defer { model.stop() }
    // Time stands still: a slow machine would look like somebody who answers at once.
    let start = Date()
    let instant = ContinuousClock.now
    let recorder = CassetteRecorder(HTTPClient(), clock: { instant }, now: { start })
    let runtime = ModelRuntime(transport: recorder)
    let endpoint = ModelEndpoint(
      provider: "loopback", format: format, baseURL: model.baseURL,
      apiKey: Secret(CassetteRecorderTests.key), model: BuiltInCoach.modelName)
    let pack = try PromptPack.embedded()
    let engine = try await IntakeEngine(
      log: InMemorySessionLog(), models: ModelRoles(all: HTTPModel(endpoint, runtime: runtime)),
      pack: pack, entitlements: InMemoryEntitlement(nil),
      surroundings: .coached(by: pack, in: .gmt), now: { start })
    recorder.begin(.open)
    try await engine.open { _ in }
    try recorder.end()
    for line in Self.lines {
      recorder.begin(.say(line))
      try await engine.say(line) { _ in }
      try recorder.end()
    }
    let name = BuiltInCoach.modelName
    var settings = Cassette.Settings()
    settings.models = Cassette.Models(fast: name, coach: name, deep: name)
    var facts = ConversationRecording.Facts(
      title: "recorded", wireFormat: format, rubricVersion: pack.rubric.version,
      settings: settings, names: names, fixedTexts: pack.fixedTexts)
    facts.transcript = await engine.state.transcript.messages
    return recorder.recording.cassette(facts)
  }

  /// "You" and "will" stand in every prompt, where they name nobody.
  @Test(arguments: WireFormat.allCases, [["Marta"], ["Marta", "You", "will", "Coach", "work"]])
  func aReplayAsksExactlyWhatWasRecorded(format: WireFormat, names: [String]) async throws {
    let cassette = try await record(format, names: names)
    #expect(cassette.exchanges.count >= 11)
    let run = await ConversationRunner(pack: try PromptPack.embedded()).run(cassette)
    #expect(run.problems.isEmpty)
    #expect(run.drift.isEmpty)
    #expect(run.requests.map { $0?.record } == cassette.exchanges.map(\.request))
    #expect(run.transcript.map(\.text) == cassette.transcript.map(\.text))
  }

  @Test func nothingPersonalIsInTheFile() async throws {
    let cassette = try await record(.openAI, names: ["marta"])
    let text = cassette.text.lowercased()
    for trace in ["marta", "example.com", "555-0132", "2345678", "sk-test", "canary7q2m", "@"] {
      #expect(!text.contains(trace), "\(trace)")
    }
    #expect(
      SecretScan.findings(
        in: cassette, file: "", sparing: try PromptPack.embedded().fixedTexts
      ).isEmpty)
    #expect(
      cassette.script[2].act
        == .say(
          "work. new job, 60h weeks. and my right knee is shot from marathons. i'm [name-1] <[email-1]>, "
            + "call me: [phone-1] or [phone-2]"))
  }
}
