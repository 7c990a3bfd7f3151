// A model's server that answers at once, or at a pace: OpenAI's chat completions on loopback, one thread.
//
//     model PORT WORDS GAP_US WAIT_US [FOLDER]
//
// A reply has WORDS chunks with GAP_US microseconds between them; with a gap, each says when it was sent
// (" t=<CLOCK_MONOTONIC ns>"). An answer in JSON (evidence, starters) comes after WAIT_US. A request whose
// text says "at great length" gets 20,000 words, as fast as they're taken. FOLDER receives the first
// request of each kind in each turn of a conversation (evidence-1.json, reply-1.json, …), so that a relay can
// send the same ones; only one client may talk then. GET /count says how many of each were answered.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 16384, LONG_WORDS = 20000 };
enum kind { EVIDENCE, STARTERS, REPLY, LONG, OTHER };

typedef struct {
  char *in;
  size_t in_length, in_size;
  char *out;
  size_t out_length, out_sent, out_size;
  uint64_t due;    // when the next part is sent; 0 if nothing is owed
  int words_left;  // of a reply with a gap
  int in_heap;
  char *answer;  // a whole answer that waits until it's due
  size_t answer_length;
} connection;

static connection connections[MOST_CONNECTIONS];
static int heap[MOST_CONNECTIONS], heap_length;
static int words, poller;
static uint64_t gap_ns, wait_ns;
static unsigned long answered[5];
static const char *folder;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

// What is due, earliest first.

static void swap(int a, int b) {
  int other = heap[a];
  heap[a] = heap[b];
  heap[b] = other;
}

static void schedule(int fd, uint64_t due) {
  connections[fd].due = due;
  connections[fd].in_heap = 1;
  int at = heap_length++;
  heap[at] = fd;
  while (at && connections[heap[(at - 1) / 2]].due > connections[heap[at]].due) {
    swap(at, (at - 1) / 2);
    at = (at - 1) / 2;
  }
}

static int next_due(void) {
  int fd = heap[0];
  heap[0] = heap[--heap_length];
  for (int at = 0;;) {
    int least = at;
    for (int child = 2 * at + 1; child <= 2 * at + 2; child++)
      if (child < heap_length && connections[heap[child]].due < connections[heap[least]].due)
        least = child;
    if (least == at) break;
    swap(at, least);
    at = least;
  }
  connections[fd].in_heap = 0;
  return fd;
}

// Answers.

static const char HEAD[] =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

static size_t event(char *out, const char *delta, const char *finish) {
  char body[1024];
  int n = snprintf(body, sizeof body,
                   "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
                   "\"model\":\"bench\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n",
                   delta, finish);
  return (size_t)sprintf(out, "%x\r\n%s\r\n", n, body);
}

static size_t content(char *out, const char *text) {
  char delta[900];
  snprintf(delta, sizeof delta, "{\"content\":\"%s\"}", text);
  return event(out, delta, "null");
}

static size_t begin(char *out) {
  size_t n = (size_t)sprintf(out, "%s", HEAD);
  return n + event(out + n, "{\"role\":\"assistant\",\"content\":\"\"}", "null");
}

