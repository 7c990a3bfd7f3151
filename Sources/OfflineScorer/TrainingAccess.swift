/// A message split into tokens and clauses, copied out of the scorer's buffers.
struct TokenizedText {
  var tokens: [Token] = []
  var clauses: [Clause] = []

  init(_ text: String, model: ScorerModel) {
    var text = text
    let memory = WordMemory(model: model)
    var buffer = FlatBuffer<Token>(capacity: 256)
    var cut = FlatBuffer<Clause>(capacity: 64)
    text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return }
      var tokenizer = Tokenizer(model: model, memory: memory, text: start, count: bytes.count)
      tokenizer.run(into: &buffer)
    }
    withExtendedLifetime(memory) {}
    ClauseCutter.cut(buffer, into: &cut)
    for index in 0..<buffer.count { tokens.append(buffer[index]) }
    for index in 0..<cut.count { clauses.append(cut[index]) }
  }
}

/// The features of one clause of a message, for training.
package struct ClauseExample {
  package var start: Int
  package var end: Int
  package var always: [UInt64]
  package var asked: [UInt64]
}

/// Scorer internals that the trainer needs, so that both read text the same way.
package enum OfflineFeatures {
  /// The lemmas of a text's tokens, and the hash of each token's own spelling.
  package static func lemmas(of text: String, _ model: ScorerModel) -> [(
    lemma: UInt32, key: UInt32
  )] {
    TokenizedText(text, model: model).tokens.map { token in
      let spelling = text.utf8.dropFirst(Int(token.start)).prefix(Int(token.end - token.start))
      return (
        token.lemma,
        Hash.finish(
          spelling.filter { $0 != 0x27 }.reduce(Hash.seed) {
            Hash.step($0, $1 | ($1 &- 0x41 < 26 ? 0x20 : 0))
          })
      )
    }
  }

  package static func clauses(
    of text: String, isAnswer: Bool, turn: Int, known: UInt32, model: ScorerModel
  ) -> [ClauseExample] {
    let cut = TokenizedText(text, model: model)
    return cut.clauses.indices.map { index in
      let context = ClauseContext(
        clause: cut.clauses[index], before: index > 0 ? cut.clauses[index - 1] : nil,
        index: index,
        clauseCount: cut.clauses.count, tokenCount: cut.tokens.count, isAnswer: isAnswer,
        isFirstTurn: turn == 1)
      var sink = CollectingSink()
      cut.tokens.withUnsafeBufferPointer { tokens in
        if let base = tokens.baseAddress { Features.of(context, base, into: &sink) }
      }
      Features.ofTurn(turn, known: known, into: &sink)
      let clause = cut.clauses[index]
      return ClauseExample(
        start: Int(cut.tokens[Int(clause.first)].start),
        end: Int(cut.tokens[Int(clause.end) - 1].end),
        always: sink.always, asked: sink.asked)
    }
  }

  package static var questionConstant: UInt64 { Hash.feature(FeatureKind.coachConstant, 0) }

  package static func question(_ text: String, model: ScorerModel) -> [UInt64] {
    var sink = CollectingSink()
    var text = text
    let sentences = text.withUTF8 { bytes -> [String] in
      guard let start = bytes.baseAddress else { return [] }
      let finder = QuestionFinder(start, bytes.count)
      return (0..<finder.count).map { index in
        let range = finder.ranges[index]
        return String(decoding: bytes[Int(range.start)..<Int(range.end)], as: UTF8.self)
      }
    }
    for sentence in sentences {
      let cut = TokenizedText(sentence, model: model)
      cut.tokens.withUnsafeBufferPointer { tokens in
        guard let base = tokens.baseAddress else { return }
        for clause in cut.clauses { Features.ofCoach(clause, base, into: &sink) }
      }
    }
    return sink.always
  }
}

private struct CollectingSink: FeatureSink {
  var always: [UInt64] = []
  var asked: [UInt64] = []

  mutating func add(_ kind: UInt32, _ left: UInt32, _ right: UInt32) {
    always.append(Hash.feature(kind, left, right))
  }

  mutating func addAsked(_ kind: UInt32, _ left: UInt32, _ right: UInt32) {
    asked.append(Hash.feature(kind, left, right))
  }

  mutating func add(_ kind: UInt32, _ left: UInt32, _ right: UInt32, if condition: Bool) {
    if condition { add(kind, left, right) }
  }

  mutating func addAsked(_ kind: UInt32, _ left: UInt32, _ right: UInt32, if condition: Bool) {
    if condition { addAsked(kind, left, right) }
  }
}

extension ConversationScorer {
  /// The best score of each facet over the clauses of the last message.
  package var bestScores: [Int16] { (0..<24).map { bestScore($0) } }
  /// The best scores above their thresholds.
  package var margins: [Int16] { (0..<24).map { bestScore($0) &- threshold($0) } }
  /// The share of the user's words so far that are not in the lexicon.
  package var shareOfUnknownWords: Double { Double(unknownWords) / Double(max(1, words)) }
  /// Which facets the last question asked for.
  package var askedFacets: UInt32 { (0..<24).reduce(0) { isAsked($1) ? $0 | 1 << UInt32($1) : $0 } }
}
