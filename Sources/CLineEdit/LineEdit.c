#define _GNU_SOURCE
#include "Editor.h"
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/// A paste beyond this many characters is cut there with a bell. It is far beyond what a turn may
/// hold, so the cut never decides what is sent: the turn is refused as too long.
enum { PASTE_LIMIT = 1 << 20 };
enum {
  CTRL_C = 3, CTRL_D = 4, CTRL_G = 7, CTRL_H = 8, CTRL_R = 18, CTRL_S = 19,
  CTRL_X = 24, ESC = 27, ESC_ALONE = 28, REFRESH = 31, DELETE = 127,
};

// Key sequences no keyboard sends. A key's function pushes one to run a second function after the
// screen has been brought up to date for the first.
#define KEYS_PREFILL L"\033[9990~"
#define KEYS_SUBMIT L"\033[9991~"
#define KEYS_LEAVE L"\033[9992~"
#define KEYS_DRAW L"\033[9993~"

static wchar_t *prompt_of(EditLine *editline) {
  return owner(editline)->prompt;
}

// Reading characters.

static void enter_modes_again(cle_editor *editor) {
  el_wset(editor->editline, EL_PREP_TERM, 0);
  el_wset(editor->editline, EL_PREP_TERM, 1);
  if (editor->escapes) paste_marks(editor->output, 1);
  el_wset(editor->editline, EL_REFRESH);
}

/// Waits for one byte: 1, 0 at the end of input, -1 on error, 2 on an interrupt.
static int next_byte(cle_editor *editor, unsigned char *byte) {
  if (editor->kept_byte >= 0) {
    *byte = (unsigned char)editor->kept_byte;
    editor->kept_byte = -1;
    return 1;
  }
  for (;;) {
    int number = 0;
    switch (wait_input(editor->input, &number)) {
    case WAKE_INPUT: return read_byte(editor->input, byte);
    case WAKE_FAILED: return -1;
    case WAKE_SIGNAL: break;
    }
    if (number == SIGWINCH) redraw_for_new_size(editor);
    else if (number == SIGCONT) enter_modes_again(editor);
    else if (number == WAKE_BOARD) update_board(editor);
    else {
      editor->signal_number = number;
      return 2;
    }
    if (editor->keys == KEYS_GROUND) draw_joined(editor);
  }
}

/// 1 with a character, 0 at the end of input, -1 on error, 2 on an interrupt.
static int next_character(cle_editor *editor, wchar_t *character) {
  for (;;) {
    unsigned char byte;
    int status = next_byte(editor, &byte);
    if (status != 1) return status;
    switch (decode_byte(&editor->decoder, byte, character)) {
    case DECODED_MORE: continue;
    case DECODED_BROKEN_THEN_AGAIN: editor->kept_byte = byte; return 1;
    case DECODED_ONE: return 1;
    }
  }
}

/// The search shows its pattern behind the line, which is the only way to see that it still runs.
static int is_searching(EditLine *editline) {
  const LineInfoW *line = el_wline(editline);
  const wchar_t *at = line->lastchar;
  while (at > line->buffer && at[-1] != L'\n') at--;
  return at > line->buffer && line->lastchar - at >= 4
      && (wcsncmp(at, L"bck", 3) == 0 || wcsncmp(at, L"fwd", 3) == 0);
}

static enum key_state after_key(enum key_state before, wchar_t key) {
  switch (before) {
  case KEYS_SEARCH: return KEYS_SEARCH;
  case KEYS_ONE_MORE: return key == ESC ? KEYS_ESCAPE : KEYS_GROUND;
  case KEYS_ESCAPE:
    if (key == ESC) return KEYS_ESCAPE;
    return key == L'[' || key == L'O' ? KEYS_SEQUENCE : KEYS_GROUND;
  case KEYS_SEQUENCE: return key >= 0x40 && key <= 0x7E ? KEYS_GROUND : KEYS_SEQUENCE;
  case KEYS_GROUND: break;
  }
  switch (key) {
  case ESC: return KEYS_ESCAPE;
  case CTRL_X: return KEYS_ONE_MORE;
  case CTRL_R: return KEYS_SEARCH;
  default: return KEYS_GROUND;
  }
}

