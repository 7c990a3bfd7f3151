#ifndef CLINEEDIT_INTERNAL_H
#define CLINEEDIT_INTERNAL_H

#include "CLineEdit.h"
#include <locale.h>
#include <stddef.h>
#include <wchar.h>

/// Stands for cle_wake_board where a signal's number would: there is no such signal.
enum { WAKE_BOARD = 255 };

/// What woke a read: a byte of input, or a signal's number (0 for cle_wake).
enum wake { WAKE_INPUT, WAKE_SIGNAL, WAKE_FAILED };
enum wake wait_input(int fd, int *signal_number);
/// Reads one byte: 1, 0 at the end of input, -1 on error.
int read_byte(int fd, unsigned char *byte);
void write_all(int fd, const char *text, size_t length);

/// Marks bracketed paste as on, so that leaving the process switches it off.
void paste_marks(int fd, int on);

/// UTF-8 whatever the environment says, for the calling thread only; NULL if there is none.
locale_t enter_utf8(void);
void leave_utf8(locale_t previous);

#endif
