internal import Glibc

/// What the command line named: an archive, an XML file, or a folder with one of them.
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
    guard let entry = try Self.export(inArchive: file) else {
      throw HealthReadError(path, .noExport(isFolder: false))
    }
    kind = .archived(entry)
  }

  /// The number of bytes to read from disk; nil for a pipe.
  var size: Int? {
    switch kind {
    case .plain: file.isRegular ? file.size : nil
    case .archived(let entry): entry.packedSize
    }
  }

  var canBeReadAgain: Bool { file.isRegular }

  func source(_ progress: HealthReadProgress) throws(HealthReadError) -> any ByteSource {
    switch kind {
    case .plain: PlainSource(file, progress)
    case .archived(let entry): try ZipSource(file, entry)
    }
  }

  private static func isArchive(_ file: OpenFile) throws(HealthReadError) -> Bool {
    let head = try file.bytes(at: 0, 4)
    return head.has(0x0403_4B50, at: 0) || head.has(0x0605_4B50, at: 0)
  }

  /// The export among an archive's files, at any depth. Phones set to other languages translate its
  /// name (`Exportación.xml`), so otherwise it is the largest XML file that starts like an export, or
  /// the largest of all, to explain what is wrong with it.
  private static func export(inArchive file: OpenFile) throws(HealthReadError) -> ZipEntry? {
    let entries = try ZipDirectory.entries(of: file)
    let names = candidates(among: entries.map { ($0.name, $0.size) })
    let found = names.compactMap { name in entries.first { $0.name == name } }
    let inner = entries.first {
      $0.name.lowercased().hasSuffix(".zip") && !parts(of: $0.name).contains("__MACOSX")
    }
    if found.isEmpty, let inner { throw HealthReadError(file.path, .nested(inner.name)) }
    return found.first { (try? ZipSource(file, $0)).map(beginsAsExport) == true } ?? found.first
  }

  /// The files that may be the export, the most likely first. Paths that lead out of the archive
  /// never qualify.
  private static func candidates(among files: [(name: String, size: Int)]) -> [String] {
    let candidates = files.filter { name, _ in
      let parts = parts(of: name)
      return name.lowercased().hasSuffix(".xml") && !parts.contains("..") && parts.first != ""
        && !parts.contains("__MACOSX") && !name.lowercased().hasSuffix("cda.xml")
    }
    let sorted = candidates.sorted { ($1.size, $0.name) < ($0.size, $1.name) }
    return (sorted.filter { isExportName($0.name) } + sorted.filter { !isExportName($0.name) })
      .prefix(most).map(\.name)
  }

  /// Some archives are written with the separators of Windows.
  private static func parts(of name: String) -> [Substring] {
    name.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
  }

  /// The most files to look into.
  private static let most = 100

  private static func isExportName(_ name: String) -> Bool {
    parts(of: name).last?.lowercased() == "export.xml"
  }

  private static func beginsAsExport(_ source: any ByteSource) -> Bool {
    let capacity = 64 << 10
    let head = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    defer { head.deallocate() }
    guard let count = try? source.read(into: head, capacity) else { return false }
    let bytes = UnsafeBufferPointer(start: head.assumingMemoryBound(to: UInt8.self), count: count)
    return bytes.holds("<healthdata") || bytes.holds("<!doctype healthdata")
  }

  /// Looks for known names in the folder and those below, as XML and as an archive; then at how
  /// files start. Of several, the one nearest to the top.
  private static func export(inFolder path: String) throws(HealthReadError) -> OpenFile {
    let folders = FolderTree(path, endings: [".xml", ".zip"]).folders
    let files = folders.flatMap { folder in
      candidates(among: folder.files.map { ($0, size(of: folder.path + $0)) })
        .map { folder.path + $0 }
    }
    let archives = folders.flatMap { folder in
      folder.files.filter { $0.lowercased().hasSuffix(".zip") }.map { folder.path + $0 }
    }
    let found =
      firstExport(files.filter(isExportName))
      ?? firstArchive(archives.filter(isArchiveName))
      ?? firstExport(files.filter { !isExportName($0) })
      ?? firstArchive(archives.filter { !isArchiveName($0) })
    if let found { return found }
    // Nothing looks like an export, so use what is there to explain what is wrong.
    if let any = files.first(where: isExportName) ?? files.first ?? archives.first {
      return try OpenFile(any)
    }
    throw HealthReadError(path, .noExport(isFolder: true))
  }

  private static func isArchiveName(_ path: String) -> Bool {
    parts(of: path).last?.lowercased() == "export.zip"
  }

  private static func firstExport(_ paths: [String]) -> OpenFile? {
    first(of: paths) { beginsAsExport(PlainSource($0, HealthReadProgress())) }
  }

  private static func firstArchive(_ paths: [String]) -> OpenFile? {
    first(of: paths) { file in
      guard (try? isArchive(file)) == true, let entry = try? export(inArchive: file) else {
        return false
      }
      return isExportName(entry.name)
        || (try? ZipSource(file, entry)).map(beginsAsExport) == true
    }
  }

  private static func first(of paths: [String], where isIt: (OpenFile) -> Bool) -> OpenFile? {
    for path in paths.prefix(most) {
      if let file = try? OpenFile(path), file.isRegular, isIt(file) { return file }
    }
    return nil
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
