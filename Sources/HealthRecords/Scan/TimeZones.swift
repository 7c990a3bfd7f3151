internal import FoundationEssentials

/// The time zones that samples name, each looked up once.
struct TimeZones {
  /// Nil for a name that is no zone's.
  private var known: [String: TimeZone?] = [:]

  /// A traveler's export names a few; a made-up one shall not fill the memory.
  private static let most = 256

  mutating func zone(named name: UnsafeBufferPointer<UInt8>) -> TimeZone? {
    let name = name.text
    if let zone = known[name] { return zone }
    let zone = TimeZone(identifier: name)
    if known.count < Self.most { known[name] = zone }
    return zone
  }
}

extension ZonedTime {
  /// The same instant, on the clock of that zone.
  func moved(to zone: TimeZone) -> ZonedTime {
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
    return ZonedTime(
      instant: instant, offset: min(max(offset, Self.offsets.lowerBound), Self.offsets.upperBound))
  }
}
