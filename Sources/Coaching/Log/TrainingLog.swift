import HealthRecords

/// What was done, by number: entries as they stand after corrections.
public struct TrainingLog: Hashable, Sendable {
  /// In the order in which they were noted.
  public private(set) var entries: [LogEntry] = []
  /// The highest number so far, removed entries included.
  public private(set) var lastNumber = 0
  private var places: [Int: Int] = [:]

  /// A stored number beyond it leaves room for the next one.
  private static let highestNumber = 1_000_000_000

  public init() {}

  /// By day, then by number.
  public var byDay: [LogEntry] {
    // Most logs are in order already, and sorting keys is cheaper than sorting entries.
    let keys = entries.indices.map { (entries[$0].day.number, entries[$0].number, $0) }
    let isSorted = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
    return isSorted ? entries : keys.sorted { $0 < $1 }.map { entries[$0.2] }
  }

  public subscript(number: Int) -> LogEntry? { places[number].map { entries[$0] } }

  mutating func note(_ entry: LogEntry) {
    lastNumber = max(lastNumber, min(entry.number, Self.highestNumber))
    if let place = places[entry.number] {
      entries[place] = entry
    } else {
      places[entry.number] = entries.count
      entries.append(entry)
    }
  }

  /// An entry that is not there, or that was removed, stays as it is.
  mutating func correct(_ entry: LogEntry) {
    if let place = places[entry.number] { entries[place] = entry }
  }

  mutating func remove(_ number: Int) {
    guard let place = places.removeValue(forKey: number) else { return }
    entries.remove(at: place)
    for (other, index) in places where index > place { places[other] = index - 1 }
  }
}

// Telling whether two entries are the same exercise.
extension TrainingLog {
  /// The entry that the new one repeats; nil if it is new.
  ///
  /// A workout of health data repeats one of the same kind of activity at an overlapping time. If only the
  /// day of the other is known, a workout of that activity, day and distance is taken for it.
  public func duplicate(of new: LogEntry, family: (String) -> String = { $0 }) -> LogEntry? {
    entries.first { known in
      guard known.isTraining, new.isTraining, known.number != new.number,
        family(known.activity) == family(new.activity)
      else { return false }
      if let mine = new.span, let theirs = known.span { return mine.overlaps(theirs) }
      guard known.day == new.day, known.source != new.source, known.isAsFar(as: new) else {
        return false
      }
      return known.source == .health || new.source == .health
    }
  }
}

extension LogEntry {
  /// How much two distances of the same session may differ, as a share of the longer one.
  private static let distanceTolerance = 0.15

  /// Whether the distances are alike; if one is not known, they may be.
  fileprivate func isAsFar(as other: LogEntry) -> Bool {
    guard let mine = kilometers, let theirs = other.kilometers else { return true }
    return abs(mine - theirs) <= Self.distanceTolerance * max(mine, theirs)
  }

  fileprivate var span: Range<Int>? {
    guard let begins, let ends, begins < ends else { return nil }
    return begins..<ends
  }
}

extension LogEntry {
  /// A workout of health data with what the person said about it.
  func completed(by said: LogEntry) -> LogEntry {
    var entry = self
    (entry.effort, entry.note) = (said.effort ?? effort, said.note ?? note)
    entry.quote = said.quote ?? quote
    return entry
  }
}
