internal import CHealthScan
internal import FoundationEssentials

/// Receives the elements of an export from the scanner and keeps the relevant ones.
final class RecordCollector {
  var records: CollectedRecords?
  private(set) var exportDate: ZonedTime?
  /// As written, to quote if it is unreadable or implausible.
  private(set) var writtenExportDate: String?
  private(set) var birthDate: Day?
  private(set) var sex: HealthProfile.Sex?
  /// The limit that was reached, if there was no more room.
  private(set) var limitMet: Int?
  private var pending = Pending.nothing
  private var statistics = WorkoutStatistics()
  /// Whether the current element's day is within the window, as far as its dates tell: what is
  /// outside is not reported, but a time zone that follows can still move it in.
  private var isWithin = true
  private var zones = TimeZones()

  /// State until the current element ends, with its entries.
  private enum Pending {
    case nothing
    case record(Quantity, start: ZonedTime, end: ZonedTime, value: Millionths, source: UInt16)
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
    case .workout(let workout): return keep(workout)
    }
  }

  private func takesOneMore() -> Bool {
    limitMet = records?.takesOneMore()
    return limitMet == nil
  }

  func leaveOut(_ what: String, _ reason: LeftOut.Reason, count: Int, example: String? = nil) {
    records?.leftOut.add(what, reason, count: count, example: example)
  }

  private func leaveOut(
    _ what: String, _ reason: LeftOut.Reason, _ tag: Tag, _ shown: hs_attribute...
  ) {
    guard isWithin else { return }
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
    guard let (start, end) = times(tag, quantity.name, isSleep: quantity == .sleep),
      let value = quantity.isCategory ? state(tag, quantity) : value(tag, quantity)
    else { return nil }
    return .record(quantity, start: start, end: end, value: value, source: sourceNumber(tag))
  }

  /// The start and end of something in or next to the window and not too long.
  private func times(
    _ tag: Tag, _ what: String, isSleep: Bool = false
  ) -> (ZonedTime, ZonedTime)? {
    isWithin = true
    guard let start = ZonedTime(tag[HS_START_DATE]), let end = ZonedTime(tag[HS_END_DATE]) else {
      leaveOut(what, .date, tag, HS_START_DATE)
      return nil
    }
    guard let window = records?.window else { return nil }
    if let now = window.now, start.instant > now {
      if !window.endsByWish { leaveOut(what, .future, tag, HS_START_DATE) }
      return nil
    }
    guard window.isNear(start.day) else { return nil }
    isWithin = isSleep || window.index(of: start.day) != nil
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

  /// The state that a category stands for, as a value; nil if it is not read.
  private func state(_ tag: Tag, _ quantity: Quantity) -> Millionths? {
    if quantity == .standHours {
      return tag[HS_VALUE].equals("HKCategoryValueAppleStandHourStood") ? 0 : nil
    }
    if tag[HS_VALUE].begins("HKCategoryValueSleepAnalysisAsleep") {
      return SleepState.asleep.rawValue
    } else if tag[HS_VALUE].equals("HKCategoryValueSleepAnalysisInBed") {
      return SleepState.inBed.rawValue
    } else if tag[HS_VALUE].equals("HKCategoryValueSleepAnalysisAwake") {
      return SleepState.awake.rawValue
    }
    leaveOut(quantity.name, .notANumber, tag, HS_VALUE)
    return nil
  }

  private func sourceNumber(_ tag: Tag) -> UInt16 {
    records?.sources.number(name: tag[HS_SOURCE_NAME], device: tag[HS_DEVICE]) ?? 0
  }

  private func keep(
    _ quantity: Quantity, _ start: ZonedTime, _ end: ZonedTime, _ value: Millionths,
    _ source: UInt16
  ) -> Bool {
    guard let window = records?.window else { return true }
    if quantity == .sleep {
      guard takesOneMore() else { return false }
      records?.sleep.append(
        IntervalSample(start, end, value: value, source: source, epoch: window.epoch))
      return true
    }
    guard let index = window.index(of: start.day) else { return true }
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
    guard records?.window.index(of: workout.start.day) != nil else { return true }
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
    if tag[HS_KEY].equals("HKTimeZone") {
      if let zone = zones.zone(named: tag[HS_VALUE]) { move(to: zone) }
    } else if tag[HS_KEY].equals("HKWasUserEntered"), tag[HS_VALUE].equals("1") {
      attribute(to: SourceTable.entered)
    }
  }

  /// The phone writes its present offset into every date of an export. Where a sample names the
  /// zone that it was made in, that one's clock counts.
  private func move(to zone: TimeZone) {
    switch pending {
    case .record(let quantity, let start, let end, let value, let source):
      pending = .record(
        quantity, start: start.moved(to: zone), end: end.moved(to: zone), value: value,
        source: source)
    case .workout(var workout):
      workout.start = workout.start.moved(to: zone)
      pending = .workout(workout)
    case .nothing: break
    }
  }

  private func attribute(to source: UInt16) {
    switch pending {
    case .record(let quantity, let start, let end, let value, _):
      pending = .record(quantity, start: start, end: end, value: value, source: source)
    case .workout(var workout):
      workout.source = source
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
