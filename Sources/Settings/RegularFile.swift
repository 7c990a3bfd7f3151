public import Glibc

/// Reads a whole regular file. A pipe or a device in its place is rejected, never waited for.
public enum RegularFile {
  public struct Failure: Error, Hashable, Sendable {
    /// Whether the file is missing.
    public let isMissing: Bool
    /// A phrase for after the file's name, such as "is a folder".
    public let reason: String
  }

  /// The largest settings file and the largest file of a pack, in bytes.
  public static let largest = 1024 * 1024

  /// - Parameters:
  ///   - options: Additional `open` flags, such as `O_NOFOLLOW`.
  ///   - objection: Why a file with this status must not be read; nil if it may be.
  public static func bytes(
    _ path: String, limit: Int = largest, options: Int32 = 0,
    objection: (stat) -> String? = { _ in nil }
  ) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | options)
    guard descriptor >= 0 else { throw systemFailure() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw systemFailure() }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw Failure(isMissing: false, reason: "is a folder, not a file")
    default: throw Failure(isMissing: false, reason: "is not a regular file")
    }
    if let objection = objection(status) { throw Failure(isMissing: false, reason: objection) }
    guard status.st_size <= limit else {
      throw Failure(isMissing: false, reason: "is larger than \(limit) bytes")
    }
    return bytes(descriptor, limit: limit)
  }

  /// Reads the rest, a little more than the limit at most.
  public static func bytes(_ descriptor: Int32, limit: Int = largest) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while all.count <= limit {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      all += buffer.prefix(count)
    }
    return all
  }

  private static func systemFailure() -> Failure {
    Failure(
      isMissing: errno == ENOENT || errno == ENOTDIR,
      reason: "can't be read: \(String(cString: strerror(errno)))")
  }
}
