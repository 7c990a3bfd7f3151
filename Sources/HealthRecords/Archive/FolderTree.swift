internal import Glibc

/// The files below a folder, level by level.
struct FolderTree {
  struct Folder {
    /// Ends in a slash.
    var path: String
    /// Names, sorted.
    var files: [String] = []
  }

  private(set) var folders: [Folder] = []

  /// How much is looked at, so that somebody who names a home folder gets an answer, too.
  private static let mostEntries = 100_000

  /// - Parameter endings: Those of the names that matter, in lower case.
  init(_ path: String, endings: [String]) {
    var waiting = [path.hasSuffix("/") ? path : path + "/"]
    // Links can lead back to where they are.
    var known: Set<ino_t> = []
    var seen = 0
    while !waiting.isEmpty, seen < Self.mostEntries {
      var below: [String] = []
      for path in waiting where seen < Self.mostEntries {
        var folder = Folder(path: path)
        for (name, status) in Self.entries(in: path) {
          seen += 1
          if status.st_mode & S_IFMT == S_IFDIR {
            if known.insert(status.st_ino).inserted { below.append(path + name + "/") }
          } else if endings.contains(where: name.lowercased().hasSuffix) {
            folder.files.append(name)
          }
        }
        if !folder.files.isEmpty { folders.append(folder) }
      }
      waiting = below
    }
  }

  /// Without hidden ones and what a Mac adds to an archive.
  private static func entries(in folder: String) -> [(name: String, status: stat)] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var entries: [(name: String, status: stat)] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix(".") || name == "__MACOSX" { continue }
      var status = Glibc.stat()
      if stat(folder + name, &status) == 0 { entries.append((name, status)) }
    }
    return entries.sorted { $0.name < $1.name }
  }
}
