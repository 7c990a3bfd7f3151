import TestSupport
import Testing

@testable import HealthRecords

/// The walks through time, beside what they come to second by second.
@Suite(.slow)
struct SweepTests {
  private let window = HealthWindow(
    days: 7, until: nil, end: ZonedTime(instant: 1_768_003_200, offset: 0))
  private let sources: [RecordSource] = [.entered, .watch, .phone, .other, .other].map {
    RecordSource(kind: $0)
  }

  /// Around a midnight, short and long, with repetitions, on three clocks.
  private func samples(
    _ count: Int, _ random: inout SeededGenerator, values: Range<Int>
  ) -> [IntervalSample] {
    var all: [IntervalSample] = []
    for _ in 0..<count {
      if let old = all.randomElement(using: &random), Int.random(in: 0..<8, using: &random) == 0 {
        all.append(old)
        continue
      }
      let start = 3 * 86_400 + Int.random(in: -500...500, using: &random)
      let length = [
        0, Int.random(in: 1...40, using: &random), Int.random(in: 1...600, using: &random),
      ]
      let offset = [0, 0, 3600, -19_800].randomElement(using: &random) ?? 0
      let time = ZonedTime(instant: window.first.number * 86_400 + start, offset: offset)
      let end = ZonedTime(
        instant: time.instant + (length.randomElement(using: &random) ?? 0), offset: offset)
      all.append(
        IntervalSample(
          time, end, value: Int.random(in: values, using: &random),
          source: UInt16.random(in: 0..<5, using: &random), epoch: window.epoch))
    }
    return all
  }

  @Test func everySecondOfARecordCountsUnlessABetterSourceHasIt() {
    var random = SeededGenerator(seed: 31)
    for _ in 0..<Soak.rounds(15, soak: 1_000) {
      let all = samples(Int.random(in: 1...25, using: &random), &random, values: 0..<9_000_000)
      let found = IntervalMerge.days(all, sources: sources, window: window)
      let expected = secondBySecond(all)
      for (day, (left, right)) in zip(found, expected).enumerated() {
        #expect((left == nil) == (right == nil), "day \(day)")
        #expect(abs((left ?? 0) - (right ?? 0)) < 0.001, "day \(day)")
      }
      #expect(
        IntervalMerge.days(all.shuffled(using: &random), sources: sources, window: window) == found)
    }
  }

  private func secondBySecond(_ all: [IntervalSample]) -> [Double?] {
    let places = SourceOrder(sources, counting: all.map(\.source)).places
    var sums = [Double?](repeating: nil, count: window.count)
    for sample in Set(all) {
      let seconds = sample.duration == 0 ? [sample.start] : Array(sample.start..<sample.end)
      for second in seconds {
        let isTaken = all.contains {
          ($0.start..<$0.end).contains(second) && places[$0.source] < places[sample.source]
        }
        let day = Day(
          number: (window.epoch + second + sample.startOffset).flooredQuotient(by: 86_400))
        guard !isTaken, let index = window.index(of: day) else { continue }
        sums[index] = (sums[index] ?? 0) + sample.value.asDouble / Double(seconds.count)
      }
    }
    return sums
  }

  @Test func everySecondIsAsleepOrNot() {
    var random = SeededGenerator(seed: 37)
    for _ in 0..<Soak.rounds(15, soak: 1_000) {
      let all = samples(Int.random(in: 1...15, using: &random), &random, values: 0..<3)
      let nights = SleepMerge.nights(all, sources: sources, window: window)
      let told = all.filter { $0.value != SleepState.inBed.rawValue }
      let places = SourceOrder(sources, counting: told.map(\.source)).places
      var (asleep, inBed) = (0, 0)
      for second in (3 * 86_400)..<(7 * 86_400) {
        let now = all.filter { ($0.start..<$0.end).contains(second) }
        if now.isEmpty { continue }
        if now.contains(where: { $0.value == SleepState.inBed.rawValue }) { inBed += 1 }
        let spoken = now.filter { $0.value != SleepState.inBed.rawValue }
        let first = spoken.map { places[$0.source] }.min()
        let states = spoken.filter { places[$0.source] == first }.map(\.value)
        if !states.isEmpty, !states.contains(SleepState.awake.rawValue) { asleep += 1 }
      }
      #expect(nights.reduce(0) { $0 + $1.asleep } == asleep)
      #expect(nights.reduce(0) { $0 + $1.inBed } == inBed)
    }
  }

  @Test func aSampleIsSmallAndLosesNothing() {
    #expect(MemoryLayout<IntervalSample>.size == 16 && MemoryLayout<Reading>.size == 16)
    let window = HealthWindow(
      days: 730, until: nil, end: ZonedTime(instant: 1_768_003_200, offset: 0))
    for offset in [-43_200, -19_800, 0, 20_700, 50_400] {
      let start = ZonedTime(instant: window.first.number * 86_400 - offset, offset: offset)
      let end = ZonedTime(instant: start.instant + Quantity.longestRecord, offset: 3600)
      let sample = IntervalSample(
        start, end, value: 500_000_000_000, source: 4096, epoch: window.epoch)
      #expect(sample.start + window.epoch == start.instant)
      #expect(sample.end + window.epoch == end.instant)
      #expect((sample.startOffset, sample.endOffset) == (offset, 3600))
      #expect((sample.value, sample.source) == (500_000_000_000, 4096))
    }
    let reading = Reading(second: 66_000_000, place: 999_999, dayIndex: 730, value: 650_000_001)
    #expect((reading.dayIndex, reading.value, reading.second) == (730, 650_000_001, 66_000_000))
  }

  @Test(arguments: [0, 1, 2, 49_999, 50_000, 50_001, 70_000])
  func sortingInPlaceSorts(count: Int) {
    var random = SeededGenerator(seed: 41)
    var numbers = (0..<count).map { _ in Int.random(in: 0...count / 2, using: &random) }
    let expected = numbers.sorted()
    numbers.sortInPlace(by: <)
    #expect(numbers == expected)
    numbers.sortInPlace(by: <)
    #expect(numbers == expected)
  }

  /// Many of one thing take about as much longer as there are more of them.
  @Test func manySourcesAndManyWorkoutsTakeNoQuadraticTime() {
    let many = (0..<4000).map { _ in RecordSource(kind: .other) }
    let first = window.first.number * 86_400
    func span(_ index: Int) -> (ZonedTime, ZonedTime) {
      let start = first + index % 6 * 86_400 + index / 6 * 4
      return (ZonedTime(instant: start, offset: 0), ZonedTime(instant: start + 3, offset: 0))
    }
    let samples = (0..<40_000).map { index in
      let (start, end) = span(index)
      return IntervalSample(
        start, end, value: 1, source: UInt16(index % 4000), epoch: window.epoch)
    }
    let workouts = (0..<19_990).map { index in
      let (start, end) = span(index * 6)
      return WorkoutRecord(
        start: start, end: end.instant, type: "running", minutes: 1, kilometres: nil,
        kilocalories: nil, source: UInt16(index % 4000))
    }
    let (seconds, _) = secondsOfWork {
      let nights = SleepMerge.nights(samples, sources: many, window: window)
      #expect(nights.reduce(0) { $0 + $1.asleep } == 120_000)
      let days = IntervalMerge.days(samples, sources: many, window: window)
      #expect(days.reduce(0) { $0 + ($1 ?? 0) } == 0.04)
      #expect(WorkoutMerge.merged(workouts, sources: many).count == 19_990)
    }
    // A hundredth of what every sample against every source takes.
    #expect(seconds < 20)
  }
}
