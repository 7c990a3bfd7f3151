import Glibc
import ModelScoring
import Startup

/// The records file of a resumed run: which ids are finished, and where new records go.
final class ResumedOutput {
  let descriptor: Int32
  let finished: FinishedRecords

  /// Opens or creates the file. Removes a last line that was cut off.
  ///
  /// - Throws: ``CommandFailure`` if it contains anything but records, another run is writing it,
  ///   or it is one of the inputs.
  ///
  /// - Parameter cascade: Whether the records are those of a cascade.
  init(_ path: String, inputs: [String], cascade: Bool = false) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.refusal(path, Self.lastError) }
    self.descriptor = descriptor
    do {
      try Self.refuseInput(path, descriptor, inputs)
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        throw Self.refusal(path, "another run is writing it")
      }
      let (finished, whole) = try Self.read(descriptor, path, cascade)
      guard ftruncate(descriptor, off_t(whole)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
        throw Self.refusal(path, Self.lastError)
      }
      self.finished = finished
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  /// The finished ids in a file that is only read; empty if the file is missing.
  static func finished(in path: String, cascade: Bool = false) throws -> FinishedRecords {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return FinishedRecords() }
      throw refusal(path, lastError)
    }
    defer { close(descriptor) }
    return try read(descriptor, path, cascade).finished
  }

  /// - Returns: The records, and how many bytes their lines take. An unterminated line does not
  ///   count.
  private static func read(
    _ descriptor: Int32, _ path: String, _ cascade: Bool
  ) throws -> (finished: FinishedRecords, whole: Int) {
    var finished = FinishedRecords(cascade: cascade)
    var rest: [UInt8] = []
    var (whole, number) = (0, 0)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw refusal(path, lastError) }
      if count == 0 { break }
      for piece in buffer[..<count].split(
        separator: 0x0A, omittingEmptySubsequences: false
      ).enumerated() {
        if piece.offset > 0 {
          number += 1
          guard finished.take(rest) else { throw foreign(path, number, cascade) }
          whole += rest.count + 1
          rest = []
        }
        rest += piece.element
      }
    }
    // Cut away only what is the start of a record.
    guard rest.starts(with: #"{"id":"#.utf8.prefix(rest.count)) else {
      throw foreign(path, number + 1, cascade)
    }
    return (finished, whole)
  }

  /// A run must not read its own output.
  private static func refuseInput(
    _ path: String, _ descriptor: Int32, _ inputs: [String]
  ) throws {
    var output = stat()
    fstat(descriptor, &output)
    guard output.st_mode & S_IFMT == S_IFREG else { throw refusal(path, "is not a regular file") }
    let own = FileIdentity(descriptor: descriptor)
    if inputs.contains(where: { FileIdentity.ofInput($0) == own }) {
      throw CommandFailure(
        .usage, "\(path) is one of the inputs; write the scores to a separate file.")
    }
  }

  private static var lastError: String { String(cString: strerror(errno)) }

  private static func refusal(_ path: String, _ reason: String) -> CommandFailure {
    CommandFailure(.cannotWrite, "\(path): \(reason).")
  }

  private static func foreign(_ path: String, _ line: Int, _ cascade: Bool) -> CommandFailure {
    let origin =
      cascade ? "a cascade with a model" : "`rapport score --scorer model`"
    return CommandFailure(
      .badData, "\(path):\(line): not a record from \(origin), so I left the file alone.")
  }
}
