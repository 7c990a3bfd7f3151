import IncrementalJSON
import Intake
import SessionStore

/// A message of a stored conversation, by either side.
struct StoredMessage: Hashable, Sendable {
  var position: Int
  var isFromCoach: Bool
  var purpose: SessionOutput.Purpose?
  var text: String
  var cut: CutReason?
  /// Whether it waits at the paywall and has not been said yet.
  var isHeld = false

  /// Nil if the event is not a message.
  ///
  /// - Parameter held: The user's turns that wait at the paywall.
  init?(_ recorded: RecordedEvent, held: Set<Int> = []) {
    position = recorded.position
    isFromCoach = true
    switch recorded.event {
    case .greeted(let reply): (purpose, text, cut) = (.greeting, reply.text, reply.cut)
    case .asked(let question):
      (purpose, text, cut) = (.question, question.reply.text, question.reply.cut)
    case .cared(let answer): (purpose, text) = (.care, answer.text)
    case .offered(let offer): (purpose, text) = (.offer, offer.text)
    case .replied(let aside): (purpose, text, cut) = (.answer, aside.reply.text, aside.reply.cut)
    case .bodyAsked(let question): (purpose, text) = (.body, question.text)
    case .summarised(let reply): (purpose, text, cut) = (.summary, reply.text, reply.cut)
    case .coached(let reply): (purpose, text, cut) = (.coaching, reply.text, reply.cut)
    case .userSaid(let turn) where !turn.releasesHeld:
      (isFromCoach, text, isHeld) = (false, turn.text, held.contains(turn.turn))
    // Otherwise a turn holds it.
    case .messageHeld(let message) where message.turn == nil:
      (isFromCoach, text, isHeld) = (false, message.text, true)
    default: return nil
    }
  }

  /// As a `message` event.
  func json(in conversation: SessionID) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("type", "message"), ("role", isFromCoach ? "coach" : "user"),
    ]
    if let purpose { members.append(("purpose", .string(purpose.rawValue))) }
    members += [
      ("text", .string(text)), ("complete", .bool(cut == nil)),
      ("cut", cut.map { .string($0.rawValue) } ?? .null),
      ("message_id", .string("\(conversation).\(position)")),
    ]
    if isHeld { members.append(("held", true)) }
    return .object(JSONObject(members))
  }
}

extension [RecordedEvent] {
  /// The user's turns that wait at the paywall.
  var heldTurns: Set<Int> {
    reduce(into: []) { held, recorded in
      switch recorded.event {
      case .messageHeld(let message): if let turn = message.turn { held.insert(turn) }
      case .entitled: held = []
      default: break
      }
    }
  }
}
