/// A parameter of a statement, in PostgreSQL's binary form, which carries any text unchanged.
enum PostgresValue: Sendable {
  case text(String?)
  case integer(Int64?)
  case bytes([UInt8])
  case texts([String])
  case integers([Int64])

  static func integer(_ value: Int?) -> PostgresValue { .integer(value.map { Int64($0) }) }

  /// Object ids of built-in types, which never change.
  var type: UInt32 {
    switch self {
    case .text: 25
    case .integer: 20
    case .bytes: 17
    case .texts: 1_009
    case .integers: 1_016
    }
  }

  /// Nil for null.
  var encoded: [UInt8]? {
    switch self {
    case .text(let text): text.map { Array($0.utf8) }
    case .integer(let number): number.map { Self.bigEndian($0) }
    case .bytes(let bytes): bytes
    case .texts(let texts): Self.array(texts.map { Array($0.utf8) }, of: 25)
    case .integers(let numbers): Self.array(numbers.map { Self.bigEndian($0) }, of: 20)
    }
  }

  /// One dimension, counted from 1: its header, then each element after its length.
  private static func array(_ elements: [[UInt8]], of type: UInt32) -> [UInt8] {
    var bytes = bigEndian(Int32(elements.isEmpty ? 0 : 1)) + bigEndian(Int32(0)) + bigEndian(type)
    if !elements.isEmpty { bytes += bigEndian(Int32(elements.count)) + bigEndian(Int32(1)) }
    for element in elements { bytes += bigEndian(Int32(element.count)) + element }
    return bytes
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}

/// The rows of a result, in binary form.
struct PostgresRows: Sendable {
  let columns: Int
  /// Row by row.
  let values: [[UInt8]?]

  var count: Int { columns == 0 ? 0 : values.count / columns }
  var isEmpty: Bool { values.isEmpty }
  var indices: Range<Int> { 0..<count }
  var rows: [Row] { indices.map { Row(rows: self, index: $0) } }
  var first: Row? { isEmpty ? nil : Row(rows: self, index: 0) }

  struct Row: Sendable {
    fileprivate let rows: PostgresRows
    fileprivate let index: Int

    func bytes(_ column: Int) -> [UInt8]? { rows.values[index * rows.columns + column] }

    func text(_ column: Int) -> String? {
      bytes(column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Of any whole-number type.
    func integer(_ column: Int) -> Int64? {
      guard let bytes = bytes(column), let first = bytes.first, bytes.count <= 8 else { return nil }
      return bytes.reduce(first >= 0x80 ? -1 : 0) { $0 << 8 | Int64($1) }
    }

    func isTrue(_ column: Int) -> Bool { bytes(column) == [1] }
  }
}
