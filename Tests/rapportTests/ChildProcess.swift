import Foundation
import Glibc

/// The built program, run as its users run it.
final class ChildProcess {
  let pid: pid_t
  private let input: Int32
  private let output: Int32
  private let errors: Int32
  private var pending: [UInt8] = []
  private var reaped: Int32?

  /// Where the build put the program: beside the tests.
  static let program: String = {
    let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appending(path: "rapport").path
  }()

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter environment: The whole environment; nothing is inherited.
  init(_ arguments: [String], environment: [String: String], folder: String = "/") throws {
    var (stdin, stdout, stderr) = ([Int32](repeating: 0, count: 2), [Int32](repeating: 0, count: 2),
      [Int32](repeating: 0, count: 2))
    guard pipe2(&stdin, O_CLOEXEC) == 0, pipe2(&stdout, O_CLOEXEC) == 0,
      pipe2(&stderr, O_CLOEXEC) == 0
    else { throw Failure(description: "pipe: \(String(cString: strerror(errno)))") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, stdin[0], 0)
    posix_spawn_file_actions_adddup2(&actions, stdout[1], 1)
    posix_spawn_file_actions_adddup2(&actions, stderr[1], 2)
    posix_spawn_file_actions_addchdir_np(&actions, folder)
    var argv = ([Self.program] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, Self.program, &actions, nil, &argv, &envp)
    for end in [stdin[0], stdout[1], stderr[1]] { close(end) }
    guard code == 0 else {
      throw Failure(description: "\(Self.program): \(String(cString: strerror(code)))")
    }
    (pid, input, output, errors) = (child, stdin[1], stdout[0], stderr[0])
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    if reaped == nil {
      kill(pid, SIGKILL)
      _ = wait()
    }
    for end in [input, output, errors] { close(end) }
  }

  /// False where the child no longer reads.
  @discardableResult
  func write(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private(set) var isInputClosed = false

  func closeInput() {
    guard !isInputClosed else { return }
    isInputClosed = true
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    dup3(null, input, O_CLOEXEC)
    close(null)
  }

  /// The next line of standard output without its end; nil at the end of it.
  func readLine() -> String? {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      if let end = pending.firstIndex(of: 0x0A) {
        defer { pending.removeSubrange(...end) }
        return String(decoding: pending[..<end], as: UTF8.self)
      }
      let count = read(output, &buffer, buffer.count)
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
    while case let count = read(errors, &buffer, buffer.count), count > 0 {
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The exit code, or 128 and the signal's number.
  func wait() -> Int32 {
    if let reaped { return reaped }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    reaped = code
    return code
  }
}

/// What a run printed, and its exit code.
struct RunResult {
  var output: String
  var errors: String
  var status: Int32
}

/// A place of its own for one test: home, store and working folder.
final class Household {
  let folder: String
  var environment: [String: String]

  init() throws {
    var template = Array((FileManager.default.temporaryDirectory.path + "/rapport-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ChildProcess.Failure(description: "mkdtemp: \(String(cString: strerror(errno)))")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    environment = ["HOME": folder, "PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8"]
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var store: String { folder + "/.local/state/rapport/rapport.db" }

  func start(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(arguments, environment: environment, folder: folder)
  }

  /// Runs to the end with everything typed at once.
  func run(_ arguments: String..., typing text: String = "") throws -> RunResult {
    let child = try ChildProcess(arguments, environment: environment, folder: folder)
    child.write(text)
    child.closeInput()
    let output = child.readRest()
    return RunResult(output: output, errors: child.readErrors(), status: child.wait())
  }

  func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
    let full = folder + "/" + path
    try FileManager.default.createDirectory(
      at: URL(filePath: full).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: full))
    chmod(full, mode)
  }
}
