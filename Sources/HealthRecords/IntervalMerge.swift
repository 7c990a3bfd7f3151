/// Half-open stretches of time that do not touch, in order.
struct TimeSet {
  private(set) var stretches: [Range<Int>] = []

  init() {}

  /// The union of stretches in any order.
  init(_ parts: some Sequence<Range<Int>>) {
    for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) where !part.isEmpty {
      if let last = stretches.last, part.lowerBound <= last.upperBound {
        stretches[stretches.count - 1] =
          last.lowerBound..<max(last.upperBound, part.upperBound)
      } else {
        stretches.append(part)
      }
    }
  }

  var length: Int { stretches.reduce(0) { $0 + $1.count } }

  func union(_ other: TimeSet) -> TimeSet { TimeSet(stretches + other.stretches) }

  /// What is in here and not in the other.
  func subtracting(_ other: TimeSet) -> TimeSet {
    var rest: [Range<Int>] = []
    for stretch in stretches { other.forEachGap(in: stretch) { rest.append($0) } }
    return TimeSet(rest)
  }

  func contains(_ instant: Int) -> Bool {
    let index = firstIndex(endingAfter: instant)
    return index < stretches.count && stretches[index].contains(instant)
  }

  /// The parts of a stretch that are not covered.
  func forEachGap(in stretch: Range<Int>, _ body: (Range<Int>) -> Void) {
    var from = stretch.lowerBound
    var index = firstIndex(endingAfter: from)
    while from < stretch.upperBound {
      guard index < stretches.count, stretches[index].lowerBound < stretch.upperBound else {
        return body(from..<stretch.upperBound)
      }
      if stretches[index].lowerBound > from { body(from..<stretches[index].lowerBound) }
      from = max(from, stretches[index].upperBound)
      index += 1
    }
  }

  private func firstIndex(endingAfter instant: Int) -> Int {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].upperBound > instant { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// What several sources counted at the same time, counted once.
///
/// As in Apple's Health app each stretch of time belongs to the source that comes first there
/// (entered by hand, watch, phone, others; among equals the one with more records). A record of a
/// later source counts for the part of its time that no earlier one covers. Records of one source
/// are its own affair and are added up, unless one repeats another to the second.
struct IntervalMerge {
  let window: HealthWindow
  let sources: [RecordSource]

  /// Sums by day; nil where there is nothing. Records over midnight are shared out.
  func days(_ samples: inout [IntervalSample]) -> [Double?] {
    var sums = [Double?](repeating: nil, count: window.count)
    var covered = TimeSet()
    sort(&samples)
    var start = 0
    while start < samples.count {
      let source = samples[start].source
      var end = start
      var previous: IntervalSample?
      while end < samples.count, samples[end].source == source {
        let sample = samples[end]
        if !repeats(previous, sample) { share(sample, covered, &sums) }
        previous = sample
        end += 1
      }
      // What the last source covers is of no interest to anybody.
      if end < samples.count {
        let own = TimeSet(samples[start..<end].lazy.map { $0.start..<$0.end })
        covered = start == 0 ? own : covered.union(own)
      }
      start = end
    }
    return sums
  }

  private func repeats(_ previous: IntervalSample?, _ sample: IntervalSample) -> Bool {
    guard let previous else { return false }
    return (previous.start, previous.duration, previous.value)
      == (sample.start, sample.duration, sample.value)
  }

  private func sort(_ samples: inout [IntervalSample]) {
    var counts = [Int](repeating: 0, count: sources.count)
    for sample in samples { counts[Int(sample.source)] += 1 }
    let order = sources.indices.sorted {
      (sources[$0].kind.rawValue, -counts[$0], $0) < (sources[$1].kind.rawValue, -counts[$1], $1)
    }
    var places = [Int](repeating: 0, count: sources.count)
    for (place, source) in order.enumerated() { places[source] = place }
    samples.sort { left, right in
      let (leftPlace, rightPlace) = (places[Int(left.source)], places[Int(right.source)])
      if leftPlace != rightPlace { return leftPlace < rightPlace }
      if left.start != right.start { return left.start < right.start }
      return (left.duration, left.value, left.offset) < (right.duration, right.value, right.offset)
    }
  }

  private func share(_ sample: IntervalSample, _ covered: TimeSet, _ sums: inout [Double?]) {
    let offset = Int(sample.offset) * 60
    func add(_ value: Double, at instant: Int) {
      let day = Day(number: (instant + offset).flooredQuotient(by: 86_400))
      guard let index = window.index(of: day) else { return }
      sums[index] = (sums[index] ?? 0) + value
    }
    if sample.duration == 0 {
      if !covered.contains(sample.start) { add(sample.value.asDouble, at: sample.start) }
      return
    }
    let rate = sample.value.asDouble / Double(sample.duration)
    covered.forEachGap(in: sample.start..<sample.end) { gap in
      var from = gap.lowerBound
      while from < gap.upperBound {
        let midnight = ((from + offset).flooredQuotient(by: 86_400) + 1) * 86_400 - offset
        let to = min(gap.upperBound, midnight)
        // A whole record is worth what it says, to the last digit.
        let isWhole = to - from == Int(sample.duration)
        add(isWhole ? sample.value.asDouble : rate * Double(to - from), at: from)
        from = to
      }
    }
  }
}
