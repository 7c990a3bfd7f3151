#include "Text.h"
#include <stdlib.h>

static int is_valid(unsigned value, unsigned least) {
  return value >= least && value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
}

static enum decoded start(struct decoder *decoder, unsigned char byte, wchar_t *out) {
  if (byte < 0x80) {
    *out = byte;
    return DECODED_ONE;
  }
  if (byte < 0xC2 || byte > 0xF4) {
    *out = REPLACEMENT;
    return DECODED_ONE;
  }
  decoder->missing = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
  decoder->least = byte >= 0xF0 ? 0x10000 : byte >= 0xE0 ? 0x800 : 0x80;
  decoder->value = byte & (0x3Fu >> decoder->missing);
  return DECODED_MORE;
}

enum decoded decode_byte(struct decoder *decoder, unsigned char byte, wchar_t *out) {
  if (decoder->missing == 0) return start(decoder, byte, out);
  if ((byte & 0xC0) != 0x80) {
    decoder->missing = 0;
    *out = REPLACEMENT;
    return DECODED_BROKEN_THEN_AGAIN;
  }
  decoder->value = decoder->value << 6 | (byte & 0x3F);
  if (--decoder->missing > 0) return DECODED_MORE;
  *out = is_valid(decoder->value, decoder->least) ? (wchar_t)decoder->value : REPLACEMENT;
  return DECODED_ONE;
}

int wide_append(struct wide *wide, wchar_t character) {
  if (wide->length + 1 >= wide->capacity) {
    size_t capacity = wide->capacity ? wide->capacity * 2 : 256;
    wchar_t *grown = realloc(wide->text, capacity * sizeof *grown);
    if (!grown) return -1;
    wide->text = grown;
    wide->capacity = capacity;
  }
  wide->text[wide->length++] = character;
  wide->text[wide->length] = 0;
  return 0;
}

void wide_clear(struct wide *wide) {
  wide->length = 0;
  if (wide->text) wide->text[0] = 0;
}

void wide_free(struct wide *wide) {
  free(wide->text);
  *wide = (struct wide){0};
}

wchar_t *wide_from_utf8(const char *text) {
  struct wide wide = {0};
  struct decoder decoder = {0};
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    wchar_t character;
    enum decoded decoded = decode_byte(&decoder, *at, &character);
    if (decoded != DECODED_BROKEN_THEN_AGAIN) at++;
    if (decoded != DECODED_MORE) wide_append(&wide, character);
  }
  return wide.text ? wide.text : calloc(1, sizeof(wchar_t));
}

static char *encode(char *to, unsigned value) {
  if (value < 0x80) {
    *to++ = (char)value;
  } else if (value < 0x800) {
    *to++ = (char)(0xC0 | value >> 6);
    *to++ = (char)(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    *to++ = (char)(0xE0 | value >> 12);
    *to++ = (char)(0x80 | (value >> 6 & 0x3F));
    *to++ = (char)(0x80 | (value & 0x3F));
  } else {
    *to++ = (char)(0xF0 | value >> 18);
    *to++ = (char)(0x80 | (value >> 12 & 0x3F));
    *to++ = (char)(0x80 | (value >> 6 & 0x3F));
    *to++ = (char)(0x80 | (value & 0x3F));
  }
  return to;
}

char *utf8_from_wide(const wchar_t *text, size_t length) {
  char *encoded = malloc(length * 4 + 1);
  if (!encoded) return NULL;
  char *to = encoded;
  for (size_t i = 0; i < length; i++) {
    unsigned value = (unsigned)text[i];
    to = encode(to, is_valid(value, 0) ? value : REPLACEMENT);
  }
  *to = 0;
  return encoded;
}
