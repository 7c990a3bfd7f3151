internal import CHealthScan

/// Receives the elements of an export from the scanner and keeps the relevant ones.
final class RecordCollector {
  private(set) var records: CollectedRecords?
  private(set) var exportDate: ZonedTime?
  /// As written, to quote if it is unreadable or implausible.
  private(set) var writtenExportDate: String?
  private(set) var birthDate: Day?
  private(set) var sex: HealthProfile.Sex?
  /// The limit that was reached, if there was no more room.
  private(set) var limitMet: Int?
  private var pending = Pending.nothing
  private var statistics = WorkoutStatistics()

  /// State until the current element ends, with its entries.
  private enum Pending {
    case nothing
    case record(Quantity, start: ZonedTime, end: ZonedTime, value: Millionths, source: UInt16)
    case sleep(IntervalSample)
    case workout(WorkoutRecord)
  }

  /// What the elements inside a workout say, in any order.
  private struct WorkoutStatistics {
    /// Kilometers by type: a triathlon has three.
    var distances: [String: Double] = [:]
    var kilocalories: Double?

    static let mostDistances = 16
  }

  func begin(in window: HealthWindow) { records = CollectedRecords(window: window) }

  /// False if there is no more room.
  func begin(_ tag: Tag) -> Bool {
    switch tag.element {
    case HS_EXPORT_DATE: readExportDate(tag)
    case HS_ME: readProfile(tag)
    case HS_RECORD: pending = record(tag) ?? .nothing
    case HS_WORKOUT: pending = workout(tag).map { .workout($0) } ?? .nothing
    case HS_SUMMARY: readSummary(tag)
    case HS_STATISTICS: readStatistics(tag)
    case HS_METADATA: readMetadata(tag)
    default: break
    }
    return true
  }

  func end(_ element: hs_element) -> Bool {
    guard element == HS_RECORD || element == HS_WORKOUT else { return true }
    defer { pending = .nothing }
    switch pending {
    case .nothing: return true
    case .record(let quantity, let start, let end, let value, let source):
      return keep(quantity, start, end, value, source)
    case .sleep(let interval):
      guard takesOneMore() else { return false }
      records?.sleep.append(interval)
      return true
    case .workout(let workout): return keep(workout)
    }
  }

  private func takesOneMore() -> Bool {
    limitMet = records?.takesOneMore()
    return limitMet == nil
  }

  /// Hands over the collected records.
  func takeRecords() -> CollectedRecords? {
    defer { records = nil }
    return records
  }

  func leaveOut(_ what: String, _ reason: LeftOut.Reason, count: Int, example: String? = nil) {
    records?.leftOut.add(what, reason, count: count, example: example)
  }

  private func leaveOut(
    _ what: String, _ reason: LeftOut.Reason, _ tag: Tag, _ shown: hs_attribute...
  ) {
    let words = shown.map { tag[$0].shown }.filter { !$0.isEmpty }
    records?.leftOut.add(
      what, reason, example: words.isEmpty ? nil : words.joined(separator: " "))
  }
}

// Records.

extension RecordCollector {
  private func record(_ tag: Tag) -> Pending? {
    guard let quantity = Quantity(tag.kind) else { return nil }
    // A correlation repeats records that also appear separately; only blood pressure is read in
    // both places, because duplicates don't affect it.
    if tag.isInCorrelation, quantity != .systolic, quantity != .diastolic { return nil }
    guard let (start, end) = times(tag, quantity.name, isSleep: quantity == .sleep) else {
      return nil
    }
    let source = sourceNumber(tag)
    switch quantity {
    case .sleep: return sleep(tag, start, end, source)
    case .standHours:
      guard tag[HS_VALUE].equals("HKCategoryValueAppleStandHourStood") else { return nil }
      return .record(.standHours, start: start, end: end, value: 0, source: source)
    default:
      return value(tag, quantity).map {
        .record(quantity, start: start, end: end, value: $0, source: source)
      }
    }
  }

