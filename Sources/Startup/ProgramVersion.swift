import HTTPStreaming
import SessionStore

/// The version that both programs are of.
public enum ProgramVersion {
  public static let number = "0.1.0"

  /// The version, and those of the libraries that the program depends on.
  ///
  /// - Parameter program: Its name.
  public static func text(of program: String) -> String {
    "\(program) \(number) (\(HTTPClient.libraryVersion), SQLite/\(SessionStore.sqliteVersion))"
  }
}
