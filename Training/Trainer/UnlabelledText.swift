import EncoderScorer
import FoundationEssentials

/// Conversations without labels. The fast scorer learns from what the encoder reads in them.
enum UnlabelledText {
  private static let weight: Float = 0.6

  /// A line for each message, beginning with `C: ` (the coach) or `U: ` (the user), and an empty line between
  /// conversations.
  static func read(_ folder: String, _ unseen: UnseenText) throws -> [Labelled] {
    guard let model = EncoderModel.builtIn else { return [] }
    let encoder = EncoderConversation(model: model, readsAlone: true)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasSuffix(".txt") }
    return try names.flatMap { name in
      try unseen.checked("\(folder)/\(name)") { path in
        try conversations(path).flatMap { turns($0, readBy: encoder) }
      }
    }
  }

  /// - Throws: ``CorpusError`` for any other line, for two messages of the coach's in a row, and for a
  ///   conversation that the coach ends.
  private static func conversations(_ path: String) throws -> [Labelled] {
    var found: [Labelled] = []
    var question: String?
    var turns: [Labelled.Turn] = []
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines: [Substring] =
      text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) + [""]
    for (number, line) in lines.enumerated() {
      if line.hasPrefix("C: "), question == nil {
        question = String(line.dropFirst(3))
      } else if line.hasPrefix("U: ") {
        turns.append(Labelled.Turn(question: question ?? "", text: String(line.dropFirst(3))))
        question = nil
      } else if line.isEmpty, question == nil {
        guard !turns.isEmpty else { continue }
        found.append(
          Labelled(
            id: "\(path):\(number + 1)", source: "unlabelled", turns: turns,
            labels: Array(repeating: nil, count: Corpus.facets.count)))
        turns = []
      } else {
        throw CorpusError(
          detail: "\(path):\(number + 1): expected C: and U: in turn, or an empty line after U:")
      }
    }
    return found
  }

  /// Turn by turn, each with what the encoder knows before it.
  private static func turns(
    _ conversation: Labelled, readBy encoder: EncoderConversation
  ) -> [Labelled] {
    encoder.begin()
    return conversation.turns.enumerated().map { index, turn in
      let known = encoder.known
      var row = Labelled(turn, id: "\(conversation.id).\(index + 1)", readBy: encoder)
      (row.earlierTurns, row.knownBefore, row.weight) = (index, known, weight)
      return row
    }
  }
}
