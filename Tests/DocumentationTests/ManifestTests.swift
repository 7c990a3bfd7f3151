import Foundation
import TestSupport
import Testing

/// A module that is imported and not declared builds as long as its neighbors were built before it.
/// A clean build may then fail, on another machine and at another time.
struct ManifestTests {
  @Test func everyImportIsDeclared() throws {
    let manifest = try Self.text("Package.swift")
    let targets = manifest.matches(
      of: /(?s)\.(\w*[tT]arget)\(\s*name: "([\w-]+)"(.*?)(?=\n    (?:\.|\/\/|\])|\n  \])/)
    let names = Set(targets.map { String($0.output.2) })
    #expect(names.count > 40)
    for target in targets {
      let name = String(target.output.2)
      let rest = target.output.3
      let folder =
        rest.firstMatch(of: /path: "([^"]+)"/).map { String($0.output.1) }
        ?? "\(target.output.1 == "testTarget" ? "Tests" : "Sources")/\(name)"
      let declared = Set(
        (rest.firstMatch(of: /(?s)dependencies: \[(.*?)\]/)?.output.1 ?? "")
          .matches(of: /"([\w-]+)"/).map { String($0.output.1) })
      for (file, module) in try Self.imports(in: folder)
      where names.contains(module) && module != name {
        #expect(declared.contains(module), "\(file) imports \(module): add it to \(name)")
      }
    }
  }

  private static func imports(in folder: String) throws -> [(file: String, module: String)] {
    let files = FileManager.default.enumerator(atPath: Fixtures.root.appending(path: folder).path)
    return try (files?.allObjects ?? []).compactMap { $0 as? String }
      .filter { $0.hasSuffix(".swift") }
      .flatMap { file in
        let line = /(?m)^(?:@?\w+ )*import (?:struct |enum |class |func )?(\w+)/
        return try text("\(folder)/\(file)").matches(of: line).map {
          ("\(folder)/\(file)", String($0.output.1))
        }
      }
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Fixtures.root.appending(path: path), encoding: .utf8)
  }
}
