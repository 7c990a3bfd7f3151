#include <math.h>
#include <string.h>
#include "working.h"

// What the words of a text say of each act, whatever the network reads in them: words and marks, two and
// three in a row, and three and four letters of a word. Training/encoder/acts.py learns the table.

static const uint64_t hash_start = 0xcbf29ce484222325u, hash_step = 0x100000001b3u;
static const uint64_t spread = 0x9e3779b97f4a7c15u;
enum { LONGEST_LETTERS = 32 };

typedef struct {
  const int8_t *table;
  uint64_t moment;
  int32_t sums[ENCODER_ACTS];
  long found, words, unknown;
  // The hashes of the last two words.
  uint64_t before, earlier;
  int has_earlier;
  uint8_t word[LONGEST_LETTERS + 2];
  int length;
  uint64_t hash;
} word_sums;

static uint64_t row_of(uint64_t value, uint64_t salt, uint64_t rows) {
  value = (value ^ salt) * spread;
  return (value ^ value >> 32) % rows;
}

static void add_row(word_sums *s, uint64_t value, uint64_t salt, uint64_t first, uint64_t rows) {
  const int8_t *row = s->table + (first + row_of(value, salt, rows)) * ENCODER_ACTS;
  for (int act = 0; act < ENCODER_ACTS; act++) s->sums[act] += row[act];
}

static void add(word_sums *s, uint64_t value) {
  s->found++;
  add_row(s, value, ENCODER_MOMENTS, 0, WORD_ROWS_ANYWHERE);
  add_row(s, value, s->moment, WORD_ROWS_ANYWHERE, WORD_ROWS_AT_MOMENT);
}

static uint64_t join(uint64_t value, uint64_t other) {
  value = (value ^ other) * spread;
  return value ^ value >> 29;
}

// After a word or a mark, and at the end.
static void follow(word_sums *s, uint64_t now) {
  add(s, join(join(2, s->before), now));
  if (s->has_earlier) add(s, join(join(join(3, s->earlier), s->before), now));
  s->earlier = s->before;
  s->before = now;
  s->has_earlier = 1;
}

static int is_known(const word_sums *s, uint64_t hash) {
  const uint8_t *known = (const uint8_t *)s->table + WORD_TABLE;
  uint64_t place = row_of(hash, ENCODER_MOMENTS, KNOWN_WORDS);
  return known[place / 8] >> place % 8 & 1;
}

static void close_letters(word_sums *s) {
  if (s->length == 0) return;
  add(s, s->hash);
  if (s->word[1] >= 'a') {
    s->words++;
    s->unknown += !is_known(s, s->hash);
  }
  follow(s, s->hash);
  s->word[s->length++] = '>';
  for (int count = 3; count <= 4; count++) {
    for (int i = 0; i + count <= s->length; i++) {
      uint64_t hash = (uint64_t)count;
      for (int k = 0; k < count; k++) hash = (hash ^ s->word[i + k]) * hash_step;
      add(s, hash);
    }
  }
  s->length = 0;
}

static void letter(word_sums *s, uint8_t byte) {
  if (s->length == 0) {
    s->word[s->length++] = '<';
    s->hash = hash_start;
  }
  s->hash = (s->hash ^ byte) * hash_step;
  if (s->length <= LONGEST_LETTERS) s->word[s->length++] = byte;
}

static void mark(word_sums *s, const uint8_t *bytes, long size) {
  close_letters(s);
  uint64_t hash = hash_start;
  for (long i = 0; i < size; i++) hash = (hash ^ bytes[i]) * hash_step;
  add(s, hash);
  follow(s, hash);
}

int encoder_words(const encoder_acts *acts, int moment, const uint8_t *text, long count,
                  float *logits) {
  word_sums s = {0};
  s.table = acts->words;
  s.moment = (uint64_t)moment;
  s.before = (hash_start ^ '^') * hash_step;
  for (long i = 0; i < count;) {
    uint8_t byte = text[i];
    if (byte >= 'A' && byte <= 'Z') byte |= 0x20;
    int is_quote = count - i >= 3 && memcmp(text + i, "\xe2\x80\x99", 3) == 0;
    if (is_quote) byte = '\'';
    if (byte == '\'' || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z')) {
      letter(&s, byte);
      i += is_quote ? 3 : 1;
      continue;
    }
    long size = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (size > count - i) size = count - i;
    if (byte <= ' ') {
      close_letters(&s);
    } else {
      mark(&s, text + i, size);
    }
    i += size;
  }
  close_letters(&s);
  follow(&s, (hash_start ^ '$') * hash_step);
  float share = *acts->word_scale / sqrtf((float)(s.found + 1));
  for (int act = 0; act < ENCODER_ACTS; act++) logits[act] = (float)s.sums[act] * share;
  return s.unknown * 5 > s.words;
}
