import Foundation
import Synchronization

/// The built program, on a free port.
final class ServerProcess: Sendable {
  let port: Int
  let pid: pid_t
  private let folder: TestFolder
  private let exit: ExitWatch

  struct DidNotStart: Error {}

  static let program: URL = {
    let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appending(path: "rapport-server")
  }()

  var log: String { folder.path + "/log" }

  init(_ folder: TestFolder, _ arguments: [String]) async throws {
    self.folder = folder
    let process = Process()
    process.executableURL = Self.program
    process.arguments = ["--port", "0", "--store", folder.store] + arguments
    process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"]
    process.currentDirectoryURL = URL(filePath: folder.path)
    let output = Pipe()
    process.standardOutput = output
    if !FileManager.default.fileExists(atPath: folder.path + "/log") {
      try Data().write(to: URL(filePath: folder.path + "/log"))
    }
    let log = try FileHandle(forWritingTo: URL(filePath: folder.path + "/log"))
    try log.seekToEnd()
    process.standardError = log
    let exit = ExitWatch()
    process.terminationHandler = { ended in exit.note(ended.terminationStatus) }
    try process.run()
    pid = process.processIdentifier
    self.exit = exit
    let line = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          returning: String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
      }
    }
    guard
      let number = line.split(separator: "\n").first?.split(separator: ":").last.flatMap({ Int($0) }
      )
    else { throw DidNotStart() }
    port = number
  }

  deinit { kill(pid, SIGKILL) }

  var client: Client { Client(port: port) }

  func signal(_ number: Int32) { _ = kill(pid, number) }

  /// The exit code.
  func wait() async -> Int32 { await exit.status }

  func kill9() async {
    signal(SIGKILL)
    _ = await wait()
  }
}

/// Waits for a process without blocking a thread.
private final class ExitWatch: Sendable {
  private let state = Mutex<(status: Int32?, waiting: [CheckedContinuation<Int32, Never>])>(
    (nil, []))

  func note(_ status: Int32) {
    let waiting = state.withLock { state in
      state.status = status
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: status) }
  }

  var status: Int32 {
    get async {
      await withCheckedContinuation { continuation in
        let status = state.withLock { state in
          if state.status == nil { state.waiting.append(continuation) }
          return state.status
        }
        if let status { continuation.resume(returning: status) }
      }
    }
  }
}
