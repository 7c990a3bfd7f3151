import ArgumentParser
import FoundationEssentials
import Glibc
import Intake
import SessionStore
import Startup

/// The conversations of a store, as `sessions export --format jsonl` writes them.
struct StoredTranscripts: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Score the conversations of this store: a file, or a postgres:// URL.", valueName: "file"),
    completion: .file())
  var store: String?

  @Option(
    help: ArgumentHelp("Only this person's conversations (default: everybody's).", valueName: "id"))
  var person: String?

  /// Writes the conversations in which something was said to a file without a name, which is gone with
  /// this process.
  ///
  /// - Returns: How to open the file.
  func path() async throws -> String {
    let context = try CommandContext(readsCredentials: false)
    guard let store = try await context.existingAnyStore(store) else {
      throw CommandFailure(.usage, "There's no store there yet.")
    }
    let file = try UnnamedFile()
    let people =
      if let person { [PersonID(rawValue: person)] } else { try await store.everybody() }
    for person in people {
      let own = store.belonging(to: person)
      for session in try await own.sessions() where !session.isUnused {
        let events = try await own.events(of: session.id)
        let export = SessionExport(
          session: session.id, events: events,
          rubric: try context.promptPack(of: events).rubric)
        try file.append(try export.text(.jsonl))
      }
    }
    return file.path
  }
}

/// A temporary file that no folder lists.
private struct UnnamedFile {
  private let descriptor: Int32

  init() throws {
    var template = Array(
      (FileManager.default.temporaryDirectory.path + "/rapport-XXXXXX").utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Self.failure }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
  }

  var path: String { "/proc/self/fd/\(descriptor)" }

  func append(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure }
      rest = rest.dropFirst(count)
    }
  }

  private static var failure: CommandFailure {
    CommandFailure(
      .cannotWrite, "I can't write a temporary file: \(String(cString: strerror(errno))).")
  }
}
