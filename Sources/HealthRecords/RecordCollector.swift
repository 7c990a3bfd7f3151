internal import CHealthScan

/// Takes the elements of an export as the scanner finds them, and keeps what counts.
final class RecordCollector {
  private(set) var records: CollectedRecords?
  private(set) var exportDate: ZonedTime?
  private(set) var birthDate: Day?
  private(set) var sex: HealthProfile.Sex?
  /// The limit that was met, when there was no room for more.
  private(set) var limitMet: Int?
  private var pending = Pending.nothing

  /// What waits for the end of its element, and for the entries in it.
  private enum Pending {
    case nothing
    case record(Quantity, start: ZonedTime, end: ZonedTime, value: Millionths, source: UInt16)
    case sleep(SleepInterval)
    case workout(WorkoutRecord)
  }

  func begin(in window: HealthWindow) { records = CollectedRecords(window: window) }

  /// False where there is no room for more.
  func begin(_ tag: Tag) -> Bool {
    switch tag.element {
    case HS_EXPORT_DATE: if exportDate == nil { exportDate = ZonedTime(tag[HS_VALUE]) }
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
    defer { pending = .nothing }
    if case .nothing = pending { return true }
    limitMet = records?.takesOneMore()
    if limitMet != nil { return false }
    switch pending {
    case .nothing: break
    case .record(let quantity, let start, let end, let value, let source):
      keep(quantity, start, end, value, source)
    case .sleep(let interval): records?.sleep.append(interval)
    case .workout(let workout):
      records?.workouts.append(workout)
      if records?.workouts.count == CollectedRecords.mostWorkouts {
        limitMet = CollectedRecords.mostWorkouts
        return false
      }
    }
    return true
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
    // A correlation repeats records that stand in the file by themselves; only blood pressure is
    // looked for in both places, because it loses nothing by being met twice.
    if tag.isInCorrelation, quantity != .systolic, quantity != .diastolic { return nil }
    guard let (start, end) = times(tag, quantity.name) else { return nil }
    let day = quantity == .sleep ? Night.day(of: start) : start.day
    guard records?.window.index(of: day) != nil else { return nil }
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

  /// Start and end of something that has happened, and did not take too long.
  private func times(_ tag: Tag, _ what: String) -> (ZonedTime, ZonedTime)? {
    guard let start = ZonedTime(tag[HS_START_DATE]), let end = ZonedTime(tag[HS_END_DATE]) else {
      leaveOut(what, .date, tag, HS_START_DATE)
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
    if let now = records?.window.now, start.instant > now {
      leaveOut(what, .future, tag, HS_START_DATE)
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
    let state: SleepInterval.State
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
    return .sleep(
      SleepInterval(
        start: start.instant, end: end.instant, state: state, offset: start.offset,
        source: source))
  }

  private func sourceNumber(_ tag: Tag) -> UInt16 {
    records?.sources.number(name: tag[HS_SOURCE_NAME], device: tag[HS_DEVICE]) ?? 0
  }

  private func keep(
    _ quantity: Quantity, _ start: ZonedTime, _ end: ZonedTime, _ value: Millionths,
    _ source: UInt16
  ) {
    guard let window = records?.window, let index = window.index(of: start.day) else { return }
    switch quantity {
    case _ where quantity.isCumulative:
      records?.intervals[quantity, default: []].append(
        IntervalSample(
          start: start.instant, value: value, duration: UInt32(end.instant - start.instant),
          offset: Int16(start.offset / 60), source: source))
    case .standHours:
      records?.standHours[index, default: []].insert(start.secondOfDay / 3600)
    case .heartRate, .restingHeartRate, .heartRateVariability:
      let empty = [DayAggregate](repeating: DayAggregate(), count: window.count)
      records?.days[quantity, default: empty][index].add(value)
    default:
      records?.readings[quantity, default: []].append(
        Reading(instant: start.instant, day: window.first + index, value: value))
    }
  }
}

// What belongs to a record or a workout, and what stands beside them.

extension RecordCollector {
  private func readMetadata(_ tag: Tag) {
    guard tag[HS_KEY].equals("HKWasUserEntered"), tag[HS_VALUE].equals("1") else { return }
    let number = records?.sources.enteredByHand() ?? 0
    switch pending {
    case .record(let quantity, let start, let end, let value, _):
      pending = .record(quantity, start: start, end: end, value: value, source: number)
    case .sleep(var interval):
      interval.source = number
      pending = .sleep(interval)
    case .workout(var workout):
      workout.source = number
      pending = .workout(workout)
    case .nothing: break
    }
  }

  private func workout(_ tag: Tag) -> WorkoutRecord? {
    guard let (start, end) = times(tag, "workout"),
      records?.window.index(of: start.day) != nil
    else { return nil }
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

  /// An amount from zero up, in the unit that is kept.
  private func amount(
    _ tag: Tag, _ attribute: hs_attribute, _ dimension: Dimension, _ unit: String
  ) -> Double? {
    guard tag.has(attribute), let written = DecimalText.millionths(tag[attribute]),
      let kept = dimension.factor(of: unit).flatMap({ written.scaled(by: $0) }), kept >= 0
    else { return nil }
    return kept.asDouble
  }

  /// Newer exports write distance and energy as elements of their own inside of the workout.
  private func readStatistics(_ tag: Tag) {
    guard case .workout(var workout) = pending else { return }
    let unit = tag[HS_UNIT].text
    if tag[HS_TYPE].begins("HKQuantityTypeIdentifierDistance") {
      workout.kilometres =
        amount(tag, HS_SUM, .length, unit).map { $0 / 1000 } ?? workout.kilometres
    } else if tag[HS_TYPE].equals("HKQuantityTypeIdentifierActiveEnergyBurned") {
      workout.kilocalories = amount(tag, HS_SUM, .energy, unit) ?? workout.kilocalories
    }
    pending = .workout(workout)
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

extension SourceTable {
  mutating func enteredByHand() -> UInt16 {
    let name: StaticString = "\u{0}entered"
    let bytes = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    let number = number(name: bytes, device: UnsafeBufferPointer(start: nil, count: 0))
    mark(number, as: .entered)
    return number
  }
}
