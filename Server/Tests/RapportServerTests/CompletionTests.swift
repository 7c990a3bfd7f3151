import IncrementalJSON
import NIOHTTP1
import TestSupport
import Testing

@testable import RapportServer

/// A client of OpenAI's protocol that knows nothing but its own history.
private struct ChatClient {
  let client: Client
  let streams: Bool
  var history: [JSONValue] = []
  var conversations: Set<String> = []

  mutating func say(_ text: String) async throws -> String {
    history.append(["role": "user", "content": .string(text)])
    let answer = try await client.json(
      .POST, "/v1/chat/completions",
      ["model": "rapport-coach", "messages": .array(history), "stream": .bool(streams)])
    #expect(answer.status == 200, "\(text): \(answer.text)")
    conversations.formUnion(answer.headers["x-conversation-id"])
    let content =
      streams
      ? try Self.content(answer.text)
      : answer.json["choices"]?[0]?["message"]?["content"]?.stringValue ?? ""
    #expect(!answer.text.contains("\"created\":0"))
    history.append(["role": "assistant", "content": .string(content)])
    return content
  }

  private static func content(_ stream: String) throws -> String {
    try stream.split(separator: "\n").filter { $0.hasPrefix("data: {") }.map { line in
      let chunk = try JSONValue(parsing: String(line.dropFirst("data: ".count)))
      return chunk["choices"]?[0]?["delta"]?["content"]?.stringValue ?? ""
    }.joined()
  }
}

@Suite(.integration) struct CompletionTests {
  /// The conversation that the mock coach knows.
  private static let front = [
    "drop about 20 lbs by june so i can keep up with my kids. no time though",
    "work. new job, 60h weeks. and my right knee is shot from marathons",
    "love swimming, hate burpees, pool next door. i'm 42, 4000 steps a day",
    "tue and thu mornings, 30 minutes. dinner is usually drive-thru. be blunt",
  ]

  @Test(arguments: [true, false])
  func aHistoryLeadsThroughThePaywall(streams: Bool) async throws {
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles)
    var chat = ChatClient(client: server.client, streams: streams)
    for line in Self.front.dropLast() { #expect(try await !chat.say(line).isEmpty) }
    let question = try await chat.say(try #require(Self.front.last))
    #expect(question.hasSuffix("\n\n- Let's go"))
    let paywall = try await chat.say("let's go")
    #expect(paywall.contains("your coach is ready when you are") && paywall.contains("stub"))
    #expect(paywall.hasSuffix("\n\n- Continue my coaching journey\n- Not now"))
    #expect(try await chat.say("not now").contains("keep what you write"))
    let unread = try await chat.say("what about my knee?")
    #expect(unread.contains("Continue my coaching journey"), "\(unread)")
    let first = try await chat.say("Continue my coaching journey")
    #expect(!first.isEmpty && !first.contains("- Not now"))
    #expect(try await !chat.say("thanks").isEmpty)
    #expect(try await !chat.say("not now").isEmpty)
    #expect(try await !chat.say("what else?").isEmpty)
    #expect(chat.conversations.count == 1)
  }

  @Test func aHistoryMayTellTheEndAlone() async throws {
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles)
    var chat = ChatClient(client: server.client, streams: false)
    for line in lines.prefix(2) { _ = try await chat.say(line) }
    // Some clients send only the last messages.
    let whole = chat.history
    chat.history = Array(whole.dropFirst(2))
    #expect(try await !chat.say(lines[2]).isEmpty)
    #expect(chat.conversations.count == 1)
    chat.history = whole + chat.history.suffix(2)
    // Answers without words say nothing.
    chat.history.append(["role": "assistant", "content": ""])
    #expect(try await !chat.say(lines[3]).isEmpty)
    #expect(chat.conversations.count == 1)
  }
}
