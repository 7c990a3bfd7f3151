import Foundation
import TestSupport
import Testing

/// `make install` and `make uninstall`, with programs that are built already.
@Suite(.serialized, .integration)
struct InstallTests {
  private let household = try? Household()

  private var prefix: String { (household?.folder ?? "") + "/usr local" }

  private func run(_ command: String) throws -> RunResult {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = Fixtures.root
    process.environment = [
      "PATH": "/usr/bin:/bin", "HOME": prefix, "LANG": "C.UTF-8", "MANWIDTH": "80",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let problems = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return RunResult(output: text, errors: problems, status: process.terminationStatus)
  }

  private func make(_ target: String) throws -> RunResult {
    let built = ChildProcess.program.deletingLastPathComponent().path
    return try run(
      "make \(target) PREFIX='\(prefix)' PROGRAMS=\(built)/rapport "
        + "MANUAL_PAGES=\(built)/manual-pages MANUAL='\(household?.folder ?? "")/manual'")
  }

  private func files() throws -> Set<String> {
    let all = try FileManager.default.subpathsOfDirectory(atPath: prefix)
    return Set(
      all.filter { path in
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(
          atPath: prefix + "/" + path, isDirectory: &isFolder)
        return isThere && !isFolder.boolValue
      })
  }

  @Test func everythingIsPutInPlaceAndTakenAwayAgain() throws {
    let foreign = "share/man/man1/rapport-friend.1"
    try FileManager.default.createDirectory(
      atPath: prefix + "/share/man/man1", withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(filePath: prefix + "/" + foreign))
    let installed = try make("install-files")
    #expect(installed.status == 0, "\(installed.errors)")
    let found = try files()
    for file in [
      "bin/rapport", "share/man/man1/rapport.1", "share/man/man1/rapport-chat.1",
      "share/man/man1/rapport-sessions-prune.1", "share/bash-completion/completions/rapport",
      "share/zsh/site-functions/_rapport", "share/fish/vendor_completions.d/rapport.fish",
    ] { #expect(found.contains(file), "\(file) is not in \(found)") }
    let version = try run("'\(prefix)/bin/rapport' --version")
    #expect(version.status == 0 && version.output.hasPrefix("rapport"), "\(version)")
    try expectReadablePages()
    let removed = try make("uninstall")
    #expect(removed.status == 0, "\(removed.errors)")
    #expect(try files() == [foreign])
    let left = try FileManager.default.subpathsOfDirectory(atPath: prefix)
    #expect(left.sorted() == ["share", "share/man", "share/man/man1", foreign])
    let again = try make("uninstall")
    #expect(again.status != 0 && again.output.contains("Nothing is installed"), "\(again)")
  }

  private func expectReadablePages() throws {
    let pages = "'\(prefix)'/share/man/man1/rapport.1 '\(prefix)'/share/man/man1/rapport-[!f]*.1"
    let lint = try run("mandoc -T lint -W warning \(pages)")
    #expect(lint.status == 0 && lint.output.isEmpty, "\(lint.output)\(lint.errors)")
    let text = try page("rapport-chat")
    for words in ["rapport-chat", "--base-url url", "EXAMPLES", "rapport chat --offline"] {
      #expect(text.contains(words), "\(words) is not in\n\(text)")
    }
    let main = try page("rapport")
    #expect(main.contains("EXIT STATUS") && main.contains("rapport-sessions(1)"), "\(main)")
  }

  /// A page as it is read, without the marks for bold type.
  private func page(_ name: String) throws -> String {
    try run("mandoc -T utf8 '\(prefix)/share/man/man1/\(name).1'").output
      .replacing(#/.\x{8}/#, with: "")
  }
}
