/// What a known facet was about, to recognize when the user takes it back.
struct FacetTopic: BitwiseCopyable {
  /// Lemmas of the content words in its quote; unused lanes are 0.
  var lemmas: SIMD16<UInt32> = SIMD16()

  init() {}

  init(of clause: Clause, _ tokens: borrowing FlatBuffer<Token>) {
    var place = 0
    for index in Int(clause.first)..<Int(clause.end)
    where place < 16 && tokens[index].flags.contains(.content) {
      lemmas[place] = tokens[index].lemma
      place += 1
    }
  }
}

/// Finds the facets that a message takes back.
///
/// The user names the facet ("forget the 20 lb"), takes back everything ("scratch all of that"),
/// or takes back what was said last ("never mind, scrap it").
struct RetractionReader {
  let classes = GuardClasses()
  /// Outcome, target, timeframe and motive are taken back together.
  private static let goal: UInt32 = 0b1111
  private static let availability: UInt32 = 1 << 14 | 1 << 22
  /// An injury is taken back only by name.
  private static let physical: UInt32 = 1 << 6

  /// The facets that a message takes back. Clauses that do so are refused for all facets.
  ///
  /// - Parameters:
  ///   - known: Facets known before this message.
  ///   - latest: Facets that became known in the message before.
  func takeBack(
    _ clauses: borrowing FlatBuffer<Clause>, _ tokens: borrowing FlatBuffer<Token>, known: UInt32,
    latest: UInt32, topics: borrowing FlatBuffer<FacetTopic>,
    refusals: inout FlatBuffer<UInt32>
  ) -> UInt32 {
    guard known != 0 else { return 0 }
    var withdrawn: UInt32 = 0
    for index in 0..<clauses.count {
      let facets = retracted(
        by: clauses[index], tokens, earlier: known, latest: latest, topics: topics)
      guard facets != 0 else { continue }
      withdrawn |= facets
      refusals[index] = ClauseGuard.all
    }
    return withdrawn
  }

  /// - Parameters:
  ///   - earlier: Facets known before this message.
  ///   - latest: Facets that became known in the previous message.
  /// - Returns: The facets that this clause takes back.
  private func retracted(
    by clause: Clause, _ tokens: borrowing FlatBuffer<Token>, earlier: UInt32, latest: UInt32,
    topics: borrowing FlatBuffer<FacetTopic>
  ) -> UInt32 {
    guard
      let marker = (Int(clause.first)..<Int(clause.end)).first(where: { index in
        tokens[index].symbol == classes.retract && isOrder(index, in: clause, tokens)
          || tokens[index].symbol == classes.revoke
            && (index == clause.first || tokens[index - 1].symbol != classes.not)
      })
    else { return 0 }
    let end = min(Int(clause.end), marker + 9)
    var named: UInt32 = 0
    var hasContent = false
    for index in (marker + 1)..<max(marker + 1, end) {
      let token = tokens[index]
      if Words.meansAll(token.lemma), index <= marker + 2 { return earlier }
      named |= facets(namedBy: token, earlier, topics)
      hasContent = hasContent || token.flags.contains(.content)
    }
    if named & Self.goal != 0 { named |= Self.goal & ~1 | (named & 1) | (named & 2 != 0 ? 1 : 0) }
    if hasContent || named != 0 { return named & earlier }
    return latest & earlier & ~Self.physical
  }

  /// Whether nothing but fillers comes before it: "actually forget the 20 lb", but not "I forget the
  /// words", "to forget the pool" or "… and scrap the next run".
  private func isOrder(
    _ marker: Int, in clause: Clause, _ tokens: borrowing FlatBuffer<Token>
  ) -> Bool {
    let first = Int(clause.first)
    for index in first..<marker where !Words.opensOrder(tokens[index].lemma) { return false }
    return marker > first || clause.startsSentence || first == 0
      || !Words.joinsOn(tokens[first - 1].lemma)
  }

  private func facets(
    namedBy token: Token, _ earlier: UInt32, _ topics: borrowing FlatBuffer<FacetTopic>
  ) -> UInt32 {
    if token.symbol == classes.goal || token.lemma == Words.goalLemma { return Self.goal }
    if token.symbol == classes.day || token.symbol == classes.weekday
      || token.symbol == classes.free
    {
      return Self.availability
    }
    guard token.flags.contains(.content) else { return 0 }
    var named: UInt32 = 0
    var rest = earlier
    while rest != 0 {
      let facet = rest.trailingZeroBitCount
      rest &= rest &- 1
      for place in 0..<16 where topics[facet].lemmas[place] == token.lemma {
        named |= 1 << UInt32(facet)
        break
      }
    }
    return named
  }
}
