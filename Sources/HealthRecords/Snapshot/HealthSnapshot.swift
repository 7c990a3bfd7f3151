/// A summary of about ninety days of an export: figures and findings, but no records.
///
/// It contains no names of devices, apps or people. In JSON, members are named as here; unknown
/// values are omitted, days are `YYYY-MM-DD`, and every number is finite:
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
/// A program that reads the data itself can pass such a snapshot in. Required are `version`,
/// `from`, `through` and `days`; `unit` and `days` of a series; all five members of a `change`;
/// `nights` of `sleep`; `count`, `firstMonth`, `lastMonth` and `lastOn` of `workouts`, the same and
/// `type` of each of its types; `daysWorn` of `wear`; `kind` and `text` of a finding. Everything
/// else is optional. An unknown member is an error anywhere, so that misspellings are noticed.
///
/// Without `findings`, they are made from the figures: a level from `mean` (or `median`), a change
/// and a strain from `change`, weekends from `weekdayMean`, `weekendMean` and `weekendEffect`,
/// variation from `mean` and `deviation`, habits from `workouts`. Findings for a doctor are always
/// made from `mean`, `median`, `highest`, `latest` and `change`, and never taken from the file.
public struct HealthSnapshot: Hashable, Sendable, Codable {
  /// The only version that is read.
  public static let currentVersion = 1

  public var version = HealthSnapshot.currentVersion
  /// The first and last whole day that averages cover.
  public var from: Day
  public var through: Day
  /// The number of days.
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

  /// In whole years; nil if the birth date is missing or impossible.
  public var age: Int?
  public var sex: Sex?

  /// Under 18 according to the birth date.
  public var isMinor: Bool

  /// The highest verified age is 122.
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

/// A quantity over time: one value per day, and statistics.
public struct HealthSeries: Hashable, Sendable, Codable {
  public var unit: String
  /// Whole days with a value.
  public var days: Int
  /// Records in the window, from all sources and including the day of the export.
  public var readings: Int
  /// The sum of all of them as written, over all sources: it measures the file, not the person.
  public var asWritten: Double?
  /// Over the whole days with a value.
  public var mean: Double?
  public var median: Double?
  public var deviation: Double?
  /// The lowest and highest single reading, or day if readings are added up.
  public var lowest: Double?
  public var highest: Double?
  public var latest: Double?
  public var latestOn: Day?
  /// The first 30 days against the last 30; nil if the window is too short for both.
  public var change: HealthChange?
  /// A robust slope (Theil-Sen: the median of the slopes between all pairs of days), per week.
  public var slopePerWeek: Double?
  public var weekdayMean: Double?
  public var weekendMean: Double?
  /// The difference on weekends, in standard errors (see ``HealthChange/effect``).
  public var weekendEffect: Double?
  /// Means of weeks that end with the last whole day, oldest first; null for a week without data.
  public var weekly: [Double?]
}

/// Means at both ends of the window.
public struct HealthChange: Hashable, Sendable, Codable {
  public var first: Double
  public var last: Double
  public var firstDays: Int
  public var lastDays: Int
  /// The difference in standard errors (Welch), positive for a rise. Similar consecutive days count
  /// for less, and so do few days: the same number is equally unlikely by chance in any series.
  public var effect: Double
}

/// The quantities that have data. In JSON, a member each.
public struct HealthSeriesList: Hashable, Sendable, Codable {
  private var series: [Quantity: HealthSeries]

  init(_ series: [Quantity: HealthSeries] = [:]) { self.series = series }

  public subscript(_ quantity: Quantity) -> HealthSeries? { series[quantity] }

  /// In the order of ``Quantity``.
  var all: [(Quantity, HealthSeries)] {
    Quantity.allCases.compactMap { quantity in series[quantity].map { (quantity, $0) } }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: StrictMembers.Key.self)
    for (quantity, series) in all {
      try container.encode(series, forKey: .init(stringValue: quantity.rawValue))
    }
  }
}

/// Statistics of nights. A night is the sleep whose midpoint is between 18:00 and 18:00.
public struct SleepSummary: Hashable, Sendable, Codable {
  /// Nights with sleep recorded, and with time in bed.
  public var nights: Int
  public var nightsInBed: Int
  public var hoursInBed: Double?
  /// Median clock times of the longest stretch of sleep, `23:10`.
  public var bedtime: String?
  public var wakeTime: String?
  /// The standard deviation of the middle of that stretch, in minutes.
  public var irregularityMinutes: Double?
  /// All sleep in all nights in hours, including the day of the export.
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
    /// Starting at 5:00, 12:00, 17:00, and 22:00 until 5:00.
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
  /// Most frequent first.
  public var types: [Kind]
  public var parts: [Part]
  public var firstMonth: Int
  public var lastMonth: Int
  public var lastOn: Day
  /// Workouts per week, in weeks that end with the last whole day, oldest first.
  public var weekly: [Int]
}

/// Days with and without data from a device that is worn or carried: by heart rate if it is
/// recorded daily, as by a watch, else by steps. Nil if neither is.
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
  /// The signal used; heart rate if the snapshot has one and does not say.
  public var sign: Sign?
  /// The first day with any data. Before it there may have been no device.
  public var from: Day?

  /// Of these days, those from the first with data that are not in a gap of at least this many
  /// days.
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
  /// Of kinds that are ignored.
  public var notUsed: Int
  public var beforeTheWindow: Int
  /// Workouts in the whole file.
  public var workouts: Int
}

/// A sentence worth saying, with the numbers behind it.
public struct HealthFinding: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case activityLevel, activityRose, activityFell, weekendsMoveMore, weekendsMoveLess
    case steadyDays, unsteadyDays
    case workoutHabit, workoutStopped, workoutsFell, workoutsRose, workoutTime
    case sleepLength, sleepShort, sleepIrregular, timeInBed
    case weightLevel, weightFell, weightRose
    case strain, fitness, gapsInWearing
    case bloodPressureHigh, restingHeartRateHigh, weightFellFast

    /// How much it says about the person's current state: changes and strain say more than habits,
    /// and habits more than plain figures.
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
  /// A reading that a doctor should see; no conclusion is drawn here.
  public var isForDoctor: Bool

  init(_ kind: Kind, _ text: String, _ numbers: [String: Double], isForDoctor: Bool = false) {
    (self.kind, self.text, self.numbers) = (kind, text, numbers)
    self.isForDoctor = isForDoctor
  }
}
