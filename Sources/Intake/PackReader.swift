import ContextQuality
import IncrementalJSON
import Mustache

/// Reads the files of a pack, with the file and line of whatever is wrong.
struct PackReader {
  let files: [String: String]
  let folder: String

  func text(_ path: String) throws(PromptPackError) -> String {
    guard let text = files[path] else {
      throw PromptPackError(file: "\(folder)/\(path)", reason: "the file is missing")
    }
    return Self.withoutComments(text).trimmed
  }

  func json(_ path: String) throws(PromptPackError) -> JSONValue {
    do {
      return try JSONValue(parsing: try raw(path))
    } catch let error as JSONError {
      throw PromptPackError(file: "\(folder)/\(path)", line: error.line, reason: error.reason)
    } catch {
      throw PromptPackError(file: "\(folder)/\(path)", reason: "the file is missing")
    }
  }

  func string(
    _ object: JSONValue, _ key: String, in path: String
  ) throws(PromptPackError) -> String {
    guard let value = object[key]?.stringValue, !value.isEmpty else {
      throw PromptPackError(
        file: "\(folder)/\(path)",
        reason: "\(key): expected a text, found \(object[key]?.serialized() ?? "nothing")")
    }
    return value
  }

  func rubric(_ path: String) throws(PromptPackError) -> Rubric {
    do {
      return try Rubric(json: try raw(path), file: "\(folder)/\(path)")
    } catch let error as RubricError {
      throw PromptPackError(file: error.file, line: error.line, reason: error.reason)
    } catch {
      throw PromptPackError(file: "\(folder)/\(path)", reason: "the file is missing")
    }
  }

  func facet(
    _ manifest: JSONValue, _ key: String, _ rubric: Rubric
  ) throws(PromptPackError) -> Facet? {
    guard let value = manifest[key], value != .null else { return nil }
    guard let facet = Facet(value.stringValue ?? ""), rubric[facet] != nil else {
      throw PromptPackError(
        file: "\(folder)/pack.json",
        reason: "\(key): expected a facet of the rubric, found \(value.serialized())")
    }
    return facet
  }

  func careTexts(named names: Set<String>) throws(PromptPackError) -> [String: String] {
    var texts: [String: String] = [:]
    for name in names { texts[name] = try text("care/\(name).md") }
    return texts
  }

  func templates(_ names: [TemplateName]) throws(PromptPackError) -> [String: MustacheTemplate] {
    var templates: [String: MustacheTemplate] = [:]
    for name in names {
      let path = "\(name.rawValue).mustache"
      let source = try raw(path)
      try checkVariables(source, name, path)
      templates[name.rawValue] = try template(source, path)
    }
    return templates
  }

  func raw(_ path: String) throws(PromptPackError) -> String {
    guard let text = files[path] else {
      throw PromptPackError(file: "\(folder)/\(path)", reason: "the file is missing")
    }
    return text
  }

  private func template(
    _ source: String, _ path: String
  ) throws(PromptPackError) -> MustacheTemplate {
    do {
      // Prompts are plain text: nothing in them is escaped for HTML.
      return try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}" + Self.withoutComments(source))
    } catch let error as MustacheTemplate.ParserError {
      throw PromptPackError(
        file: "\(folder)/\(path)", line: error.context.lineNumber, reason: "\(error.error)")
    } catch {
      throw PromptPackError(file: "\(folder)/\(path)", reason: "\(error)")
    }
  }

  /// A misspelt name would render to nothing, silently.
  private func checkVariables(
    _ source: String, _ name: TemplateName, _ path: String
  ) throws(PromptPackError) {
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      for tag in Self.tags(line) where !name.variables.contains(tag) && tag != "." {
        let known = name.variables.sorted().joined(separator: ", ")
        throw PromptPackError(
          file: "\(folder)/\(path)", line: index + 1,
          reason: "{{\(tag)}} is not known here; this template can use: \(known)")
      }
    }
  }

  private static func tags(_ line: Substring) -> [String] {
    line.split(separator: "{{").dropFirst(line.hasPrefix("{{") ? 0 : 1).compactMap { piece in
      guard let end = piece.firstRange(of: "}}")?.lowerBound else { return nil }
      let tag = piece[..<end].drop { "#^/{&".contains($0) || $0.isWhitespace }
      return tag.hasPrefix("!") || tag.hasPrefix("%") ? nil : String(tag).trimmed
    }
  }

  /// Lines that begin with `<!--` and end with `-->` are notes to whoever edits the file.
  private static func withoutComments(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !($0.hasPrefix("<!--") && $0.hasSuffix("-->")) }
      .joined(separator: "\n")
  }
}

extension StringProtocol {
  var trimmed: String {
    var scalars = Substring(self).unicodeScalars
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(scalars)
  }
}
