import ContextQuality
import IncrementalJSON
import Mustache
import Synchronization

/// Reads a pack's files. Errors name the file, and the line if it is known.
struct PackReader {
  let files: [String: String]
  let folder: String

  func text(_ path: String) throws(PackError) -> String {
    let text = Self.withoutComments(try raw(path)).trimmed
    guard !text.isEmpty else { throw empty(path) }
    return text
  }

  func empty(_ path: String) -> PackError {
    PackError(file: "\(folder)/\(path)", reason: "expected a text, found none")
  }

  func json(_ path: String) throws(PackError) -> PackDocument {
    try PackDocument(raw(path), file: "\(folder)/\(path)")
  }

  /// Files that packs of format 1 could have. What a message does is read since then.
  private static let phraseLists = [
    "intents.json", "signals/ending.txt", "signals/shared/ending.txt",
  ]

  /// Refuses files that would have no effect, and formats of newer builds.
  func checkFormat(_ manifest: PackDocument) throws(PackError) {
    let format = manifest.root["format"] ?? 1
    guard let number = format.intValue, (1...2).contains(number) else {
      throw manifest.wrong(
        "format: expected 1 or 2, found \(format.serialized())", at: "format")
    }
    let old = Self.phraseLists.filter { files[$0] != nil }
    guard let first = old.first else { return }
    let others = old.dropFirst().map { ", as is \($0)" }.joined()
    throw PackError(
      file: "\(folder)/\(first)",
      reason: "this file is no longer read\(others): a model reads what a message does. Labels of "
        + "choices go into languages/CODE.json under \"choices\". Remove what is named, and set "
        + "\"format\": 2 in pack.json")
  }

  func rubric(_ path: String) throws(PackError) -> Rubric {
    try Rubric(json: try raw(path), file: "\(folder)/\(path)")
  }

  func careTexts(named names: Set<String>, _ faults: inout PackFaults) -> [String: String] {
    var texts: [String: String] = [:]
    for name in names.sorted() {
      texts[name] = faults.gather(try text("care/\(name).md"))
    }
    return texts
  }

  func templates(
    _ names: [TemplateName], parsesNow: Bool, _ faults: inout PackFaults
  ) -> [String: PromptTemplate] {
    var templates: [String: PromptTemplate] = [:]
    for name in names {
      if name.isOptional, files[name.path] == nil { continue }
      templates[name.rawValue] = faults.gather(try template(name, parsesNow: parsesNow))
    }
    return templates
  }

  private func template(
    _ name: TemplateName, parsesNow: Bool
  ) throws(PackError) -> PromptTemplate {
    let source = try raw(name.path)
    let text = Self.withoutComments(source)
    guard !text.trimmed.isEmpty else { throw empty(name.path) }
    let template = PromptTemplate(text)
    guard parsesNow else { return template }
    var faults = PackFaults()
    faults.gather(try checkVariables(source, name, name.path))
    faults.gather(try check(template, name))
    try faults.raise()
    return template
  }

  func raw(_ path: String) throws(PackError) -> String {
    guard let text = files[path] else {
      throw PackError(file: "\(folder)/\(path)", reason: "the file is missing")
    }
    return text
  }

  /// A prompt must have text even if nothing is known, so that no model gets a blank one.
  private func check(_ template: PromptTemplate, _ name: TemplateName) throws(PackError) {
    let file = "\(folder)/\(name.path)"
    let text = try template.parsed(file).render([String: Any]())
    if name.needsText, text.allSatisfy(\.isWhitespace) {
      throw PackError(
        file: file, reason: "expected text outside of sections, found none: the prompt can be blank"
      )
    }
  }

  /// A misspelled name would silently render to nothing.
  private func checkVariables(
    _ source: String, _ name: TemplateName, _ path: String
  ) throws(PackError) {
    let variables = name.variables
    var faults = PackFaults()
    for (line, tag) in Self.tags(source) where !variables.contains(tag) && tag != "." {
      faults.add(
        PackError(
          file: "\(folder)/\(path)", line: line, reason: Self.unknown(tag, variables)))
    }
    try faults.raise()
  }

  /// The same for a text inside a JSON file.
  static func checkVariables(
    _ source: String, _ variables: Set<String>, _ document: PackDocument, at name: String
  ) throws(PackError) {
    var faults = PackFaults()
    for (_, tag) in tags(source) where !variables.contains(tag) && tag != "." {
      faults.add(document.wrong("\(name): " + unknown(tag, variables), in: .string(source)))
    }
    try faults.raise()
  }

  private static func unknown(_ tag: String, _ known: Set<String>) -> String {
    let names = known.sorted()
    let hint = tag.nearest(among: names).map { "; did you mean {{\($0)}}?" } ?? ""
    return "{{\(tag)}} is not known here; "
      + (known.isEmpty
        ? "this template has no variables"
        : "this template can use: \(names.joined(separator: ", "))") + hint
  }

  /// The names in braces, each with its line.
  static func tags(_ source: String) -> [(line: Int, tag: String)] {
    var tags: [(Int, String)] = []
    var rest = source.utf8[...]
    var line = 1
    while let brace = rest.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == 0x0A }) {
      let isOpening = rest[brace...].starts(with: "{{".utf8)
      if rest[brace] == 0x0A { line += 1 }
      rest = rest[brace...].dropFirst(isOpening ? 2 : 1)
      guard isOpening, let end = rest.firstIndex(of: UInt8(ascii: "}")) else { continue }
      let tag = Substring(rest[..<end]).drop { "#^/{&".contains($0) || $0.isWhitespace }
      if !tag.hasPrefix("!") && !tag.hasPrefix("%") { tags.append((line, tag.trimmed)) }
      rest = rest[end...]
    }
    return tags
  }

  /// Lines that start with `<!--` and end with `-->` are notes for the file's editors.
  private static func withoutComments(_ text: String) -> String {
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    return lines.lazy
      .map { line in
        // An empty line in its place keeps later line numbers correct.
        let isNote = line.starts(with: "<!--".utf8) && Substring(line).hasSuffix("-->")
        return isNote ? "" : Substring(line)
      }.joined(separator: "\n")
  }
}

/// A template, parsed on first use. A turn needs only two or three of a pack's templates.
final class PromptTemplate: Sendable {
  let source: String
  private let template = Mutex<MustacheTemplate?>(nil)

  init(_ source: String) {
    // Prompts are plain text, so nothing is escaped for HTML.
    self.source = "{{% CONTENT_TYPE:TEXT}}" + source
  }

  /// - Parameter file: For errors.
  func parsed(_ file: String) throws(PackError) -> MustacheTemplate {
    do {
      return try template.withLock { template in
        if let template { return template }
        let parsed = try MustacheTemplate(string: source)
        template = parsed
        return parsed
      }
    } catch let error as MustacheTemplate.ParserError {
      throw PackError(
        file: file, line: error.context.lineNumber,
        reason: "a tag is left open, closed out of order, or not closed by }} (\(error.error))")
    } catch {
      throw PackError(file: file, reason: "\(error)")
    }
  }
}
