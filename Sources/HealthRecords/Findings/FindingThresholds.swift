/// When a figure is worth a sentence. Each number says where it comes from; those of our own choice
/// say so.
enum FindingThresholds {
  /// Days that a level rests on. The rubric's own: two weeks hold two of every weekday.
  static let leastDays = 14
  /// Days at each end of the window before they are compared (our choice): a third of a month.
  static let leastDaysOfMonth = 10
  /// A difference in standard errors that is told apart from noise. Two would be the usual 5 %; many
  /// things are looked at, so it is about 1 % (our choice).
  static let clearEffect = 2.5
  /// A change in steps or energy that is felt as one: about the 500 to 1,000 steps a day with which
  /// mortality differs (Banach et al., Eur J Prev Cardiol 2023), of some 6,000.
  static let activityChange = 0.15
  /// Weekends against weekdays; our choice, somewhat more than for a change.
  static let weekendChange = 0.2
  /// Weekend days before weekends are spoken of: four weekends of data.
  static let leastWeekendDays = 8
  /// Deviation over mean of daily steps; our choice. With the first, two days of three lie within a
  /// quarter of the average; with the second, days of half and of one and a half times it are usual.
  static let steadyVariation = 0.25
  static let unsteadyVariation = 0.6
  /// Days before variation is spoken of: four weeks.
  static let leastDaysOfVariation = 28
  /// Workouts of a type that make it a habit; the rubric's own.
  static let leastWorkouts = 3
  /// A fall of workouts by half or more counts; the rubric's own.
  static let workoutChange = 0.5
  /// How likely two counts may be to differ so by chance, by the exact test of two Poisson counts;
  /// our choice of a usual level, as many things are looked at. Eight and none are as unlike.
  static let clearCounts = 0.01
  /// Days with a device, of the 30 at each end, before training in them is compared; our choice: two
  /// of three.
  static let leastDaysWorn = 20
  /// The share of workouts in one part of the day that makes it the usual one; our choice.
  static let usualPart = 0.6
  /// Hours a night for adults: "7 or more hours on a regular basis" (American Academy of Sleep
  /// Medicine and Sleep Research Society, consensus statement, 2015).
  static let advisedSleep = 7.0
  /// Hours by which nights are taken to vary where a snapshot does not say: about twice of what
  /// adults' nights do (our choice), so that few of them are not called short by chance.
  static let unknownSleepDeviation = 2.0
  /// Minutes by which the middle of the night varies; our choice, after a study of the beginning of
  /// sleep, as no such limit is known for its middle. With beginnings that vary by more than 90
  /// minutes, twice as many had trouble of the heart (2.11 times, 1.13 to 3.91); up to 90 it was
  /// nothing certain (MESA: Huang et al., J Am Coll Cardiol 2020;75:991).
  static let irregularSleep = 90.0
  /// A change of body mass beyond day-to-day fluctuation: 3 % (Stevens et al., Int J Obes 2006).
  static let weightChange = 0.03
  /// Weighings at each end before weight is compared; our choice, as one can be of a heavy day.
  static let leastWeighings = 3
  /// Losing 5 % within 6 to 12 months without meaning to is what doctors are asked to look into
  /// (Wong, Med Clin North Am 2014;98:625). Slower loss is not spoken of as fast, quicker is.
  static let fastLoss = 0.05
  static let fastLossDays = 365
  /// Strain: the last four weeks against those before, as HRV-guided training looks at weeks
  /// (Plews et al., Sports Med 2013).
  static let strainDays = 28
  /// Beats a minute by which the resting rate has to be higher; our choice. A single morning errs by
  /// about 10 %, some 6 beats (Buchheit, Front Physiol 2014;5:73, table 1), the mean of two weeks or
  /// more by a quarter of that.
  static let strainRise = 3.0
  /// The share by which HRV has to be lower; our choice. Watches give SDNN, for whose error over
  /// weeks we know no figure; that it is no noise, ``clearEffect`` sees to.
  static let strainFall = 0.1
  /// Days without a watch in a row that are spoken of; our choice, a weekend is shorter.
  static let leastGap = 3
  /// The share of days with data that are followed by another, from which it is worn and not used
  /// now and then; our choice.
  static let wornSteadily = 0.5
  /// Adults' resting heart rate is 60 to 100 a minute (American Heart Association).
  static let highRestingRate = 100.0
  static let leastRestingDays = 7
  /// Blood pressure, averaged over several days, from which guidelines speak of hypertension: 135/85
  /// mmHg where it is measured at home, as these readings are (ESC/ESH 2018; 140/90 is for the
  /// doctor's office). Several: three days are what they ask for at least.
  static let highSystolic = 135.0
  static let highDiastolic = 85.0
  static let leastPressureDays = 3
  /// The 180/120 mmHg beyond which one reading is enough (ACC/AHA 2017, hypertensive crisis); the
  /// limit itself is included.
  static let crisisSystolic = 180.0
  static let crisisDiastolic = 120.0
}
