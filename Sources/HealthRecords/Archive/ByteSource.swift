internal import Glibc

/// The source of an export's bytes, in order.
protocol ByteSource: AnyObject {
  /// Reads at most this many bytes; 0 at the end.
  func read(into target: UnsafeMutableRawPointer, _ capacity: Int) throws(HealthReadError) -> Int
  /// Bytes of the file read so far, before unpacking.
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
    // Don't block on a pipe without a writer: the reading must stay cancellable.
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

  /// Waits briefly for bytes or the end of a pipe; false if neither came.
  func isReady() -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, Self.patience) != 0
  }

  /// Milliseconds between two checks for cancellation.
  private static let patience: Int32 = 100

  /// Without opening it; nil if it is missing.
  static func isRegular(_ path: String) -> Bool? { kind(path).map { $0 == S_IFREG } }

  /// A named pipe's writer would notice if it were opened and closed again.
  static func isNamedPipe(_ path: String) -> Bool { kind(path) == S_IFIFO }

  private static func kind(_ path: String) -> mode_t? {
    var status = Glibc.stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Reads from an offset in the file; 0 at the end.
  func read(
    into target: UnsafeMutableRawPointer, _ capacity: Int, at offset: Int
  ) throws(HealthReadError) -> Int {
    while true {
      let count = pread(descriptor, target, capacity, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw failure }
    }
  }

  /// Reads what a pipe contains; 0 at the end, nil if nothing is available yet.
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

  /// This many bytes from an offset, or fewer at the end of the file.
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

/// A file from its start, or a pipe.
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
