import Foundation
import TestSupport
import Testing

@testable import HealthRecords

/// That chance alone says next to nothing, and that the sums behind it are right.
struct ChanceTests {
  // Values of R's binom.test, twice the smaller tail.
  @Test(arguments: [
    (8, 0, 30, 30, 0.0078125), (3, 0, 30, 30, 0.25), (12, 3, 30, 30, 0.03515625),
    (5, 5, 30, 30, 1), (0, 6, 20, 30, 0.09331200), (10, 2, 30, 20, 0.16688665),
  ])
  func countsAreToldApartExactly(
    first: Int, last: Int, firstDays: Int, lastDays: Int, chance: Double
  ) {
    let found = Statistics.chance(of: first, last, days: (firstDays, lastDays))
    #expect(abs(found - chance) < 1e-6)
  }

  @Test func countsBeyondReasonAndNoneAtAllAreNoTrouble() {
    #expect(Statistics.chance(of: 30_000, 0, days: (30, 30)) == 0)
    #expect(Statistics.chance(of: 0, 30_000, days: (30, 30)) == 0)
    #expect(Statistics.chance(of: 0, 0, days: (30, 30)) == 1)
    #expect(Statistics.chance(of: 3, 4, days: (0, 30)) == 1)
  }

  /// Two lists of three that are a given t apart have 4 degrees of freedom: 4.604 is as rare (1 %) as
  /// 2.576 of a normal distribution.
  @Test func fewDegreesOfFreedomWeighLess() throws {
    let first = [-1.0, 0, 1]
    let error = (2.0 / 3).squareRoot()
    let effect = try #require(Statistics.effect(first, first.map { $0 + 4.604 * error }))
    #expect(abs(effect - 2.576) < 0.03)
    let many = (0..<400).map { Double(($0 * 37) % 11) }
    let apart = try #require(Statistics.effect(many, many.map { $0 + 0.5 }))
    let plain = 0.5 / (2 * 10.0 / 400).squareRoot()
    #expect(abs(apart - plain) < 0.05)
  }

  private func chain(_ dependence: Double, _ count: Int, _ random: inout SeededGenerator)
    -> [Double]
  {
    var last = normal(&random)
    return (0..<count).map { _ in
      defer {
        last = dependence * last + (1 - dependence * dependence).squareRoot() * normal(&random)
      }
      return last
    }
  }

  /// The sum of twelve even numbers less six.
  private func normal(_ random: inout SeededGenerator) -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
  }

  @Test(arguments: [0, 0.3, 0.6])
  func howAlikeDaysAreIsFound(dependence: Double) {
    var random = SeededGenerator(seed: 11)
    let found = (0..<200).map { _ in
      Statistics.dependence(chain(dependence, 30, &random), chain(dependence, 30, &random))
    }
    #expect(abs((Statistics.mean(found) ?? 1) - dependence) < 0.08)
  }

  /// Somebody whose ways never change: days like the day before, and two to twelve workouts a month
  /// on days of chance.
  private func unchanging(_ seed: UInt64) throws -> Set<HealthFinding.Kind> {
    var random = SeededGenerator(seed: seed)
    let steps = chain(0.3, 90, &random).map { max(200, (7500 * (1 + 0.4 * $0)).rounded()) }
    let often = Double(2 + seed % 11) / 30
    var elements = steps.enumerated().map { index, value in
      record("StepCount", "\(value)", start: day(index) + " 12:00:00 +0000")
    }
    for index in 0..<90 where Double.random(in: 0..<1, using: &random) < often {
      let type = ["Running", "Yoga", "Cycling"].randomElement(using: &random) ?? "Running"
      elements.append(
        workout(type, "\(day(index)) 07:00:00 +0000", "\(day(index)) 07:30:00 +0000"))
    }
    return Set(try snapshot(of: elements.joined()).findings.map(\.kind))
  }

  @Test func fromChanceAloneAChangeIsSeenInLessThanOneOfTwenty() throws {
    let people = try (0..<110).map { try unchanging(UInt64($0)) }
    for kinds in [
      Set<HealthFinding.Kind>([.activityRose, .activityFell]),
      [.workoutsRose, .workoutsFell], [.workoutStopped],
    ] {
      #expect(people.count { !$0.isDisjoint(with: kinds) } < people.count / 20)
    }
  }
}
