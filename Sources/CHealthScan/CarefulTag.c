#include "internal.h"

// Reads a tag byte by byte, by the rules of XML, and finds a way on where they are broken.

typedef struct {
  const uint8_t *p;
  long at, available;
} hs_cursor;

static int is_name_byte(uint8_t c) {
  return !hs_is_space(c) && c >= 0x20 && c != '=' && c != '/' && c != '"' && c != '\'' && c != '<'
         && c != '>' && c != '&';
}

static int is_gap(uint8_t c) {
  // Controls were written into exports by iOS 16; they are as good as nothing.
  return hs_is_space(c) || c < 0x20;
}

static void skip_gap(hs_cursor *c) {
  while (c->at < c->available && is_gap(c->p[c->at])) c->at++;
}

// The end of a tag that is no good: a '>' outside of quotes, or a '<', whichever comes first.
static hs_outcome give_up(
    hs_shape *shape, const uint8_t *p, long available, int is_last, hs_status *error) {
  uint8_t quote = 0;
  for (long i = 0; i < available && i < HS_TAG_LIMIT; i++) {
    uint8_t c = p[i];
    if (c != '<' && (c != '>' || quote)) {
      if (quote ? c == quote : c == '"' || c == '\'') quote = quote ? 0 : c;
      continue;
    }
    long last = i - 1;
    if (c == '<') {
      while (last > 0 && hs_is_space(p[last])) last--;
      // Without any end it is taken for one that closes itself.
      shape->is_closed = p[last] != '>' || (last > 0 && p[last - 1] == '/');
      shape->length = i;
    } else {
      shape->is_closed = last >= 0 && p[last] == '/';
      shape->length = i + 1;
    }
    shape->is_malformed = 1;
    return TAG_DONE;
  }
  if (available >= HS_TAG_LIMIT) return *error = HS_TAG_TOO_LONG, TAG_ERROR;
  return is_last ? (*error = HS_TRUNCATED, TAG_ERROR) : TAG_WANTS_MORE;
}

// 1: an attribute; -1: broken; -2: more bytes are wanted; -3: its value is too long.
static int read_attribute(hs_cursor *c, hs_text *name, hs_text *value) {
  long start = c->at;
  while (c->at < c->available && is_name_byte(c->p[c->at])) c->at++;
  *name = (hs_text){c->p + start, c->at - start};
  if (name->length == 0) return -1;
  skip_gap(c);
  if (c->at == c->available) return -2;
  if (c->p[c->at++] != '=') return -1;
  skip_gap(c);
  if (c->at == c->available) return -2;
  uint8_t quote = c->p[c->at++];
  if (quote != '"' && quote != '\'') return -1;
  start = c->at;
  while (c->at < c->available && c->p[c->at] != quote) {
    if (c->p[c->at++] == '<') return -1;
    if (c->at - start > HS_VALUE_LIMIT) return -3;
  }
  *value = (hs_text){c->p + start, c->at - start};
  if (c->at == c->available) return -2;
  c->at++;
  return 1;
}

static hs_outcome more(const hs_cursor *c, int is_last, hs_status *error) {
  if (c->available >= HS_TAG_LIMIT) return *error = HS_TAG_TOO_LONG, TAG_ERROR;
  if (is_last) return *error = HS_TRUNCATED, TAG_ERROR;
  return TAG_WANTS_MORE;
}

// The next attribute, or what there is instead: 1 when the tag goes on.
static int take_attribute(hs_cursor *c, hs_tag *tag, int *is_broken, hs_status *error) {
  hs_text name, value = {0, 0};
  int found = read_attribute(c, &name, &value);
  if (!hs_is_utf8(name.bytes, name.length) && found != -2) return *error = HS_BAD_NAME, 0;
  if (found == -3) return *error = HS_VALUE_TOO_LONG, 0;
  if (found <= 0) return *is_broken = found == -1, 0;
  hs_attribute known = hs_attribute_named(name.bytes, name.length);
  if (known >= HS_UNUSED) return 1;
  // Two values for one thing: neither is to be believed.
  if (tag->present & (1u << known)) return *is_broken = 1, 0;
  hs_set(tag, known, value.bytes, value.length);
  return 1;
}

