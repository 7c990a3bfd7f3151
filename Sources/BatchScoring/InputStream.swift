import CZlib
import Glibc

/// Why an input cannot be read, with its name.
public struct InputError: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  public let reason: String
  public var description: String { "\(file): \(reason)" }
}

/// A file's bytes, or standard input's, unpacked where they are gzip.
struct InputFile: ~Copyable {
  let name: String
  /// Bytes in the file; nil where that is not known beforehand.
  let size: Int?
  private let descriptor: Int32
  private var inflater: Inflater?
  private(set) var bytesRead = 0

  init(_ path: String) throws(InputError) {
    name = path == "-" ? "standard input" : path
    descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw InputError(file: path, reason: Self.lastError) }
    var status = stat()
    fstat(descriptor, &status)
    if status.st_mode & S_IFMT == S_IFDIR {
      throw InputError(file: path, reason: "is a folder that was no folder before")
    }
    let isGzip = path.hasSuffix(".gz")
    size = status.st_mode & S_IFMT == S_IFREG && !isGzip ? Int(status.st_size) : nil
    inflater = isGzip ? Inflater() : nil
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  static var lastError: String { String(cString: strerror(errno)) }

  /// Whether a read would return at once; unknown counts as yes.
  var isReady: Bool {
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&poller, 1, 0) != 0
  }

  /// Reads up to so many bytes; 0 at the end.
  mutating func read(
    into target: UnsafeMutableRawPointer, _ capacity: Int
  ) throws(InputError) -> Int {
    if inflater != nil { return try readPacked(target, capacity) }
    return try readPlain(target, capacity)
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

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    input = .allocate(capacity: Self.capacity)
    // 15 bits of window, and 16 for a gzip header.
    inflateInit2_(stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
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
    if hasEnded, stream.pointee.avail_in == 0 {
      return isBetweenMembers ? .end : .broken("ends in the middle of its gzip data")
    }
    stream.pointee.next_out = target.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(min(capacity, Int(Int32.max)))
    let room = Int(stream.pointee.avail_out)
    isBetweenMembers = false
    let status = CZlib.inflate(stream, Z_NO_FLUSH)
    let written = room - Int(stream.pointee.avail_out)
    if status == Z_STREAM_END {
      isBetweenMembers = true
      inflateReset(stream)
    } else if status != Z_OK && status != Z_BUF_ERROR {
      return .broken("is not gzip, or damaged")
    }
    return written > 0 ? .bytes(written) : .more
  }
}
