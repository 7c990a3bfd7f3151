internal import CZlib
internal import Glibc

/// One file of an archive, unpacked while it is read and never written to disk.
final class ZipSource: ByteSource {
  /// Real exports shrink to between a tenth and a fortieth of their size; beyond this it is a zip
  /// bomb.
  static let mostUnpackedPerByte = 400
  /// Check the ratio from here on.
  static let freeBytes = 64 << 20
  /// The largest export to unpack.
  static let mostUnpacked = 64 << 30

  private let file: OpenFile
  private let entry: ZipEntry
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutableRawPointer
  private static let inputSize = 256 << 10
  private let start: Int
  private(set) var taken = 0
  private var given = 0
  private var checksum: UInt = 0
  private var hasEnded = false

  init(_ file: OpenFile, _ entry: ZipEntry) throws(HealthReadError) {
    let header = try file.bytes(at: entry.offset, 30)
    guard header.count == 30, header.has(0x0403_4B50, at: 0) else {
      throw HealthReadError(file.path, .damagedArchive("the export is not where it should be"))
    }
    if entry.isEncrypted { throw HealthReadError(file.path, .encrypted) }
    guard entry.method == 0 || entry.method == 8 else {
      throw HealthReadError(file.path, .packing(method: entry.method))
    }
    guard entry.size >= 0, entry.packedSize >= 0, entry.size <= Self.mostUnpacked else {
      throw HealthReadError(file.path, .tooLarge("the export is larger than 64 GiB"))
    }
    (self.file, self.entry) = (file, entry)
    start = entry.offset + 30 + header.short(26) + header.short(28)
    input = .allocate(byteCount: Self.inputSize, alignment: 16)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A raw deflate stream without zlib's header: 15 bits of window, negative.
    inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    input.deallocate()
  }

  func read(into target: UnsafeMutableRawPointer, _ capacity: Int) throws(HealthReadError) -> Int {
    if hasEnded { return 0 }
    let count =
      entry.method == 0 ? try copy(into: target, capacity) : try inflate(into: target, capacity)
    if count == 0 {
      try finish()
    } else {
      checksum = crc32_z(checksum, target.assumingMemoryBound(to: UInt8.self), count)
      given += count
      try checkLimits()
    }
    return count
  }

  private func copy(
    into target: UnsafeMutableRawPointer, _ capacity: Int
  ) throws(HealthReadError) -> Int {
    let wanted = min(capacity, entry.packedSize - taken)
    guard wanted > 0 else { return 0 }
    let count = try file.read(into: target, wanted, at: start + taken)
    taken += count
    return count
  }

  private func inflate(
    into target: UnsafeMutableRawPointer, _ capacity: Int
  ) throws(HealthReadError) -> Int {
    stream.pointee.next_out = target.assumingMemoryBound(to: UInt8.self)
    let room = min(capacity, Int(Int32.max))
    stream.pointee.avail_out = UInt32(room)
    while stream.pointee.avail_out == UInt32(room) {
      if stream.pointee.avail_in == 0 { try refill() }
      let status = CZlib.inflate(stream, Z_NO_FLUSH)
      if status == Z_STREAM_END { break }
      guard status == Z_OK || status == Z_BUF_ERROR && stream.pointee.avail_in == 0 else {
        throw damaged("its compressed data is invalid")
      }
      if taken == entry.packedSize, stream.pointee.avail_in == 0,
        stream.pointee.avail_out == UInt32(room)
      {
        throw damaged("it ends in the middle")
      }
    }
    return room - Int(stream.pointee.avail_out)
  }

  private func refill() throws(HealthReadError) {
    let wanted = min(Self.inputSize, entry.packedSize - taken)
    guard wanted > 0 else { return }
    let count = try file.read(into: input, wanted, at: start + taken)
    guard count > 0 else { throw damaged("it ends in the middle") }
    taken += count
    stream.pointee.next_in = input.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(count)
  }

  private func checkLimits() throws(HealthReadError) {
    guard given <= entry.size else { throw damaged("it holds more than it says") }
    if given > Self.freeBytes, given / Self.mostUnpackedPerByte > entry.packedSize {
      throw HealthReadError(
        file.path, .tooLarge("it unpacks to more than \(Self.mostUnpackedPerByte) times its size"))
    }
  }

  private func finish() throws(HealthReadError) {
    hasEnded = true
    guard given == entry.size, UInt32(truncatingIfNeeded: checksum) == entry.checksum else {
      throw damaged("its checksum is wrong")
    }
  }

  private func damaged(_ what: String) -> HealthReadError {
    HealthReadError(file.path, .damagedArchive(what))
  }
}