static size_t end(char *out) {
  static const char usage[] =
      "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
      "\"model\":\"bench\",\"choices\":[],\"usage\":{\"prompt_tokens\":600,\"completion_tokens\":20,"
      "\"total_tokens\":620}}\n\n";
  size_t n = event(out, "{}", "\"stop\"");
  n += (size_t)sprintf(out + n, "%zx\r\n%s\r\n", sizeof usage - 1, usage);
  return n + (size_t)sprintf(out + n, "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
}

static const char *const WORDS[] = {" What", " usually", " gets", " in", " the", " way", " on", " the",
                                    " days", " when", " you", " meant", " to", " train", " and",
                                    " then", " did", " not", " in", " the", " end"};

// What the user said in each turn, as load.c says it.
static const struct {
  const char *facet, *quote;
} FACTS[] = {{"goalClarity.outcome", "drop about 20 lbs"},
             {"obstacles.barrier", "work eats my evenings"},
             {"lifestyle.availability", "mornings before eight"},
             {"exercisePreferences.activities", "I like rowing"}};

// The turn that an evidence request is about.
static int turn_of(const char *request) {
  // The prompt explains it first.
  const char *at = request, *last = NULL;
  while ((at = strstr(at, "newUserTurns"))) last = at++;
  int turn = last ? atoi(last + strcspn(last, "0123456789")) : 1;
  return turn < 1 ? 1 : turn;
}

static size_t evidence(char *out, const char *request) {
  int turn = turn_of(request), fact = (turn - 1) % 4;
  char text[512];
  size_t n = begin(out);
  snprintf(text, sizeof text,
           "{\\\"evidence\\\":[{\\\"facet\\\":\\\"%s\\\",\\\"turn\\\":%d,\\\"quote\\\":\\\"%s\\\","
           "\\\"about\\\":\\\"self\\\"}],",
           FACTS[fact].facet, turn, FACTS[fact].quote);
  n += content(out + n, text);
  n += content(out + n, "\\\"retracted\\\":[],\\\"withheld\\\":[],\\\"stated\\\":[],");
  n += content(out + n, "\\\"care\\\":\\\"none\\\"}");
  return n + end(out + n);
}

static size_t starters(char *out) {
  size_t n = begin(out);
  n += content(out + n, "{\\\"goals\\\":[{\\\"label\\\":\\\"run 5k\\\",\\\"text\\\":\\\"I want to run 5k\\\"}],");
  n += content(out + n, "\\\"context\\\":[{\\\"label\\\":\\\"desk job\\\",\\\"text\\\":\\\"I sit all day\\\"}],");
  n += content(out + n, "\\\"challenges\\\":[{\\\"label\\\":\\\"no time\\\",\\\"text\\\":\\\"I have no time\\\"}]}");
  return n + end(out + n);
}

static enum kind kind_of(const char *request) {
  if (strncmp(request, "GET", 3) == 0) return OTHER;
  if (strstr(request, "\"name\":\"evidence\"")) return EVIDENCE;
  if (strstr(request, "\"name\":\"starters\"")) return STARTERS;
  return strstr(request, "at great length") ? LONG : REPLY;
}

static void keep(enum kind kind, const char *body, size_t length) {
  static int turn;
  static const char *const names[] = {"evidence", "starters", "reply", "long"};
  if (!folder || kind == OTHER) return;
  // The evidence is asked for first in each turn.
  if (kind == EVIDENCE) turn = turn_of(body);
  char path[4096];
  snprintf(path, sizeof path, "%s/%s-%d.json", folder, names[kind], turn);
  FILE *file = fopen(path, "wx");
  if (!file) return;
  fwrite(body, 1, length, file);
  fclose(file);
}

// Connections.

static void drop(int fd) {
  connection *c = &connections[fd];
  if (c->in_heap) {  // It's taken out when it's due.
    shutdown(fd, SHUT_RDWR);
    epoll_ctl(poller, EPOLL_CTL_DEL, fd, NULL);
    c->words_left = -1;
    return;
  }
  close(fd);
  free(c->in);
  free(c->out);
  free(c->answer);
  memset(c, 0, sizeof *c);
}

static char *room(connection *c, size_t bytes) {
  if (c->out_sent == c->out_length) c->out_sent = c->out_length = 0;
  if (c->out_length + bytes > c->out_size)
    c->out = realloc(c->out, c->out_size = (c->out_length + bytes) * 2);
  return c->out + c->out_length;
}

// False if the connection is gone.
static int flush(int fd) {
  connection *c = &connections[fd];
  while (c->out_sent < c->out_length) {
    ssize_t n = send(fd, c->out + c->out_sent, c->out_length - c->out_sent, MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN;
    c->out_sent += (size_t)n;
  }
  return 1;
}

static void put(connection *c, const char *bytes, size_t length) {
  memcpy(room(c, length), bytes, length);
  c->out_length += length;
}

static int answer(int fd, enum kind kind, const char *request) {
  static char buffer[1 << 16];
  connection *c = &connections[fd];
  size_t n = 0;
  switch (kind) {
  case OTHER:
    n = (size_t)sprintf(buffer, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                                "connection: close\r\n\r\n"
                                "{\"evidence\": %lu, \"starters\": %lu, \"reply\": %lu}\n",
                        answered[EVIDENCE], answered[STARTERS], answered[REPLY] + answered[LONG]);
    put(c, buffer, n);
    flush(fd);
    return 0;
  case EVIDENCE: n = evidence(buffer, request); break;
  case STARTERS: n = starters(buffer); break;
  case LONG:
    put(c, buffer, begin(buffer));
    for (int i = 0; i < LONG_WORDS; i++) put(c, buffer, content(buffer, WORDS[i % 21]));
    put(c, buffer, end(buffer));
    return flush(fd);
  case REPLY:
    n = begin(buffer);
    if (gap_ns) {
      put(c, buffer, n);
      c->words_left = words;
      schedule(fd, now_ns() + gap_ns);
      return flush(fd);
    }
    for (int i = 0; i < words; i++) n += content(buffer + n, WORDS[i % 21]);
    n += end(buffer + n);
  }
  if (kind == REPLY || !wait_ns) {
    put(c, buffer, n);
    return flush(fd);
  }
  c->answer = malloc(n);
  memcpy(c->answer, buffer, c->answer_length = n);
  schedule(fd, now_ns() + wait_ns);
  return 1;
}

static int part(int fd) {
  connection *c = &connections[fd];
  if (c->words_left < 0) return 0;
  if (c->answer) {
    put(c, c->answer, c->answer_length);
    free(c->answer);
    c->answer = NULL;
    return flush(fd);
  }
  char text[64], buffer[2048];
  size_t n;
  if (c->words_left--) {
    snprintf(text, sizeof text, " t=%llu", (unsigned long long)now_ns());
    n = content(buffer, text);
    schedule(fd, c->due + gap_ns);
  } else {
    c->words_left = 0;
    n = end(buffer);
  }
  put(c, buffer, n);
  return flush(fd);
}

static int take(int fd) {
  connection *c = &connections[fd];
  for (;;) {
    if (c->in_size - c->in_length < 4096) c->in = realloc(c->in, c->in_size = c->in_size * 2 + 32768);
    ssize_t n = recv(fd, c->in + c->in_length, c->in_size - c->in_length - 1, 0);
    if (n < 0 && errno == EAGAIN) return 1;
    if (n <= 0) return 0;
    c->in_length += (size_t)n;
    c->in[c->in_length] = 0;
    char *head_end = strstr(c->in, "\r\n\r\n");
    if (!head_end) continue;
    char *length = strcasestr(c->in, "\ncontent-length:");
    size_t need = (size_t)(head_end + 4 - c->in) +
                  (length && length < head_end ? strtoul(length + 16, NULL, 10) : 0);
    if (c->in_length < need) {
      char *expects = strcasestr(c->in, "\nexpect:");
      if (expects && expects < head_end && c->in_length == (size_t)(head_end + 4 - c->in))
        put(c, "HTTP/1.1 100 Continue\r\n\r\n", 25);
      if (!flush(fd)) return 0;
      continue;
    }
    enum kind kind = kind_of(c->in);
    keep(kind, head_end + 4, need - (size_t)(head_end + 4 - c->in));
    answered[kind]++;
    int isAlive = answer(fd, kind, c->in);
    c->in_length -= need;
    memmove(c->in, c->in + need, c->in_length);
    if (!isAlive) return 0;
  }
}

int main(int count, char **arguments) {
  if (count < 5) return fprintf(stderr, "usage: model PORT WORDS GAP_US WAIT_US [FOLDER]\n"), 64;
  words = atoi(arguments[2]);
  gap_ns = strtoull(arguments[3], NULL, 10) * 1000;
  wait_ns = strtoull(arguments[4], NULL, 10) * 1000;
  folder = count > 5 ? arguments[5] : NULL;
  signal(SIGPIPE, SIG_IGN);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(arguments[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (void *)&address, sizeof address) || listen(listener, 4096))
    return perror("model"), 1;
  poller = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {.fd = listener}}, events[256];
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  puts("ready");
  fflush(stdout);
  for (;;) {
    int timeout = -1;
    if (heap_length) {
      uint64_t now = now_ns(), due = connections[heap[0]].due;
      timeout = due <= now ? 0 : (int)((due - now + 999999) / 1000000);
    }
    int ready = epoll_wait(poller, events, 256, timeout);
    uint64_t now = now_ns();
    while (heap_length && connections[heap[0]].due <= now) {
      int fd = next_due();
      if (!part(fd)) drop(fd);
    }
    for (int i = 0; i < ready; i++) {
      int fd = events[i].data.fd;
      if (fd != listener) {
        int isAlive = !(events[i].events & EPOLLOUT) || flush(fd);
        if (isAlive && events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) isAlive = take(fd);
        if (!isAlive) drop(fd);
        continue;
      }
      for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
        if (fd >= MOST_CONNECTIONS) { close(fd); continue; }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        event = (struct epoll_event){EPOLLIN | EPOLLOUT | EPOLLET, {.fd = fd}};
        epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
      }
    }
  }
}
