// What another program may leave out, and what it may not add.

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer where Key == AnyKey {
  fileprivate func value<Value: Decodable>(_ name: String) throws -> Value {
    try decode(Value.self, forKey: AnyKey(stringValue: name))
  }

  fileprivate func optional<Value: Decodable>(_ name: String) throws -> Value? {
    try decodeIfPresent(Value.self, forKey: AnyKey(stringValue: name))
  }
}

extension Decoder {
  fileprivate func members(
    _ names: String
  ) throws -> KeyedDecodingContainer<AnyKey> {
    let container = try container(keyedBy: AnyKey.self)
    let known = Set(names.split(separator: " ").map(String.init))
    let strangers = container.allKeys.map(\.stringValue).filter { !known.contains($0) }
    if let stranger = strangers.min() {
      let names = known.sorted().joined(separator: ", ")
      throw DecodingError.dataCorruptedError(
        forKey: AnyKey(stringValue: stranger), in: container,
        debugDescription: "there is no such member; there are \(names)")
    }
    return container
  }
}

extension HealthSnapshot {
  public init(from decoder: any Decoder) throws {
    let members = try decoder.members(
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
  }
}

extension HealthProfile {
  public init(from decoder: any Decoder) throws {
    let members = try decoder.members("age sex isMinor")
    self.init(
      age: try members.optional("age"), sex: try members.optional("sex"),
      isMinor: try members.optional("isMinor") ?? false)
  }
}

extension HealthSeriesList {
  public init(from decoder: any Decoder) throws {
    let members = try decoder.members(
      Quantity.allCases.map(\.rawValue).joined(separator: " "))
    var series: [Quantity: HealthSeries] = [:]
    for quantity in Quantity.allCases {
      series[quantity] = try members.optional(quantity.rawValue)
    }
    self.init(series)
  }
}

extension HealthSeries {
  public init(from decoder: any Decoder) throws {
    let members = try decoder.members(
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
