#include "internal.h"
#include <stdlib.h>
#include <strings.h>

hs_scanner *hs_create(hs_consumer consumer) {
  hs_scanner *s = calloc(1, sizeof *s);
  if (s) s->consumer = consumer;
  return s;
}

void hs_free(hs_scanner *s) { free(s); }

static void push(hs_scanner *s, const uint8_t *name, long length, int element, int is_reported) {
  hs_open *open = &s->open[s->depth++];
  memcpy(open->name, name, length);
  open->length = (uint8_t)length;
  open->element = (uint8_t)element;
  open->is_reported = (uint8_t)is_reported;
}

void hs_set_window(hs_scanner *s, const char *first_day, const char *last_day) {
  memcpy(s->first_day, first_day, 10);
  memcpy(s->last_day, last_day, 10);
  s->has_window = 1;
}

void hs_find_latest(hs_scanner *s, const char *limit) {
  memcpy(s->latest_limit, limit, 19);
  s->finds_latest = 1;
}

const char *hs_latest_day(const hs_scanner *s) { return s->latest; }
hs_counts hs_get_counts(const hs_scanner *s) { return s->counts; }
long hs_error_offset(const hs_scanner *s) { return s->error_offset; }
const char *hs_error_name(const hs_scanner *s) { return s->error_name; }
long hs_malformed(const hs_scanner *s, hs_element element) { return s->malformed[element]; }

static hs_status fail_naming(hs_scanner *s, hs_status status, const uint8_t *name, long length) {
  if (length > 63) length = 63;
  memcpy(s->error_name, name, length);
  s->error_name[length] = 0;
  return status;
}

// The encoding that the first bytes tell, and how many of them are no content.
static hs_status begin(hs_scanner *s, const uint8_t *p, long count, long *skipped) {
  *skipped = 0;
  if (count >= 4 && (!memcmp(p, "\0\0", 2) || !memcmp(p, "\xFF\xFE\0\0", 4) || !memcmp(p, "<\0\0\0", 4)))
    return fail_naming(s, HS_ENCODING, (const uint8_t *)"UTF-32", 6);
  if (count >= 2 && (!memcmp(p, "\xFE\xFF", 2) || !memcmp(p, "\xFF\xFE", 2)
                     || !memcmp(p, "<\0", 2) || !memcmp(p, "\0<", 2)))
    return fail_naming(s, HS_ENCODING, (const uint8_t *)"UTF-16", 6);
  if (count >= 3 && !memcmp(p, "\xEF\xBB\xBF", 3)) *skipped = 3;
  return HS_FINE;
}

static int is_readable(const uint8_t *name, long length) {
  static const char *const known[] = {"UTF-8", "UTF8", "US-ASCII", "ASCII"};
  for (int i = 0; i < 4; i++)
    if (length == (long)strlen(known[i]) && !strncasecmp(known[i], (const char *)name, length))
      return 1;
  return 0;
}

static hs_status check_encoding(hs_scanner *s, const uint8_t *p, long length) {
  const uint8_t *found = memmem(p, length, "encoding", 8);
  if (!found) return HS_FINE;
  const uint8_t *end = p + length;
  found += 8;
  while (found < end && (hs_is_space(*found) || *found == '=')) found++;
  if (found == end || (*found != '"' && *found != '\'')) return HS_SYNTAX;
  const uint8_t *close = memchr(found + 1, *found, end - found - 1);
  if (!close) return HS_SYNTAX;
  if (is_readable(found + 1, close - found - 1)) return HS_FINE;
  return fail_naming(s, HS_ENCODING, found + 1, close - found - 1);
}

// In a comment and the like: skips to its end, however far that is.
static int skip_mode(hs_scanner *s, const uint8_t *p, long count, long *at) {
  static const char *const ends[] = {"", "-->", "]]>", "?>"};
  const char *end = ends[s->mode];
  long length = (long)strlen(end);
  const uint8_t *found = memmem(p + *at, count - *at, end, length);
  if (found) {
    *at = found - p + length;
    s->mode = IN_CONTENT;
    return 1;
  }
  if (count - *at >= length) *at = count - (length - 1);
  return 0;
}

// Entries and sums belong to the records and workouts that are read, and to nothing in between.
static int has_parts(const hs_open *open) {
  return open->is_reported && (open->element == HS_RECORD || open->element == HS_WORKOUT);
}

