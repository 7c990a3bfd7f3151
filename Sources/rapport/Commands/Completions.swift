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

/// A completion with its explanation, where the shell shows one.
struct CompletionCandidate {
  let value: String
  var about = ""

  func text(for shell: CompletionShell?) -> String {
    guard !about.isEmpty else { return value }
    switch shell {
    case CompletionShell.zsh: return "\(value):\(about)"
    case CompletionShell.fish: return "\(value)\t\(about)"
    default: return value
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
      return CompletionCandidate(
        value: session.id.rawValue, about: String(OutputFilter.clean(words).prefix(50))
      ).text(for: .requesting)
    }
  }

  private static func value(of option: String, in words: [String]) -> String? {
    if let index = words.firstIndex(of: option) { return words.dropFirst(index + 1).first }
    let joined = words.first { $0.hasPrefix(option + "=") }
    return joined.map { String($0.dropFirst(option.count + 1)) }
  }
}
