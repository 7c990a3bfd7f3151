import Foundation
import LanguageModels
import Settings
import TestSupport
import Testing

/// A base URL from one source is never joined with a key from another.
struct ConnectionTests {
  static let canary = "sk-canary-0123456789abcdefghij"
  static let elsewhere = "https://elsewhere.example/v1"

  enum Source: CaseIterable { case flag, environment, dotenv, config, credentials }

  private func layers(_ values: [Source: [String: String]]) throws -> SettingsLayers {
    let dotenv = (values[.dotenv] ?? [:]).map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
    let config = (values[.config] ?? [:])
      .map { "\"\($0.key.dropFirst(8).lowercased())\":\"\($0.value)\"" }.joined(separator: ",")
    let stored = values[.credentials].map {
      Credentials(
        provider: .openAI, baseURL: $0["RAPPORT_BASE_URL"] ?? "https://api.openai.com/v1",
        key: Secret($0["RAPPORT_API_KEY"] ?? ""))
    }
    return SettingsLayers(
      flags: values[.flag].map { [.baseURL: $0["RAPPORT_BASE_URL"] ?? ""] } ?? [:],
      environment: values[.environment] ?? [:], dotenv: DotEnv(bytes: Array(dotenv.utf8)),
      config: try ConfigFile(path: "config.json", text: "{\(config)}"), credentials: stored)
  }

  @Test(arguments: Source.allCases, [Source.environment, .dotenv, .config, .credentials])
  func keysStayWithTheirOwnAddress(urlSource: Source, keySource: Source) throws {
    guard urlSource != .credentials else { return }
    var values: [Source: [String: String]] = [keySource: ["RAPPORT_API_KEY": Self.canary]]
    values[urlSource, default: [:]]["RAPPORT_BASE_URL"] = Self.elsewhere
    let outcome = try layers(values).connection()
    if urlSource == keySource {
      guard case .ready(let connection) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(connection.baseURL == Self.elsewhere && connection.key == Secret(Self.canary))
    } else {
      guard case .refused(let refusal) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(refusal.description.contains("elsewhere.example"))
      #expect(!"\(outcome)".contains(Self.canary))
    }
  }

  @Test(arguments: Source.allCases, [Source.environment, .dotenv, .config, .credentials])
  func aServerOnThisMachineNeedsNoKeyAndGetsNone(urlSource: Source, keySource: Source) throws {
    guard urlSource != keySource, urlSource != .credentials else { return }
    let outcome = try layers([
      urlSource: ["RAPPORT_BASE_URL": "http://localhost:11434/v1"],
      keySource: ["RAPPORT_API_KEY": Self.canary],
    ]).connection()
    guard case .ready(let connection) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(connection.key == nil && connection.baseURL == "http://localhost:11434/v1")
  }

