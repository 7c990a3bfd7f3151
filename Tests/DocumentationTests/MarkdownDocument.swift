import Foundation
import TestSupport
import Testing

/// A page of the documentation, taken apart into what a test can check.
struct MarkdownDocument: CustomTestStringConvertible {
  /// Relative to the package's top folder.
  let path: String
  let text: String
  let fences: [Fence]
  /// The lines outside of code blocks.
  let prose: [String]
  /// Targets of links, except to other sites and to symbols.
  let links: [String]
  let codeSpans: [String]

  struct Fence {
    let language: String
    let lines: [String]
  }

  var testDescription: String { path }

  static let root = Fixtures.root

  /// Every page there is: at the top, in `docs/` and `Benchmarks/`, and in the DocC catalogs.
  static let all: [MarkdownDocument] = {
    let top = names(in: "").filter { $0.hasSuffix(".md") }
    let below = ["docs", "Benchmarks", "Sources"].flatMap { folder in
      (FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.allObjects ?? [])
        .compactMap { $0 as? String }
        .filter { $0.hasSuffix(".md") && !$0.contains(".build/") }
        .map { folder + "/" + $0 }
    }
    return (top + below).sorted().compactMap { try? MarkdownDocument($0) }
  }()

  init(_ path: String) throws {
    self.path = path
    text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    (fences, prose) = Self.parts(text)
    let prose = prose.joined(separator: "\n")
    links = prose.matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }
      .filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
    codeSpans = prose.matches(of: /`([^`\n]+)`/).map { String($0.output.1) }
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).standardized.path)
  }

  static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: folder).path)) ?? []
  }

  /// Code blocks, and the prose around them.
  private static func parts(_ text: String) -> (fences: [Fence], prose: [String]) {
    var fences: [Fence] = []
    var prose: [String] = []
    var open: (language: String, lines: [String])?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if let block = open {
          fences.append(Fence(language: block.language, lines: block.lines))
          open = nil
        } else {
          open = (String(line.dropFirst(3)), [])
        }
      } else if open != nil {
        open?.lines.append(String(line))
      } else {
        prose.append(String(line))
      }
    }
    return (fences, prose)
  }

  /// The names that headings can be linked by.
  var anchors: Set<String> {
    Set(
      prose.filter { $0.hasPrefix("#") }.map { heading in
        heading.drop { $0 == "#" || $0 == " " }.lowercased()
          .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
          .replacing(" ", with: "-")
      })
  }
}
