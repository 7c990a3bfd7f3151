import FoundationEssentials
import Glibc

/// The file that a recording goes to. After any failure, it holds one whole cassette or its
/// previous content.
public struct CassetteFile: Sendable {
  /// Why the file cannot be written.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
      /// A file exists that must not be replaced.
      case taken
      case cannotWrite
    }
    public var code: Code
    public var description: String
  }

  /// The resolved path: a link's target is replaced, not the link.
  public let path: String
  private let folder: String

  /// Checks that the file can be written before the conversation starts.
  ///
  /// - Parameter overwrites: Whether an existing file may be replaced.
  public init(path given: String, overwrites: Bool) throws(Failure) {
    path = Self.resolved(given)
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let parent = parts.dropLast().joined(separator: "/")
    folder = parts.count == 1 ? "." : parent.isEmpty ? "/" : parent
    guard !given.isEmpty, parts.last?.isEmpty == false else {
      throw Failure(code: .cannotWrite, description: "\(given) is not the name of a file")
    }
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw Failure(code: .cannotWrite, description: "\(given) is there and is not a file")
      }
      guard overwrites else {
        throw Failure(code: .taken, description: "\(given) is there already")
      }
    }
    let (probe, descriptor) = try makeTemporary()
    Glibc.close(descriptor)
    unlink(probe)
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Replaces the file with the cassette, once its data is on disk.
  public func write(_ cassette: Cassette) throws(Failure) {
    let (temporary, descriptor) = try makeTemporary()
    let isWritten = Self.write(Array(cassette.text.utf8), to: descriptor) && fsync(descriptor) == 0
    var reason = errno
    let isClosed = Glibc.close(descriptor) == 0
    if isWritten, isClosed, rename(temporary, path) == 0 {
      Self.sync(folder)
      return
    }
    if isWritten { reason = errno }
    unlink(temporary)
    throw failure(reason)
  }

  /// Removes the file, as when the conversation is to be forgotten.
  public func remove() throws(Failure) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure(errno) }
  }

  /// Each writer gets a unique name; it is hidden, so it is not taken for a cassette.
  private func makeTemporary() throws(Failure) -> (path: String, descriptor: Int32) {
    let name = path.split(separator: "/").last ?? "cassette"
    var template = Array("\(folder)/.\(name.prefix(100)).XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw failure(errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
    return (String(decoding: bytes, as: UTF8.self), descriptor)
  }

  private func failure(_ reason: Int32) -> Failure {
    Failure(
      code: .cannotWrite,
      description: "\(path) cannot be written: \(String(cString: strerror(reason)))")
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Makes the rename survive a power cut; otherwise the old file could return, whole.
  private static func sync(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    Glibc.close(descriptor)
  }
}
