import Testing

@testable import rapport

struct DraftEditsTests {
  private func count(_ lengths: [Int]) -> Int {
    var edits = DraftEdits()
    for length in lengths { edits.typed(length) }
    return edits.count
  }

  @Test func whatIsTakenBackAndWrittenAnewCountsOnce() {
    #expect(count(Array(1...20) + (10...19).reversed() + Array(11...30)) == 1)
    #expect(count([20, 5, 30, 12, 40]) == 2)
  }

  @Test func aSlipOfTheFingerAndASentMessageDoNotCount() {
    #expect(count([10, 9, 8, 9, 10, 11]) == 0)
    #expect(count([30, 0]) == 0)
  }
}