// The window's answer for a day at the head of a date; 0 lies in it.
static int is_outside(hs_scanner *s, const uint8_t *day) {
  if (memcmp(day, s->first_day, 10) < 0) return s->counts.before_window++, 1;
  if (memcmp(day, s->last_day, 10) > 0) return s->counts.after_window++, 1;
  return 0;
}

static void note_latest(hs_scanner *s, const uint8_t *date) {
  if (memcmp(date, s->latest_limit, 19) <= 0 && memcmp(date, s->latest, 19) > 0)
    memcpy(s->latest, date, 19);
}

static hs_status report(hs_scanner *s, int *is_reported) {
  hs_status status = hs_decode_values(s, &s->tag);
  if (status != HS_FINE) return status;
  *is_reported = 1;
  return s->consumer.begin(s->consumer.context, &s->tag) ? HS_STOPPED : HS_FINE;
}

static hs_status on_record(hs_scanner *s, int *is_reported) {
  hs_tag *tag = &s->tag;
  s->counts.records++;
  hs_kind kind = HS_IGNORED;
  if (tag->present & (1u << HS_TYPE)) {
    hs_status status = hs_decode(s, &tag->attributes[HS_TYPE]);
    if (status != HS_FINE) return status;
    kind = hs_kind_named(tag->attributes[HS_TYPE].bytes, tag->attributes[HS_TYPE].length);
  }
  if (kind == HS_IGNORED) return s->counts.ignored++, HS_FINE;
  hs_text date = tag->attributes[HS_START_DATE];
  if ((tag->present & (1u << HS_START_DATE)) && hs_is_date(date.bytes, date.length)) {
    if (s->finds_latest) return note_latest(s, date.bytes), HS_FINE;
    if (is_outside(s, date.bytes)) return HS_FINE;
  }
  if (s->finds_latest) return HS_FINE;
  tag->kind = kind;
  return report(s, is_reported);
}

static hs_status on_dated(hs_scanner *s, hs_attribute name, long length, int *is_reported) {
  if (s->finds_latest) return HS_FINE;
  hs_text date = s->tag.attributes[name];
  int is_there = s->tag.present >> name & 1;
  if (is_there && date.length >= length && memcmp(date.bytes, s->first_day, 10) < 0) return HS_FINE;
  return report(s, is_reported);
}

// Of a broken tag only its name is known: it counts where it would have been read.
static void on_malformed(hs_scanner *s, hs_element element) {
  const hs_open *parent = &s->open[s->depth - 1];
  int is_below_root = s->depth == 1;
  switch (element) {
    case HS_RECORD:
      if (!is_below_root && (parent->element != HS_CORRELATION || s->depth != 2)) return;
      s->counts.records++;
      break;
    case HS_WORKOUT:
      if (!is_below_root) return;
      s->counts.workouts++;
      break;
    case HS_SUMMARY: case HS_EXPORT_DATE: case HS_ME:
      if (!is_below_root) return;
      break;
    case HS_STATISTICS:
      if (!has_parts(parent) || parent->element != HS_WORKOUT) return;
      break;
    default: return;
  }
  s->malformed[element]++;
}

// Where an element stands says whether it counts: what it is called is not enough.
static hs_status on_element(hs_scanner *s, hs_element element, int *is_reported) {
  const hs_open *parent = &s->open[s->depth - 1];
  int ignored = 0;
  s->tag.kind = HS_IGNORED;
  s->tag.is_in_correlation = parent->element == HS_CORRELATION && s->depth == 2;
  s->scratch_used = 0;
  switch (element) {
    case HS_RECORD:
      return s->depth == 1 || s->tag.is_in_correlation ? on_record(s, is_reported) : HS_FINE;
    case HS_WORKOUT:
      if (s->depth != 1) return HS_FINE;
      s->counts.workouts++;
      return on_dated(s, HS_START_DATE, 25, is_reported);
    case HS_SUMMARY:
      return s->depth == 1 ? on_dated(s, HS_DAY, 10, &ignored) : HS_FINE;
    case HS_EXPORT_DATE: case HS_ME:
      return s->depth == 1 ? report(s, &ignored) : HS_FINE;
    case HS_METADATA:
      return has_parts(parent) ? report(s, &ignored) : HS_FINE;
    case HS_STATISTICS:
      return has_parts(parent) && parent->element == HS_WORKOUT ? report(s, &ignored) : HS_FINE;
    default: return HS_FINE;
  }
}

