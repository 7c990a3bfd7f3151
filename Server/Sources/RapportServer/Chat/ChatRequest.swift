import IncrementalJSON
import SessionStore

/// What a client asks for with `POST /chat-stream`.
struct ChatRequest: Hashable, Sendable {
  enum Act: Hashable, Sendable {
    case message(String)
    /// The id of an option.
    case choice(String)
    /// The coach speaks first.
    case firstMessage
  }

  var act: Act
  /// Nil begins a conversation.
  var conversation: SessionID?
  var clientMessageID: String?
  var isRehearsal: Bool
  /// Whether the conversation is begun if there is none of that id.
  var beginsIfMissing = false
  /// Where the log has this message already.
  var repeatedPosition: Int?
  /// Whether the same words are the same request while the reply to them is being written.
  var takesRepeats = false
  /// Whether it waits for a reply that is being written, which its client stopped reading.
  var waitsForReply = false
  /// How the client asks; nil for one that speaks for no other program.
  var manner: Manner?
  /// Set if it may begin a conversation that is only known by what was said.
  var opening: Opening?

  /// How a client asks for completions. It asks for all replies of a chat in one way.
  struct Manner: Hashable, Sendable {
    var streams: Bool
    var limitsTokens: Bool
    var instructions: [String]

    /// Whether a request in this manner is one about a chat that is held in the other, rather than a message
    /// in it; nil if its words must tell. One difference can be a setting that somebody changed.
    func isAside(from other: Manner) -> Bool? {
      let stops = other.streams && !streams
      let differences = [
        stops, limitsTokens && !other.limitsTokens, instructions != other.instructions,
      ]
      .count { $0 }
      return differences == 1 && stops ? nil : differences > 1
    }
  }

  /// Who began a conversation, and with what.
  struct Opening: Hashable, Sendable {
    var person: PersonID
    /// The client's name for the person it speaks for.
    var user: String?
    /// Nil if the coach spoke first.
    var text: String?
  }

  /// What is said, if it is words.
  var text: String? {
    switch act {
    case .message(let text): text
    case .choice, .firstMessage: nil
    }
  }

  init(
    _ act: Act, conversation: SessionID? = nil, clientMessageID: String? = nil,
    isRehearsal: Bool = false, beginsIfMissing: Bool = false
  ) {
    (self.act, self.conversation) = (act, conversation)
    (self.clientMessageID, self.isRehearsal) = (clientMessageID, isRehearsal)
    self.beginsIfMissing = beginsIfMissing
  }

  private static let members = [
    "message", "choice", "first_message", "conversation_id", "client_message_id", "rehearsal",
  ]

  init(_ json: JSONValue) throws(Problem) {
    guard let object = json.objectValue else {
      throw .badRequest("The body must be a JSON object.")
    }
    try object.require(onlyMembers: Self.members)
    act = try Self.act(object)
    conversation = try object.text("conversation_id").map { SessionID(rawValue: $0) }
    clientMessageID = try Self.clientMessageID(object)
    isRehearsal = try object.flag("rehearsal") ?? false
  }

  private static func act(_ object: JSONObject) throws(Problem) -> Act {
    let message = try object.text("message")
    let choice = try object.text("choice")
    let speaksFirst = try object.flag("first_message") ?? false
    switch (message, choice, speaksFirst) {
    case (let message?, nil, false): return .message(message)
    // Some clients send all members.
    case ("", nil, true): return .firstMessage
    case (nil, let choice?, false): return .choice(choice)
    case (nil, nil, true): return .firstMessage
    default:
      throw .badRequest("Send exactly one of message, choice and first_message.", field: "message")
    }
  }

  private static func clientMessageID(_ object: JSONObject) throws(Problem) -> String? {
    guard let id = try object.text("client_message_id") else { return nil }
    let isValid = id.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isValid, (1...64).contains(id.utf8.count) else {
      throw .badRequest(
        "client_message_id takes 1 to 64 characters from A-Za-z0-9._-.", field: "client_message_id")
    }
    return id
  }
}
