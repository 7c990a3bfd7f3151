import Foundation
import TestSupport
import Testing

/// The documentation names things that exist and shows code that compiles.
struct DocumentationTests {
  private static let top = [
    "Sources/", "Tests/", "Prompts/", "Fixtures/", "Training/", "Lexicon/", "Benchmarks/",
    "Examples/", "Plugins/", "docs/", ".ci/",
  ]

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Fixtures.root.appending(path: path), encoding: .utf8)
  }

  @Test(arguments: MarkdownDocument.all)
  func everyLinkResolves(document: MarkdownDocument) throws {
    let folder = (document.path as NSString).deletingLastPathComponent
    for link in document.links {
      let halves = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let target = halves[0].isEmpty ? document.path : "\(folder)/\(halves[0])"
      #expect(MarkdownDocument.exists(target), "\(document.path) links to \(link)")
      guard halves.count == 2, target.hasSuffix(".md") else { continue }
      let anchors = try MarkdownDocument(target).anchors
      #expect(anchors.contains(String(halves[1])), "\(document.path) links to \(link)")
    }
  }

  @Test(arguments: MarkdownDocument.all)
  func everyFileNamedExists(document: MarkdownDocument) {
    for span in document.codeSpans where span.wholeMatch(of: /[\w.+\/-]+/) != nil {
      if Self.top.contains(where: span.hasPrefix) {
        #expect(MarkdownDocument.exists(span), "\(document.path) names \(span)")
      } else if span.hasSuffix(".swift"), span != "Package.swift" {
        let exists = Self.sources.contains { $0.hasSuffix("/" + span) }
        #expect(exists, "\(document.path) names \(span)")
      }
    }
  }

  private static let folders = [
    "Sources", "Training", "Tests", "Plugins", "Server/Sources", "Server/Tests",
  ]
  private static let sources: [String] = folders.flatMap { folder in
    (FileManager.default.enumerator(atPath: Fixtures.root.appending(path: folder).path)?
      .allObjects ?? []).compactMap { $0 as? String }.map { "\(folder)/\($0)" }
  }

  /// A sample stands, line by line, in a file that is compiled and whose tests run.
  @Test(arguments: MarkdownDocument.all)
  func everySwiftSampleIsCompiled(document: MarkdownDocument) throws {
    let folder = "Tests/DocumentationTests/Samples"
    let compiled = try MarkdownDocument.names(in: folder).map {
      Self.code(try Self.text("\(folder)/\($0)").components(separatedBy: "\n"))
    }
    for fence in document.fences where fence.language == "swift" {
      let sample = Self.code(fence.lines)
      #expect(
        compiled.contains { file in
          sample.imports.isSubset(of: file.imports) && file.body.contains(sample.body)
        }, "\(document.path): no file in \(folder) holds\n\(fence.lines.joined(separator: "\n"))")
    }
  }

  private static func code(_ lines: [String]) -> (imports: Set<String>, body: String) {
    let lines = lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    let imports = lines.filter { $0.hasPrefix("import ") }
    let body = lines.filter { !$0.hasPrefix("import ") }
    return (Set(imports), body.map { "\($0)\n" }.joined())
  }

  @Test(arguments: MarkdownDocument.all)
  func everyMakeTargetNamedExists(document: MarkdownDocument) throws {
    let shell = document.fences.filter { $0.language == "sh" }.flatMap(\.lines)
    for command in document.codeSpans + shell {
      guard let match = command.prefixMatch(of: /make (-C Benchmarks )?([a-z][a-z-]+)/) else {
        continue
      }
      let makefile = try Self.text(match.output.1 == nil ? "Makefile" : "Benchmarks/Makefile")
      let exists = makefile.contains("\n\(match.output.2):")
      #expect(exists, "\(document.path): \(command)")
    }
  }

  @Test func theReadmeIsShort() throws {
    #expect(try Self.text("README.md").split(separator: "\n").count <= 120)
  }

  @Test func everyPageIsLinkedFromTheReadme() throws {
    let linked = try Set(MarkdownDocument("README.md").links)
    let pages = MarkdownDocument.names(in: "docs").filter { $0.hasSuffix(".md") }
    #expect(pages.count > 20)
    for name in pages where name != "WRITING.md" {
      #expect(linked.contains("docs/\(name)"), "README.md doesn't link to docs/\(name)")
    }
  }

  @Test func everyImageIsShownOnAPage() {
    let shown = MarkdownDocument.all.filter { $0.path.hasPrefix("docs/") }.flatMap(\.links)
    for name in MarkdownDocument.names(in: "docs/images") {
      #expect(shown.contains("images/\(name)"), "no page in docs/ shows images/\(name)")
    }
  }

  @Test func theArchitecturePageNamesEveryRoom() throws {
    let page = try Self.text("docs/ARCHITECTURE.md")
    for room in MarkdownDocument.names(in: "Sources") {
      let isNamed = page.contains(room)
      #expect(isNamed, "docs/ARCHITECTURE.md doesn't mention Sources/\(room)")
    }
  }

  /// The page lists the rooms so that each uses only rooms above it.
  @Test func theArchitecturePagesOrderIsTheManifests() throws {
    let page = try MarkdownDocument("docs/ARCHITECTURE.md")
    let tree = try #require(page.fences.first { $0.lines.contains("Sources/") })
    let rooms = tree.lines.drop { $0 != "Sources/" }.dropFirst()
      .flatMap { $0.matches(of: /^  (\w+)(?:, (\w+))?/).flatMap { [$0.output.1, $0.output.2] } }
      .compactMap(\.self)
    let manifest = try Self.text("Package.swift")
    let target = /arget\(\s*name: "(\w+)",\s*dependencies: \[([^\]]*)\]/
    var checked = 0
    for match in manifest.matches(of: target) {
      guard let place = rooms.firstIndex(of: match.output.1) else { continue }
      checked += 1
      for name in match.output.2.matches(of: /"(\w+)"/).map(\.output.1) {
        guard let used = rooms.firstIndex(of: name) else { continue }
        #expect(used < place, "\(match.output.1) uses \(name), which is listed below it")
      }
    }
    #expect(checked > 10)
  }

  @Test func everyProductHasALandingPage() throws {
    let products = try Self.text("Package.swift").matches(of: /\.library\(\s*name: "(\w+)"/)
    #expect(products.count > 7)
    for product in products.map(\.output.1) {
      let page = "Sources/\(product)/\(product).docc/\(product).md"
      #expect(MarkdownDocument.exists(page), "\(page) is missing")
    }
  }

  @Test func theSwiftVersionIsTheSameEverywhere() throws {
    let tools = try Self.text("Package.swift").firstMatch(of: /swift-tools-version: (\d+\.\d+)/)
    let version = try #require(tools?.output.1)
    for path in ["README.md", "Makefile"] {
      let said = try Self.text(path).matches(of: /Swift (\d+\.\d+)/).map(\.output.1)
      #expect(said == [version], "\(path) says \(said)")
    }
  }

  @Test func theNoticeNamesEveryDependency() throws {
    let notice = try Self.text("NOTICE").lowercased()
    let resolved = try Self.text("Package.resolved").matches(of: /"identity" : "([^"]+)"/)
    #expect(!resolved.isEmpty)
    for package in resolved.map(\.output.1) {
      let isNamed = notice.contains(package.replacing(".swift", with: ""))
      #expect(isNamed, "NOTICE leaves out \(package)")
    }
  }

  @Test func theSettingsPageListsEveryVariable() throws {
    func variables(_ text: String) -> Set<Substring> {
      Set(text.matches(of: /(RAPPORT|SUPABASE)_[A-Z_]+/).map(\.output.0))
    }
    let page = try variables(Self.text("docs/setup.md"))
    #expect(try page == variables(Self.text(".env.example")))
  }
}