/// In a search, Ctrl-C leaves it, and Backspace is the one key for it that the search knows.
static wchar_t meant(const cle_editor *editor, wchar_t key) {
  // A Ctrl-D typed ahead, while the terminal still collected lines, is kept by Linux as a zero.
  if (key == 0) return CTRL_D;
  if (editor->keys == KEYS_SEARCH) return key == CTRL_C ? CTRL_G : key == DELETE ? CTRL_H : key;
  return key == CTRL_H ? DELETE : key;
}

static int has_input(const cle_editor *editor) {
  struct pollfd polled = {.fd = editor->input, .events = POLLIN};
  return editor->kept_byte >= 0 || poll(&polled, 1, 0) > 0;
}

static int adds_to_the_end(const cle_editor *editor, wchar_t key) {
  const LineInfoW *line = el_wline(editor->editline);
  return editor->keys == KEYS_GROUND && key >= 0x20 && key != DELETE
      && line->cursor == line->lastchar;
}

/// How long the rest of an escape sequence may take, in milliseconds.
enum { ESCAPE_WAIT = 50 };

/// Whether Esc was pressed by itself, where that means something.
static int is_escape_alone(const cle_editor *editor, wchar_t key) {
  if (key != ESC || editor->keys != KEYS_GROUND || !editor->assist || !editor->assist->leaves) return 0;
  struct pollfd polled = {.fd = editor->input, .events = POLLIN};
  return editor->kept_byte < 0 && poll(&polled, 1, ESCAPE_WAIT) == 0;
}

/// Whether what stands behind ESC begins a terminal's answer, such as its background's color. It comes at
/// once; Alt with the same character is followed by something else.
static int begins_answer(wchar_t character, wchar_t next) {
  int is_digit = next >= L'0' && next <= L'9';
  return character == L']' ? is_digit : is_digit || next == L'>' || next == L'!';
}

/// Reads an answer to its end: a bell, ESC \\, or the end of the line, which then is a key.
static int read_answer(cle_editor *editor) {
  wchar_t character, before = 0;
  for (;;) {
    int status = next_character(editor, &character);
    if (status != 1) return status;
    if (character == CTRL_G || (before == ESC && character == L'\\')) return 1;
    if (character == L'\r' || character == L'\n' || character == CTRL_C) {
      editor->rest[0] = character;
      editor->rest_count = 1;
      return 1;
    }
    before = character;
  }
}

/// Reads the rest of what began with ESC. `rest` then holds the keys that it stands for, if any.
static int read_sequence(cle_editor *editor) {
  struct sequence sequence = {0};
  wchar_t escape = editor->assist && editor->assist->leaves ? ESC_ALONE : 0, character;
  int status;
  editor->rest_at = editor->rest_count = 0;
  struct pollfd polled = {.fd = editor->input, .events = POLLIN};
  int is_at_once = editor->kept_byte >= 0 || poll(&polled, 1, ESCAPE_WAIT) > 0;
  do {
    status = next_character(editor, &character);
    if (status != 1) return status;
  } while (character == ESC);
  // Alt with a digit means nothing. Behind Esc, a digit is one: nobody wants the next key ten times over.
  if ((character >= L'0' && character <= L'9') || character == L'-') {
    editor->rest[0] = character;
    editor->rest_count = !is_at_once;
    return 1;
  }
  if (character != L'[' && character != L'O') {
    editor->rest[0] = ESC;
    editor->rest[1] = meant(editor, character);
    editor->rest_count = 2;
    if ((character != L']' && character != L'P') || !has_input(editor)) return 1;
    wchar_t next;
    status = next_character(editor, &next);
    if (status != 1) return status;
    editor->rest_count = 0;
    if (begins_answer(character, next)) return read_answer(editor);
    // Nothing is bound to Alt with either.
    if (next != ESC) editor->rest[editor->rest_count++] = meant(editor, next);
    return 1;
  }
  while (sequence_take(&sequence, character)) {
    if (sequence.is_over && sequence.trailing == 0) {
      editor->rest_count = sequence_keys(&sequence, escape, editor->rest);
      return 1;
    }
    status = next_character(editor, &character);
    if (status != 1) return status;
  }
  // What broke it off is a key of its own, but the next ESC would need its rest.
  if (character != ESC) {
    editor->rest[0] = meant(editor, character);
    editor->rest_count = 1;
  }
  return 1;
}

