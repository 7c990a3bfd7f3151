import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import LanguageModels
import Synchronization
import TestSupport
import Testing

@testable import Intake

/// A person never sees a reply that comes back as JSON.
struct PlainReplyTests {
  private static let echoes = [
    #"{"personaProfile":{"role":"a coach"}}"#, "  \n{ \"role\": \"coach\" }", "{}",
    "```json\n{\"role\": \"coach\"}\n```", "```\n{\"role\": \"coach\"}\n```", "```JSON", "{",
    #"[{"type":"injury"}]"#, #"["a", "b"]"#, "{'role': 'coach'}",
    "{role: \"coach\", age: 34}", "{ age : 34, days: 3}", "{role: 'coach'}", "{ready: true}",
    "{goals: [{type: \"x\"}]}", "{profile: {role: \"coach\"}}", "{ünïcode_2: “x”}", "[1, 2.5, -3]",
    "json\n[1]", "[[1, 2], [3]]", "JSON:\n\n{role: \"coach\"}",
    String(repeating: " ", count: 3_000) + "Hi.",
  ]

  private static let prose = [
    "Hey, good to meet you.", "{smiles} Hi.", "[Waves] Hi.", "`Hi` is what I say.",
    "```\nYour week:\n- Monday\n```", "\n\nHi.", "Just run `rapport`", "[ ] Walk\n- [ ] Run\n- [ ]",
    "Read [this](https://example.com) or [\"this\"](https://example.com).", "Try {this}, {{that}}!",
    "About ~30 minutes, ~~not~~ 40 ``at`` most [1, 2].", "json is what I'd call it", "json",
    "~~~\nMonday: [rest]\n~~~\n[ok]", "Sets of {1, 2, 3}: \"easy\", \"hard\" {or: both}.",
    "{note: 3 sets} {if you like: \"x\"} {see: http://example.com/a/b} {it's}", "Try {this",
    "Rest is training too [1], [2][3].\n\n[1] A coach.\n[2]", "[1] Walk. [2, 3] Run. [-] Rest.",
    "Save it as JSON:\njust ask", "Formats:\nJSON\nor CSV", "So:\njson", "A\njson [1] is fine",
    "[\n1. Walk]", "Between [0.5, 1] hours, {today or: tomorrow}, {week: 1 or 2}",
  ]

