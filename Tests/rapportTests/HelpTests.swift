import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// What the help says, over all commands, and what a mistyped command is told.
@Suite(.integration)
struct HelpTests {
  /// Every command as typed after `rapport`, and its description for programs.
  private static func commands() throws -> [(path: [String], info: JSONValue)] {
    let dump = try Household().run("--experimental-dump-help").output
    func all(_ info: JSONValue, _ path: [String]) -> [(path: [String], info: JSONValue)] {
      let nested = (info["subcommands"]?.arrayValue ?? []).flatMap { sub in
        all(sub, path + [sub["commandName"]?.stringValue ?? ""])
      }
      return path.first == "help" ? [] : [(path, info)] + nested
    }
    return try all(#require(JSONValue(parsing: dump)["command"]), [])
  }

  @Test func everyHelpFitsIntoEightyColumnsAndShowsAnExample() throws {
    let commands = try Self.commands()
    #expect(commands.count > 13)
    for (path, _) in commands {
      let help = try Household().run(path + ["--help"]).output
      let long = help.split(separator: "\n").filter { $0.count > 80 }.map(String.init)
      #expect(long.isEmpty, "\(path): \(long)")
      #expect(help.contains("\n  rapport "), "\(path) has no example")
    }
  }

  @Test func valuesAreNamedForWhatTheyAre() throws {
    var files = 0
    for (path, info) in try Self.commands() {
      for argument in info["arguments"]?.arrayValue ?? [] {
        let name = argument["valueName"]?.stringValue ?? ""
        let isFlag = argument["kind"]?.stringValue == "flag"
        #expect(isFlag || !name.contains("-"), "\(path): <\(name)>")
        if argument["completionKind"]?["file"] != nil {
          // `journey check` takes a name, too.
          #expect(["file", "journey"].contains(name), "\(path): <\(name)>")
          files += 1
        }
      }
    }
    #expect(files > 10)
  }

  @Test func manyOptionsAreInGroups() throws {
    let help = try Household().run("chat", "--help").output
    for title in ["STORE:", "MODEL:", "COACH:", "HEALTH DATA:", "RECORDING:", "OPTIONS:"] {
      #expect(help.contains("\n\(title)\n"), "\(title)")
    }
  }

  @Test(arguments: [
    (["chatt"], "Unknown command 'chatt'. Did you mean 'chat'?"),
    (["sesions", "list"], "Unknown command 'sesions'. Did you mean 'sessions'?"),
    (["conf"], "Unknown command 'conf'. Did you mean 'config'?"),
    (
      ["sessions", "shwo"], "Unknown command 'shwo'. Did you mean 'show'?\nUsage: rapport sessions "
    ),
    (["help", "chatt"], "Unknown command 'chatt'. Did you mean 'chat'?"),
    (["hello"], "Unknown command 'hello'.\n"),
    (["chat", "--jsno"], "Unknown option '--jsno'. Did you mean '--json'?"),
    (["score", "--sumary"], "Unknown option '--sumary'. Did you mean '--summary'?"),
  ])
  func aSlipIsNamedWithWhatWasMeant(arguments: [String], words: String) throws {
    let result = try Household().run(arguments)
    #expect(result.status == 64)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.contains("--help' for more information"), "\(result.errors)")
  }
}
