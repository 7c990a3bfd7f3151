import CoachServer
import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// What the documentation quotes from the program is what the program prints.
@Suite(.integration)
struct DocsTests {
  private static func page(_ path: String) throws -> String {
    try String(contentsOf: Fixtures.root.appending(path: path), encoding: .utf8)
  }

  private static func run(_ arguments: [Substring]) throws -> String {
    try run(arguments.map(String.init))
  }

  private static func run(_ arguments: [String]) throws -> String {
    try Household().run(arguments).output
  }

  @Test(arguments: ["rapport", "rapport config", "rapport sessions"])
  func everySubcommandIsOnThePage(command: String) throws {
    let rows = try Self.page("docs/commands.md").split(separator: "\n")
    let help = try Self.run(Array(command.split(separator: " ").dropFirst()) + ["--help"])
    let list = try #require(help.components(separatedBy: "SUBCOMMANDS:\n").last)
    let names = list.matches(of: #/(?m)^  ([a-z]+) /#).map(\.output.1)
    #expect(names.count > 3)
    for name in names {
      let row = rows.first { $0.hasPrefix("| `\(command) \(name)` |") }
      let meaning = try #require(row?.split(separator: "|").dropFirst().first, "\(name)")
      #expect(
        list.split(whereSeparator: \.isWhitespace).joined(separator: " ")
          .contains(meaning.trimmingCharacters(in: .whitespaces)), "\(name)")
    }
  }

  @Test func everyExitCodeIsOnThePage() throws {
    let page = try Self.page("docs/commands.md")
    for status in ["0", "1", "64", "65", "69", "70", "73", "78", "130"] {
      let row = page.split(separator: "\n").first { $0.hasPrefix("| \(status) |") }
      let meaning = try #require(row?.split(separator: "|").dropFirst().first)
      let help = try Self.run(["--help"]).split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
      #expect(help.contains("\(status) \(meaning.trimmingCharacters(in: .whitespaces))"))
    }
  }