  /// Replies that turn into JSON, and the words before it.
  private static let mixed = [
    ("Here's your profile:\n", "```json\n{\"role\": \"coach\"}\n```\nDoes that fit?"),
    ("Sure! ", #"{"personaProfile":{"role":"a coach"}}"#), ("Sure! ", #"{"perso"#),
    ("Noted.\n\n", #"[{"type":"injury"}]"#), ("Goals: ", #"["a", "b"]"#), ("Sure! ", "{"),
    ("Okay. ", "```\n\n{\n  \"a\": 1"), ("Okay. ", "~~~ JSON"), ("…", #"{"a":1}"#),
    ("```\nMonday\n", #"{"a":1}"# + "\n```"), ("Try {this} [1]. ", #"{\"a\":1}"#),
    ("", "\u{FEFF}{\u{200B}\"a\":1}"), ("", "json\n{\"a\":1}"), ("", "JSON: [{\"a\":1}]"),
    ("", "[]"), ("", #"[[ "a" ]]"#), ("", "{“role”: “coach”}"), ("", #"{{"a":1}}"#),
    ("Done. ", "{" + String(repeating: " ", count: 3_000)),
    ("Here's your profile:\n", "json\n{\"role\": \"coach\"}"), ("Sure!\n\n  ", "JSON: {\"a\":1}"),
    ("So:\n", "json\n```json\n{}\n```"), ("So:\n", "json\n\n[{\"a\":1}]"),
    ("Sure! ", "{role: \"coach\"}"),
    ("Sure! ", "{\n  role: \"coach\",\n  age: 34\n}"), ("Sure! ", "{age: 34, role: \"coach\"}"),
    ("Scores: ", "[\n  0.5,\n  0.7\n]"), ("Try {this}. ", "{week: 1}"),
  ]

  /// Answers a purpose with the texts in turn, and everything else as usual.
  private func session(
    _ purpose: RequestPurpose, _ texts: [String], pieces: Int = 1
  ) async throws -> ScriptedSession {
    let left = Mutex(texts)
    return try await ScriptedSession { request in
      guard request.purpose == purpose else { return UsualConversation.script(request) }
      let text = left.withLock { $0.isEmpty ? "Back to words." : $0.removeFirst() }
      var deltas: [ModelEvent] = []
      var rest = text[...]
      while !rest.isEmpty {
        deltas.append(.delta(String(rest.prefix(pieces))))
        rest = rest.dropFirst(pieces)
      }
      return ModelReply(events: deltas + [.completed(ModelCompletion(finish: .stop))])
    }
  }

  private func deltas(_ session: ScriptedSession) -> [String] {
    session.shown.compactMap { if case .delta(let text, _) = $0 { text } else { nil } }
  }

  @Test(arguments: echoes, [1, 1_000])
  func anEchoIsAskedForOnceMore(echo: String, pieces: Int) async throws {
    let session = try await session(.greet, [echo, "Hey there."], pieces: pieces)
    try await session.open()
    #expect(deltas(session).joined() == "Hey there.")
    #expect(session.messages.map(\.text) == ["Hey there."])
    let requests = session.model.requests(for: .greet)
    #expect(requests.count == 2)
    #expect(requests[1].system.hasPrefix(requests[0].system))
    #expect(requests[1].system.contains("plain sentences"))
  }

  /// Not one chunk of ordinary words waits for the next.
  @Test(arguments: prose, [1, 3, 1_000])
  func wordsAreShownAsTheyCome(words: String, pieces: Int) async throws {
    let session = try await session(.greet, [words], pieces: pieces)
    try await session.open()
    // Blank lines around a reply are no part of it.
    let shown = words.trimmed
    #expect(deltas(session).joined() == shown)
    #expect(session.messages.map(\.text) == [shown])
    #expect(session.model.requests(for: .greet).count == 1)
    let mayBeLabel = words.contains(/(^|\n)j/.ignoresCase())
    if words.first?.isLetter == true, !mayBeLabel, words.allSatisfy(isPlain) {
      #expect(deltas(session).count == (words.count + pieces - 1) / pieces)
    }
  }

  @Test(arguments: mixed, [1, 4, 1_000])
  func jsonAfterWordsIsNeverShown(reply: (words: String, json: String), pieces: Int) async throws {
    let session = try await session(
      .greet, [reply.words + reply.json, "Hey there."], pieces: pieces)
    try await session.open()
    let text = try #require(session.messages.first?.text)
    #expect(deltas(session).joined() == text)
    let words = reply.words.trimmed
    #expect(text.hasPrefix(words) && text.hasSuffix("Hey there."))
    #expect(text.count <= reply.words.count + "\n\nHey there.".count)
    #expect(session.model.requests(for: .greet).count == 2)
    #expect(session.notices.isEmpty && session.done.map(\.failed) == [false])
  }

  /// The second answer isn't streamed, so its opening words don't follow the first ones.
  @Test func afterWordsAndTwoEchoesTheFixedTextFollows() async throws {
    let echo = "Here you go:\n" + Self.echoes[0]
    let session = try await session(.greet, [echo, echo])
    try await session.open()
    let text = try #require(session.messages.first?.text)
    #expect(text.hasPrefix("Here you go:\n\n") && text.count > 40)
    #expect(text.components(separatedBy: "Here you go").count == 2 && !text.contains("{"))
    #expect(deltas(session).joined() == text)
    #expect(session.done.map(\.failed) == [false])
  }

  @Test func wordsBeforeAnEchoThatBreaksOffAreKeptAsCut() async throws {
    let session = try await ScriptedSession { request in
      request.purpose == .greet
        ? .failing(.truncated, after: #"Hey! {"role": "co"#) : UsualConversation.script(request)
    }
    try await session.open()
    #expect(deltas(session).joined() == "Hey! ")
    #expect(session.messages.map(\.text) == ["Hey! "])
    #expect(session.messages.first?.cut != nil && session.done.map(\.failed) == [true])
  }

  /// However a reply is cut into pieces, the same words pass and the same is decided.
  @Test(arguments: 0..<200)
  func piecesDoNotMatter(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let parts =
      Self.echoes.dropLast() + Self.prose + Self.mixed.flatMap { [$0.0, $0.1] }
      + ["{", "[", "]", "`", "```", "\"", "a", " ", "\n", "json", "~"]
    let reply = (0..<Int.random(in: 1...5, using: &random)).map { _ in
      parts[Int.random(in: 0..<parts.count, using: &random)]
    }.joined()
    let expected = Self.gated([reply])
    for most in [1, 2, 7, 40] {
      var pieces: [String] = []
      var rest = reply.unicodeScalars[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...most, using: &random))
        pieces.append(String(String.UnicodeScalarView(piece)))
        rest = rest.dropFirst(piece.count)
      }
      let gated = Self.gated(pieces)
      #expect(gated.shown == expected.shown && gated.isJSON == expected.isJSON)
    }
    #expect(expected.isJSON || expected.shown == reply)
    #expect(reply.hasPrefix(expected.shown) && expected.shown.firstMatch(of: #/[{]\s*"/#) == nil)
  }

  private static func gated(_ pieces: [String]) -> (shown: String, isJSON: Bool) {
    var gate = ReplyGate()
    let shown = pieces.map { gate.pass($0) }.joined() + gate.finish()
    return (shown, gate.isJSON)
  }

  @Test func afterTwoEchoesTheFixedTextIsSaid() async throws {
    let echo = Self.echoes[0]
    let greeting = try await session(.greet, [echo, echo])
    try await greeting.open()
    #expect(deltas(greeting).isEmpty)
    #expect(greeting.messages.map(\.text.isEmpty) == [false])
    #expect(greeting.messages.first?.text.contains("{") == false)
    #expect(greeting.notices.isEmpty && greeting.done.map(\.failed) == [false])

    let asking = try await session(.ask, [echo, echo])
    try await asking.open()
    try await asking.say(UsualConversation.first)
    #expect(asking.messages.last?.text.contains("how you'd like to train") == true)

    let summing = try await session(.confirm, [echo, echo])
    try await summing.open()
    for line in [UsualConversation.first, UsualConversation.second, UsualConversation.third] {
      try await summing.say(line)
    }
    #expect(summing.messages.first?.text.contains("You want: lose 20 pounds") == true)
    #expect(summing.messages.map(\.purpose) == [.summary, .confirmation])

    let coaching = try await session(.coach, [echo, echo])
    try await coaching.open()
    for line in [
      UsualConversation.first, UsualConversation.second, UsualConversation.third, "let's go",
    ] {
      try await coaching.say(line)
    }
    try await coaching.subscribe()
    #expect(coaching.messages.map(\.purpose) == [.coaching])
    #expect(await coaching.kinds.last == .coached)
    #expect(coaching.messages.first?.text.contains("personaProfile") == false)
  }

  private func isPlain(_ character: Character) -> Bool { !"{[`~".contains(character) }

  @Test func anEchoThatBreaksOffIsNoReply() async throws {
    let session = try await ScriptedSession { request in
      request.purpose == .greet
        ? .failing(.truncated, after: #"{"role": "co"#) : UsualConversation.script(request)
    }
    try await session.open()
    #expect(deltas(session).isEmpty && session.messages.isEmpty)
    #expect(session.done.map(\.failed) == [true])
    #expect(await session.kinds == [.started])
  }
}
