import ContextQuality
import IncrementalJSON
import Intake
import NIOCore

/// One event of a reply, encoded once for all its readers.
struct StreamEvent: Sendable {
  /// The object's `type`.
  let name: String
  /// For readers with the engineer's scope; nil if it is not for them.
  let full: String?
  /// For everybody else; nil if it is not for them.
  let plain: String?

  init(_ json: JSONValue) {
    name = json["type"]?.stringValue ?? ""
    full = json.serialized()
    plain = full
  }

  private init(name: String, full: String?, plain: String?) {
    (self.name, self.full, self.plain) = (name, full, plain)
  }

  /// The events for one output of the engine.
  static func events(for output: SessionOutput) -> [StreamEvent] {
    switch output {
    case .scored(let report):
      let understanding: JSONValue = [
        "type": "understanding", "turn": JSONValue(report.turn),
        "value": JSONValue(report.components.understanding),
      ]
      // The words that do something are nobody's but the person's.
      let acts = report.acts.map { JSONValue.array($0.map { .string($0.name.rawValue) }) } ?? .null
      let members = (output.json.objectValue.map(Array.init) ?? []).map { member in
        (member.name, member.name == "acts" ? acts : member.value)
      }
      return [
        StreamEvent(
          name: "scored", full: JSONValue.object(JSONObject(members)).serialized(), plain: nil),
        StreamEvent(understanding),
      ]
    case .understood:
      return [StreamEvent(name: "understood", full: output.json.serialized(), plain: nil)]
    case .notice(let notice):
      var members = output.json.objectValue ?? [:]
      members["detail"] = nil
      members["text"] = .string(notice.personalText)
      let plain = JSONValue.object(members)
      return [
        StreamEvent(
          name: "notice", full: output.json.serialized(), plain: plain.serialized())
      ]
    default: return [StreamEvent(output.json)]
    }
  }
}

/// How a stream is written.
enum StreamFormat: EventEncoder {
  case serverSentEvents
  /// One object per line.
  case lines

  var contentType: String {
    switch self {
    case .serverSentEvents: "text/event-stream; charset=utf-8"
    case .lines: "application/x-ndjson; charset=utf-8"
    }
  }

  /// What keeps a quiet connection open.
  var keepAlive: ByteBuffer {
    switch self {
    case .serverSentEvents: ByteBuffer(string: ": keep-alive\n\n")
    case .lines: ByteBuffer(string: "\n")
    }
  }

  func write(_ data: String, name: String, id: String, to buffer: inout ByteBuffer) {
    switch self {
    case .serverSentEvents:
      // JSON text has no line breaks.
      buffer.writeString("id: \(id)\nevent: \(name)\ndata: \(data)\n\n")
    case .lines:
      // The id is the first member, so that a client can resume from a line.
      buffer.writeString("{\"id\":\"\(id)\",")
      buffer.writeSubstring(data.dropFirst())
      buffer.writeString("\n")
    }
  }
}
