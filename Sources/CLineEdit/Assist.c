#define _GNU_SOURCE
#include "Editor.h"
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

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
    if (row > 0) fprintf(editor->out, "\033[%dA", row);
    fputs("\033[J", editor->out);
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

void redraw_for_new_size(cle_editor *editor) {
  clear_from_board(editor);
  if (editor->escapes) write_board(editor);
  fflush(editor->out);
  el_resize(editor->editline);
  el_wset(editor->editline, EL_REFRESH);
}

/// Nothing of what is asked of an assist is needed where memory has run out.
static wchar_t *wanted_board(cle_editor *editor) {
  const struct cle_assist *assist = editor->assist;
  char *text = assist && assist->board ? assist->board(assist->context) : NULL;
  wchar_t *wide = text && *text ? wide_from_utf8(text) : NULL;
  free(text);
  return wide;
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

void tell_draft(cle_editor *editor) {
  const struct cle_assist *assist = editor->assist;
  if (!assist || !assist->draft) return;
  char *line = current_line(editor->editline);
  if (line) assist->draft(assist->context, line);
  free(line);
}

static void replace_line(EditLine *editline, const wchar_t *text) {
  const LineInfoW *line = el_wline(editline);
  to_end(editline);
  el_wdeletestr(editline, (int)(line->lastchar - line->buffer));
  if (*text) el_winsertstr(editline, text);
}

static void bind_characters(EditLine *el, wchar_t first, wchar_t last, int is_assisted) {
  const wchar_t *function = is_assisted ? L"cle-assist" : L"ed-insert";
  for (wchar_t key[2] = {first, 0}; key[0] <= last; key[0]++) {
    el_wset(el, EL_BIND, key, function, NULL);
  }
}

/// Letters concern an assist only right behind a digit that it took; typed as usual they are faster.
static void bind_letters(EditLine *el, int is_assisted) {
  bind_characters(el, L'a', L'z', is_assisted);
  bind_characters(el, L'A', L'Z', is_assisted);
}

static void bind_assisted_keys(EditLine *el, int is_assisted) {
  const wchar_t *tab = is_assisted ? L"cle-assist" : L"ed-unassigned";
  el_wset(el, EL_BIND, L"^I", tab, NULL);
  el_wset(el, EL_BIND, L"\033[Z", tab, NULL);
  bind_characters(el, L'0', L'9', is_assisted);
  if (!is_assisted) bind_letters(el, 0);
}

unsigned char on_assist(EditLine *editline, wint_t key) {
  const struct cle_assist *assist = owner(editline)->assist;
  int is_text = iswalnum(key) != 0;
  const wchar_t typed[2] = {(wchar_t)key, 0};
  char *name = is_text || key == L'\t' ? utf8_from_wide(typed, 1) : NULL;
  char *line = current_line(editline);
  char *text = line && assist && assist->key
      ? assist->key(assist->context, name ? name : "\033[Z", line) : NULL;
  wchar_t *wide = text ? wide_from_utf8(text) : NULL;
  free(name), free(line), free(text);
  if (is_text) bind_letters(editline, wide && iswdigit(key));
  if (!wide) return is_text && el_winsertstr(editline, typed) == 0 ? CC_REFRESH : CC_ERROR;
  replace_line(editline, wide);
  free(wide);
  return CC_REFRESH;
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
