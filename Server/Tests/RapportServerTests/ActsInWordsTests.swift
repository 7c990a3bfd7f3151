import IncrementalJSON
import NIOHTTP1
import SessionStore
import TestSupport
import Testing

@testable import RapportServer

/// Clients without buttons: the offer, the summary and the paywall are answered in words.
@Suite(.integration) struct ActsInWordsTests {
  enum Dialect: CaseIterable { case completions, agent }

  fileprivate struct Chat {
    let model: MockModel
    let server: TestServer
    let dialect: Dialect
    private var history: [JSONValue] = []

    init(_ dialect: Dialect, purchases: Purchases = .stub) async throws {
      model = try await MockModel()
      server = try await TestServer(TestFolder(), models: model.roles, purchases: purchases)
      self.dialect = dialect
    }

    mutating func say(_ text: String) async throws -> String {
      let id = "\(history.count)"
      history.append(["id": .string(id), "role": "user", "content": .string(text)])
      let (path, body): (String, JSONValue) =
        switch dialect {
        case .completions:
          (
            "/v1/chat/completions",
            ["model": "rapport-coach", "messages": .array(history), "stream": false]
          )
        case .agent:
          (
            "/ag-ui",
            [
              "threadId": "t1", "runId": .string("r" + id), "state": [:], "tools": [],
              "context": [], "forwardedProps": [:], "messages": .array(history),
            ]
          )
        }
      let answer = try await server.client.json(.POST, path, body)
      #expect(answer.status == 200, "\(text): \(answer.text)")
      let content = try dialect == .agent ? said(answer.text) : answer.json.reply
      history.append(
        ["id": .string(id + "c"), "role": "assistant", "content": .string(content)])
      return content
    }

    private func said(_ stream: String) throws -> String {
      try stream.split(separator: "\n").filter { $0.hasPrefix("data: {") }.map { line in
        let event = try JSONValue(parsing: String(line.dropFirst("data: ".count)))
        return event["type"] == "TEXT_MESSAGE_CONTENT" ? event["delta"]?.stringValue ?? "" : ""
      }.joined()
    }

    func phase() async throws -> String? {
      let id = try #require(try server.store.sessions().first?.id)
      return try await server.client.json(.GET, "/conversations/\(id)").json["phase"]?.stringValue
    }
  }

  private static let front = [
    "drop about 20 lbs by june so i can keep up with my kids. no time though",
    "work. new job, 60h weeks. and my right knee is shot from marathons",
    "love swimming, hate burpees, pool next door. i'm 42, 4000 steps a day",
    "tue and thu mornings, 30 minutes. dinner is usually drive-thru. be blunt",
  ]

  @Test(arguments: Dialect.allCases)
  func theSummaryAndThePaywallAreAnswered(dialect: Dialect) async throws {
    var chat = try await Chat(dialect)
    for line in Self.front { _ = try await chat.say(line) }
    #expect(try await chat.phase() == "confirmation")
    #expect(try await chat.say("spot on, that's me").contains("Not now"))
    #expect(try await chat.phase() == "paywall")
    #expect(try await chat.say("not today, love").contains("keep what you write"))
    #expect(try await chat.phase() == "paywall")
    _ = try await chat.say("my knee clicked this morning")
    #expect(try await chat.phase() == "paywall")
    #expect(try await !chat.say("oh go on, sign me up").isEmpty)
    #expect(try await chat.phase() == "coaching")
  }

  /// With a store behind it, words only lead to the checkout.
  @Test(arguments: Dialect.allCases)
  func wordsBuyNothing(dialect: Dialect) async throws {
    var chat = try await Chat(dialect, purchases: .revenueCat)
    for line in Self.front + ["spot on"] { _ = try await chat.say(line) }
    #expect(try await chat.phase() == "paywall")
    let answer = try await chat.say("oh go on, sign me up")
    #expect(answer.contains("Subscribe in the app first"), "\(answer)")
    #expect(try await chat.phase() == "paywall")
    #expect(try await !chat.say("another day then").isEmpty)
  }

  @Test(arguments: Dialect.allCases)
  func theOfferIsAnswered(dialect: Dialect) async throws {
    var chat = try await Chat(dialect)
    for line in [
      "I'd like to get fitter", "my job, I sit all day", "some walking, nothing else",
      "in the park I suppose", "it varies", "not much to tell", "hm", "nothing else", "no", "well",
    ] {
      _ = try await chat.say(line)
      if try await chat.phase() == "offer" { break }
    }
    #expect(try await chat.phase() == "offer")
    _ = try await chat.say("oh just go on with what you've got")
    #expect(try await chat.phase() == "confirmation")
  }
}

extension JSONValue {
  fileprivate var reply: String {
    self["choices"]?[0]?["message"]?["content"]?.stringValue ?? ""
  }
}