static int wants_window(const hs_scanner *s, hs_element element) {
  return !s->has_window && !s->finds_latest && s->place == IN_ROOT && s->depth == 1
         && (element == HS_RECORD || element == HS_WORKOUT || element == HS_CORRELATION
             || element == HS_SUMMARY);
}

static hs_status enter(hs_scanner *s, const uint8_t *p, const hs_shape *shape) {
  int is_reported = 0;
  hs_status status = HS_FINE;
  if (s->place == AFTER_ROOT) return HS_AFTER_ROOT;
  if (s->place == IN_PROLOG) {
    if (shape->element != HS_ROOT) return fail_naming(s, HS_OTHER_ROOT, p, shape->name_length);
    if (shape->is_malformed) return HS_SYNTAX;
    s->place = IN_ROOT;
  } else if (shape->is_malformed) {
    on_malformed(s, shape->element);
  } else {
    status = on_element(s, shape->element, &is_reported);
    if (status != HS_FINE) return status;
  }
  if (!shape->is_closed) {
    if (s->depth == HS_DEPTH_LIMIT) return HS_DEPTH;
    push(s, p, shape->name_length, shape->element, is_reported);
  } else if (s->depth == 0) {
    s->place = AFTER_ROOT;
  } else if (is_reported && s->consumer.end(s->consumer.context, shape->element)) {
    return HS_STOPPED;
  }
  return HS_FINE;
}

// `p` is behind '<'. `used` stays 0 where more bytes are wanted.
static hs_status start_tag(
    hs_scanner *s, const uint8_t *p, long available, int is_last, long *used) {
  hs_shape shape;
  hs_status error = HS_FINE;
  hs_outcome outcome = hs_read_quickly(&s->tag, &shape, p, available);
  if (outcome == TAG_WANTS_CARE || (outcome == TAG_WANTS_MORE && is_last))
    outcome = hs_read_carefully(&s->tag, &shape, p, available, is_last, &error);
  if (outcome == TAG_ERROR) return error;
  if (outcome == TAG_WANTS_MORE) return HS_FINE;
  if (wants_window(s, shape.element)) return HS_WINDOW_WANTED;
  hs_status status = enter(s, p, &shape);
  if (status == HS_FINE) *used = shape.length;
  return status;
}

// `p` is behind "</".
static hs_status end_tag(
    hs_scanner *s, const uint8_t *p, long available, int is_last, long *used) {
  if (s->depth == 0) return s->place == AFTER_ROOT ? HS_AFTER_ROOT : HS_NOT_XML;
  const hs_open *open = &s->open[s->depth - 1];
  long at = open->length;
  if (available <= at) {
    // A shorter name may have ended already.
    if (memchr(p, '>', available)) return HS_MISMATCH;
    return is_last ? HS_TRUNCATED : HS_FINE;
  }
  if (memcmp(p, open->name, at)) return HS_MISMATCH;
  while (at < available && at < HS_TAG_LIMIT && hs_is_space(p[at])) at++;
  if (at == HS_TAG_LIMIT) return HS_TAG_TOO_LONG;
  if (at == available) return is_last ? HS_TRUNCATED : HS_FINE;
  if (p[at] != '>') return HS_MISMATCH;
  s->depth--;
  if (s->depth == 0) s->place = AFTER_ROOT;
  *used = at + 1;
  return open->is_reported && s->consumer.end(s->consumer.context, (hs_element)open->element)
           ? HS_STOPPED : HS_FINE;
}

// `p` is at '<', and '!' or '?' follows.
static hs_status declaration(
    hs_scanner *s, const uint8_t *p, long available, int is_last, long *used) {
  static const struct { const char *text; hs_mode mode; } kinds[] = {
      {"<!--", IN_COMMENT}, {"<![CDATA[", IN_CDATA}, {"<?", IN_INSTRUCTION}};
  for (int i = 0; i < 3; i++) {
    long length = (long)strlen(kinds[i].text), here = available < length ? available : length;
    if (memcmp(p, kinds[i].text, here)) continue;
    if (here < length) return is_last ? HS_TRUNCATED : HS_FINE;
    if (kinds[i].mode == IN_CDATA && s->place != IN_ROOT) return HS_NOT_XML;
    s->mode = kinds[i].mode;
    *used = length;
    return HS_FINE;
  }
  long here = available < 9 ? available : 9;
  if (memcmp(p, "<!DOCTYPE", here) || s->place != IN_PROLOG || s->seen_doctype) return HS_SYNTAX;
  if (here < 9) return is_last ? HS_TRUNCATED : HS_FINE;
  hs_status error = HS_FINE;
  // No further than the limit, so that it does not matter how much there is behind it.
  int is_long = available - 9 > HS_TAG_LIMIT;
  long length = hs_doctype_length(
      p + 9, is_long ? HS_TAG_LIMIT : available - 9, is_last && !is_long, &error);
  if (error != HS_FINE) return error;
  if (length == 0 && is_long) return HS_DTD_TOO_LONG;
  if (length == 0) return is_last ? HS_TRUNCATED : HS_FINE;
  s->seen_doctype = 1;
  *used = 9 + length;
  return HS_FINE;
}

