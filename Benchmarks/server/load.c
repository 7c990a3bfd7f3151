// Many people at once who talk with a server: one thread, keep-alive connections on loopback.
//
//     load PORT CLIENTS SECONDS [STALLED [RAMP]]
//
// Each client sends the next message of a conversation when the stream of the last one has ended, and begins
// a new conversation after four. STALLED further clients ask for a long reply and never read it. The clients
// come evenly over RAMP seconds, since people don't press Enter in the same millisecond. The first second
// after that isn't counted. Prints one JSON object: turns, failures, all turns and the CPU time that this program
// took for them, and percentiles of a turn's time, of the time to the first word, and of the delay that was
// added to each word (if the model stamps them).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_LINE = 1 << 16, TURNS = 4 };

static const char *const MESSAGES[TURNS] = {
    "I want to drop about 20 lbs, and keep it off this time", "work eats my evenings, so I skip",
    "mornings before eight would be possible on most days", "I like rowing, and I hate running"};

typedef struct {
  int fd, turn, has_words, has_done, status;
  char conversation[64];
  uint64_t begun;
  // Reading chunks.
  enum { HEAD, SIZE, DATA, DATA_END, TRAILER } phase;
  size_t left;
  char *line;
  size_t length;
} client;

typedef struct {
  uint64_t *values;
  size_t count, size;
} samples;

