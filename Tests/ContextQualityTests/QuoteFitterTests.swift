import ContextQuality
import TestSupport
import Testing

struct QuoteFitterTests {
  private let turn = "I want to lose 20 lb by June, I train at home with dumbbells."

  private func refusal(_ quote: String, in turn: String? = nil) -> QuoteFitter.Rejection? {
    QuoteFitter.refusal(of: quote, in: turn ?? self.turn, littleWords: ["i", "m", "want", "to"])
  }

  @Test(arguments: ["lose 20 lb", "  LOSE 20 LB ", "by June", "lose  20\nlb by june, i train"])
  func theUsersOwnWordsHold(quote: String) {
    #expect(refusal(quote) == nil)
  }

  @Test(arguments: [
    "for my kids", "lose 20 lb with dumbbells", "lose 20 lb ... dumbbells", "lose\u{200B} 20 lb",
    "lose 20 lb\u{0}", "20 l", "umbbells", "ose 20 lb", "l\u{043E}se 20 lb",
  ])
  func anythingElseDoesNot(quote: String) {
    #expect(refusal(quote) == .notVerbatim)
  }

  @Test(arguments: ["", " ", "\n\t "])
  func nothingIsNoQuote(quote: String) {
    #expect(refusal(quote) == .empty)
  }

  @Test(arguments: ["I", "20", "by", "at", "I want", "want to"])
  func tooLittleIsNoEvidence(quote: String) {
    #expect(refusal(quote) == .tooShort)
  }

  @Test func aShortQuoteCountsAsTheWholeAnswer() {
    #expect(refusal("nope", in: "Nope.") == nil)
    #expect(refusal("no", in: " No! ") == nil)
    #expect(refusal("34", in: "34") == nil)
    #expect(refusal("no", in: "no, and I hate running") == .tooShort)
  }

  @Test func typographicQuotationMarksAreFolded() {
    #expect(refusal("I'm 42", in: "well, I’m 42 now") == nil)
    #expect(refusal("he said “no”", in: "he said \"no\" to me") == nil)
  }

  @Test func scriptsWithoutWordSpacesAreQuotedInPart() {
    #expect(refusal("减肥", in: "我想减肥十公斤") == nil)
  }

  /// Any three characters of a sentence are refused: chance agrees with too much of it.
  @Test func piecesOfUpToThreeCharactersNeverHold() {
    let characters = Array(turn)
    for length in 0...3 {
      for start in 0...(characters.count - length) {
        #expect(refusal(String(characters[start..<start + length])) != nil)
      }
    }
  }

  /// Readers quoted single short words now and then ("nope" in "nope. how long til…"); those are
  /// the only labels that the rule for short quotes costs.
  @Test func labelledQuotesHold() throws {
    let labels = try Fixtures.labels()
    let refused = labels.filter { refusal($0.quote, in: $0.userTurns[$0.turn - 1]) != nil }
    #expect(labels.count == 2_419)
    for label in refused {
      #expect(
        refusal(label.quote, in: label.userTurns[label.turn - 1]) == .tooShort,
        "\(label.id) \(label.facet): \(label.quote)")
    }
    #expect(refused.count <= 48, "more than 2 % of the labels are lost: \(refused.map(\.quote))")
  }
}
