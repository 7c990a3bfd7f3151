#ifndef CLINEEDIT_EDITOR_H
#define CLINEEDIT_EDITOR_H

#include "CLineEdit.h"
#include "Sequence.h"
#include "Text.h"
#include "Wrap.h"
#include <histedit.h>
#include <stdio.h>
#include <wchar.h>

/// Stands around terminal styles in a prompt, which take no columns.
#define STYLE_MARK L'\1'

struct cle_editor {
  EditLine *editline;
  HistoryW *history;
  int input, output;
  FILE *in, *out, *quiet;
  int escapes;
  wchar_t *prompt;
  wchar_t *prefill;
  const struct cle_assist *assist;
  /// What of the assist's board is on the screen; NULL where none of it is.
  wchar_t *board;
  struct decoder decoder;
  int kept_byte;
  struct wide pasted;
  enum cle_outcome outcome;
  cle_cluster cluster;
  struct wrap wrap;
  /// Whether code points of the line on the screen join.
  int is_joined;
  /// The signal that ends the read; -1 while there is none. 0 stands for cle_wake.
  int ended_by;
  int signal_number;
  /// The line went into the history, and an empty one is to be read.
  int is_given_up;
  /// What was typed before the read is still to be put into the line.
  int holds_typed_ahead;
  enum key_state keys;
  /// The rest of a key that was read whole.
  wchar_t rest[SEQUENCE_LIMIT];
  size_t rest_at, rest_count;
};

cle_editor *owner(EditLine *editline);
void to_end(EditLine *editline);

/// Columns of the window.
int columns_of(const cle_editor *editor);
void redraw_for_new_size(cle_editor *editor);
/// Clears the prompt, the line and the board above them. The cursor then stands where the board
/// began.
void clear_from_board(cle_editor *editor);
/// Draws a line in which code points join, such as an emoji of a family.
void draw_joined(cle_editor *editor);
/// Remembers, where more keys wait and nothing is drawn yet, that the line had such characters.
void note_joined(cle_editor *editor);
/// The line in UTF-8, for free(); NULL when memory ran out.
char *current_line(cle_editor *editor);

/// Binds the keys that move and delete by what a person takes for one character.
void bind_cluster_keys(EditLine *el);
unsigned char on_delete(EditLine *editline, wint_t key);

// What helps while a line is typed; nothing happens without an assist.

void begin_assist(cle_editor *editor, const struct cle_assist *assist);
void end_assist(cle_editor *editor);
/// Lets the assist put a text in place of the line.
unsigned char on_assist(EditLine *editline, wint_t key);
unsigned char on_assist_back(EditLine *editline, wint_t key);
/// Lets the assist edit the line elsewhere.
unsigned char on_edit(EditLine *editline, wint_t key);
/// Tells the assist the line.
void tell_draft(cle_editor *editor);
/// Brings what stands above the prompt up to date, which needs a terminal with escapes.
void update_board(cle_editor *editor);
void clear_board(cle_editor *editor);
void write_board(cle_editor *editor);
/// Writes the board where the cursor stands.
void draw_board(cle_editor *editor);

#endif
