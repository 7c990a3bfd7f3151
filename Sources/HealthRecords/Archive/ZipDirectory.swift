/// The location of a file in an archive.
struct ZipEntry: Hashable, Sendable {
  var name: String
  /// 0 stored, 8 deflated.
  var method: Int
  var isEncrypted: Bool
  var checksum: UInt32
  var packedSize: Int
  var size: Int
  /// The offset of the local header in the file.
  var offset: Int
}

/// The table of contents at the end of a ZIP archive (PKWARE's APPNOTE 6.3.10), including zip64.
enum ZipDirectory {
  /// The largest accepted table of contents; a real one needs a few kilobytes per workout route.
  static let longest = 8 << 20

  static func entries(of file: OpenFile) throws(HealthReadError) -> [ZipEntry] {
    let end = try endRecord(of: file)
    guard end.size <= longest, end.size >= 0, end.offset >= 0 else {
      throw broken(file, "its table of contents is too long")
    }
    let table = try file.bytes(at: end.offset, end.size)
    guard table.count == end.size else { throw broken(file, "its table of contents is cut off") }
    var entries: [ZipEntry] = []
    var at = 0
    while table.has(0x0201_4B50, at: at) {
      guard var entry = entry(table, at), let length = length(table, at) else {
        throw broken(file, "its table of contents can't be read")
      }
      entry.offset += end.shift
      entries.append(entry)
      at += length
    }
    return entries
  }

  private static func broken(_ file: OpenFile, _ what: String) -> HealthReadError {
    HealthReadError(file.path, .damagedArchive(what))
  }

  /// - Returns: The table's location, and how far everything is shifted from where it claims to be.
  private static func endRecord(
    of file: OpenFile
  ) throws(HealthReadError) -> (offset: Int, size: Int, shift: Int) {
    // The record is followed by a comment of up to 65,535 bytes.
    let start = max(0, file.size - 22 - 65_535)
    let tail = try file.bytes(at: start, file.size - start)
    var at = tail.count - 22
    while at >= 0, !tail.has(0x0605_4B50, at: at) || at + 22 + tail.short(at + 20) > tail.count {
      at -= 1
    }
    guard at >= 0 else { throw broken(file, "it has no end; was it copied completely?") }
    let (size, offset) = (tail.long(at + 12), tail.long(at + 16))
    if at >= 20, tail.has(0x0706_4B50, at: at - 20) {
      return try largeEndRecord(of: file, at: tail.quad(at - 20 + 8))
    }
    return (start + at - size, size, start + at - size - offset)
  }

  private static func largeEndRecord(
    of file: OpenFile, at offset: Int
  ) throws(HealthReadError) -> (offset: Int, size: Int, shift: Int) {
    let record = try file.bytes(at: offset, 56)
    guard record.count == 56, record.has(0x0606_4B50, at: 0) else {
      throw broken(file, "its zip64 end record is missing")
    }
    return (record.quad(48), record.quad(40), 0)
  }

  private static func length(_ table: [UInt8], _ at: Int) -> Int? {
    guard at + 46 <= table.count else { return nil }
    let length = 46 + table.short(at + 28) + table.short(at + 30) + table.short(at + 32)
    return at + length <= table.count ? length : nil
  }

  private static func entry(_ table: [UInt8], _ at: Int) -> ZipEntry? {
    guard length(table, at) != nil else { return nil }
    let (nameLength, extraLength) = (table.short(at + 28), table.short(at + 30))
    let name = table[(at + 46)..<(at + 46 + nameLength)]
    var entry = ZipEntry(
      name: String(decoding: name, as: UTF8.self), method: table.short(at + 10),
      isEncrypted: table.short(at + 8) & 1 != 0, checksum: UInt32(table.long(at + 16)),
      packedSize: table.long(at + 20), size: table.long(at + 24), offset: table.long(at + 42))
    readLargeSizes(table, (at + 46 + nameLength)..<(at + 46 + nameLength + extraLength), &entry)
    return entry
  }

  /// Sizes of 4 GiB and more are in an extra field, in this order, each present only if needed.
  private static func readLargeSizes(_ table: [UInt8], _ extra: Range<Int>, _ entry: inout ZipEntry)
  {
    var at = extra.lowerBound
    while at + 4 <= extra.upperBound {
      let (kind, size) = (table.short(at), table.short(at + 2))
      let end = min(at + 4 + size, extra.upperBound)
      var field = at + 4
      func next() -> Int? {
        defer { field += 8 }
        return field + 8 <= end ? table.quad(field) : nil
      }
      if kind == 1 {
        if entry.size == 0xFFFF_FFFF { entry.size = next() ?? entry.size }
        if entry.packedSize == 0xFFFF_FFFF { entry.packedSize = next() ?? entry.packedSize }
        if entry.offset == 0xFFFF_FFFF { entry.offset = next() ?? entry.offset }
      }
      at = end
    }
  }
}

extension [UInt8] {
  func has(_ signature: Int, at offset: Int) -> Bool {
    offset >= 0 && offset + 4 <= count && long(offset) == signature
  }

  func short(_ at: Int) -> Int { Int(self[at]) | Int(self[at + 1]) << 8 }
  func long(_ at: Int) -> Int { short(at) | short(at + 2) << 16 }
  /// An invalid size becomes -1.
  func quad(_ at: Int) -> Int {
    let value = UInt64(long(at)) | UInt64(long(at + 4)) << 32
    return Int(exactly: value) ?? -1
  }
}
