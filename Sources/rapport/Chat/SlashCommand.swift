/// A line at the prompt that is meant for the program rather than for the coach.
enum SlashCommand: String, CaseIterable {
  case help, insight, health, again, edit, done, forget, quit

  enum Reading: Equatable {
    case message(String)
    case command(SlashCommand)
    /// `/edit` and the words behind it.
    case edit(String)
    /// `/health` and the path behind it.
    case connect(String)
    case unknown(String)
  }

  /// A slash and one word make a command; anything else is a message for the coach.
  static func read(_ line: String) -> Reading {
    let words = line.split(whereSeparator: \.isWhitespace)
    guard let first = words.first, first.hasPrefix("/"), first.count > 1,
      first.dropFirst().allSatisfy(\.isLetter)
    else { return .message(line) }
    let command = SlashCommand(rawValue: first.dropFirst().lowercased())
    let rest = String(line[first.endIndex...].drop(while: \.isWhitespace))
    if command == .edit { return .edit(rest) }
    if command == .health, words.count > 1 { return .connect(rest) }
    if words.count > 1 { return command == nil ? .message(line) : .unknown(line) }
    return command.map { .command($0) } ?? .unknown(String(first))
  }

  var explanation: String {
    switch self {
    case .help: "show this list"
    case .insight: "what I know about you, with your words behind it"
    case .health: "what I saw in your health data; /health FILE shows me an export"
    case .again: "retry a reply that failed or was cut off"
    case .edit: "write your message in your editor ($VISUAL or $EDITOR)"
    case .done: "stop the questions and get my summary"
    case .forget: "permanently delete this conversation"
    case .quit: "leave; your conversation is saved"
    }
  }

  static var list: String {
    allCases.map { command in
      let name = "/" + command.rawValue
      return "  " + name + String(repeating: " ", count: 10 - name.count) + command.explanation
    }.joined(separator: "\n")
      + """


        Tab            pick a suggestion; Shift-Tab goes back
        Up, Down       your earlier lines; Ctrl-R searches them
        \\ Enter        continue on the next line
        Ctrl-X Ctrl-E  open the line in your editor
        Ctrl-C         stop a reply, or clear the line; on an empty line, leave
        Ctrl-D         leave
      """
  }
}
