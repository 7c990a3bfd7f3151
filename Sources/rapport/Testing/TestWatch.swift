import FoundationEssentials
import Intake
import Terminal

/// `rapport test --watch`: runs again whenever something the tests depend on has changed.
struct TestWatch {
  let options: Test
  let terminal: TTY
  /// Between two looks.
  private static let interval = Duration.milliseconds(300)

  /// Goes on until it is interrupted.
  func run() async throws -> Bool {
    var seen: [String: FileState] = [:]
    while true {
      let now = FileState.all(below: options.watched)
      if now != seen {
        seen = now
        try await runOnce()
        terminal.write(
          "Watching \(options.watched.joined(separator: ", ")) (Ctrl-C ends it) …\n", as: .dim)
      }
      try await Task.sleep(for: Self.interval)
    }
  }

  /// What cannot be read just now is said, and looked at again when it has changed.
  private func runOnce() async throws {
    do {
      _ = try await options.once(terminal)
    } catch let refusal as CommandFailure {
      terminal.writeNote(refusal.words, as: .error)
    }
  }
}

/// What tells that a file has changed.
struct FileState: Hashable {
  private let size: Int
  private let modified: Date

  /// Of every file below the paths.
  static func all(below paths: [String]) -> [String: FileState] {
    let manager = FileManager.default
    var states: [String: FileState] = [:]
    for path in paths {
      let below = (try? manager.subpathsOfDirectory(atPath: path)) ?? []
      for file in [path] + below.map({ path + "/" + $0 }) {
        guard let attributes = try? manager.attributesOfItem(atPath: file) else { continue }
        states[file] = FileState(
          size: attributes[.size] as? Int ?? 0,
          modified: attributes[.modificationDate] as? Date ?? .distantPast)
      }
    }
    return states
  }
}
