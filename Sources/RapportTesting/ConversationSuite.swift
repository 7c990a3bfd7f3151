public import Cassettes
import FoundationEssentials
public import WireFormats

/// The cassettes in a folder, identified by name.
public struct ConversationSuite: Sendable {
  /// One file, which may or may not be readable.
  public struct Entry: Sendable {
    /// The path under the named folder, without `.json`.
    public var name: String
    public var path: String

    public init(name: String, path: String) {
      self.name = name
      self.path = path
    }
  }

  public var entries: [Entry]

  /// - Parameter paths: Files, and folders to search for `.json` files at any depth.
  /// - Throws: `FieldError` if a path does not exist.
  public init(paths: [String]) throws(FieldError) {
    entries = []
    for path in paths {
      var isFolder = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw FieldError(file: path, "no such file or folder")
      }
      guard isFolder else {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        entries.append(Entry(name: Self.withoutEnding(name), path: path))
        continue
      }
      try add(folder: path)
    }
  }

  private mutating func add(folder path: String) throws(FieldError) {
    var names: [String] = []
    try Self.collect(path, "", &names)
    guard !names.isEmpty else {
      throw FieldError(file: path, "no .json file in this folder")
    }
    entries += names.sorted().map { Entry(name: Self.withoutEnding($0), path: path + "/" + $0) }
  }

  /// An unreadable folder is an error: otherwise its tests would be missing and the suite green.
  private static func collect(
    _ root: String, _ below: String, _ names: inout [String]
  ) throws(FieldError) {
    let folder = below.isEmpty ? root : root + "/" + below
    guard let found = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw FieldError(file: folder, "this folder can't be read")
    }
    for name in found {
      let path = below.isEmpty ? name : below + "/" + name
      var isFolder = false
      _ = FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isFolder)
      if isFolder {
        try collect(root, path, &names)
      } else if name.lowercased().hasSuffix(".json") {
        names.append(path)
      }
    }
  }

  /// Entries whose names contain one of the texts; all if there are no texts.
  public func filtered(by texts: [String]) -> ConversationSuite {
    var chosen = self
    if !texts.isEmpty {
      chosen.entries = entries.filter { entry in texts.contains { entry.name.contains($0) } }
    }
    return chosen
  }

  /// Works on the entries, several at a time. A canceled task starts no more of them.
  ///
  /// - Parameters:
  ///   - work: Nil leaves the entry out.
  ///   - told: Gets each result as it arrives, and all so far. Returns whether to start more.
  /// - Returns: The results in the suite's order.
  func results<Result: Sendable>(
    width: Int, of work: @escaping @Sendable (Entry) async -> Result?,
    told: (Result, [Result]) -> Bool
  ) async -> [Result] {
    var results: [Result?] = Array(repeating: nil, count: entries.count)
    await withTaskGroup(of: (Int, Result?).self) { group in
      var next = 0
      func start() {
        guard next < entries.count, !Task.isCancelled else { return }
        let (index, entry) = (next, entries[next])
        next += 1
        group.addTask { (index, await work(entry)) }
      }
      for _ in 0..<max(1, width) { start() }
      for await (index, result) in group {
        results[index] = result
        if let result, !told(result, results.compactMap(\.self)) { next = entries.count }
        start()
      }
    }
    return results.compactMap(\.self)
  }

  private static func withoutEnding(_ name: String) -> String {
    name.lowercased().hasSuffix(".json") ? String(name.dropLast(5)) : name
  }
}

extension ConversationSuite.Entry {
  /// The largest accepted cassette, in bytes.
  static let byteLimit = 64 << 20

  /// Reads the cassette.
  public func load() throws(FieldError) -> Cassette {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FieldError(file: path, "this file can't be read")
    }
    guard data.count <= Self.byteLimit else {
      throw FieldError(file: path, "this file is larger than \(Self.byteLimit >> 20) MiB")
    }
    do throws(FieldError) { return try Cassette(parsing: Array(data)) } catch {
      var error = error
      error.file = path
      throw error
    }
  }
}

/// The result of one cassette in a suite.
public struct ConversationResult: Sendable {
  public enum Status: Sendable {
    case passed
    case failed([Mismatch])
    case skipped(String)
  }

  public var name: String
  public var path: String
  public var title: String
  public var status: Status
  public var drift: [ConversationVerdict.PromptDrift] = []
  public var duration = Duration.zero
  public var run: ConversationRun?
  /// User turns that were played.
  public var userTurns = 0
  /// The recording's pack, if it is not available; then nothing was played.
  public var missingPack: String?

  public var failures: [Mismatch] {
    if case .failed(let failures) = status { failures } else { [] }
  }
}