static hs_status at_end(const hs_scanner *s, int is_incomplete) {
  if (s->place == AFTER_ROOT) return is_incomplete ? HS_AFTER_ROOT : HS_FINE;
  return s->place == IN_PROLOG && !s->has_begun ? HS_EMPTY : HS_TRUNCATED;
}

// Text up to the next '<'; outside of the root there can only be blanks.
static hs_status skip_text(hs_scanner *s, const uint8_t *p, long count, long *at) {
  const uint8_t *next = memchr(p + *at, '<', count - *at);
  long end = next ? next - p : count;
  if (s->place != IN_ROOT)
    for (; *at < end; ++*at)
      if (!hs_is_space(p[*at])) return s->place == AFTER_ROOT ? HS_AFTER_ROOT : HS_NOT_XML;
  *at = end;
  return HS_FINE;
}

static hs_status run(hs_scanner *s, const uint8_t *p, long count, int is_last, long *at) {
  for (;;) {
    if (s->mode != IN_CONTENT && !skip_mode(s, p, count, at))
      return is_last ? at_end(s, 1) : HS_FINE;
    hs_status status = skip_text(s, p, count, at);
    if (status != HS_FINE) return status;
    long left = count - *at, used = 0;
    if (left == 0) return is_last ? at_end(s, 0) : HS_FINE;
    if (left == 1) return is_last ? at_end(s, 1) : HS_FINE;
    s->has_begun = 1;
    const uint8_t *tag = p + *at;
    if (tag[1] == '/') {
      status = end_tag(s, tag + 2, left - 2, is_last, &used);
      if (used) used += 2;
    } else if (tag[1] == '!' || tag[1] == '?') {
      status = declaration(s, tag, left, is_last, &used);
    } else {
      status = start_tag(s, tag + 1, left - 1, is_last, &used);
      if (used) used += 1;
    }
    if (status != HS_FINE || used == 0) return status;
    *at += used;
  }
}

// The mark of UTF-8 and the encoding declared. Nothing is taken before there are enough bytes to
// tell, however few come at a time.
static hs_status look_at_head(
    hs_scanner *s, const uint8_t *p, long count, int is_last, long *at) {
  static const char start[] = "<?xml";
  if (count < 4 && !is_last) return HS_FINE;
  long skipped = 0;
  hs_status status = begin(s, p, count, &skipped);
  if (status != HS_FINE) return status;
  const uint8_t *head = p + skipped;
  long left = count - skipped, here = left < 5 ? left : 5;
  if (!memcmp(head, start, here)) {
    if (left < 6 && !is_last) return HS_FINE;
    if (left >= 6 && hs_is_space(head[5])) {
      // It is looked at as a whole, and then skipped like any instruction.
      long looked = left < HS_TAG_LIMIT ? left : HS_TAG_LIMIT;
      const uint8_t *end = memmem(head, looked, "?>", 2);
      if (!end && left >= HS_TAG_LIMIT) return HS_TAG_TOO_LONG;
      if (!end && !is_last) return HS_FINE;
      if (end) status = check_encoding(s, head, end - head);
    }
  }
  s->has_looked = 1;
  *at = skipped;
  return status;
}

hs_status hs_feed(
    hs_scanner *s, const uint8_t *bytes, long count, int is_last, long *consumed) {
  long at = 0;
  hs_status status = HS_FINE;
  *consumed = 0;
  if (!s->has_looked) {
    status = look_at_head(s, bytes, count, is_last, &at);
    if (status == HS_FINE && !s->has_looked) return HS_FINE;
  }
  if (status == HS_FINE) status = run(s, bytes, count, is_last, &at);
  s->error_offset = s->offset + at;
  *consumed = at;
  s->offset += at;
  return status;
}
