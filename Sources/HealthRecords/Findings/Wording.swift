/// Numbers as they appear in sentences, the same in every locale.
public enum HealthWords {
  /// The unit of energy.
  public static let calories = "kcal"
  /// `12,345`.
  public static func exact(_ number: Int) -> String { grouped(number) }
  /// `7,400`: as precise as people would say it.
  public static func about(_ value: Double) -> String { rough(value) }
  /// `2.4`, and `2` for 2.
  public static func tenths(_ value: Double) -> String { decimal(value) }
  /// `6 h 50 min`.
  public static func hoursAndMinutes(_ value: Double) -> String { hours(value) }
}

/// `7,400`: as precise as people would say it.
func rough(_ value: Double) -> String {
  let step = abs(value) >= 1000 ? 100.0 : abs(value) >= 200 ? 10 : 1
  return whole((value / step).rounded() * step)
}

/// `2.4`, and `2` for 2.
func decimal(_ value: Double) -> String {
  let tenths = (value * 10).rounded()
  guard let number = Int(exactly: tenths) else { return whole(value) }
  let text = grouped(abs(number) / 10) + (number % 10 == 0 ? "" : ".\(abs(number) % 10)")
  return (number < 0 ? "-" : "") + text
}

/// `6 h 50 min`, and `20 min` for less than an hour.
func hours(_ value: Double) -> String {
  guard let minutes = Int(exactly: (value * 60).rounded()) else { return "" }
  if (1..<60).contains(minutes) { return "\(minutes) min" }
  return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
}

/// `once`, `twice`, `3 times`.
func times(_ count: Int) -> String {
  switch count {
  case 0: "not once"
  case 1: "once"
  case 2: "twice"
  default: "\(count) times"
  }
}

/// `about 3 times a week`, and `3 to 4 times a week` for 3.5.
func timesAWeek(_ rate: Double) -> String {
  guard let nearest = Int(exactly: rate.rounded()), let below = Int(exactly: rate.rounded(.down))
  else { return "" }
  switch rate {
  case ..<0.75: return "less than once a week"
  case ..<1.25: return "about once a week"
  case ..<1.75: return "once or twice a week"
  case ..<2.25: return "about twice a week"
  case _ where abs(rate - Double(nearest)) <= 0.25: return "about \(nearest) times a week"
  default: return "\(below) to \(below + 1) times a week"
  }
}

func listed(_ items: [String]) -> String {
  guard let last = items.last, items.count > 1 else { return items.first ?? "" }
  return items.dropLast().joined(separator: ", ") + " and " + last
}

func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

private func whole(_ value: Double) -> String {
  Int(exactly: value.rounded()).map(grouped) ?? "\(value)"
}
