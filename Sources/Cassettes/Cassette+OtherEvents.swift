public import IncrementalJSON
public import Intake
import WireFormats

extension Cassette {
  /// An event from outside the intake, and when it was logged.
  public struct OtherEvent: Hashable, Sendable {
    /// The step before which it is logged, counted from the opening, which is 0. The number of
    /// steps means after the last one.
    public var beforeStep: Int
    public var version: Int
    /// The payload, with the kind under `type`.
    public var event: JSONObject

    public init(version: Int = 1, event: JSONObject, beforeStep: Int = 0) {
      (self.version, self.event, self.beforeStep) = (version, event, beforeStep)
    }

    public var envelope: EventEnvelope {
      EventEnvelope(
        kind: event["type"]?.stringValue ?? "", version: version,
        json: JSONValue.object(event).serialized())
    }
  }

  func checkOtherEventsComeIn() throws(FieldError) {
    for (index, event) in otherEvents.enumerated() where event.beforeStep > steps.count {
      throw FieldError(
        path: "otherEvents[\(index)].beforeStep",
        expected: "a step from 0, the opening, to \(steps.count), after the last",
        found: "\(event.beforeStep)")
    }
  }
}

extension Cassette.OtherEvent {
  init(json: JSONValue, at path: String) throws(FieldError) {
    let reader = try FieldReader(json, at: path, knows: ["beforeStep", "version", "event"])
    let event = try reader.required("event", reader.members)
    let version = try reader.count("version") ?? 1
    let type = try FieldReader.kind(of: event, reader.path("event.type"))
    guard version > 0 else {
      throw FieldError(path: reader.path("version"), expected: "1 or more", found: "0")
    }
    if let kind = IntakeEvent.Kind(rawValue: type), version <= IntakeEvent.version(of: kind) {
      throw FieldError(
        path: reader.path("event.type"), expected: "a kind that isn't the intake's own",
        found: "\"\(type)\"")
    }
    self.init(version: version, event: event, beforeStep: try reader.count("beforeStep") ?? 0)
  }

  var json: JSONValue {
    .members([
      ("beforeStep", beforeStep == 0 ? nil : JSONValue(beforeStep)),
      ("version", version == 1 ? nil : JSONValue(version)), ("event", .object(event)),
    ])
  }

  /// Every text in it, except its kind and member names.
  var texts: [String] { JSONValue.object(payload).texts }

  func mapTexts(_ change: (String) -> String) -> Cassette.OtherEvent {
    var mapped = self
    for (name, value) in payload { mapped.event[name] = value.mapTexts(change) }
    return mapped
  }

  private var payload: JSONObject {
    var payload = event
    payload["type"] = nil
    return payload
  }
}

extension FieldReader {
  fileprivate static func kind(
    of event: JSONObject, _ path: String
  ) throws(FieldError) -> String {
    guard let kind = event["type"]?.stringValue, !kind.isEmpty else {
      throw FieldError(
        path: path, expected: "the event's kind", found: event["type"]?.kind ?? "nothing")
    }
    return kind
  }
}

extension JSONValue {
  fileprivate var texts: [String] {
    switch self {
    case .string(let text): [text]
    case .array(let values): values.flatMap(\.texts)
    case .object(let members): members.flatMap(\.value.texts)
    case .null, .bool, .number: []
    }
  }

  fileprivate func mapTexts(_ change: (String) -> String) -> JSONValue {
    switch self {
    case .string(let text): .string(change(text))
    case .array(let values): .array(values.map { $0.mapTexts(change) })
    case .object(let members):
      .object(JSONObject(members.map { ($0.name, $0.value.mapTexts(change)) }))
    case .null, .bool, .number: self
    }
  }
}
