#define _GNU_SOURCE
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { SIGNAL_COUNT = 4, INTERRUPTS = 2 };
/// The first two are the program's interrupts; all four concern a read in progress.
static const int signals[SIGNAL_COUNT] = {SIGINT, SIGTERM, SIGWINCH, SIGCONT};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users[SIGNAL_COUNT];
static struct sigaction before[SIGNAL_COUNT];
static int wake_pipe[2] = {-1, -1};
static volatile sig_atomic_t reading;
static volatile sig_atomic_t monitor_writer = -1;

static void on_signal(int number) {
  int kept = errno;
  unsigned char byte = (unsigned char)number;
  ssize_t ignored = 0;
  if (reading) ignored = write(wake_pipe[1], &byte, 1);
  if (monitor_writer >= 0 && (number == SIGINT || number == SIGTERM)) {
    ignored = write(monitor_writer, &byte, 1);
  }
  (void)ignored;
  errno = kept;
}

static void acquire(int count) {
  for (int i = 0; i < count; i++) {
    if (users[i]++ > 0) continue;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signals[i], NULL, &before[i]);
    if (before[i].sa_handler == SIG_IGN) continue;
    sigaction(signals[i], &action, NULL);
  }
}

static void release(int count) {
  for (int i = 0; i < count; i++) {
    if (--users[i] == 0) sigaction(signals[i], &before[i], NULL);
  }
}

static int make_pipe(int ends[2], int flags) {
  return pipe2(ends, O_CLOEXEC | flags);
}

int cle_wake_begin(void) {
  int result = -1;
  pthread_mutex_lock(&lock);
  if (!reading && (wake_pipe[0] >= 0 || make_pipe(wake_pipe, O_NONBLOCK) == 0)) {
    unsigned char stale[64];
    while (read(wake_pipe[0], stale, sizeof stale) > 0) {}
    reading = 1;
    acquire(SIGNAL_COUNT);
    result = 0;
  } else if (reading) {
    errno = EBUSY;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

void cle_wake_end(void) {
  pthread_mutex_lock(&lock);
  if (reading) {
    release(SIGNAL_COUNT);
    reading = 0;
  }
  pthread_mutex_unlock(&lock);
}

void cle_wake(void) {
  pthread_mutex_lock(&lock);
  unsigned char byte = 0;
  if (reading && write(wake_pipe[1], &byte, 1) < 0) {
    // A full pipe wakes the reader as well as one more byte would.
  }
  pthread_mutex_unlock(&lock);
}

void cle_wake_board(void) {
  pthread_mutex_lock(&lock);
  unsigned char byte = WAKE_BOARD;
  if (reading && write(wake_pipe[1], &byte, 1) < 0) {
    // A full pipe wakes the reader as well as one more byte would.
  }
  pthread_mutex_unlock(&lock);
}

enum wake wait_input(int fd, int *signal_number) {
  struct pollfd polled[2] = {{.fd = wake_pipe[0], .events = POLLIN}, {.fd = fd, .events = POLLIN}};
  for (;;) {
    int count = poll(polled, 2, -1);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return WAKE_FAILED;
    unsigned char byte;
    if (polled[0].revents && read(wake_pipe[0], &byte, 1) == 1) {
      *signal_number = byte;
      return WAKE_SIGNAL;
    }
    if (polled[1].revents & POLLNVAL) {
      errno = EBADF;
      return WAKE_FAILED;
    }
    if (polled[1].revents) return WAKE_INPUT;
  }
}

enum cle_outcome cle_wait_readable(int fd) {
  for (;;) {
    int number = 0;
    switch (wait_input(fd, &number)) {
    case WAKE_INPUT: return CLE_READY;
    case WAKE_FAILED: return CLE_FAILED;
    case WAKE_SIGNAL:
      if (number != SIGWINCH && number != SIGCONT && number != WAKE_BOARD) return CLE_INTERRUPTED;
    }
  }
}

int read_byte(int fd, unsigned char *byte) {
  for (;;) {
    ssize_t count = read(fd, byte, 1);
    if (count >= 0) return (int)count;
    if (errno == EINTR) continue;
    // A terminal whose other end has gone reads as EIO: that is the end of input.
    return errno == EIO ? 0 : -1;
  }
}

void write_all(int fd, const char *text, size_t length) {
  while (length > 0) {
    ssize_t count = write(fd, text, length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      struct pollfd polled = {.fd = fd, .events = POLLOUT};
      poll(&polled, 1, -1);
      continue;
    }
    if (count <= 0) return;
    text += count;
    length -= (size_t)count;
  }
}

int cle_monitor_open(void) {
  static int ends[2] = {-1, -1};
  pthread_mutex_lock(&lock);
  if (ends[0] < 0 && make_pipe(ends, 0) == 0) {
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    monitor_writer = ends[1];
    acquire(INTERRUPTS);
  }
  pthread_mutex_unlock(&lock);
  return ends[0];
}
