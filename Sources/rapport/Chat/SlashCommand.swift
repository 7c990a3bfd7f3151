/// What a line typed at the prompt asks of the program rather than of the coach.
enum SlashCommand: String, CaseIterable {
  case help, insight, health, again, forget, quit

  enum Reading: Equatable {
    case message(String)
    case command(SlashCommand)
    case unknown(String)
  }

  /// A slash and a word is a command; a command with more behind it is none. All else is for the
  /// coach.
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
    case .help: "this list"
    case .insight: "what I know about you, with your words for it"
    case .health: "what I saw in your health data, and how old it is"
    case .again: "ask me once more for a reply that failed or was cut off"
    case .forget: "delete this conversation for good"
    case .quit: "leave; the conversation is saved"
    }
  }

  static var list: String {
    allCases.map { command in
      let name = "/" + command.rawValue
      return "  " + name + String(repeating: " ", count: 10 - name.count) + command.explanation
    }.joined(separator: "\n")
      + "\n\nA backslash at the end of a line goes on to the next one. Ctrl-C stops a reply;"
      + " at the prompt it leaves, and so does Ctrl-D."
  }
}
