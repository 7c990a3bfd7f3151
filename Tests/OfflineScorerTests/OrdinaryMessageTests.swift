import TestSupport
import Testing

@testable import ContextQuality
@testable import OfflineScorer

/// A guard refuses the smallest piece, and never what a person plainly says.
struct OrdinaryMessageTests {
  @Test func aDenseMessageIsNoWordList() {
    let ledger = scored(
      "coach: What kinds of exercise do you like?",
      "I quite like rowing, there's an erg at work. hate group classes")
    let names = Set(ledger.entries.map(\.evidence.facet.name))
    #expect(names.isSuperset(of: ["activities", "dislikes"]), "\(names)")
  }

  @Test func aHedgeIsNotUnreal() {
    let ledger = scored(
      "coach: When could you train?",
      "Tuesdays and Thursdays after 6 I suppose, evenings are best")
    let names = Set(ledger.entries.map(\.evidence.facet.name))
    #expect(names.isSuperset(of: ["availability", "bestTime"]), "\(names)")
  }

  @Test(
    arguments: [
      "got it", "ok thanks", "Okay", "Thanks!", "ok got it", "Thank you so much", "ok cool",
      "Got it, thanks",
    ],
    [
      "What gets in the way?", "How many days could you train?", "Any injuries?",
      "Great. I'll check in on Friday.",
    ])
  func anAcknowledgementIsNoEvidence(words: String, question: String) {
    let ledger = scored("coach: \(question)", words)
    #expect(ledger.names.isEmpty, "\(ledger.names)")
  }
}
