import FoundationEssentials
import RapportTesting
import Startup
import Terminal

/// `rapport test --watch`: reruns whenever something the tests depend on changes, or on a key.
struct TestWatch {
  let options: Test
  let terminal: TTY
  /// Between two looks at the keyboard.
  private static let interval = Duration.milliseconds(100)
  /// Looks at the keyboard between two looks at the files.
  private static let rounds = 3

  /// What a key asks for.
  enum Command: Equatable {
    case all, failed, update, rerun, quit

    init?(_ key: KeyReader.Key) {
      switch key {
      case .character("a"): self = .all
      case .character("f"): self = .failed
      case .character("u"): self = .update
      case .enter: self = .rerun
      case .character("q"), .end: self = .quit
      case .character: return nil
      }
    }
  }

  /// Runs until it is interrupted or told to quit.
  func run() async throws -> Bool {
    let keys = KeyReader()
    var options = options
    var seen: [String: FileState] = [:]
    while true {
      let now = FileState.all(below: options.watched)
      if now != seen {
        seen = now
        try await runOnce(options, hasKeys: keys != nil)
      }
      for _ in 0..<Self.rounds {
        // Files and keys are polled: between looks there is nothing to wait for.
        try await Task.sleep(for: Self.interval)
        guard let command = keys?.next().flatMap(Command.init) else { continue }
        if command == .quit { return false }
        try await perform(command, &options)
      }
    }
  }

  private func perform(_ command: Command, _ options: inout Test) async throws {
    switch command {
    case .all: options.lastFailed = false
    case .failed: options.lastFailed = true
    case .update:
      var update = options
      update.update = true
      return try await runOnce(update, hasKeys: true)
    case .rerun, .quit: break
    }
    if options.lastFailed, !(try hasFailures(options)) {
      options.lastFailed = self.options.lastFailed
      terminal.write("Nothing failed. Press a to run all conversations.\n", as: .dim)
    } else {
      try await runOnce(options, hasKeys: true)
    }
  }

  private func hasFailures(_ options: Test) throws -> Bool {
    let failed = FailedConversations.current
    return try options.suite().entries.contains(where: failed.contains)
  }

  /// Reports what cannot be read, and tries again when it changes.
  private func runOnce(_ options: Test, hasKeys: Bool) async throws {
    do {
      _ = try await options.once(terminal)
    } catch let refusal as CommandFailure {
      terminal.writeNote(refusal.words, as: .error)
    }
    let watched = options.watched.joined(separator: ", ")
    terminal.write(
      hasKeys
        ? "Watching \(watched) … a all, f failed only, u update, Enter rerun, q quit\n"
        : "Watching \(watched) (press Ctrl-C to stop) …\n", as: .dim)
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
