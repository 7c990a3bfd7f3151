internal import CHealthScan

/// A quantity in an export, with its plausible range.
///
/// Values outside the range are counted and left out. The ranges are wide on purpose: they exclude
/// typing errors and broken sensors, not unusual people. Recorded extremes (such as 635 kg, or a
/// resting rate of 27 per minute, in Guinness World Records) are inside.
public enum Quantity: String, CaseIterable, Sendable {
  case steps, walkingDistance, activeEnergy, exerciseMinutes, standHours
  case heartRate, restingHeartRate, heartRateVariability, vo2Max
  case bodyMass, height, bodyFat, bodyMassIndex, systolic, diastolic, glucose, sleep

  init?(_ kind: hs_kind) {
    switch kind {
    case HS_STEPS: self = .steps
    case HS_WALKING_DISTANCE: self = .walkingDistance
    case HS_ACTIVE_ENERGY: self = .activeEnergy
    case HS_EXERCISE: self = .exerciseMinutes
    case HS_STAND_HOUR: self = .standHours
    case HS_HEART_RATE: self = .heartRate
    case HS_RESTING_RATE: self = .restingHeartRate
    case HS_HRV: self = .heartRateVariability
    case HS_VO2MAX: self = .vo2Max
    case HS_BODY_MASS: self = .bodyMass
    case HS_HEIGHT: self = .height
    case HS_BODY_FAT: self = .bodyFat
    case HS_BMI: self = .bodyMassIndex
    case HS_SLEEP: self = .sleep
    case HS_SYSTOLIC: self = .systolic
    case HS_DIASTOLIC: self = .diastolic
    case HS_GLUCOSE: self = .glucose
    default: return nil
    }
  }

  var name: String {
    switch self {
    case .walkingDistance: "walking distance"
    case .activeEnergy: "active energy"
    case .exerciseMinutes: "exercise minutes"
    case .standHours: "stand hours"
    case .heartRate: "heart rate"
    case .restingHeartRate: "resting heart rate"
    case .heartRateVariability: "heart rate variability"
    case .vo2Max: "VO2 max"
    case .bodyMass: "body mass"
    case .bodyFat: "body fat"
    case .bodyMassIndex: "body mass index"
    case .systolic: "systolic blood pressure"
    case .diastolic: "diastolic blood pressure"
    case .glucose: "blood glucose"
    default: rawValue
    }
  }

  var dimension: Dimension {
    switch self {
    case .steps, .standHours, .sleep, .bodyMassIndex: .count
    case .walkingDistance, .height: .length
    case .activeEnergy: .energy
    case .exerciseMinutes: .time
    case .heartRate, .restingHeartRate: .rate
    case .heartRateVariability: .milliseconds
    case .vo2Max: .oxygen
    case .bodyMass: .mass
    case .bodyFat: .fraction
    case .systolic, .diastolic: .pressure
    case .glucose: .glucose
    }
  }

  /// The unit of stored values.
  var unit: String {
    switch self {
    case .steps: "steps"
    case .walkingDistance: "km"
    case .activeEnergy: "kcal"
    case .exerciseMinutes: "min"
    case .standHours: "hours"
    case .heartRate, .restingHeartRate: "beats/min"
    case .heartRateVariability: "ms"
    case .vo2Max: "mL/(kg·min)"
    case .bodyMass: "kg"
    case .height: "m"
    case .bodyFat: "%"
    case .bodyMassIndex: "kg/m²"
    case .systolic, .diastolic: "mmHg"
    case .glucose: "mmol/L"
    case .sleep: "hours"
    }
  }

  /// The plausible range of one reading, in the stored unit (meters for a distance).
  var plausible: ClosedRange<Double> {
    switch self {
    case .steps: 0...200_000
    case .walkingDistance: 0...500_000
    case .activeEnergy: 0...20_000
    case .exerciseMinutes: 0...1440
    case .standHours: 0...24
    case .heartRate: 15...260
    case .restingHeartRate: 20...180
    case .heartRateVariability: 1...500
    case .vo2Max: 5...100
    case .bodyMass: 20...650
    case .height: 0.5...2.75
    case .bodyFat: 2...75
    case .bodyMassIndex: 7...210
    case .systolic: 50...300
    case .diastolic: 20...200
    case .glucose: 0.5...60
    case .sleep: 0...24
    }
  }

  /// Whether it is added up over a day, source by source; others are averaged.
  var isCumulative: Bool {
    switch self {
    case .steps, .walkingDistance, .activeEnergy, .exerciseMinutes: true
    default: false
    }
  }

  /// Whether its value is a name rather than a number.
  var isCategory: Bool { self == .sleep || self == .standHours }

  /// The longest plausible record, in seconds; sensors write minutes, and other apps sometimes a
  /// whole day (of up to 25 hours).
  static let longestRecord = 26 * 3600

  /// The value in the stored unit, or nil if it is implausible.
  ///
  /// Apple writes 0.18 for 18% body fat. Values up to 1 are fractions; higher ones are percentages,
  /// as some apps write them, because 1800% is impossible.
  func kept(_ value: Millionths, factor: Double) -> Millionths? {
    let scale = self == .bodyFat && value <= 1_000_000 ? 100 : factor
    guard let kept = value.scaled(by: scale), plausible.contains(kept.asDouble) else { return nil }
    return kept
  }
}
