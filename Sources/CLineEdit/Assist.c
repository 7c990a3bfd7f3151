#define _GNU_SOURCE
#include "Editor.h"
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

/// Moves over a text as it is drawn in so many columns.
static void measure(const wchar_t *text, const wchar_t *end, int columns, int *row, int *column) {
  int styled = 0;
  for (const wchar_t *at = text; end ? at < end : *at != 0; at++) {
    if (*at == STYLE_MARK) {
      styled = !styled;
    } else if (!styled && *at == L'\n') {
      // A line that fills the window exactly has not wrapped yet.
      *row += 1 + (*column > 0 ? (*column - 1) / columns : 0);
      *column = 0;
    } else if (!styled && wcwidth(*at) > 0) {
      *column += wcwidth(*at);
    }
  }
}

/// Clears the prompt, the line and the board above them. The cursor then stands where the board
/// began.
static void clear_from_board(cle_editor *editor) {
  const LineInfoW *line = el_wline(editor->editline);
  int columns = 0, rows = 0;
  if (cle_window_size(editor->output, &columns, &rows) != 0 || columns < 1) columns = 80;
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

static void write_board(cle_editor *editor) {
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

static char *current_line(EditLine *editline) {
  const LineInfoW *line = el_wline(editline);
  return utf8_from_wide(line->buffer, (size_t)(line->lastchar - line->buffer));
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
  char *line = assist && assist->key ? current_line(editline) : NULL;
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

void tell_draft(cle_editor *editor) {
  const struct cle_assist *assist = editor->assist;
  char *line = assist && assist->draft ? current_line(editor->editline) : NULL;
  if (line) assist->draft(assist->context, line);
  free(line);
}

static void bind_assisted_keys(EditLine *el, int is_assisted) {
  el_wset(el, EL_BIND, L"^I", is_assisted ? L"cle-assist" : L"ed-unassigned", NULL);
  el_wset(el, EL_BIND, L"\033[Z", is_assisted ? L"cle-assist-back" : L"ed-unassigned", NULL);
}

/// The board stands there before the prompt is drawn for the first time.
void begin_assist(cle_editor *editor, const struct cle_assist *assist) {
  editor->assist = assist;
  editor->board = wanted_board(editor);
  write_board(editor);
  fflush(editor->out);
  if (assist && assist->key) bind_assisted_keys(editor->editline, 1);
}

void end_assist(cle_editor *editor) {
  if (editor->assist && editor->assist->key) bind_assisted_keys(editor->editline, 0);
  editor->assist = NULL;
  free(editor->board);
  editor->board = NULL;
}