static int read_character(EditLine *editline, wchar_t *character) {
  cle_editor *editor = owner(editline);
  if (editor->rest_at < editor->rest_count) {
    *character = editor->rest[editor->rest_at++];
    return 1;
  }
  if (editor->keys == KEYS_SEARCH && !is_searching(editline)) editor->keys = KEYS_GROUND;
  if (editor->keys == KEYS_GROUND) tell_draft(editor);
  // In the middle of a key the screen has not changed.
  if (editor->keys != KEYS_SEARCH && !has_input(editor) && wrap_line(editor)
      && editor->keys == KEYS_GROUND) {
    *character = REFRESH;
    return 1;
  }
  if (editor->keys == KEYS_GROUND) {
    if (has_input(editor)) note_joined(editor);
    else draw_joined(editor);
  }
  int status = next_character(editor, character);
  if (status == 1) {
    *character = meant(editor, *character);
    if (is_escape_alone(editor, *character)) *character = ESC_ALONE;
    if (!adds_to_the_end(editor, *character)) unwrap_line(editor);
    enum key_state before = editor->keys;
    editor->keys = after_key(before, *character);
    if (editor->keys != KEYS_ESCAPE) return 1;
    status = read_sequence(editor);
    if (status == 1) {
      editor->keys = KEYS_GROUND;
      if (before == KEYS_ONE_MORE) {
        // It can't be the rest of another key, which this ends.
        editor->rest_count = 0;
        *character = CTRL_G;
        return 1;
      }
      return read_character(editline, character);
    }
  }
  unwrap_line(editor);
  if (status == 2 && editor->ended_by < 0) {
    editor->ended_by = editor->signal_number;
    *character = CTRL_C;
    return 1;
  }
  editor->outcome = status == 2 ? CLE_INTERRUPTED : status == 0 ? CLE_END : CLE_FAILED;
  return status < 0 ? -1 : 0;
}

// What keys do.

static unsigned char on_prefill(EditLine *editline, wint_t key) {
  (void)key;
  el_winsertstr(editline, owner(editline)->prefill);
  return CC_REFRESH;
}

static unsigned char on_draw(EditLine *editline, wint_t key) {
  (void)key;
  draw_joined(owner(editline));
  return CC_NORM;
}

static unsigned char insert_newline(EditLine *editline, wint_t key) {
  (void)key;
  return el_winsertstr(editline, L"\n") == 0 ? CC_REFRESH : CC_ERROR;
}

static unsigned char on_enter(EditLine *editline, wint_t key) {
  const LineInfoW *line = el_wline(editline);
  int backslashes = 0;
  while (line->lastchar - backslashes > line->buffer && line->lastchar[-1 - backslashes] == L'\\') {
    backslashes++;
  }
  // An even run is backslashes meant as such.
  if (backslashes % 2 == 0) {
    // As it is on the screen, for the board above it to be found.
    wrap_line(owner(editline));
    clear_board(owner(editline));
    to_end(editline);
    el_wpush(editline, KEYS_DRAW KEYS_SUBMIT);
    return CC_REFRESH;
  }
  to_end(editline);
  el_wdeletestr(editline, 1);
  return insert_newline(editline, key);
}

static unsigned char leave(EditLine *editline, enum cle_outcome outcome) {
  wrap_line(owner(editline));
  clear_board(owner(editline));
  owner(editline)->outcome = outcome;
  // The cursor goes below the line before anything else is written.
  to_end(editline);
  el_wpush(editline, KEYS_LEAVE);
  return CC_REFRESH;
}

static unsigned char on_leave(EditLine *editline, wint_t key) {
  (void)key;
  if (owner(editline)->is_given_up) clear_from_board(owner(editline));
  return CC_EOF;
}

static int is_blank(const char *text) {
  return text[strspn(text, " \t\n")] == 0;
}

