#define _GNU_SOURCE
#include "internal.h"
#include <ctype.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { CTRL_C = 3, CTRL_D = 4, CTRL_H = 8, CTRL_U = 21, CTRL_W = 23, ESC = 27, DELETE = 127 };

/// A secret this long shows its last four characters; a shorter one would give away too much.
enum { LEAST_FOR_TAIL = 12, TAIL = 4 };

/// What has been typed so far. An escape sequence is read to its end and left out.
struct hidden {
  char *bytes;
  size_t length, capacity;
  int overflow;
  enum { TEXT, AFTER_ESC, IN_SEQUENCE } state;
  int parameter;
  int pasting;
  int was_pasted;
  /// A newline in a paste ended the secret; the rest of the paste is dropped.
  int is_over;
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
  typed->was_pasted = 0;
}

static void sequence_byte(struct hidden *typed, unsigned char byte) {
  if (typed->state == AFTER_ESC) {
    typed->state = (byte == '[' || byte == 'O') ? IN_SEQUENCE : TEXT;
    typed->parameter = 0;
  } else if (byte >= '0' && byte <= '9') {
    typed->parameter = (typed->parameter * 10 + byte - '0') % 10000;
  } else if (byte >= 0x40) {
    if (byte == '~' && typed->parameter == 200) typed->pasting = typed->was_pasted = 1;
    if (byte == '~' && typed->parameter == 201) typed->pasting = 0;
    typed->state = TEXT;
  }
}

static int is_blank(const struct hidden *typed) {
  for (size_t i = 0; i < typed->length; i++) {
    if (!isspace((unsigned char)typed->bytes[i])) return 0;
  }
  return 1;
}

/// Returns 1 while more is to be read, else the outcome is in `*outcome`.
static int typed_byte(struct hidden *typed, unsigned char byte, enum cle_outcome *outcome) {
  if (byte == CTRL_C) {
    *outcome = CLE_INTERRUPTED;
    return 0;
  }
  *outcome = typed->overflow ? CLE_TOO_LONG : CLE_READY;
  if (typed->state != TEXT) {
    sequence_byte(typed, byte);
    return !typed->is_over || typed->pasting;
  }
  if (byte == ESC) {
    typed->state = AFTER_ESC;
    return 1;
  }
  if (typed->is_over) return 1;
  switch (byte) {
  case DELETE:
  case CTRL_H: erase_character(typed); return 1;
  case CTRL_U:
  case CTRL_W: erase_all(typed); return 1;
  case CTRL_D:
    *outcome = CLE_END;
    return typed->length > 0;
  case '\r':
  case '\n':
    if (!typed->pasting) return 0;
    // What was copied along in front of the key.
    typed->is_over = !is_blank(typed);
    return 1;
  }
  take(typed, byte);
  return 1;
}

static size_t characters(const char *bytes, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++) count += (bytes[i] & 0xC0) != 0x80;
  return count;
}

/// The length, and the end of a secret that was pasted: nobody reads it from the typist's screen
/// key by key.
static void describe(const struct hidden *typed, char *to, size_t capacity) {
  size_t start = 0, end = typed->length;
  while (start < end && isspace((unsigned char)typed->bytes[start])) start++;
  while (end > start && isspace((unsigned char)typed->bytes[end - 1])) end--;
  size_t count = characters(typed->bytes + start, end - start), tail = end;
  to[0] = 0;
  if (count == 0) return;
  if (!typed->was_pasted || typed->overflow || count < LEAST_FOR_TAIL) {
    snprintf(to, capacity, "(%zu character%s)", count, count == 1 ? "" : "s");
    return;
  }
  for (size_t left = TAIL; left > 0 && tail > start; left--) {
    do tail--;
    while (tail > start && (typed->bytes[tail] & 0xC0) == 0x80);
  }
  snprintf(to, capacity, "(%zu characters, ending in %.*s)", count, (int)(end - tail),
           typed->bytes + tail);
}

/// Where and how what was typed is described.
struct prompter {
  int output;
  const char *prompt;
  int escapes;
  char shown[80];
};

static void show(struct prompter *prompter, const struct hidden *typed) {
  char text[sizeof prompter->shown];
  describe(typed, text, sizeof text);
  for (unsigned char *at = (unsigned char *)text; *at; at++) {
    if (*at < 0x20 || *at == DELETE) *at = '?';
  }
  if (strcmp(text, prompter->shown) == 0) return;
  if (prompter->escapes && prompter->shown[0]) {
    write_all(prompter->output, "\r\033[K", 4);
    write_all(prompter->output, prompter->prompt, strlen(prompter->prompt));
  }
  write_all(prompter->output, text, strlen(text));
  strcpy(prompter->shown, text);
}

static int has_more(int input) {
  struct pollfd polled = {.fd = input, .events = POLLIN};
  return poll(&polled, 1, 0) > 0;
}

static enum cle_outcome read_typed(int input, struct hidden *typed, struct prompter *prompter) {
  for (;;) {
    if (prompter->escapes && typed->state == TEXT && !has_more(input)) show(prompter, typed);
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
  struct prompter prompter = {.output = output, .prompt = prompt, .escapes = escapes};
  enum cle_outcome outcome = read_typed(input, &typed, &prompter);
  if (outcome == CLE_READY) show(&prompter, &typed);
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
