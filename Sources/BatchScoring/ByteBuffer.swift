/// Bytes that grow at the end and are written at once.
struct ByteBuffer: ~Copyable {
  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = max(64, capacity)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  mutating func truncate(to length: Int) { count = length }

  @inline(__always)
  mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: base, count: count)
    base.deallocate()
    (base, capacity) = (moved, larger)
  }

  /// Space for the caller to fill; `advance(by:)` tells how much was used.
  mutating func room(_ size: Int) -> UnsafeMutablePointer<UInt8> {
    reserve(size)
    return base + count
  }

  mutating func advance(by size: Int) { count += size }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(text.utf8Start, text.utf8CodeUnitCount)
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
    reserve(length)
    (base + count).update(from: bytes, count: length)
    count += length
  }

  mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { append(start, $0.count) } }
  }

  mutating func append(number: Int) {
    if number < 0 {
      append(UInt8(ascii: "-"))
      return append(number: -number)
    }
    if number >= 10 { append(number: number / 10) }
    append(0x30 + UInt8(truncatingIfNeeded: number % 10))
  }

  /// Ten-thousandths as a fraction: 8125 is 0.8125, 10000 is 1.
  mutating func append(fraction: Int, digits: Int = 4) {
    let whole = digits == 4 ? 10_000 : 100
    append(number: fraction / whole)
    var rest = fraction % whole
    guard rest > 0 else { return }
    append(UInt8(ascii: "."))
    var unit = whole / 10
    while rest > 0 {
      append(0x30 + UInt8(rest / unit))
      rest %= unit
      unit /= 10
    }
  }

  /// A JSON string, with its quotes.
  mutating func append(jsonString text: UnsafePointer<UInt8>, _ length: Int) {
    reserve(length + 2)
    append(UInt8(ascii: "\""))
    var start = 0
    for index in 0..<length {
      let byte = text[index]
      guard byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F else { continue }
      append(text + start, index - start)
      escape(byte)
      start = index + 1
    }
    append(text + start, length - start)
    append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x22: append("\\\"")
    case 0x5C: append("\\\\")
    case 0x0A: append("\\n")
    case 0x09: append("\\t")
    case 0x0D: append("\\r")
    default:
      append("\\u00")
      append(hexDigit(byte >> 4))
      append(hexDigit(byte & 15))
    }
  }

  private func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
