import LanguageModels
import Testing

struct PromptTruncationTests {
  private func prompt(
    words: Int, opening: String = "I want to run", purpose: RequestPurpose = .score
  ) -> PromptTruncationDetector.Fingerprint {
    let text = opening + String(repeating: " and then more", count: words)
    return PromptTruncationDetector.Fingerprint(
      ModelRequest(purpose: purpose, system: "Score.", messages: [ModelMessage(.user, text)]))
  }

  private func cut(
    _ prompt: PromptTruncationDetector.Fingerprint, usage: TokenUsage?,
    _ detector: inout PromptTruncationDetector
  ) -> Bool {
    detector.wasCut(prompt, usage: usage)
  }

  private func usage(_ input: Int) -> TokenUsage { TokenUsage(input: input, output: 11) }

  @Test func aCountThatGrowsWithThePromptIsFine() {
    var detector = PromptTruncationDetector()
    for turn in 1...20 {
      let words = turn * 100
      #expect(!cut(prompt(words: words), usage: usage(words * 3 + 5), &detector))
    }
  }

  @Test func aCountThatStallsOrFallsIsACut() {
    var detector = PromptTruncationDetector()
    #expect(!cut(prompt(words: 1000), usage: usage(3000), &detector))
    #expect(cut(prompt(words: 1200), usage: usage(3000), &detector))
    #expect(cut(prompt(words: 1400), usage: usage(2900), &detector))
    #expect(cut(prompt(words: 2000), usage: usage(3100), &detector))
  }

  @Test func aLittleGrowthProvesNothing() {
    var detector = PromptTruncationDetector()
    #expect(!cut(prompt(words: 1000), usage: usage(3000), &detector))
    #expect(!cut(prompt(words: 1001), usage: usage(2999), &detector))
  }

  @Test func purposesAndConversationsAreApart() {
    var detector = PromptTruncationDetector()
    #expect(!cut(prompt(words: 1000), usage: usage(3000), &detector))
    #expect(!cut(prompt(words: 2000, purpose: .coach), usage: usage(2000), &detector))
    #expect(!cut(prompt(words: 2000, opening: "Hola, quiero nadar"), usage: usage(2000), &detector))
    #expect(!cut(prompt(words: 500), usage: usage(1500), &detector))
  }

  @Test(arguments: [(2037, true), (4085, true), (2048, true), (1013, false), (3000, false)])
  func aTotalOfExactlyAWindowIsACut(input: Int, isCut: Bool) {
    var detector = PromptTruncationDetector()
    #expect(cut(prompt(words: 10), usage: usage(input), &detector) == isCut)
    var trusting = PromptTruncationDetector()
    let isTrusted = !trusting.wasCut(
      prompt(words: 10), usage: usage(input), windowsAreSuspect: false)
    #expect(isTrusted)
  }

  @Test func noCountIsNoEvidence() {
    var detector = PromptTruncationDetector()
    #expect(!cut(prompt(words: 1000), usage: usage(3000), &detector))
    #expect(!cut(prompt(words: 2000), usage: nil, &detector))
    #expect(!cut(prompt(words: 2000), usage: usage(0), &detector))
  }

  @Test func oneConversationIsFollowedAmongMany() {
    var detector = PromptTruncationDetector()
    for turn in 1...10 {
      for person in 0..<3 {
        let fingerprint = prompt(words: turn * 100, opening: "Person \(person)")
        #expect(!cut(fingerprint, usage: usage(turn * 300 + person), &detector))
      }
    }
    #expect(cut(prompt(words: 1200, opening: "Person 1"), usage: usage(3001), &detector))
  }
}
