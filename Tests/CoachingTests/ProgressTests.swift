import Coaching
import Foundation
import HealthRecords
import TestSupport
import Testing

/// What the log adds up to.
struct ProgressTests {
  private func progress(_ entries: [LogEntry], today: Day) throws -> Coaching.Progress {
    Coaching.Progress(try state(entries).log, today: today)
  }

  /// One session a week, the last one on the Monday.
  private func weekly(_ values: [Double], make: (Double, Day) -> LogEntry) -> [LogEntry] {
    values.enumerated().map { index, value in
      make(value, monday + -7 * (values.count - 1 - index))
    }
  }

  @Test func theOneRepetitionMaximumFollowsEpley() {
    #expect(squat(100, on: monday, repetitions: 1).oneRepetitionMaximum == 100)
    let five = squat(100, on: monday, repetitions: 5).oneRepetitionMaximum ?? 0
    #expect(abs(five - 116.667) < 0.01)
    #expect(squat(100, on: monday, repetitions: 11).oneRepetitionMaximum == nil)
    #expect(squat(0, on: monday).oneRepetitionMaximum == nil)
  }

  @Test(arguments: [
    ([60.0, 60, 60], true), ([50, 55, 60, 60, 60], true), ([60, 62.5, 65], false),
    ([60, 60, 62.5], false), ([60, 60], false), ([60, 57.5, 55], true), ([60, 65, 60], false),
  ])
  func threeSessionsWithoutAGainAreAPlateau(_ loads: [Double], _ expected: Bool) throws {
    let entries = weekly(loads) { squat($0, on: $1) }
    let found = try progress(entries, today: monday)["squat"]
    #expect((found?.plateau != nil) == expected)
  }

  @Test func threeSessionsInOneWeekAreNoPlateau() throws {
    let entries = (0..<3).map { squat(60, on: monday + 2 * $0) }
    #expect(try progress(entries, today: monday + 6)["squat"]?.plateau == nil)
  }

  @Test func pacesOfOtherDistancesArentCompared() throws {
    let entries = [
      run(5, minutes: 30, on: monday), run(15, minutes: 105, on: monday + 7),
      run(5, minutes: 29, on: monday + 14), run(5, minutes: 28, on: monday + 21),
    ]
    let running = try #require(try progress(entries, today: monday + 21)["running"])
    #expect(running.trend?.direction == .better && running.trend?.sessions == 3)
    #expect(running.plateau == nil && running.best.value == 336)
    #expect(running.farthest?.kilometers == 15)
  }

  @Test func weeksStreaksAndAdherence() throws {
    // Three weeks of two sessions, one without, one of three, and this one's first.
    let days = [0, 2, 7, 9, 14, 16, 28, 29, 31, 35]
    let log = try state(days.map { squat(60, on: monday + $0) }).log
    let progress = Coaching.Progress(log, today: monday + 36, sessionsPerWeek: 2)
    #expect(progress.weeks.map(\.sessions) == [2, 2, 2, 0, 3, 1])
    #expect(progress.streak.weeks == 2 && progress.streak.longest == 3)
    #expect(progress.adherence?.planned == 8 && progress.adherence?.done == 6)
    #expect(progress.sessions == 10 && progress.thisWeek.kilograms == 900)
  }

  @Test func adherenceCountsFromThePlan() throws {
    // Agreed on a Sunday, with an entry on that day; three the week after.
    let log = try state([-1, 0, 2, 4].map { squat(60, on: monday + $0) }).log
    let partial = Coaching.Progress(
      log, today: monday + 8, sessionsPerWeek: 3, planBegan: monday + -1)
    #expect(partial.adherence?.planned == 3 && partial.adherence?.done == 3)
    // Agreed four weeks before the first entry.
    let late = Coaching.Progress(
      log, today: monday + 7, sessionsPerWeek: 3, planBegan: monday + -29)
    #expect(late.adherence?.planned == 12 && late.adherence?.done == 4)
    let new = Coaching.Progress(log, today: monday + 6, sessionsPerWeek: 3, planBegan: monday)
    #expect(new.adherence == nil)
  }

