import EncoderScorer
import FoundationEssentials
import IncrementalJSON
import OfflineScorer

/// The folder of text in many ways of writing.
enum RegisterText {
  /// For what people labeled, for the same as the encoder reads it, and for exchanges and single turns.
  private static let weights: (labels: Float, encoder: Float, turns: Float) = (1, 0.5, 0.75)
  /// Turns without labels.
  private static let unlabelled = "unlabelled.jsonl"
  /// On these, settings are chosen and chances fitted.
  private static let keptApart = ["mixed.jsonl", "ordinary.jsonl"]

  /// What the fast scorer learns from.
  static func read(_ folder: String, _ unseen: UnseenText) throws -> [Labelled] {
    guard let model = EncoderModel.builtIn else { return [] }
    let encoder = EncoderConversation(model: model, readsAlone: true)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    return try names.filter { !keptApart.contains($0) }.flatMap { name in
      try unseen.checked("\(folder)/\(name)") { path in
        if name == unlabelled { return try turns(path, readBy: encoder) }
        if path.hasSuffix(".txt") {
          return try Corpus.sentences(path).map { $0.weighing(weights.turns) }
        }
        return try Corpus.conversations(path).flatMap { row in
          [row.weighing(weights.labels)]
            + row.turns.indices.map {
              row.turn($0, readBy: encoder).weighing(weights.encoder)
            }
        }
      }
    }
  }

  /// Turns without labels, with the chances that the encoder gives.
  private static func turns(
    _ path: String, readBy encoder: EncoderConversation
  ) throws -> [Labelled] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").enumerated()
      .map { number, line in
        let row = try JSONValue(parsing: String(line))
        let turn = Labelled.Turn(
          question: row["question"]?.stringValue ?? "", text: row["text"]?.stringValue ?? "")
        encoder.begin()
        return Labelled(turn, id: "\(unlabelled)-\(number + 1)", readBy: encoder)
          .weighing(weights.turns)
      }
  }
}

extension Labelled {
  fileprivate func weighing(_ weight: Float) -> Labelled {
    var row = self
    row.weight = weight
    return row
  }

  /// One turn by itself, with chances halfway between the labels and the encoder's.
  fileprivate func turn(_ index: Int, readBy encoder: EncoderConversation) -> Labelled {
    let before = index == 0 ? 0 : trueByTurn(self)[index - 1]
    encoder.begin(
      at: index + 1, known: before, after: index == 0 ? "" : turns[index - 1].text)
    var row = Labelled(turns[index], id: id, readBy: encoder)
    (row.earlierTurns, row.knownBefore) = (index, before)
    for (facet, label) in labels.enumerated() {
      let chance = row.chances?[facet] ?? 0
      if let label, label.turn == index + 1 {
        row.labels[facet] = Label(turn: 1, quote: label.quote, until: nil)
        row.chances?[facet] = (1 + chance) / 2
      } else {
        row.chances?[facet] = chance / 2
      }
    }
    return row
  }

  /// One turn, as the encoder reads it after what it has read so far.
  init(_ turn: Turn, id: String, readBy encoder: EncoderConversation) {
    var (question, text) = (turn.question, turn.text)
    question.withUTF8 { encoder.coachSaid($0) }
    text.withUTF8 { encoder.userSaid($0) }
    let labels = (0..<24).map { facet -> Label? in
      guard (encoder.changes & encoder.known) >> UInt32(facet) & 1 == 1 else { return nil }
      let finding = encoder.findings[facet]
      let quote = text.utf8.dropFirst(Int(finding.start)).prefix(Int(finding.end - finding.start))
      return Label(turn: 1, quote: String(Substring(quote)), until: nil)
    }
    self.init(id: id, source: "encoder", turns: [turn], labels: labels)
    isSentence = true
    teachesQuestions = false
    chances = encoder.chances
  }
}
