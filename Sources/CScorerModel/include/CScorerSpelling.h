#pragma once
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

// A short word as it is spelled: its bytes in lower case, then zeros. The length is 0 where the
// word is none of up to 14 ASCII letters, digits and apostrophes before a letter.
typedef struct {
  uint64_t low, high;
  long length;
} scorer_spelling;

enum { SCORER_SPELLED = 16 };

static inline int scorer_is_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }

#ifdef __x86_64__

static inline __m128i scorer_in_range(__m128i bytes, char first, char count) {
  __m128i shifted = _mm_add_epi8(bytes, _mm_set1_epi8((char)(-128 - first)));
  return _mm_cmplt_epi8(shifted, _mm_set1_epi8((char)(-128 + count)));
}

// Spells the word that begins at the first of these bytes.
static inline scorer_spelling scorer_spell_vector(__m128i bytes) {
  static const uint8_t ones[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                   255, 255, 255, 255, 255, 255, 255, 255};
  __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  int letters = _mm_movemask_epi8(scorer_in_range(lower, 'a', 26));
  int digits = _mm_movemask_epi8(scorer_in_range(bytes, '0', 10));
  int marks = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\'')));
  int beyond = _mm_movemask_epi8(bytes);
  long length = __builtin_ctz(~(letters | digits | (marks & letters >> 1)));
  scorer_spelling spelling = {0, 0, 0};
  if (length > 14 || beyond >> length & 1) return spelling;
  __m128i word = _mm_and_si128(lower, _mm_loadu_si128((const __m128i *)(ones + 16 - length)));
  spelling.low = (uint64_t)_mm_cvtsi128_si64(word);
  spelling.high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(word, word));
  spelling.length = length;
  return spelling;
}

static inline scorer_spelling scorer_spell(const uint8_t *text) {
  return scorer_spell_vector(_mm_loadu_si128((const __m128i *)text));
}

#else

static inline scorer_spelling scorer_spell(const uint8_t *text) {
  uint8_t word[SCORER_SPELLED] = {0};
  scorer_spelling spelling = {0, 0, 0};
  long length = 0;
  for (; length < SCORER_SPELLED; length++) {
    uint8_t byte = text[length];
    int isMark = byte == '\'' && length < 15 && scorer_is_letter(text[length + 1]);
    if (!scorer_is_letter(byte) && (uint8_t)(byte - '0') >= 10 && !isMark) break;
    word[length] = byte | 0x20;
  }
  if (length > 14 || text[length] >= 0x80) return spelling;
  memcpy(&spelling.low, word, 8);
  memcpy(&spelling.high, word + 8, 8);
  spelling.length = length;
  return spelling;
}

#endif

// Spells the word at a place of a text, and reads nothing beside the text.
static inline scorer_spelling scorer_spell_at(const uint8_t *text, long place, long count) {
  if (count - place >= SCORER_SPELLED) return scorer_spell(text + place);
  uint8_t padded[SCORER_SPELLED] = {0};
  if (count < SCORER_SPELLED) {
    memcpy(padded, text + place, (size_t)(count - place));
    return scorer_spell(padded);
  }
#ifdef __x86_64__
  unsigned __int128 last;
  memcpy(&last, text + count - SCORER_SPELLED, sizeof last);
  last >>= 8 * (SCORER_SPELLED - (count - place));
  return scorer_spell_vector(_mm_set_epi64x((int64_t)(last >> 64), (int64_t)last));
#else
  memcpy(padded, text + place, (size_t)(count - place));
  return scorer_spell(padded);
#endif
}
