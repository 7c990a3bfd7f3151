import Foundation
import IncrementalJSON
import NIOHTTP1
import SessionStore
import Testing

@testable import RapportServer

/// The requests of chat clients, recorded or written from their public source, in the order in which they
/// send them.
struct ClientRecording: Sendable, CustomTestStringConvertible {
  struct Request: Sendable {
    var method: HTTPMethod
    var path: String
    var headers: [(String, String)]
    var body: JSONValue?
    /// `turn`, `new`, `repeat`, `task` or `model`.
    var kind: String
  }

  var name: String
  var requests: [Request]
  var testDescription: String { name }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Fixtures/clients")

  static func all() throws -> [ClientRecording] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { file in
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      let json = try JSONValue(parsing: text)
      return ClientRecording(
        name: file,
        requests: (json["requests"]?.arrayValue ?? []).map { request in
          Request(
            method: HTTPMethod(rawValue: request["method"]?.stringValue ?? ""),
            path: request["path"]?.stringValue ?? "",
            headers: (request["headers"]?.objectValue ?? [:]).map {
              ($0.name, $0.value.stringValue ?? "")
            },
            body: request["body"], kind: request["is"]?.stringValue ?? "")
        })
    }
  }
}

@Suite struct ClientHabitTests {
  /// A server, and the replies that its client got.
  private struct Chat {
    let server: TestServer
    let model: MockModel
    var replies: [String] = []
    var conversations: [String] = []

    init(_ model: MockModel? = nil) async throws {
      self.model = if let model { model } else { try await MockModel() }
      server = try await TestServer(TestFolder(), models: self.model.roles)
    }

    func turns() throws -> [Int] {
      try server.store.sessions().map { session in
        try server.store.events(of: session.id).count { recorded in
          StoredMessage(recorded)?.isFromCoach == false
        }
      }
    }

    /// A body with the replies that the client got in the places for them.
    func filled(_ body: JSONValue?) throws -> [UInt8]? {
      guard var text = body?.serialized() else { return nil }
      for (index, reply) in replies.enumerated() {
        let json = JSONValue.string(reply).serialized().dropFirst().dropLast()
        let beginning = JSONValue.string(String(reply.prefix(12))).serialized().dropFirst()
          .dropLast()
        text = text.replacing("REPLY\(index + 1) begins", with: beginning)
          .replacing("REPLY\(index + 1)", with: json)
      }
      return Array(text.utf8)
    }

    mutating func send(_ request: ClientRecording.Request) async throws -> Client.Answer {
      let answer = try await server.client.send(
        request.method, request.path, request.headers, body: filled(request.body)
      ) { reply in
        let text = try await reply.text()
        return Client.Answer(status: reply.status, headers: reply.headers, text: text)
      }
      #expect(answer.status == 200, "\(answer.text)")
      return answer
    }

    static func content(_ answer: Client.Answer) throws -> String {
      guard answer.text.hasPrefix("data:") || answer.text.hasPrefix(":") else {
        return answer.json["choices"]?[0]?["message"]?["content"]?.stringValue ?? ""
      }
      return try answer.text.split(separator: "\n").filter { $0.hasPrefix("data: {") }.map { line in
        let chunk = try JSONValue(parsing: String(line.dropFirst("data: ".count)))
        return chunk["choices"]?[0]?["delta"]?["content"]?.stringValue ?? ""
      }.joined()
    }
  }

  @Test(arguments: try ClientRecording.all())
  func aClientsRequestsMeanWhatItMeansByThem(recording: ClientRecording) async throws {
    var chat = try await Chat()
    #expect(recording.requests.count > 2)
    for (number, request) in recording.requests.enumerated() {
      let (before, asked) = (try chat.turns().sorted(), chat.model.requests)
      let answer = try await chat.send(request)
      let (after, said) = (try chat.turns().sorted(), try Chat.content(answer))
      let place = Comment(rawValue: "request \(number + 1): \(said)")
      switch request.kind {
      case "turn":
        let (now, earlier): (Int, Int) = (after.reduce(0, +), before.reduce(0, +))
        #expect(now == earlier + 1, place)
        #expect(after.count == max(1, before.count) && !said.isEmpty, place)
        chat.replies.append(said)
      case "new": #expect(after == (before + [1]).sorted() && !said.isEmpty, place)
      case "repeat": #expect(after == before && said == chat.replies.last, place)
      case "task":
        #expect(after == before && chat.model.requests == asked && !said.isEmpty, place)
        #expect(answer.headers["x-conversation-id"].isEmpty, place)
      default: #expect(answer.json["id"] == "rapport-coach", place)
      }
    }
  }

