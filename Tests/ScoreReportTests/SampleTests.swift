import ContextQuality
import TestSupport
import Testing

@testable import BatchScoring
@testable import ScoreReport

struct SampleTests {
  @Test func theSameInputGivesTheSameFileOnAnyNumberOfCores() async throws {
    let input = try Samples.labelled(900)
    let alone = try await Samples.page(input, jobs: 1)
    #expect(alone == (try await Samples.page(input, jobs: 1)))
    #expect(alone == (try await Samples.page(input, jobs: 4)))
  }

  @Test func totalsAreOverAllAndThePageSaysWhatIsASample() async throws {
    let page = try PageReader(await Samples.page(Samples.labelled(900), conversations: 40))
    #expect(page.count("details", class: "talk") == 40)
    let text = page.text
    #expect(
      text.contains(
        "Totals and plots cover all 900 conversations; the heat map shows a sample of 300, "
          + "and the list shows a sample of 40, chosen by"
      ))
    let bars = page.texts.filter { $0.path.suffix(2) == ["rect", "title"] }.compactMap {
      $0.text.split(separator: ":").last.flatMap { Int($0.filter(\.isNumber)) }
    }
    #expect(bars.reduce(0, +) == 900)
  }

  @Test func aFewAreShownWithoutASample() async throws {
    let text = try PageReader(await Samples.page(Samples.labelled(3))).text
    #expect(text.contains("Everything here covers all 3 conversations."))
    #expect(!text.contains("sample"))
  }

  @Test func theOrderOfTheInputDoesNotChangeWhoIsInTheSample() async throws {
    let lines = try Samples.labelled(300).split(separator: 0x0A)
    func ids(_ lines: [ArraySlice<UInt8>]) async throws -> Set<String> {
      let input = Array(lines.joined(separator: [0x0A]))
      let page = try PageReader(await Samples.page(input, conversations: 30))
      return Set(page.texts.filter { $0.path.last == "h3" }.map { $0.text })
    }
    let ordered = try await ids(lines)
    #expect(ordered.count == 30)
    #expect(ordered == (try await ids(Array(lines.reversed()))))
  }

  @Test func partsGiveTheSampleOfTheWhole() {
    var random = SeededGenerator(seed: 5)
    let keys = (0..<2000).map { _ in UInt64.random(in: 0..<500, using: &random) }
    var whole = LowestKeys<Int>(limit: 20)
    for (position, key) in keys.enumerated() { whole.add(position, key: key, position: position) }
    var merged = LowestKeys<Int>(limit: 20)
    var offset = 0
    for part in keys.cutAtRandom(longest: 90, using: &random) {
      var sample = merged.successor
      for (index, key) in part.enumerated() {
        sample.add(offset + index, key: key, position: index)
      }
      merged.add(sample, offset: offset)
      offset += part.count
    }
    let expected = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.prefix(20).sorted()
    #expect(whole.sample.map(\.element) == expected)
    #expect(merged.sample.map(\.element) == expected)
    #expect(merged.sample.map(\.position) == expected)
  }

  @Test func theSampleHoldsNoMoreThanTwiceItsLimit() {
    var sample = LowestKeys<Int>(limit: 10)
    for key in stride(from: 10_000, to: 0, by: -1) {
      sample.add(key, key: UInt64(key), position: 10_000 - key)
      #expect(sample.held < 20)
    }
  }
}

struct PlotTests {
  @Test func aBarBeginsAboveItsLeftEdge() {
    var counts = [Int](repeating: 0, count: 10_001)
    for points in [0, 1, 500, 501, 8000, 8001, 10_000] { counts[points] += 1 }
    let bins = OverallPlot(counts: counts, readyAbove: 8000).binned
    #expect(bins[0] == 3)
    #expect(bins[1] == 1)
    #expect(bins[15] == 1)
    #expect(bins[16] == 1)
    #expect(bins[19] == 1)
  }

  @Test func theReadyCurveNeverFalls() {
    let plot = ReadyPlot(
      conversations: 10, becameReady: [0, 3, 0, 2] + [Int](repeating: 0, count: 16),
      lengths: [1, 2, 3, 2, 2] + [Int](repeating: 0, count: 15))
    #expect((1...plot.turns).map(plot.readyBy) == [0, 3, 3, 5, 5])
    #expect((1...plot.turns).map(plot.reached) == [10, 9, 7, 4, 2])
  }

  @Test(arguments: [
    (0, 100, "0%"), (1, 1000, "< 1%"), (999, 1000, "> 99%"), (1000, 1000, "100%"),
    (1, 3, "33%"),
    (2, 3, "67%"), (0, 0, "–"),
  ])
  func sharesNeverLookLikeNoneOrAllWhenTheyAreNot(part: Int, whole: Int, shown: String) {
    #expect(ShownFigure.share(part, of: whole) == shown)
  }

  @Test(arguments: [(1, 1), (7, 2), (300, 100), (4100, 2000), (12, 5)])
  func axisStepsAreRound(top: Int, step: Int) {
    #expect(Figures.step(to: top, most: 4) == step)
  }

  @Test func theBestAreTheSameHoweverTheyAreDivided() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let scores = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        Int.random(in: 0...6, using: &random)
      }
      let limit = Int.random(in: 1...12, using: &random)
      let wanted = scores.enumerated().sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }
        .prefix(limit).map(\.offset)
      var best = BestScored<Int>(limit: limit)
      var rest = Array(scores.enumerated())[...]
      while !rest.isEmpty {
        // Parts begun together know the same, as on several cores.
        var parts = [best.successor, best.successor]
        for index in parts.indices {
          let size = Int.random(in: 0...7, using: &random)
          for (offset, score) in rest.prefix(size) { parts[index].offer(points: score) { offset } }
          rest = rest.dropFirst(size)
        }
        for part in parts { best.add(part) }
      }
      #expect(best.sorted == wanted && best.offered == scores.count)
    }
  }
}
