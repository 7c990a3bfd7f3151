import Synchronization
import TestSupport
import Testing

@testable import rapport

/// When a draft is read, on a clock that stands still.
struct DraftReaderTests {
  private final class Desk: Sendable {
    let clock = StoppedClock()
    let began = AsyncStream<String>.makeStream()
    let shown = AsyncStream<[String]>.makeStream()
    let hold: Gate?
    let cancelled = Mutex<[String]>([])

    init(holding: Bool = false) { hold = holding ? Gate() : nil }

    var reader: DraftReader {
      DraftReader(clock: clock) { [self] draft in
        began.continuation.yield(draft)
        await withTaskCancellationHandler {
          await hold?.opened()
        } onCancel: {
          cancelled.withLock { $0.append(draft) }
          hold?.open()
        }
        return Task.isCancelled ? nil : ["about \(draft)"]
      } show: { [self] _, facets in
        shown.continuation.yield(facets)
      }
    }

    func nextRead() async -> String? {
      for await draft in began.stream { return draft }
      return nil
    }

    func nextShown() async -> [String]? {
      for await facets in shown.stream { return facets }
      return nil
    }
  }

  @Test func aPauseOfThreeHundredMillisecondsHasTheDraftRead() async {
    let desk = Desk()
    let reader = desk.reader
    reader.typed("I want")
    await desk.clock.sleeps(for: .milliseconds(300))
    desk.clock.wakeAll()
    #expect(await desk.nextRead() == "I want")
    #expect(await desk.nextShown() == ["about I want"])
  }

  @Test func everyKeyBeginsThePauseAnew() async {
    let desk = Desk()
    let reader = desk.reader
    for line in ["I", "I ", "I w", "I w"] {
      reader.typed(line)
      await desk.clock.sleeps(for: DraftReader.pause)
    }
    reader.typed("I want")
    await desk.clock.sleeps(for: DraftReader.pause)
    desk.clock.wakeAll()
    #expect(await desk.nextRead() == "I want", "the others were never read")
  }

  @Test(arguments: ["", "  ", "/help", "/insight"])
  func whatSaysNothingToTheCoachIsNotRead(line: String) async {
    let desk = Desk()
    let reader = desk.reader
    reader.typed(line)
    #expect(desk.clock.sleeperCount == 0)
    reader.typed("I")
    await desk.clock.sleeps(for: DraftReader.pause)
    desk.clock.wakeAll()
    #expect(await desk.nextRead() == "I")
  }

  @Test func theNextKeyEndsTheReadingAndMovingAboutDoesNot() async {
    let desk = Desk(holding: true)
    let reader = desk.reader
    reader.typed("I want")
    await desk.clock.sleeps(for: DraftReader.pause)
    desk.clock.wakeAll()
    #expect(await desk.nextRead() == "I want")
    reader.typed("I want")
    #expect(desk.cancelled.withLock(\.self) == [])
    reader.typed("I want t")
    #expect(desk.cancelled.withLock(\.self) == ["I want"])
  }

  private func read(_ line: String, after pause: Duration, _ reader: DraftReader, _ desk: Desk)
    async
  {
    reader.typed(line)
    await desk.clock.sleeps(for: pause)
    desk.clock.wakeAll()
    #expect(await desk.nextRead() == line)
    #expect(await desk.nextShown() == ["about \(line)"])
  }

  @Test func whoPausesTimeAndAgainIsReadAfterLongerPauses() async {
    let desk = Desk()
    let reader = desk.reader
    for (index, pause) in [300, 300, 600, 600, 2_500, 5_000, 10_000].enumerated() {
      let line = String(repeating: "word ", count: index + 1)
      await read(line, after: .milliseconds(pause), reader, desk)
    }
  }

  @Test func aLetterOrTwoMoreWaitForALongerPause() async {
    let desk = Desk()
    let reader = desk.reader
    await read("I want", after: DraftReader.pause, reader, desk)
    await read("I want t", after: DraftReader.pause * 2, reader, desk)
  }

  @Test func theAllowanceGoesFromMessageToMessage() async {
    let allowance = ReadingAllowance()
    for _ in 0..<4 { allowance.spend() }
    #expect(allowance.pause(isSmall: false) == .milliseconds(2_500))
    allowance.sent(wasRead: false)
    #expect(allowance.pause(isSmall: false) == .milliseconds(600))
    // Whose every draft is the message sent costs no request more than without.
    for _ in 0..<9 {
      allowance.sent(wasRead: true)
      allowance.spend()
    }
    #expect(allowance.pause(isSmall: false) == DraftReader.pause)
  }

  @Test func whatWasReadBeforeIsKnownAtOnce() async {
    let desk = Desk()
    let reader = desk.reader
    await read("I want", after: DraftReader.pause, reader, desk)
    reader.typed("I want t")
    await desk.clock.sleeps(for: DraftReader.pause * 2)
    reader.typed("I want")
    #expect(await desk.nextShown() == ["about I want"])
    #expect(desk.clock.sleeperCount == 0)
  }

  @Test func whatIsSentAsItWasReadIsReadToItsEnd() async {
    for (sent, expected) in [("I want", [String]()), ("I wa", ["I want"])] {
      let desk = Desk(holding: true)
      let reader = desk.reader
      reader.typed("I want")
      await desk.clock.sleeps(for: DraftReader.pause)
      desk.clock.wakeAll()
      #expect(await desk.nextRead() == "I want")
      reader.end(sent: sent)
      #expect(desk.cancelled.withLock(\.self) == expected)
      desk.hold?.open()
      reader.typed("I want more")
      #expect(desk.clock.sleeperCount == 0, "the prompt is over")
    }
  }
}
