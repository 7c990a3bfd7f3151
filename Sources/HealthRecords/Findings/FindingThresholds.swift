/// When a figure deserves a sentence. Each number names its source; our own choices say so.
enum FindingThresholds {
  /// Days behind a level. The rubric's own: two weeks contain two of every weekday.
  static let leastDays = 14
  /// Days at each end of the window before they are compared (our choice): a third of a month.
  static let leastDaysOfMonth = 10
  /// A difference in standard errors that is more than noise. Two (about 5%) would be usual;
  /// because many things are compared, this is about 1% (our choice).
  static let clearEffect = 2.5
  /// A noticeable change in steps or energy: about the 500 to 1,000 steps a day that are linked to
  /// a difference in mortality (Banach et al., Eur J Prev Cardiol 2023), of some 6,000.
  static let activityChange = 0.15
  /// Weekends against weekdays; our choice, somewhat more than for a change.
  static let weekendChange = 0.2
  /// Weekend days needed before weekends are mentioned: four weekends of data.
  static let leastWeekendDays = 8
  /// Deviation over mean of daily steps; our choice. With the first, two days in three are within a
  /// quarter of the average; with the second, days of half and of one and a half times it are
  /// common.
  static let steadyVariation = 0.25
  static let unsteadyVariation = 0.6
  /// Days needed before variation is mentioned: four weeks.
  static let leastDaysOfVariation = 28
  /// Workouts of one type that make a habit; the rubric's own.
  static let leastWorkouts = 3
  /// A drop in workouts by at least half counts; the rubric's own.
  static let workoutChange = 0.5
  /// The largest acceptable chance that two counts differ at random, by the exact test of two
  /// Poisson counts; our choice of a common level, because many things are compared. Eight against
  /// none passes.
  static let clearCounts = 0.01
  /// Days with a device, out of the 30 at each end, needed before training is compared; our choice:
  /// two thirds.
  static let leastDaysWorn = 20
  /// The share of workouts in one part of the day that makes it the usual time; our choice.
  static let usualPart = 0.6
  /// Hours a night for adults: "7 or more hours on a regular basis" (American Academy of Sleep
  /// Medicine and Sleep Research Society, consensus statement, 2015).
  static let advisedSleep = 7.0
  /// The spread of nights, in hours, assumed if a snapshot does not give it: about twice that of
  /// adults (our choice), so that a few nights are not called short by chance.
  static let unknownSleepDeviation = 2.0
  /// Minutes of variation in the middle of the night; our choice, after a study of sleep onset, as
  /// no such limit is known for the middle. With onsets that varied by more than 90 minutes,
  /// cardiovascular events were twice as common (2.11 times, 1.13 to 3.91); up to 90 the result was
  /// not significant (MESA: Huang et al., J Am Coll Cardiol 2020;75:991).
  static let irregularSleep = 90.0
  /// A change of body mass beyond day-to-day fluctuation: 3 % (Stevens et al., Int J Obes 2006).
  static let weightChange = 0.03
  /// Weighings at each end needed before weight is compared; our choice, as one may be an outlier.
  static let leastWeighings = 3
  /// Unintended loss of 5% within 6 to 12 months is what doctors are advised to look into (Wong,
  /// Med Clin North Am 2014;98:625). Slower loss is not mentioned; faster loss is.
  static let fastLoss = 0.05
  static let fastLossDays = 365
  /// Strain: the last four weeks against those before, as HRV-guided training compares weeks (Plews
  /// et al., Sports Med 2013).
  static let strainDays = 28
  /// Beats per minute by which the resting rate must be higher; our choice. A single morning is off
  /// by about 10%, some 6 beats (Buchheit, Front Physiol 2014;5:73, table 1); the mean of two weeks
  /// or more by a quarter of that.
  static let strainRise = 3.0
  /// The share by which HRV must be lower; our choice. Watches give SDNN, whose error over weeks we
  /// do not know; ``clearEffect`` makes sure that it is more than noise.
  static let strainFall = 0.1
  /// Consecutive days without a watch that are mentioned; our choice, as a weekend is shorter.
  static let leastGap = 3
  /// The share of days with data that are followed by another, above which a device is worn
  /// regularly; our choice.
  static let wornSteadily = 0.5
  /// Adults' resting heart rate is 60 to 100 a minute (American Heart Association).
  static let highRestingRate = 100.0
  static let leastRestingDays = 7
  /// Blood pressure, averaged over several days, that guidelines call hypertension: 135/85 mmHg if
  /// measured at home, as these readings are (ESC/ESH 2018; 140/90 applies in the doctor's office).
  /// Guidelines ask for at least three days.
  static let highSystolic = 135.0
  static let highDiastolic = 85.0
  static let leastPressureDays = 3
  /// Above 180/120 mmHg one reading is enough (ACC/AHA 2017, hypertensive crisis); here the limit
  /// is included.
  static let crisisSystolic = 180.0
  static let crisisDiastolic = 120.0
}
