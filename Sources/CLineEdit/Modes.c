#define _GNU_SOURCE
#include "internal.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct termios remembered;
static volatile sig_atomic_t guarded_fd = -1;
static volatile sig_atomic_t paste_fd = -1;

static const int fatal[] = {
    SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGALRM, SIGXCPU};
enum { FATAL_COUNT = sizeof fatal / sizeof fatal[0] };
static struct sigaction previous[FATAL_COUNT];

void cle_guard_restore(void) {
  int kept = errno;
  if (paste_fd >= 0) {
    write_all(paste_fd, "\033[?2004l", 8);
    paste_fd = -1;
  }
  if (guarded_fd >= 0) {
    // A background process that sets modes would be stopped by SIGTTOU instead of exiting.
    sigset_t blocked, old;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &blocked, &old);
    tcsetattr(guarded_fd, TCSANOW, &remembered);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
  }
  errno = kept;
}

/// Restores the modes, then lets whoever was there before (a crash reporter, the system) act.
static void on_fatal(int number) {
  cle_guard_restore();
  for (int i = 0; i < FATAL_COUNT; i++) {
    if (fatal[i] == number) sigaction(number, &previous[i], NULL);
  }
  raise(number);
}

void cle_guard_install(int fd) {
  pthread_mutex_lock(&lock);
  if (guarded_fd < 0 && tcgetattr(fd, &remembered) == 0) {
    guarded_fd = fd;
    atexit(cle_guard_restore);
    struct sigaction action = {.sa_handler = on_fatal};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < FATAL_COUNT; i++) {
      sigaction(fatal[i], NULL, &previous[i]);
      if (previous[i].sa_handler != SIG_IGN) sigaction(fatal[i], &action, NULL);
    }
  }
  pthread_mutex_unlock(&lock);
}

void paste_marks(int fd, int on) {
  if (on) paste_fd = fd;
  write_all(fd, on ? "\033[?2004h" : "\033[?2004l", 8);
  if (!on) paste_fd = -1;
}

int cle_set_echo(int fd, int on) {
  struct termios modes;
  if (tcgetattr(fd, &modes) != 0) return -1;
  if (on) modes.c_lflag |= ECHO;
  else modes.c_lflag &= ~(tcflag_t)ECHO;
  // Without it, the terminal drops what was typed ahead along with Ctrl-C. It stays until the process
  // ends, because the moment between a reply and the next prompt counts, too.
  modes.c_lflag |= NOFLSH;
  return tcsetattr(fd, TCSADRAIN, &modes);
}

int cle_window_size(int fd, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}
