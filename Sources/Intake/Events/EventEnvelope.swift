public import FoundationEssentials
public import IncrementalJSON

/// The events of one module, distinguished by kind.
///
/// An event encodes as a JSON object with its kind under `type`, next to its payload:
/// `{"type":"userSaid","turn":1,"text":"…"}`.
public protocol SessionEvent: Hashable, Sendable, Codable {
  associatedtype Kind: RawRepresentable, Hashable, Sendable where Kind.RawValue == String

  var kind: Kind { get }

  /// The newest version of the kind's payload that this build reads, counted from 1; new events are
  /// written in it.
  ///
  /// A member that older builds can ignore does not need a new version; a payload that they would
  /// misread does.
  static func version(of kind: Kind) -> Int
}

/// An event as a log stores it: a kind, the payload's version, and the payload.
///
/// A log holds envelopes from every module. Each module reads the kinds it defines and ignores the
/// others, so a new module can add kinds without changing this one.
public struct EventEnvelope: Sendable {
  public let kind: String
  public let version: Int
  private let content: Content

  private enum Content: Sendable {
    /// Encoded only when a caller asks for the JSON.
    case event(any SessionEvent)
    case json(String)
  }

  public init<Event: SessionEvent>(_ event: Event) {
    kind = event.kind.rawValue
    version = Event.version(of: event.kind)
    content = .event(event)
  }

  /// An event as a log or a file holds it.
  ///
  /// - Parameter json: A JSON object with the kind under `type`; checked when it is read.
  public init(kind: String, version: Int, json: String) {
    self.kind = kind
    self.version = version
    content = .json(json)
  }

  /// The event as a JSON object with its kind under `type`.
  ///
  /// - Throws: What the event's own encoding throws.
  public var text: String {
    get throws {
      switch content {
      case .event(let event):
        String(decoding: try JSONEncoder.events.encode(event), as: UTF8.self)
      case .json(let text): text
      }
    }
  }

  /// Decodes the event as one of a module's types.
  ///
  /// - Returns: nil if the module does not define the kind, or if the payload has a newer version than
  ///   this build reads.
  /// - Throws: ``UnreadableEvent`` if the payload is not what its kind and version promise.
  public func decoded<Event: SessionEvent>(
    as _: Event.Type = Event.self, at position: Int
  ) throws(UnreadableEvent) -> Event? {
    guard let kind = Event.Kind(rawValue: kind), version <= Event.version(of: kind) else {
      return nil
    }
    let text: String
    switch content {
    case .event(let event as Event): return event
    case .event: return nil
    case .json(let json): text = json
    }
    do {
      return try JSONDecoder.events(version: version)
        .decode(Event.self, from: Data(text.utf8))
    } catch {
      throw UnreadableEvent(error, position: position, kind: self.kind, in: text)
    }
  }
}

extension EventEnvelope: Hashable {
  public static func == (one: EventEnvelope, other: EventEnvelope) -> Bool {
    guard one.kind == other.kind, one.version == other.version else { return false }
    if case .event(let mine) = one.content, case .event(let others) = other.content {
      return AnyHashable(mine) == AnyHashable(others)
    }
    guard let mine = try? one.text, let others = try? other.text else { return false }
    return mine == others
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(version)
  }
}

/// An event with its place in the session and the time it was stored.
public struct RecordedEvent: Hashable, Sendable {
  /// Counted from 1, without gaps.
  public var position: Int
  public var at: Date
  public let envelope: EventEnvelope
  /// The event if it is one of the intake's own; nil for kinds of other modules, and for versions
  /// that are newer than this build reads.
  public let event: IntakeEvent?

  public init(position: Int, at: Date, event: IntakeEvent) {
    self.position = position
    self.at = at
    self.event = event
    envelope = EventEnvelope(event)
  }

  /// - Throws: ``UnreadableEvent`` if it is an intake event whose payload does not decode.
  public init(position: Int, at: Date, envelope: EventEnvelope) throws(UnreadableEvent) {
    self.position = position
    self.at = at
    self.envelope = envelope
    event = try envelope.decoded(at: position)
  }

