/// Reads an answer to a review's proposal: yes, no, or other words for it.
package struct ProposalReader {
  let pack: CoachingPack

  package init(_ pack: CoachingPack) { self.pack = pack }

  var words: LogWords { pack.words }

  /// Nil if the message is about something else.
  package func answer(
    _ message: String, to proposal: Proposal, review: Int, turn: Int?
  ) -> (answer: ProposalAnswer, sessions: Int?)? {
    let sentences = LogTokens.sentences(of: message)
    guard let sentence = sentences.first, !sentence.isQuestion else { return nil }
    let said = sentence.words
    func answer(_ outcome: ProposalAnswer.Outcome) -> ProposalAnswer {
      ProposalAnswer(review: review, outcome: outcome, turn: turn, words: message)
    }
    let agreement = words.noObjection.length(at: 0, of: said) ?? words.yes.length(at: 0, of: said)
    if agreement != nil, isTakenBack(sentences) { return (answer(.refused), nil) }
    let wishes = parts(of: sentence).filter { isWish($0) }
    let sessions =
      proposal.sessions == nil ? nil : wishes.lazy.compactMap { self.sessions(in: $0) }.first
    if let sessions, sessions != proposal.sessions { return (answer(.changed), sessions) }
    if let length = agreement ?? words.no.length(at: 0, of: said) {
      // "Ok I guess, no complaints" and "no idea" answer the review's question.
      guard isPlain(said[length...]) || isAboutTheChange(sentence, behind: length) else {
        return nil
      }
      if agreement == nil { return (answer(.refused), nil) }
      let isOtherwise = wishes.contains { words.but.isIn($0.words) }
      return isOtherwise ? (answer(.changed), nil) : (answer(.accepted), proposal.sessions)
    }
    // "Good, but my legs were tired" answers the review's question, not its proposal.
    guard said.count > 1, wishes.contains(where: { words.instead.isIn($0.words) }) else {
      return nil
    }
    return (answer(.changed), nil)
  }

  private func parts(of sentence: LogTokens) -> [LogTokens] {
    EntryReader(pack).pieces(of: sentence).map { sentence.part($0) }
  }

  /// Whether a part of a sentence doesn't tell how it was: "2 of them were hard", "but tired".
  private func isWish(_ part: LogTokens) -> Bool {
    let said = part.words
    guard !words.did.isIn(said), !words.told.isIn(said) else { return false }
    return words.aboutChange.isIn(said) || !words.feelings.isIn(said)
  }

  /// Whether only words such as "please" stand behind a yes or no.
  private func isPlain(_ rest: ArraySlice<String>) -> Bool {
    let rest = Array(rest)
    var index = 0
    while index < rest.count {
      let lengths = [words.yes, words.no, words.plain].compactMap { $0.length(at: index, of: rest) }
      guard let length = lengths.max() else { return false }
      index += length
    }
    return true
  }

  /// "Yes, do that", "no, keep it", "yes, but on weekends".
  private func isAboutTheChange(_ sentence: LogTokens, behind length: Int) -> Bool {
    guard length < sentence.tokens.count else { return false }
    return parts(of: sentence.part(length...)).contains { part in
      guard isWish(part) else { return false }
      return words.aboutChange.isIn(part.words) || words.instead.isIn(part.words)
        || words.but.begins(part.words) && part.tokens.count > 1
        || sessions(in: part) != nil
    }
  }

  /// What follows a yes in its sentence: "but on weekends"; nil if the message begins with no yes.
  func condition(in message: String) -> String? {
    guard let sentence = LogTokens.sentences(of: message).first,
      let length = words.yes.length(at: 0, of: sentence.words), length < sentence.tokens.count
    else { return nil }
    let rest = message[sentence.tokens[length].range.lowerBound..<sentence.text.endIndex]
    return rest.trimmingSpaces
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
    let tokens = sentence.tokens
    let numbers = tokens.indices.compactMap { index -> Int? in
      let next = index + 1 < tokens.count ? tokens[index + 1].text : ""
      let before = tokens[..<index].suffix(2).map(\.text)
      guard !words.measures(next), !words.notCounted.contains(before.last ?? "") else { return nil }
      // "That one", "the earlier one".
      let isPointing =
        tokens[index].number == nil && before.contains(where: words.pointing.contains)
      guard !isPointing || words.numbers[tokens[index].text] != 1 else { return nil }
      return (tokens[index].number ?? words.numbers[tokens[index].text]).flatMap {
        Int(exactly: $0)
      }
    }
    return numbers.first { (1...14).contains($0) }
  }

  /// The sentence that names a new priority; nil if none does.
  package func priority(in message: String) -> String? {
    sentences(of: message).first { sentence in
      !sentence.isQuestion && goal(in: sentence) != nil
    }.map(\.text.trimmingSpaces)
  }

  /// What matters more now in the words of a priority: "running" of "I care more about running now than
  /// about squats". The words themselves if they name it in no known way.
  package func goal(in priority: String) -> String {
    let goal = sentences(of: priority).lazy.compactMap { sentence in
      self.goal(in: sentence)
    }.first
    return goal ?? priority
  }

  /// "My goal has changed. I want to …" is read as one sentence.
  private func sentences(of message: String) -> [LogTokens] {
    let all = LogTokens.sentences(of: message)
    return all.indices.map { index in
      let (one, said) = (all[index], all[index].words)
      guard let place = pack.goalWords.changed.place(in: said), place.upperBound == said.count,
        index + 1 < all.count
      else { return one }
      let next = all[index + 1]
      return LogTokens(
        tokens: one.tokens + next.tokens, text: message[one.text.startIndex..<next.text.endIndex],
        isQuestion: next.isQuestion)
    }
  }

  /// Whether the goal ends before a word: at "because", at an "and" that begins a clause, and at a comma unless
  /// a figure follows, as in "5 km, 3 times a week".
  private func endsGoal(at index: Int, _ sentence: LogTokens) -> Bool {
    let tokens = sentence.tokens
    let token = tokens[index]
    if words.and.contains(token.text) {
      guard !token.followsComma, index + 1 < tokens.count else { return true }
      return pack.goalWords.clauseStarts.contains(tokens[index + 1].text)
    }
    if words.goalEnds.contains(token.text) { return true }
    return token.followsComma && token.number == nil && words.numbers[token.text] == nil
  }

  /// What names a goal here: the forms of a new one, behind words such as "my goal has changed".
  private func forms(_ said: [String]) -> [[String]] {
    guard let place = pack.goalWords.changed.place(in: said) else { return words.newGoal }
    let changed = Array(said[place])
    return words.newGoal + pack.goalWords.wished.map { changed + $0 }
  }

  private func goal(in sentence: LogTokens) -> String? {
    let said = sentence.words
    for form in forms(said) {
      guard let gap = form.firstIndex(of: "*") else { continue }
      let (before, behind) = (Array(form[..<gap]), Array(form[(gap + 1)...]))
      let isWhole = before.isEmpty
      for start in 0...(isWhole ? 0 : max(0, said.count - before.count)) {
        guard said[start...].starts(with: before) else { continue }
        var place = start + before.count..<said.count
        if behind.isEmpty {
          let begin = place.first { Self.isWord(sentence.tokens[$0]) } ?? place.upperBound
          place = begin..<place.upperBound
          let end = place.dropFirst().first { endsGoal(at: $0, sentence) }
          place = place.lowerBound..<(end ?? place.upperBound)
        } else if let end = place.dropFirst().first(where: { said[$0...].starts(with: behind) }) {
          place = place.lowerBound..<end
        } else {
          continue
        }
        if isWhole {
          // "My wife says running matters more now" is hers.
          if words.isAboutOthers(said) { return nil }
          // "Actually, running matters more now".
          let comma = place.last { sentence.tokens[$0].followsComma } ?? place.lowerBound
          place =
            (place.dropFirst(comma - place.lowerBound).first {
              !words.goalBegins.contains(said[$0])
            } ?? place.upperBound)..<place.upperBound
        }
        guard let first = place.first(where: { Self.isWord(sentence.tokens[$0]) }),
          let last = place.last(where: { Self.isWord(sentence.tokens[$0]) }), place.count <= 20
        else { continue }
        let range =
          sentence.tokens[first].range.lowerBound..<sentence.tokens[last].range.upperBound
        return String(sentence.text[range])
      }
    }
    return nil
  }

  /// Whether a token is no mere sign, such as the colon of "New goal: …".
  private static func isWord(_ token: LogTokens.Token) -> Bool {
    token.number != nil || token.text.first?.isLetter == true
  }
}
