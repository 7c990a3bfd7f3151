#define _GNU_SOURCE
#include "Editor.h"
#include "internal.h"
#include <stdlib.h>
#include <string.h>

cle_editor *owner(EditLine *editline) {
  void *data = NULL;
  el_wget(editline, EL_CLIENTDATA, &data);
  return data;
}

void to_end(EditLine *editline) {
  const LineInfoW *line = el_wline(editline);
  el_cursor(editline, (int)(line->lastchar - line->cursor));
}

int columns_of(const cle_editor *editor) {
  int columns = 0, rows = 0;
  if (cle_window_size(editor->output, &columns, &rows) != 0 || columns < 1) return 80;
  return columns;
}

void clear_from_board(cle_editor *editor) {
  const LineInfoW *line = el_wline(editor->editline);
  int columns = columns_of(editor);
  // Terminals reflow what is on the screen, so the cursor now stands this many rows below.
  int row = 0, column = 0;
  if (editor->board) measure(editor->board, NULL, columns, &row, &column);
  measure(editor->prompt, NULL, columns, &row, &column);
  for (const wchar_t *at = line->buffer; at < line->cursor; at++) {
    if (*at == L'\n') {
      row += 1 + column / columns;
      column = 0;
    } else if (wcwidth(*at) > 0) {
      column += wcwidth(*at);
    }
  }
  row += column / columns;
  fputs("\r", editor->out);
  if (editor->escapes) {
    // A screen that is cleared as a whole goes into the scrollback of some terminals, to come back
    // with the next size; so the first row is cleared by itself.
    if (row > 0) fprintf(editor->out, "\033[%dA\033[K\033[B\033[J\033[A", row);
    else fputs("\033[J", editor->out);
  }
}

void write_board(cle_editor *editor) {
  if (!editor->board) return;
  char *text = utf8_from_wide(editor->board, wcslen(editor->board));
  if (!text) return;
  for (const char *at = text; *at; at++) {
    if (*at != '\1') fputc(*at, editor->out);
  }
  free(text);
}

/// Nothing of what is asked of an assist is needed where memory has run out.
static wchar_t *wanted_board(cle_editor *editor) {
  const struct cle_assist *assist = editor->assist;
  char *text = assist && assist->board ? assist->board(assist->context) : NULL;
  wchar_t *wide = text && *text ? wide_from_utf8(text) : NULL;
  free(text);
  return wide;
}

void redraw_for_new_size(cle_editor *editor) {
  clear_from_board(editor);
  if (editor->escapes) {
    // Fitted anew: what filled the old window breaks in the middle of words in a narrower one.
    free(editor->board);
    editor->board = wanted_board(editor);
    write_board(editor);
  }
  fflush(editor->out);
  if (editor->keys == KEYS_GROUND) wrap_line(editor);
  el_resize(editor->editline);
  el_wset(editor->editline, EL_REFRESH);
}

static int is_same(const wchar_t *left, const wchar_t *right) {
  return left && right ? wcscmp(left, right) == 0 : left == right;
}

static void show_board(cle_editor *editor, wchar_t *wanted) {
  if (!editor->escapes || is_same(editor->board, wanted)) {
    free(wanted);
    return;
  }
  clear_from_board(editor);
  free(editor->board);
  editor->board = wanted;
  write_board(editor);
  fflush(editor->out);
  el_wset(editor->editline, EL_REFRESH);
}

void update_board(cle_editor *editor) {
  show_board(editor, wanted_board(editor));
}

void clear_board(cle_editor *editor) {
  show_board(editor, NULL);
}

char *current_line(cle_editor *editor) {
  const LineInfoW *line = el_wline(editor->editline);
  size_t length = (size_t)(line->lastchar - line->buffer);
  char *text = utf8_from_wide(line->buffer, length);
  if (!text || editor->wrap.count == 0) return text;
  free(text);
  wchar_t *copy = malloc((length + 1) * sizeof *copy);
  if (!copy) return NULL;
  wmemcpy(copy, line->buffer, length);
  for (size_t i = 0; i < editor->wrap.count; i++) copy[editor->wrap.places[i]] = L' ';
  text = utf8_from_wide(copy, length);
  free(copy);
  return text;
}

static void replace_line(EditLine *editline, const wchar_t *text) {
  const LineInfoW *line = el_wline(editline);
  to_end(editline);
  el_wdeletestr(editline, (int)(line->lastchar - line->buffer));
  if (*text) el_winsertstr(editline, text);
}

/// Puts a text of the assist, if there is one, in place of the line.
static unsigned char offer_key(EditLine *editline, const char *key) {
  const struct cle_assist *assist = owner(editline)->assist;
  char *line = assist && assist->key ? current_line(owner(editline)) : NULL;
  char *text = line ? assist->key(assist->context, key, line) : NULL;
  wchar_t *wide = text ? wide_from_utf8(text) : NULL;
  free(line);
  free(text);
  if (!wide) return CC_ERROR;
  replace_line(editline, wide);
  free(wide);
  return CC_REFRESH;
}

unsigned char on_assist(EditLine *editline, wint_t key) {
  (void)key;
  return offer_key(editline, "\t");
}

unsigned char on_assist_back(EditLine *editline, wint_t key) {
  (void)key;
  return offer_key(editline, "\033[Z");
}

unsigned char on_edit(EditLine *editline, wint_t key) {
  (void)key;
  cle_editor *editor = owner(editline);
  if (!editor->assist || !editor->assist->key) return CC_ERROR;
  wrap_line(editor);
  clear_from_board(editor);
  unwrap_line(editor);
  if (!editor->escapes) fputs("\n", editor->out);
  fflush(editor->out);
  el_wset(editline, EL_PREP_TERM, 0);
  if (editor->escapes) paste_marks(editor->output, 0);
  unsigned char result = offer_key(editline, "\030\005");
  if (editor->escapes) paste_marks(editor->output, 1);
  el_wset(editline, EL_PREP_TERM, 1);
  write_board(editor);
  fflush(editor->out);
  el_wset(editline, EL_REFRESH);
  return result == CC_ERROR ? CC_NORM : CC_REFRESH;
}

void tell_draft(cle_editor *editor) {
  const struct cle_assist *assist = editor->assist;
  char *line = assist && assist->draft ? current_line(editor) : NULL;
  if (line) assist->draft(assist->context, line);
  free(line);
}

static void bind_assisted_keys(EditLine *el, int is_assisted) {
  el_wset(el, EL_BIND, L"^I", is_assisted ? L"cle-assist" : L"ed-unassigned", NULL);
  el_wset(el, EL_BIND, L"\033[Z", is_assisted ? L"cle-assist-back" : L"ed-unassigned", NULL);
}

/// The board stands there before the prompt is drawn for the first time.
void draw_board(cle_editor *editor) {
  free(editor->board);
  editor->board = wanted_board(editor);
  write_board(editor);
  fflush(editor->out);
}

void begin_assist(cle_editor *editor, const struct cle_assist *assist) {
  editor->assist = assist;
  draw_board(editor);
  if (assist && assist->key) bind_assisted_keys(editor->editline, 1);
}

void end_assist(cle_editor *editor) {
  if (editor->assist && editor->assist->key) bind_assisted_keys(editor->editline, 0);
  editor->assist = NULL;
  free(editor->board);
  editor->board = NULL;
}
