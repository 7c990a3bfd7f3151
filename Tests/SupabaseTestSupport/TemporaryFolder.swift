import Foundation

/// A folder for one test, removed with it.
public final class TemporaryFolder: Sendable {
  private let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  public init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  public func path(_ name: String) -> String { url.appending(path: name).path }
}