  /// Commands in the pages use subcommands and options that exist.
  @Test(arguments: try pages())
  func everyCommandShownIsUnderstood(path: String) throws {
    var known: [[String]: String] = [:]
    func help(_ command: [String]) throws -> String {
      if let text = known[command] { return text }
      var text = try Self.run(command + ["--help"])
      // What it passes its options on to.
      if let verb = text.firstMatch(of: /\b([a-z]+) \(default\)/) {
        text += try Self.run(command + [String(verb.output.1), "--help"])
      } else if command == ["serve"] {
        text += try Household().run(["--help"], shell: "\"$0-server\" \"$@\"").output
      }
      known[command] = text
      return text
    }
    for match in try Self.page(path).matches(of: /(?m)(^|`|\| |\/)rapport ([^`#|>\n]+)/) {
      let words = match.output.2.split(separator: " ").map(String.init)
      guard let first = words.first, first.first?.isLetter == true || first.hasPrefix("-") else {
        continue
      }
      var command = first.hasPrefix("-") ? [] : [first]
      while !command.isEmpty, let next = words.dropFirst(command.count).first,
        !next.hasPrefix("-"),
        let verbs = try help(command).components(separatedBy: "SUBCOMMANDS:\n").dropFirst().first,
        verbs.contains("  \(next) ")
      {
        command.append(next)
      }
      let text = try help(command)
      let usage = "USAGE: rapport \(command.joined(separator: " "))"
      #expect(text.contains(usage), "\(path): \(match.output.0)")
      for option in words where option.hasPrefix("--") && option != "--generate-completion-script" {
        #expect(text.contains(option), "\(path): \(match.output.0)")
      }
    }
  }

  private static func pages() throws -> [String] {
    let pages = try FileManager.default.contentsOfDirectory(
      atPath: Fixtures.root.appending(path: "docs").path)
    return ["README.md", "CONTRIBUTING.md"]
      + pages.filter { $0.hasSuffix(".md") && $0 != "DECISIONS.md" }
      .map { "docs/\($0)" }
  }

  /// The front page's conversation, said to the program: each of the coach's paragraphs comes, in
  /// this order.
  @Test func theConversationOnTheFrontPageIsReal() async throws {
    let page = try Self.page("README.md")
    let block = try #require(page.split(separator: "```").dropFirst().first)
    let paragraphs = block.components(separatedBy: "\n\n").map {
      $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    let said = paragraphs.filter { $0.hasPrefix("You ") }.map { String($0.dropFirst(4)) }
    let coach = paragraphs.dropFirst().filter { !$0.isEmpty && !$0.hasPrefix("You ") }
      .map { $0.hasPrefix("Coach ") ? String($0.dropFirst(6)) : $0 }
    #expect(said.count > 3 && coach.count > 5)

    let model = try await CoachServer()
    defer { model.stop() }
    let result = try Household().run(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName,
      typing: said.map { $0 + "\n" }.joined())
    let printed = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    var rest = printed[...]
    for paragraph in coach {
      let place = try #require(rest.range(of: paragraph), "\(paragraph)\nis not in\n\(rest)")
      rest = rest[place.upperBound...]
    }
  }

  /// What the first text block of a page quotes, except for lines with something left out.
  private static func quoted(_ path: String) throws -> [Substring] {
    let block = try #require(try page(path).components(separatedBy: "```text\n").dropFirst().first)
    let lines = block.components(separatedBy: "```")[0].split(separator: "\n")
    return lines.filter { !$0.contains("…") && !$0.hasPrefix("$") }
  }

  @Test func theInsightOnThePageIsReal() async throws {
    let lines = try Self.quoted("docs/chat.md")
    #expect(lines.count > 10)
    let model = try await CoachServer()
    defer { model.stop() }
    let result = try Household().run(
      "chat", "--insight", "--base-url", model.baseURL, "--model", CoachServer.modelName,
      typing: Walkthrough.lines[0] + "\n")
    for line in lines { #expect(result.errors.contains(line + "\n"), "\(line)") }
  }

  @Test func theRecordsOnThePageAreReal() async throws {
    let lines = try Self.quoted("docs/json.md")
    #expect(lines.count >= 8)
    let model = try await CoachServer()
    defer { model.stop() }
    let result = try Household().run(
      "chat", "--json", "--base-url", model.baseURL, "--model", CoachServer.modelName,
      typing: "drop about 20 lbs by june\n")
    for line in lines { #expect(result.output.contains(line + "\n"), "\(line)") }
  }

  /// Every type that the program prints with `--json` has a row, with every member that it printed.
  @Test func theRecordsArePrintedAsThePageSays() async throws {
    let rows = try Self.page("docs/json.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
    let model = try await CoachServer()
    defer { model.stop() }
    let result = try Household().run(
      ["chat", "--json", "--base-url", model.baseURL, "--model", CoachServer.modelName],
      typing: Walkthrough.lines.map { $0 + "\n" }.joined())
    let records = try result.output.split(separator: "\n").map {
      try JSONValue(parsing: String($0))
    }
    #expect(records.count > 30)
    for record in records {
      let type = try #require(record["type"]?.stringValue)
      let row = try #require(rows.first { $0.hasPrefix("| `\(type)` |") }, "no row for \(type)")
      for (name, _) in record.objectValue ?? [:] where name != "type" {
        #expect(row.contains(name), "\(type): \(name)")
      }
    }
  }

  @Test func everyFaultIsOnThePage() throws {
    let page = try Self.page("docs/mock.md")
    let faults = try Self.run(["mock", "--list-faults"]).split(separator: "\n")
      .filter { !$0.hasPrefix(" ") }
    #expect(faults.count > 20)
    for fault in faults { #expect(page.contains("`\(fault)`"), "\(fault)") }
  }

  @Test func everySettingIsOnThePage() throws {
    let page = try Self.page("docs/setup.md")
    let settings = try Self.run(["config"]).matches(of: /(?m)^RAPPORT_[A-Z_]+/).map(\.output)
    #expect(settings.count > 10)
    for setting in settings { #expect(page.contains("`\(setting)`"), "\(setting)") }
  }
}
