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

  @Test func nothingIsReadOnceTheLineWasSent() async {
    let desk = Desk(holding: true)
    let reader = desk.reader
    reader.typed("I want")
    await desk.clock.sleeps(for: DraftReader.pause)
    desk.clock.wakeAll()
    #expect(await desk.nextRead() == "I want")
    reader.end()
    #expect(desk.cancelled.withLock(\.self) == ["I want"])
    reader.typed("I want more")
    #expect(desk.clock.sleeperCount == 0, "the prompt is over")
  }
}
