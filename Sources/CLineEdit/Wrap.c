#define _GNU_SOURCE
#include "Editor.h"
#include <stdlib.h>
#include <string.h>

void measure(const wchar_t *text, const wchar_t *end, int columns, int *row, int *column) {
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

static int add_place(struct wrap *wrap, size_t place) {
  if (wrap->count == wrap->capacity) {
    size_t capacity = wrap->capacity ? wrap->capacity * 2 : 32;
    size_t *grown = realloc(wrap->places, capacity * sizeof *grown);
    if (!grown) return -1;
    wrap->places = grown;
    wrap->capacity = capacity;
  }
  wrap->places[wrap->count++] = place;
  return 0;
}

void free_wrap(struct wrap *wrap) {
  free(wrap->places);
  *wrap = (struct wrap){0};
}

/// The editing library has no way to draw a space as a line end, so its line is changed in place,
/// which moves nothing in it.
static void put(cle_editor *editor, const struct wrap *wrap, wchar_t from, wchar_t to) {
  const LineInfoW *line = el_wline(editor->editline);
  wchar_t *buffer = (wchar_t *)line->buffer;
  size_t length = (size_t)(line->lastchar - line->buffer);
  for (size_t i = 0; i < wrap->count; i++) {
    if (wrap->places[i] < length && buffer[wrap->places[i]] == from) buffer[wrap->places[i]] = to;
  }
}

void unwrap_line(cle_editor *editor) {
  put(editor, &editor->wrap, L'\n', L' ');
  editor->wrap.count = 0;
}

static int columns_after(wchar_t character, int column) {
  if (character == L'\t') return (column / 8 + 1) * 8;
  int width = wcwidth(character);
  return column + (width > 0 ? width : 0);
}

/// Rows stay narrower than the window: a full one would be followed by an empty one.
static struct wrap find_places(cle_editor *editor) {
  struct wrap found = {0};
  const LineInfoW *line = el_wline(editor->editline);
  int columns = columns_of(editor), row = 0, column = 0;
  measure(editor->prompt, NULL, columns, &row, &column);
  column %= columns;
  const wchar_t *space = NULL;
  int after_space = 0;
  for (const wchar_t *at = line->buffer; at < line->lastchar; at++) {
    if (*at == L'\n') {
      column = 0;
      space = NULL;
      continue;
    }
    if (*at != L' ' && space && columns_after(*at, column) > columns - 1) {
      if (add_place(&found, (size_t)(space - line->buffer)) != 0) break;
      column -= after_space;
      space = NULL;
    }
    column = columns_after(*at, column);
    if (column > columns) column -= columns;
    if (*at == L' ' && column <= columns) {
      space = at;
      after_space = column;
    }
  }
  return found;
}

int wrap_line(cle_editor *editor) {
  if (!editor->escapes) return 0;
  struct wrap shown = editor->wrap;
  put(editor, &shown, L'\n', L' ');
  editor->wrap = find_places(editor);
  put(editor, &editor->wrap, L' ', L'\n');
  int is_same = shown.count == editor->wrap.count
      && (shown.count == 0
          || memcmp(shown.places, editor->wrap.places, shown.count * sizeof *shown.places) == 0);
  free_wrap(&shown);
  return !is_same;
}
