import ContextQuality

/// A file of phrases under headings. A pack's `care/everywhere.txt` explains the syntax.
struct PhraseFile {
  struct Section {
    /// The words between the brackets.
    var heading: [String]
    /// Counted from 1.
    var line: Int
    var entries: [Entry] = []
  }

  struct Entry {
    enum Mark {
      case phrase
      /// `-`: if it matches, the section does not.
      case exception
      /// `!`: its words are left out before the section looks.
      case idiom
      /// `=`: counts when denied, too.
      case evenDenied
    }

    enum Content {
      case pattern(PhrasePattern)
      /// `"…"`: characters rather than words; `^"…"` only at the beginning.
      case literal(String, isAtStart: Bool)
    }

    var mark: Mark
    var content: Content
  }

  let name: String
  private let head: [(number: Int, text: UTF8Line)]
  private let body: [(number: Int, text: UTF8Line)]

  /// - Parameter name: The file's name, for errors.
  init(_ text: String, name: String) {
    self.name = name
    let lines = Array(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false)
      .enumerated().map { (number: $0.offset + 1, text: Self.trimmed($0.element)) }
      .filter { !Self.isComment($0.text) }
    let start = lines.firstIndex { $0.text.first == UInt8(ascii: "[") } ?? lines.endIndex
    (head, body) = (Array(lines[..<start]), Array(lines[start...]))
  }

  /// The files whose lists it uses, from lines such as `use people`.
  var used: [String] {
    head.compactMap { line in
      let words = String(decoding: line.text, as: UTF8.self).split(separator: " ")
      return words.count == 2 && words[0] == "use" ? String(words[1]) : nil
    }
  }

  /// Adds the lists before the first heading, `@name a|b_c`.
  func define(in lists: inout PhrasePattern.Lists) throws(PackError) {
    var faults = PackFaults()
    for line in head where !line.text.starts(with: "use ".utf8) {
      do throws(PhrasePattern.Malformed) {
        guard line.text.first == UInt8(ascii: "@") else {
          throw PhrasePattern.Malformed(reason: "expected a heading in brackets first")
        }
        try lists.define(line.text.dropFirst())
      } catch {
        faults.add(self.error(line.number, error.reason))
      }
    }
    try faults.raise()
  }

  func sections(_ lists: PhrasePattern.Lists) throws(PackError) -> [Section] {
    var faults = PackFaults()
    var sections: [Section] = []
    for line in body {
      do throws(PhrasePattern.Malformed) {
        if line.text.first == UInt8(ascii: "[") {
          sections.append(try heading(line))
        } else {
          let entry = try Self.entry(line.text, lists)
          // The first heading may be malformed.
          if !sections.isEmpty { sections[sections.count - 1].entries.append(entry) }
        }
      } catch {
        faults.add(self.error(line.number, error.reason))
      }
    }
    try faults.raise()
    return sections
  }

  func error(_ line: Int, _ reason: String) -> PackError {
    PackError(file: name, line: line, reason: reason)
  }

  private func heading(
    _ line: (number: Int, text: UTF8Line)
  ) throws(PhrasePattern.Malformed) -> Section {
    let text = String(decoding: line.text, as: UTF8.self)
    let words = text.dropFirst().dropLast().split(separator: " ").map(String.init)
    guard text.last == "]", !words.isEmpty else {
      throw PhrasePattern.Malformed(reason: "expected a name in brackets, found \(text)")
    }
    return Section(heading: words, line: line.number)
  }

  private static func entry(
    _ line: UTF8Line, _ lists: PhrasePattern.Lists
  ) throws(PhrasePattern.Malformed) -> Entry {
    let mark: Entry.Mark =
      switch line.first {
      case UInt8(ascii: "-"): .exception
      case UInt8(ascii: "!"): .idiom
      case UInt8(ascii: "="): .evenDenied
      default: .phrase
      }
    let isAtStart = line.first == UInt8(ascii: "^")
    let quoted = isAtStart ? line.dropFirst() : line
    if quoted.first == UInt8(ascii: "\""), quoted.last == UInt8(ascii: "\""), quoted.count > 2 {
      let text = String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
      return Entry(mark: .phrase, content: .literal(text, isAtStart: isAtStart))
    }
    let rest = mark == .phrase ? line : line.dropFirst()
    return Entry(mark: mark, content: .pattern(try PhrasePattern(rest, lists)))
  }

  private static func isComment(_ line: UTF8Line) -> Bool {
    line.isEmpty || line.starts(with: "# ".utf8) || line.elementsEqual("#".utf8)
  }

  private static func trimmed(_ line: UTF8Line) -> UTF8Line {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    var rest = line.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return rest
  }
}