/// The line can be had back with the arrow keys. The read starts over, which is how the history
/// starts at its end again.
static unsigned char give_up(EditLine *editline) {
  cle_editor *editor = owner(editline);
  char *text = current_line(editor);
  if (text && !is_blank(text)) cle_history_add(editor, text);
  free(text);
  editor->is_given_up = 1;
  return leave(editline, CLE_INTERRUPTED);
}

static unsigned char on_interrupt(EditLine *editline, wint_t key) {
  (void)key;
  cle_editor *editor = owner(editline);
  const struct cle_assist *assist = editor->assist;
  const LineInfoW *line = el_wline(editline);
  if (editor->ended_by >= 0 && editor->ended_by != SIGINT) return leave(editline, CLE_INTERRUPTED);
  if (assist && assist->interrupt && assist->interrupt(assist->context)) {
    editor->ended_by = -1;
    return CC_NORM;
  }
  int leaves = assist && assist->leaves;
  if (!leaves && editor->ended_by < 0 && line->lastchar > line->buffer) return give_up(editline);
  return leave(editline, CLE_INTERRUPTED);
}

static unsigned char on_escape(EditLine *editline, wint_t key) {
  (void)key;
  const struct cle_assist *assist = owner(editline)->assist;
  return assist && assist->leaves ? leave(editline, CLE_ESCAPED) : CC_ERROR;
}

static unsigned char on_refresh(EditLine *editline, wint_t key) {
  (void)editline, (void)key;
  return CC_REFRESH;
}

static unsigned char on_ctrl_d(EditLine *editline, wint_t key) {
  const LineInfoW *line = el_wline(editline);
  if (line->lastchar == line->buffer) return leave(editline, CLE_END);
  return on_delete(editline, key);
}

static unsigned char on_suspend(EditLine *editline, wint_t key) {
  (void)key;
  cle_editor *editor = owner(editline);
  // With no shell above in the session there would be nobody to continue us.
  if (getpgrp() == getsid(0)) return CC_ERROR;
  el_wset(editline, EL_PREP_TERM, 0);
  if (editor->escapes) paste_marks(editor->output, 0);
  fputs("\n", editor->out);
  fflush(editor->out);
  // The process group stops here, and SIGCONT wakes the read, which enters the modes again.
  kill(0, SIGTSTP);
  return CC_NORM;
}

static const wchar_t paste_end[] = L"\033[201~";
enum { PASTE_END_LENGTH = 6 };

static int ends_paste(const struct wide *pasted) {
  return pasted->length >= PASTE_END_LENGTH
      && wmemcmp(pasted->text + pasted->length - PASTE_END_LENGTH, paste_end, PASTE_END_LENGTH) == 0;
}

/// Newlines of any kind become U+000A. Escape sequences, such as colors, and other controls but the tab
/// are no text.
static void tidy_paste(struct wide *pasted) {
  size_t kept = 0;
  for (size_t i = 0; i < pasted->length; i++) {
    wchar_t character = pasted->text[i];
    if (character == ESC || character == 0x9B) {
      i = sequence_end(pasted->text, i, pasted->length) - 1;
      continue;
    }
    if (character == L'\r') {
      if (i + 1 < pasted->length && pasted->text[i + 1] == L'\n') continue;
      character = L'\n';
    }
    int control = character < 0x20 || (character >= 0x7F && character < 0xA0);
    if (control && character != L'\n' && character != L'\t') continue;
    pasted->text[kept++] = character;
  }
  pasted->length = kept;
  if (pasted->text) pasted->text[kept] = 0;
}

