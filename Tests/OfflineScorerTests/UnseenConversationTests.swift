import TestSupport
import Testing

@testable import OfflineScorer

/// How the built-in scorers read conversations that they were not trained on: the quality gate.
///
/// `make quality` prints the tables, and `make quality RECORD=1` writes the figures when a change is
/// intended. The floors are the worse ends of the first intervals, and are edited by hand.
struct UnseenConversationTests {
  private static let offline = Result { try UnseenFigures(.offline, .familiar) }
  private static let strangers = Result { try UnseenFigures(.offline, .strangers) }

  @Test func halfOfThemAreOrdinaryAndHalfStandForTenWaysOfWriting() throws {
    let registers = try Self.offline.get().conversations.map(\.register)
    #expect(registers.count { $0 == nil } == 30)
    #expect(
      Dictionary(grouping: registers.compactMap(\.self)) { $0 }.map(\.value.count)
        == Array(repeating: 3, count: 10))
  }

  @Test func theFiguresAreThoseOnFile() throws {
    for text in [Self.offline, Self.strangers] { try expectOnFile(text.get()) }
  }

  @Test func noFigureOnStrangersIsWorseThanItsFloor() throws {
    #expect(try Self.strangers.get().belowFloor("all").isEmpty)
  }

  @Test(arguments: ["all", "ordinary", "registers"])
  func noFigureIsWorseThanItsFloor(group: String) throws {
    #expect(try Self.offline.get().belowFloor(group).isEmpty)
  }

  @Test func theSumsGiveTheFiguresThatTheReportsGive() throws {
    let all = try Self.offline.get().conversations
    let agreement = try Agreement(all)
    let figures = ConversationSums.figures(all.map { ConversationSums($0, agreement) })
    let expected = [
      agreement.figures.precision, agreement.figures.recall, agreement.figures.f1,
      agreement.meanAbsoluteError, agreement.spearman, agreement.readyAgreement,
    ]
    for (figure, other) in zip(figures, expected) { #expect(abs(figure - other) < 1e-9) }
  }
}

private func expectOnFile(_ text: UnseenFigures) throws {
  let figures = try text.checked()
  #expect(
    figures.now == figures.onFile,
    "The figures have changed. If that's intended: make quality RECORD=1")
}

/// The same for the encoder, which takes a while in a debug build.
@Suite(.slow)
struct UnseenEncoderTests {
  private static let encoder = Result { try UnseenFigures(.encoder, .familiar) }
  private static let strangers = Result { try UnseenFigures(.encoder, .strangers) }

  @Test func theFiguresAreThoseOnFile() throws {
    for text in [Self.encoder, Self.strangers] { try expectOnFile(text.get()) }
  }

  @Test func noFigureOnStrangersIsWorseThanItsFloor() throws {
    #expect(try Self.strangers.get().belowFloor("all").isEmpty)
  }

  @Test(.enabled(if: QualityFigures.arePrinted)) func theCascadeIsMeasuredToo() throws {
    for text in UnseenSet.allCases {
      let figures = try UnseenFigures(.cascade, text).checked()
      #expect(figures.now == figures.onFile)
    }
  }

  @Test(arguments: ["all", "ordinary", "registers"])
  func noFigureIsWorseThanItsFloor(group: String) throws {
    #expect(try Self.encoder.get().belowFloor(group).isEmpty)
  }
}
