/// Reads an answer to a review's proposal: yes, no, or other words for it.
package struct ProposalReader {
  let pack: CoachingPack

  package init(_ pack: CoachingPack) { self.pack = pack }

  private var words: LogWords { pack.words }

  /// Nil if the message is about something else.
  package func answer(
    _ message: String, to proposal: Proposal, review: Int, turn: Int?
  ) -> (answer: ProposalAnswer, sessions: Int?)? {
    let sentences = LogTokens.sentences(of: message)
    guard let sentence = sentences.first, !sentence.isQuestion else { return nil }
    let said = sentence.words
    let isOtherwise = words.but.isIn(said)
    let sessions = proposal.sessions == nil ? nil : self.sessions(in: sentence)
    func answer(_ outcome: ProposalAnswer.Outcome) -> ProposalAnswer {
      ProposalAnswer(review: review, outcome: outcome, turn: turn, words: message)
    }
    if words.yes.begins(said), isTakenBack(sentences) { return (answer(.refused), nil) }
    if let sessions, sessions != proposal.sessions { return (answer(.changed), sessions) }
    let agrees = words.noObjection.begins(said)
    if words.no.begins(said), !agrees { return (answer(.refused), nil) }
    if words.yes.begins(said) || agrees {
      return isOtherwise ? (answer(.changed), nil) : (answer(.accepted), proposal.sessions)
    }
    // "Good, but my legs were tired" answers the review's question, not its proposal.
    return words.instead.isIn(said) ? (answer(.changed), nil) : nil
  }

  /// "Yes. Actually no", and "ok, but not now": a no that stands alone after the yes.
  private func isTakenBack(_ sentences: [LogTokens]) -> Bool {
    sentences.filter { !$0.isQuestion }.contains { sentence in
      sentence.tokens.split { words.and.contains($0.text) }.contains { part in
        part.indices.contains { index in
          (index == part.startIndex || part[index].followsComma)
            && isBareNo(part[index...].map(\.text))
        }
      }
    }
  }

  private func isBareNo(_ said: [String]) -> Bool {
    if let length = words.no.length(at: 0, of: said),
      said.dropFirst(length).allSatisfy(words.bareNo.contains)
    {
      return true
    }
    let length =
      words.yes.length(at: 0, of: said) ?? words.but.length(at: 0, of: said)
      ?? words.fix.length(at: 0, of: said)
    guard let length, length < said.count else { return false }
    return isBareNo(Array(said.dropFirst(length)))
  }

  private func sessions(in sentence: LogTokens) -> Int? {
    // A figure of something that was done is no wish for the plan.
    guard !words.did.isIn(sentence.words) else { return nil }
    let tokens = sentence.tokens
    let numbers = tokens.indices.compactMap { index -> Int? in
      let next = index + 1 < tokens.count ? tokens[index + 1].text : ""
      guard !words.measures(next) else { return nil }
      return (tokens[index].number ?? words.numbers[tokens[index].text]).flatMap {
        Int(exactly: $0)
      }
    }
    return numbers.first { (1...14).contains($0) }
  }

  /// The sentence that names a new priority; nil if none does.
  package func priority(in message: String) -> String? {
    LogTokens.sentences(of: message).first { sentence in
      !sentence.isQuestion && words.priority.isIn(sentence.words)
    }.map(\.text.trimmingSpaces)
  }
}