static unsigned char on_paste(EditLine *editline, wint_t key) {
  cle_editor *editor = owner(editline);
  struct wide *pasted = &editor->pasted;
  int cut = 0;
  wide_clear(pasted);
  for (;;) {
    wchar_t character;
    int status = next_character(editor, &character);
    // A terminal that never ends its paste can still be left.
    if (status == 2) editor->ended_by = editor->signal_number;
    if (status == 2 || (status == 1 && character == CTRL_C)) return on_interrupt(editline, key);
    if (status != 1) return leave(editline, status == 0 ? CLE_END : CLE_FAILED);
    if (pasted->length >= PASTE_LIMIT + PASTE_END_LENGTH) {
      // Only the tail is kept moving, to find the end mark.
      wmemmove(pasted->text + PASTE_LIMIT, pasted->text + PASTE_LIMIT + 1, PASTE_END_LENGTH - 1);
      pasted->length--;
      cut = 1;
    }
    if (wide_append(pasted, character) != 0) return CC_ERROR;
    if (ends_paste(pasted)) break;
  }
  pasted->length -= PASTE_END_LENGTH;
  tidy_paste(pasted);
  if (pasted->length > 0 && el_winsertstr(editline, pasted->text) != 0) return CC_ERROR;
  return cut ? CC_REFRESH_BEEP : CC_REFRESH;
}

/// The next character that was typed already: 1, or 0 without one. Signals keep waiting.
static int next_typed(cle_editor *editor, wchar_t *character) {
  while (has_input(editor)) {
    unsigned char byte = (unsigned char)editor->kept_byte;
    if (editor->kept_byte >= 0) editor->kept_byte = -1;
    else if (read_byte(editor->input, &byte) != 1) return 0;
    switch (decode_byte(&editor->decoder, byte, character)) {
    case DECODED_MORE: continue;
    case DECODED_BROKEN_THEN_AGAIN: editor->kept_byte = byte; return 1;
    case DECODED_ONE: return 1;
    }
  }
  return 0;
}

/// Adds what was typed before the read to the prefilled text, unsent.
static int hold_typed_ahead(cle_editor *editor) {
  struct wide *held = &editor->pasted;
  wide_clear(held);
  for (const wchar_t *at = editor->prefill; *at; at++) {
    if (wide_append(held, *at) != 0) return -1;
  }
  enum key_state keys = KEYS_GROUND;
  wchar_t character;
  while (held->length < PASTE_LIMIT && next_typed(editor, &character)) {
    enum key_state before = keys;
    // Alone, Ctrl-R and the like mean nothing here: only the rest of a sequence has to be left out.
    keys = character == ESC || before != KEYS_GROUND ? after_key(before, character) : KEYS_GROUND;
    int is_text = keys == KEYS_GROUND && before == KEYS_GROUND;
    if (is_text && wide_append(held, character) != 0) return -1;
  }
  tidy_paste(held);
  while (held->length > 0 && held->text[held->length - 1] == L'\n') held->length--;
  if (held->length == 0) return 0;
  held->text[held->length] = 0;
  wchar_t *prefill = wcsdup(held->text);
  if (!prefill) return -1;
  free(editor->prefill);
  editor->prefill = prefill;
  return 0;
}

// Setting up.

static void bind_own_keys(EditLine *el) {
  el_wset(el, EL_ADDFN, L"cle-prefill", L"Put the suggested text into the line", on_prefill);
  el_wset(el, EL_ADDFN, L"cle-draw", L"Draw joined characters", on_draw);
  el_wset(el, EL_ADDFN, L"cle-enter", L"Submit, or go on after a backslash", on_enter);
  el_wset(el, EL_ADDFN, L"cle-newline", L"Insert a newline", insert_newline);
  el_wset(el, EL_ADDFN, L"cle-interrupt", L"Give the line up", on_interrupt);
  el_wset(el, EL_ADDFN, L"cle-ctrl-d", L"Delete, or end the input", on_ctrl_d);
  el_wset(el, EL_ADDFN, L"cle-leave", L"Leave the editor", on_leave);
  el_wset(el, EL_ADDFN, L"cle-suspend", L"Stop the program", on_suspend);
  el_wset(el, EL_ADDFN, L"cle-paste", L"Insert a paste as it is", on_paste);
  el_wset(el, EL_ADDFN, L"cle-assist", L"Put a suggestion into the line", on_assist);
  el_wset(el, EL_ADDFN, L"cle-assist-back", L"Put the suggestion before into the line",
          on_assist_back);
  el_wset(el, EL_ADDFN, L"cle-edit", L"Edit the line elsewhere", on_edit);
  el_wset(el, EL_ADDFN, L"cle-escape", L"Leave by Esc alone", on_escape);
  el_wset(el, EL_ADDFN, L"cle-refresh", L"Bring the screen up to date", on_refresh);
  static const wchar_t *const keys[][2] = {
      {KEYS_PREFILL, L"cle-prefill"}, {KEYS_SUBMIT, L"ed-newline"}, {KEYS_LEAVE, L"cle-leave"},
      {KEYS_DRAW, L"cle-draw"},
      {L"^M", L"cle-enter"}, {L"^J", L"cle-enter"}, {L"\033\r", L"cle-newline"},
      {L"\033\n", L"cle-newline"}, {L"^C", L"cle-interrupt"}, {L"^D", L"cle-ctrl-d"},
      {L"^Z", L"cle-suspend"}, {L"\033[200~", L"cle-paste"}, {L"^X^E", L"cle-edit"},
      {L"\034", L"cle-escape"}, {L"^_", L"cle-refresh"}, {L"^H", L"ed-delete-prev-char"},
      // Else they ask for a command of the editor itself.
      {L"\033x", L"ed-unassigned"}, {L"\033X", L"ed-unassigned"},
      // They take the next key for text, of which there may be more bytes than one.
      {L"^V", L"ed-unassigned"}, {L"^Q", L"ed-unassigned"},
  };
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    el_wset(el, EL_BIND, keys[i][0], keys[i][1], NULL);
  }
}

