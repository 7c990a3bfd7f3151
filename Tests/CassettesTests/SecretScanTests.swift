import ContextQuality
import FoundationEssentials
import HTTPStreaming
import IncrementalJSON
import Intake
import LanguageModels
import TestSupport
import Testing
import WireFormats

@testable import Cassettes

struct SecretScanTests {
  static let planted = [
    "sk-proj-Canary7Q2mZ9xL4vT8bN3kW6rJ1hF5cD", "sk-ant-api03-Ab12Cd34Ef56Gh78Ij90-Kl12Mn34",
    "sk-test-1234567890abcdef", "sk-or-v1-0123456789abcdef0123456789abcdef",
    "gsk_Ab12Cd34Ef56Gh78Ij90Kl12", "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "xai-Ab12Cd34Ef56Gh78Ij90Kl12", "hf_Ab12Cd34Ef56Gh78Ij90Kl12Mn34", "AKIAIOSFODNN7EXAMPLE",
    "ghp_Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78", "Bearer abcdef1234567890abcdef",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "org-Ab12Cd34Ef56Gh78Ij90Kl12", "proj_Ab12Cd34Ef56Gh78Ij90Kl12",
    "Set-Cookie: __cf_bm=Ab12Cd34.Ef56", "x-api-key: 0123456789abcdef0123456789abcdef",
    "Authorization: Basic dXNlcjpwYXNzd29yZDE=",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----",
    Data("sk-proj-Canary7Q2mZ9xL4vT8bN3kW6rJ1hF5cD".utf8).base64EncodedString(),
    Data("my key: sk-test-1234567890abcdef ok".utf8).base64EncodedString(),
  ]

