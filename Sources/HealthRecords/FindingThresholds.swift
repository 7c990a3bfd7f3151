/// When a figure is worth a sentence. Each number says where it comes from; those of our own choice
/// say so.
enum FindingThresholds {
  /// Days that a level rests on. The rubric's own: two weeks hold two of every weekday.
  static let leastDays = 14
  /// Days at each end of the window before they are compared (our choice): a third of a month.
  static let leastDaysOfMonth = 10
  /// A difference in standard errors that is told apart from noise. Two would be the usual 5 % for
  /// independent days; days in a row are alike and many things are looked at, so it is more.
  static let clearEffect = 2.5
  /// A change in steps or energy that is felt as one: about the 500 to 1,000 steps a day with which
  /// mortality differs (Banach et al., Eur J Prev Cardiol 2023), of some 6,000.
  static let activityChange = 0.15
  /// Weekends against weekdays; our choice, somewhat more than for a change.
  static let weekendChange = 0.2
  /// Weekend days before weekends are spoken of: four weekends of data.
  static let leastWeekendDays = 8
  /// Deviation over mean of daily steps. People's days vary by about 0.4 (Bassett et al., Med Sci
  /// Sports Exerc 2010, steps of American adults); these are clearly below and above.
  static let steadyVariation = 0.25
  static let unsteadyVariation = 0.6
  /// Days before variation is spoken of: four weeks.
  static let leastDaysOfVariation = 28
  /// Workouts of a type that make it a habit; the rubric's own.
  static let leastWorkouts = 3
  /// A fall of workouts by half or more counts; the rubric's own.
  static let workoutChange = 0.5
  /// Counts differ when they differ by this many deviations of a Poisson count; our choice.
  static let clearCount = 1.5
  /// The share of workouts in one part of the day that makes it the usual one; our choice.
  static let usualPart = 0.6
  /// Hours a night for adults: "7 or more hours on a regular basis" (American Academy of Sleep
  /// Medicine and Sleep Research Society, consensus statement, 2015).
  static let advisedSleep = 7.0
  /// Hours by which nights are taken to vary where a snapshot does not say: about twice of what
  /// adults' nights do (our choice), so that few of them are not called short by chance.
  static let unknownSleepDeviation = 2.0
  /// Minutes by which the middle of the night varies. From 60 on, regularity studies find
  /// differences (MESA: Huang et al., J Am Coll Cardiol 2020).
  static let irregularSleep = 60.0
  /// A change of body mass beyond day-to-day fluctuation: 3 % (Stevens et al., Int J Obes 2006).
  static let weightChange = 0.03
  /// Weighings at each end before weight is compared; our choice, as one can be of a heavy day.
  static let leastWeighings = 3
  /// Losing 5 % without meaning to is what guidelines ask doctors to look into, over 6 to 12 months
  /// (Wong, Hematol Oncol Clin North Am 2014); here it is in three.
  static let fastLoss = 0.05
  /// Strain: the last four weeks against those before, as HRV-guided training looks at weeks
  /// (Plews et al., Sports Med 2013).
  static let strainDays = 28
  /// Beats a minute by which the resting rate has to be higher; single days differ by two or three
  /// (Buchheit, Front Physiol 2014).
  static let strainRise = 3.0
  /// The share by which HRV has to be lower; the typical error of a single day is about that
  /// (Buchheit 2014), which the means of weeks are well below.
  static let strainFall = 0.1
  /// Days without a watch in a row that are spoken of; our choice, a weekend is shorter.
  static let leastGap = 3
  /// Adults' resting heart rate is 60 to 100 a minute (American Heart Association).
  static let highRestingRate = 100.0
  static let leastRestingDays = 7
  /// Blood pressure from which guidelines speak of hypertension: 140/90 mmHg (ESC/ESH 2018), on
  /// several days, and the 180/120 of a hypertensive crisis once.
  static let highSystolic = 140.0
  static let highDiastolic = 90.0
  static let crisisSystolic = 180.0
  static let crisisDiastolic = 120.0
  static let leastPressureDays = 3
}
