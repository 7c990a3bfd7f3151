/// A line at the prompt that is meant for the program rather than for the coach.
enum SlashCommand: String, CaseIterable {
  case help, insight, health, again, forget, quit

  enum Reading: Equatable {
    case message(String)
    case command(SlashCommand)
    case unknown(String)
  }

  /// A slash and one word make a command; anything else is a message for the coach.
  static func read(_ line: String) -> Reading {
    let words = line.split(whereSeparator: \.isWhitespace)
    guard let first = words.first, first.hasPrefix("/"), first.count > 1,
      first.dropFirst().allSatisfy(\.isLetter)
    else { return .message(line) }
    let command = SlashCommand(rawValue: first.dropFirst().lowercased())
    if words.count > 1 { return command == nil ? .message(line) : .unknown(line) }
    return command.map { .command($0) } ?? .unknown(String(first))
  }

  var explanation: String {
    switch self {
    case .help: "show this list"
    case .insight: "what I know about you, with your words behind it"
    case .health: "what I saw in your health data, and how old it is"
    case .again: "retry a reply that failed or was cut off"
    case .forget: "permanently delete this conversation"
    case .quit: "leave; your conversation is saved"
    }
  }

  static var list: String {
    allCases.map { command in
      let name = "/" + command.rawValue
      return "  " + name + String(repeating: " ", count: 10 - name.count) + command.explanation
    }.joined(separator: "\n")
      + "\n\nEnd a line with a backslash to continue it on the next. Ctrl-C stops a reply;"
      + " at the prompt, Ctrl-C or Ctrl-D leaves."
  }
}
