import ContextQuality
import FoundationEssentials
import Glibc
import HealthRecords

/// Named health data: an export to read, or a finished snapshot.
struct HealthFile: Sendable {
  let path: String
  let today: Day
  /// The JSON snapshot, which takes no time to read.
  let snapshot: HealthSnapshot?

  /// - Throws: `HealthReadError` if the file is missing or the snapshot is unusable.
  init(_ typed: String, today: Day = .today) throws(HealthReadError) {
    path = Self.absolute(typed)
    self.today = today
    if let text = try HealthSnapshot.text(at: path) {
      snapshot = try HealthSnapshot.reading(text, name: typed, today: today)
    } else {
      try HealthExport(path).check()
      snapshot = nil
    }
  }

  func read(_ progress: HealthReadProgress) throws(HealthReadError) -> HealthSnapshot {
    if let snapshot { return snapshot }
    return try HealthExport(path).snapshot(
      HealthReadOptions(now: Glibc.time(nil)), progress: progress)
  }

  /// When anything in it last changed; nil if it is gone or cannot be read twice.
  var changed: Date? { Self.changed(path) }

  static func changed(_ path: String) -> Date? {
    guard let (own, isFolder) = status(path) else { return nil }
    guard isFolder else { return own }
    let folders = [path, path + "/apple_health_export"]
    let inner = folders.flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.compactMap { Self.status(folder + "/" + $0)?.changed }
    }
    return ([own] + inner).max()
  }

  private static func status(_ path: String) -> (changed: Date, isFolder: Bool)? {
    var status = Glibc.stat()
    let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    guard kind == S_IFREG || kind == S_IFDIR else { return nil }
    let seconds = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec / 1_000_000) / 1000
    return (Date(timeIntervalSince1970: seconds), kind == S_IFDIR)
  }

  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  /// A path as people type, paste or drag it into a terminal.
  static func path(typed text: String, home: String?) -> String {
    var path = text.trimmed
    let quotes = ["'", "\""].filter { path.hasPrefix($0) && path.dropFirst().hasSuffix($0) }
    if quotes.isEmpty {
      if path.hasPrefix("file://"), let url = URL(string: path) {
        return url.path(percentEncoded: false)
      }
      path = path.replacing("\\ ", with: " ")
    } else {
      path = String(path.dropFirst().dropLast())
    }
    if let home, path == "~" || path.hasPrefix("~/") { path = home + path.dropFirst() }
    return path
  }
}

extension Day {
  /// In UTC, the clock that conversations use to count days.
  static var today: Day { Day(number: Int((Date().timeIntervalSince1970 / 86_400).rounded(.down))) }
}
