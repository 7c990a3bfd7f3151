import FoundationEssentials
import Intake
import Startup
import Terminal

/// `rapport test --watch`: reruns whenever something the tests depend on changes.
struct TestWatch {
  let options: Test
  let terminal: TTY
  /// The polling interval.
  private static let interval = Duration.milliseconds(300)

  /// Runs until interrupted.
  func run() async throws -> Bool {
    var seen: [String: FileState] = [:]
    while true {
      let now = FileState.all(below: options.watched)
      if now != seen {
        seen = now
        try await runOnce()
        terminal.write(
          "Watching \(options.watched.joined(separator: ", ")) (press Ctrl-C to stop) …\n", as: .dim
        )
      }
      try await Task.sleep(for: Self.interval)
    }
  }

  /// Reports what can't be read, and tries again when it changes.
  private func runOnce() async throws {
    do {
      _ = try await options.once(terminal)
    } catch let refusal as CommandFailure {
      terminal.writeNote(refusal.words, as: .error)
    }
  }
}

/// Enough to tell that a file has changed.
struct FileState: Hashable {
  private let size: Int
  private let modified: Date

  /// For every file under the paths.
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
