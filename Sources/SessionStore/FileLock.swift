import Glibc

/// A lock on a file that ends with the process that holds it, however it ends.
///
/// `flock` locks belong to the open file, so two holders in one process exclude each other too.
final class FileLock: Sendable {
  private let descriptor: Int32

  /// Nil where another holder has it.
  init?(path: String, shared: Bool = false) throws(StoreError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw StoreError(
        .cannotOpen, file: path, detail: String(cString: strerror(errno)))
    }
    guard flock(descriptor, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }

  /// Makes a shared lock the only one for as long as the work takes; nil where there are others.
  func exclusively<Value>(_ work: () throws -> Value) rethrows -> Value? {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    defer { flock(descriptor, LOCK_SH) }
    return try work()
  }

  /// Replaces what the file says about its holder.
  func write(_ text: String) {
    ftruncate(descriptor, 0)
    let bytes = Array(text.utf8)
    pwrite(descriptor, bytes, bytes.count, 0)
  }

  static func read(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : ""
  }
}
