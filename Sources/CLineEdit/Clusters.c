#define _GNU_SOURCE
#include "Editor.h"

// What a person takes for one character may be several code points: an emoji of a family, a flag,
// a letter with its accents.

static int is_plain(wchar_t character) {
  return character >= 0x20 && character < 0x7F;
}

/// Code points of the character before the cursor. A plain one begins a character, so nothing
/// further back matters.
static int before_cursor(cle_editor *editor, const LineInfoW *line) {
  const wchar_t *start = line->cursor;
  while (start > line->buffer && !is_plain(start[-1])) start--;
  if (start == line->cursor) return 1;
  if (start > line->buffer) start--;
  size_t count = (size_t)(line->cursor - start);
  size_t length = editor->cluster ? editor->cluster((const uint32_t *)start, count, 1) : 1;
  return length >= 1 && length <= count ? (int)length : 1;
}

/// Code points of the character at the cursor.
static int after_cursor(cle_editor *editor, const LineInfoW *line) {
  const wchar_t *end = line->cursor + 1;
  while (end < line->lastchar && !is_plain(*end)) end++;
  size_t count = (size_t)(end - line->cursor);
  if (count == 1) return 1;
  size_t length = editor->cluster ? editor->cluster((const uint32_t *)line->cursor, count, 0) : 1;
  return length >= 1 && length <= count ? (int)length : 1;
}

static unsigned char on_backspace(EditLine *editline, wint_t key) {
  (void)key;
  const LineInfoW *line = el_wline(editline);
  if (line->cursor == line->buffer) return CC_ERROR;
  el_wdeletestr(editline, before_cursor(owner(editline), line));
  return CC_REFRESH;
}

unsigned char on_delete(EditLine *editline, wint_t key) {
  (void)key;
  const LineInfoW *line = el_wline(editline);
  if (line->cursor == line->lastchar) return CC_ERROR;
  int count = after_cursor(owner(editline), line);
  el_cursor(editline, count);
  el_wdeletestr(editline, count);
  return CC_REFRESH;
}

static unsigned char on_left(EditLine *editline, wint_t key) {
  (void)key;
  const LineInfoW *line = el_wline(editline);
  if (line->cursor == line->buffer) return CC_ERROR;
  el_cursor(editline, -before_cursor(owner(editline), line));
  return CC_CURSOR;
}

static unsigned char on_right(EditLine *editline, wint_t key) {
  (void)key;
  const LineInfoW *line = el_wline(editline);
  if (line->cursor == line->lastchar) return CC_ERROR;
  el_cursor(editline, after_cursor(owner(editline), line));
  return CC_CURSOR;
}

void bind_cluster_keys(EditLine *el) {
  el_wset(el, EL_ADDFN, L"cle-backspace", L"Delete the character before", on_backspace);
  el_wset(el, EL_ADDFN, L"cle-delete", L"Delete the character at the cursor", on_delete);
  el_wset(el, EL_ADDFN, L"cle-left", L"Go back a character", on_left);
  el_wset(el, EL_ADDFN, L"cle-right", L"Go on a character", on_right);
  static const wchar_t *const keys[][2] = {
      {L"^?", L"cle-backspace"}, {L"\033[3~", L"cle-delete"}, {L"\033[D", L"cle-left"},
      {L"\033OD", L"cle-left"}, {L"^B", L"cle-left"}, {L"\033[C", L"cle-right"},
      {L"\033OC", L"cle-right"}, {L"^F", L"cle-right"},
  };
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    el_wset(el, EL_BIND, keys[i][0], keys[i][1], NULL);
  }
}
