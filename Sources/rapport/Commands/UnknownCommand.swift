import ArgumentParser
import IncrementalJSON

/// A word where a command belongs that names none.
///
/// The parser itself would take it for an argument of the default command.
struct UnknownCommand {
  /// The commands before it, such as `rapport sessions`.
  let parents: [String]
  let word: String
  /// Nil if no command looks like a slip of the word.
  let suggestion: String?

  /// Nil if every word in a command's place names one.
  static func found(
    in arguments: ArraySlice<String>, of command: any ParsableCommand.Type, parents: [String] = []
  ) -> UnknownCommand? {
    let parents = parents.isEmpty ? [name(command)] : parents
    let subcommands = command.configuration.subcommands
    guard let word = arguments.first, !word.hasPrefix("-"), !subcommands.isEmpty else { return nil }
    let rest = arguments.dropFirst()
    if word == "help" { return found(in: rest, of: command, parents: parents) }
    if let next = subcommands.first(where: { name($0) == word }) {
      return found(in: rest, of: next, parents: parents + [word])
    }
    let names = subcommands.filter { $0.configuration.shouldDisplay }.map { name($0) }
    return UnknownCommand(
      parents: parents, word: word, suggestion: word.nearest(among: names))
  }

  var message: String {
    let command = parents.joined(separator: " ")
    return "Error: Unknown command '\(word)'."
      + (suggestion.map { " Did you mean '\($0)'?" } ?? "")
      + "\nUsage: \(command) <subcommand>\n  See '\(command) --help' for more information.\n"
  }

  private static func name(_ command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? command._commandName
  }
}
