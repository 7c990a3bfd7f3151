internal import Glibc

/// What was named on the command line: an archive, an XML file or a folder with one of them.
struct HealthInput {
  enum Kind {
    case plain
    case archived(ZipEntry)
  }

  let file: OpenFile
  let kind: Kind

  init(_ path: String) throws(HealthReadError) {
    let opened = try OpenFile(path)
    let file = opened.isFolder ? try Self.export(inFolder: path) : opened
    self.file = file
    guard file.isRegular, try Self.isArchive(file) else {
      kind = .plain
      return
    }
    let entries = try ZipDirectory.entries(of: file)
    guard let name = Self.exportName(among: entries.map { ($0.name, $0.size) }),
      let entry = entries.first(where: { $0.name == name })
    else { throw HealthReadError(path, .noExport(isFolder: false)) }
    kind = .archived(entry)
  }

  /// Bytes on the disk that will be read; nil for a pipe.
  var size: Int? {
    switch kind {
    case .plain: file.isRegular ? file.size : nil
    case .archived(let entry): entry.packedSize
    }
  }

  var canBeReadAgain: Bool { file.isRegular }

  func source() throws(HealthReadError) -> any ByteSource {
    switch kind {
    case .plain: PlainSource(file)
    case .archived(let entry): try ZipSource(file, entry)
    }
  }

  private static func isArchive(_ file: OpenFile) throws(HealthReadError) -> Bool {
    let head = try file.bytes(at: 0, 4)
    return head.has(0x0403_4B50, at: 0) || head.has(0x0605_4B50, at: 0)
  }

  /// The export among the files of an archive. Phones in other languages name it in their own
  /// (`Exportación.xml`), so it is otherwise the largest XML file that is not the clinical document.
  /// Paths that lead out of the archive are nobody's export.
  static func exportName(among files: [(name: String, size: Int)]) -> String? {
    let candidates = files.filter { name, _ in
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      return name.lowercased().hasSuffix(".xml") && !parts.contains("..") && parts.first != ""
        && !name.contains("\\") && parts.count <= 2 && !parts.contains("__MACOSX")
        && !name.lowercased().hasSuffix("cda.xml")
    }
    let named = candidates.first {
      $0.name.split(separator: "/").last?.lowercased() == "export.xml"
    }
    return (named ?? candidates.max { ($0.size, $1.name) < ($1.size, $0.name) })?.name
  }

  private static func export(inFolder path: String) throws(HealthReadError) -> OpenFile {
    let folder = path.hasSuffix("/") ? path : path + "/"
    for inner in [folder, folder + "apple_health_export/"] {
      let files = names(in: inner).map { name in
        var status = stat()
        return (name, stat(inner + name, &status) == 0 ? Int(status.st_size) : 0)
      }
      if let name = exportName(among: files) { return try OpenFile(inner + name) }
    }
    let archives = names(in: folder).filter { $0.lowercased().hasSuffix(".zip") }.sorted()
    if let archive = archives.first(where: { $0.lowercased() == "export.zip" }) ?? archives.first {
      return try OpenFile(folder + archive)
    }
    throw HealthReadError(path, .noExport(isFolder: true))
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
