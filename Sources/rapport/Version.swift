import HTTPStreaming
import SessionStore

enum Version {
  static let number = "0.1.0"

  /// The program's version, and those of the libraries that its promises rest on.
  static var text: String {
    // libcurl's own line goes on with every library that it was built with.
    let curl = HTTPClient.libraryVersion.split(separator: " ").first ?? ""
    return "rapport \(number) (\(curl), SQLite/\(SessionStore.sqliteVersion))"
  }
}
