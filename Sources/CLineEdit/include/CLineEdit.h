#ifndef CLINEEDIT_H
#define CLINEEDIT_H

#include <stddef.h>
#include <stdint.h>

/// How a blocking read from the terminal ended.
enum cle_outcome {
  /// There is something to use: a line, a key, or readable bytes.
  CLE_READY = 0,
  /// End of input: Ctrl-D on an empty line, a hung-up terminal, a closed pipe.
  CLE_END = 1,
  /// Ctrl-C, SIGINT, SIGTERM, or cle_wake().
  CLE_INTERRUPTED = 2,
  /// More was typed than the caller takes; nothing is returned.
  CLE_TOO_LONG = 3,
  /// The descriptor is no terminal or the system refused; errno says why.
  CLE_FAILED = 4,
  /// Esc alone, where an assist asks for it.
  CLE_ESCAPED = 5,
};

// Waking a blocked read. Signal handlers and other threads write to a pipe that every blocking
// read polls beside its input, so that no read depends on EINTR.

/// Opens the wake pipe for one read and takes over SIGINT, SIGTERM, SIGWINCH and SIGCONT.
/// Returns 0, or -1 if another read is in progress or the system refused.
int cle_wake_begin(void);
/// Gives the signals back.
void cle_wake_end(void);
/// Ends the read in progress with CLE_INTERRUPTED; harmless when there is none. Any thread.
void cle_wake(void);
/// Waits until `fd` can be read without blocking. Call between cle_wake_begin and cle_wake_end.
enum cle_outcome cle_wait_readable(int fd);

// Signals for the program as a whole.

/// Takes over SIGINT and SIGTERM for the rest of the process and returns a descriptor on which
/// each arrives as one byte holding its number; -1 when the system refused. Signals that were
/// ignored at start stay ignored.
int cle_monitor_open(void);

// Terminal modes.

/// Remembers the modes of the terminal `fd` and restores them when the process exits or dies by a
/// signal that can be caught. Only the first call for a process remembers anything.
void cle_guard_install(int fd);
/// Puts back the remembered modes. Safe in a signal handler.
void cle_guard_restore(void);
/// Switches the echo of typed characters. From the first call on, Ctrl-C keeps what was typed ahead.
/// Returns 0, or -1 if `fd` is no terminal.
int cle_set_echo(int fd, int on);
/// Columns and rows as the terminal reports them; -1 if it does not.
int cle_window_size(int fd, int *columns, int *rows);

// Line editing.

typedef struct cle_editor cle_editor;

/// Returns how many of the `count` scalars make up the last character a person sees (`at_end` 1), or
/// the first one.
typedef size_t (*cle_cluster)(const uint32_t *scalars, size_t count, int at_end);

/// An editor over two descriptors of one terminal, or NULL. With `escapes` 0 it writes no escape
/// byte: the terminal is driven as a dumb one and bracketed paste stays off.
cle_editor *cle_editor_create(
    const char *program, int input, int output, int history_size, int escapes,
    cle_cluster cluster);
/// Leaves the terminal and what was typed ahead as they are.
void cle_editor_destroy(cle_editor *editor);

/// What helps while a line is typed. All functions are called on the reading thread; any may be
/// NULL. Texts that they return are from malloc().
struct cle_assist {
  void *context;
  /// "\t", "\033[Z" (Shift-Tab) or "\030\005" (Ctrl-X Ctrl-E) was typed. Returns the text to put in
  /// place of the line, or NULL where the key is to do what it usually does. For Ctrl-X Ctrl-E the
  /// terminal has its own modes during the call, and the line is drawn again after it.
  char *(*key)(void *context, const char *key, const char *line);
  /// The line as it stands, whenever the next key is waited for.
  void (*draft)(void *context, const char *line);
  /// What stands above the prompt: whole lines that end with a newline and are narrower than the
  /// window, with styles between pairs of U+0001. Gone when the line is submitted.
  char *(*board)(void *context);
  /// Ctrl-C or SIGINT. Returns 1 to go on reading as if nothing had been typed.
  int (*interrupt)(void *context);
  /// Whether what was typed before the read goes into the line, without its Enter keys sending it.
  int holds_typed_ahead;
  /// Whether Esc alone and Ctrl-C end the read, whatever the line holds.
  int leaves;
};
/// Has the read in progress, if any, ask for the board again. Any thread.
void cle_wake_board(void);

/// Reads one line, which may hold newlines: from a paste, Alt-Enter, or a backslash before Enter.
/// A line longer than the window is wrapped between words. Ctrl-C moves a line into the history and
/// starts an empty one; on an empty line it ends the read.
/// `prompt` may hold terminal styles between pairs of U+0001; `assist` may be NULL. On CLE_READY
/// `*line` is UTF-8 without the ending newline, for cle_free().
enum cle_outcome cle_editor_read(
    cle_editor *editor, const char *prompt, const char *prefill, const struct cle_assist *assist,
    char **line);
void cle_free(char *line);

/// Adds a line, dropping the oldest beyond the editor's history size. Returns 0 or -1.
int cle_history_add(cle_editor *editor, const char *line);

/// Reads a line without echo into `buffer`, which holds at most `capacity` bytes. White space
/// around it and bracketed-paste marks are left out, and a newline ends it in a paste too. Shows its
/// length and, if it is long enough to be a key, its last four characters. The terminal's modes are
/// restored however the read ends.
enum cle_outcome cle_read_hidden(
    int input, int output, const char *prompt, int escapes, char *buffer, size_t capacity,
    size_t *length);

/// Columns a code point takes on a terminal: 0, 1 or 2, or -1 for what cannot be printed.
int cle_width(uint32_t scalar);

#endif
