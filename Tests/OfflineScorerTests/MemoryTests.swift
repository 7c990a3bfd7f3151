import TestSupport
import Testing

@testable import ContextQuality
@testable import OfflineScorer

/// What the scorer remembers of words and questions makes it faster and nothing else.
struct MemoryTests {
  @Test func whatWasReadBeforeChangesNothing() throws {
    let transcripts = try Fixtures.transcripts()
    var experienced = ConversationScorer()
    for transcript in transcripts + transcripts.reversed() {
      #expect(experienced.knownByTurn(transcript) == OfflineScorer().knownByTurn(transcript))
    }
  }

  @Test func aWordIsTheSameInEitherCaseAndWhereverTheTextEnds() {
    let text =
      "I can't Stop at 7.5kg, it's O'Brien's café… don’t: sooo UNBELIEVABLY long-winded o' x"
    for end in text.unicodeScalars.indices {
      let cut = String(text[..<end])
      #expect(Self.tokens(cut) == Self.tokens(cut + "                "))
    }
    #expect(Self.tokens("went RUNNING").map(\.lemma) == Self.tokens("WENT running").map(\.lemma))
  }

  @Test func aWordThatComesAgainMeansTheSame() {
    let words = "knees i'm O'Neil whatsoeverish zumba'd extraordinarilylong naïve 5k x's"
    for word in words.split(separator: " ") {
      let twice = Self.tokens("so \(word) and \(word)").map(\.lemma)
      let once = Self.tokens("so \(word)").map(\.lemma)
      #expect(twice.prefix(once.count) == once[...])
      #expect(twice.suffix(once.count - 1) == once.dropFirst())
    }
  }

  @Test func questionsThatDifferInALetterAreReadAnew() {
    var scorer = ConversationScorer()
    let weight = "How much do you weigh?"
    let sleep = "How much do you sleep?"
    for question in [weight, sleep, weight, "", sleep] {
      let fresh = Self.asked(question, by: ConversationScorer())
      #expect(scorer.asked(question) == fresh)
    }
    #expect(scorer.asked(weight) != scorer.asked(sleep))
  }

  private struct Seen: Equatable {
    var start, end, lemma, symbol: UInt32
    var flags: UInt16
  }

  private static func tokens(_ text: String) -> [Seen] {
    TokenizedText(text, model: .builtIn).tokens.map {
      Seen(
        start: $0.start, end: $0.end, lemma: $0.lemma, symbol: $0.symbol, flags: $0.flags.rawValue)
    }
  }

  private static func asked(_ question: String, by scorer: consuming ConversationScorer) -> UInt32 {
    scorer.asked(question)
  }
}

extension ConversationScorer {
  /// The facets that a question is found to ask for.
  fileprivate mutating func asked(_ question: String) -> UInt32 {
    var (question, answer) = (question, "ok")
    begin()
    question.withUTF8 { coachSaid($0) }
    answer.withUTF8 { userSaid($0) }
    return askedFacets
  }

  fileprivate mutating func knownByTurn(_ transcript: Transcript) -> [UInt32] {
    begin()
    var known: [UInt32] = []
    for message in transcript.messages {
      var text = message.text
      text.withUTF8 { bytes in
        if message.speaker == .coach { coachSaid(bytes) } else { userSaid(bytes) }
      }
      if message.speaker == .user { known.append(self.known) }
    }
    return known
  }
}
