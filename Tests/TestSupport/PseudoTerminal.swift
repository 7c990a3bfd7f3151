import Foundation
import Glibc
import Synchronization

/// A built program on a terminal of its own, with this side as the person at the keyboard.
public final class PseudoTerminal {
  public struct Failure: Error, CustomStringConvertible { public let description: String }

  public let process: Int32
  private let primary: Int32
  private let secondary: Int32
  private let exited: Int32
  public private(set) var output: [UInt8] = []
  private var seen = 0
  private let initialModes: termios

  /// - Parameters:
  ///   - program: Its name in the folder that the tests were built into.
  ///   - shell: What a shell in the folder is to do with `"$@"`, the program and its arguments.
  ///   - environment: The whole environment; nothing is inherited.
  public init(
    _ arguments: [String], environment: [String: String] = ["TERM": "xterm"],
    program: String = "terminal-probe", folder: String? = nil, columns: UInt16 = 80,
    shell: String = "exec \"$@\""
  ) throws {
    primary = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (number, locked): (Int32, Int32) = (0, 0)
    let (getNumber, setLock): (UInt, UInt) = (0x8004_5430, 0x4004_5431)
    guard primary >= 0, ioctl(primary, setLock, &locked) == 0,
      ioctl(primary, getNumber, &number) == 0
    else { throw Failure(description: "no pseudo-terminal: errno \(errno)") }
    let path = "/dev/pts/\(number)"
    secondary = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(primary, UInt(TIOCSWINSZ), &size)
    var modes = termios()
    tcgetattr(secondary, &modes)
    initialModes = modes
    let ends = try makePipe()
    exited = ends.reading
    defer { close(ends.writing) }
    process = try Self.spawn(
      program, arguments, environment, folder, shell, terminal: path, alive: ends.writing)
  }

  deinit {
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    for descriptor in [primary, secondary, exited] { close(descriptor) }
  }

  private static func spawn(
    _ program: String, _ arguments: [String], _ environment: [String: String], _ folder: String?,
    _ shell: String, terminal: String, alive: Int32
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The leader of a new session gets the first terminal it opens as its own.
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    posix_spawn_file_actions_adddup2(&actions, alive, 9)
    // What other tests have open at this moment is none of its business.
    for descriptor: Int32 in 3..<1_024 where descriptor != 9 {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let newSession: Int16 = 0x80
    posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGDEF))
    var defaults = sigset_t()
    sigfillset(&defaults)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    let built = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: program).path
    let command = [built] + arguments
    let words =
      folder.map { ["/bin/sh", "-c", "cd \"$0\" && \(shell)", $0] + command } ?? command
    let path = words[0]
    var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    // The runtime's own crash report would take long, and is not what is looked at.
    let environment = environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    var envp: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in argv + envp { free(word) } }
    var process = pid_t()
    let status = posix_spawn(&process, path, &actions, &attributes, &argv, &envp)
    guard status == 0 else { throw Failure(description: "cannot start \(path): errno \(status)") }
    return process
  }

  /// Everything written so far, as text.
  public var screen: String { String(decoding: output, as: UTF8.self) }

  public func type(_ text: String) { type(bytes: Array(text.utf8)) }

  public func type(bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(primary, $0.baseAddress, min($0.count, 512)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  public func signal(_ number: Int32) { kill(process, number) }

  public func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(primary, UInt(TIOCSWINSZ), &size)
  }

  /// Reads until the text appears after what was expected before.
  public func expect(_ text: String) throws {
    let wanted = Array(text.utf8)
    try wait(for: "\(text.debugDescription)") {
      guard let range = output[seen...].firstRange(of: wanted) else { return false }
      seen = range.upperBound
      return true
    }
  }

  /// Reads until one of the texts appears after what was expected before; which one.
  public func expect(oneOf texts: String...) throws -> String {
    var found = ""
    try wait(for: "any of \(texts)") {
      let hits = texts.compactMap { text in
        output[seen...].firstRange(of: Array(text.utf8)).map { (text, $0) }
      }
      guard let first = hits.min(by: { $0.1.lowerBound < $1.1.lowerBound }) else { return false }
      (found, seen) = (first.0, first.1.upperBound)
      return true
    }
    return found
  }

  /// Waits for the end of the program and returns its wait status.
  public func expectExit() throws -> Int32 {
    try wait(for: "the end") { isReadable(exited, within: 0) }
    while isReadable(primary, within: 0), readSome() {}
    var status: Int32 = 0
    return waitpid(process, &status, 0) > 0 ? status : -1
  }

  /// In milliseconds. A program that has been silent for so long waits for something itself.
  private static let silence: Int32 = 300_000

  private func wait(for what: String, until isDone: () -> Bool) throws {
    while !isDone() {
      var polled = [primary, exited].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let ready = poll(&polled, 2, Self.silence)
      guard ready != 0 else {
        throw Failure(description: "the program waits; no \(what) in \(screen.debugDescription)")
      }
      guard ready > 0 else { continue }
      if polled[1].revents == 0 {
        _ = readSome()
        continue
      }
      while isReadable(primary, within: 0), readSome() {}
      guard isDone() else {
        throw Failure(description: "no \(what) in \(screen.debugDescription)")
      }
      return
    }
  }

  private func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, milliseconds) > 0
  }

  private func readSome() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(primary, &bytes, bytes.count)
    if count > 0 { output += bytes[..<count] }
    return count > 0
  }

  private var modes: termios {
    var modes = termios()
    tcgetattr(secondary, &modes)
    return modes
  }

  /// The terminal's modes now, to compare with those of another moment.
  public var modeBytes: [UInt8] {
    var now = modes
    return withUnsafeBytes(of: &now) { Array($0) }
  }

  public var echoes: Bool { modes.c_lflag & tcflag_t(ECHO) != 0 }

  /// Whether the terminal is as it was before the program started.
  public var hasItsModesBack: Bool {
    var (now, before) = (modes, initialModes)
    return withUnsafeBytes(of: &now) { now in
      withUnsafeBytes(of: &before) { now.elementsEqual($0) }
    }
  }
}

/// A pipe that programs started later do not inherit.
public func makePipe() throws -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else {
    throw PseudoTerminal.Failure(description: "no pipe: errno \(errno)")
  }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}
