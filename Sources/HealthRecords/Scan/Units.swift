/// The quantity that a unit measures, and its factor to the stored unit.
enum Dimension: Sendable {
  case count, mass, length, energy, time, rate, milliseconds, oxygen, fraction, pressure, glucose

  /// The factor for a unit as exports write it; nil if it is unknown.
  ///
  /// Stored units: kilogram, meter, kilocalorie, minute, beats per minute, millisecond,
  /// mL/(kg·min), mmHg, mmol/L.
  func factor(of unit: String) -> Double? {
    switch self {
    case .count: Self.counts[unit]
    case .mass: Self.masses[unit]
    case .length: Self.lengths[unit]
    case .energy: Self.energies[unit]
    case .time: Self.times[unit]
    case .rate: Self.rates[unit]
    case .milliseconds: Self.times[unit].map { $0 * 60_000 }
    case .oxygen: Self.oxygenUses[unit]
    case .fraction: Self.fractions[unit]
    case .pressure: Self.pressures[unit]
    case .glucose: Self.glucose(unit)
    }
  }

  // International avoirdupois pound and yard: exact by definition (1959).
  private static let masses: [String: Double] = [
    "kg": 1, "g": 0.001, "mg": 0.000_001, "lb": 0.453_592_37, "oz": 0.028_349_523_125,
    "st": 6.350_293_18,
  ]
  private static let lengths: [String: Double] = [
    "m": 1, "cm": 0.01, "mm": 0.001, "km": 1000, "in": 0.0254, "ft": 0.3048, "yd": 0.9144,
    "mi": 1609.344,
  ]
  // HealthKit's "Cal" is the kilocalorie, its "cal" a thousandth of it.
  private static let energies: [String: Double] = [
    "kcal": 1, "Cal": 1, "cal": 0.001, "kJ": 1 / 4.184, "J": 0.001 / 4.184,
  ]
  private static let times: [String: Double] = [
    "min": 1, "s": 1.0 / 60, "ms": 1.0 / 60_000, "hr": 60, "h": 60, "d": 1440,
  ]
  private static let counts: [String: Double] = ["count": 1, "kg/m²": 1, "kg/m^2": 1]
  private static let rates: [String: Double] = [
    "count/min": 1, "count/s": 60, "bpm": 1, "Hz": 60,
  ]
  private static let oxygenUses: [String: Double] = [
    "mL/min·kg": 1, "mL/(kg*min)": 1, "mL/(kg·min)": 1, "ml/(kg*min)": 1, "mL/kg/min": 1,
    "mL/kg·min": 1, "ml/kg/min": 1, "mL/min/kg": 1,
  ]
  private static let fractions: [String: Double] = ["%": 1]
  private static let pressures: [String: Double] = [
    "mmHg": 1, "kPa": 7.500_616_827, "Pa": 0.007_500_616_827, "cmAq": 0.735_559_12,
  ]

  /// A mole of glucose is 180.15588 g, a factor that HealthKit puts into the unit's name.
  private static func glucose(_ unit: String) -> Double? {
    switch unit {
    case "mmol/L": 1
    case "mg/dL": 10 / 180.155_88
    default: unit.hasPrefix("mmol<180.1558") && unit.hasSuffix(">/L") ? 1 : nil
    }
  }
}
