#include <string.h>
#include "model.h"

// Training/encoder/tokens.py does the same; a test compares them.

enum { LONGEST_WORD = 64, WORD_BYTES = 4 * LONGEST_WORD };

typedef struct {
  const encoder_model *model;
  encoder_piece *pieces;
  long capacity, found;
  uint8_t bytes[WORD_BYTES];
  // Where each byte's character is in the text.
  int32_t starts[WORD_BYTES], ends[WORD_BYTES];
  long length, characters;
} splitter;

static void add(splitter *s, int32_t id, int32_t start, int32_t end) {
  if (s->found < s->capacity) s->pieces[s->found] = (encoder_piece){id, start, end};
  s->found++;
}

static const uint64_t hash_start = 0xcbf29ce484222325, hash_step = 0x100000001b3;

// The piece with this spelling, or -1.
static int32_t piece(const encoder_model *model, uint64_t hash, const uint8_t *bytes, long length,
                     int inside) {
  const model_header *header = header_of(model);
  const uint32_t *starts = array_of(model, PIECE_STARTS);
  const uint8_t *spellings = array_of(model, PIECE_BYTES);
  const uint16_t *slots = array_of(model, PIECE_SLOTS);
  hash ^= hash >> 29;
  for (uint32_t place = (uint32_t)hash & (header->slots - 1);; place = (place + 1) & (header->slots - 1)) {
    if (slots[place] == 0) return -1;
    uint32_t id = slots[place] - 1u;
    const uint8_t *spelling = spellings + starts[id];
    long size = (long)(starts[id + 1] - starts[id]);
    // The first byte of a spelling says whether it stands inside a word.
    if (size == length + 1 && spelling[0] == (inside ? '#' : ' ')
        && memcmp(spelling + 1, bytes, (size_t)length) == 0)
      return (int32_t)id;
  }
}

static inline uint64_t seed(int inside) { return (hash_start ^ (inside ? '#' : ' ')) * hash_step; }

// Cuts the word into the longest pieces from left to right.
static void close_word(splitter *s) {
  long length = s->length, found = s->found;
  if (length == 0) return;
  int32_t start = s->starts[0], end = s->ends[length - 1];
  long longest = header_of(s->model)->longest;
  int whole = s->characters <= LONGEST_WORD;
  for (long from = 0; whole && from < length;) {
    long most = length - from < longest ? length - from : longest;
    uint64_t hash = seed(from > 0), hashes[WORD_BYTES];
    for (long i = 0; i < most; i++) hashes[i] = hash = (hash ^ s->bytes[from + i]) * hash_step;
    int32_t id = -1;
    while (most > 0 && (id = piece(s->model, hashes[most - 1], s->bytes + from, most, from > 0)) < 0)
      most--;
    if (id < 0) {
      whole = 0;
      break;
    }
    add(s, id, s->starts[from], s->ends[from + most - 1]);
    from += most;
  }
  if (!whole) {
    s->found = found;
    add(s, s->model->unknown, start, end);
  }
  s->length = s->characters = 0;
}

static int write_character(uint32_t c, uint8_t *bytes) {
  if (c < 0x80) {
    bytes[0] = (uint8_t)c;
    return 1;
  }
  if (c < 0x800) {
    bytes[0] = (uint8_t)(0xc0 | c >> 6);
    bytes[1] = (uint8_t)(0x80 | (c & 63));
    return 2;
  }
  bytes[0] = (uint8_t)(0xe0 | c >> 12);
  bytes[1] = (uint8_t)(0x80 | (c >> 6 & 63));
  bytes[2] = (uint8_t)(0x80 | (c & 63));
  return 3;
}

static void part_of_word(splitter *s, uint32_t character, int32_t start, int32_t end) {
  s->characters++;
  if (s->characters > LONGEST_WORD) {
    s->ends[s->length - 1] = end;
    return;
  }
  int size = write_character(character, s->bytes + s->length);
  for (int i = 0; i < size; i++) {
    s->starts[s->length] = start;
    s->ends[s->length++] = end;
  }
}

static void alone(splitter *s, uint32_t character, int32_t start, int32_t end) {
  close_word(s);
  uint8_t bytes[4];
  int size = write_character(character, bytes);
  uint64_t hash = seed(0);
  for (int i = 0; i < size; i++) hash = (hash ^ bytes[i]) * hash_step;
  int32_t id = piece(s->model, hash, bytes, size, 0);
  add(s, id < 0 ? s->model->unknown : id, start, end);
}

// Reads one character; bytes that are none are read as U+FFFD.
static uint32_t read_character(const uint8_t *text, long count, long *place) {
  uint8_t byte = text[(*place)++];
  if (byte < 0x80) return byte;
  int more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
  if (byte < 0xc2 || byte > 0xf4 || *place + more > count) return 0xfffd;
  uint32_t character = byte & (0x3f >> more);
  for (int i = 0; i < more; i++) {
    if ((text[*place + i] & 0xc0) != 0x80) return 0xfffd;
    character = character << 6 | (text[*place + i] & 0x3f);
  }
  *place += more;
  return character;
}

long encoder_split(const encoder_model *model, const uint8_t *text, long count,
                   encoder_piece *pieces, long capacity) {
  splitter s;
  s.model = model;
  s.pieces = pieces;
  s.capacity = capacity;
  s.found = s.length = s.characters = 0;
  const uint32_t *folds = array_of(model, FOLDS), *parts = array_of(model, FOLD_PARTS);
  for (long place = 0; place < count;) {
    int32_t start = (int32_t)place;
    uint32_t character = read_character(text, count, &place);
    if (character >= FOLDED) {
      // Marks that only say how the character before is drawn, and what is no character.
      if (character == 0xfe0e || character == 0xfe0f || character == 0xfeff || character == 0xfffd)
        continue;
      alone(&s, header_of(model)->box, start, (int32_t)place);
      continue;
    }
    uint32_t fold = folds[character];
    for (uint32_t i = 0; i < (fold & 255); i++) {
      uint32_t part = parts[(fold >> 8) + i];
      if (part & PART_SPACE) {
        close_word(&s);
      } else if (part & PART_ALONE) {
        alone(&s, part & PART_CHARACTER, start, (int32_t)place);
      } else {
        part_of_word(&s, part, start, (int32_t)place);
      }
    }
  }
  close_word(&s);
  return s.found;
}
