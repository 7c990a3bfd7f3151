import Intake
import Terminal

/// A line at the prompt that is meant for the program rather than for the coach.
enum SlashCommand: String, CaseIterable {
  case help, insight, health, log, goals, plan, review, again, edit, done, forget, quit

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

  private var explanation: ScreenText {
    switch self {
    case .help: .commandHelp
    case .insight: .commandInsight
    case .health: .commandHealth
    case .log: .commandLog
    case .goals: .commandGoals
    case .plan: .commandPlan
    case .review: .commandReview
    case .again: .commandAgain
    case .edit: .commandEdit
    case .done: .commandDone
    case .forget: .commandForget
    case .quit: .commandQuit
    }
  }

  /// - Parameter readsHealth: Whether the pack has any use for health data.
  static func list(_ texts: ScreenTexts, readsHealth: Bool) -> String {
    let lines = allCases.filter { $0 != .health || readsHealth }.map { command in
      "  " + "/\(command.rawValue)".padded(to: 10) + texts(command.explanation)
    }
    return lines.joined(separator: "\n") + "\n\n" + texts(.keys)
  }
}
