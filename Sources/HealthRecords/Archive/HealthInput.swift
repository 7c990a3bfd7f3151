internal import FoundationEssentials
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

  /// The export among an archive's files. Phones set to other languages translate its name
  /// (`Exportación.xml`), so otherwise it is the largest XML file that starts like an export, or
  /// the largest of all, to explain what is wrong with it.
  private static func export(inArchive file: OpenFile) throws(HealthReadError) -> ZipEntry? {
    let entries = try ZipDirectory.entries(of: file)
    let names = candidates(among: entries.map { ($0.name, $0.size) })
    let found = names.compactMap { name in entries.first { $0.name == name } }
    if let first = found.first, isExportName(first.name) { return first }
    return found.first { (try? ZipSource(file, $0)).map(beginsAsExport) == true } ?? found.first
  }

  /// The files that may be the export, the most likely first. Paths that lead out of the archive
  /// never qualify.
  private static func candidates(among files: [(name: String, size: Int)]) -> [String] {
    let candidates = files.filter { name, _ in
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      return name.lowercased().hasSuffix(".xml") && !parts.contains("..") && parts.first != ""
        && !name.contains("\\") && parts.count <= 2 && !parts.contains("__MACOSX")
        && !name.lowercased().hasSuffix("cda.xml")
    }
    let sorted = candidates.sorted { ($1.size, $0.name) < ($0.size, $1.name) }
    return (sorted.filter { isExportName($0.name) } + sorted.filter { !isExportName($0.name) })
      .prefix(most).map(\.name)
  }

  /// The most files to look into.
  private static let most = 100

  private static func isExportName(_ name: String) -> Bool {
    name.split(separator: "/").last?.lowercased() == "export.xml"
  }

  private static func beginsAsExport(_ source: any ByteSource) -> Bool {
    let capacity = 64 << 10
    let head = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    defer { head.deallocate() }
    guard let count = try? source.read(into: head, capacity) else { return false }
    let bytes = UnsafeBufferPointer(start: head.assumingMemoryBound(to: UInt8.self), count: count)
    return bytes.holds("<healthdata") || bytes.holds("<!doctype healthdata")
  }

  /// Looks for known names in the folder and in the one Apple's archive unpacks to, as XML and as
  /// an archive; then at how files start.
  private static func export(inFolder path: String) throws(HealthReadError) -> OpenFile {
    let folder = path.hasSuffix("/") ? path : path + "/"
    let files = [folder, folder + "apple_health_export/"].flatMap { inner in
      candidates(among: names(in: inner).map { ($0, size(of: inner + $0)) }).map { inner + $0 }
    }
    let archives = names(in: folder).filter { $0.lowercased().hasSuffix(".zip") }.sorted()
    let (named, others) = (
      archives.filter { $0.lowercased() == "export.zip" },
      archives.filter { $0.lowercased() != "export.zip" }
    )
    if let file = files.first(where: isExportName) { return try OpenFile(file) }
    if let file = firstArchive(named, folder) { return file }
    let begun = files.first { path in
      guard let file = try? OpenFile(path), file.isRegular else { return false }
      return beginsAsExport(PlainSource(file, HealthReadProgress()))
    }
    if let begun { return try OpenFile(begun) }
    if let file = firstArchive(Array(others.prefix(most)), folder) { return file }
    // Nothing looks like an export, so use what is there to explain what is wrong.
    if let any = files.first ?? archives.first.map({ folder + $0 }) { return try OpenFile(any) }
    throw HealthReadError(path, .noExport(isFolder: true))
  }

  private static func firstArchive(_ names: [String], _ folder: String) -> OpenFile? {
    for name in names {
      if let file = try? OpenFile(folder + name), file.isRegular, (try? isArchive(file)) == true,
        let entry = try? export(inArchive: file),
        isExportName(entry.name)
          || (try? ZipSource(file, entry)).map(beginsAsExport) == true
      {
        return file
      }
    }
    return nil
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
