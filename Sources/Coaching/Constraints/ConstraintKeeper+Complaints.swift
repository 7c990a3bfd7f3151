// What a sentence says about the body.
extension ConstraintKeeper {
  /// The most words between a weak word of pain and the part it's about: "pulled a muscle in my back".
  private static let reach = 4

  /// The part of the body that a sentence says hurts; nil if none does.
  func hurtingPart(in sentence: LogTokens) -> String? {
    let said = withoutNames(sentence.words)
    let pains = Self.places(of: pack.words.hurts, in: said)
    guard !pains.isEmpty else { return nil }
    let parts = pack.words.body.filter { part in
      Self.places(of: part.phrases, in: said).contains { place in
        pains.contains { isAbout(place, $0, said, sentence.tokens) }
      }
    }
    return parts.map(\.part).sorted().first
  }

  /// What a sentence says somebody has or does that passes.
  func illness(in sentence: LogTokens) -> (what: String, days: Int)? {
    let said = Self.blanked(pack.bodyWords.notIll, in: sentence.words)
    let reader = EntryReader(pack)
    let isSkipped = reader.isSkipped(sentence) && !isOthers(said)
    guard pack.words.illHere.isIn(said) || isSkipped else { return nil }
    if let ill = pack.words.ill.first(where: { $0.phrases.isIn(said) }) {
      return (ill.what, ill.days)
    }
    return isSkipped && pack.words.illBesideSkip.isIn(said) ? ("sick", Self.sickDays) : nil
  }

  private static let sickDays = 7

  /// "Couldn't train, kid was sick".
  private func isOthers(_ said: [String]) -> Bool {
    let people = Set(pack.words.others.phrases.compactMap(\.last)).union(pack.words.names)
    return said.contains(where: people.contains)
  }

  /// "Calf raises" and "back on track" name no part that could hurt; "my back on" does.
  private func withoutNames(_ words: [String]) -> [String] {
    var said = words
    for place in Self.places(of: pack.bodyWords.notBody, in: words) {
      let isOwned =
        place.lowerBound > 0 && pack.bodyWords.owners.contains(words[place.lowerBound - 1])
      if !isOwned { for index in place { said[index] = "" } }
    }
    for index in words.indices {
      guard let named = pack.activity(namedAt: index, of: words) else { continue }
      for place in index..<index + named.length { said[place] = "" }
    }
    return said
  }

  private func isAbout(
    _ part: Range<Int>, _ pain: Range<Int>, _ said: [String], _ tokens: [LogTokens.Token]
  ) -> Bool {
    let words = pack.bodyWords
    let between =
      part.lowerBound < pain.lowerBound
      ? part.upperBound..<max(part.upperBound, pain.lowerBound)
      : pain.upperBound..<max(pain.upperBound, part.lowerBound)
    let later = max(part.lowerBound, pain.lowerBound)
    let isApart = (between.lowerBound...later).contains { tokens[$0].followsComma }
    if words.weak.length(at: pain.lowerBound, of: said) == pain.count {
      let isDenied = pain.lowerBound > 0 && pack.words.not.isIn([said[pain.lowerBound - 1]])
      guard !isDenied, !isApart, between.count <= Self.reach,
        !said[between].contains(where: { $0.isEmpty || $0.first?.isNumber == true })
      else { return false }
    }
    guard part.count == 1, words.vague.contains(said[part.lowerBound]) else { return true }
    let isOwned = part.lowerBound > 0 && words.owners.contains(said[part.lowerBound - 1])
    return isOwned || !isApart && said[between].allSatisfy(words.links.contains)
  }

  private static func blanked(_ phrases: LogWords.Phrases, in words: [String]) -> [String] {
    var said = words
    for place in places(of: phrases, in: words) {
      for index in place { said[index] = "" }
    }
    return said
  }

  private static func places(of phrases: LogWords.Phrases, in words: [String]) -> [Range<Int>] {
    words.indices.compactMap { start in
      phrases.length(at: start, of: words).map { start..<start + $0 }
    }
  }
}
