#include "internal.h"

int hs_is_utf8(const uint8_t *p, long length) {
  for (long i = 0; i < length;) {
    uint8_t c = p[i];
    int more = c < 0x80 ? 0 : c >= 0xC2 && c < 0xE0 ? 1 : c >= 0xE0 && c < 0xF0 ? 2
               : c >= 0xF0 && c < 0xF5 ? 3 : -1;
    if (more < 0 || i + more >= length) return 0;
    for (int k = 1; k <= more; k++)
      if ((p[i + k] & 0xC0) != 0x80) return 0;
    if ((c == 0xE0 && p[i + 1] < 0xA0) || (c == 0xED && p[i + 1] > 0x9F)
        || (c == 0xF0 && p[i + 1] < 0x90) || (c == 0xF4 && p[i + 1] > 0x8F))
      return 0;
    i += more + 1;
  }
  return 1;
}

static long put_utf8(uint8_t *out, uint32_t c) {
  if (c < 0x80) return out[0] = (uint8_t)c, 1;
  if (c < 0x800) return out[0] = 0xC0 | c >> 6, out[1] = 0x80 | (c & 63), 2;
  if (c < 0x10000)
    return out[0] = 0xE0 | c >> 12, out[1] = 0x80 | (c >> 6 & 63), out[2] = 0x80 | (c & 63), 3;
  out[0] = 0xF0 | c >> 18, out[1] = 0x80 | (c >> 12 & 63), out[2] = 0x80 | (c >> 6 & 63);
  return out[3] = 0x80 | (c & 63), 4;
}

// A character reference such as &#65; or &#x41;, without the signs around it; 0 when it is none.
static uint32_t character(const uint8_t *p, long length) {
  int is_hex = length > 1 && p[1] == 'x';
  uint32_t sum = 0;
  if (length < 2 + is_hex || p[0] != '#' || length > 9) return 0;
  for (long i = 1 + is_hex; i < length; i++) {
    uint8_t c = p[i], lower = c | 0x20;
    int digit = c >= '0' && c <= '9' ? c - '0' : is_hex && lower >= 'a' && lower <= 'f'
                ? lower - 'a' + 10 : -1;
    if (digit < 0) return 0;
    sum = sum * (is_hex ? 16 : 10) + (uint32_t)digit;
    if (sum > 0x10FFFF) return 0;
  }
  return sum >= 0xD800 && sum < 0xE000 ? 0 : sum;
}

static uint32_t entity(const uint8_t *p, long length) {
  static const struct { const char *name; char means; } known[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (int i = 0; i < 5; i++)
    if (length == (long)strlen(known[i].name) && !memcmp(p, known[i].name, length))
      return (uint32_t)known[i].means;
  return character(p, length);
}

static int needs_decoding(const hs_text *text) {
  for (long i = 0; i < text->length; i++)
    if (text->bytes[i] == '&' || text->bytes[i] < 0x20) return 1;
  return 0;
}

static hs_status decode(hs_scanner *s, hs_text *text, int keeps_place) {
  if (!needs_decoding(text)) return HS_FINE;
  const uint8_t *p = text->bytes;
  // What is decoded is never longer than what was written.
  if (s->scratch_used + text->length > HS_VALUE_LIMIT) return HS_VALUE_TOO_LONG;
  uint8_t *out = s->scratch + s->scratch_used;
  long used = 0;
  for (long i = 0; i < text->length; i++) {
    if (p[i] == '&') {
      const uint8_t *end = memchr(p + i, ';', text->length - i);
      uint32_t c = end ? entity(p + i + 1, end - p - i - 1) : 0;
      if (c == 0) return HS_ENTITY;
      if (c >= 0x20) used += put_utf8(out + used, c);
      else if (keeps_place) out[used++] = ' ';
      i = end - p;
    } else if (p[i] >= 0x20) {
      out[used++] = p[i];
    } else if (keeps_place || hs_is_space(p[i])) {
      out[used++] = ' ';
    }
  }
  *text = (hs_text){out, used};
  s->scratch_used += used;
  return HS_FINE;
}

hs_status hs_decode(hs_scanner *s, hs_text *name) { return decode(s, name, 0); }

// iOS 16 wrote controls into names, where they mean nothing.
#define NAMES (1u << HS_TYPE | 1u << HS_SOURCE_NAME | 1u << HS_KEY | 1u << HS_ACTIVITY_TYPE)

hs_status hs_decode_values(hs_scanner *s, hs_tag *tag) {
  uint32_t wanted = tag->present & ~(1u << HS_DEVICE) & ((1u << HS_UNUSED) - 1);
  for (; wanted; wanted &= wanted - 1) {
    int at = __builtin_ctz(wanted);
    hs_status status = decode(s, &tag->attributes[at], !(NAMES >> at & 1));
    if (status != HS_FINE) return status;
  }
  return HS_FINE;
}
