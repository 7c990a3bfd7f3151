#include "Sequence.h"
#include <string.h>

// What terminals send for keys, by ECMA-48 and xterm. Editors of lines know a few of them and would
// take the end of every other one for text.

enum { BELL = 7, TAB = 9, ENTER = 13, ESC = 27, DELETE = 127, CSI_8_BIT = 0x9B };
enum { SHIFT = 1, ALT = 2, CTRL = 4 };

static int is_final(wchar_t character) {
  return character >= 0x40 && character <= 0x7E;
}

int sequence_take(struct sequence *sequence, wchar_t character) {
  if (sequence->is_over && sequence->trailing > 0) {
    sequence->trailing--;
    return 1;
  }
  if (character < 0x20 || character > 0x7E) {
    sequence->is_over = 1;
    sequence->length = 0;
    return 0;
  }
  size_t place = sequence->length++;
  if (place < SEQUENCE_LIMIT) sequence->text[place] = character;
  // rxvt ends keys with Shift in what ECMA-48 has before the end, as do answers with a question mark.
  int is_with_shift = character == L'$' && place > 1 && sequence->text[1] != L'?';
  if (place == 0 || (!is_final(character) && !is_with_shift)) return 1;
  sequence->is_over = 1;
  // A click in the oldest form, and a function key of the Linux console.
  if (place == 1 && sequence->text[0] == L'[') {
    if (character == L'M') sequence->trailing = 3;
    if (character == L'[') sequence->trailing = 1;
  }
  return 1;
}

/// The numbers of a sequence, such as 1 and 5 of "[1;5C". Behind a colon is what isn't asked for, but
/// for a key's release, which is the third of the events.
struct numbers {
  unsigned values[3];
  int count;
  int is_release;
};

static struct numbers numbers_of(const struct sequence *sequence) {
  struct numbers numbers = {.count = 1};
  int is_detail = 0;
  for (size_t i = 1; i + 1 < sequence->length; i++) {
    wchar_t character = sequence->text[i];
    if (character == L';') {
      if (numbers.count == 3) return (struct numbers){.is_release = 1};
      numbers.count++;
      is_detail = 0;
    } else if (character == L':') {
      is_detail = 1;
    } else if (character < L'0' || character > L'9') {
      return (struct numbers){.is_release = 1};
    } else if (is_detail) {
      numbers.is_release |= numbers.count == 2 && character == L'3';
    } else {
      unsigned *value = &numbers.values[numbers.count - 1];
      *value = (*value * 10 + (unsigned)(character - L'0')) % 10000000;
    }
  }
  return numbers;
}

static size_t put(wchar_t *keys, const wchar_t *text) {
  size_t length = wcslen(text);
  wmemcpy(keys, text, length);
  return length;
}

static size_t put_one(wchar_t *keys, wchar_t key) {
  keys[0] = key;
  return 1;
}

static int is_printable(unsigned code) {
  // Keys without a character are in the private area.
  return (code >= 0x20 && code < 0x7F) || (code >= 0xA0 && code < 0xD800)
      || (code > 0xF8FF && code <= 0x10FFFF);
}

/// A key by its code and what was held with it, as terminals send it that tell all keys apart.
static size_t coded_key(unsigned code, unsigned held, wchar_t escape, wchar_t *keys) {
  int is_word = held & (ALT | CTRL);
  switch (code) {
  case ENTER: return held ? put(keys, L"\033\r") : put_one(keys, L'\r');
  case ESC: return held == 0 && escape ? put_one(keys, escape) : 0;
  case TAB: return held == 0 ? put_one(keys, L'\t') : held == SHIFT ? put(keys, L"\033[Z") : 0;
  case 8:
  case DELETE: return is_word ? put(keys, L"\033\177") : put_one(keys, DELETE);
  }
  if (!is_printable(code) || held > (SHIFT | ALT | CTRL)) return 0;
  if (held & CTRL) {
    unsigned letter = code | 0x20;
    return (held & ALT) == 0 && letter >= 'a' && letter <= 'z' ? put_one(keys, letter & 0x1F) : 0;
  }
  if (held & ALT) {
    keys[0] = ESC;
    keys[1] = (wchar_t)code;
    return 2;
  }
  return put_one(keys, (wchar_t)code);
}

static size_t numbered_key(struct numbers numbers, unsigned held, wchar_t escape, wchar_t *keys) {
  unsigned key = numbers.values[0];
  if (key == 27 && numbers.count == 3) return coded_key(numbers.values[2], held, escape, keys);
  if (numbers.count > 1 && held) return 0;
  switch (key) {
  case 1:
  case 7: return put(keys, L"\033[H");
  case 4:
  case 8: return put(keys, L"\033[F");
  case 3: return put(keys, L"\033[3~");
  case 200: return put(keys, L"\033[200~");
  default: return 0;
  }
}

size_t sequence_keys(const struct sequence *sequence, wchar_t escape, wchar_t *keys) {
  if (sequence->length < 2 || sequence->length > SEQUENCE_LIMIT) return 0;
  struct numbers numbers = numbers_of(sequence);
  if (numbers.is_release) return 0;
  wchar_t key = sequence->text[sequence->length - 1];
  unsigned held = numbers.count > 1 && numbers.values[1] > 0 ? numbers.values[1] - 1 : 0;
  if (sequence->text[0] == L'O' && key == L'M') return put_one(keys, L'\r');
  switch (key) {
  case L'A':
  case L'B':
  case L'C':
  case L'D':
  case L'H':
  case L'F':
    if (numbers.values[0] > 1) return 0;
    if (held == 0) {
      keys[0] = ESC;
      keys[1] = sequence->text[0];
      keys[2] = key;
      return 3;
    }
    if ((key != L'C' && key != L'D') || (held != ALT && held != CTRL)) return 0;
    return put(keys, key == L'C' ? L"\033[1;5C" : L"\033[1;5D");
  case L'Z': return sequence->length == 2 ? put(keys, L"\033[Z") : 0;
  case L'~': return numbered_key(numbers, held, escape, keys);
  case L'u': return coded_key(numbers.values[0], held, escape, keys);
  default: return 0;
  }
}

/// The end of a text for the terminal itself, such as a title: a bell, ESC \, or the end of its line.
static size_t string_end(const wchar_t *text, size_t at, size_t length) {
  for (; at < length; at++) {
    if (text[at] == BELL) return at + 1;
    if (text[at] == ESC && at + 1 < length && text[at + 1] == L'\\') return at + 2;
    if (text[at] == L'\n' || text[at] == L'\r' || text[at] == ESC) return at;
  }
  return length;
}

size_t sequence_end(const wchar_t *text, size_t at, size_t length) {
  int is_control = text[at] == CSI_8_BIT;
  if (++at < length && !is_control) {
    if (wcschr(L"]PX^_", text[at])) return string_end(text, at + 1, length);
    is_control = text[at] == L'[';
    if (is_control) at++;
  }
  if (!is_control) {
    while (at < length && text[at] >= 0x20 && text[at] <= 0x2F) at++;
    return at < length && text[at] >= 0x30 && text[at] <= 0x7E ? at + 1 : at;
  }
  while (at < length && text[at] >= 0x20 && text[at] <= 0x3F) at++;
  return at < length && is_final(text[at]) ? at + 1 : at;
}
