import Foundation
import LanguageModels
import Settings
import TestSupport
import Testing

struct DotEnvTests {
  static func cases() throws -> [Case] {
    try CaseFile("hostile-cases").cases.filter {
      $0["surface"]?.string == "dotenv" && $0.input != nil
        && $0["input"]?.string?.hasPrefix("(") != true
    }
  }

  private func layers(_ bytes: [UInt8]) -> SettingsLayers {
    SettingsLayers(dotenv: DotEnv(bytes: bytes))
  }

  /// What the key becomes; no case lets a request go anywhere but where its key belongs.
  @Test(arguments: try cases())
  func everyCase(hostile: Case) {
    let layers = layers(hostile.input ?? [])
    if let key = hostile["check"]?["key"]?.string {
      guard case .ready(let connection) = layers.connection() else {
        Issue.record("not ready: \(layers.connection())")
        return
      }
      #expect(connection.key == Secret(key) && connection.baseURL == "https://api.openai.com/v1")
    }
    if hostile["check"]?["network"]?.string == "none" {
      if case .ready(let connection) = layers.connection() { Issue.record("\(connection.baseURL)") }
    }
    for warning in layers.warnings { #expect(!warning.contains("sk-")) }
  }

  private func key(_ text: String) -> String? {
    guard case .ready(let connection) = layers(Array(text.utf8)).connection() else { return nil }
    return connection.key?.revealed
  }

  @Test func theFormsThatPeopleWrite() {
    #expect(key("export OPENAI_API_KEY=sk-test-abc\n") == "sk-test-abc")
    #expect(key("  OPENAI_API_KEY = sk-test-abc  \r\n") == "sk-test-abc")
    #expect(key("OPENAI_API_KEY=sk-test-abc # mine\n") == "sk-test-abc")
    #expect(key("OPENAI_API_KEY='sk-test-abc' # mine") == "sk-test-abc")
    #expect(key("OPENAI_API_KEY=sk-one\nOPENAI_API_KEY=sk-two\n") == "sk-two")
    #expect(key("OPENAI_API_KEY=$(cat /etc/passwd)\n") == nil, "a space: refused, and never run")
    #expect(key("OPENAI_API_KEY=${HOME}\n") == "${HOME}", "taken as it stands")
  }

  @Test(arguments: [
    "", "your-key-here", "<key>", "sk-...", "xxxxxx", "changeme", "YOUR_API_KEY",
  ])
  func emptyAndPlaceholdersAreNotSet(value: String) {
    #expect(layers(Array("OPENAI_API_KEY=\(value)\n".utf8)).connection() == .noKey)
  }

  @Test func anUnclosedQuoteIsReportedAndSwallowsNothing() {
    let file = DotEnv(bytes: Array("OPENAI_API_KEY=\"sk-test-abc\nOTHER=1\n".utf8))
    #expect(file.problems.map(\.line) == [1] && file.entries.keys.sorted() == ["OTHER"])
  }

  @Test func duplicatesAreNamedByLineAndNotByValue() {
    let file = DotEnv(bytes: Array("A=one\nB=2\nA=two\n".utf8))
    #expect(
      file.problems.map(\.description) == ["line 3: A overrides line 1"])
  }

  @Test func aHugeLineIsRefusedByItsLimit() {
    let limit = DotEnv.longestLine
    func file(_ length: Int) -> DotEnv {
      DotEnv(bytes: Array("A=".utf8) + [UInt8](repeating: 0x61, count: length - 2))
    }
    #expect(file(limit).entries["A"]?.value.count == limit - 2)
    #expect(file(limit + 1).entries.isEmpty && file(limit + 1).problems.count == 1)
  }

  @Test func anyBytesAreReadWithoutHarm() {
    var random = SeededGenerator(seed: 11)
    let rounds = Soak.rounds(2_000, soak: 500_000)
    let alphabet = Array("OPENAI_API_KEY=\"'# \\\n\r\t\u{FEFF}ü".utf8) + [0, 0xFF, 0xC3]
    for _ in 0..<rounds {
      let count = Int.random(in: 0...60, using: &random)
      let bytes = (0..<count).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      _ = layers(bytes).connection()
    }
  }

  @Test func theExampleNamesEverySettingAndSetsNothing() throws {
    let path = try CaseFile.packageRoot().appending(path: ".env.example")
    let bytes = Array(try Data(contentsOf: path))
    let text = String(decoding: bytes, as: UTF8.self)
    for setting in Setting.allCases { #expect(text.contains(setting.rawValue), "\(setting)") }
    #expect(DotEnv(bytes: bytes).entries.isEmpty && DotEnv(bytes: bytes).problems.isEmpty)
    let uncommented = text.split(separator: "\n").filter { $0.contains("=") }
      .map { $0.drop { $0 == "#" || $0 == " " } }.joined(separator: "\n")
    #expect(
      DotEnv(bytes: Array(uncommented.utf8)).problems.filter {
        $0.reason.contains("expected a name")
      }.isEmpty)
  }
}
