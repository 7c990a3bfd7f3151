import IncrementalJSON

/// One command's page, in mdoc (mandoc.bsd.lv/man/mdoc.7.html).
struct ManualPage {
  /// The command as typed, such as `rapport sessions list`.
  let path: [String]
  let info: JSONValue
  let date: String

  /// The pages of a command and everything below it.
  static func pages(of info: JSONValue, below parents: [String] = [], date: String) -> [ManualPage]
  {
    let path = parents + [info["commandName"]?.stringValue ?? ""]
    let nested = subcommands(of: info).flatMap { pages(of: $0, below: path, date: date) }
    return [ManualPage(path: path, info: info, date: date)] + nested
  }

  var fileName: String { name + ".1" }

  private var name: String { path.joined(separator: "-") }

  var text: String {
    let sections = [
      head, synopsis, section("DESCRIPTION", description), options, subcommands, exitStatus,
      examples,
      seeAlso,
    ]
    return sections.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  private var head: String {
    let abstract = info["abstract"]?.stringValue ?? ""
    let title = abstract.hasSuffix(".") ? String(abstract.dropLast()) : abstract
    return """
      .Dd \(date)
      .Dt \(name.uppercased()) 1
      .Os
      .Sh NAME
      .Nm \(Roff.word(name))
      .Nd \(Roff.line(title))
      """
  }

  private var synopsis: String {
    let positionals = arguments.filter { $0["kind"]?.stringValue == "positional" }
    let words = positionals.map { argument in
      let name = "Ar \(Roff.word(argument["valueName"]?.stringValue ?? ""))"
      let shown = argument["isRepeating"] == true ? name + " ..." : name
      return argument["isOptional"] == true ? ".Op \(shown)" : ".\(shown)"
    }
    let command = Self.subcommands(of: info).isEmpty ? [] : [".Op Ar command"]
    let lines = [".Nm \(Roff.word(path.joined(separator: " ")))", ".Op Ar options"]
    return section("SYNOPSIS", lines + command + words)
  }

  // The discussion: prose, examples, and the exit codes.

  private var paragraphs: [String] {
    (info["discussion"]?.stringValue ?? "").split(separator: "\n\n").map(String.init)
  }

  private static let exampleTitles = ["Example:\n", "Examples:\n"]
  private static let exitTitle = "Exit codes: "

  private var description: [String] {
    let abstract = [info["abstract"]?.stringValue ?? ""]
    let prose = paragraphs.filter { paragraph in
      !paragraph.hasPrefix(Self.exitTitle)
        && !Self.exampleTitles.contains { paragraph.hasPrefix($0) }
    }
    return (abstract + prose).map(Roff.prose).joinedLines(by: ".Pp")
  }

  private var examples: String {
    let blocks = paragraphs.compactMap { paragraph in
      Self.exampleTitles.first { paragraph.hasPrefix($0) }.map { paragraph.dropFirst($0.count) }
    }
    let lines = blocks.flatMap { $0.split(separator: "\n") }.map { line in
      Roff.literal(line.hasPrefix("  ") ? line.dropFirst(2) : line)
    }
    guard !lines.isEmpty else { return "" }
    return section("EXAMPLES", [".Bd -literal -offset indent"] + lines + [".Ed"])
  }

  private var exitStatus: String {
    guard let paragraph = paragraphs.first(where: { $0.hasPrefix(Self.exitTitle) }) else {
      return ""
    }
    let codes = paragraph.dropFirst(Self.exitTitle.count).split(separator: ";")
    let items = codes.flatMap { code -> [String] in
      let words = code.split(separator: " ", maxSplits: 1)
      let meaning = words.count > 1 ? String(words[1]) : ""
      return [
        ".It \(words.first ?? "")", Roff.prose(meaning.hasSuffix(".") ? meaning : meaning + "."),
      ]
    }
    return section("EXIT STATUS", [".Bl -tag -width Ds"] + items + [".El"])
  }

  // Options, in the groups that `--help` shows.

  private var arguments: [JSONValue] {
    (info["arguments"]?.arrayValue ?? []).filter { $0["shouldDisplay"] != false }
  }

  private var options: String {
    guard !arguments.isEmpty else { return "" }
    let titles = arguments.map { $0["sectionTitle"]?.stringValue ?? "" }
    var groups: [String] = titles.contains("") ? [""] : []
    for title in titles where !groups.contains(title) { groups.append(title) }
    let lines = groups.flatMap { title in
      let items = zip(titles, arguments).filter { $0.0 == title }.flatMap { item($0.1) }
      return (title.isEmpty ? [] : [".Ss \(Roff.line(title))"]) + [".Bl -tag -width Ds"] + items + [
        ".El"
      ]
    }
    return section("OPTIONS", lines)
  }

  private func item(_ argument: JSONValue) -> [String] {
    let value = Roff.word(argument["valueName"]?.stringValue ?? "")
    let kind = argument["kind"]?.stringValue
    let names = (argument["names"]?.arrayValue ?? []).map { name -> String in
      let text = Roff.word(name["name"]?.stringValue ?? "")
      let flag = name["kind"]?.stringValue == "long" ? "Fl Fl \(text)" : "Fl \(text)"
      return kind == "option" ? flag + " Ar \(value)" : flag
    }
    let title = kind == "positional" ? "Ar \(value)" : names.joined(separator: " , ")
    var about = argument["abstract"]?.stringValue ?? ""
    let values = argument["allValues"]?.arrayValue?.compactMap(\.stringValue) ?? []
    if !values.isEmpty { about += " Values: \(values.joined(separator: ", "))." }
    if let initial = argument["defaultValue"]?.stringValue, kind != "flag" {
      about += " Default: \(initial)."
    }
    return [".It \(title)", Roff.prose(about)]
  }

  // Other commands.

  private static func subcommands(of info: JSONValue) -> [JSONValue] {
    (info["subcommands"]?.arrayValue ?? []).filter {
      $0["commandName"] != "help" && $0["shouldDisplay"] != false
    }
  }

  private var subcommands: String {
    let items = Self.subcommands(of: info).flatMap { command in
      let page = name + "-" + (command["commandName"]?.stringValue ?? "")
      return [".It Xr \(Roff.word(page)) 1", Roff.prose(command["abstract"]?.stringValue ?? "")]
    }
    guard !items.isEmpty else { return "" }
    return section("COMMANDS", [".Bl -tag -width Ds"] + items + [".El"])
  }

  private var seeAlso: String {
    guard path.count > 1 else { return "" }
    let parents = (1..<path.count).map { path.prefix($0).joined(separator: "-") }
    let lines = parents.sorted().enumerated().map { index, page in
      ".Xr \(Roff.word(page)) 1" + (index < parents.count - 1 ? " ," : "")
    }
    return section("SEE ALSO", lines)
  }

  private func section(_ title: String, _ lines: [String]) -> String {
    ([".Sh \(title)"] + lines).joined(separator: "\n")
  }
}

/// Text as roff reads it.
enum Roff {
  /// A word that is an argument of a macro.
  static func word(_ text: String) -> String { "\\&" + escaped(text).replacing("-", with: "\\-") }

  /// An argument of a macro that takes the rest of its line.
  static func line(_ text: String) -> String { "\\&" + escaped(text) }

  static func literal(_ text: some StringProtocol) -> String {
    "\\&" + escaped(String(text)).replacing("-", with: "\\-")
  }

  /// A sentence a line, as roff wants it.
  static func prose(_ text: String) -> String {
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return escaped(words).replacing(". ", with: ".\n").replacing("? ", with: "?\n")
      .split(separator: "\n")
      .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" + $0 : String($0) }
      .joined(separator: "\n")
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("`", with: "\\(ga").replacing("\"", with: "\\(dq")
  }
}

extension [String] {
  /// The elements as lines, with a line between two of them.
  fileprivate func joinedLines(by separator: String) -> [String] {
    isEmpty ? [] : [joined(separator: "\n\(separator)\n")]
  }
}