  // Tasks.

  @Test func aTitleIsThePersonsFirstWordsInTheFormThatIsAskedFor() async throws {
    var chat = try await Chat()
    let webUI = try #require(try ClientRecording.all().first { $0.name == "open-webui.json" })
    chat.replies = ["What gets in the way?"]
    let titles = try await webUI.requests.prefix(4).filter { $0.kind == "task" }.asyncMap {
      request in try Chat.content(try await chat.send(request))
    }
    #expect(titles[0] == #"{"title":"I want to run a 10k"}"#)
    #expect(titles[1] == #"{"follow_ups":[]}"# && titles[2] == #"{"tags":[]}"#)
  }

  /// Clients ask for a title behind the chat, in any language, without streaming it as they do the chat.
  @Test(arguments: [
    "Name this chat in at most six words, plain text only.",
    "Formuliere einen kurzen Titel für diesen Chat.", "使用四到五个字直接返回这段对话的简要主题",
  ])
  func aTaskBehindAStreamedChatLeavesNoTrace(text: String) async throws {
    let chat = try await Chat(MockModel(answering: ["author": #"{"author":"program"}"#]))
    var messages: [JSONValue] = []
    var last: JSONValue = .null
    func say(_ text: String, streams: Bool) async throws -> String {
      messages.append(["role": "user", "content": .string(text)])
      let answer = try await chat.server.client.json(
        .POST, "/v1/chat/completions", ["messages": .array(messages), "stream": .bool(streams)])
      #expect(answer.status == 200, "\(answer.text)")
      if !streams { last = answer.json }
      let content = try Chat.content(answer)
      messages.append(["role": "assistant", "content": .string(content)])
      return content
    }
    _ = try await say("I want to run a 10k", streams: true)
    #expect(try await say(text, streams: false) == "I want to run a 10k")
    #expect(try chat.turns() == [1])
    #expect(try #require(last["usage"]?["prompt_tokens"]?.intValue) > 0)
    // The client keeps it, so it was said; nothing is lost.
    #expect(try await say("No time before work", streams: false) != "I want to run a 10k")
    #expect(try chat.turns() == [2])
    _ = try await say("My knee hurts on stairs", streams: false)
    #expect(try chat.turns() == [3])
    // What needs care is never a task.
    _ = try await say("Thanks", streams: true)
    let care = try await say("I don't want to live any more", streams: false)
    #expect(care.contains("988") || care.contains("emergency"), "\(care)")
    #expect(chat.model.requests(with: #""author""#) == 1)
  }

  /// Whoever switches streaming off is asked about once, and heard whatever the model answers.
  @Test(arguments: [
    #"{"author":"person"}"#, #"{"author":"nobody"}"#, "program", #"{"author":"#, nil,
  ])
  func whatIsSaidWithoutStreamingIsHeard(author: String?) async throws {
    let broken = author == nil ? "validate" : nil
    let texts = author.map { ["author": $0] } ?? [:]
    let chat = try await Chat(MockModel(brokenOnce: broken, answering: texts))
    var messages: [JSONValue] = []
    for (line, streams) in [
      ("I want to climb a wall", true), ("Write it on one line: I fear heights", false),
      ("There is a hall nearby", false),
    ] {
      messages.append(["role": "user", "content": .string(line)])
      let answer = try await chat.server.client.json(
        .POST, "/v1/chat/completions", ["messages": .array(messages), "stream": .bool(streams)])
      #expect(answer.status == 200, "\(answer.text)")
      messages.append(["role": "assistant", "content": .string(try Chat.content(answer))])
    }
    #expect(try chat.turns() == [3])
    #expect(chat.model.requests(with: #""author""#) == 1)
  }

  /// Somebody switches streaming off, limits answers, or writes other instructions: a setting makes no title of
  /// what they say.
  @Test(arguments: [
    #"{"stream":false}"#, #"{"stream":true,"max_tokens":40}"#,
    #"{"stream":true,"instructions":"Be brief."}"#,
  ])
  func aChangedSettingMakesNoTask(members: String) async throws {
    let chat = try await Chat()
    var messages: [JSONValue] = []
    func say(_ text: String, _ members: JSONValue) async throws -> String {
      messages.append(["role": "user", "content": .string(text)])
      let system =
        members["instructions"].map { [["role": "system", "content": $0] as JSONValue] } ?? []
      let answer = try await chat.server.client.json(
        .POST, "/v1/chat/completions", members.adding([("messages", .array(system + messages))]))
      messages.append(["role": "assistant", "content": .string(try Chat.content(answer))])
      return try Chat.content(answer)
    }
    _ = try await say("I want to swim in a lake", ["stream": true])
    let answer = try await say("I can't swim yet", try JSONValue(parsing: members))
    #expect(answer != "I want to swim in a lake")
    #expect(try chat.turns() == [2])
  }

  /// A request is a task if the client says so, or if its first message follows examples.
  @Test func aTaskIsKnownByItsRequest() async throws {
    let chat = try await Chat()
    func ask(_ body: JSONValue) async throws -> Client.Answer {
      try await chat.server.client.json(.POST, "/v1/chat/completions", body)
    }
    let first: JSONValue = ["role": "user", "content": "I want to learn to dive"]
    _ = try await ask(["messages": [first], "stream": true])
    let named = try await ask([
      "messages": [["role": "user", "content": "Name it"]],
      "metadata": ["task": "title_generation"],
    ])
    let behind = try await ask([
      "messages": [
        ["role": "system", "content": "You name chats."],
        ["role": "user", "content": "Who was Ada?"],
        ["role": "assistant", "content": "Ada"], first,
      ], "max_tokens": 15,
    ])
    #expect(try Chat.content(behind) == "I want to learn to dive")
    #expect(named.status == 200)
    #expect(try chat.turns() == [1])
  }

  /// A prompt that was taken for a message stays in the store; the client goes on without it.
  @Test func aChatGoesOnWithoutWhatItsClientForgot() async throws {
    let chat = try await Chat()
    var messages: [JSONValue] = [["role": "user", "content": "I want to climb"]]
    func ask(_ more: [JSONValue] = []) async throws -> Client.Answer {
      let answer = try await chat.server.client.json(
        .POST, "/v1/chat/completions", ["messages": .array(messages + more)])
      #expect(answer.status == 200, "\(answer.text)")
      return answer
    }
    messages.append(["role": "assistant", "content": .string(try Chat.content(await ask()))])
    _ = try await ask([["role": "user", "content": "Name this in four words"]])
    messages.append(["role": "user", "content": "I fear heights"])
    messages.append(["role": "assistant", "content": .string(try Chat.content(await ask()))])
    messages.append(["role": "user", "content": "There is a hall nearby"])
    _ = try await ask()
    #expect(try chat.turns() == [4])
  }

  /// What a client made up or brings from elsewhere counts for nothing, and ends no chat.
  @Test func aHistoryThatNobodyKnowsBeginsAConversation() async throws {
    let chat = try await Chat()
    var messages: [JSONValue] = [
      ["role": "user", "content": "I was elsewhere before"],
      ["role": "assistant", "content": "I owe you money."],
    ]
    for line in ["I want to row", "On a lake"] {
      messages.append(["role": "user", "content": .string(line)])
      let answer = try await chat.server.client.json(
        .POST, "/v1/chat/completions", ["messages": .array(messages)])
      #expect(answer.status == 200, "\(answer.text)")
      messages.append(["role": "assistant", "content": .string(try Chat.content(answer))])
    }
    #expect(try chat.turns() == [2])
    // It was edited: the words are the client's, the place is ours.
    messages[3] = ["role": "assistant", "content": "I'll pay you tomorrow."]
    messages.append(["role": "user", "content": "In the mornings"])
    let edited = try await chat.server.client.json(
      .POST, "/v1/chat/completions", ["messages": .array(messages)])
    #expect(edited.status == 200)
    #expect(try chat.turns() == [3])
    let said = try chat.server.store.sessions().flatMap { try chat.server.store.events(of: $0.id) }
      .compactMap { StoredMessage($0)?.text }
    #expect(!said.contains { $0.contains("elsewhere") || $0.contains("pay you") })
  }

  /// A chat is quoted in many ways; what both sides said stands in all of them.
  @Test(arguments: [
    (true, "<chat>\n<user>USER</user>\n<reply>COACH</reply>\n</chat>\nName it."),
    (true, "Name this:\n```\nUSER\n---\nCOACH\n```"),
    (true, "[USER]: USER\n[ASSISTANT]: COACH\nTitle?"),
    (true, "**Human**: USER\n\n**AI**: COACH\n\nTitle?"),
    (false, "A title in five words: \"USER\""),
    (true, #"[{"role":"user","content":"USER"},{"role":"assistant","content":"COACH"}] Title?"#),
  ])
  func aQuotedChatIsNoMessage(streams: Bool, prompt: String) async throws {
    let chat = try await Chat(MockModel(answering: ["author": #"{"author":"program"}"#]))
    func say(_ text: String, streams: Bool) async throws -> String {
      let answer = try await chat.server.client.json(
        .POST, "/v1/chat/completions",
        ["messages": [["role": "user", "content": .string(text)]], "stream": .bool(streams)])
      return try Chat.content(answer)
    }
    let words = "I want to run a 10k in May"
    let reply = try await say(words, streams: true)
    let text = prompt.replacing(": USER", with: ": " + words).replacing(">USER", with: ">" + words)
      .replacing("\nUSER", with: "\n" + words).replacing("\"USER\"", with: "\"\(words)\"")
      .replacing("COACH", with: reply)
    #expect(try await say(text, streams: streams) == "I want to run a 10k")
    #expect(try chat.turns() == [1])
  }

  /// People quote, too: in a chat, and to begin another one.
  @Test(
    arguments: [
      "I asked another bot this:\nUser: I want to run a 10k in May\nAI: COACH\nIs that right for me?",
      "Last time I told you: I want to run a 10k in May. You said: COACH Well, it's my job.",
      "<note>User: I want to run a 10k in May</note> I run {\"km\": \"5\"} each day",
      "```\nI want to run a 10k in May\n```\nThat is from my notes.",
    ], [false, true])
  func aPersonMayQuoteAChat(text: String, goesOn: Bool) async throws {
    let chat = try await Chat(MockModel(answering: ["author": #"{"author":"person"}"#]))
    var messages: [JSONValue] = []
    func say(_ text: String) async throws -> String {
      messages.append(["role": "user", "content": .string(text)])
      let answer = try await chat.server.client.json(
        .POST, "/v1/chat/completions", ["messages": .array(messages), "stream": true])
      let content = try Chat.content(answer)
      messages.append(["role": "assistant", "content": .string(content)])
      return content
    }
    let reply = try await say("I want to run a 10k in May")
    if !goesOn { messages = [] }
    #expect(try await say(text.replacing("COACH", with: reply)) != "I want to run a 10k")
    #expect(try chat.turns().sorted() == (goesOn ? [2] : [1, 1]))
  }

  /// Data in a form isn't something that the coach would be asked for.
  @Test(arguments: [
    #"{"response_format":{"type":"json_schema","json_schema":{"name":"t","schema":{"type":"object","properties":{"title":{"type":"string"},"tags":{"type":"array"}}}}}}"#,
    #"{"tool_choice":{"type":"function","function":{"name":"submit_title"}},"tools":[]}"#,
  ])
  func aRequestForDataIsATask(members: String) async throws {
    let chat = try await Chat()
    let messages: JSONValue = [["role": "user", "content": "Title for: I want to run a 10k"]]
    let body = try JSONValue(parsing: members).adding([("messages", messages)])
    let answer = try await chat.server.client.json(.POST, "/v1/chat/completions", body)
    let content = try Chat.content(answer)
    #expect(!content.isEmpty && chat.model.requests == 0)
    if members.contains("schema") {
      #expect(content == #"{"title":"Title for: I want to run","tags":[]}"#)
    }
    #expect(try chat.turns() == [])
  }

  /// What a client wraps a message in doesn't keep care from it.
  @Test(arguments: [
    #"{"response_format":{"type":"json_object"}}"#,
    #"{"tool_choice":"required","tools":[]}"#,
    #"{"prompt":"A title as {\"title\": \"\"}\n<chat_history>\nUSER: I want to run a 10k in May\nUSER: WORDS\n</chat_history>"}"#,
    #"{"prompt":"USER: I want to run a 10k in May\nASSISTANT: Why?\nUSER: WORDS\nASSISTANT:"}"#,
  ])
  func careIsNeverSwallowed(request: String) async throws {
    let chat = try await Chat()
    func ask(_ text: String, _ members: JSONValue = [:]) async throws -> String {
      let messages: JSONValue = [["role": "user", "content": .string(text)]]
      let body = JSONValue.object(
        JSONObject(
          (members.objectValue ?? [:]).map { ($0.name, $0.value) } + [("messages", messages)]))
      return try Chat.content(
        await chat.server.client.json(.POST, "/v1/chat/completions", body))
    }
    _ = try await ask("I want to run a 10k in May")
    let words = "I don't want to live any more"
    let members = try JSONValue(parsing: request)
    let prompt = (members["prompt"]?.stringValue ?? "WORDS").replacing("WORDS", with: words)
    let care = try await ask(prompt, members)
    #expect(care.contains("988") || care.contains("emergency"), "\(care)")
    #expect(try chat.turns().reduce(0, +) == 2)
    // What was heard, and what the coach said about it, can be quoted.
    _ = try await ask(words)
    let turns = try chat.turns()
    let again = try await ask(
      "<chat_history>\nUSER: \(words)\nASSISTANT: \(care)\n</chat_history>",
      ["response_format": ["type": "json_object"]])
    #expect(again == "{}")
    #expect(try chat.turns() == turns)
  }

  /// A message that was refused stays in the client's history, and is said with the next one.
  @Test func aMessageThatFailedIsSaidWithTheNext() async throws {
    let chat = try await Chat()
    var messages: [JSONValue] = [["role": "user", "content": "I slept badly"]]
    for line in ["I want to run a 10k", "No time before work"] {
      messages.append(["role": "user", "content": .string(line)])
      let answer = try await chat.server.client.json(
        .POST, "/v1/chat/completions", ["messages": .array(messages)])
      #expect(answer.status == 200, "\(answer.text)")
      messages.append(["role": "assistant", "content": .string(try Chat.content(answer))])
    }
    messages.append(["role": "user", "content": "This one failed"])
    messages.append(["role": "assistant", "content": ""])
    messages.append(["role": "user", "content": "My knee hurts on stairs"])
    let body: JSONValue = ["messages": .array(messages)]
    let answer = try await chat.server.client.json(.POST, "/v1/chat/completions", body)
    let again = try await chat.server.client.json(.POST, "/v1/chat/completions", body)
    #expect(try answer.status == 200 && Chat.content(again) == Chat.content(answer))
    #expect(try chat.turns() == [3])
  }

  /// Words of a person that look a little like a task are said to the coach.
  @Test(arguments: [
    "That summary of our conversation is too long, use fewer words",
    "Give me a title for this chat in four words please",
    "Another coach told me this:\nUSER: I want to swim\nASSISTANT: Buy fins.\nIs that right for me?",
    "What would be a good title for my plan?", "My doctor said: \"title\": [\"rest\"]",
    "Please keep this conversation short, I like answers in ten words",
    "I noted `run a 10k` in my diary", "user: that is what my gym calls me",
    "<b>I want to run</b>",
    "Summarize my week in 50 words, I ran twice in this conversation's time",
  ])
  func whatAPersonSaysIsNoTask(text: String) async throws {
    let chat = try await Chat()
    let first = try await chat.server.client.json(
      .POST, "/v1/chat/completions",
      ["messages": [["role": "user", "content": "I want to run a 10k"]]])
    let reply = try #require(first.json["choices"]?[0]?["message"]?["content"])
    let second = try await chat.server.client.json(
      .POST, "/v1/chat/completions",
      [
        "messages": [
          ["role": "user", "content": "I want to run a 10k"],
          ["role": "assistant", "content": reply], ["role": "user", "content": .string(text)],
        ]
      ])
    #expect(second.status == 200)
    #expect(try chat.turns() == [2])
  }

  // Repeats.

  /// A connection that breaks after its first bytes; the client sends the same again.
  @Test(arguments: [false, true])
  func aMessageThatIsSentAgainIsStoredOnce(isFirst: Bool) async throws {
    let chat = try await Chat()
    var messages: [JSONValue] = [["role": "user", "content": "I want to run a 10k"]]
    if !isFirst {
      let answer = try await chat.server.client.json(
        .POST, "/v1/chat/completions", ["messages": .array(messages)])
      messages.append([
        "role": "assistant",
        "content": answer.json["choices"]?[0]?["message"]?["content"] ?? .null,
      ])
      messages.append(["role": "user", "content": "No time before work"])
    }
    let body: JSONValue = ["stream": true, "messages": .array(messages)]
    try await hangUp(on: chat, body)
    // While the reply is being written, and after that.
    async let during = chat.server.client.json(.POST, "/v1/chat/completions", body)
    chat.model.gate.open()
    let first = try await Chat.content(during)
    #expect(!first.isEmpty)
    if !isFirst {
      let after = try await chat.server.client.json(.POST, "/v1/chat/completions", body)
      #expect(try Chat.content(after) == first)
    }
    #expect(try chat.turns() == [isFirst ? 1 : 2])
  }

  /// Sends a message, and hangs up while the model hasn't answered.
  private func hangUp(on chat: Chat, _ body: JSONValue) async throws {
    chat.model.gate.close()
    try await chat.server.client.send(
      .POST, "/v1/chat/completions", [("content-type", "application/json")],
      body: Array(body.serialized().utf8)
    ) { reply in
      _ = try await reply.next()
      await reply.hangUp()
    }
  }

  /// Stop, and the next message while the server still writes the reply.
  @Test(arguments: ["", "Tw"])
  func aChatGoesOnBeforeAStoppedReplyIsWritten(heard: String) async throws {
    let chat = try await Chat()
    var messages: [JSONValue] = [["role": "user", "content": "I want to run a 10k"]]
    var body: JSONValue { ["stream": true, "messages": .array(messages)] }
    try await hangUp(on: chat, body)
    if !heard.isEmpty { messages.append(["role": "assistant", "content": .string(heard)]) }
    messages.append(["role": "user", "content": "No time before work"])
    async let next = chat.server.client.json(.POST, "/v1/chat/completions", body)
    chat.model.gate.open()
    #expect(try await next.status == 200)
    #expect(try chat.turns() == [2])
  }

  @Test func theSameFirstWordsInANewChatBeginANewConversation() async throws {
    let chat = try await Chat()
    for _ in 0..<2 {
      let body: JSONValue = ["messages": [["role": "user", "content": "I want to run a 10k"]]]
      #expect(try await chat.server.client.json(.POST, "/v1/chat/completions", body).status == 200)
    }
    #expect(try chat.turns() == [1, 1])
  }

  @Test func aNamedConversationTakesAnyHistory() async throws {
    let chat = try await Chat()
    let first = try await chat.server.client.json(
      .POST, "/v1/chat/completions",
      ["messages": [["role": "user", "content": "I want to run a 10k"]]])
    let id = try #require(first.headers["x-conversation-id"].first)
    let second = try await chat.server.client.json(
      .POST, "/v1/chat/completions",
      [
        "messages": [
          ["role": "user", "content": "something else"], ["role": "assistant", "content": .null],
          ["role": "function", "content": "x"], ["role": "user", "content": "No time before work"],
        ]
      ], [("x-conversation-id", id)])
    #expect(second.status == 200)
    #expect(try chat.turns() == [2])
  }

  /// AG-UI's clients end a run in which anything comes between the pieces of a message.
  @Test func nothingComesWithinAMessageOfAGUI() async throws {
    let chat = try await Chat(
      MockModel(answering: ["none": #"I hear you. {"summary": "wants to dive"}"#]))
    let answer = try await chat.server.client.json(
      .POST, "/ag-ui",
      [
        "threadId": "d1", "runId": "r", "state": [:], "tools": [], "context": [],
        "forwardedProps": [:],
        "messages": [["id": "1", "role": "user", "content": "I want to dive"]],
      ])
    let types = try answer.text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map {
      try JSONValue(parsing: String($0.dropFirst("data: ".count)))["type"]?.stringValue ?? ""
    }
    let within = types.split { $0 == "TEXT_MESSAGE_END" }.compactMap { part in
      part.firstIndex(of: "TEXT_MESSAGE_START").map { part[$0...].dropFirst() }
    }
    #expect(
      !within.isEmpty && within.joined().allSatisfy { $0 == "TEXT_MESSAGE_CONTENT" }, "\(types)")
    #expect(types.contains("STATE_DELTA") && types.contains("CUSTOM"))
  }

  // Ids.

  /// Care is never swallowed: other words under a known id are another message.
  @Test(arguments: ["/ag-ui", "/chat-stream"])
  func otherWordsUnderOneIDAreAnotherMessage(path: String) async throws {
    let chat = try await Chat()
    let conversation = SessionID(rawValue: "c1")
    _ = try await chat.server.store.beginSession(conversation, at: Date())
    func say(_ text: String) async throws -> String {
      let body: JSONValue =
        path == "/ag-ui"
        ? [
          "threadId": "c1", "runId": "r", "state": [:], "tools": [], "context": [],
          "forwardedProps": [:],
          "messages": [["id": "1", "role": "user", "content": .string(text)]],
        ] : ["conversation_id": "c1", "message": .string(text), "client_message_id": "1"]
      let answer = try await chat.server.client.json(.POST, path, body)
      #expect(answer.status == 200, "\(answer.text)")
      return answer.text
    }
    _ = try await say("I want to run a 10k")
    let care = try await say("I don't want to live any more")
    #expect(care.contains("988") || care.contains("emergency"), "\(care)")
    _ = try await say("I want to run a 10k")
    _ = try await say("I don't want to live any more")
    #expect(try chat.turns() == [2])
  }

  @Test func aCountedIDBeginsAnotherConversationWithOtherWords() async throws {
    let chat = try await Chat()
    let first = try await chat.server.client.chat([
      "message": "I want to run a 10k", "client_message_id": "1",
    ])
    let second = try await chat.server.client.chat([
      "message": "I want to swim", "client_message_id": "1",
    ])
    #expect(first.conversation != second.conversation)
    let again = try await chat.server.client.chat([
      "message": "I want to swim", "client_message_id": "1",
    ])
    #expect(again.conversation == second.conversation)
    #expect(try chat.turns() == [1, 1])
  }

  @Test func theFirstMessageMayComeWithAnEmptyOne() async throws {
    let server = try await TestServer(TestFolder())
    let events = try await server.client.chat(["message": "", "first_message": true])
    #expect(events.first("message")?["purpose"] == "greeting")
    let answer = try await server.client.json(
      .POST, "/chat-stream", ["message": "hi", "first_message": true])
    #expect(answer.status == 400)
  }

  // Models and browsers.

  @Test func modelsAreLookedUpByName() async throws {
    let server = try await TestServer(TestFolder())
    let list = try await server.client.json(.GET, "/v1/models")
    let one = try await server.client.json(.GET, "/v1/models/rapport-coach")
    #expect(one.status == 200 && one.json == list.json["data"]?[0])
    #expect(one.json["created"]?.intValue ?? 0 > 1_700_000_000)
    let other = try await server.client.json(.GET, "/v1/models/gpt-5")
    #expect(other.status == 404 && other.code == "model_not_found")
    #expect(other.json["error"]?["type"] == "invalid_request_error")
  }

  @Test func aListedPageMaySendTheHeadersThatItsLibraryAdds() async throws {
    var options = ServerOptions.forTests
    options.allowedOrigins = ["http://localhost:3000"]
    let server = try await TestServer(TestFolder(), options: options)
    let asked = "authorization,content-type,x-stainless-lang,x-stainless-retry-count"
    let allowed = try await server.client.json(
      .OPTIONS, "/v1/chat/completions", nil,
      [("origin", "http://localhost:3000"), ("access-control-request-headers", asked)])
    let names = allowed.headers["access-control-allow-headers"].joined()
    #expect(allowed.status == 204 && names.contains("x-stainless-retry-count"))
    #expect(allowed.headers["vary"].joined().contains("Access-Control-Request-Headers"))
    let other = try await server.client.json(
      .OPTIONS, "/v1/chat/completions", nil,
      [("origin", "http://evil.example"), ("access-control-request-headers", asked)])
    #expect(other.status == 403)
  }
}

extension Collection {
  fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows
    -> [Value]
  {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