  /// The start and end of something within the window and not too long.
  private func times(
    _ tag: Tag, _ what: String, isSleep: Bool = false
  ) -> (ZonedTime, ZonedTime)? {
    guard let start = ZonedTime(tag[HS_START_DATE]), let end = ZonedTime(tag[HS_END_DATE]) else {
      leaveOut(what, .date, tag, HS_START_DATE)
      return nil
    }
    guard let window = records?.window else { return nil }
    if let now = window.now, start.instant > now {
      if !window.endsByWish { leaveOut(what, .future, tag, HS_START_DATE) }
      return nil
    }
    guard isSleep ? window.isNear(start.day) : window.index(of: start.day) != nil else {
      return nil
    }
    guard end.instant >= start.instant else {
      leaveOut(what, .endsBeforeStart, tag)
      return nil
    }
    guard end.instant - start.instant <= Quantity.longestRecord else {
      leaveOut(what, .implausible, tag, HS_START_DATE)
      return nil
    }
    return (start, end)
  }

  private func value(_ tag: Tag, _ quantity: Quantity) -> Millionths? {
    guard let written = DecimalText.millionths(tag[HS_VALUE]) else {
      leaveOut(quantity.name, .notANumber, tag, HS_VALUE)
      return nil
    }
    guard let factor = quantity.dimension.factor(of: tag[HS_UNIT].text) else {
      leaveOut(quantity.name, .unit, tag, HS_VALUE, HS_UNIT)
      return nil
    }
    guard let kept = quantity.kept(written, factor: factor) else {
      leaveOut(quantity.name, .implausible, tag, HS_VALUE, HS_UNIT)
      return nil
    }
    return kept
  }

  private func sleep(
    _ tag: Tag, _ start: ZonedTime, _ end: ZonedTime, _ source: UInt16
  ) -> Pending? {
    let state: SleepState
    if tag[HS_VALUE].begins("HKCategoryValueSleepAnalysisAsleep") {
      state = .asleep
    } else if tag[HS_VALUE].equals("HKCategoryValueSleepAnalysisInBed") {
      state = .inBed
    } else if tag[HS_VALUE].equals("HKCategoryValueSleepAnalysisAwake") {
      state = .awake
    } else {
      leaveOut(Quantity.sleep.name, .notANumber, tag, HS_VALUE)
      return nil
    }
    guard let epoch = records?.window.epoch else { return nil }
    return .sleep(IntervalSample(start, end, value: state.rawValue, source: source, epoch: epoch))
  }

  private func sourceNumber(_ tag: Tag) -> UInt16 {
    records?.sources.number(name: tag[HS_SOURCE_NAME], device: tag[HS_DEVICE]) ?? 0
  }

  private func keep(
    _ quantity: Quantity, _ start: ZonedTime, _ end: ZonedTime, _ value: Millionths,
    _ source: UInt16
  ) -> Bool {
    guard let window = records?.window, let index = window.index(of: start.day) else { return true }
    switch quantity {
    case _ where quantity.isCumulative:
      guard takesOneMore() else { return false }
      records?.intervals[quantity, default: []].append(
        IntervalSample(start, end, value: value, source: source, epoch: window.epoch))
    case .standHours:
      records?.standHours[index, default: []].insert(start.secondOfDay / 3600)
    case .heartRate, .restingHeartRate, .heartRateVariability:
      let empty = [DayAggregate](repeating: DayAggregate(), count: window.count)
      records?.days[quantity, default: empty][index].add(value)
    default:
      guard takesOneMore() else { return false }
      let reading = Reading(
        second: start.instant - window.epoch, place: records?.kept ?? 0, dayIndex: index,
        value: value)
      records?.readings[quantity, default: []].append(reading)
    }
    return true
  }

  private func keep(_ workout: WorkoutRecord) -> Bool {
    guard (records?.workouts.count ?? 0) < CollectedRecords.mostWorkouts else {
      limitMet = CollectedRecords.mostWorkouts
      return false
    }
    var workout = workout
    let distances = statistics.distances.values.sorted()
    if !distances.isEmpty { workout.kilometres = distances.reduce(0, +) }
    workout.kilocalories = statistics.kilocalories ?? workout.kilocalories
    records?.workouts.append(workout)
    return true
  }
}

// Parts of a record or a workout, and what accompanies them.

