import CZlib
import Glibc

/// Why an input is unreadable, with its name.
public struct InputError: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  public let reason: String
  public var description: String { "\(file): \(reason)" }
}

/// The bytes of a file or of standard input, unpacked if they start as gzip.
struct InputFile: ~Copyable {
  let name: String
  private let descriptor: Int32
  private let openingError: String?
  private var inflater: Inflater?
  /// The first bytes, which identify the format.
  private var head: [UInt8] = []
  private var hasHead = false
  /// Bytes read from the file, before unpacking.
  private(set) var bytesRead = 0

  /// A file that cannot be opened reports it on the first read.
  init(_ path: String) {
    name = path == "-" ? "standard input" : path
    descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    openingError = descriptor < 0 ? Self.lastError : nil
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  static var lastError: String { String(cString: strerror(errno)) }

  /// Whether a read would return at once; true if unknown.
  var isReady: Bool {
    if descriptor < 0 || !head.isEmpty || inflater?.needsInput == false { return true }
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&poller, 1, 0) != 0
  }

  /// Reads at most this many bytes; 0 at the end.
  mutating func read(
    into target: UnsafeMutableRawPointer, _ capacity: Int
  ) throws(InputError) -> Int {
    if !hasHead { try readHead() }
    if inflater != nil { return try readPacked(target, capacity) }
    guard head.isEmpty else { return takeHead(target, capacity) }
    return try readPlain(target, capacity)
  }

  private mutating func readHead() throws(InputError) {
    if let openingError { throw InputError(file: name, reason: openingError) }
    let place = UnsafeMutableRawPointer.allocate(byteCount: 2, alignment: 1)
    defer { place.deallocate() }
    while head.count < 2 {
      let count = try readPlain(place, 2 - head.count)
      if count == 0 { break }
      head += UnsafeRawBufferPointer(start: place, count: count)
    }
    hasHead = true
    guard head == [0x1F, 0x8B] else { return }
    inflater = Inflater(startingWith: head)
    head = []
  }

  private mutating func takeHead(_ target: UnsafeMutableRawPointer, _ capacity: Int) -> Int {
    let count = min(head.count, capacity)
    target.copyMemory(from: head, byteCount: count)
    head.removeFirst(count)
    return count
  }

  private mutating func readPlain(
    _ target: UnsafeMutableRawPointer, _ capacity: Int
  ) throws(InputError) -> Int {
    while true {
      let count = Glibc.read(descriptor, target, capacity)
      if count >= 0 {
        bytesRead += count
        return count
      }
      if errno != EINTR { throw InputError(file: name, reason: Self.lastError) }
    }
  }

  private mutating func readPacked(
    _ target: UnsafeMutableRawPointer, _ capacity: Int
  ) throws(InputError) -> Int {
    while true {
      if inflater?.needsInput == true {
        guard let place = inflater?.inputPlace else { return 0 }
        let count = try readPlain(place.start, place.capacity)
        inflater?.didRead(count)
      }
      guard let step = inflater?.inflate(into: target, capacity) else { return 0 }
      switch step {
      case .bytes(let count): return count
      case .more: continue
      case .end: return 0
      case .broken(let reason): throw InputError(file: name, reason: reason)
      }
    }
  }
}

/// Unpacks gzip, one member after another.
final class Inflater {
  enum Step {
    case bytes(Int)
    case more, end
    case broken(String)
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutablePointer<UInt8>
  private static let capacity = 1 << 17
  private var hasEnded = false
  private var isBetweenMembers = true

  init(startingWith head: [UInt8]) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    input = .allocate(capacity: Self.capacity)
    // 15 bits of window, and 16 for a gzip header.
    inflateInit2_(stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    input.update(from: head, count: head.count)
    didRead(head.count)
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    input.deallocate()
  }

  var needsInput: Bool { stream.pointee.avail_in == 0 && !hasEnded }
  var inputPlace: (start: UnsafeMutableRawPointer, capacity: Int) {
    (UnsafeMutableRawPointer(input), Self.capacity)
  }

  func didRead(_ count: Int) {
    stream.pointee.next_in = input
    stream.pointee.avail_in = UInt32(count)
    if count == 0 { hasEnded = true }
  }

  func inflate(into target: UnsafeMutableRawPointer, _ capacity: Int) -> Step {
    if isBetweenMembers { skipPadding() }
    if isBetweenMembers, stream.pointee.avail_in == 0 { return hasEnded ? .end : .more }
    stream.pointee.next_out = target.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(min(capacity, Int(Int32.max)))
    let room = Int(stream.pointee.avail_out)
    isBetweenMembers = false
    let status = CZlib.inflate(stream, Z_NO_FLUSH)
    let written = room - Int(stream.pointee.avail_out)
    if status == Z_STREAM_END {
      isBetweenMembers = true
      inflateReset(stream)
    }
    // Keep the output from before the damage; the next call meets the damage again.
    if written > 0 { return .bytes(written) }
    switch status {
    case Z_STREAM_END, Z_OK: return .more
    case Z_BUF_ERROR: return hasEnded ? .broken("ends in the middle of its gzip data") : .more
    default: return .broken("damaged gzip data")
    }
  }

  /// Tapes and block devices pad the last block with zeros.
  private func skipPadding() {
    while stream.pointee.avail_in > 0, let next = stream.pointee.next_in, next.pointee == 0 {
      stream.pointee.next_in = next + 1
      stream.pointee.avail_in -= 1
    }
  }
}
