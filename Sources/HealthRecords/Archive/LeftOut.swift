/// Records that were not used, and why.
public struct LeftOut: Hashable, Sendable, Codable {
  public enum Reason: String, Hashable, Sendable, Codable {
    /// An impossible number, such as a body mass of -81.5 kg.
    case implausible
    /// Not a plain decimal number.
    case notANumber
    /// A missing or unknown unit.
    case unit
    /// A date that does not exist, has no UTC offset, or has another form.
    case date
    case endsBeforeStart
    /// It starts after the export was made.
    case future
    /// The element itself is malformed.
    case malformed

    var words: String {
      switch self {
      case .implausible: "not plausible"
      case .notANumber: "not a number"
      case .unit: "unknown unit"
      case .date: "unreadable date"
      case .endsBeforeStart: "ends before it starts"
      case .future: "in the future"
      case .malformed: "damaged"
      }
    }
  }

  /// Such as `body mass`; `record` if unknown.
  public var what: String
  public var reason: Reason
  public var count: Int
  /// The first one, as it was written.
  public var example: String?

  /// The longest example kept, in bytes.
  static let longestExample = 40

  /// `1 record ignored: body mass -81.5 kg (not plausible)`.
  public var inWords: String {
    let noun = count == 1 ? "1 record" : "\(grouped(count)) records"
    let such = example.map { (count > 1 ? ", such as " : " ") + $0 } ?? ""
    return "\(noun) ignored: \(what)\(such) (\(reason.words))"
  }
}

struct LeftOutList {
  private var places: [String: Int] = [:]
  private(set) var items: [LeftOut] = []

  mutating func add(
    _ what: String, _ reason: LeftOut.Reason, count: Int = 1, example: String? = nil
  ) {
    guard count > 0 else { return }
    let key = "\(what) \(reason.rawValue)"
    if let place = places[key] {
      items[place].count += count
    } else {
      places[key] = items.count
      items.append(LeftOut(what: what, reason: reason, count: count, example: example))
    }
  }
}

/// `12,345`.
func grouped(_ number: Int) -> String {
  let digits = String(abs(number))
  var text = ""
  for (place, digit) in digits.enumerated() {
    if place > 0, (digits.count - place) % 3 == 0 { text += "," }
    text.append(digit)
  }
  return (number < 0 ? "-" : "") + text
}
