import FoundationEssentials
import IncrementalJSON
import Intake

/// What is stored of a conversation, for comparing it with what a client has.
///
/// To a client, what the coach says in a row is one message. The client also has what is not stored: the
/// paywall, choices and questions about them, and what was answered to the paywall. Of an answer that was
/// stopped, it has the beginning or nothing.
struct StoredHistory: Sendable {
  private var messages: [CompletionInput.Message] = []
  private var positions: [Int] = []
  /// Whether the paywall was open somewhere between the messages before and after each place.
  private var isAtPaywall: [Bool] = []

  init(_ events: [RecordedEvent]) {
    var (isOpen, wasOpen) = (false, false)
    for event in events {
      switch event.event {
      case .paywallShown: (isOpen, wasOpen) = (true, true)
      case .entitled: isOpen = false
      default: break
      }
      guard let message = StoredMessage(event) else { continue }
      let text = message.text.withoutOuterBlanks
      guard !text.isEmpty else { continue }
      messages.append(.init(isCoach: message.isFromCoach, text: text))
      positions.append(message.position)
      isAtPaywall.append(wasOpen)
      wasOpen = isOpen
    }
    isAtPaywall.append(wasOpen)
  }

  /// The last thing that the user said, and where it is stored.
  var lastUser: (text: String, position: Int)? {
    messages.lastIndex { !$0.isCoach }.map { (messages[$0].text, positions[$0]) }
  }

  /// What both sides said, in order.
  var texts: [String] { messages.map(\.text) }

  /// What the user said, in order.
  var userTexts: [String] { messages.filter { !$0.isCoach }.map(\.text) }

  /// Whose words a text holds.
  enum Retold: Hashable, Sendable {
    case byUser, asQuotation, byBoth
  }

  /// Whether a text holds a message of the user's, word for word among others, and the beginning of the
  /// answer to it.
  func retold(in text: String) -> Retold? {
    let places = messages.indices.filter { place in
      let message = messages[place]
      return !message.isCoach && message.text.utf8.count >= Self.leastRetold
        && message.text.utf8.count < text.utf8.count && text.contains(message.text)
    }
    guard !places.isEmpty else { return nil }
    let isAnswered = places.contains { place in
      guard place + 1 < messages.count, messages[place + 1].isCoach else { return false }
      return text.contains(messages[place + 1].text.prefix(Self.leastAnswer))
    }
    if isAnswered { return .byBoth }
    return places.contains { isQuotation(messages[$0].text, in: text) } ? .asQuotation : .byUser
  }

  /// Whether marks set words apart from what a text says around them.
  private func isQuotation(_ words: String, in text: String) -> Bool {
    guard let range = text.firstRange(of: words) else { return false }
    let before = text[..<range.lowerBound].last { $0 != " " }
    let after = text[range.upperBound...].first { $0 != " " }
    return [before, after].allSatisfy {
      $0.map { !$0.isLetter && !$0.isNumber && $0 != "," } ?? true
    }
      && before.map { !".!?".contains($0) } == true
  }

  /// How many messages of a history are stored here, in order; 0 if the user said anything else in it since
  /// the first of them.
  func share(of history: [CompletionInput.Message]) -> Int {
    var (place, count) = (0, 0)
    for message in history {
      if let next = messages[place...].firstIndex(of: message) {
        (place, count) = (next + 1, count + 1)
      } else if count > 0, !message.isCoach {
        return 0
      }
    }
    return count
  }

  /// The fewest bytes of a message that somebody else would not happen to write.
  private static let leastRetold = 12
  /// The fewest messages that tell a conversation by its end.
  private static let leastTail = 2
  private static let leastAnswer = 24

  /// How a client's next message follows on what is stored.
  enum Continuation: Hashable, Sendable {
    case isNew
    /// It was stored at a position and is the last thing that the user said.
    case isRepeated(at: Int)
  }

  /// Nil if the client's history does not tell every stored message, or every one from some place on, in order.
  ///
  /// - Parameter line: What the user says now; nil for nothing.
  func continuation(
    of history: [CompletionInput.Message], with line: String?
  ) -> Continuation? {
    // Some clients send only the last messages.
    var told = history.count < Self.leastTail ? [0] : Set(messages.indices)
    var last: CompletionInput.Message?
    // Messages that were said together, after the first of them had failed.
    var together: [(text: String, from: Set<Int>)] = []
    for message in history {
      let before = told
      told = Set(told.flatMap { places(after: message, from: $0, behind: last) })
      if message.isCoach {
        together = []
      } else {
        together = together.map { ($0.text + CompletionEncoder.gap + message.text, $0.from) }
        for said in together {
          let joined = CompletionInput.Message(isCoach: false, text: said.text)
          told.formUnion(said.from.flatMap { places(after: joined, from: $0, behind: nil) })
        }
        together.append((message.text, before))
      }
      if told.isEmpty, together.isEmpty { return nil }
      last = message
    }
    guard !messages.isEmpty else { return nil }
    let ends = told.map { last?.isCoach == true ? $0 : endOfReply(from: $0) }
    if ends.contains(messages.count) { return .isNew }
    guard let line else { return nil }
    let again = ends.first {
      messages[$0] == .init(isCoach: false, text: line)
        && endOfReply(from: $0 + 1) == messages.count
    }
    return again.map { .isRepeated(at: positions[$0]) }
  }

  /// The place behind the coach's messages that begin at this place.
  private func endOfReply(from place: Int) -> Int {
    messages[place...].firstIndex { !$0.isCoach } ?? messages.count
  }

  /// How many stored messages the history may cover after one more, if it was `place` before.
  private func places(
    after message: CompletionInput.Message, from place: Int,
    behind last: CompletionInput.Message?
  ) -> [Int] {
    guard message.isCoach else {
      var places = isAtPaywall[place] ? [place] : []
      // A reply that the client has nothing of was stopped before its first word.
      let next = last?.isCoach == true ? place : endOfReply(from: place)
      if next < messages.count, messages[next] == message { places.append(next + 1) }
      return places
    }
    var (place, rest) = (place, message.text[...])
    while place < messages.count, messages[place].isCoach,
      let after = Self.text(after: messages[place].text, in: rest)
    {
      (place, rest) = (place + 1, after)
    }
    // A stopped reply ends in one of its messages, and nothing came after that.
    let beginning = rest.drop { $0.isWhitespace }
    let isStopped =
      place < messages.count && messages[place].isCoach
      && (beginning.isEmpty || messages[place].text.hasPrefix(beginning))
    return isStopped ? [place, endOfReply(from: place)] : [place]
  }

  /// What follows one of several messages; nil if it is not among them.
  private static func text(after message: String, in text: Substring) -> Substring? {
    var rest = text
    while true {
      rest = rest.drop { $0.isWhitespace }
      if rest.utf8.starts(with: message.utf8) {
        let after = rest[rest.utf8.index(rest.startIndex, offsetBy: message.utf8.count)...]
        if after.isEmpty || after.hasPrefix(CompletionEncoder.gap) { return after }
        // More of it was streamed than was kept.
        let next = after.firstRange(of: CompletionEncoder.gap)
        return next.map { after[$0.lowerBound...] } ?? after[after.endIndex...]
      }
      guard let next = rest.firstRange(of: CompletionEncoder.gap) else { return nil }
      rest = rest[next.upperBound...]
    }
  }
}
