#define _GNU_SOURCE
#include "internal.h"
#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { CTRL_C = 3, CTRL_D = 4, CTRL_H = 8, CTRL_U = 21, CTRL_W = 23, ESC = 27, DELETE = 127 };

/// What has been typed so far. An escape sequence is read to its end and left out.
struct hidden {
  char *bytes;
  size_t length, capacity;
  int overflow;
  enum { TEXT, AFTER_ESC, IN_SEQUENCE } state;
  int parameter;
  int pasting;
};

static void take(struct hidden *typed, unsigned char byte) {
  if (typed->length < typed->capacity) {
    typed->bytes[typed->length++] = (char)byte;
  } else {
    typed->overflow = 1;
  }
}

static void erase_character(struct hidden *typed) {
  while (typed->length > 0 && (typed->bytes[typed->length - 1] & 0xC0) == 0x80) typed->length--;
  if (typed->length > 0) typed->length--;
}

static void erase_all(struct hidden *typed) {
  typed->length = 0;
  typed->overflow = 0;
}

static void sequence_byte(struct hidden *typed, unsigned char byte) {
  if (typed->state == AFTER_ESC) {
    typed->state = (byte == '[' || byte == 'O') ? IN_SEQUENCE : TEXT;
    typed->parameter = 0;
  } else if (byte >= '0' && byte <= '9') {
    typed->parameter = (typed->parameter * 10 + byte - '0') % 10000;
  } else if (byte >= 0x40) {
    if (byte == '~' && typed->parameter == 200) typed->pasting = 1;
    if (byte == '~' && typed->parameter == 201) typed->pasting = 0;
    typed->state = TEXT;
  }
}

/// Returns 1 while more is to be read, else the outcome is in `*outcome`.
static int typed_byte(struct hidden *typed, unsigned char byte, enum cle_outcome *outcome) {
  if (byte == CTRL_C) {
    *outcome = CLE_INTERRUPTED;
    return 0;
  }
  if (typed->state != TEXT) {
    sequence_byte(typed, byte);
    return 1;
  }
  switch (byte) {
  case ESC: typed->state = AFTER_ESC; return 1;
  case DELETE:
  case CTRL_H: erase_character(typed); return 1;
  case CTRL_U:
  case CTRL_W: erase_all(typed); return 1;
  case CTRL_D:
    *outcome = CLE_END;
    return typed->length > 0;
  case '\r':
  case '\n':
    *outcome = typed->overflow ? CLE_TOO_LONG : CLE_READY;
    if (!typed->pasting) return 0;
    byte = '\n';
  }
  take(typed, byte);
  return 1;
}

static enum cle_outcome read_typed(int input, struct hidden *typed) {
  for (;;) {
    unsigned char byte;
    if (cle_wait_readable(input) == CLE_INTERRUPTED) return CLE_INTERRUPTED;
    switch (read_byte(input, &byte)) {
    case 1: break;
    case 0: return CLE_END;
    default: return CLE_FAILED;
    }
    enum cle_outcome outcome;
    if (!typed_byte(typed, byte, &outcome)) return outcome;
  }
}

static void trim(struct hidden *typed) {
  size_t start = 0;
  while (start < typed->length && isspace((unsigned char)typed->bytes[start])) start++;
  while (typed->length > start && isspace((unsigned char)typed->bytes[typed->length - 1])) {
    typed->length--;
  }
  typed->length -= start;
  memmove(typed->bytes, typed->bytes + start, typed->length);
}

enum cle_outcome cle_read_hidden(
    int input, int output, const char *prompt, int escapes, char *buffer, size_t capacity,
    size_t *length) {
  struct termios before;
  *length = 0;
  if (tcgetattr(input, &before) != 0) return CLE_FAILED;
  cle_guard_install(input);
  struct termios silent = before;
  // Ctrl-C is read as a byte, so that the modes are back before anybody acts on it.
  silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  silent.c_iflag &= ~(tcflag_t)IXON;
  silent.c_cc[VMIN] = 1;
  silent.c_cc[VTIME] = 0;
  if (tcsetattr(input, TCSADRAIN, &silent) != 0) return CLE_FAILED;
  if (escapes) paste_marks(output, 1);
  write_all(output, prompt, strlen(prompt));
  struct hidden typed = {.bytes = buffer, .capacity = capacity};
  enum cle_outcome outcome = read_typed(input, &typed);
  if (escapes) paste_marks(output, 0);
  tcsetattr(input, TCSADRAIN, &before);
  write_all(output, "\n", 1);
  if (outcome == CLE_READY) {
    trim(&typed);
    *length = typed.length;
  } else {
    explicit_bzero(buffer, capacity);
  }
  return outcome;
}
