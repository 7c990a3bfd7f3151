import Coaching
import HTTPTypes
import IncrementalJSON
import Intake
import Journeys
import SessionStore
import Supabase

extension Problem {
  static let noModel = Problem(
    .serviceUnavailable, "no-model",
    "No model is set up on this server. Set one up with `rapport setup` or OPENAI_API_KEY and start "
      + "the server again, or rehearse: begin with \"rehearsal\": true.")
  static let stopping = Problem(
    .serviceUnavailable, "stopping", "The server is shutting down. Please try again in a moment.")
  static let busy = Problem(
    .conflict, "conversation-busy",
    "A reply in this conversation is still being written. Follow it with GET …/stream.")
  static let notTalking = Problem(
    .conflict, "not-talking",
    "This session is in a journey whose present step isn't a conversation. Answer it with POST "
      + "…/journey.")
  static func choiceNotOffered(_ choices: [SessionOutput.Choice]) -> Problem {
    Problem(
      .conflict, "choice-not-offered", "That choice isn't open now.", field: "choice"
    ).with("choices", .array(choices.map { .string($0.id) }))
  }
  static let unknownEventID = Problem(
    .badRequest, "unknown-event-id",
    "This event id isn't from this conversation. Leave Last-Event-ID out to start over.",
    field: "Last-Event-ID")

  /// What a client may know of an error: never a path, a key or somebody's words.
  init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as StoreError: self.init(error)
    case let refusal as CoachingRefusal: self.init(refusal)
    case let purchase as PurchaseRequired:
      self.init(.init(code: 402), PurchaseRequired.code, purchase.notice.text)
    case let error as PackMismatch:
      self.init(
        .conflict, "pack-mismatch",
        "This conversation started with other prompts, \u{201C}\(error.begun)\u{201D}. This server uses "
          + "\u{201C}\(error.now)\u{201D}.")
    case let error as JourneyMismatch:
      self.init(.conflict, "journey-mismatch", error.description)
    // The project's failures are told where they happen; what remains is the sign-in's own storage.
    case is SupabaseError:
      self.init(
        .serviceUnavailable, "store",
        "I couldn't read or save your sign-in. Everything else is saved; please try again.")
    case is CoachMismatch:
      self.init(
        .conflict, "coach-mismatch",
        "A conversation with a model can't be continued as a rehearsal, or the other way around.")
    default:
      self.init(
        .internalServerError, "own-fault",
        "Something went wrong on our side. Please try again.")
    }
  }

  init(_ error: StoreError) {
    switch error.code {
    case .sessionHeld, .interleaved, .inUse:
      self.init(
        .conflict, "conversation-held",
        "Another program has this conversation open. Nothing is lost; try again when it's closed.")
    case .noSuchSession, .ambiguousSession: self = .notFound
    default:
      self.init(
        .serviceUnavailable, "store",
        "I couldn't read or save our conversation, so I stopped. Everything before is saved.")
      cause =
        [.cannotOpen, .cannotWrite, .busy].contains(error.code) ? error.detail : "\(error.code)"
    }
  }

  init(_ refusal: TurnRefusal) {
    switch refusal {
    case .empty: self = .badRequest("The message is empty.", field: "message")
    case .tooLong(let bytes, let limit):
      self.init(
        .contentTooLarge, "too-large",
        "The message has \(bytes) bytes; the most I can take is \(limit).", field: "message")
    }
  }

  /// As the stream tells of it.
  var notice: JSONValue {
    [
      "type": "notice", "level": "error", "code": .string(code), "text": .string(message),
      "again": true,
    ]
  }
}
