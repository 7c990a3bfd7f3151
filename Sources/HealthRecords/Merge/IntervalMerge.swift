/// Counts once what several sources recorded at the same time.
///
/// Each moment belongs to the source that ranks first (``SourceOrder``). A lower source's record
/// counts for the part of its time that no higher source covers. Records from one source are added
/// up, unless one repeats another to the second.
///
/// One pass through time: besides the sorted samples, it stores only what is active at the moment.
struct IntervalMerge {
  private let window: HealthWindow
  private let samples: [IntervalSample]
  private let places: [Int]
  private var active: ActivePlaces
  private var queue: EventQueue
  /// By rank: the seconds so far in which it came first.
  private var owned: [Int32]
  /// By sample: the same value at the start of its current day.
  private var marks: [Int32]
  private var now = 0
  private var sums: [Millionths?]

  /// Sums by day; nil if there is nothing. Records that cross midnight are divided.
  static func days(
    _ samples: consuming [IntervalSample], sources: [RecordSource], window: HealthWindow
  ) -> [Double?] {
    samples.sortInPlace(by: <)
    var merge = IntervalMerge(samples, sources, window)
    merge.walk()
    return merge.sums.map { $0?.asDouble }
  }

  private init(
    _ samples: consuming [IntervalSample], _ sources: [RecordSource], _ window: HealthWindow
  ) {
    self.window = window
    places = SourceOrder(sources, counting: samples.lazy.map { $0.source }).places
    active = ActivePlaces(count: sources.count)
    queue = EventQueue(capacity: samples.count)
    owned = [Int32](repeating: 0, count: sources.count)
    marks = [Int32](repeating: 0, count: samples.count)
    sums = [Millionths?](repeating: nil, count: window.count)
    self.samples = samples
  }

  private mutating func walk() {
    var index = 0
    while index < samples.count {
      let start = samples[index].start
      finish(through: start)
      advance(to: start)
      let first = index
      while index < samples.count, samples[index].start == start {
        if samples[index].duration > 0, !repeatsPrevious(index) { begin(index) }
        index += 1
      }
      // A record without duration counts if no higher source covers that second.
      for moment in first..<index where samples[moment].duration == 0 && !repeatsPrevious(moment) {
        let sample = samples[moment]
        if (active.first ?? .max) >= places[sample.source] {
          add(sample.value, at: start, sample.startOffset)
        }
      }
    }
    finish(through: .max)
  }

  private func repeatsPrevious(_ index: Int) -> Bool {
    index > 0 && samples[index].repeats(samples[index - 1])
  }

  private mutating func advance(to second: Int) {
    if let first = active.first { owned[first] += Int32(second - now) }
    now = second
  }

  private mutating func begin(_ index: Int) {
    let place = places[samples[index].source]
    active.add(place)
    marks[index] = owned[place]
    queue.push(second: endOfPart(samples[index], from: now), sample: index)
  }

  /// The end of a record, or the midnight before it.
  private func endOfPart(_ sample: IntervalSample, from second: Int) -> Int {
    let ahead = window.epoch + sample.startOffset
    let midnight = ((second + ahead).flooredQuotient(by: 86_400) + 1) * 86_400 - ahead
    return min(sample.end, midnight)
  }

  private mutating func finish(through second: Int) {
    while let next = queue.next, next <= second, let index = queue.pop() {
      advance(to: next)
      let sample = samples[index]
      let place = places[sample.source]
      let part = Int(owned[place] - marks[index])
      if part > 0 {
        let value = (sample.value * part + sample.duration / 2) / sample.duration
        add(value, at: next - 1, sample.startOffset)
      }
      if next == sample.end {
        active.remove(place)
      } else {
        marks[index] = owned[place]
        queue.push(second: endOfPart(sample, from: next), sample: index)
      }
    }
  }

  private mutating func add(_ value: Millionths, at second: Int, _ offset: Int) {
    let local = window.epoch + second + offset
    guard let index = window.index(of: Day(number: local.flooredQuotient(by: 86_400))) else {
      return
    }
    sums[index] = (sums[index] ?? 0) + value
  }
}
