internal import Glibc

/// Where the bytes of an export come from, in order.
protocol ByteSource: AnyObject {
  /// Reads up to so many bytes; 0 at the end.
  func read(into target: UnsafeMutableRawPointer, _ capacity: Int) throws(HealthReadError) -> Int
  /// Bytes of the file taken so far, as they lie on the disk.
  var taken: Int { get }
}

/// An open file, closed with the last reference to it.
final class OpenFile {
  let path: String
  let descriptor: Int32
  let size: Int
  let isRegular: Bool
  let isFolder: Bool

  init(_ path: String) throws(HealthReadError) {
    self.path = path
    // A pipe that nobody writes to yet must not hold up whoever wants to stop.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw HealthReadError(path, .cannotOpen(String(cString: strerror(errno))))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      close(descriptor)
      throw HealthReadError(path, .cannotOpen(String(cString: strerror(errno))))
    }
    size = Int(status.st_size)
    isRegular = status.st_mode & S_IFMT == S_IFREG
    isFolder = status.st_mode & S_IFMT == S_IFDIR
  }

  deinit { close(descriptor) }

  /// Waits a moment for bytes or the end of a pipe; false where neither came.
  func isReady() -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, Self.patience) != 0
  }

  /// In milliseconds, between two looks at whether to go on.
  private static let patience: Int32 = 100

  /// Without opening it; nil where there is nothing of that name.
  static func isRegular(_ path: String) -> Bool? { kind(path).map { $0 == S_IFREG } }

  /// Whoever writes to a named pipe notices when it is opened and closed again.
  static func isNamedPipe(_ path: String) -> Bool { kind(path) == S_IFIFO }

  private static func kind(_ path: String) -> mode_t? {
    var status = Glibc.stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Reads from a place in the file; 0 at the end.
  func read(
    into target: UnsafeMutableRawPointer, _ capacity: Int, at offset: Int
  ) throws(HealthReadError) -> Int {
    while true {
      let count = pread(descriptor, target, capacity, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw failure }
    }
  }

  /// Reads what a pipe holds; 0 at its end, nil where there is nothing yet.
  func readNext(
    into target: UnsafeMutableRawPointer, _ capacity: Int
  ) throws(HealthReadError) -> Int? {
    let count = Glibc.read(descriptor, target, capacity)
    if count >= 0 { return count }
    if errno != EAGAIN, errno != EINTR { throw failure }
    return nil
  }

  private var failure: HealthReadError {
    HealthReadError(path, .cannotOpen(String(cString: strerror(errno))))
  }

  /// So many bytes from a place, or fewer where the file ends.
  func bytes(at offset: Int, _ count: Int) throws(HealthReadError) -> [UInt8] {
    guard offset >= 0, count > 0 else { return [] }
    let place = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
    defer { place.deallocate() }
    var filled = 0
    while filled < count {
      let more = try read(into: place + filled, count - filled, at: offset + filled)
      if more == 0 { break }
      filled += more
    }
    return Array(UnsafeRawBufferPointer(start: place, count: filled))
  }
}

/// A file from its beginning, or a pipe.
final class PlainSource: ByteSource {
  private let file: OpenFile
  private let progress: HealthReadProgress
  private(set) var taken = 0

  init(_ file: OpenFile, _ progress: HealthReadProgress) {
    (self.file, self.progress) = (file, progress)
  }

  func read(into target: UnsafeMutableRawPointer, _ capacity: Int) throws(HealthReadError) -> Int {
    let count =
      try file.isRegular
      ? file.read(into: target, capacity, at: taken) : wait(into: target, capacity)
    taken += count
    return count
  }

  private func wait(
    into target: UnsafeMutableRawPointer, _ capacity: Int
  ) throws(HealthReadError) -> Int {
    while !progress.isCancelled {
      if file.isReady(), let count = try file.readNext(into: target, capacity) { return count }
    }
    throw HealthReadError(file.path, .cancelled)
  }
}

/// A source cut into pieces of given sizes, over and over: the same bytes in another rhythm.
final class PiecewiseSource: ByteSource {
  private let source: any ByteSource
  private let sizes: [Int]
  private var next = 0
  var taken: Int { source.taken }

  init(_ source: any ByteSource, sizes: [Int]) { (self.source, self.sizes) = (source, sizes) }

  func read(into target: UnsafeMutableRawPointer, _ capacity: Int) throws(HealthReadError) -> Int {
    next = (next + 1) % sizes.count
    return try source.read(into: target, min(capacity, max(1, sizes[next])))
  }
}

/// Bytes that are there already.
final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  private(set) var taken = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(into target: UnsafeMutableRawPointer, _ capacity: Int) -> Int {
    let count = min(capacity, bytes.count - taken)
    bytes.withUnsafeBytes { all in
      if count > 0, let start = all.baseAddress {
        target.copyMemory(from: start + taken, byteCount: count)
      }
    }
    taken += count
    return count
  }
}
