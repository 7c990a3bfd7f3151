/// The source of a record, as far as it matters: names never leave this target.
struct RecordSource: Hashable, Sendable {
  /// The order in Apple's Health app: manual entries, then the watch, then the phone, then apps and
  /// other devices.
  enum Kind: Int, Comparable, Sendable {
    case entered, watch, phone, other

    static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }

  var kind: Kind
  /// Whether only its name tells the kind; people and apps choose names.
  var isByName = false

  init(kind: Kind) { self.kind = kind }

  /// Recognized by the model of the device or its hardware (`Watch6,2`), or without both by name
  /// (`Sam’s Apple Watch`).
  init(name: UnsafeBufferPointer<UInt8>, device: DeviceDescription) {
    let models = [device.model, device.hardware].compactMap(\.self)
    if !models.isEmpty {
      let isPhone = ["iphone", "ipad", "ipod"].contains { name in
        models.contains { $0.starts(with: name) }
      }
      kind = models.contains { $0.starts(with: "watch") } ? .watch : isPhone ? .phone : .other
    } else {
      isByName = true
      kind =
        name.holdsWord("watch")
        ? .watch
        : name.holds("iphone") || name.holds("ipad") || name.holds("ipod") ? .phone : .other
    }
  }
}

/// What an export says about a device: `<<HKDevice: 0x1>, name:…, model:Watch, hardware:Watch6,2>`.
struct DeviceDescription {
  let text: UnsafeBufferPointer<UInt8>

  /// Nil if the device does not tell it.
  var model: Slice<UnsafeBufferPointer<UInt8>>? { value(of: "model:") }
  var hardware: Slice<UnsafeBufferPointer<UInt8>>? { value(of: "hardware:") }

  /// What tells a device from others of the same name. Not the address in it, which changes from
  /// record to record, and not the version of its software.
  var identity: Int? {
    (model ?? hardware).map { model in
      var hash = StableHash(model)
      hash.add(hardware ?? model)
      return hash.value
    }
  }

  private func value(of key: StaticString) -> Slice<UnsafeBufferPointer<UInt8>>? {
    guard let start = text.position(of: key).map({ $0 + key.utf8CodeUnitCount }) else { return nil }
    let end = text.indices[start...].first { index in
      // The signs around it are written as entities.
      text[index] == UInt8(ascii: ">") || text[index] == UInt8(ascii: "&")
        || text[index] == UInt8(ascii: ",")
          && (index + 1 == text.count || text[index + 1] == UInt8(ascii: " "))
    }
    let value = text[start..<(end ?? text.count)]
    return value.isEmpty ? nil : value
  }
}

/// The sources found so far, by number.
struct SourceTable {
  /// By name and device as they are written.
  private var numbers: [Int: UInt16] = [:]
  private var byDevice: [Int: UInt16] = [:]
  /// By name: a source whose records do not all tell the device.
  private var byName: [Int: UInt16] = [:]
  private var found = [RecordSource(kind: .entered)]

  /// Manual entries are one source, whatever app made them.
  static let entered: UInt16 = 0

  /// Sources beyond this number are merged into the last one.
  static let most = 4096

  /// A name alone is not believed if the devices tell which one is the watch.
  var sources: [RecordSource] {
    guard found.contains(where: { $0.kind == .watch && !$0.isByName }) else { return found }
    return found.map { $0.kind == .watch && $0.isByName ? RecordSource(kind: .other) : $0 }
  }

  mutating func number(
    name: UnsafeBufferPointer<UInt8>, device: UnsafeBufferPointer<UInt8>
  ) -> UInt16 {
    var written = StableHash(name)
    written.add(device)
    if let number = numbers[written.value] { return number }
    let number = number(name, DeviceDescription(text: device))
    if numbers.count < Self.most { numbers[written.value] = number }
    return number
  }

  /// A watch and a phone with one name are two sources. Records without a device belong to the first
  /// of them.
  private mutating func number(
    _ name: UnsafeBufferPointer<UInt8>, _ device: DeviceDescription
  ) -> UInt16 {
    let nameHash = StableHash(name)
    guard let identity = device.identity else {
      return byName[nameHash.value] ?? add(name, device, nameHash.value, nil)
    }
    var key = nameHash
    key.add(identity)
    if let number = byDevice[key.value] { return number }
    if let number = byName[nameHash.value], found[Int(number)].isByName {
      found[Int(number)] = RecordSource(name: name, device: device)
      byDevice[key.value] = number
      return number
    }
    return add(name, device, nameHash.value, key.value)
  }

  private mutating func add(
    _ name: UnsafeBufferPointer<UInt8>, _ device: DeviceDescription, _ nameKey: Int,
    _ deviceKey: Int?
  ) -> UInt16 {
    if found.count <= Self.most { found.append(RecordSource(name: name, device: device)) }
    let number = UInt16(found.count - 1)
    guard byDevice.count + byName.count < 2 * Self.most else { return number }
    if byName[nameKey] == nil { byName[nameKey] = number }
    if let deviceKey { byDevice[deviceKey] = number }
    return number
  }
}

/// FNV-1a, the same in every run.
private struct StableHash {
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  init(_ bytes: some Sequence<UInt8>) { add(bytes) }

  var value: Int { Int(truncatingIfNeeded: hash) }

  /// A separator keeps two texts apart from one.
  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ 0xFF) &* 0x100_0000_01b3
  }

  mutating func add(_ number: Int) {
    hash = (hash ^ UInt64(bitPattern: Int64(number))) &* 0x100_0000_01b3
  }
}

extension Collection<UInt8> {
  /// Whether it begins with a lower-case ASCII text, ignoring case.
  fileprivate func starts(with text: String) -> Bool {
    starts(with: text.utf8) { $0.lowercasedASCII == $1 }
  }
}

extension UInt8 {
  fileprivate var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
  fileprivate var isLetter: Bool { (0x61...0x7A).contains(lowercasedASCII) }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether a lower-case ASCII text occurs, ignoring case.
  func holds(_ text: StaticString) -> Bool { position(of: text) != nil }

  /// Whether it occurs as a word: a phone can be called Nightwatch.
  fileprivate func holdsWord(_ text: StaticString) -> Bool {
    var from = 0
    while let start = position(of: text, from: from) {
      let end = start + text.utf8CodeUnitCount
      if start == 0 || !self[start - 1].isLetter, end == count || !self[end].isLetter {
        return true
      }
      from = start + 1
    }
    return false
  }

  fileprivate func position(of text: StaticString, from: Int = 0) -> Int? {
    let length = text.utf8CodeUnitCount
    guard count - from >= length else { return nil }
    let wanted = text.utf8Start
    return (from...(count - length)).first { start in
      (0..<length).allSatisfy { self[start + $0].lowercasedASCII == wanted[$0] }
    }
  }
}
