/// The members of a JSON object that allows only known names: `members.unit` is required if its
/// type is not optional.
@dynamicMemberLookup
struct StrictMembers {
  struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private let container: KeyedDecodingContainer<Key>

  /// - Throws: `DecodingError` if a member has any other name.
  init(_ decoder: any Decoder, _ names: String) throws {
    container = try decoder.container(keyedBy: Key.self)
    let known = Set(names.split(separator: " ").map(String.init))
    let strangers = container.allKeys.map(\.stringValue).filter { !known.contains($0) }
    if let stranger = strangers.min() {
      let names = known.sorted().joined(separator: ", ")
      throw DecodingError.dataCorruptedError(
        forKey: Key(stringValue: stranger), in: container,
        debugDescription: "unknown member; expected one of \(names)")
    }
  }

  subscript<Value: Decodable>(dynamicMember name: String) -> Value {
    get throws {
      try placed(name) { key in
        if !container.contains(key), let absent = (Value.self as? any Omittable.Type)?.absent,
          let value = absent as? Value
        {
          return value
        }
        return try container.decode(Value.self, forKey: key)
      }
    }
  }

  /// The decoder reports a number that does not fit its type with a separate error, without a place.
  private func placed<Value>(_ name: String, _ read: (Key) throws -> Value) throws -> Value {
    let key = Key(stringValue: name)
    do {
      return try read(key)
    } catch let error as DecodingError {
      throw error
    } catch {
      throw DecodingError.typeMismatch(
        Self.wrapped(Value.self),
        .init(codingPath: container.codingPath + [key], debugDescription: "\(error)"))
    }
  }

  private static func wrapped<Value>(_ type: Value.Type) -> Any.Type {
    switch type {
    case is Int?.Type: Int.self
    case is Double?.Type: Double.self
    default: type
    }
  }
}

/// A type whose values can be missing.
private protocol Omittable {
  static var absent: Self { get }
}

extension Optional: Omittable {
  fileprivate static var absent: Self { nil }
}
