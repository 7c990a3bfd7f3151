@testable import ContextQuality
@testable import OfflineScorer

/// Scores a conversation written as `coach: …` and `user: …` lines.
func scored(_ lines: String...) -> Ledger {
  OfflineScorer().ledger(of: conversation(lines))
}

func conversation(_ lines: [String]) -> Transcript {
  Transcript(
    lines.map { line in
      line.hasPrefix("coach: ")
        ? Transcript.Message(.coach, String(line.dropFirst(7)))
        : Transcript.Message(.user, line.hasPrefix("user: ") ? String(line.dropFirst(6)) : line)
    })
}

extension Ledger {
  /// The names of the facets that are known now, without their components.
  var names: Set<String> { Set(known.map(\.name)) }

  func quote(_ name: String) -> String? {
    known.first { $0.name == name }.flatMap { evidence(for: $0)?.text }
  }
}
