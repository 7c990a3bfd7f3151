#ifndef CLINEEDIT_SEQUENCE_H
#define CLINEEDIT_SEQUENCE_H

#include <stddef.h>
#include <wchar.h>

/// No key that means something has a longer one.
enum { SEQUENCE_LIMIT = 32 };

/// A control sequence from behind its ESC, such as "[1;5C".
struct sequence {
  wchar_t text[SEQUENCE_LIMIT];
  size_t length;
  /// The characters that are still to come although the sequence has its end: a click's place.
  int trailing;
  int is_over;
};

/// Takes the next character. Returns 0 for one that can't be part of the sequence, which then is over.
int sequence_take(struct sequence *sequence, wchar_t character);

/// The keys that it stands for, as the editor knows them: 0 for a key that means nothing here.
/// `escape` stands for Esc alone. At most `SEQUENCE_LIMIT` are written.
size_t sequence_keys(const struct sequence *sequence, wchar_t escape, wchar_t *keys);

/// Where the escape sequence at `at` ends, or `length` if it doesn't.
size_t sequence_end(const wchar_t *text, size_t at, size_t length);

#endif
