import Glibc

/// A file lock that ends with its process, however that ends.
///
/// The lock belongs to the open file, so two holders in one process also exclude each other. It
/// switches between shared and exclusive atomically: unlike with `flock`, a failed switch leaves
/// the holder with what it had.
package final class FileLock: Sendable {
  private enum Kind {
    case shared, exclusive
  }

  private let descriptor: Int32

  /// Nil if another holder has it.
  package init?(path: String, shared: Bool = false) throws(StoreError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    // From here on `deinit` closes it, even if this fails.
    guard descriptor >= 0 else {
      throw StoreError(
        .cannotOpen, file: path, detail: String(cString: strerror(errno)))
    }
    guard Self.set(descriptor, shared ? .shared : .exclusive) else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Turns the lock into a shared one.
  func share() { _ = Self.set(descriptor, .shared) }

  /// Makes a shared lock exclusive while the work runs; nil if there are other holders.
  func exclusively<Value>(_ work: () throws -> Value) rethrows -> Value? {
    guard Self.set(descriptor, .exclusive) else { return nil }
    defer { share() }
    return try work()
  }

  private static func set(_ descriptor: Int32, _ kind: Kind) -> Bool {
    var wholeFile = Glibc.flock()
    wholeFile.l_type = Int16(kind == .shared ? F_RDLCK : F_WRLCK)
    wholeFile.l_whence = Int16(SEEK_SET)
    // F_OFD_SETLK, which Swift's Glibc module lacks.
    return fcntl(descriptor, 37, &wholeFile) == 0
  }

  /// Whether the path still names the locked file.
  func isFile(_ path: String) -> Bool {
    var (mine, named) = (stat(), stat())
    return fstat(descriptor, &mine) == 0 && lstat(path, &named) == 0
      && mine.st_dev == named.st_dev && mine.st_ino == named.st_ino
  }

  /// Removes the file while it is locked, so that nobody waits for it in vain.
  func remove(_ path: String) {
    if isFile(path) { unlink(path) }
  }

  /// Replaces the holder's details in the file, if they differ.
  func write(_ text: String) {
    let bytes = Array(text.utf8)
    var before = [UInt8](repeating: 0, count: bytes.count + 1)
    let count = pread(descriptor, &before, before.count, 0)
    if count == bytes.count, before.starts(with: bytes) { return }
    ftruncate(descriptor, 0)
    pwrite(descriptor, bytes, bytes.count, 0)
  }

  static func read(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : ""
  }
}
