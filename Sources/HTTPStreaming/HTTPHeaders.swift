/// Header fields in the order they were sent, with case-insensitive lookup.
public struct HTTPHeaders: Hashable, Sendable {
  /// One field. The name keeps its original case.
  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All fields, including repeated names.
  public private(set) var fields: [Field]

  public init(_ fields: [Field] = []) {
    self.fields = fields
  }

  /// The first value of the field, or nil. Setting replaces every field of that name.
  public subscript(name: String) -> String? {
    get { fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value }
    set {
      fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
      if let newValue { append(name, newValue) }
    }
  }

  /// All values of the field, in order.
  public func values(for name: String) -> [String] {
    fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
  }

  /// Adds a field at the end, keeping those with the same name.
  public mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible {
  /// Fields whose values `description` masks: they carry credentials or name an account.
  static let secretNames = [
    "authorization", "proxy-authorization", "x-api-key", "api-key", "cookie", "set-cookie",
    "openai-organization", "openai-project",
  ]

  /// One field per line, with secret values masked.
  public var description: String {
    fields.map { "\($0.name): \(Self.isSecret($0.name) ? "<masked>" : $0.value)" }
      .joined(separator: "\n")
  }

  public var debugDescription: String { description }

  static func isSecret(_ name: String) -> Bool {
    secretNames.contains { $0.equalsIgnoringASCIICase(name) }
  }
}

// `dump` and interpolating an enclosing value read mirrors, not descriptions.
extension HTTPHeaders: CustomReflectable {
  public var customMirror: Mirror {
    Mirror(self, children: ["fields": description])
  }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomReflectable {
  public var description: String { HTTPHeaders([self]).description }

  public var customMirror: Mirror {
    Mirror(self, children: ["field": description])
  }
}

extension String {
  /// Compares bytes and folds only A-Z: header names and hosts are ASCII.
  func equalsIgnoringASCIICase(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension UInt8 {
  var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
