import Intake
import SessionStore

/// Tells a chat client's own tasks, such as titles, from messages, and finds a message's conversation.
struct ConversationFinder: Sendable {
  let conversations: Conversations
  let person: PersonID
  let input: CompletionInput
  /// Whether the client's library sends the request again.
  let isRetry: Bool

  /// How many conversations a history is compared with, the latest first.
  private static let most = 50

  private var desk: CoachDesk { conversations.desk.serving(person) }

  /// What the client asks for itself; nil for a message to the coach.
  func task() async throws -> ClientTask? {
    guard let candidate = ClientTask(candidate: input) else { return nil }
    if candidate.isCertain { return candidate }
    var said = conversations.said(by: person)
    for session in try await desk.store.sessions().prefix(Self.most) {
      said += StoredHistory(try await desk.store.events(of: session.id)).userTexts
    }
    return candidate.quotes(oneOf: said) ? candidate : nil
  }

  /// - Parameters:
  ///   - name: The conversation that the client names.
  ///   - id: The client's own name for the request.
  func request(named name: String?, id: String?) async throws -> ChatRequest {
    var chat = ChatRequest(
      input.line.map { .message($0) } ?? .firstMessage,
      clientMessageID: id.map { "openai-" + SessionID(derivedFrom: $0).rawValue },
      beginsIfMissing: true)
    chat.takesRepeats = true
    if let name {
      chat.conversation = SessionID(rawValue: name)
      try await readNamed(&chat)
    } else if input.history.isEmpty {
      try await readFirst(&chat)
    } else {
      try await readHistory(&chat)
    }
    return chat
  }

  /// The history of a named conversation only tells whether the message was sent before.
  private func readNamed(_ chat: inout ChatRequest) async throws {
    guard let id = chat.conversation, try await desk.store.contains(id) else {
      throw Problem.notFound
    }
    let isLost = isRetry || conversations.isUndelivered(input.line, in: id)
    guard isLost || !input.history.isEmpty else { return }
    let stored = StoredHistory(try await desk.store.events(of: id))
    if case .isRepeated(let position) = stored.continuation(of: input.history, with: input.line) {
      chat.repeatedPosition = position
    } else if isLost {
      chat.repeatedPosition = stored.lastUserMessage(input.line)
    }
  }

  private func readHistory(_ chat: inout ChatRequest) async throws {
    let ids = try await ownSessions()
    for id in ids.prefix(Self.most) {
      let stored = StoredHistory(try await desk.store.events(of: id))
      switch stored.continuation(of: input.history, with: input.line) {
      case .isNew:
        chat.conversation = id
        return
      case .isRepeated(let position):
        (chat.conversation, chat.repeatedPosition) = (id, position)
        return
      case nil: continue
      }
    }
    throw Problem.badRequest(
      "I don't know this history. Name the conversation with the header X-Conversation-Id, or begin "
        + "with one message.", field: "messages")
  }

  /// A first message begins a conversation, unless nobody has read the reply that it already got.
  private func readFirst(_ chat: inout ChatRequest) async throws {
    chat.opening = ChatRequest.Opening(person: person, user: input.user, text: input.line)
    if let id = chat.opening.flatMap({ conversations.conversation(openedBy: $0) }) {
      chat.conversation = id
    } else if isRetry, let id = try await ownSessions().first {
      chat.conversation = id
    }
    if let id = chat.conversation {
      let stored = StoredHistory(try await desk.store.events(of: id))
      if case .isRepeated(let position) = stored.continuation(of: [], with: input.line) {
        chat.repeatedPosition = position
        return
      }
      // It's being written, or it isn't the one.
      if conversations.isReplying(in: id) { return }
      chat.conversation = nil
    }
    if let user = input.user { chat.conversation = try await nextSession(of: user) }
  }
}

// The conversations of one of the client's users.
extension ConversationFinder {
  /// `user` names a person, whose conversations have numbered names.
  private static func name(_ user: String, _ number: Int) -> String { "openai/\(user)/\(number)" }

  private static let mostNumbers = 1_024

  /// Those in which the message may be, the latest first.
  private func ownSessions() async throws -> [SessionID] {
    let all = try await desk.store.sessions().map(\.id)
    guard let user = input.user else { return all }
    let own = try await names(of: user)
    return all.filter { own[$0] != nil }
  }

  private func nextSession(of user: String) async throws -> SessionID {
    let all = Set(try await desk.store.sessions().map(\.id))
    let used = try await names(of: user).filter { all.contains($0.key) }.values.max()
    return SessionID(derivedFrom: "\(person)/\(Self.name(user, (used ?? -1) + 1))")
  }

  /// The numbers of the conversations that this user can have begun. Earlier versions had one for each
  /// user, without a number.
  private func names(of user: String) async throws -> [SessionID: Int] {
    var names: [SessionID: Int] = [:]
    for owner in try await [person.description] + desk.store.formerIDs().map(\.description) {
      names[SessionID(derivedFrom: "\(owner)/openai/\(user)")] = -1
      for number in 0..<Self.mostNumbers {
        names[SessionID(derivedFrom: "\(owner)/\(Self.name(user, number))")] = number
      }
    }
    return names
  }
}

extension StoredHistory {
  /// Where the last thing that the user said was stored, if it's this.
  fileprivate func lastUserMessage(_ text: String?) -> Int? {
    guard let text, let last = lastUser, last.text == text else { return nil }
    return last.position
  }
}
