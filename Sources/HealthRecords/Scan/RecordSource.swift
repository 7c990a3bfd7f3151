/// The source of a record, as far as it matters: names never leave this target.
struct RecordSource: Hashable, Sendable {
  /// The order in Apple's Health app: manual entries, then the watch, then the phone, then apps and
  /// other devices.
  enum Kind: Int, Comparable, Sendable {
    case entered, watch, phone, other

    static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }

  let kind: Kind

  init(kind: Kind) { self.kind = kind }

  /// Recognized by name (`Sam’s Apple Watch`), or by device if it was renamed.
  init(name: UnsafeBufferPointer<UInt8>, device: UnsafeBufferPointer<UInt8>) {
    if name.holds("watch") {
      kind = .watch
    } else if name.holds("iphone") || name.holds("ipad") || name.holds("ipod") {
      kind = .phone
    } else {
      kind = device.holds("model:watch") ? .watch : .other
    }
  }
}

/// The sources found so far, by number.
struct SourceTable {
  private var numbers: [Int: UInt16] = [:]
  private(set) var sources = [RecordSource(kind: .entered)]

  /// Manual entries are one source, whatever app made them.
  static let entered: UInt16 = 0

  /// Sources beyond this number are merged into the last one.
  static let most = 4096

  mutating func number(
    name: UnsafeBufferPointer<UInt8>, device: UnsafeBufferPointer<UInt8>
  ) -> UInt16 {
    let key = name.identity
    if let number = numbers[key] { return number }
    if sources.count <= Self.most { sources.append(RecordSource(name: name, device: device)) }
    let number = UInt16(sources.count - 1)
    if numbers.count < Self.most { numbers[key] = number }
    return number
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// FNV-1a over the bytes.
  fileprivate var identity: Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in self { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(truncatingIfNeeded: hash)
  }

  /// Whether a lower-case ASCII text occurs, ignoring case.
  func holds(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard count >= length else { return false }
    let wanted = text.utf8Start
    for start in 0...(count - length) {
      var matched = 0
      while matched < length {
        let byte = self[start + matched]
        let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        guard lower == wanted[matched] else { break }
        matched += 1
      }
      if matched == length { return true }
    }
    return false
  }
}
