import IncrementalJSON
import SessionStore
import Testing

@testable import RapportServer

/// Who may write to a conversation next. No store, no model and no waiting.
struct RunTableTests {
  private let id = SessionID(rawValue: "abcdefgh")

  @Test func oneRunAtATimeWrites() throws {
    var table = RunTable()
    let run = Run(id)
    _ = try table.claim(run)
    guard case .taken(let other) = try table.claim(Run(id)) else {
      Issue.record("A second reply was let in.")
      return
    }
    #expect(other === run)
    #expect(table.reply(in: id) === run)
    _ = try table.claim(Run(SessionID(rawValue: "another")))
    run.end()
    guard case .granted = try table.claim(Run(id)) else {
      Issue.record("A reply that is over was in the way.")
      return
    }
  }

  @Test func suggestionsEndWithTheNextMessage() throws {
    var table = RunTable()
    let run = Run(id)
    _ = try table.claim(run)
    run.completeReply()
    #expect(table.reply(in: id) == nil)
    guard case .ending(let other) = try table.claim(Run(id)) else {
      Issue.record("The suggestions went on.")
      return
    }
    #expect(other === run)
  }

  @Test func aStepIsWaitedFor() throws {
    var table = RunTable()
    let step = Run(id, for: .step)
    _ = try table.claim(step)
    guard case .after(let other) = try table.claim(Run(id)) else {
      Issue.record("The step was not waited for.")
      return
    }
    #expect(other === step)
    #expect(table.reply(in: id) == nil)
    step.end()
    table.remove(step)
    #expect(table[id] == nil)
  }

  @Test func aReplyThatEndedIsRememberedUntilTheNext() throws {
    var table = RunTable()
    let (first, next) = (Run(id), Run(id))
    _ = try table.claim(first)
    first.end()
    _ = table.keep(first, bytes: 100)
    #expect(table[id] === first)
    #expect(table.runs.isEmpty)
    _ = try table.claim(next)
    #expect(table[id] === next)
    // It comes too late to be kept.
    _ = table.keep(first, bytes: 100)
    #expect(table[id] === next)
  }

  @Test func anOpeningIsKnownUntilSomebodyGotTheReply() throws {
    var table = RunTable()
    let opening = ChatRequest.Opening(person: .local, user: nil, text: "Hi")
    let run = Run(id)
    _ = try table.claim(run)
    table.note(opening, of: id)
    #expect(table.conversation(openedBy: opening) == id)
    run.deliver()
    #expect(table.conversation(openedBy: opening) == nil)
  }

  @Test func nothingBeginsOnceItStops() throws {
    var table = RunTable()
    let (open, over) = (Run(id), Run(SessionID(rawValue: "another")))
    _ = try table.claim(open)
    _ = try table.claim(over)
    over.end()
    let left = table.stop()
    #expect(left.map(\.conversation) == [id])
    #expect(throws: Problem.stopping) { try table.claim(Run(SessionID(rawValue: "third"))) }
  }

  @Test func writingIsNotedUntilTheStoreIsTidied() {
    var table = RunTable()
    let before = table.tidy()
    table.noteWriting()
    let (after, again) = (table.tidy(), table.tidy())
    #expect([before, after, again] == [false, true, false])
  }
}

struct RecentValuesTests {
  private func id(_ number: Int) -> SessionID { SessionID(rawValue: "conversation-\(number)") }

  @Test func onlyTheLatestAreKept() {
    var recent = RecentValues<Int>(room: 10)
    var forgotten: [Int] = []
    for number in 0..<30 { forgotten += recent.keep(number, size: 3, for: id(number)) }
    let kept = (0..<30).filter { recent[id($0)] != nil }
    #expect(kept == Array((30 - kept.count)..<30))
    #expect((4...8).contains(kept.count))
    #expect(forgotten.sorted() == Array(0..<(30 - kept.count)))
  }

  @Test func aValueThatIsReplacedTakesNoMoreRoom() {
    var recent = RecentValues<Int>(room: 10)
    for number in 0..<3 { _ = recent.keep(number, size: 3, for: id(number)) }
    for number in 3..<30 {
      let replaced = recent.keep(number, size: 3, for: id(2))
      #expect(replaced == [number - 1])
    }
    #expect((0..<3).compactMap { recent[id($0)] } == [0, 1, 29])
    let (removed, again) = (recent.remove(id(2)), recent.remove(id(2)))
    #expect(removed == 29)
    #expect(again == nil)
    #expect(recent[id(2)] == nil)
  }

  @Test func whatIsGoneMakesRoom() {
    var recent = RecentValues<Int>(room: 10)
    for number in 0..<3 { _ = recent.keep(number, size: 3, for: id(number)) }
    recent.removeAll { $0 < 2 }
    for number in 3..<5 { _ = recent.keep(number, size: 3, for: id(number)) }
    #expect((0..<5).compactMap { recent[id($0)] } == [2, 3, 4])
  }
}