extension RecordCollector {
  private func readMetadata(_ tag: Tag) {
    guard tag[HS_KEY].equals("HKWasUserEntered"), tag[HS_VALUE].equals("1") else { return }
    switch pending {
    case .record(let quantity, let start, let end, let value, _):
      pending = .record(
        quantity, start: start, end: end, value: value, source: SourceTable.entered)
    case .sleep(let interval): pending = .sleep(interval.by(SourceTable.entered))
    case .workout(var workout):
      workout.source = SourceTable.entered
      pending = .workout(workout)
    case .nothing: break
    }
  }

  private func workout(_ tag: Tag) -> WorkoutRecord? {
    statistics = WorkoutStatistics()
    guard let (start, end) = times(tag, "workout") else { return nil }
    let length = Double(end.instant - start.instant) / 60
    var minutes = length
    if tag.has(HS_DURATION) {
      let unit = tag.has(HS_DURATION_UNIT) ? tag[HS_DURATION_UNIT].text : "min"
      guard let written = amount(tag, HS_DURATION, .time, unit) else {
        leaveOut("workout", .notANumber, tag, HS_DURATION, HS_DURATION_UNIT)
        return nil
      }
      minutes = written
    }
    guard minutes > 0, minutes <= Double(Quantity.longestRecord / 60) else {
      leaveOut("workout", .implausible, tag, HS_DURATION, HS_DURATION_UNIT)
      return nil
    }
    return WorkoutRecord(
      start: start, end: end.instant, type: WorkoutType.name(tag[HS_ACTIVITY_TYPE]),
      minutes: minutes,
      kilometres: amount(tag, HS_DISTANCE, .length, tag[HS_DISTANCE_UNIT].text).map { $0 / 1000 },
      kilocalories: amount(tag, HS_ENERGY, .energy, tag[HS_ENERGY_UNIT].text),
      source: sourceNumber(tag))
  }

  /// An amount of at least zero, in the stored unit.
  private func amount(
    _ tag: Tag, _ attribute: hs_attribute, _ dimension: Dimension, _ unit: String
  ) -> Double? {
    guard tag.has(attribute), let written = DecimalText.millionths(tag[attribute]),
      let kept = dimension.factor(of: unit).flatMap({ written.scaled(by: $0) }), kept >= 0
    else { return nil }
    return kept.asDouble
  }

  /// Newer exports write distance and energy as separate elements inside the workout.
  private func readStatistics(_ tag: Tag) {
    guard case .workout = pending else { return }
    let unit = tag[HS_UNIT].text
    if tag[HS_TYPE].begins("HKQuantityTypeIdentifierDistance") {
      let type = tag[HS_TYPE].text
      let known = statistics.distances[type]
      guard let metres = amount(tag, HS_SUM, .length, unit),
        known != nil || statistics.distances.count < WorkoutStatistics.mostDistances
      else { return }
      statistics.distances[type] = max(known ?? 0, metres / 1000)
    } else if tag[HS_TYPE].equals("HKQuantityTypeIdentifierActiveEnergyBurned") {
      guard let energy = amount(tag, HS_SUM, .energy, unit) else { return }
      statistics.kilocalories = max(statistics.kilocalories ?? 0, energy)
    }
  }

  private func readExportDate(_ tag: Tag) {
    guard exportDate == nil else { return }
    exportDate = ZonedTime(tag[HS_VALUE])
    writtenExportDate = tag[HS_VALUE].shown
  }

  private func readSummary(_ tag: Tag) {
    guard let day = Day(tag[HS_DAY].text), let index = records?.window.index(of: day) else {
      return
    }
    func plausible(_ quantity: Quantity, _ value: Double?) -> Double? {
      value.flatMap { quantity.plausible.contains($0) ? $0 : nil }
    }
    let energyUnit = tag[HS_SUMMARY_ENERGY_UNIT].text
    records?.summaries[index] = DaySummary(
      kilocalories: plausible(
        .activeEnergy, amount(tag, HS_SUMMARY_ENERGY, .energy, energyUnit)),
      exerciseMinutes: plausible(
        .exerciseMinutes, amount(tag, HS_SUMMARY_EXERCISE, .time, "min")),
      standHours: plausible(.standHours, amount(tag, HS_SUMMARY_STAND, .count, "count")))
  }

  private func readProfile(_ tag: Tag) {
    birthDate = birthDate ?? Day(tag[HS_BIRTH_DATE].text)
    sex = sex ?? HealthProfile.Sex(exported: tag[HS_SEX].text)
  }
}
