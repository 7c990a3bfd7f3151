import BatchScoring
import Commands
import FoundationEssentials
import Glibc
import Startup
import Terminal

/// Sends records to standard output, errors to standard error or a file, and progress to a
/// terminal.
struct ScoreOutput: BatchSink {
  private let records: Int32
  private let errorsFile: Int32?
  private let reportsInline: Bool
  private let writesLate: Bool
  private let progressLine: ProgressLine
  private let canTruncate: Bool
  /// Columns to wrap errors to; nil if they do not go to a terminal.
  private let width: Int?
  private var warnings = 0
  /// Errors that are reported but not written yet.
  private var reports: [UInt8] = []
  private var badLines = BadLines()
  private static let mostWarnings = 20

  /// - Parameters:
  ///   - records: Where the records go.
  ///   - writesLate: Whether all records are written at the end.
  ///   - inputs: Files that must not be overwritten.
  ///   - things: What the progress counts.
  init(
    records: Int32 = 1, writesLate: Bool = false, errorsFile path: String?, reportsInline: Bool,
    inputs: [String], counting things: String = "conversations"
  ) throws {
    (self.records, self.writesLate) = (records, writesLate)
    progressLine = ProgressLine(
      .things(things), environment: ProcessInfo.processInfo.environment,
      isWanted: writesLate || isatty(records) == 0)
    width =
      path == nil && isatty(2) != 0
      ? TerminalSize.current(of: 2, environment: ProcessInfo.processInfo.environment).columns : nil
    var status = stat()
    canTruncate = fstat(records, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    self.reportsInline = reportsInline
    errorsFile = try path.map { path in
      let taken = inputs.map(FileIdentity.ofInput) + [FileIdentity(descriptor: records)]
      if let own = FileIdentity(path: path), taken.contains(own) {
        throw CommandFailure(
          .usage, "\(path) is already in use; write the errors to a separate file.")
      }
      let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else {
        throw CommandFailure(.cannotWrite, "\(path): \(String(cString: strerror(errno)))")
      }
      return descriptor
    }
  }

  mutating func write(_ records: UnsafeRawBufferPointer) throws {
    if writesLate { progressLine.clear() }
    // Something in this file is fine, so its errors needn't wait for its end.
    if !badLines.held.isEmpty { try writeHeld() }
    let (written, error) = writeAll(records, to: self.records)
    if let error { throw failure(records, written, error) }
  }

  /// A reader that has seen enough is not an error. A full disk is, and what was written stays
  /// whole.
  private func failure(_ records: UnsafeRawBufferPointer, _ written: Int, _ code: Int32)
    -> any Error
  {
    if code == EPIPE { return ExitStatus.fine.exit }
    if canTruncate {
      let whole = records[..<written].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      let end = lseek(self.records, 0, SEEK_CUR)
      if end >= 0 { _ = ftruncate(self.records, end - off_t(written - whole)) }
    }
    return CommandFailure(
      .cannotWrite, "I couldn't write the scores: \(String(cString: strerror(code))).")
  }

  func write(_ text: String) throws {
    var output = self
    try Array(text.utf8).withUnsafeBytes { try output.write($0) }
  }

  mutating func report(_ problem: LineProblem) throws {
    if reportsInline, !problem.isWarning, errorsFile == nil { return }
    if problem.isWarning {
      warnings += 1
      if warnings > Self.mostWarnings { return }
    } else if errorsFile == nil, problem.line > 0 {
      if problem.file != badLines.file { try endBadLines() }
      return badLines.add(problem)
    }
    try put(problem.description)
  }

  /// A file without a single readable line is the wrong file, and its first error says why.
  mutating func endFile(conversations: Int) throws {
    if conversations == 0, badLines.count > 1, badLines.count == badLines.waiting {
      badLines.keepFirst(" (no line of this file can be read)")
    }
    try endBadLines()
  }

  /// Writes what is left to say about a file's bad lines.
  private mutating func endBadLines() throws {
    try writeHeld()
    if let rest = badLines.rest { try put(rest) }
    badLines = BadLines()
    try flush()
  }

  private mutating func writeHeld() throws {
    for text in badLines.takeHeld() { try put(text) }
    try flush()
  }

  private mutating func put(_ text: String) throws {
    reports += (errorsFile == nil ? wrapped(ShownText.of(text)) : text).utf8
    reports.append(0x0A)
    if reports.count > 1 << 16 { try flush() }
  }

  mutating func flush() throws {
    defer { reports.removeAll(keepingCapacity: true) }
    guard !reports.isEmpty else { return }
    progressLine.clear()
    // Nobody sees it if standard error is closed.
    let error = reports.withUnsafeBytes { writeAll($0, to: errorsFile ?? 2).error }
    if let error, errorsFile != nil {
      throw CommandFailure(
        .cannotWrite, "I couldn't write the errors: \(String(cString: strerror(error))).")
    }
  }

  /// Writes a line to standard error, without terminal escapes.
  func note(_ text: String) {
    progressLine.clear()
    let line = Array((wrapped(ShownText.of(text)) + "\n").utf8)
    _ = Glibc.write(2, line, line.count)
  }

  private func wrapped(_ text: String) -> String {
    var reply = ReplyText(width: width)
    return reply.feed(text) + reply.finish()
  }

  mutating func progress(_ progress: BatchProgress) {
    let share = progress.bytesInAll.flatMap { all in
      all > 0 ? Double(progress.bytesRead) / Double(all) : nil
    }
    progressLine.show(.init(count: progress.conversations, share: share))
  }

  mutating func finish() throws {
    progressLine.clear()
    try endBadLines()
    if warnings > Self.mostWarnings {
      note("… and \(warnings - Self.mostWarnings) more warnings of this kind.")
    }
    if let errorsFile { close(errorsFile) }
  }
}

/// The bad lines of one file: the first few are shown, the rest counted.
private struct BadLines {
  private static let mostShown = 3

  private(set) var file: String?
  private(set) var count = 0
  /// What is shown, but not yet.
  private(set) var held: [String] = []
  private var shown = 0
  private var last = 0

  /// How many errors nobody has seen anything of.
  var waiting: Int { shown == 0 ? count : 0 }

  mutating func add(_ problem: LineProblem) {
    (file, last) = (problem.file, problem.line)
    count += 1
    if count <= Self.mostShown { held.append(problem.description) }
  }

  mutating func keepFirst(_ addition: String) {
    held = held.prefix(1).map { $0 + addition }
    count = held.count
  }

  mutating func takeHeld() -> [String] {
    defer { (shown, held) = (shown + held.count, []) }
    return held
  }

  /// One line for those that are not shown.
  var rest: String? {
    guard let file, count > Self.mostShown else { return nil }
    let more = count - Self.mostShown
    return more == 1
      ? "\(file):\(last): 1 more line has an error"
      : "\(file): \(more) more lines have errors, up to line \(last); --errors FILE keeps all of them"
  }
}

/// Writes all bytes, whatever interrupts it.
///
/// - Returns: How many were written, and why not all of them.
func writeAll(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
) -> (written: Int, error: Int32?) {
  var written = 0
  while written < bytes.count {
    let count = write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
    if count < 0, errno != EINTR { return (written, errno) }
    written += max(0, count)
  }
  return (written, nil)
}
