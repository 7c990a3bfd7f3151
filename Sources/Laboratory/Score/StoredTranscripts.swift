import ArgumentParser
import FoundationEssentials
import Glibc
import Intake
import SessionStore
import Startup
import Terminal

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

  /// Writes the conversations that began with a pack, and in which something was said, to a file without a
  /// name, which is gone with this process. Another rubric would say nothing about the others.
  ///
  /// - Returns: How to open the file.
  func path(of pack: PromptPack, _ terminal: TTY) async throws -> String {
    let context = try CommandContext(readsCredentials: false)
    guard let store = try await context.existingAnyStore(store) else {
      throw CommandFailure(.usage, "There's no store there yet.")
    }
    let file = try UnnamedFile()
    var (isEmpty, others) = (true, [String: Int]())
    let people =
      if let person { [PersonID(rawValue: person)] } else { try await store.everybody() }
    for person in people {
      let own = store.belonging(to: person)
      for session in try await own.sessions() where !session.isUnused {
        let events = try await own.events(of: session.id)
        let begun = CommandContext.nameOfPack(of: events) ?? pack.name
        guard begun == pack.name else {
          others[begun, default: 0] += 1
          continue
        }
        isEmpty = false
        let export = SessionExport(session: session.id, events: events, rubric: pack.rubric)
        try file.append(try export.text(.jsonl))
      }
    }
    if !others.isEmpty {
      let words = Self.leftOut(others, by: pack.name)
      if isEmpty { throw CommandFailure(.usage, words) }
      terminal.writeNote(words, as: .notice)
    }
    return file.path
  }

  /// - Parameter others: How many conversations began with which other pack.
  private static func leftOut(_ others: [String: Int], by pack: String) -> String {
    let packs = others.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    return "Only conversations that began with the pack \(pack) are scored. Others began with "
      + "\(packs.joined(separator: ", ")); --prompts names the pack to score by."
  }
}

/// A temporary file that no folder lists.
private struct UnnamedFile {
  private let descriptor: Int32

  init() throws {
    var template = Array(
      (FileManager.default.temporaryDirectory.path + "/rapport-XXXXXX").utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Self.failure(errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
  }

  var path: String { "/proc/self/fd/\(descriptor)" }

  func append(_ text: String) throws {
    let error = Array(text.utf8).withUnsafeBytes { writeAll($0, to: descriptor).error }
    if let error { throw Self.failure(error) }
  }

  private static func failure(_ error: Int32) -> CommandFailure {
    CommandFailure(
      .cannotWrite, "I can't write a temporary file: \(String(cString: strerror(error))).")
  }
}
