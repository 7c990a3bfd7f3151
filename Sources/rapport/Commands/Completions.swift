import ArgumentParser
import FoundationEssentials
import Intake
import Journeys
import SessionStore
import Settings
import Startup
import Terminal

/// What a shell offers for a value.
extension CompletionKind {
  /// The conversations in the store, each with its first words.
  static var sessions: CompletionKind {
    .custom { words, _, _ in SessionCompletions.candidates(after: words) }
  }

  static var settings: CompletionKind { .list(Setting.allCases.map(\.configKey)) }

  /// The names that take a value. A key is not for the command line.
  static var settingsToChange: CompletionKind {
    .list(Setting.allCases.filter { $0 != .apiKey }.map(\.configKey))
  }

  /// The values of the setting before the cursor, if it has a fixed set of them.
  static var settingValues: CompletionKind {
    .custom { words, index, typed in
      switch words.prefix(index).last.flatMap(Setting.init(argument:)) {
      case .provider: Provider.allCases.map(\.rawValue)
      case .followUp: FollowUpPolicy.allCases.map(\.rawValue)
      case .preview, .readAhead: ["on", "off"]
      case .prompts: PackCompletions.candidates(typed)
      default: []
      }
    }
  }

  /// The built-in journeys.
  static var journeys: CompletionKind {
    .custom { _, _, typed in
      let packs = PromptPack.embeddedNames.compactMap { try? PromptPack.embedded($0) }
      return Set(packs.flatMap(\.journeyNames)).filter { $0.hasPrefix(typed) }.sorted()
    }
  }
}

private enum SessionCompletions {
  /// - Parameter words: The command line, where `--store` may name another file.
  static func candidates(after words: [String]) -> [String] {
    guard let context = try? CommandContext(readsCredentials: false),
      let path = try? context.storePath(value(of: "--store", in: words)),
      let sessions = try? SessionStore.existing(at: path)?.sessions()
    else { return [] }
    return sessions.map { session in
      let words = session.firstWords.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return explained(session.id.rawValue, String(OutputFilter.clean(words).prefix(50)))
    }
  }

  /// With its explanation, if the shell shows one.
  private static func explained(_ value: String, _ about: String) -> String {
    switch CompletionShell.requesting {
    case _ where about.isEmpty: value
    case CompletionShell.zsh: "\(value):\(about)"
    case CompletionShell.fish: "\(value)\t\(about)"
    default: value
    }
  }

  private static func value(of option: String, in words: [String]) -> String? {
    if let index = words.firstIndex(of: option) { return words.dropFirst(index + 1).first }
    let joined = words.first { $0.hasPrefix(option + "=") }
    return joined.map { String($0.dropFirst(option.count + 1)) }
  }
}
