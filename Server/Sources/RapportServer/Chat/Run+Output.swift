import IncrementalJSON
import Intake
import SessionStore

// What the engine shows, as a client reads it.
extension Run {
  /// - Returns: How long the first words took, with those words.
  @discardableResult
  func add(_ output: SessionOutput, _ conversation: OpenConversation) -> Duration? {
    let log = conversation.log
    switch output {
    case .done(let done):
      add(
        done: done, lastMessage: log.lastMessage, usage: conversation.meter.count,
        system: done.discoveryComplete ? log.system : nil)
    case .message(let message) where message.purpose != .confirmation:
      add(output.json.adding([("message_id", id(of: log.lastMessage))]))
    default: add(StreamEvent.events(for: output))
    }
    switch output {
    case .delta, .message: return takeFirstWords()
    default: return nil
    }
  }

  func add(
    done: SessionOutput.Done, lastMessage: Int?, usage: TokenMeter.Count, system: JSONValue? = nil
  ) {
    var members: [(String, JSONValue)] = [
      ("conversation_id", .string(conversation.rawValue)), ("message_id", id(of: lastMessage)),
      ("usage", usage.json),
    ]
    if let system { members.append(("discovery_context_profile", system)) }
    add(SessionOutput.done(done).json.adding(members))
    note(done)
  }

  private func id(of message: Int?) -> JSONValue {
    message.map { .string("\(conversation).\($0)") } ?? .null
  }
}

extension JSONValue {
  func adding(_ members: [(String, JSONValue)]) -> JSONValue {
    .object(JSONObject((objectValue.map(Array.init) ?? []).map { ($0.name, $0.value) } + members))
  }
}