hs_outcome hs_read_carefully(
    hs_tag *tag, hs_shape *shape, const uint8_t *p, long available, int is_last,
    hs_status *error) {
  // No further than the limit, so that it does not matter how much there is behind it.
  if (available > HS_TAG_LIMIT) available = HS_TAG_LIMIT, is_last = 0;
  hs_cursor c = {p, 0, available};
  tag->present = 0;
  while (c.at < available && is_name_byte(p[c.at])) c.at++;
  if (c.at > HS_NAME_LIMIT) return *error = HS_NAME_TOO_LONG, TAG_ERROR;
  if (c.at == available) return more(&c, is_last, error);
  if (c.at == 0) return *error = HS_SYNTAX, TAG_ERROR;
  if (!hs_is_utf8(p, c.at)) return *error = HS_BAD_NAME, TAG_ERROR;
  *shape = (hs_shape){hs_element_named(p, c.at), c.at, 0, 0, 0};
  tag->element = shape->element;
  for (;;) {
    long before = c.at;
    skip_gap(&c);
    if (c.at == available) return more(&c, is_last, error);
    if (p[c.at] == '>') break;
    if (p[c.at] == '/') {
      if (c.at + 1 == available) return more(&c, is_last, error);
      if (p[c.at + 1] != '>') return give_up(shape, p, available, is_last, error);
      shape->is_closed = 1;
      c.at++;
      break;
    }
    int is_broken = before == c.at;
    *error = HS_FINE;
    if (!is_broken && take_attribute(&c, tag, &is_broken, error)) continue;
    if (*error != HS_FINE) return TAG_ERROR;
    if (is_broken) return give_up(shape, p, available, is_last, error);
    return more(&c, is_last, error);
  }
  shape->length = c.at + 1;
  return TAG_DONE;
}

// From the end of "<!DOCTYPE": quotes count where they are closed before the next tag, so that a
// broken declaration does not swallow the document. 0 where the bytes so far do not tell.
static long skip_quoted(const uint8_t *p, long at, long available, int is_last) {
  long i = at + 1;
  for (; i < available && p[i] != '<'; i++)
    if (p[i] == p[at]) return i + 1;
  return i < available || is_last ? at + 1 : 0;
}

static int begins(const uint8_t *p, long at, long available, const char *text) {
  long length = (long)strlen(text);
  return available - at >= length && !memcmp(p + at, text, length);
}

long hs_doctype_length(const uint8_t *p, long available, int is_last, hs_status *error) {
  int is_inside = 0;
  for (long i = 0; i < available;) {
    uint8_t c = p[i];
    if (begins(p, i, available, "<!--") || begins(p, i, available, "<?")) {
      int is_comment = p[i + 1] == '!';
      const char *close = is_comment ? "-->" : "?>";
      long from = i + (is_comment ? 4 : 2);
      const uint8_t *found = memmem(p + from, available - from, close, strlen(close));
      if (!found) return 0;
      i = found - p + (long)strlen(close);
    } else if (begins(p, i, available, "<!ENTITY")) {
      return *error = HS_ENTITY, 0;
    } else if (c == '"' || c == '\'') {
      i = skip_quoted(p, i, available, is_last);
      if (i == 0) return 0;
    } else if (!is_inside && c == '>') {
      return i + 1;
    } else if (!is_inside && c == '[') {
      is_inside = 1, i++;
    } else if (is_inside && c == ']') {
      long end = i + 1;
      while (end < available && hs_is_space(p[end])) end++;
      if (end < available && p[end] == '>') return end + 1;
      i++;
    } else {
      i++;
    }
  }
  return 0;
}
