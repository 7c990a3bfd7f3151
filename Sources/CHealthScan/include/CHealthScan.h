#pragma once
#include <stdint.h>

// Finds the elements of an Apple Health export in bytes that come piece by piece.
//
// It knows as much XML as the export needs to be read right and safely: declarations, comments,
// CDATA, processing instructions, quotes of both kinds, the five entities and character
// references, nesting. The internal DTD is skipped unread, because iOS 16 wrote it malformed; a
// declaration of an entity in it ends the reading. Nothing is expanded, fetched or opened.

// Bytes that must be readable behind those that are fed; what they hold does not matter.
#define HS_PADDING 64
// The longest tag, document type declaration or XML declaration.
#define HS_TAG_LIMIT (1 << 20)
// The longest value of one attribute.
#define HS_VALUE_LIMIT (64 << 10)
// The longest name of an element.
#define HS_NAME_LIMIT 255
// Elements within elements; a genuine export has five levels.
#define HS_DEPTH_LIMIT 32

typedef enum {
  HS_OTHER, HS_ROOT, HS_EXPORT_DATE, HS_ME, HS_RECORD, HS_CORRELATION, HS_WORKOUT,
  HS_STATISTICS, HS_SUMMARY, HS_METADATA,
  HS_BEATS, HS_EVENT, HS_ELEMENTS
} hs_element;

typedef enum {
  HS_TYPE, HS_UNIT, HS_VALUE, HS_START_DATE, HS_END_DATE, HS_SOURCE_NAME, HS_DEVICE, HS_KEY,
  HS_ACTIVITY_TYPE, HS_DURATION, HS_DURATION_UNIT, HS_DISTANCE, HS_DISTANCE_UNIT, HS_ENERGY,
  HS_ENERGY_UNIT, HS_SUM, HS_DAY, HS_SUMMARY_ENERGY, HS_SUMMARY_ENERGY_UNIT, HS_SUMMARY_EXERCISE,
  HS_SUMMARY_STAND, HS_BIRTH_DATE, HS_SEX,
  // Known to be there and of no use.
  HS_UNUSED, HS_UNKNOWN
} hs_attribute;

// What a record is about; 0 for everything that is not read.
typedef enum {
  HS_IGNORED, HS_STEPS, HS_WALKING_DISTANCE, HS_ACTIVE_ENERGY, HS_EXERCISE, HS_STAND_HOUR,
  HS_HEART_RATE, HS_RESTING_RATE, HS_HRV, HS_VO2MAX, HS_BODY_MASS, HS_HEIGHT, HS_BODY_FAT,
  HS_BMI, HS_SLEEP, HS_SYSTOLIC, HS_DIASTOLIC, HS_GLUCOSE, HS_KINDS
} hs_kind;

typedef enum {
  // More bytes are wanted, or the end was right.
  HS_FINE,
  // A record comes, and hs_set_window has not been called; it was not consumed.
  HS_WINDOW_WANTED,
  HS_STOPPED,
  HS_EMPTY, HS_TRUNCATED, HS_AFTER_ROOT, HS_ENTITY, HS_DEPTH, HS_TAG_TOO_LONG, HS_VALUE_TOO_LONG,
  HS_NAME_TOO_LONG, HS_BAD_NAME, HS_MISMATCH, HS_NOT_XML, HS_OTHER_ROOT, HS_DTD_TOO_LONG,
  HS_ENCODING, HS_SYNTAX
} hs_status;

typedef struct {
  const uint8_t *bytes;
  long length;
} hs_text;

// A start tag. Texts are valid during the call only; entities in them are decoded and stray
// controls dropped from names, except in HS_DEVICE. In all other values a control is a blank: what
// was between the digits of a number must not make another number of them.
typedef struct {
  hs_element element;
  hs_kind kind;
  int is_in_correlation;
  // One bit for each hs_attribute that is there.
  uint32_t present;
  hs_text attributes[HS_UNUSED];
} hs_tag;

// The value of an attribute; without bytes where it is not there.
static inline hs_text hs_get(const hs_tag *tag, hs_attribute name) {
  if (tag->present & (1u << name)) return tag->attributes[name];
  return (hs_text){0, 0};
}

typedef struct {
  long records, ignored, before_window, after_window, workouts;
} hs_counts;

typedef struct {
  void *context;
  // An element that is read begins. Not zero ends the reading.
  int (*begin)(void *context, const hs_tag *tag);
  // A record or a workout ends, with everything that belongs to it.
  int (*end)(void *context, hs_element element);
} hs_consumer;

typedef struct hs_scanner hs_scanner;

hs_scanner *hs_create(hs_consumer consumer);
void hs_free(hs_scanner *scanner);

// Days as YYYY-MM-DD: records that start before the first or after the last are only counted.
void hs_set_window(hs_scanner *scanner, const char *first_day, const char *last_day);

// Only looks for the latest start of a record up to a limit (a date of 19 bytes), calls nobody.
void hs_find_latest(hs_scanner *scanner, const char *limit);
// The day of it as YYYY-MM-DD, or "".
const char *hs_latest_day(const hs_scanner *scanner);

// Takes bytes; `consumed` says how many of them are done with. The others come first in the next
// call, with more behind them, or with `is_last` set when there are no more.
hs_status hs_feed(
    hs_scanner *scanner, const uint8_t *bytes, long count, int is_last, long *consumed);

hs_counts hs_get_counts(const hs_scanner *scanner);
// Where the error was found, from the beginning of the file.
long hs_error_offset(const hs_scanner *scanner);
// The root's name or the encoding that was found, cut at 63 bytes; it may hold any byte.
const char *hs_error_name(const hs_scanner *scanner);
// Broken tags of an element, where it would have been read.
long hs_malformed(const hs_scanner *scanner, hs_element element);

// For tests: 0 for the portable code only.
void hs_use_vectors(int on);
