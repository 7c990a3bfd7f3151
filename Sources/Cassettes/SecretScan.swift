import FoundationEssentials
import IncrementalJSON
import WireFormats

/// Looks for what must not be in a cassette: keys and tokens, headers with credentials, cookies,
/// organization ids, and, less severe, e-mail addresses and phone numbers.
public enum SecretScan {
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    public var file: String
    /// A JSON path such as `exchanges[2].response.frames[4].data`, or `line 12`.
    public var place: String
    public var kind: SecretKind
    /// The value's first characters and its length: enough to find it, too little to use it.
    public var excerpt: String

    public var description: String { "\(file): \(place): \(kind.rawValue) \(excerpt)" }
  }

  /// - Parameter fixedTexts: Texts the program says itself, such as helpline numbers.
  public static func findings(
    in cassette: Cassette, file: String, sparing fixedTexts: [String] = []
  ) -> [Finding] {
    findings(in: Array(cassette.text.utf8), file: file, sparing: fixedTexts)
  }

  /// Scans any file: even one that is not a valid cassette can hold a key.
  public static func findings(
    in bytes: [UInt8], file: String, sparing fixedTexts: [String] = []
  ) -> [Finding] {
    var scan = Scan(file: file, fixed: FixedTexts(fixedTexts))
    if let root = try? JSONValue(parsing: bytes, invalidText: .replaced) {
      scan.walk(root, at: "", name: "")
      for (index, exchange) in (root["exchanges"]?.arrayValue ?? []).enumerated() {
        scan.readStream(exchange["response"], at: "exchanges[\(index)].response")
      }
    } else {
      scan.readLines(String(decoding: bytes, as: UTF8.self))
    }
    return scan.findings
  }
}

private struct Scan {
  let file: String
  let fixed: FixedTexts
  var findings: [SecretScan.Finding] = []
  var known: Set<String> = []

  mutating func walk(_ value: JSONValue, at path: String, name: String) {
    switch value {
    case .string(let text): read(text, at: path, isProse: !Self.isFormat(name))
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        walk(element, at: "\(path)[\(index)]", name: name)
      }
    case .object(let members):
      for (name, value) in members {
        let place = path.isEmpty ? name : path + "." + name
        read(name, at: place, isProse: false)
        if path.hasSuffix("headers"), let kind = Self.kind(ofHeader: name) {
          add(kind, value.stringValue ?? "", at: place)
        }
        walk(value, at: place, name: name)
      }
    case .null, .bool, .number: break
    }
  }

  /// Members whose values the format generates. Digests and ids can look like numbers.
  private static func isFormat(_ name: String) -> Bool {
    switch name {
    case "words", "conversation", "prompt", "id", "object", "type", "role", "model", "base64",
      "system_fingerprint", "date", "recorded", "startsAt", "version":
      true
    default: name.contains("request-id")
    }
  }

  private static func kind(ofHeader name: String) -> SecretKind? {
    switch name.lowercased() {
    case "authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key",
      "x-amz-security-token":
      .authorization
    case "cookie", "set-cookie": .cookie
    case let name where name.contains("organization") || name.contains("openai-project"):
      .organisation
    default: nil
    }
  }

  /// A value split over several events of a stream does not show in any one of them.
  mutating func readStream(_ response: JSONValue?, at path: String) {
    if let body = response?["body"]?.stringValue {
      read(StreamTexts([Array(body.utf8)], isEventStream: false), at: path + ".body")
    }
    guard let frames = response?["frames"]?.arrayValue else { return }
    let blocks = frames.map(Self.wireBytes)
    for (index, block) in blocks.enumerated() where frames[index]["base64"] != nil {
      read(String(decoding: block, as: UTF8.self), at: "\(path).frames[\(index)].base64")
    }
    read(StreamTexts(blocks, isEventStream: true), at: path + ".frames")
    read(StreamTexts([blocks.flatMap(\.self)], isEventStream: false), at: path + ".frames")
  }

  private mutating func read(_ texts: StreamTexts, at path: String) {
    for channel in texts.channels {
      let split = channel.pieces.count > 1 ? " (split)" : ""
      read(texts.text(channel), at: path + split, isProse: !channel.isStructural)
    }
  }

  private static func wireBytes(_ frame: JSONValue) -> [UInt8] {
    if let raw = frame["raw"]?.stringValue { return Array(raw.utf8) }
    if let coded = frame["base64"]?.stringValue {
      return Data(base64Encoded: coded).map(Array.init) ?? []
    }
    let event = RecordedResponse.Frame(
      .event(frame["event"]?.stringValue, frame["data"] ?? .null))
    return event.wireBytes
  }

  mutating func readLines(_ text: String) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      read(String(line), at: "line \(index + 1)")
    }
  }

  private mutating func read(_ text: String, at path: String, isProse: Bool = true) {
    var readable = ReadableText(text)
    let keys = KeyShapes(text: readable).sightings()
    for sighting in keys {
      add(sighting.kind, readable.text(sighting.range), at: path)
      readable.hide(sighting.range)
    }
    guard isProse else { return }
    fixed.hide(in: &readable)
    for sighting in ContactShapes(text: readable).sightings() {
      add(sighting.kind, readable.text(sighting.range), at: path)
    }
  }

  /// Adds a value once for each place. All events of a stream, and their joined text, count as
  /// one place.
  private mutating func add(_ kind: SecretKind, _ value: String, at path: String) {
    let part = path.firstRange(of: ".frames").map { path[..<$0.lowerBound] } ?? path[...]
    let isStream = part.endIndex < path.endIndex
    guard known.insert("\(isStream ? String(part) : path) \(value)").inserted else { return }
    findings.append(
      SecretScan.Finding(file: file, place: path, kind: kind, excerpt: Self.excerpt(value)))
  }

  private static func excerpt(_ value: String) -> String {
    let shown = value.count >= 12 ? value.prefix(4) : value.prefix(1)
    return "\"\(shown)…\" (\(value.count) characters)"
  }
}
