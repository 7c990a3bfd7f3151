/// One night, named by the day it ends on: sleep whose midpoint is between 18:00 and 18:00.
///
/// A stretch of sleep belongs to one night as a whole, including short times awake, so that early
/// and late sleepers have as many nights as others.
struct Night {
  var asleep = 0
  var inBed = 0
  /// The longest stretch of sleep.
  var main: Stretch?

  /// Clock times in seconds since 18:00. Flying west, someone can wake up earlier than they fell
  /// asleep.
  struct Stretch {
    var bedtime: Int
    var wakeTime: Int
    var length: Int
  }

  /// Evening hours belong to the night that follows.
  static let evening = 6 * 3600
  /// Anything longer than a day is an app's error.
  static let longest = 86_400

  static func day(ofLocal seconds: Int) -> Day {
    Day(number: (seconds + evening).flooredQuotient(by: 86_400))
  }
}

/// Merges what several sources say about the same sleep.
///
/// At every moment the source that ranks first (as with steps) decides between asleep and awake; if
/// it says both, awake wins. Overlapping stages are not added up, and time in bed is not sleep.
struct SleepMerge {
  private let window: HealthWindow
  private let samples: [IntervalSample]
  private let places: [Int]
  private var active: ActivePlaces
  private var queue: EventQueue
  /// By rank: how much it has active.
  private var asleep: [Int32]
  private var awake: [Int32]
  private var inBed = 0
  /// The latest clocks, at a start and at an end.
  private var (began, ended) = (SleepBout.Moment.never, SleepBout.Moment.never)
  private var (sleeping, lying) = (SleepBout(), SleepBout())
  private var nights: [Night]

  static func nights(
    _ samples: consuming [IntervalSample], sources: [RecordSource], window: HealthWindow
  ) -> [Night] {
    samples.sortInPlace(by: <)
    var merge = SleepMerge(samples, sources, window)
    merge.walk()
    return merge.nights
  }

  private init(
    _ samples: consuming [IntervalSample], _ sources: [RecordSource], _ window: HealthWindow
  ) {
    self.window = window
    let inBed = SleepState.inBed.rawValue
    places =
      SourceOrder(sources, counting: samples.lazy.filter { $0.value != inBed }.map { $0.source })
      .places
    active = ActivePlaces(count: sources.count)
    queue = EventQueue(capacity: samples.count)
    asleep = [Int32](repeating: 0, count: sources.count)
    awake = asleep
    nights = [Night](repeating: Night(), count: window.count)
    self.samples = samples
  }

  private mutating func walk() {
    var index = 0
    while true {
      let start = index < samples.count ? samples[index].start : .max
      let second = min(start, queue.next ?? .max)
      if second == .max { break }
      while queue.next == second, let ending = queue.pop() {
        change(samples[ending], by: -1)
        ended = SleepBout.Moment(second: second, offset: samples[ending].endOffset)
      }
      while index < samples.count, samples[index].start == second {
        if samples[index].duration > 0 {
          change(samples[index], by: 1)
          began = SleepBout.Moment(second: second, offset: samples[index].startOffset)
          queue.push(second: samples[index].end, sample: index)
        }
        index += 1
      }
      let isAsleep = active.first.map { awake[$0] == 0 && asleep[$0] > 0 } ?? false
      slept(sleeping.update(isAsleep, at: second, began, ended))
      lay(lying.update(inBed > 0, at: second, began, ended))
    }
    slept(sleeping)
    lay(lying)
  }

  private mutating func change(_ sample: IntervalSample, by step: Int32) {
    let place = places[sample.source]
    switch SleepState(rawValue: sample.value) {
    case .asleep: asleep[place] += step
    case .awake: awake[place] += step
    default:
      inBed += Int(step)
      return
    }
    if step > 0 { active.add(place) } else { active.remove(place) }
  }

  private mutating func slept(_ bout: SleepBout?) {
    guard let (bout, start, day, index) = place(bout) else { return }
    nights[index].asleep = min(nights[index].asleep + bout.length, Night.longest)
    let length = bout.end.second - start.second
    if length <= nights[index].main?.length ?? 0 { return }
    let evening = day.number * 86_400 - Night.evening
    nights[index].main = Night.Stretch(
      bedtime: local(start) - evening, wakeTime: local(bout.end) - evening, length: length)
  }

  private mutating func lay(_ bout: SleepBout?) {
    guard let (bout, _, _, index) = place(bout) else { return }
    nights[index].inBed = min(nights[index].inBed + bout.length, Night.longest)
  }

  /// The night that a stretch belongs to.
  private func place(_ bout: SleepBout?) -> (SleepBout, SleepBout.Moment, Day, Int)? {
    guard let bout, let start = bout.start else { return nil }
    let middle = (local(start) + local(bout.end)).flooredQuotient(by: 2)
    let day = Night.day(ofLocal: middle)
    return window.index(of: day).map { (bout, start, day, $0) }
  }

  private func local(_ moment: SleepBout.Moment) -> Int {
    window.epoch + moment.second + moment.offset
  }
}

/// A stretch of sleep or of time in bed, including short breaks.
private struct SleepBout {
  /// A time in seconds, and the clock's offset from UTC then.
  struct Moment {
    var second: Int
    var offset: Int
    static let never = Moment(second: -1_000_000_000, offset: 0)
  }

  /// Of the part that is still open.
  private var open: Moment?
  private(set) var start: Moment?
  private(set) var end = Moment.never
  /// Excluding the breaks.
  private(set) var length = 0

  /// Waking up for less than this does not end a stretch of sleep.
  static let shortBreak = 3600

  /// - Parameters:
  ///   - began: The last start of a record, and its clock time.
  ///   - ended: The last end of one.
  /// - Returns: The previous stretch, if a new one starts.
  mutating func update(
    _ isOn: Bool, at second: Int, _ began: Moment, _ ended: Moment
  ) -> SleepBout? {
    if isOn == (open != nil) { return nil }
    guard isOn else {
      finish(Moment(second: second, offset: (ended.second == second ? ended : began).offset))
      return nil
    }
    let isBreak = second - end.second <= Self.shortBreak
    let finished = isBreak ? nil : self
    if !isBreak { self = SleepBout() }
    open = Moment(second: second, offset: (began.second == second ? began : ended).offset)
    return finished
  }

  private mutating func finish(_ moment: Moment) {
    guard let open else { return }
    start = start ?? open
    end = moment
    length += moment.second - open.second
    self.open = nil
  }
}
