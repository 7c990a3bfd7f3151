// The goal in other words.
extension ProposalReader {
  /// What somebody would rather have: "swim 1 km" of "I'd rather swim 1 km instead". The message itself if
  /// nothing is left of it.
  package func wording(in message: String) -> String {
    guard let sentence = LogTokens.sentences(of: message).first else { return message }
    let said = sentence.words
    var (begin, end) = (0, said.count)
    while let length = words.ratherBegins.length(at: begin, of: said) { begin += length }
    while let phrase = words.ratherEnds.phrases.first(where: {
      said[..<end].suffix($0.count) == $0[...]
    }) {
      end -= phrase.count
    }
    // "Rather running, and I ran 3k today".
    if let told = sentence.tokens.indices.first(where: {
      $0 > begin && $0 < end && tells(at: $0, sentence)
    }) {
      end = told
    }
    guard begin < end else { return message }
    let last =
      end == said.count ? sentence.text.endIndex : sentence.tokens[end - 1].range.upperBound
    let rest = message[sentence.tokens[begin].range.lowerBound..<last].trimmingSpaces
    return rest.isEmpty ? message : rest
  }

  /// Whether a clause begins that tells what was done.
  private func tells(at index: Int, _ sentence: LogTokens) -> Bool {
    let token = sentence.tokens[index]
    guard token.followsComma || words.and.contains(token.text) else { return false }
    let rest = Array(sentence.words[index...])
    return words.did.isIn(rest) && !words.isNotDone(rest)
  }

  /// A goal with what a yes adds to it: "Yes, but on weekends". "Yes, but rather 10 km" says another one.
  func wording(of goal: String, with condition: String) -> String {
    let said = LogTokens.words(of: condition)
    let start = pack.words.contrary.contains(said.first ?? "") ? 1 : 0
    let isOther = start < said.count && pack.words.instead.length(at: start, of: said) != nil
    let rest = wording(in: condition)
    return isOther && rest != condition ? rest : "\(goal), \(condition)"
  }
}
