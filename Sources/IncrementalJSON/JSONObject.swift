/// The members of a JSON object, in order, without duplicate names.
///
/// Names are equal if their UTF-8 bytes are: `é` as one scalar and as two are different names.
/// Objects are equal if their members are, in any order.
public struct JSONObject: Sendable {
  public typealias Member = (name: String, value: JSONValue)

  private var members: [Member] = []
  /// An index of names, once a linear search would be slow.
  private var positions: [ExactName: Int]?

  private static let indexedCount = 16

  public init() {}

  /// If a name repeats, the last value is kept, at the first one's place.
  public init(_ members: some Sequence<(String, JSONValue)>) {
    for (name, value) in members { self[name] = value }
  }

  /// The value of a member. Setting nil removes it.
  public subscript(name: String) -> JSONValue? {
    get { position(of: name).map { members[$0].value } }
    set {
      switch (position(of: name), newValue) {
      case (let position?, let value?): members[position].value = value
      case (let position?, nil): remove(at: position)
      case (nil, let value?): add(name, value)
      case (nil, nil): break
      }
    }
  }

  /// The names, in order.
  public var names: [String] { members.map(\.name) }

  /// Adds a member unless its name is taken.
  ///
  /// - Returns: False if the name was taken.
  mutating func append(_ name: String, _ value: JSONValue) -> Bool {
    guard position(of: name) == nil else { return false }
    add(name, value)
    return true
  }

  private func position(of name: String) -> Int? {
    if let positions { return positions[ExactName(name)] }
    return members.firstIndex { ExactName($0.name) == ExactName(name) }
  }

  private mutating func add(_ name: String, _ value: JSONValue) {
    members.append((name, value))
    if positions != nil {
      positions?[ExactName(name)] = members.count - 1
    } else if members.count > Self.indexedCount {
      rebuildPositions()
    }
  }

  private mutating func remove(at position: Int) {
    members.remove(at: position)
    if positions != nil { rebuildPositions() }
  }

  private mutating func rebuildPositions() {
    var rebuilt: [ExactName: Int] = [:]
    for (position, member) in members.enumerated() { rebuilt[ExactName(member.name)] = position }
    positions = rebuilt
  }
}

extension JSONObject: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { members.count }
  public subscript(position: Int) -> Member { members[position] }
}

extension JSONObject: Hashable {
  public static func == (one: JSONObject, other: JSONObject) -> Bool {
    one.count == other.count && one.allSatisfy { other[$0.name] == $0.value }
  }

  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for (name, value) in members {
      var member = Hasher()
      member.combine(ExactName(name))
      member.combine(value)
      sum ^= member.finalize()
    }
    hasher.combine(sum)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

/// A name compared by bytes; `String` treats canonically equivalent text as equal.
private struct ExactName: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: ExactName, other: ExactName) -> Bool {
    one.text.utf8.count == other.text.utf8.count && one.text.utf8.elementsEqual(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var copy = text
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
