import Foundation
import TestSupport
import Testing

/// A newcomer who does what the tutorial says, word for word, sees what it says.
@Suite(.integration)
struct PackTutorialTests {
  /// A block of the page.
  private struct Block {
    /// The line before it, if it is the name of a file.
    var file: String?
    var language: String
    var lines: [String] = []

    var text: String { lines.joined(separator: "\n") + "\n" }
  }

  private static func blocks() throws -> [Block] {
    let page = Fixtures.root.appending(path: "docs/pack-tutorial.md")
    var blocks: [Block] = []
    var (isOpen, name) = (false, String?.none)
    for line in try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isOpen.toggle()
        if isOpen { blocks.append(Block(file: name, language: String(line.dropFirst(3)))) }
        name = nil
      } else if isOpen {
        blocks[blocks.count - 1].lines.append(line)
      } else if !line.isEmpty {
        name = line.wholeMatch(of: /`([\w.\/-]+)`/).map { String($0.output.1) }
      }
    }
    return blocks
  }

  private let household: Household
  private var mock: ChildProcess?
  private var address = ""

  init() throws { household = try Household() }

  @Test mutating func everyStepDoesWhatThePageSays() throws {
    defer {
      if let mock {
        kill(mock.pid, SIGTERM)
        _ = mock.wait()
      }
    }
    var printed = ""
    var (commands, claims) = (0, 0)
    for block in try Self.blocks() {
      if let file = block.file {
        try household.write(block.text, to: file)
      } else if block.language == "sh" {
        printed = ""
        for command in block.lines where !command.isEmpty {
          printed += try run(command)
          commands += 1
        }
      } else {
        for line in block.lines {
          #expect(printed.contains(line), "the page says \(line); it printed\n\(printed)")
          claims += 1
        }
      }
    }
    #expect(commands > 6 && claims > 6)
  }

  private mutating func run(_ command: String) throws -> String {
    let halves = command.replacing("ADDRESS", with: address).components(separatedBy: " < ")
    let words = halves[0].matches(of: /"([^"]*)"|\S+/).map { match in
      String(match.output.1 ?? match.output.0)
    }
    try #require(words.first == "rapport", "\(command)")
    if words[1] == "mock" {
      let mock = try household.start(Array(words.dropFirst()))
      self.mock = mock
      let line = try #require(mock.readLine())
      address = String(try #require(line.firstMatch(of: /http:\/\/\S+/)).output)
      return line
    }
    let typed = try halves.dropFirst().first.map {
      try String(contentsOfFile: household.folder + "/" + $0, encoding: .utf8)
    }
    let result = try household.run(Array(words.dropFirst()), typing: typed ?? "")
    return result.output + result.errors
  }
}
