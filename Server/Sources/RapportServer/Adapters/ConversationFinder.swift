import Intake
import SessionStore
import Signals

/// Tells a chat client's own tasks, such as titles, from messages, and finds a message's conversation.
struct ConversationFinder: Sendable {
  let conversations: Conversations
  let caller: Caller
  let input: CompletionInput
  /// Whether the client's library sends the request again.
  let isRetry: Bool
  /// Counts what models were asked for.
  let meter = TokenMeter()

  /// What a client asks for.
  enum Asked: Sendable {
    case message(ChatRequest)
    case task(ClientTask)
  }

  /// How many conversations a history is compared with, the latest first.
  private static let most = 50

  private var person: PersonID { caller.person }
  private var desk: CoachDesk { conversations.desk.serving(person) }

  /// - Parameters:
  ///   - name: The conversation that the client names.
  ///   - id: The client's own name for the request.
  func find(named name: String?, id: String?) async throws -> Asked {
    let task = ClientTask(input)
    let quoted = task.isCertain ? nil : try await firstWords(ofChatIn: task)
    if task.isCertain || quoted != nil {
      let isHeard = try await !holdsUnheardCare(task)
      if isHeard, try await !isPerson(quoting: quoted, task) {
        return .task(quoted.map(task.about) ?? task)
      }
      return .message(try await request(named: name, id: id))
    }
    let chat = try await request(named: name, id: id)
    guard try await isTask(chat) else { return .message(chat) }
    // Any examples before it are not this person's words.
    return .task(chat.conversation == nil ? task.about(chat.text ?? "") : task)
  }

  /// Whether what looks like a task is a person's message that quotes a chat. Where it comes as messages do, a model
  /// reads who wrote it.
  private func isPerson(quoting words: String?, _ task: ClientTask) async throws -> Bool {
    guard input.streams || !input.history.isEmpty, !task.isCertain || task.isMadeOfQuotes,
      let text = input.line, let models = desk.models, !desk.isRehearsing
    else { return false }
    return try await author(of: text, opening: words, models) == .person
  }

  /// A model reads who wrote a text.
  private func author(
    of text: String, opening words: String?, _ models: ModelRoles
  ) async throws -> MessageAuthor {
    try await conversations.limits.takeTurn(caller, desk)
    let author = await desk.pack.author(
      of: text, opening: words ?? "", before: input.history.suffix(Self.mostBefore).map(\.text),
      asking: models.metered(by: meter).fast)
    await conversations.limits.count(meter.count, by: caller, desk)
    return author
  }

  /// Whether a task holds words that need care and that neither side said to the other.
  private func holdsUnheardCare(_ task: ClientTask) async throws -> Bool {
    guard var line = input.line, needsCare(line) else { return false }
    var said = conversations.runs(for: person).compactMap(\.said)
    for session in try await desk.store.sessions().prefix(Self.most) {
      said += StoredHistory(try await desk.store.events(of: session.id)).texts
    }
    let known = said.flatMap { [$0] + $0.split(separator: "\n").map(String.init) }
    for text in known + task.quotes(of: said) where needsCare(text) {
      line.replace(text, with: "\n")
    }
    return needsCare(line)
  }

  private func needsCare(_ text: String) -> Bool { desk.pack.careNet.classify(text) != nil }

  /// What the person said first in the conversation that a task quotes; nil if it quotes none.
  private func firstWords(ofChatIn task: ClientTask) async throws -> String? {
    let isAlone = input.history.isEmpty && input.line != nil
    guard task.hasQuotes || isAlone else { return nil }
    let sessions = try await desk.store.sessions().prefix(task.hasQuotes ? Self.most : Self.latest)
    for (place, session) in sessions.enumerated() {
      let stored = StoredHistory(try await desk.store.events(of: session.id))
      let isRetold = isAlone && place < Self.latest && retells(stored, of: session.id)
      if isRetold || !task.quotes(of: stored.userTexts).isEmpty { return stored.userTexts.first }
    }
    return conversations.runs(for: person).compactMap(\.said).first {
      !task.quotes(of: [$0]).isEmpty
    }
  }

  /// Whether a message that would begin a conversation holds what both sides said in another one; or, as a
  /// quotation and in another manner, what the person said there.
  private func retells(_ stored: StoredHistory, of id: SessionID) -> Bool {
    guard let line = input.line, let retold = stored.retold(in: line) else { return false }
    if retold == .byBoth { return true }
    return retold == .asQuotation && !input.streams && conversations.manner(in: id)?.streams == true
      && !needsCare(line)
  }

