#ifndef CLINEEDIT_EDITOR_H
#define CLINEEDIT_EDITOR_H

#include "CLineEdit.h"
#include "Text.h"
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
  int interrupts_pushed;
};

cle_editor *owner(EditLine *editline);
void to_end(EditLine *editline);

void redraw_for_new_size(cle_editor *editor);

// What helps while a line is typed; nothing happens without an assist.

void begin_assist(cle_editor *editor, const struct cle_assist *assist);
void end_assist(cle_editor *editor);
/// Lets the assist put a text in place of the line.
unsigned char on_assist(EditLine *editline, wint_t key);
unsigned char on_assist_back(EditLine *editline, wint_t key);
/// Tells the assist the line.
void tell_draft(cle_editor *editor);
/// Brings what stands above the prompt up to date, which needs a terminal with escapes.
void update_board(cle_editor *editor);
void clear_board(cle_editor *editor);

#endif
