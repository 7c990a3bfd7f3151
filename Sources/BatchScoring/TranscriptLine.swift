import IncrementalJSON

/// One line of a transcript file, read in place: who said what, under which id.
///
/// It recognizes three shapes: `messages` with `role` and `content` (OpenAI, and Rapport's
/// exports), `conversations` with `from` and `value` (ShareGPT), and `turns` with `role` and
/// `text`. The keys may be mixed. Rapport's exports also list the user turns that were scored live
/// in `scoredTurns`, counted from 1.
struct TranscriptLine: ~Copyable {
  /// `aside`: a user turn that a live session did not score.
  /// `stranger`: an unknown role.
  enum Speaker: UInt8 { case user, coach, other, aside, stranger }

  struct Message: BitwiseCopyable {
    var speaker: UInt8
    var start: UnsafePointer<UInt8>
    var count: Int
  }

  private(set) var messages: [Message] = []
  /// Nil if the line has none.
  private(set) var id: (start: UnsafePointer<UInt8>, count: Int)?
  /// Text that differs from the line's bytes: resolved escapes, joined parts.
  private var text = ByteBuffer(capacity: 4096)
  /// Whether a user turn has text, be it empty; a picture is none.
  private(set) var hasUserWords = false
  private var hasMessages = false
  /// The first unknown role.
  private var strangeRole: String?
  private var spilled: [UnsafeMutablePointer<UInt8>] = []

  /// Reads a line. The result points into the line, which must not move.
  ///
  /// - Returns: What is wrong with the line; nil if valid.
  mutating func read(_ line: UnsafeRawBufferPointer) -> String? {
    begin()
    freeSpilled()
    text.reserve(line.count + 64)
    if line.isEmpty { return "an empty line" }
    if let offset = UTF8Check.firstInvalid(line) {
      return "invalid UTF-8 at byte \(offset + 1) of the line"
    }
    var scanner = JSONScanner(line)
    if scanner.peek() == UInt8(ascii: "{") {
      if record(&scanner), scanner.isAtEnd {
        return hasMessages ? strangerInstead : Self.noMessages
      }
    }
    return readSlowly(line)
  }

  private mutating func begin() {
    messages.removeAll(keepingCapacity: true)
    id = nil
    hasMessages = false
    hasUserWords = false
    strangeRole = nil
    text.removeAll()
  }

  /// An unknown role where nobody is the user may be the user's: such a line is an error rather than a
  /// conversation in which the user said nothing.
  private var strangerInstead: String? {
    guard let role = strangeRole, messages.allSatisfy({ $0.speaker == Speaker.coach.rawValue })
    else { return nil }
    return "no known role for the user: found \"\(role.prefix(40))\""
  }

  static let noMessages =
    "no messages: expected \"messages\" with role and content, \"conversations\" with from and value, or \"turns\" with role and text"

  // MARK: The quick way

  private mutating func record(_ scanner: inout JSONScanner) -> Bool {
    var members = scanner.openObject()
    while let name = scanner.nextName(&members) {
      if name == "id" {
        guard identifier(&scanner) else { return false }
      } else if name == "messages" || name == "conversations" || name == "turns" {
        guard !hasMessages, list(&scanner) else { return false }
        hasMessages = true
      } else if name == "scoredTurns" {
        return false
      } else {
        scanner.skipValue()
      }
    }
    return !scanner.isStuck
  }

  private mutating func identifier(_ scanner: inout JSONScanner) -> Bool {
    guard scanner.peek() == UInt8(ascii: "\"") else { return false }
    guard let words = string(&scanner) else { return false }
    id = words
    return true
  }

  private mutating func list(_ scanner: inout JSONScanner) -> Bool {
    guard scanner.peek() == UInt8(ascii: "[") else { return false }
    scanner.openArray()
    var isFirst = true
    while scanner.nextElement(isFirst: isFirst) {
      isFirst = false
      guard scanner.peek() == UInt8(ascii: "{"), message(&scanner) else { return false }
    }
    return !scanner.isStuck
  }

  private mutating func message(_ scanner: inout JSONScanner) -> Bool {
    var speaker: Speaker?
    var words: (start: UnsafePointer<UInt8>, count: Int)?
    var members = scanner.openObject()
    while let name = scanner.nextName(&members) {
      if name == "role" || name == "from" {
        // The careful path decides which of two keys holds.
        guard speaker == nil, let role = scanner.plainString() else { return false }
        speaker = hear(role.bytes)
      } else if name == "content" || name == "value" || name == "text" {
        guard words == nil, scanner.peek() == UInt8(ascii: "\""),
          let text = string(&scanner)
        else { return false }
        words = text
      } else {
        scanner.skipValue()
      }
    }
    guard !scanner.isStuck, let speaker, let words else { return false }
    append(speaker, words.start, words.count)
    return true
  }

  private mutating func append(_ speaker: Speaker, _ start: UnsafePointer<UInt8>, _ count: Int) {
    guard speaker == .user || speaker == .coach else { return }
    if speaker == .user { hasUserWords = true }
    messages.append(Message(speaker: speaker.rawValue, start: start, count: count))
  }