  @Test(arguments: [Source.dotenv, .config])
  func aWeakerAddressNeitherBlocksNorRedirectsACompleteSource(weaker: Source) throws {
    let connection = try #require(
      try layers([
        .environment: [
          "RAPPORT_API_KEY": Self.canary, "RAPPORT_BASE_URL": "https://mine.example/v1",
        ],
        weaker: ["RAPPORT_BASE_URL": Self.elsewhere],
      ]).connection().ready)
    #expect(
      connection.baseURL == "https://mine.example/v1" && connection.key == Secret(Self.canary))
  }

  @Test(arguments: [Source.dotenv, .config])
  func aWeakerProviderDoesNotSteerAKey(weaker: Source) throws {
    let steering = [weaker: ["RAPPORT_PROVIDER": "anthropic"]]
    for name in ["RAPPORT_API_KEY", "OPENAI_API_KEY"] {
      let outcome = try layers(
        steering.merging([.environment: [name: Self.canary]]) { $1 }
      ).connection()
      #expect(outcome.ready.map { $0.baseURL == "https://api.openai.com/v1" } ?? true, "\(outcome)")
    }
  }

  @Test(arguments: ["anthropic", "bogus"], [true, false])
  func aWeakerFileNeitherStopsNorRedirectsAWholeSource(provider: String, isWhole: Bool) throws {
    var strong = ["OPENAI_API_KEY": Self.canary]
    if isWhole { strong["OPENAI_BASE_URL"] = "https://mine.example/v1" }
    let connection = try #require(
      try layers([
        .environment: strong,
        .dotenv: [
          "RAPPORT_PROVIDER": provider, "RAPPORT_API_KEY": "sk-theirs",
          "RAPPORT_BASE_URL": "https://evil.example/v1",
        ],
      ]).connection().ready)
    let expected = isWhole ? "https://mine.example/v1" : "https://api.openai.com/v1"
    #expect(connection.baseURL == expected && connection.key == Secret(Self.canary))
  }

  @Test func aWeakerProviderMayChooseBetweenKeysOfTheirOwn() throws {
    let connection = try #require(
      try layers([
        .config: ["RAPPORT_PROVIDER": "anthropic"],
        .environment: ["OPENAI_API_KEY": "sk-other-key", "ANTHROPIC_API_KEY": Self.canary],
      ]).connection().ready)
    #expect(connection.baseURL == "https://api.anthropic.com/v1")
    #expect(connection.key == Secret(Self.canary))
  }

  @Test func aProviderThatTheStoredKeyIsNotForIsNamed() throws {
    let outcome = try layers([
      .credentials: ["RAPPORT_API_KEY": Self.canary],
      .dotenv: ["RAPPORT_PROVIDER": "anthropic"],
    ]).connection()
    guard case .refused(let refusal) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    for words in [".env:1", "anthropic", "openai"] { #expect(refusal.description.contains(words)) }
  }

  @Test(arguments: [
    ("https://elsewhere.example:443/v1", "https://elsewhere.example/v1", true),
    ("https://elsewhere.example/v1", "https://ELSEWHERE.example:443/v1/", true),
    ("https://elsewhere.example:8443/v1", "https://elsewhere.example/v1", false),
  ])
  func thePortThatGoesWithoutSayingMakesNoOtherHost(
    stored: String, named: String, isSame: Bool
  ) throws {
    let outcome = try layers([
      .credentials: ["RAPPORT_API_KEY": Self.canary, "RAPPORT_BASE_URL": stored],
      .environment: ["RAPPORT_BASE_URL": named],
    ]).connection()
    #expect((outcome.ready?.key == Secret(Self.canary)) == isSame, "\(outcome)")
  }

  @Test(arguments: [Source.environment, .dotenv, .config], [Source.environment, .dotenv, .config])
  func authoritiesAreNamedWhereTheKeyIsOrInAStrongerPlace(key: Source, authorities: Source) throws {
    var values = [key: ["OPENAI_API_KEY": Self.canary]]
    if key == .config { values = [key: ["RAPPORT_API_KEY": Self.canary]] }
    values[authorities, default: [:]]["RAPPORT_CA_FILE"] = "/ca.pem"
    let layers = try layers(values)
    let order: [Source] = [.environment, .dotenv, .config]
    let counts = try #require(order.firstIndex(of: authorities)) <= order.firstIndex(of: key) ?? 0
    #expect((layers.certificates(at: layers.connection().ready) != nil) == counts)
    #expect(layers.warnings.contains { $0.hasPrefix("RAPPORT_CA_FILE") } == !counts)
    let row = layers.rows().first { $0.name == "RAPPORT_CA_FILE" }
    #expect(row?.value == (counts ? "/ca.pem" : "(not set)"))
  }

  @Test func eachSettingIsShownWithItsOwnSource() throws {
    let layers = try layers([
      .environment: ["ANTHROPIC_API_KEY": Self.canary], .dotenv: ["RAPPORT_PROVIDER": "anthropic"],
    ])
    let sources = Dictionary(uniqueKeysWithValues: layers.rows().map { ($0.name, $0.source) })
    #expect(sources["RAPPORT_PROVIDER"] == "the environment", "the key's name said it first")
    #expect(sources["RAPPORT_BASE_URL"] == "built in")
    let stored = try self.layers([.credentials: ["RAPPORT_API_KEY": Self.canary]]).rows()
    #expect(stored.first { $0.name == "RAPPORT_PROVIDER" }?.source == "credentials.json")
  }

  @Test func anAddressIsShownWithoutItsQuery() throws {
    let url = "https://elsewhere.example/v1?token=hush"
    let rows = try layers([
      .environment: ["RAPPORT_API_KEY": Self.canary, "RAPPORT_BASE_URL": url]
    ]).rows()
    #expect(rows.contains { $0.value == "https://elsewhere.example/v1?…" })
    #expect(!rows.contains { $0.value.contains("hush") })
  }

  @Test(arguments: [("~/a/b", "/home/me/a/b"), ("~", "/home/me"), ("a~/b", "a~/b"), ("/~x", "/~x")])
  func theHomeFolderIsKnownByItsSign(written: String, meant: String) throws {
    let layers = SettingsLayers(
      environment: ["HOME": "/home/me"],
      dotenv: DotEnv(bytes: Array("RAPPORT_STORE=\(written)".utf8)))
    #expect(try layers.path(.store) == meant)
  }

  @Test func anotherPersonsHomeFolderIsRefused() throws {
    let layers = SettingsLayers(
      environment: ["HOME": "/home/me"], dotenv: DotEnv(bytes: Array("RAPPORT_STORE=~you/x".utf8)))
    let error = #expect(throws: SettingError.self) { try layers.path(.store) }
    #expect(error?.source == .dotenv(line: 1))
  }

  @Test func aStoredKeyGoesToTheAddressItWasStoredFor() throws {
    let outcome = try layers([
      .flag: ["RAPPORT_BASE_URL": Self.elsewhere],
      .credentials: ["RAPPORT_BASE_URL": Self.elsewhere, "RAPPORT_API_KEY": Self.canary],
    ]).connection()
    guard case .ready(let connection) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(connection.key == Secret(Self.canary))
  }

  @Test func theKeysNameSaysWhoseItIs() throws {
    let outcome = try layers([.environment: ["ANTHROPIC_API_KEY": Self.canary]]).connection()
    guard case .ready(let connection) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(
      connection.provider == .anthropic && connection.baseURL == "https://api.anthropic.com/v1")
  }

  @Test(arguments: [
    "http://api.example.com/v1", "https://api.openai.com@evil.example/v1", "file:///etc/passwd",
    "http://169.254.169.254/latest", "https://api.openai.com/v1\r\nHost: evil", "ftp://x/y",
    "nonsense",
  ])
  func addressesThatAreNeverUsed(url: String) throws {
    let layers = SettingsLayers(
      environment: ["RAPPORT_BASE_URL": url, "RAPPORT_API_KEY": Self.canary])
    guard case .refused(let refusal) = layers.connection() else {
      Issue.record("\(url): \(layers.connection())")
      return
    }
    #expect(!refusal.description.contains(Self.canary))
  }

  @Test func aKeyWithControlCharactersIsRefusedByPositionAndNotByValue() {
    let layers = SettingsLayers(environment: ["OPENAI_API_KEY": "sk-test\r\nX-Evil: 1"])
    guard case .refused(let refusal) = layers.connection() else {
      Issue.record("\(layers.connection())")
      return
    }
    #expect(refusal.description.contains("a line break (character 8)"))
    #expect(!refusal.description.contains("sk-test"))
  }

  @Test func strongerSourcesWin() throws {
    let layers = SettingsLayers(
      flags: [.model: "from-flag"],
      environment: ["RAPPORT_MODEL": "from-environment", "RAPPORT_MAX_TURNS": "7"],
      dotenv: DotEnv(bytes: Array("RAPPORT_MAX_TURNS=8\nRAPPORT_THRESHOLD=0.7\n".utf8)),
      config: try ConfigFile(path: "c.json", text: #"{"threshold": 0.6, "store": "/x"}"#))
    #expect(layers[.model]?.value == "from-flag" && layers[.model]?.source == .flag)
    #expect(try layers.wholeNumber(.maxTurns, 1...50) == 7)
    #expect(try layers.tenThousandths(.threshold) == 7_000)
    #expect(layers[.threshold]?.source == .dotenv(line: 2))
    #expect(layers[.store]?.source == .config(path: "c.json", line: 1))
    #expect(layers[.timeLimit]?.source == .builtIn)
  }

  @Test func anyNumberIsInItsRangeOrRefused() {
    var random = SeededGenerator(seed: 15)
    let rounds = Soak.rounds(1_000, soak: 1_000_000)
    for _ in 0..<rounds {
      let bits = Double(bitPattern: UInt64.random(in: .min ... .max, using: &random))
      let text =
        Bool.random(using: &random)
        ? "\(bits)" : "\(Int64.random(in: .min ... .max, using: &random))"
      let layers = SettingsLayers(flags: [.threshold: text, .maxTurns: text])
      if let value = try? layers.tenThousandths(.threshold) {
        #expect((0...10_000).contains(value))
      }
      if let value = try? layers.wholeNumber(.maxTurns, 1...50) {
        #expect((1...50).contains(value))
      }
    }
  }

  @Test(arguments: ["nan", "inf", "0x1p3", "1e999", "-0.1", "1.1", "", "eight"])
  func numbersThatAreNone(value: String) {
    let layers = SettingsLayers(flags: [.threshold: value.isEmpty ? "e" : value])
    #expect(throws: SettingError.self) { try layers.tenThousandths(.threshold) }
  }

  @Test func aMisspeltNameGetsASuggestion() {
    let layers = SettingsLayers(environment: ["RAPPORT_MODLE": "x"])
    #expect(layers.warnings == ["RAPPORT_MODLE is not a setting; did you mean RAPPORT_MODEL?"])
  }

  @Test func aNameLikeNoneGetsTheList() {
    let layers = SettingsLayers(environment: ["RAPPORT_HOME": "x"])
    #expect(layers.warnings == ["RAPPORT_HOME is not a setting; `rapport config` lists them"])
  }

  @Test func noRowShowsAKey() throws {
    for source in [Source.environment, .dotenv, .config, .credentials] {
      let layers = try layers([source: ["RAPPORT_API_KEY": Self.canary]])
      let text = layers.rows().map { "\($0)" }.joined() + "\(layers)" + "\(layers.connection())"
      let shown = layers.rows().map { "\($0.name) \($0.value) \($0.source)" }.joined()
      #expect(!shown.contains(Self.canary))
      _ = text
    }
  }
}
