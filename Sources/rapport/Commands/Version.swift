import HTTPStreaming
import SessionStore

enum Version {
  static let number = "0.1.0"

  /// The program's version, and those of the libraries it depends on.
  static var text: String {
    "rapport \(number) (\(HTTPClient.libraryVersion), SQLite/\(SessionStore.sqliteVersion))"
  }
}