static samples turn_times, first_words, delays;
static client *clients;
static int poller, port, is_counting;
static unsigned long turns, all_turns, failures, words;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void note(samples *samples, uint64_t value) {
  if (!is_counting) return;
  if (samples->count == samples->size)
    samples->values = realloc(samples->values, (samples->size = samples->size * 2 + 4096) * 8);
  samples->values[samples->count++] = value;
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void print(const char *name, samples *samples) {
  if (!samples->count) return;
  qsort(samples->values, samples->count, 8, by_value);
  printf(", \"%s\": {\"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f}", name,
         (double)samples->values[samples->count / 2] / 1e6,
         (double)samples->values[samples->count * 99 / 100] / 1e6,
         (double)samples->values[samples->count - 1] / 1e6);
}

static int dial(int receive_buffer) {
  int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  if (receive_buffer) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (connect(fd, (void *)&address, sizeof address)) return perror("connect"), exit(1), -1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

static void ask(int fd, const char *conversation, const char *message) {
  char body[512], request[1024];
  int n = snprintf(body, sizeof body, *conversation ? "{\"conversation_id\":\"%s\",\"message\":\"%s\"}"
                                                    : "{%s\"message\":\"%s\"}", conversation, message);
  int length = snprintf(request, sizeof request,
                        "POST /chat-stream HTTP/1.1\r\nhost: 127.0.0.1:%d\r\naccept: text/event-stream\r\n"
                        "content-type: application/json\r\ncontent-length: %d\r\n\r\n%s", port, n, body);
  if (send(fd, request, (size_t)length, MSG_NOSIGNAL) != length) failures++;
}

static void next_turn(client *c) {
  if (c->turn == TURNS) c->turn = 0, c->conversation[0] = 0;
  c->has_words = c->has_done = c->status = 0;
  c->phase = HEAD;
  c->length = 0;
  c->begun = now_ns();
  ask(c->fd, c->conversation, MESSAGES[c->turn++]);
}

static void reopen(client *c) {
  if (c->fd >= 0) close(c->fd);
  c->fd = dial(0);
  c->conversation[0] = 0;
  c->turn = 0;
  struct epoll_event event = {EPOLLIN, {.ptr = c}};
  epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event);
  next_turn(c);
}

static void take_line(client *c, uint64_t now) {
  char *line = c->line;
  line[c->length] = 0;
  if (strncmp(line, "data: ", 6) != 0) return;
  char *id = strstr(line, "\"conversation_id\":\"");
  if (id) sscanf(id + 19, "%63[^\"]", c->conversation);
  if (strstr(line, "\"type\":\"delta\"")) {
    if (!c->has_words) note(&first_words, now - c->begun);
    c->has_words = 1;
    if (is_counting) words++;
    for (char *at = line; (at = strstr(at, " t=")); at++)
      note(&delays, now - strtoull(at + 3, NULL, 10));
  }
  if (strstr(line, "\"type\":\"done\"")) c->has_done = !strstr(line, "\"failed\":true");
}

// True when the response is complete.
static int take(client *c, const char *bytes, size_t count, uint64_t now) {
  for (size_t at = 0; at < count;) {
    char byte = bytes[at];
    if (c->phase == DATA) {
      size_t most = c->left < count - at ? c->left : count - at;
      for (size_t i = 0; i < most; i++) {
        if (bytes[at + i] == '\n') take_line(c, now), c->length = 0;
        else if (c->length < LONGEST_LINE - 1) c->line[c->length++] = bytes[at + i];
      }
      at += most;
      if (!(c->left -= most)) c->phase = DATA_END;
      continue;
    }
    at++;
    if (c->phase == DATA_END) {
      if (byte == '\n') c->phase = SIZE, c->left = 0;
    } else if (c->phase == SIZE) {
      if (byte == '\n') c->phase = c->left ? DATA : TRAILER, c->length = 0;
      else if (byte != '\r') c->left = c->left * 16 + strtoul((char[]){byte, 0}, NULL, 16);
    } else if (c->phase == TRAILER) {
      if (byte == '\n') return 1;
    } else if (c->length < LONGEST_LINE - 1) {
      c->line[c->length++] = byte;
      if (c->length < 4 || memcmp(c->line + c->length - 4, "\r\n\r\n", 4) != 0) continue;
      c->line[c->length] = 0;
      c->status = atoi(c->line + 9);
      c->length = 0;
      if (c->status != 200 || !strcasestr(c->line, "chunked")) return 1;
      c->phase = SIZE;
      c->left = 0;
    }
  }
  return 0;
}

static void read_from(client *c) {
  static char bytes[1 << 16];
  ssize_t count = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return;
  uint64_t now = now_ns();
  if (count > 0 && !take(c, bytes, (size_t)count, now)) return;
  int isDone = count > 0 && c->status == 200 && c->has_done;
  if (is_counting) isDone ? turns++ : failures++;
  all_turns += (unsigned long)isDone;
  if (!isDone) return reopen(c);
  note(&turn_times, now - c->begun);
  next_turn(c);
}

int main(int count, char **arguments) {
  if (count < 4) return fprintf(stderr, "usage: load PORT CLIENTS SECONDS [STALLED [RAMP]]\n"), 64;
  port = atoi(arguments[1]);
  int wanted = atoi(arguments[2]), stalled = count > 4 ? atoi(arguments[4]) : 0;
  double seconds = atof(arguments[3]), ramp = count > 5 ? atof(arguments[5]) : 0;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  signal(SIGPIPE, SIG_IGN);
  poller = epoll_create1(0);
  for (int i = 0; i < stalled; i++) ask(dial(4096), "", "please answer at great length");
  clients = calloc((size_t)wanted, sizeof *clients);
  for (int i = 0; i < wanted; i++) {
    clients[i].fd = -1;
    clients[i].line = malloc(LONGEST_LINE);
  }
  uint64_t begun = now_ns(), start = begun + (uint64_t)((ramp + 1) * 1e9), end = start + (uint64_t)(seconds * 1e9);
  struct epoll_event events[256];
  int open = 0;
  for (uint64_t now; (now = now_ns()) < end;) {
    is_counting = now >= start;
    while (open < wanted && (double)(now - begun) >= ramp * 1e9 * open / wanted) reopen(&clients[open++]);
    int ready = epoll_wait(poller, events, 256, open < wanted ? 1 : 100);
    for (int i = 0; i < ready; i++) read_from(events[i].data.ptr);
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("{\"turns\": %lu, \"seconds\": %g, \"failures\": %lu, \"words\": %lu", turns, seconds, failures,
         words);
  printf(", \"all_turns\": %lu, \"cpu_seconds\": %.3f", all_turns,
         (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
             (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
  print("turn_ms", &turn_times);
  print("first_word_ms", &first_words);
  print("delay_ms", &delays);
  puts("}");
}