/// Keys that people expect and that libedit's defaults miss on common terminals.
static void bind_common_keys(EditLine *el) {
  static const wchar_t *const keys[][2] = {
      {L"^R", L"em-inc-search-prev"}, {L"^W", L"ed-delete-prev-word"},
      {L"\033[H", L"ed-move-to-beg"},
      {L"\033[F", L"ed-move-to-end"}, {L"\033[1~", L"ed-move-to-beg"},
      {L"\033[4~", L"ed-move-to-end"}, {L"\033OH", L"ed-move-to-beg"},
      {L"\033OF", L"ed-move-to-end"}, {L"\033[1;5C", L"em-next-word"},
      {L"\033[1;5D", L"ed-prev-word"}, {L"\033[1;3C", L"em-next-word"},
      {L"\033[1;3D", L"ed-prev-word"},
  };
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    el_wset(el, EL_BIND, keys[i][0], keys[i][1], NULL);
  }
}

static void configure(cle_editor *editor, int history_size) {
  EditLine *el = editor->editline;
  HistEventW event;
  el_wset(el, EL_CLIENTDATA, editor);
  el_wset(el, EL_EDITOR, L"emacs");
  el_wset(el, EL_SIGNAL, 0);
  el_wset(el, EL_GETCFN, read_character);
  el_wset(el, EL_PROMPT_ESC, prompt_of, STYLE_MARK);
  // Keys that make signals or stop the output are read as keys, in the order in which they were
  // typed, and the line ends of a paste as they are.
  el_wset(el, EL_SETTY, L"-d", L"-isig", L"-ixon", L"-icrnl", L"-inlcr", NULL);
  history_w(editor->history, &event, H_SETSIZE, history_size);
  history_w(editor->history, &event, H_SETUNIQUE, 1);
  el_wset(el, EL_HIST, history_w, editor->history);
  bind_own_keys(el);
  bind_common_keys(el);
  bind_cluster_keys(el);
}

static FILE *open_copy(int fd, const char *mode) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  FILE *file = copy >= 0 ? fdopen(copy, mode) : NULL;
  if (!file && copy >= 0) close(copy);
  return file;
}

cle_editor *cle_editor_create(
    const char *program, int input, int output, int history_size, int escapes,
    cle_cluster cluster) {
  cle_editor *editor = calloc(1, sizeof *editor);
  if (!editor) return NULL;
  editor->cluster = cluster;
  editor->input = input;
  editor->output = output;
  editor->escapes = escapes;
  editor->kept_byte = -1;
  editor->in = open_copy(input, "r");
  editor->out = open_copy(output, "w");
  editor->quiet = fopen("/dev/null", "we");
  locale_t previous = enter_utf8();
  editor->history = history_winit();
  if (editor->in && editor->out && editor->quiet && editor->history) {
    editor->editline = el_init(program, editor->in, editor->out, editor->quiet);
  }
  if (editor->editline) {
    if (!escapes) el_wset(editor->editline, EL_TERMINAL, "dumb");
    configure(editor, history_size);
  }
  leave_utf8(previous);
  if (editor->editline) return editor;
  cle_editor_destroy(editor);
  return NULL;
}