  private static let ordinary = {
    var cassette = Cassette(
      title: "knee and no time", tags: ["fault", "task-force-approach"], rubricVersion: 1,
      script: [
        Cassette.Step(.open), Cassette.Step(.say("a desk-based-work week, 20 lbs by June 2026")),
      ],
      exchanges: [
        Exchange(
          purpose: .greet,
          request: RequestRecord(
            model: "gpt-5-mini-2025-08-07", structure: "evidence,retracted,care", messages: 3,
            words: "4155550132123456", conversation: "0123456789abcdef", prompt: "5de53a8d38cd5ba3"),
          response: RecordedResponse(
            headers: [
              "content-type": "text/event-stream",
              "x-request-id": "req_011CSHoEeqs5C35K2UUqR7Fy",
              "x-ratelimit-reset-tokens": "6m0s",
              "date": "Mon, 05 Jan 2026 08:00:00 GMT",
            ],
            content: .frames([
              .init(
                .event(
                  nil,
                  [
                    "id": "chatcmpl-CcJ1h2k3L4m5N6o7P8q9R0s1T2u3", "created": 1_767_600_000,
                    "system_fingerprint": "fp_44709d6fcb",
                    "choices": [["index": 0, "delta": ["content": "risk-averse, mask-free; "]]],
                  ])),
              .init(
                .event(
                  "message_start", ["message": ["id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "m"]])
              ),
              .init(.event(nil, "[DONE]")),
            ]))),
        Exchange(
          purpose: .ask,
          response: RecordedResponse(
            status: 401,
            content: .body(#"{"error":{"message":"Incorrect API key provided: [key]","code":"x"}}"#)
          )),
      ])
    cassette.prompts = [
      Cassette.Prompt(purpose: "ask", lines: ["API key: none. Bearer of news, a cookie: no."])
    ]
    return cassette
  }()

  @Test func ordinaryCassettesHoldNothing() {
    #expect(SecretScan.findings(in: Self.ordinary, file: "a.json").map(\.description) == [])
  }

  @Test(.slow) func theFixturesHoldNothing() throws {
    let folder = try CaseFile.packageRoot().appending(path: "Fixtures/conversations")
    let fixed = try PromptPack.embedded().fixedTexts
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where path.hasSuffix(".json") {
      let bytes = Array(try Data(contentsOf: folder.appending(path: path)))
      let findings = SecretScan.findings(in: bytes, file: path, sparing: fixed)
      #expect(findings.map(\.description) == [])
    }
  }

  private enum Place: CaseIterable {
    case title, script, interrupt, body, json, header, transcript, prompt, model, oneFrame, rawFrame
    case bytes, comment, requestModel
  }

  private func cassette(_ secret: String, in place: Place) -> Cassette {
    var cassette = Self.ordinary
    func frame(_ content: RecordedResponse.Frame.Content) {
      cassette.exchanges[0].response.content = .frames([.init(content)])
    }
    switch place {
    case .title: cassette.title = "about \(secret)"
    case .script: cassette.script.append(Cassette.Step(.say("it's \(secret), ok?")))
    case .interrupt:
      cassette.script.append(Cassette.Step(.say("x"), interrupt: .afterText("\(secret) is")))
    case .body: cassette.exchanges[1].response.content = .body("<p>\(secret)</p>")
    case .json:
      cassette.exchanges[1].response.content = .answer(
        ModelAnswer(.json(["quote": .string(secret)])))
    case .header: cassette.exchanges[0].response.headers["x-request-id"] = secret
    case .transcript: cassette.transcript = [.init(.coach, "You said \(secret).")]
    case .prompt: cassette.prompts[0].lines.append("\"\(secret)\"")
    case .model: cassette.settings.models.deep = secret
    case .oneFrame: frame(.event(nil, ["error": ["message": .string("bad \(secret)")]]))
    case .rawFrame: frame(.raw("data: {\"text\": \(JSONValue.string(secret).serialized())}\n\n"))
    case .bytes: frame(.bytes([0xFF] + Array(secret.utf8)))
    case .comment: frame(.raw(": \(JSONValue.string(secret).serialized())\n\n"))
    case .requestModel: cassette.exchanges[0].request?.model = secret
    }
    return cassette
  }

  @Test(arguments: planted)
  func aPlantedSecretIsFoundWhereverItStands(secret: String) {
    for place in Place.allCases {
      let findings = SecretScan.findings(in: cassette(secret, in: place), file: "a.json")
      #expect(findings.contains { !$0.kind.isWeak }, "\(secret) in \(place)")
      for finding in findings {
        #expect(finding.file == "a.json")
        #expect(!finding.description.contains(secret), "\(finding)")
      }
    }
  }

  @Test(arguments: planted.filter { !$0.contains("\n") })
  func aSecretThatIsSplitOverTheStreamIsFound(secret: String) {
    for size in [1, 3, 8] {
      var frames: [RecordedResponse.Frame] = []
      var rest = Substring("it is \(secret)")
      while !rest.isEmpty {
        frames.append(
          .init(
            .event(
              nil,
              ["choices": [["index": 0, "delta": ["content": .string(String(rest.prefix(size)))]]]])
          ))
        rest = rest.dropFirst(size)
      }
      var cassette = Self.ordinary
      cassette.exchanges[0].response.content = .frames(frames)
      let findings = SecretScan.findings(in: cassette, file: "a.json")
      #expect(findings.contains { !$0.kind.isWeak }, "\(secret) by \(size)")
      #expect(findings.allSatisfy { $0.place.hasPrefix("exchanges[0].response.frames") })
    }
  }

  @Test func theRecorderTakesAwayWhatTheScanFinds() {
    for secret in Self.planted {
      let redactor = Redactor(configured: [], names: [], learningFrom: ["it is \(secret)."])
      var cassette = Self.ordinary
      cassette.script = [Cassette.Step(.say(redactor.redact("it is \(secret).")))]
      #expect(SecretScan.findings(in: cassette, file: "").isEmpty, "\(secret)")
    }
  }

  @Test func headersThatNameAnAccountAreFoundWhateverTheyHold() {
    for (name, kind) in [
      ("set-cookie", SecretKind.cookie), ("openai-organization", .organisation),
      ("Authorization", .authorization), ("anthropic-organization-id", .organisation),
    ] {
      var cassette = Self.ordinary
      cassette.exchanges[1].response.headers = [name: "s=1"]
      let findings = SecretScan.findings(in: cassette, file: "a")
      #expect(findings.map(\.kind) == [kind])
      #expect(findings.first?.place == "exchanges[1].response.headers.\(name)")
    }
  }

  @Test func addressesAndNumbersAreFoundAsTheLesserMatter() {
    var cassette = Self.ordinary
    cassette.script.append(Cassette.Step(.say("marta@example.com, +49 171 2345678")))
    let findings = SecretScan.findings(in: cassette, file: "a")
    #expect(findings.map(\.kind) == [.email, .phone])
    #expect(findings.allSatisfy { $0.kind.isWeak && $0.place == "script[2].user" })
  }

  @Test func aFileThatIsNoCassetteIsReadByLines() {
    let findings = SecretScan.findings(
      in: Array("{\nkey = sk-test-1234567890abcdef\n".utf8), file: "b")
    #expect(findings.map(\.place) == ["line 2"])
    #expect(findings.first?.description == #"b: line 2: key "sk-t…" (24 characters)"#)
  }
}
