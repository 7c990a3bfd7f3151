// The goal in other words.
extension ProposalReader {
  /// What somebody would rather have: "swim 1 km" of "I'd rather swim 1 km instead". The message itself if
  /// nothing is left of it.
  func wording(in message: String) -> String {
    guard let sentence = LogTokens.sentences(of: message).first else { return message }
    let said = sentence.words
    var (begin, end) = (0, said.count)
    while let length = words.ratherBegins.length(at: begin, of: said) { begin += length }
    while let phrase = words.ratherEnds.phrases.first(where: {
      said[..<end].suffix($0.count) == $0[...]
    }) {
      end -= phrase.count
    }
    guard begin < end else { return message }
    let last =
      end == said.count ? sentence.text.endIndex : sentence.tokens[end - 1].range.upperBound
    let rest = message[sentence.tokens[begin].range.lowerBound..<last].trimmingSpaces
    return rest.isEmpty ? message : rest
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
