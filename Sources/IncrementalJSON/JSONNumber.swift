/// A JSON number: a finite double, or an integer that a double might not represent exactly.
///
/// Numbers are equal if their values are, so `1`, `1.0` and `1e0` are the same number.
public struct JSONNumber: Hashable, Sendable {
  private enum Storage: Hashable, Sendable {
    case integer(Int)
    /// Finite, and not a value that `integer` could hold.
    case double(Double)
  }

  private let storage: Storage

  public init(_ value: Int) { storage = .integer(value) }

  /// Nil if the value is infinite or not a number.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    storage = Int(exactly: value).map(Storage.integer) ?? .double(value)
  }

  /// The value if it is whole and fits an `Int`.
  public var intValue: Int? { if case .integer(let value) = storage { value } else { nil } }

  /// The nearest double; always finite.
  public var doubleValue: Double {
    switch storage {
    case .integer(let value): Double(value)
    case .double(let value): value
    }
  }
}

extension JSONNumber: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int) { self.init(value) }
}

extension JSONNumber: CustomStringConvertible {
  /// The number as JSON: the shortest digits that read back as the same value.
  public var description: String {
    switch storage {
    case .integer(let value): String(value)
    case .double(let value): value.description
    }
  }
}

extension JSONNumber {
  /// Reads digits that already match the grammar of RFC 8259, section 6.
  ///
  /// - Returns: Nil if the value overflows a double.
  init?(grammatical digits: UnsafeRawBufferPointer) {
    if let integer = Self.shortInteger(digits) {
      self.init(integer)
      return
    }
    let text = String(decoding: digits, as: UTF8.self)
    if let integer = Int(text) {
      self.init(integer)
    } else if let double = Double(text) {
      self.init(double)
    } else {
      return nil
    }
  }

  private static func shortInteger(_ digits: UnsafeRawBufferPointer) -> Int? {
    let isNegative = digits.first == UInt8(ascii: "-")
    let magnitude = isNegative ? digits.dropFirst() : digits[...]
    guard magnitude.count <= 18 else { return nil }
    var value = 0
    for byte in magnitude {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value &* 10 &+ Int(byte &- 0x30)
    }
    return isNegative ? -value : value
  }
}
