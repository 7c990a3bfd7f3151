/// What an export says about some ninety days: figures and findings, and nothing of the records.
///
/// Names of devices, apps and people are not in it. As JSON its members have the names that they have
/// here; what is not known is left out, days are `YYYY-MM-DD`, and every number is finite:
///
/// ```
/// {
///   "version": 1,
///   "from": "2025-11-02", "through": "2026-01-30", "days": 90,
///   "exportedOn": "2026-01-31",
///   "profile": {"age": 38, "sex": "female", "isMinor": false},
///   "series": {"steps": {"unit": "steps", "days": 84, "mean": 7412, "change": {"first": 9100,
///     "last": 6200, "firstDays": 29, "lastDays": 27, "effect": -4.1}}},
///   "sleep": {"nights": 80, "bedtime": "23:10", "wakeTime": "06:40", "irregularityMinutes": 48},
///   "workouts": {"count": 31, "minutes": 1240, "firstMonth": 14, "lastMonth": 8,
///     "lastOn": "2026-01-28", "types": [{"type": "running", "count": 12, "firstMonth": 6,
///     "lastMonth": 2, "lastOn": "2026-01-20"}], "parts": [{"part": "morning", "count": 20}]},
///   "wear": {"daysWorn": 84, "sign": "heartRate", "from": "2025-11-02",
///     "gaps": [{"from": "2025-12-20", "through": "2025-12-25"}]},
///   "readings": {"records": 215080, "notUsed": 42660},
///   "leftOut": [{"what": "body mass", "reason": "implausible", "count": 1, "example": "-81.5 kg"}],
///   "findings": [{"kind": "activityFell", "text": "…", "numbers": {"first": 9100, "last": 6200}}]
/// }
/// ```
///
/// A program that reads the data itself can pass such a snapshot in. Needed are `version`, `from`,
/// `through` and `days`; `unit` and `days` of a series; all five members of a `change`; `nights` of
/// `sleep`; `count`, `firstMonth`, `lastMonth` and `lastOn` of `workouts`, the same and `type` of one
/// of its types; `daysWorn` of `wear`; `kind` and `text` of a finding. Everything else may be left
/// out. A member that is not known is an error wherever it stands, so that a misspelt one is noticed.
///
/// Without `findings` they are made from what is there: a level from `mean` (or `median`), a change
/// and a strain from `change`, weekends from `weekdayMean`, `weekendMean` and `weekendEffect`, how
/// much days vary from `mean` and `deviation`, habits from `workouts`. Those for a doctor are always
/// made, from any of `mean`, `median`, `highest`, `latest` and `change`, and never taken from the file.
public struct HealthSnapshot: Hashable, Sendable, Codable {
  /// Of this form; another is not read.
  public static let currentVersion = 1

  public var version = HealthSnapshot.currentVersion
  /// The whole days that averages are over, first and last.
  public var from: Day
  public var through: Day
  /// How many they are.
  public var days: Int
  public var exportedOn: Day?
  public var profile: HealthProfile
  public var series: HealthSeriesList
  public var sleep: SleepSummary?
  public var workouts: WorkoutSummary?
  public var wear: WearSummary?
  public var readings: ReadingCounts
  public var leftOut: [LeftOut] = []
  public var findings: [HealthFinding] = []
}

public struct HealthProfile: Hashable, Sendable, Codable {
  public enum Sex: String, Hashable, Sendable, Codable {
    case female, male, other

    init?(exported: String) {
      switch exported {
      case "HKBiologicalSexFemale": self = .female
      case "HKBiologicalSexMale": self = .male
      case "HKBiologicalSexOther": self = .other
      default: return nil
      }
    }
  }

  /// In whole years; nil where the birth date is missing or cannot be true.
  public var age: Int?
  public var sex: Sex?

  /// Under 18 by the birth date.
  public var isMinor: Bool

  /// Nobody verified has grown older than 122.
  static let oldest = 125
  static let adult = 18

  init(age: Int?, sex: Sex?, isMinor: Bool = false) {
    (self.age, self.sex) = (age, sex)
    self.isMinor = isMinor || (age.map { $0 < Self.adult } ?? false)
  }

