// What another program may omit, and what it must not add.

extension HealthSnapshot {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder,
      "version from through days exportedOn profile series sleep workouts wear readings leftOut "
        + "findings")
    try self.init(
      version: members.version, from: members.from, through: members.through, days: members.days,
      exportedOn: members.exportedOn, profile: members.profile ?? HealthProfile(age: nil, sex: nil),
      series: members.series ?? HealthSeriesList(), sleep: members.sleep,
      workouts: members.workouts, wear: members.wear,
      readings: members.readings
        ?? ReadingCounts(records: 0, notUsed: 0, beforeTheWindow: 0, workouts: 0),
      leftOut: members.leftOut ?? [], findings: members.findings ?? [])
    if wear?.days == 0 { wear?.days = days }
  }
}

extension HealthProfile {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "age sex isMinor")
    try self.init(age: members.age, sex: members.sex, isMinor: members.isMinor ?? false)
  }
}

extension HealthSeriesList {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder, Quantity.allCases.map(\.rawValue).joined(separator: " "))
    var series: [Quantity: HealthSeries] = [:]
    for quantity in Quantity.allCases {
      series[quantity] = try members[dynamicMember: quantity.rawValue]
    }
    self.init(series)
  }
}

extension HealthSeries {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder,
      "unit days readings asWritten mean median deviation lowest highest latest latestOn change "
        + "slopePerWeek weekdayMean weekendMean weekendEffect weekly")
    try self.init(
      unit: members.unit, days: members.days, readings: members.readings ?? 0,
      asWritten: members.asWritten, mean: members.mean, median: members.median,
      deviation: members.deviation, lowest: members.lowest, highest: members.highest,
      latest: members.latest, latestOn: members.latestOn, change: members.change,
      slopePerWeek: members.slopePerWeek, weekdayMean: members.weekdayMean,
      weekendMean: members.weekendMean, weekendEffect: members.weekendEffect,
      weekly: members.weekly ?? [])
  }
}

extension HealthChange {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "first last firstDays lastDays effect")
    try self.init(
      first: members.first, last: members.last, firstDays: members.firstDays,
      lastDays: members.lastDays, effect: members.effect)
  }
}

extension SleepSummary {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder, "nights nightsInBed hoursInBed bedtime wakeTime irregularityMinutes totalHours")
    try self.init(
      nights: members.nights, nightsInBed: members.nightsInBed ?? 0, hoursInBed: members.hoursInBed,
      bedtime: members.bedtime, wakeTime: members.wakeTime,
      irregularityMinutes: members.irregularityMinutes, totalHours: members.totalHours ?? 0)
  }
}

extension WorkoutSummary {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder, "count minutes measured types parts firstMonth lastMonth lastOn weekly")
    try self.init(
      count: members.count, minutes: members.minutes ?? 0, measured: members.measured ?? 0,
      types: members.types ?? [], parts: members.parts ?? [], firstMonth: members.firstMonth,
      lastMonth: members.lastMonth, lastOn: members.lastOn, weekly: members.weekly ?? [])
  }
}

extension WorkoutSummary.Kind {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder, "type count minutes kilometres firstMonth lastMonth lastOn")
    try self.init(
      type: members.type, count: members.count, minutes: members.minutes ?? 0,
      kilometres: members.kilometres, firstMonth: members.firstMonth, lastMonth: members.lastMonth,
      lastOn: members.lastOn)
  }
}

extension WorkoutSummary.Part {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "part count")
    try self.init(part: members.part, count: members.count)
  }
}

extension WearSummary {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "daysWorn days gaps sign from")
    try self.init(
      daysWorn: members.daysWorn, days: members.days ?? 0, gaps: members.gaps ?? [],
      sign: members.sign, from: members.from)
  }
}

extension WearSummary.Gap {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "from through")
    try self.init(from: members.from, through: members.through)
  }
}

extension ReadingCounts {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "records notUsed beforeTheWindow workouts")
    try self.init(
      records: members.records ?? 0, notUsed: members.notUsed ?? 0,
      beforeTheWindow: members.beforeTheWindow ?? 0, workouts: members.workouts ?? 0)
  }
}

extension HealthFinding {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "kind text numbers isForDoctor")
    try self.init(
      members.kind, members.text, members.numbers ?? [:], isForDoctor: members.isForDoctor ?? false)
  }
}

extension LeftOut {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "what reason count example")
    try self.init(
      what: members.what, reason: members.reason, count: members.count, example: members.example)
  }
}