void cle_editor_destroy(cle_editor *editor) {
  if (!editor) return;
  if (editor->editline) {
    // el_end() discards what was typed ahead, which is for whoever reads the terminal next; so it
    // finds no terminal. Its modes went back when the last line had been read.
    if (editor->in && editor->quiet) dup2(fileno(editor->quiet), fileno(editor->in));
    el_end(editor->editline);
  }
  if (editor->history) history_wend(editor->history);
  FILE *files[] = {editor->in, editor->out, editor->quiet};
  for (int i = 0; i < 3; i++) {
    if (files[i]) fclose(files[i]);
  }
  wide_free(&editor->pasted);
  free_wrap(&editor->wrap);
  free(editor->prompt);
  free(editor->prefill);
  free(editor->board);
  free(editor);
}

static int set_texts(cle_editor *editor, const char *prompt, const char *prefill) {
  free(editor->prompt);
  free(editor->prefill);
  editor->prompt = wide_from_utf8(prompt);
  editor->prefill = wide_from_utf8(prefill);
  return editor->prompt && editor->prefill ? 0 : -1;
}

static enum cle_outcome edit(cle_editor *editor, char **line) {
  int count = 0;
  editor->outcome = CLE_FAILED;
  editor->ended_by = -1;
  editor->is_given_up = 0;
  editor->keys = KEYS_GROUND;
  editor->rest_at = editor->rest_count = 0;
  editor->wrap.count = 0;
  editor->is_joined = 0;
  editor->decoder = (struct decoder){0};
  // Before the prompt: a key typed as soon as it is seen must find the editor's modes.
  el_wset(editor->editline, EL_PREP_TERM, 1);
  if (editor->holds_typed_ahead && hold_typed_ahead(editor) != 0) return CLE_FAILED;
  editor->holds_typed_ahead = 0;
  if (editor->prefill[0]) el_wpush(editor->editline, KEYS_PREFILL);
  const wchar_t *text = el_wgets(editor->editline, &count);
  if (!text || count <= 0) return editor->outcome;
  unwrap_line(editor);
  size_t length = (size_t)count;
  if (text[length - 1] == L'\n') length--;
  *line = utf8_from_wide(text, length);
  return *line ? CLE_READY : CLE_FAILED;
}

enum cle_outcome cle_editor_read(
    cle_editor *editor, const char *prompt, const char *prefill, const struct cle_assist *assist,
    char **line) {
  *line = NULL;
  if (set_texts(editor, prompt, prefill) != 0) return CLE_FAILED;
  cle_guard_install(editor->input);
  locale_t previous = enter_utf8();
  if (editor->escapes) paste_marks(editor->output, 1);
  begin_assist(editor, assist);
  editor->holds_typed_ahead = assist && assist->holds_typed_ahead;
  enum cle_outcome outcome = edit(editor, line);
  while (editor->is_given_up) {
    editor->prefill[0] = 0;
    if (!editor->escapes) fputs("\n", editor->out);
    draw_board(editor);
    outcome = edit(editor, line);
  }
  end_assist(editor);
  el_wset(editor->editline, EL_PREP_TERM, 0);
  if (outcome != CLE_READY) fputs("\n", editor->out);
  fflush(editor->out);
  if (editor->escapes) paste_marks(editor->output, 0);
  leave_utf8(previous);
  return outcome;
}

void cle_free(char *line) {
  free(line);
}

// History.

int cle_history_add(cle_editor *editor, const char *line) {
  HistEventW event;
  wchar_t *text = wide_from_utf8(line);
  if (!text) return -1;
  int result = history_w(editor->history, &event, H_ENTER, text);
  free(text);
  return result < 0 ? -1 : 0;
}
