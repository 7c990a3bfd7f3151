#ifndef CLINEEDIT_TEXT_H
#define CLINEEDIT_TEXT_H

#include <stddef.h>
#include <wchar.h>

enum { REPLACEMENT = 0xFFFD };

/// Decodes UTF-8 byte by byte. What is no UTF-8 becomes U+FFFD, one for each broken sequence.
struct decoder {
  unsigned value;
  int missing;
  unsigned least;
};

enum decoded { DECODED_MORE, DECODED_ONE, DECODED_BROKEN_THEN_AGAIN };
/// DECODED_ONE: `*out` is set. DECODED_BROKEN_THEN_AGAIN: `*out` is U+FFFD and the same byte has
/// to be given again.
enum decoded decode_byte(struct decoder *decoder, unsigned char byte, wchar_t *out);

/// A growing wide string, always ended by a zero once it holds anything.
struct wide {
  wchar_t *text;
  size_t length, capacity;
};

int wide_append(struct wide *wide, wchar_t character);
void wide_clear(struct wide *wide);
void wide_free(struct wide *wide);

/// Allocated copies; NULL when memory ran out.
wchar_t *wide_from_utf8(const char *text);
char *utf8_from_wide(const wchar_t *text, size_t length);

#endif