  private mutating func string(
    _ scanner: inout JSONScanner
  ) -> (start: UnsafePointer<UInt8>, count: Int)? {
    guard let raw = scanner.rawString(),
      let start = raw.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return nil }
    guard raw.hasEscapes else { return (start, raw.bytes.count) }
    // The buffer has room for the whole line, so it never moves while the line is read.
    let place = text.room(raw.bytes.count)
    guard let length = raw.unescape(into: place) else { return nil }
    text.advance(by: length)
    return (UnsafePointer(place), length)
  }

  private mutating func hear(_ role: UnsafeRawBufferPointer) -> Speaker {
    let speaker = Self.speaker(role)
    if speaker == .stranger, strangeRole == nil {
      strangeRole = String(decoding: role.prefix(256), as: UTF8.self)
    }
    return speaker
  }

  /// System and tool messages count as no one's words, as do unknown roles.
  private static func speaker(_ role: UnsafeRawBufferPointer) -> Speaker {
    func isOne(of names: StaticString...) -> Bool {
      names.contains { name in
        guard role.count == name.utf8CodeUnitCount else { return false }
        return role.indices.allSatisfy { lower(role[$0]) == name.utf8Start[$0] }
      }
    }
    switch role.first.map(lower) {
    case UInt8(ascii: "u"): return isOne(of: "user") ? .user : .stranger
    case UInt8(ascii: "h"): return isOne(of: "human") ? .user : .stranger
    case UInt8(ascii: "a"): return isOne(of: "assistant", "ai") ? .coach : .stranger
    case UInt8(ascii: "g"): return isOne(of: "gpt") ? .coach : .stranger
    case UInt8(ascii: "c"): return isOne(of: "coach", "chatgpt") ? .coach : .stranger
    case UInt8(ascii: "m"): return isOne(of: "model") ? .coach : .stranger
    case UInt8(ascii: "b"): return isOne(of: "bot") ? .coach : .stranger
    default: return isOne(of: "system", "tool", "developer", "function") ? .other : .stranger
    }
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  // MARK: The careful way

  /// Handles unusual lines, and explains errors.
  private mutating func readSlowly(_ line: UnsafeRawBufferPointer) -> String? {
    begin()
    let value: JSONValue
    do {
      value = try JSONValue(parsing: line, invalidText: .replaced)
    } catch {
      return Self.explanation(error, line)
    }
    guard let record = value.objectValue else {
      return value.arrayValue == nil
        ? "expected an object with messages"
        : "a JSON array: expected one conversation per line (JSON Lines)"
    }
    switch record["id"] {
    case .some(.string(let name)): id = keep(name)
    case .some(.number(let number)):
      id = keep(JSONNumberText.ofMember("id", in: line) ?? number.description)
    default: break
    }
    guard let list = record["messages"] ?? record["conversations"] ?? record["turns"] else {
      return Self.noMessages
    }
    guard let items = list.arrayValue else { return "messages: expected an array" }
    for (index, item) in items.enumerated() {
      if let problem = take(item) { return "message \(index + 1): \(problem)" }
    }
    if let turns = record["scoredTurns"]?.arrayValue { setAside(allBut: turns) }
    return strangerInstead
  }

  private mutating func setAside(allBut scoredTurns: [JSONValue]) {
    let scored = Set(scoredTurns.compactMap(\.intValue))
    var turn = 0
    for index in messages.indices where messages[index].speaker == Speaker.user.rawValue {
      turn += 1
      if !scored.contains(turn) { messages[index].speaker = Speaker.aside.rawValue }
    }
  }

  private mutating func take(_ item: JSONValue) -> String? {
    guard item.objectValue != nil else { return "expected an object" }
    guard let role = (item["role"] ?? item["from"])?.stringValue else { return "missing role" }
    let speaker = Array(role.utf8).withUnsafeBytes { hear($0) }
    guard speaker == .user || speaker == .coach else { return nil }
    guard let content = item["content"] ?? item["value"] ?? item["text"] else {
      return "missing content"
    }
    if let words = content.stringValue {
      keep(speaker, words)
    } else if let parts = content.arrayValue {
      let texts = parts.compactMap { part in
        // An assistant's thread keeps text and its annotations: {"text": {"value": …}}.
        part["text"]?.stringValue ?? part["text"]?["value"]?.stringValue ?? part.stringValue
      }
      let hadWords = hasUserWords
      keep(speaker, texts.joined(separator: "\n"))
      if texts.isEmpty { hasUserWords = hadWords }
    } else if content != .null {
      return "content: expected a string, found \(content.serialized().prefix(20))"
    }
    return nil
  }

  private mutating func keep(_ speaker: Speaker, _ words: String) {
    let kept = keep(words)
    append(speaker, kept.start, kept.count)
  }

  private mutating func keep(_ words: String) -> (start: UnsafePointer<UInt8>, count: Int) {
    var words = words
    return words.withUTF8 { source in
      // Text longer than its line gets separate memory, so nothing that is pointed at moves.
      let fits = text.count + source.count <= text.capacity
      let place = fits ? text.room(source.count) : spill(source.count)
      if let start = source.baseAddress { place.update(from: start, count: source.count) }
      if fits { text.advance(by: source.count) }
      return (UnsafePointer(place), source.count)
    }
  }

  private mutating func spill(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    let place = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, count))
    spilled.append(place)
    return place
  }

  private mutating func freeSpilled() {
    for place in spilled { place.deallocate() }
    spilled.removeAll()
  }

  deinit { for place in spilled { place.deallocate() } }

  private static func explanation(_ error: JSONError, _ line: UnsafeRawBufferPointer) -> String {
    let opener = line.first { $0 > 0x20 }
    let isWholeLine = line.count { $0 > 0x20 } <= 2
    if opener == UInt8(ascii: "{") || opener == UInt8(ascii: "["), isWholeLine {
      return "this looks like pretty-printed JSON: expected one conversation per line"
    }
    return "not valid JSON at column \(error.column): \(error.reason)"
  }
}
