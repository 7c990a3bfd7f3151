import FoundationEssentials
import IncrementalJSON
import RapportTesting
import SessionStore

/// Which conversations failed when they last ran, kept from run to run.
///
/// A list that cannot be read or written costs only `--last-failed`, never a test.
struct FailedConversations {
  private let file: String?
  /// Absolute paths of cassettes.
  private(set) var paths: Set<String>

  /// - Parameter file: Where the list is kept; nil if there is no place for it.
  init(file: String?) {
    self.file = file
    let data = file.flatMap { FileManager.default.contents(atPath: $0) }
    let list = data.flatMap { try? JSONValue(parsing: Array($0)) }
    paths = Set(list?["failed"]?.arrayValue?.compactMap(\.stringValue) ?? [])
  }

  /// The list beside the session store.
  static var current: FailedConversations {
    let store = try? StoreLocation.path(environment: ProcessInfo.processInfo.environment)
    let folder = store?.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return FailedConversations(
      file: folder.map { $0.joined(separator: "/") + "/failed-tests.json" })
  }

  func contains(_ entry: ConversationSuite.Entry) -> Bool {
    paths.contains(Self.absolute(entry.path))
  }

  /// Takes over the results of a run; conversations that did not run keep theirs.
  mutating func take(_ results: [ConversationResult]) {
    let before = paths
    for result in results {
      switch result.status {
      case .failed: paths.insert(Self.absolute(result.path))
      case .passed, .skipped: paths.remove(Self.absolute(result.path))
      }
    }
    if paths != before { save() }
  }

  private func save() {
    guard let file else { return }
    let existing = paths.filter { FileManager.default.fileExists(atPath: $0) }.sorted()
    let list: JSONValue = ["failed": .strings(existing)]
    let folder = URL(filePath: file).deletingLastPathComponent()
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try? Data((list.serialized(lineWidth: 100) + "\n").utf8).write(
      to: URL(filePath: file), options: .atomic)
  }

  private static func absolute(_ path: String) -> String {
    let full = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return URL(filePath: full).standardized.path
  }
}
