import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import LanguageModels
import Synchronization
import Testing

@testable import Intake

/// A person never sees a reply that comes back as JSON.
struct PlainReplyTests {
  private static let echoes = [
    #"{"personaProfile":{"role":"a coach"}}"#, "  \n{ \"role\": \"coach\" }", "{}",
    "```json\n{\"role\": \"coach\"}\n```", "```\n{\"role\": \"coach\"}\n```", "```JSON", "{",
    #"[{"type":"injury"}]"#, #"["a", "b"]"#, "{'role': 'coach'}",
    String(repeating: " ", count: 3_000) + "Hi.",
  ]

  private static let prose = [
    "Hey, good to meet you.", "{smiles} Hi.", "[Waves] Hi.", "`Hi` is what I say.",
    "```\nYour week:\n- Monday\n```", "\n\nHi.", "…{\"a\":1}",
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
  @Test(arguments: prose, [1, 3])
  func wordsAreShownAsTheyCome(words: String, pieces: Int) async throws {
    let session = try await session(.greet, [words], pieces: pieces)
    try await session.open()
    #expect(deltas(session).joined() == words)
    #expect(session.messages.map(\.text) == [words])
    #expect(session.model.requests(for: .greet).count == 1)
    if words.first?.isLetter == true {
      #expect(deltas(session).count == (words.count + pieces - 1) / pieces)
    }
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
