/// One night: everything from 18:00 to 18:00, named by the day it ends on.
struct Night {
  var asleep = 0
  var inBed = 0
  /// The longest stretch of sleep, in seconds since 18:00.
  var main: Range<Int>?

  /// Evening hours belong to the night that follows.
  static let evening = 6 * 3600

  static func day(of time: ZonedTime) -> Day { day(ofLocal: time.localSeconds) }
  static func day(ofLocal seconds: Int) -> Day {
    Day(number: (seconds + evening).flooredQuotient(by: 86_400))
  }
}

/// What several sources say of the same sleep, put together.
///
/// At every moment the source that comes first (as with steps) decides between asleep and awake;
/// stages that overlap are not added up, and in bed is not asleep.
struct SleepMerge {
  let window: HealthWindow
  let sources: [RecordSource]
  /// In the order of their beginnings.
  let intervals: [SleepInterval]

  init(_ records: CollectedRecords) {
    (window, sources) = (records.window, records.sources.sources)
    intervals = records.sleep.sorted {
      ($0.start, $0.end, $0.offset, $0.source) < ($1.start, $1.end, $1.offset, $1.source)
    }
  }

  /// Waking up for less than this does not end a stretch of sleep.
  static let shortBreak = 3600

  func nights() -> [Night] {
    var nights = [Night](repeating: Night(), count: window.count)
    var stretches = [[Range<Int>]](repeating: [], count: window.count)
    for local in asleep() {
      guard let index = nightIndex(local.lowerBound) else { continue }
      nights[index].asleep += local.count
      let evening = eveningBefore(local.lowerBound)
      stretches[index].append(local.lowerBound - evening..<local.upperBound - evening)
    }
    for local in inBed() {
      if let index = nightIndex(local.lowerBound) { nights[index].inBed += local.count }
    }
    for index in nights.indices { nights[index].main = Self.longest(stretches[index]) }
    return nights
  }

  /// Stretches of sleep on the sleeper's clock, in order.
  private func asleep() -> [Range<Int>] {
    var counts: [UInt16: Int] = [:]
    for interval in intervals where interval.state != .inBed {
      counts[interval.source, default: 0] += 1
    }
    let order = counts.keys.sorted {
      (sources[Int($0)].kind.rawValue, -(counts[$0] ?? 0), $0)
        < (sources[Int($1)].kind.rawValue, -(counts[$1] ?? 0), $1)
    }
    var covered = TimeSet()
    var all: [Range<Int>] = []
    for source in order {
      let own = intervals.filter { $0.source == source && $0.state != .inBed }
      let asleep = TimeSet(own.lazy.filter { $0.state == .asleep }.map { $0.start..<$0.end })
      all += asleep.subtracting(covered).stretches
      if source != order.last {
        covered = covered.union(TimeSet(own.lazy.map { $0.start..<$0.end }))
      }
    }
    return all.sorted { $0.lowerBound < $1.lowerBound }.map(local)
  }

  private func inBed() -> [Range<Int>] {
    TimeSet(intervals.lazy.filter { $0.state == .inBed }.map { $0.start..<$0.end })
      .stretches.map(local)
  }

  /// On the clock of the latest record that began by then.
  private func local(_ stretch: Range<Int>) -> Range<Int> {
    var (low, high) = (0, intervals.count)
    while low < high {
      let middle = (low + high) / 2
      if intervals[middle].start > stretch.lowerBound { high = middle } else { low = middle + 1 }
    }
    let offset = low > 0 ? intervals[low - 1].offset : 0
    return stretch.lowerBound + offset..<stretch.upperBound + offset
  }

  private func eveningBefore(_ local: Int) -> Int {
    Night.day(ofLocal: local).number * 86_400 - Night.evening
  }

  private func nightIndex(_ local: Int) -> Int? {
    window.index(of: Night.day(ofLocal: local))
  }

  private static func longest(_ stretches: [Range<Int>]) -> Range<Int>? {
    var joined: [Range<Int>] = []
    for stretch in stretches.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, stretch.lowerBound - last.upperBound <= shortBreak {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, stretch.upperBound)
      } else {
        joined.append(stretch)
      }
    }
    return joined.max { $0.count < $1.count }
  }
}
