import CZlib
import Foundation
import Testing

@testable import HealthRecords

/// Exports inside of archives and folders.
struct ArchiveTests {
  private static let xml = Array(
    export(
      record("BodyMass", "81.5", unit: "kg", source: "Scale", start: "2026-01-10 07:00:00 +0100")
    ).utf8)

  private func mass(_ archive: [UInt8]) throws -> Double? {
    let file = try TemporaryFile(archive, name: "archive")
    return try HealthExport(file.path).snapshot(options()).series[.bodyMass]?.latest
  }

  private func reason(_ archive: [UInt8]) throws -> HealthReadError.Reason {
    let file = try TemporaryFile(archive, name: "archive")
    return try #require(throws: HealthReadError.self) {
      try HealthExport(file.path).snapshot(options())
    }.reason
  }

  @Test(arguments: [true, false], [true, false])
  func theExportIsFoundAmongOtherFiles(isDeflated: Bool, isLarge: Bool) throws {
    var archive = TestArchive(isLarge: isLarge)
    archive.add("apple_health_export/export_cda.xml", Array("<ClinicalDocument/>".utf8))
    archive.add("apple_health_export/workout-routes/route.gpx", [1, 2, 3])
    archive.add("apple_health_export/export.xml", Self.xml, isDeflated: isDeflated)
    #expect(try mass(archive.bytes) == 81.5)
  }

  @Test(arguments: [
    "apple_health_export/Exportación.xml", "apple_health_export/导出.xml", "Export.XML",
  ])
  func phonesInOtherLanguagesNameItInTheirOwn(name: String) throws {
    var archive = TestArchive()
    archive.add("apple_health_export/export_cda.xml", [UInt8](repeating: 32, count: 5000))
    archive.add(name, Self.xml)
    #expect(try mass(archive.bytes) == 81.5)
  }

  @Test(arguments: [
    "../../.ssh/authorized_keys", "../export.xml", "/etc/export.xml", "notes.txt",
    "a/../../export.xml", "..\\export.xml", "__MACOSX/apple_health_export/export.xml",
  ])
  func whatLiesElsewhereIsNoExport(name: String) throws {
    var archive = TestArchive()
    archive.add(name, Self.xml)
    #expect(try reason(archive.bytes) == .noExport(isFolder: false))
  }

  @Test func anArchiveInAnArchiveIsNamed() throws {
    var archive = TestArchive()
    archive.add("backup/health.zip", Self.xml)
    #expect(try reason(archive.bytes) == .nested("backup/health.zip"))
    archive.add("apple_health_export/export.xml", Self.xml)
    #expect(try mass(archive.bytes) == 81.5)
  }

  @Test(arguments: [
    "phone-backup/apple_health_export/export.xml", "a/b/c/d/Exportación.xml", "a/b/c.xml",
    "backup\\apple_health_export\\export.xml",
  ])
  func theExportIsFoundAtAnyDepth(name: String) throws {
    var archive = TestArchive()
    archive.add("__MACOSX/phone-backup/export.xml", [0, 5, 22])
    archive.add("phone-backup/notes/export.xml", Self.other)
    archive.add(name, Self.xml)
    #expect(try mass(archive.bytes) == 81.5)
  }

  @Test func anArchiveThatUnpacksToFarTooMuchIsStopped() throws {
    var archive = TestArchive()
    archive.add(
      "export.xml", [UInt8](repeating: 32, count: 200 << 20), isDeflated: true)
    guard case .tooLarge = try reason(archive.bytes) else {
      Issue.record("200 MB of blanks in 200 KB were read")
      return
    }
  }

  @Test func damageIsNoticed() throws {
    var archive = TestArchive()
    archive.add("export.xml", Self.xml, isDeflated: true)
    let whole = archive.bytes
    for index in [40, 45, 60, 80] {
      var damaged = whole
      damaged[index] ^= 0x55
      #expect(throws: HealthReadError.self) { try mass(damaged) }
    }
    for length in [0, 3, 10, 100, whole.count - 30, whole.count - 1] {
      #expect(throws: HealthReadError.self) { try mass(Array(whole.prefix(length))) }
    }
  }

  /// Whichever byte is damaged, the archive is refused, or the byte was one that nothing needs.
  @Test func aDamagedArchiveIsRefusedOrReadAsIfItWereWhole() throws {
    var archive = TestArchive(isLarge: true)
    archive.add("export.xml", Self.xml, isDeflated: true)
    let whole = archive.bytes
    var refused = 0
    for index in whole.indices {
      var damaged = whole
      damaged[index] = damaged[index] == 0xFF ? 0 : 0xFF
      do {
        #expect(try mass(damaged) == 81.5, "byte \(index)")
      } catch is HealthReadError {
        refused += 1
      }
    }
    #expect(refused > whole.count / 2, "\(refused) of \(whole.count)")
  }

  @Test func passwordsAndUnknownPackingAreNamed() throws {
    var archive = TestArchive()
    archive.add("export.xml", Self.xml, flags: 1)
    #expect(try reason(archive.bytes) == .encrypted)
    archive = TestArchive()
    archive.add("export.xml", Self.xml, method: 93)
    #expect(try reason(archive.bytes) == .packing(method: 93))
  }

  @Test func aFolderHoldsTheExportOrTheArchive() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "rapport-folder-\(UInt64.random(in: .min ... .max))")
    let inner = folder.appending(path: "apple_health_export")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func mass() throws -> Double? {
      try HealthExport(folder.path).snapshot(options()).series[.bodyMass]?.latest
    }
    #expect(throws: HealthReadError.self) { try mass() }
    var archive = TestArchive()
    archive.add("export.xml", Self.xml)
    try Data(archive.bytes).write(to: folder.appending(path: "export.zip"))
    #expect(try mass() == 81.5)
    try Data(String(decoding: Self.xml, as: UTF8.self).replacing("81.5", with: "82").utf8)
      .write(to: inner.appending(path: "export.xml"))
    #expect(try mass() == 82)
  }

  private static let other = Array("<project/>\(String(repeating: " ", count: 9000))".utf8)

  @Test func amongOtherXMLTheExportIsKnownByItsBeginning() throws {
    var archive = TestArchive()
    archive.add("apple_health_export/a.xml", Self.other, isDeflated: true)
    archive.add("apple_health_export/datos.xml", Self.xml, isDeflated: true)
    #expect(try mass(archive.bytes) == 81.5)
    archive = TestArchive()
    archive.add("pom.xml", Self.other)
    #expect(try reason(archive.bytes) == .otherDocument(root: "project"))
  }

  /// What is beside an export does not matter, whatever it is called.
  @Test(arguments: [
    ["export.zip": true, "pom.xml": false], ["Export.ZIP": true, "a.zip": false],
    ["a.xml": false, "datos.xml": true], ["pom.xml": false, "photos.zip": false, "zz.zip": true],
    ["export.zip": false, "my health.zip": true], ["a.xml": false, "b.zip": true],
    ["export_cda.xml": false, "datos.xml": true],
    ["apple_health_export/datos.xml": true, "export_cda.xml": false, "a.xml": false],
    ["phone-backup/apple_health_export/export.xml": true, "export.xml": false],
    ["phone/apple_health_export/Exportación.xml": true, "a.xml": false],
    ["a/b/c/my health.zip": true, "a/pom.xml": false],
  ])
  func inAFolderTheExportIsFound(files: [String: Bool]) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "rapport-folder-\(UInt64.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, isExport) in files {
      var bytes = isExport ? Self.xml : Self.other
      if name.lowercased().hasSuffix(".zip") {
        var archive = TestArchive()
        archive.add(isExport ? "apple_health_export/export.xml" : "pom.xml", bytes)
        bytes = archive.bytes
      }
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    #expect(try HealthExport(folder.path).snapshot(options()).series[.bodyMass]?.latest == 81.5)
  }

  @Test func aFolderThatLeadsBackToItselfEnds() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "rapport-folder-\(UInt64.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    let inner = folder.appending(path: "a")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: inner.appending(path: "back"), withDestinationURL: folder)
    let error = try #require(throws: HealthReadError.self) {
      try HealthExport(folder.path).snapshot(options())
    }
    #expect(error.reason == .noExport(isFolder: true))
  }

  @Test func errorsSayTheLine() throws {
    let file = try TemporaryFile(Array(export(" <Record/>\n</Nonsense>\n").utf8))
    let error = try #require(throws: HealthReadError.self) {
      try HealthExport(file.path).snapshot(options())
    }
    #expect(error.reason == .mismatch && error.line == 5)
    #expect(error.description.hasSuffix("(line 5, byte \(error.byte ?? 0))"))
  }
}

