#ifndef CLINEEDIT_WRAP_H
#define CLINEEDIT_WRAP_H

#include <stddef.h>
#include <wchar.h>

typedef struct cle_editor cle_editor;

/// Where the reading stands between keys. In the middle of one, no key may be put in.
enum key_state { KEYS_GROUND, KEYS_ESCAPE, KEYS_SEQUENCE, KEYS_ONE_MORE, KEYS_SEARCH };

/// The spaces of the line that are shown as line ends. They are spaces again before any key acts on
/// the line, unless it only adds to the end.
struct wrap {
  size_t *places;
  size_t count, capacity;
};

/// Wraps the line between words. Returns 1 if the screen has to be brought up to date.
int wrap_line(cle_editor *editor);
/// Makes the line what it is: its spaces are spaces again.
void unwrap_line(cle_editor *editor);
void free_wrap(struct wrap *wrap);

/// Moves over a text as it is drawn in so many columns. What stands between STYLE_MARKs takes none.
void measure(const wchar_t *text, const wchar_t *end, int columns, int *row, int *column);

#endif
