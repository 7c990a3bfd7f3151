import Testing

@testable import Intake

struct SharedTests {
  private struct Holder: Hashable, Sendable { @Shared var words: [String] = [] }

  @Test func aCopyKeepsWhatItHadWhenTheOtherChanges() {
    var first = Holder()
    first.words.append("one")
    let second = first
    first.words.append("two")
    first.words[0] = "ONE"
    #expect(second.words == ["one"])
    #expect(first.words == ["ONE", "two"])
  }

  @Test func equalityIsThatOfTheValues() {
    let (first, second) = (Holder(words: ["a"]), Holder(words: ["a"]))
    #expect(first == second && first.hashValue == second.hashValue)
    #expect(first != Holder(words: ["b"]))
  }

  /// What makes a waiting turn small.
  @Test func aCopyOfTheStateIsSmall() {
    #expect(MemoryLayout<IntakeState>.size <= 400)
    #expect(MemoryLayout<IntakeEvent>.size <= 16)
  }
}
