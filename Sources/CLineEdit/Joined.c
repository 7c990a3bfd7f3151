#define _GNU_SOURCE
#include "Editor.h"
#include <stdlib.h>
#include <wchar.h>

// The editing library counts columns by code point, and loses those that have none. A line in which
// code points join is drawn here, over what the library drew: only the terminal knows how wide a
// joined emoji is, so the cursor is placed by writing what stands before it.

static int joins(wchar_t character) {
  return character >= 0x300
      && (wcwidth(character) == 0 || (character >= 0x1F3FB && character <= 0x1F3FF)
          || (character >= 0x1F1E6 && character <= 0x1F1FF));
}

static int has_joined(const LineInfoW *line) {
  for (const wchar_t *at = line->buffer; at < line->lastchar; at++) {
    if (joins(*at)) return 1;
  }
  return 0;
}

/// The row in which the text ends, below the first one of the prompt. -1 if a row fills the window:
/// the library and the terminal may then disagree about rows.
static int last_row(cle_editor *editor, const LineInfoW *line, const wchar_t *end) {
  int columns = columns_of(editor), row = 0, column = 0;
  measure(editor->prompt, NULL, columns, &row, &column);
  if (column >= columns) return -1;
  for (const wchar_t *at = line->buffer; at < end; at++) {
    if (*at == L'\n') {
      row++;
      column = 0;
      continue;
    }
    column += *at == L'\t' ? 8 - column % 8 : wcwidth(*at) > 0 ? wcwidth(*at) : 0;
    if (column >= columns) return -1;
  }
  return row;
}

static void write_text(cle_editor *editor, const wchar_t *text, const wchar_t *end) {
  char *encoded = utf8_from_wide(text, (size_t)(end - text));
  if (!encoded) return;
  for (const char *at = encoded; *at; at++) {
    if (*at == '\n') fputc('\r', editor->out);
    if (*at != '\1') fputc(*at, editor->out);
  }
  free(encoded);
}

static void write_prompt(cle_editor *editor) {
  write_text(editor, editor->prompt, editor->prompt + wcslen(editor->prompt));
}

/// Writes what stands before the cursor in its row.
static void place_cursor(cle_editor *editor, const LineInfoW *line, int rows_below) {
  const wchar_t *start = line->cursor;
  while (start > line->buffer && start[-1] != L'\n') start--;
  if (rows_below > 0) fprintf(editor->out, "\033[%dA", rows_below);
  fputc('\r', editor->out);
  if (start == line->buffer) {
    const wchar_t *last = wcsrchr(editor->prompt, L'\n');
    const wchar_t *shown = last ? last + 1 : editor->prompt;
    write_text(editor, shown, shown + wcslen(shown));
  }
  write_text(editor, start, line->cursor);
}

void note_joined(cle_editor *editor) {
  if (has_joined(el_wline(editor->editline))) editor->is_joined = 1;
}

void draw_joined(cle_editor *editor) {
  const LineInfoW *line = el_wline(editor->editline);
  int was_joined = editor->is_joined;
  editor->is_joined = has_joined(line);
  if (!editor->escapes || (!editor->is_joined && !was_joined)) return;
  int bottom = last_row(editor, line, line->lastchar);
  int row = last_row(editor, line, line->cursor);
  if (bottom < 0) return;
  fputc('\r', editor->out);
  if (row > 0) fprintf(editor->out, "\033[%dA", row);
  // As in clear_from_board(): never the whole screen at once.
  fputs(row > 0 ? "\033[K\033[B\033[J\033[A" : "\033[J", editor->out);
  write_prompt(editor);
  write_text(editor, line->buffer, line->lastchar);
  if (line->cursor < line->lastchar) place_cursor(editor, line, bottom - row);
  fflush(editor->out);
}