  /// Whether a newer build wrote this intake event.
  public var isFromNewerBuild: Bool {
    event == nil && IntakeEvent.Kind(rawValue: envelope.kind) != nil
  }

  /// Decodes the event as another module's type.
  public func event<Event: SessionEvent>(
    as type: Event.Type
  ) throws(UnreadableEvent) -> Event? {
    try envelope.decoded(as: type, at: position)
  }

  /// The event as a JSON object with its kind under `type`.
  ///
  /// - Throws: ``UnreadableEvent`` if the stored text is not one.
  public var json: JSONValue {
    get throws {
      let text = try envelope.text
      guard let json = try? JSONValue(parsing: text), json.objectValue != nil else {
        throw UnreadableEvent(
          position: position, kind: envelope.kind, field: "", expected: "a JSON object",
          found: UnreadableEvent.excerpt(text))
      }
      return json
    }
  }

  public static func == (one: RecordedEvent, other: RecordedEvent) -> Bool {
    guard one.position == other.position, one.at == other.at else { return false }
    if let mine = one.event, let others = other.event { return mine == others }
    return one.envelope == other.envelope
  }
}

/// A stored event whose payload is not what its kind and version promise.
public struct UnreadableEvent: Error, Hashable, Sendable {
  public var position: Int
  public var kind: String
  /// The member that is wrong, such as `evidence.0.turn`; empty for the whole event.
  public var field: String
  public var expected: String
  /// The JSON found there, shortened.
  public var found: String
}

extension UnreadableEvent: CustomStringConvertible {
  public var description: String {
    let place = field.isEmpty ? "" : ", \(field)"
    return "event \(position) (\(kind)\(place)): expected \(expected), found \(found)"
  }

  init(_ error: any Error, position: Int, kind: String, in text: String) {
    var path: [any CodingKey] = []
    var expected = "a payload of this kind"
    switch error as? DecodingError {
    case .keyNotFound(let key, let context):
      (path, expected) = (context.codingPath + [key], "a value")
    case .valueNotFound(let type, let context):
      (path, expected) = (context.codingPath, Self.name(of: type))
    case .typeMismatch(let type, let context):
      (path, expected) = (context.codingPath, Self.name(of: type))
    case .dataCorrupted(let context):
      path = context.codingPath
      expected = path.isEmpty ? "a JSON object" : context.debugDescription
    default: expected = "\(error)"
    }
    let names = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
    self.init(
      position: position, kind: kind, field: names.joined(separator: "."), expected: expected,
      found: Self.value(at: names, in: text))
  }

  private static func value(at path: [String], in text: String) -> String {
    guard let root = try? JSONValue(parsing: text) else { return excerpt(text) }
    let value = path.reduce(root as JSONValue?) { value, name in
      Int(name).flatMap { value?[$0] } ?? value?[name]
    }
    return value.map { excerpt($0.serialized()) } ?? "nothing"
  }

  static func excerpt(_ text: String) -> String {
    text.isEmpty ? "nothing" : text.count > 60 ? text.prefix(60) + "…" : text
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any FloatingPoint.Type: "a number"
    case is [Any].Type: "an array"
    default: "an object"
    }
  }
}

extension JSONEncoder {
  /// Keys in order, dates as ISO 8601.
  package static let events: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }()
}

extension JSONDecoder {
  package static let events = makeEvents(version: nil)
  private static let ofVersion = [1, 2, 3].map(makeEvents)

  /// - Parameter version: The payload's version, counted from 1, which the event's decoding sees.
  static func events(version: Int) -> JSONDecoder {
    ofVersion.indices.contains(version - 1) ? ofVersion[version - 1] : events
  }

  private static func makeEvents(version: Int?) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    if let key = CodingUserInfoKey.eventVersion, let version { decoder.userInfo[key] = version }
    return decoder
  }
}

extension CodingUserInfoKey {
  /// The version of the payload that is being decoded.
  fileprivate static let eventVersion = CodingUserInfoKey(rawValue: "eventVersion")
}

extension Decoder {
  /// The payload's version; nil for the newest.
  var eventVersion: Int? { CodingUserInfoKey.eventVersion.flatMap { userInfo[$0] as? Int } }
}