/// Writes ZIP archives, as little as is needed.
struct TestArchive {
  private var files: [UInt8] = []
  private var table: [UInt8] = []
  private var count = 0
  /// With sizes and places as archives of 4 GiB and more have them.
  private let isLarge: Bool

  init(isLarge: Bool = false) { self.isLarge = isLarge }

  mutating func add(
    _ name: String, _ bytes: [UInt8], isDeflated: Bool = false, method: Int? = nil, flags: Int = 0
  ) {
    let packed = isDeflated ? Self.deflated(bytes) : bytes
    let checksum = Int(crc32_z(0, bytes, bytes.count))
    let offset = files.count
    let method = method ?? (isDeflated ? 8 : 0)
    files += number(0x0403_4B50, 4) + number(20, 2) + number(flags, 2) + number(method, 2)
    files += number(0, 4) + number(checksum, 4) + number(packed.count, 4) + number(bytes.count, 4)
    files += number(name.utf8.count, 2) + number(0, 2) + Array(name.utf8) + packed
    let extra =
      isLarge
      ? number(1, 2) + number(24, 2) + number(bytes.count, 8) + number(packed.count, 8)
        + number(offset, 8) : []
    let mark = 0xFFFF_FFFF
    table += number(0x0201_4B50, 4) + number(20, 2) + number(20, 2) + number(flags, 2)
    table += number(method, 2) + number(0, 4) + number(checksum, 4)
    table += number(isLarge ? mark : packed.count, 4) + number(isLarge ? mark : bytes.count, 4)
    table += number(name.utf8.count, 2) + number(extra.count, 2) + number(0, 2) + number(0, 2)
    table += number(0, 2) + number(0, 4) + number(isLarge ? mark : offset, 4) + Array(name.utf8)
    table += extra
    count += 1
  }

  var bytes: [UInt8] {
    var all = files + table
    let mark = 0xFFFF_FFFF
    if isLarge {
      let end = all.count
      all += number(0x0606_4B50, 4) + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 4)
      all += number(0, 4) + number(count, 8) + number(count, 8) + number(table.count, 8)
      all += number(files.count, 8)
      all += number(0x0706_4B50, 4) + number(0, 4) + number(end, 8) + number(1, 4)
    }
    all += number(0x0605_4B50, 4) + number(0, 2) + number(0, 2) + number(count, 2)
    all += number(count, 2) + number(isLarge ? mark : table.count, 4)
    return all + number(isLarge ? mark : files.count, 4) + number(0, 2)
  }

  private func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    deflateInit2_(
      &stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    var input = bytes
    let written = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        deflate(&stream, Z_FINISH)
        return target.count - Int(stream.avail_out)
      }
    }
    return Array(output.prefix(written))
  }
}