  init(birthDate: Day?, sex: Sex?, on day: Day) {
    self.sex = sex
    age = birthDate.flatMap { Self.age($0, on: day) }
    isMinor = age.map { $0 < Self.adult } ?? false
  }

  private static func age(_ birth: Day, on day: Day) -> Int? {
    guard birth <= day else { return nil }
    let (then, now) = (birth.parts, day.parts)
    let hadBirthday = (now.month, now.day) >= (then.month, then.day)
    let years = now.year - then.year - (hadBirthday ? 0 : 1)
    return years <= oldest ? years : nil
  }
}

/// A quantity over the days: one value a day, and what can be said about them.
public struct HealthSeries: Hashable, Sendable, Codable {
  public var unit: String
  /// Whole days with a value.
  public var days: Int
  /// Records in the window, those of the day of the export and of all sources included.
  public var readings: Int
  /// The sum of all of them as written, sources added up: no measure of anybody, but of the file.
  public var asWritten: Double?
  /// Over the whole days that have a value.
  public var mean: Double?
  public var median: Double?
  public var deviation: Double?
  /// The lowest and the highest single reading, or day where readings are added up.
  public var lowest: Double?
  public var highest: Double?
  public var latest: Double?
  public var latestOn: Day?
  /// The first 30 days beside the last 30; nil where the window is too short to hold both.
  public var change: HealthChange?
  /// A robust slope (Theil-Sen: the median of the slopes between all pairs of days), per week.
  public var slopePerWeek: Double?
  public var weekdayMean: Double?
  public var weekendMean: Double?
  /// How much weekends differ, in standard errors (see ``HealthChange/effect``).
  public var weekendEffect: Double?
  /// Means of weeks that end with the last whole day, the oldest first; null where there is nothing.
  public var weekly: [Double?]
}

/// Means at both ends of the window.
public struct HealthChange: Hashable, Sendable, Codable {
  public var first: Double
  public var last: Double
  public var firstDays: Int
  public var lastDays: Int
  /// The difference in standard errors (Welch), above 0 for a rise. Days that are like the day before
  /// count for less, and few days too: the same number is as unlikely by chance with any of them.
  public var effect: Double
}

public struct HealthSeriesList: Hashable, Sendable, Codable {
  public var steps: HealthSeries?
  public var walkingDistance: HealthSeries?
  public var activeEnergy: HealthSeries?
  public var exerciseMinutes: HealthSeries?
  public var standHours: HealthSeries?
  public var heartRate: HealthSeries?
  public var restingHeartRate: HealthSeries?
  public var heartRateVariability: HealthSeries?
  public var vo2Max: HealthSeries?
  public var bodyMass: HealthSeries?
  public var height: HealthSeries?
  public var bodyFat: HealthSeries?
  public var bodyMassIndex: HealthSeries?
  public var systolic: HealthSeries?
  public var diastolic: HealthSeries?
  public var glucose: HealthSeries?
  /// Hours asleep a night, the night named by the day it ends on.
  public var sleep: HealthSeries?
}

/// How nights go. A night is the sleep whose middle lies between 18:00 and 18:00.
public struct SleepSummary: Hashable, Sendable, Codable {
  /// With sleep recorded, and with time in bed.
  public var nights: Int
  public var nightsInBed: Int
  public var hoursInBed: Double?
  /// Median clock times of the longest stretch of sleep, `23:10`.
  public var bedtime: String?
  public var wakeTime: String?
  /// The standard deviation of the middle of that stretch, in minutes.
  public var irregularityMinutes: Double?
  /// All sleep of all nights in hours, the day of the export included.
  public var totalHours: Double
}

public struct WorkoutSummary: Hashable, Sendable, Codable {
  public struct Kind: Hashable, Sendable, Codable {
    public var type: String
    public var count: Int
    public var minutes: Double
    public var kilometres: Double?
    /// In the first and the last 30 days.
    public var firstMonth: Int
    public var lastMonth: Int
    public var lastOn: Day
  }

