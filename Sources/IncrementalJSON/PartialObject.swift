/// One JSON object, parsed byte by byte from after its opening brace.
///
/// Beyond RFC 8259 it tolerates one trailing comma in objects and arrays, and whatever
/// ``JSONStringDecoder`` tolerates in strings.
struct PartialObject: Sendable {
  private enum State: Sendable {
    case nameOrEnd
    case name
    case colon
    case value
    case valueOrEnd
    case string
    case number
    case literal(JSONLiteral, matched: Int)
    case commaOrEnd
    case done
    case failed
  }

  /// An open container.
  private struct Level: Sendable {
    let isObject: Bool
    var members = JSONObject()
    var elements: [JSONValue] = []
    /// The name of the current value.
    var name: String?

    /// The container so far, with the value in progress last.
    func value(with last: JSONValue?) -> JSONValue {
      guard isObject else { return .array(elements + (last.map { [$0] } ?? [])) }
      guard let last, let name else { return .object(members) }
      var all = members
      _ = all.append(name, last)
      return .object(all)
    }
  }

  private var state = State.nameOrEnd
  private var levels = [Level(isObject: true)]
  private var string = JSONStringDecoder()
  private var digits: [UInt8] = []
  private var grammar = JSONNumberGrammar()
  private var root: JSONValue?

  /// Whether the first member's colon has arrived.
  private(set) var hasMember = false

  var isDone: Bool { if case .done = state { true } else { false } }
  var hasFailed: Bool { if case .failed = state { true } else { false } }

  /// The final part, in the containers opened so far.
  var complete: JSONValue { snapshot(withString: false) }

  /// The same, including the string value in progress.
  var partial: JSONValue { snapshot(withString: true) }

  private func snapshot(withString: Bool) -> JSONValue {
    if let root { return root }
    var inner: JSONValue?
    if withString, case .string = state { inner = .string(string.settledText) }
    for level in levels.reversed() { inner = level.value(with: inner) }
    return inner ?? .null
  }

  /// Parses until the object ends or fails; ignores the rest.
  mutating func read(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    while position < bytes.count, !isDone, !hasFailed {
      if case .string = state {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
        position += string.acceptPlainPrefix(of: rest)
        guard position < bytes.count else { return }
      }
      read(bytes[position])
      position += 1
    }
  }

  mutating func read(_ byte: UInt8) {
    switch state {
    case .name, .string: readString(byte)
    case .number: readNumber(byte)
    case .literal(let literal, let matched): readLiteral(literal, matched, byte)
    case .done, .failed: return
    case .nameOrEnd, .colon, .value, .valueOrEnd, .commaOrEnd:
      if !byte.isJSONSpace { readStructure(byte) }
    }
  }

  private mutating func readStructure(_ byte: UInt8) {
    switch (state, byte) {
    case (.nameOrEnd, UInt8(ascii: "\"")): beginString(.name)
    case (.nameOrEnd, UInt8(ascii: "}")), (.valueOrEnd, UInt8(ascii: "]")): close()
    case (.colon, UInt8(ascii: ":")):
      hasMember = true
      state = .value
    case (.value, _), (.valueOrEnd, _): beginValue(byte)
    case (.commaOrEnd, UInt8(ascii: ",")):
      state = levels[levels.count - 1].isObject ? .nameOrEnd : .valueOrEnd
    case (.commaOrEnd, UInt8(ascii: "}")) where levels[levels.count - 1].isObject: close()
    case (.commaOrEnd, UInt8(ascii: "]")) where !levels[levels.count - 1].isObject: close()
    default: state = .failed
    }
  }

  private mutating func beginValue(_ byte: UInt8) {
    if byte == UInt8(ascii: "\"") { return beginString(.string) }
    if byte == UInt8(ascii: "{") { return open(isObject: true) }
    if byte == UInt8(ascii: "[") { return open(isObject: false) }
    if let literal = JSONLiteral(first: byte) {
      state = .literal(literal, matched: 1)
      return
    }
    grammar = JSONNumberGrammar()
    digits.removeAll(keepingCapacity: true)
    state = .number
    readNumber(byte)
  }

  private mutating func beginString(_ kind: State) {
    string = JSONStringDecoder()
    state = kind
  }

  private mutating func open(isObject: Bool) {
    guard levels.count < JSONValue.depthLimit else {
      state = .failed
      return
    }
    levels.append(Level(isObject: isObject))
    state = isObject ? .nameOrEnd : .valueOrEnd
  }

  private mutating func close() {
    let value = levels[levels.count - 1].value(with: nil)
    if levels.count == 1 {
      root = value
      state = .done
    } else {
      levels.removeLast()
      add(value)
    }
  }

  private mutating func add(_ value: JSONValue) {
    let top = levels.count - 1
    if let name = levels[top].name {
      _ = levels[top].members.append(name, value)
      levels[top].name = nil
    } else {
      levels[top].elements.append(value)
    }
    state = .commaOrEnd
  }

  private mutating func readString(_ byte: UInt8) {
    switch string.accept(byte) {
    case .more: return
    case .invalid: state = .failed
    case .closed:
      guard case .name = state else { return add(.string(string.text)) }
      let name = string.text
      let isNew = levels[levels.count - 1].members[name] == nil
      levels[levels.count - 1].name = isNew ? name : nil
      state = isNew ? .colon : .failed
    }
  }

  private mutating func readNumber(_ byte: UInt8) {
    if grammar.accept(byte) {
      digits.append(byte)
      return
    }
    let isEnd = byte.isJSONSpace || [0x2C, 0x5D, 0x7D].contains(byte)
    guard grammar.isWhole, isEnd,
      let number = digits.withUnsafeBytes({ JSONNumber(grammatical: $0) })
    else {
      state = .failed
      return
    }
    add(.number(number))
    read(byte)
  }

  private mutating func readLiteral(_ literal: JSONLiteral, _ matched: Int, _ byte: UInt8) {
    guard byte == literal.letters.utf8Start[matched] else {
      state = .failed
      return
    }
    if matched + 1 == literal.letters.utf8CodeUnitCount {
      add(literal.value)
    } else {
      state = .literal(literal, matched: matched + 1)
    }
  }
}

private enum JSONLiteral: Sendable {
  case null, `true`, `false`

  init?(first byte: UInt8) {
    switch byte {
    case UInt8(ascii: "n"): self = .null
    case UInt8(ascii: "t"): self = .true
    case UInt8(ascii: "f"): self = .false
    default: return nil
    }
  }

  var letters: StaticString {
    switch self {
    case .null: "null"
    case .true: "true"
    case .false: "false"
    }
  }

  var value: JSONValue {
    switch self {
    case .null: .null
    case .true: .bool(true)
    case .false: .bool(false)
    }
  }
}
