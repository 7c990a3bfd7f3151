import OfflineScorer

/// What the guards cost: labeled evidence in clauses that they refuse for its facet.
struct GuardPrice {
  private let isNetwork: Bool
  private var facets = 0
  private var lost: [String] = []

  /// - Parameter isNetwork: Whether the guards are those of the encoder, which tells most by itself.
  init(_ rows: [Labelled], isNetwork: Bool) {
    self.isNetwork = isNetwork
    var clauses = ClauseReader(onlyForgery: isNetwork)
    for row in rows { add(row, &clauses) }
  }

  private mutating func add(_ row: Labelled, _ clauses: inout ClauseReader) {
    for (index, turn) in row.turns.enumerated() {
      let told = (0..<24).filter { row.labels[$0]?.turn == index + 1 }
      guard !told.isEmpty else { continue }
      var text = turn.text
      text.withUTF8 { clauses.read($0, isAnswer: !turn.question.isEmpty) }
      for facet in told { add(facet, of: row, in: turn.text, clauses) }
    }
  }

  private mutating func add(
    _ facet: Int, of row: Labelled, in text: String, _ clauses: borrowing ClauseReader
  ) {
    guard let quote = row.labels[facet]?.quote, let range = text.firstRange(of: quote) else {
      return
    }
    facets += 1
    let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
    let end = start + quote.utf8.count
    var stands = false
    for index in 0..<clauses.count {
      let clause = clauses[index]
      let overlaps = clause.start < end && start < clause.end
      if overlaps, clause.refused >> UInt32(facet) & 1 == 0 { stands = true }
    }
    if !stands { lost.append("  \(row.id) \(Corpus.facets[facet]): \(quote)") }
  }

  func printAll(withErrors: Bool) {
    let share = Double(lost.count) / Double(max(1, facets)) * 100
    let name = isNetwork ? "encoder" : "offline"
    print("\(name): \(lost.count) of \(facets) facets refused, \((share * 100).rounded() / 100)%")
    if withErrors { for line in lost { print(line) } }
  }
}
