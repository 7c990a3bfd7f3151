/// Cuts messages into clauses, and says which facets the guards refuse in each and which the
/// message takes back.
///
/// For scorers that read the words themselves differently.
package struct ClauseReader: ~Copyable {
  package struct Place: BitwiseCopyable {
    /// In bytes of the message.
    package var start: Int
    package var end: Int
    /// One bit for each facet that this clause cannot be evidence for.
    package var refused: UInt32
  }

  private let model: ScorerModel
  private let memory: WordMemory
  private let guards: ClauseGuard
  private var tokens = FlatBuffer<Token>(capacity: 1024)
  private var clauses = FlatBuffer<Clause>(capacity: 256)
  private var refusals = FlatBuffer<UInt32>(capacity: 256)
  private let retractions = RetractionReader()
  private var topics = FlatBuffer<FacetTopic>(capacity: 24)

  /// - Parameter onlyForgery: See ``ClauseGuard/onlyForgery``.
  package init(model: ScorerModel = .builtIn, onlyForgery: Bool = true) {
    self.model = model
    guards = ClauseGuard(onlyForgery: onlyForgery)
    memory = WordMemory(model: model)
    for _ in 0..<24 { topics.append(FacetTopic()) }
  }

  package var count: Int { clauses.count }
  package var words: Int { tokens.count }
  /// Of the words, those that are not in the lexicon.
  package var unknownWords: Int {
    var count = 0
    for index in 0..<tokens.count where Symbol.isUnknownWord(tokens[index].symbol) { count += 1 }
    return count
  }

  package subscript(index: Int) -> Place {
    let clause = clauses[index]
    return Place(
      start: Int(tokens[Int(clause.first)].start), end: Int(tokens[Int(clause.end) - 1].end),
      refused: refusals[index])
  }

  /// - Parameter isAnswer: Whether the coach asked for a facet.
  package mutating func read(_ text: UnsafeBufferPointer<UInt8>, isAnswer: Bool) {
    tokens.removeAll()
    clauses.removeAll()
    refusals.removeAll()
    guard let start = text.baseAddress, !text.isEmpty else { return }
    var tokenizer = Tokenizer(model: model, memory: memory, text: start, count: text.count)
    tokenizer.run(into: &tokens)
    ClauseCutter.cut(tokens, into: &clauses)
    guards.refusals(tokens, clauses, text: text, isAnswer: isAnswer, into: &refusals)
  }

  /// The facets that the message takes back; clauses that do so add none.
  ///
  /// - Parameters:
  ///   - known: Facets known before this message.
  ///   - latest: Facets that became known in the message before.
  package mutating func takeBack(known: UInt32, latest: UInt32) -> UInt32 {
    retractions.takeBack(
      clauses, tokens, known: known, latest: latest, topics: topics, refusals: &refusals)
  }

  /// Keeps what a facet was about, to recognize when it is taken back.
  package mutating func remember(_ facet: Int, in clause: Int) {
    topics[facet] = FacetTopic(of: clauses[clause], tokens)
  }
}