  @Test func milestonesComeOnce() throws {
    let entries =
      [60.0, 62.5, 65, 67.5, 100].enumerated().map { squat($0.element, on: monday + $0.offset) }
      + [run(10.1, minutes: 62, on: monday + 8), run(10.2, minutes: 60, on: monday + 9)]
    var target = squat(100, on: monday)
    (target.sets, target.repetitions) = (nil, nil)
    let all = Coaching.Progress(try state(entries).log, today: monday + 9, target: target)
      .milestones
    #expect(
      all.map(\.topic) == [
        "sessions 1", "best squat 2026-02-05", "best squat 2026-02-06", "goal squat",
        "distance running 10.0",
      ])
  }

  @Test func whoWantsToBeFasterHasRunTheDistance() throws {
    let log = try state([run(17.2, minutes: 95, on: monday), run(22, minutes: 120, on: monday + 1)])
      .log
    let all = Coaching.Progress(log, today: monday + 9, target: run(10, minutes: 45, on: monday))
      .milestones
    #expect(all.map(\.topic) == ["sessions 1", "distance running 21.0975"])
  }

  @Test func theWeightHasATrendBeyondItsNoise() throws {
    func weights(_ values: [Double]) -> [LogEntry] {
      weekly(values) { kilograms, day in
        var entry = LogEntry(day: day, kind: .weight, activity: "weight")
        entry.kilograms = kilograms
        return entry
      }
    }
    let falling = try progress(weights([82, 81.5, 81, 80.5]), today: monday).weight
    #expect(abs((falling?.perWeek ?? 0) + 0.5) < 0.001)
    let level = try progress(weights([80, 81, 79.8, 80.4, 80]), today: monday).weight
    #expect(level?.days.count == 5 && level?.perWeek == nil)
  }

  // Properties, over seeded logs.

  private func random(_ generator: inout SeededGenerator) -> [LogEntry] {
    (0..<Int.random(in: 3...40, using: &generator)).map { _ in
      let day = monday + -Int.random(in: 0...80, using: &generator)
      return Bool.random(using: &generator)
        ? squat(
          Double.random(in: 40...120, using: &generator), on: day,
          repetitions: Int.random(in: 1...12, using: &generator))
        : run(
          Double.random(in: 3...12, using: &generator),
          minutes: Double.random(in: 20...80, using: &generator), on: day)
    }
  }

  @Test(arguments: 0..<40)
  func aNewBestEndsAPlateau(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let entries = random(&generator) + [squat(200, on: monday + 1)]
    let squats = try #require(try progress(entries, today: monday + 1)["squat"])
    #expect(squats.plateau == nil && squats.best.day == monday + 1)
  }

  @Test(arguments: 0..<40)
  func theOrderOfNotingDoesntMatter(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var days: Set<Day> = []
    let entries = random(&generator).filter { days.insert($0.day).inserted }
    let one = try progress(entries, today: monday)
    let other = try progress(entries.shuffled(using: &generator), today: monday)
    #expect(one.weeks == other.weeks && one.streak == other.streak)
    for activity in one.activities {
      let same = other[activity.activity]
      #expect(activity.best.value == same?.best.value && activity.trend == same?.trend)
      #expect((activity.plateau == nil) == (same?.plateau == nil))
    }
  }

  @Test(arguments: 0..<40)
  func otherUnitsDontChangeAPlateau(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let entries = random(&generator)
    let scaled = entries.map { entry in
      var entry = entry
      entry.kilograms = entry.kilograms.map { $0 * 2 }
      return entry
    }
    let (one, other) = (
      try progress(entries, today: monday)["squat"], try progress(scaled, today: monday)["squat"]
    )
    #expect((one?.plateau == nil) == (other?.plateau == nil))
    #expect(one?.trend?.direction == other?.trend?.direction)
  }

  @Test(arguments: 0..<40)
  func sumsArentLost(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let entries = random(&generator)
    let found = try progress(entries, today: monday)
    let kilometers = entries.reduce(0) { $0 + ($1.kilometers ?? 0) }
    #expect(abs(found.weeks.reduce(0) { $0 + $1.kilometers } - kilometers) < 1e-6)
    #expect(found.sessions == Set(entries.map(\.day)).count)
    #expect(found.streak.weeks <= found.streak.longest)
  }

  @Test func theSlopeIsRobust() {
    var points = (0..<12).map { (day: Double($0), value: 100 + 2 * Double($0)) }
    points[5].value = 900
    points[8].value = -400
    let line = RobustTrend(points)
    #expect(abs((line?.slope ?? 0) - 2) < 0.2)
    #expect(RobustTrend([(0, 1)]) == nil && RobustTrend([(1, 1), (1, 2)]) == nil)
  }
}
