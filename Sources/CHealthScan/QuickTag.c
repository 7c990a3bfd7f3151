#include "internal.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

int hs_vectors = 1;
void hs_use_vectors(int on) { hs_vectors = on; }

static inline int may_be_in_name(uint8_t c) {
  return !hs_is_space(c) && c != '=' && c != '/' && c != '"' && c != '\'' && c != '<' && c != '>'
         && c != '&';
}

// The name before the first attribute. Nearly all tags are of one of these five.
static inline hs_element name_of(const uint8_t *p, long limit, long *length) {
  if (limit > 7 && !memcmp(p, "Record ", 7)) return *length = 6, HS_RECORD;
  if (limit > 14 && !memcmp(p, "MetadataEntry ", 14)) return *length = 13, HS_METADATA;
  if (limit > 28 && !memcmp(p, "InstantaneousBeatsPerMinute ", 28)) return *length = 27, HS_BEATS;
  long n = 0;
  while (n < limit && may_be_in_name(p[n])) n++;
  *length = n;
  return hs_element_named(p, n);
}

static inline int is_name(const uint8_t *p, long length) {
  for (long i = 0; i < length; i++)
    if (!may_be_in_name(p[i])) return 0;
  return length > 0;
}

// Where the quotes stand says where everything else does: ` name="value"` again and again.
static inline hs_outcome hs_take_apart(
    hs_tag *tag, hs_shape *shape, const uint8_t *p, long end, const long *quotes, int count) {
  long name_length;
  hs_element element = name_of(p, end, &name_length);
  if (name_length == 0 || name_length > HS_NAME_LIMIT || (count & 1)) return TAG_WANTS_CARE;
  uint32_t present = 0;
  long at = name_length;
  for (int i = 0; i < count; i += 2) {
    long open = quotes[i], close = quotes[i + 1];
    const uint8_t *name = p + at + 1;
    long length = open - 1 - (at + 1);
    if (p[at] != ' ' || length <= 0 || p[open - 1] != '=') return TAG_WANTS_CARE;
    hs_attribute known = hs_attribute_named(name, length);
    if (known < HS_UNUSED) {
      if (present & (1u << known)) return TAG_WANTS_CARE;
      present |= 1u << known;
      tag->attributes[known].bytes = p + open + 1;
      tag->attributes[known].length = close - open - 1;
    } else if (known == HS_UNKNOWN && !is_name(name, length)) {
      return TAG_WANTS_CARE;
    }
    at = close + 1;
  }
  int is_closed = end > at && p[end - 1] == '/';
  if (at != end - is_closed) return TAG_WANTS_CARE;
  tag->element = element;
  tag->present = present;
  *shape = (hs_shape){element, name_length, end + 1, is_closed, 0};
  return TAG_DONE;
}

#if defined(__x86_64__)

#define EQUAL128(v, c) (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)))
static inline void masks128(
    const uint8_t *p, uint64_t *quote, uint64_t *greater, uint64_t *less, uint64_t *odd) {
  *quote = *greater = *less = *odd = 0;
  for (int i = 0; i < 4; i++) {
    __m128i v = _mm_loadu_si128((const __m128i *)(p + 16 * i));
    *quote |= (uint64_t)EQUAL128(v, '"') << (16 * i);
    *greater |= (uint64_t)EQUAL128(v, '>') << (16 * i);
    *less |= (uint64_t)EQUAL128(v, '<') << (16 * i);
    // Signed: controls, and bytes from 0x80 on.
    uint32_t low = (uint32_t)_mm_movemask_epi8(_mm_cmplt_epi8(v, _mm_set1_epi8(' ')));
    *odd |= (uint64_t)(low | EQUAL128(v, '\'')) << (16 * i);
  }
}
#define QUICK read_with_sse2
#define QUICK_TARGET
#define MASKS masks128
#include "QuickTag.h"

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define EQUAL256(v, c) (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(c)))
static inline AVX2 void masks256(
    const uint8_t *p, uint64_t *quote, uint64_t *greater, uint64_t *less, uint64_t *odd) {
  *quote = *greater = *less = *odd = 0;
  for (int i = 0; i < 2; i++) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(p + 32 * i));
    *quote |= (uint64_t)EQUAL256(v, '"') << (32 * i);
    *greater |= (uint64_t)EQUAL256(v, '>') << (32 * i);
    *less |= (uint64_t)EQUAL256(v, '<') << (32 * i);
    uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(_mm256_set1_epi8(' '), v));
    *odd |= (uint64_t)(low | EQUAL256(v, '\'')) << (32 * i);
  }
}
#define QUICK read_with_avx2
#define QUICK_TARGET AVX2
#define MASKS masks256
#include "QuickTag.h"

hs_outcome hs_read_quickly(hs_tag *tag, hs_shape *shape, const uint8_t *p, long available) {
  static int has_avx2 = -1;
  if (!hs_vectors) return TAG_WANTS_CARE;
  if (__builtin_expect(has_avx2 < 0, 0)) has_avx2 = __builtin_cpu_supports("avx2");
  return has_avx2 ? read_with_avx2(tag, shape, p, available)
                  : read_with_sse2(tag, shape, p, available);
}

#else

hs_outcome hs_read_quickly(hs_tag *tag, hs_shape *shape, const uint8_t *p, long available) {
  (void)tag, (void)shape, (void)p, (void)available, (void)hs_take_apart;
  return TAG_WANTS_CARE;
}

#endif

// YYYY-MM-DD HH:MM:SS +HHMM, by its looks.
int hs_is_date(const uint8_t *p, long length) {
  if (length != 25 || (p[20] != '+' && p[20] != '-')) return 0;
#if defined(__x86_64__)
  const __m128i digit = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);
  const __m128i first = _mm_loadu_si128((const __m128i *)"0000-00-00 00:00");
  const __m128i second = _mm_loadu_si128((const __m128i *)"0 00:00:00 +0000");
  __m128i a = _mm_loadu_si128((const __m128i *)p), b = _mm_loadu_si128((const __m128i *)(p + 9));
  __m128i x = _mm_sub_epi8(a, digit), y = _mm_sub_epi8(b, digit);
  uint32_t low = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(x, nine), x));
  uint32_t high = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(y, nine), y));
  uint32_t signs = EQUAL128(_mm_sub_epi8(a, first), 0), more = EQUAL128(_mm_sub_epi8(b, second), 0);
  // Digits and signs, each where they have to be.
  return (low & 0xDB6F) == 0xDB6F && (signs & 0x2490) == 0x2490 && (high & 0xF36D) == 0xF36D
         && (more & 0x0492) == 0x0492;
#else
  static const char looks[] = "dddd-dd-dd dd:dd:dd sdddd";
  for (int i = 0; i < 25; i++)
    if (looks[i] == 'd' ? p[i] < '0' || p[i] > '9' : i != 20 && p[i] != (uint8_t)looks[i]) return 0;
  return 1;
#endif
}
