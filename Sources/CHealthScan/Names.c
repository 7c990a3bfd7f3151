#include "internal.h"

#define IS(text) (length == (long)sizeof(text) - 1 && !memcmp(p, text, sizeof(text) - 1))

hs_element hs_element_named(const uint8_t *p, long length) {
  switch (length) {
    case 2: return IS("Me") ? HS_ME : HS_OTHER;
    case 6: return IS("Record") ? HS_RECORD : HS_OTHER;
    case 7: return IS("Workout") ? HS_WORKOUT : HS_OTHER;
    case 10: return IS("HealthData") ? HS_ROOT : IS("ExportDate") ? HS_EXPORT_DATE : HS_OTHER;
    case 11: return IS("Correlation") ? HS_CORRELATION : HS_OTHER;
    case 12: return IS("WorkoutEvent") ? HS_EVENT : HS_OTHER;
    case 13: return IS("MetadataEntry") ? HS_METADATA : HS_OTHER;
    case 15: return IS("ActivitySummary") ? HS_SUMMARY : HS_OTHER;
    case 17: return IS("WorkoutStatistics") ? HS_STATISTICS : HS_OTHER;
    case 27: return IS("InstantaneousBeatsPerMinute") ? HS_BEATS : HS_OTHER;
    default: return HS_OTHER;
  }
}

hs_attribute hs_attribute_named(const uint8_t *p, long length) {
  switch (length) {
    case 3: return IS("key") ? HS_KEY : IS("sum") ? HS_SUM : IS("bpm") ? HS_UNUSED : HS_UNKNOWN;
    case 4:
      return IS("type") ? HS_TYPE : IS("unit") ? HS_UNIT
             : IS("time") || IS("date") || IS("path") ? HS_UNUSED : HS_UNKNOWN;
    case 5: return IS("value") ? HS_VALUE : HS_UNKNOWN;
    case 6: return IS("device") ? HS_DEVICE : HS_UNKNOWN;
    case 7: return IS("endDate") ? HS_END_DATE : HS_UNKNOWN;
    case 8: return IS("duration") ? HS_DURATION : HS_UNKNOWN;
    case 9: return IS("startDate") ? HS_START_DATE : HS_UNKNOWN;
    case 10: return IS("sourceName") ? HS_SOURCE_NAME : HS_UNKNOWN;
    case 12:
      return IS("creationDate") ? HS_UNUSED : IS("durationUnit") ? HS_DURATION_UNIT : HS_UNKNOWN;
    case 13:
      return IS("sourceVersion") ? HS_UNUSED : IS("totalDistance") ? HS_DISTANCE : HS_UNKNOWN;
    case 14: return IS("dateComponents") ? HS_DAY : HS_UNKNOWN;
    case 15: return IS("appleStandHours") ? HS_SUMMARY_STAND : HS_UNKNOWN;
    case 17:
      return IS("totalDistanceUnit") ? HS_DISTANCE_UNIT : IS("totalEnergyBurned") ? HS_ENERGY
             : IS("appleExerciseTime") ? HS_SUMMARY_EXERCISE : HS_UNKNOWN;
    case 18: return IS("activeEnergyBurned") ? HS_SUMMARY_ENERGY : HS_UNKNOWN;
    case 19: return IS("workoutActivityType") ? HS_ACTIVITY_TYPE : HS_UNKNOWN;
    case 21: return IS("totalEnergyBurnedUnit") ? HS_ENERGY_UNIT : HS_UNKNOWN;
    case 22: return IS("activeEnergyBurnedUnit") ? HS_SUMMARY_ENERGY_UNIT : HS_UNKNOWN;
    case 41:
      return IS("HKCharacteristicTypeIdentifierDateOfBirth") ? HS_BIRTH_DATE : HS_UNKNOWN;
    case 43:
      return IS("HKCharacteristicTypeIdentifierBiologicalSex") ? HS_SEX : HS_UNKNOWN;
    default: return HS_UNKNOWN;
  }
}

static hs_kind quantity(const uint8_t *p, long length) {
  switch (length) {
    case 6: return IS("VO2Max") ? HS_VO2MAX : IS("Height") ? HS_HEIGHT : HS_IGNORED;
    case 8: return IS("BodyMass") ? HS_BODY_MASS : HS_IGNORED;
    case 9: return IS("StepCount") ? HS_STEPS : IS("HeartRate") ? HS_HEART_RATE : HS_IGNORED;
    case 12: return IS("BloodGlucose") ? HS_GLUCOSE : HS_IGNORED;
    case 13: return IS("BodyMassIndex") ? HS_BMI : HS_IGNORED;
    case 16: return IS("RestingHeartRate") ? HS_RESTING_RATE : HS_IGNORED;
    case 17:
      return IS("BodyFatPercentage") ? HS_BODY_FAT : IS("AppleExerciseTime") ? HS_EXERCISE
                                                                             : HS_IGNORED;
    case 18: return IS("ActiveEnergyBurned") ? HS_ACTIVE_ENERGY : HS_IGNORED;
    case 21: return IS("BloodPressureSystolic") ? HS_SYSTOLIC : HS_IGNORED;
    case 22:
      return IS("DistanceWalkingRunning") ? HS_WALKING_DISTANCE
             : IS("BloodPressureDiastolic") ? HS_DIASTOLIC : HS_IGNORED;
    case 24: return IS("HeartRateVariabilitySDNN") ? HS_HRV : HS_IGNORED;
    default: return HS_IGNORED;
  }
}

static hs_kind category(const uint8_t *p, long length) {
  return IS("SleepAnalysis") ? HS_SLEEP : IS("AppleStandHour") ? HS_STAND_HOUR : HS_IGNORED;
}

hs_kind hs_kind_named(const uint8_t *type, long length) {
  if (length < 25) return HS_IGNORED;
  if (!memcmp(type, "HKQuantityTypeIdentifier", 24)) return quantity(type + 24, length - 24);
  if (!memcmp(type, "HKCategoryTypeIdentifier", 24)) return category(type + 24, length - 24);
  return HS_IGNORED;
}
