import Foundation
import Glibc
import TestSupport

/// The built program, run as its users run it.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()
  private var pending: [UInt8] = []
  private var fall: Fall?

  /// When a process is killed, as by a power cut: the scheduler's turns after a line of its output.
  struct Fall {
    var lines: Int
    var turns: Int

    /// - Parameter lines: How many lines the process writes if it lives.
    init(within lines: Int, using random: inout SeededGenerator) {
      self.lines = Int.random(in: 0...lines, using: &random)
      turns = Int.random(in: 0...2_000, using: &random)
    }
  }

  var pid: pid_t { process.processIdentifier }

  /// Where the build put the program: beside the tests.
  static let program: URL = {
    let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appending(path: "rapport")
  }()

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameters:
  ///   - environment: The whole environment; nothing is inherited.
  ///   - shell: What a shell is to do with `"$0" "$@"`, the program and its arguments.
  init(
    _ arguments: [String], environment: [String: String], folder: String = "/",
    shell: String? = nil
  ) throws {
    signal(SIGPIPE, SIG_IGN)
    if let shell {
      process.executableURL = URL(filePath: "/bin/bash")
      process.arguments = ["-c", shell, Self.program.path] + arguments
    } else {
      process.executableURL = Self.program
      process.arguments = arguments
    }
    process.environment = environment
    process.currentDirectoryURL = URL(filePath: folder)
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  deinit {
    if process.isRunning { kill(pid, SIGKILL) }
    process.waitUntilExit()
  }

  /// False where the child no longer reads.
  @discardableResult
  func write(_ text: String) -> Bool {
    Self.write(Array(text.utf8), to: input.fileHandleForWriting.fileDescriptor)
  }

  /// Writes everything and ends the input, while this side goes on.
  func writeAside(_ bytes: [UInt8]) {
    let descriptor = dup(input.fileHandleForWriting.fileDescriptor)
    closeInput()
    Thread.detachNewThread {
      Self.write(bytes, to: descriptor)
      close(descriptor)
    }
  }

  @discardableResult
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Kills the process once so many more lines have been read, whatever it does by then.
  func die(_ fall: Fall) {
    self.fall = fall
    if fall.lines == 0 { dieNow() }
  }

  private func dieNow() {
    for _ in 0..<(fall?.turns ?? 0) { sched_yield() }
    fall = nil
    kill(pid, SIGKILL)
  }

  func closeInput() { try? input.fileHandleForWriting.close() }

  /// The next line of standard output without its end; nil at the end of it.
  func readLine() -> String? {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      if let end = pending.firstIndex(of: 0x0A) {
        defer { pending.removeSubrange(...end) }
        fall?.lines -= 1
        if fall?.lines == 0 { dieNow() }
        return String(decoding: pending[..<end], as: UTF8.self)
      }
      let count = read(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
      guard count > 0 else { return nil }
      pending += buffer.prefix(count)
    }
  }

  func readRest() -> String {
    var text = ""
    while let line = readLine() { text += line + "\n" }
    return text + String(decoding: pending, as: UTF8.self)
  }

  func readErrors() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let descriptor = errors.fileHandleForReading.fileDescriptor
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The exit code, or 128 and the signal's number.
  func wait() -> Int32 {
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return (isSignal ? 128 : 0) + process.terminationStatus
  }
}

/// What a run printed, and its exit code.
struct RunResult {
  var output = ""
  var errors = ""
  var status: Int32 = 0
}

/// A place of its own for one test: home, store and working folder.
final class Household {
  let folder: String
  var environment: [String: String]

  init() throws {
    var template = Array(
      (FileManager.default.temporaryDirectory.path + "/rapport-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ChildProcess.Failure(description: "mkdtemp: \(String(cString: strerror(errno)))")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    environment = ["HOME": folder, "PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8"]
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var credentials: String { folder + "/.config/rapport/credentials.json" }

  var store: String { folder + "/.local/state/rapport/rapport.db" }

  func start(_ arguments: String...) throws -> ChildProcess { try start(arguments) }

  /// - Parameter fileLimit: Bytes beyond which no file may grow, in units of 1024.
  func start(_ arguments: [String], fileLimit: Int? = nil) throws -> ChildProcess {
    try start(arguments, shell: fileLimit.map { "ulimit -f \($0 / 1024) && exec \"$0\" \"$@\"" })
  }

  func start(_ arguments: [String], shell: String?) throws -> ChildProcess {
    try ChildProcess(arguments, environment: environment, folder: folder, shell: shell)
  }

  /// On a terminal of its own instead of pipes, so wide that no sentence is broken.
  ///
  /// - Parameter offersHealth: False for a person who has said no to health data.
  func startOnTerminal(
    _ arguments: String..., setting variables: [String: String] = ["TERM": "xterm"],
    offersHealth: Bool = false, shell: String = "exec \"$@\""
  ) throws -> PseudoTerminal {
    let refusal = arguments.first == "chat" && !offersHealth ? ["--no-health"] : []
    return try PseudoTerminal(
      arguments + refusal, environment: environment.merging(variables) { $1 }, program: "rapport",
      folder: folder, columns: 500, shell: shell)
  }

  /// Runs to the end with everything typed at once.
  func run(_ arguments: String..., typing text: String = "") throws -> RunResult {
    try run(arguments, typing: text)
  }

  func run(
    _ arguments: [String], typing text: String = "", shell: String? = nil
  ) throws -> RunResult {
    let child = try start(arguments, shell: shell)
    child.write(text)
    child.closeInput()
    let output = child.readRest()
    return RunResult(output: output, errors: child.readErrors(), status: child.wait())
  }

  /// Every file there is, with its bytes.
  func files() throws -> [(path: String, bytes: Data)] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).compactMap { path in
      FileManager.default.contents(atPath: folder + "/" + path).map { (path, $0) }
    }
  }

  func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
    let full = folder + "/" + path
    try FileManager.default.createDirectory(
      at: URL(filePath: full).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: full))
    chmod(full, mode)
  }
}