  /// How many conversations a client asks for a title of, at most.
  private static let latest = 3

  /// Whether a client asks for something about a chat in another manner than it has the chat in: what
  /// nobody would see being written. What needs care is always a message.
  private func isTask(_ chat: ChatRequest) async throws -> Bool {
    guard let text = chat.text, chat.repeatedPosition == nil, !input.streams, !input.keepsAnswers,
      !needsCare(text)
    else { return false }
    if let id = chat.conversation, let manner = conversations.manner(in: id) {
      return try await isAside(text, from: manner, in: id)
    }
    // The first words of a chat once more, alone or behind examples, with instructions of another kind.
    let isBeside = conversations.runs(for: person).contains { run in
      run.said == text && run.manner.flatMap(input.manner.isAside) == true
    }
    if isBeside { return true }
    for session in try await desk.store.sessions().prefix(Self.latest) {
      guard let manner = conversations.manner(in: session.id),
        input.manner.isAside(from: manner) != false
      else { continue }
      let stored = StoredHistory(try await desk.store.events(of: session.id))
      if stored.userTexts.first == text {
        return try await isAside(text, from: manner, in: session.id)
      }
    }
    return false
  }

  /// Where only streaming is off, a model reads who wrote the last message: its words alone tell. It is asked
  /// once, as the conversation has the new manner as soon as a person's message has come in it.
  private func isAside(
    _ text: String, from manner: ChatRequest.Manner, in id: SessionID
  ) async throws -> Bool {
    if let isAside = input.manner.isAside(from: manner) { return isAside }
    let events = try await desk.store.events(of: id)
    guard let models = desk.models, events.start?.source != .rehearsal, !input.history.isEmpty,
      !desk.pack.state(after: events).isMinor
    else { return false }
    let opening = StoredHistory(events).userTexts.first
    return try await author(of: text, opening: opening, models) == .program
  }

  private static let mostBefore = 2

  private func request(named name: String?, id: String?) async throws -> ChatRequest {
    var chat = ChatRequest(
      input.line.map { .message($0) } ?? .firstMessage,
      clientMessageID: id.map { "openai-" + SessionID(derivedFrom: $0).rawValue },
      beginsIfMissing: true)
    (chat.takesRepeats, chat.manner) = (true, input.manner)
    chat.waitsForReply = !input.history.isEmpty
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
    let ids = try await ownSessions().prefix(Self.most)
    var known: [SessionID: StoredHistory] = [:]
    for (history, line) in input.readings {
      if let line { chat.act = .message(line) }
      if history.isEmpty { return try await readFirst(&chat) }
      for id in ids {
        let stored: StoredHistory
        if let read = known[id] {
          stored = read
        } else {
          stored = StoredHistory(try await desk.store.events(of: id))
          known[id] = stored
        }
        guard let place = stored.continuation(of: history, with: line) else { continue }
        chat.conversation = id
        if case .isRepeated(let position) = place { chat.repeatedPosition = position }
        return
      }
    }
    // A history that differs is the client's own: no chat ends because of it.
    if let line = input.line { chat.act = .message(line) }
    let shares = ids.map { ($0, known[$0]?.share(of: input.history) ?? 0) }
    guard let most = shares.map(\.1).max(), most > 0,
      let id = shares.first(where: { $0.1 == most })?.0
    else { return try await readFirst(&chat) }
    chat.conversation = id
    if isRetry || conversations.isUndelivered(input.line, in: id) {
      chat.repeatedPosition = known[id]?.lastUserMessage(input.line)
    }
  }

  /// A first message begins a conversation, unless nobody has read the reply that it already got.
  private func readFirst(_ chat: inout ChatRequest) async throws {
    chat.opening = ChatRequest.Opening(person: person, user: input.user, text: chat.text)
    if let id = chat.opening.flatMap({ conversations.conversation(openedBy: $0) }) {
      chat.conversation = id
    } else if isRetry, let id = try await ownSessions().first {
      chat.conversation = id
    }
    if let id = chat.conversation {
      let stored = StoredHistory(try await desk.store.events(of: id))
      if case .isRepeated(let position) = stored.continuation(of: [], with: chat.text) {
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
  /// Where the last thing that the user said was stored, if it is this.
  fileprivate func lastUserMessage(_ text: String?) -> Int? {
    guard let text, let last = lastUser, last.text == text else { return nil }
    return last.position
  }
}
