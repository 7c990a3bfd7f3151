// What another program may omit, and what it must not add.

extension HealthSnapshot {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder,
      "version from through days exportedOn profile series sleep workouts wear readings leftOut "
        + "findings")
    self.init(
      version: try members.value("version"), from: try members.value("from"),
      through: try members.value("through"), days: try members.value("days"),
      exportedOn: try members.optional("exportedOn"),
      profile: try members.optional("profile") ?? HealthProfile(age: nil, sex: nil),
      series: try members.optional("series") ?? HealthSeriesList(),
      sleep: try members.optional("sleep"), workouts: try members.optional("workouts"),
      wear: try members.optional("wear"),
      readings: try members.optional("readings")
        ?? ReadingCounts(records: 0, notUsed: 0, beforeTheWindow: 0, workouts: 0),
      leftOut: try members.optional("leftOut") ?? [],
      findings: try members.optional("findings") ?? [])
    if wear?.days == 0 { wear?.days = days }
  }
}

extension HealthProfile {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "age sex isMinor")
    self.init(
      age: try members.optional("age"), sex: try members.optional("sex"),
      isMinor: try members.optional("isMinor") ?? false)
  }
}

extension HealthSeriesList {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder, Quantity.allCases.map(\.rawValue).joined(separator: " "))
    var series: [Quantity: HealthSeries] = [:]
    for quantity in Quantity.allCases {
      series[quantity] = try members.optional(quantity.rawValue)
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
    self.init(
      unit: try members.value("unit"), days: try members.value("days"),
      readings: try members.optional("readings") ?? 0,
      asWritten: try members.optional("asWritten"), mean: try members.optional("mean"),
      median: try members.optional("median"), deviation: try members.optional("deviation"),
      lowest: try members.optional("lowest"), highest: try members.optional("highest"),
      latest: try members.optional("latest"), latestOn: try members.optional("latestOn"),
      change: try members.optional("change"), slopePerWeek: try members.optional("slopePerWeek"),
      weekdayMean: try members.optional("weekdayMean"),
      weekendMean: try members.optional("weekendMean"),
      weekendEffect: try members.optional("weekendEffect"),
      weekly: try members.optional("weekly") ?? [])
  }
}

extension HealthChange {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "first last firstDays lastDays effect")
    self.init(
      first: try members.value("first"), last: try members.value("last"),
      firstDays: try members.value("firstDays"), lastDays: try members.value("lastDays"),
      effect: try members.value("effect"))
  }
}

extension SleepSummary {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder, "nights nightsInBed hoursInBed bedtime wakeTime irregularityMinutes totalHours")
    self.init(
      nights: try members.value("nights"), nightsInBed: try members.optional("nightsInBed") ?? 0,
      hoursInBed: try members.optional("hoursInBed"), bedtime: try members.optional("bedtime"),
      wakeTime: try members.optional("wakeTime"),
      irregularityMinutes: try members.optional("irregularityMinutes"),
      totalHours: try members.optional("totalHours") ?? 0)
  }
}

extension WorkoutSummary {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder, "count minutes measured types parts firstMonth lastMonth lastOn weekly")
    self.init(
      count: try members.value("count"), minutes: try members.optional("minutes") ?? 0,
      measured: try members.optional("measured") ?? 0,
      types: try members.optional("types") ?? [], parts: try members.optional("parts") ?? [],
      firstMonth: try members.value("firstMonth"), lastMonth: try members.value("lastMonth"),
      lastOn: try members.value("lastOn"), weekly: try members.optional("weekly") ?? [])
  }
}

extension WorkoutSummary.Kind {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder, "type count minutes kilometres firstMonth lastMonth lastOn")
    self.init(
      type: try members.value("type"), count: try members.value("count"),
      minutes: try members.optional("minutes") ?? 0,
      kilometres: try members.optional("kilometres"),
      firstMonth: try members.value("firstMonth"), lastMonth: try members.value("lastMonth"),
      lastOn: try members.value("lastOn"))
  }
}

extension WorkoutSummary.Part {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "part count")
    self.init(part: try members.value("part"), count: try members.value("count"))
  }
}

extension WearSummary {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "daysWorn days gaps sign from")
    self.init(
      daysWorn: try members.value("daysWorn"), days: try members.optional("days") ?? 0,
      gaps: try members.optional("gaps") ?? [], sign: try members.optional("sign"),
      from: try members.optional("from"))
  }
}

extension WearSummary.Gap {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "from through")
    self.init(from: try members.value("from"), through: try members.value("through"))
  }
}

extension ReadingCounts {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "records notUsed beforeTheWindow workouts")
    self.init(
      records: try members.optional("records") ?? 0,
      notUsed: try members.optional("notUsed") ?? 0,
      beforeTheWindow: try members.optional("beforeTheWindow") ?? 0,
      workouts: try members.optional("workouts") ?? 0)
  }
}

extension HealthFinding {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "kind text numbers isForDoctor")
    self.init(
      try members.value("kind"), try members.value("text"),
      try members.optional("numbers") ?? [:],
      isForDoctor: try members.optional("isForDoctor") ?? false)
  }
}

extension LeftOut {
  public init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, "what reason count example")
    self.init(
      what: try members.value("what"), reason: try members.value("reason"),
      count: try members.value("count"), example: try members.optional("example"))
  }
}