  public enum PartOfDay: String, Hashable, Sendable, Codable, CaseIterable {
    /// From 5, from 12, from 17, and from 22 to 5.
    case morning, afternoon, evening, night

    init(hour: Int) {
      self =
        switch hour {
        case 5..<12: .morning
        case 12..<17: .afternoon
        case 17..<22: .evening
        default: .night
        }
    }
  }

  public struct Part: Hashable, Sendable, Codable {
    public var part: PartOfDay
    public var count: Int
  }

  public var count: Int
  public var minutes: Double
  /// With a distance and a duration.
  public var measured: Int
  /// The most frequent first.
  public var types: [Kind]
  public var parts: [Part]
  public var firstMonth: Int
  public var lastMonth: Int
  public var lastOn: Day
  /// Workouts in weeks that end with the last whole day, the oldest first.
  public var weekly: [Int]
}

/// Days with and without anything from a device that is worn or carried: by heart rate where it is
/// there day after day, as of a watch, and else by steps. Nil where neither is.
public struct WearSummary: Hashable, Sendable, Codable {
  public enum Sign: String, Hashable, Sendable, Codable {
    case heartRate, steps
  }

  public struct Gap: Hashable, Sendable, Codable {
    public var from: Day
    public var through: Day
    public var days: Int { through - from + 1 }
  }

  public var daysWorn: Int
  public var days: Int
  public var gaps: [Gap]
  /// What tells; heart rate where it is not said and the snapshot has one.
  public var sign: Sign?
  /// The first day of all with anything. Before it there may have been no device.
  public var from: Day?

  /// Of some days, those from the first with anything on that are in no gap of at least so many days.
  func worn(from: Day, through: Day, leastGap: Int = 1) -> Int {
    func shared(_ first: Day, _ last: Day) -> Int {
      max(0, min(last, through) - max(first, from) + 1)
    }
    let start = self.from.map { max($0, from) } ?? from
    let missing = gaps.filter { $0.days >= leastGap }
      .reduce(0) { $0 + shared(max($1.from, start), $1.through) }
    return max(0, through - start + 1 - missing)
  }
}

public struct ReadingCounts: Hashable, Sendable, Codable {
  /// `Record` elements in the whole file.
  public var records: Int
  /// Of kinds that are not looked at.
  public var notUsed: Int
  public var beforeTheWindow: Int
  /// Workouts in the whole file.
  public var workouts: Int
}

/// Something worth saying, with the numbers it rests on.
public struct HealthFinding: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case activityLevel, activityRose, activityFell, weekendsMoveMore, weekendsMoveLess
    case steadyDays, unsteadyDays
    case workoutHabit, workoutStopped, workoutsFell, workoutsRose, workoutTime
    case sleepLength, sleepShort, sleepIrregular, timeInBed
    case weightLevel, weightFell, weightRose
    case strain, fitness, gapsInWearing
    case bloodPressureHigh, restingHeartRateHigh, weightFellFast

    /// How much it tells of where somebody is now: what changed or strains says more than what is
    /// usual, and that more than a plain figure.
    public var salience: Int {
      switch self {
      case .bloodPressureHigh, .restingHeartRateHigh, .weightFellFast: 3
      case .workoutStopped, .activityRose, .activityFell, .workoutsFell, .workoutsRose, .strain,
        .weightFell, .weightRose, .sleepShort, .sleepIrregular:
        2
      case .workoutHabit, .workoutTime, .weekendsMoveMore, .weekendsMoveLess, .unsteadyDays: 1
      case .activityLevel, .steadyDays, .sleepLength, .timeInBed, .weightLevel, .fitness,
        .gapsInWearing:
        0
      }
    }
  }

  public var kind: Kind
  public var text: String
  public var numbers: [String: Double]
  /// A reading that a doctor should see; nothing is concluded from it here.
  public var isForDoctor: Bool

  init(_ kind: Kind, _ text: String, _ numbers: [String: Double], isForDoctor: Bool = false) {
    (self.kind, self.text, self.numbers) = (kind, text, numbers)
    self.isForDoctor = isForDoctor
  }
}
