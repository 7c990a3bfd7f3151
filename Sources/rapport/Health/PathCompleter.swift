import FoundationEssentials
import Terminal

/// Completes the path of a health export while it is typed.
struct PathCompleter {
  /// An entry of a folder.
  struct Entry: Hashable {
    var name: String
    var isFolder: Bool
  }

  /// What Tab makes of a line.
  struct Completion: Hashable {
    var line: String
    /// The names to choose from; empty if there is no choice.
    var candidates: [String]
  }

  var home: String?
  /// The entries of a folder, in any order.
  var entries: @Sendable (String) -> [Entry] = Self.entries(of:)

  var assist: LineAssist {
    let board = LineBoard()
    return LineAssist(
      choose: { key, line in
        guard key == .tab else { return nil }
        let completion = completion(ofCommand: line) ?? completion(of: line)
        board.lines =
          completion.candidates.isEmpty
          ? [] : [.init("", as: .dim, items: completion.candidates, separator: "  ")]
        return completion.line == line ? nil : completion.line
      }, board: board)
  }

  /// The path behind `/health`; nil for any other line.
  func completion(ofCommand line: String) -> Completion? {
    guard case .connect(let path) = SlashCommand.read(line) else { return nil }
    var completion = completion(of: path)
    completion.line = line.dropLast(path.count) + completion.line
    return completion
  }

  func completion(of line: String) -> Completion {
    let quote = line.first.flatMap { "'\"".contains($0) ? String($0) : nil } ?? ""
    let typed = String(line.dropFirst(quote.count))
    let path = quote.isEmpty ? typed.replacing("\\ ", with: " ") : typed
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let (folder, start) = (String(path[..<cut]), String(path[cut...]))
    if let home, path == "~", !home.isEmpty {
      return Completion(line: quote + "~/", candidates: [])
    }
    let found = entries(expanded(folder)).filter { entry in
      entry.name.hasPrefix(start) && (start.hasPrefix(".") || !entry.name.hasPrefix("."))
        && (entry.isFolder || Self.isExport(entry.name))
    }.sorted { $0.name < $1.name }
    guard let first = found.first else { return Completion(line: line, candidates: []) }
    var common = found.dropFirst().reduce(first.name) { common, entry in
      String(zip(common, entry.name).prefix { $0 == $1 }.map(\.0))
    }
    let isOnly = found.count == 1
    if isOnly, first.isFolder { common += "/" }
    let completed = folder + common
    let shown = quote.isEmpty ? completed.replacing(" ", with: "\\ ") : completed
    let end = isOnly && !first.isFolder ? quote : ""
    return Completion(
      line: quote + shown + end,
      candidates: isOnly ? [] : found.map { $0.name + ($0.isFolder ? "/" : "") })
  }

  private func expanded(_ folder: String) -> String {
    if folder.isEmpty { return "." }
    guard let home, folder.hasPrefix("~/") else { return folder }
    return home + folder.dropFirst()
  }

  private static func isExport(_ name: String) -> Bool {
    [".zip", ".xml", ".json"].contains { name.lowercased().hasSuffix($0) }
  }

  private static func entries(of folder: String) -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.map { name in
      var isFolder = false
      _ = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
      return Entry(name: name, isFolder: isFolder)
    }
  }
}
