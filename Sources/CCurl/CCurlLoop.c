#define _GNU_SOURCE
#include "CCurl.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

// What arrived is handed on after each round, so many at once would wait for each other.
enum { MOST_EVENTS = 32 };

static const int64_t NEVER = INT64_MAX;

struct ccurl_loop {
  CURLM *multi;
  int poller, waker;
  int64_t due;  // libcurl's timer, in milliseconds of the monotonic clock
  struct epoll_event events[MOST_EVENTS];
  int ready;
};

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
  (void)easy;
  ccurl_loop *loop = context;
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(loop->poller, EPOLL_CTL_DEL, socket, NULL);
    curl_multi_assign(loop->multi, socket, NULL);
    return 0;
  }
  struct epoll_event event = {
      .events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) | (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0),
      .data.fd = socket};
  if (!known) curl_multi_assign(loop->multi, socket, loop);
  if (known && epoll_ctl(loop->poller, EPOLL_CTL_MOD, socket, &event) == 0) return 0;
  // New, or closed and opened again under the same number, which takes a socket off the poller by itself.
  return epoll_ctl(loop->poller, EPOLL_CTL_ADD, socket, &event) == 0 ? 0 : -1;
}

static int set_timer(CURLM *multi, long milliseconds, void *context) {
  (void)multi;
  ((ccurl_loop *)context)->due = milliseconds < 0 ? NEVER : now_ms() + milliseconds;
  return 0;
}

ccurl_loop *ccurl_loop_create(void) {
  ccurl_loop *loop = calloc(1, sizeof *loop);
  if (!loop) return NULL;
  loop->due = NEVER;
  loop->multi = curl_multi_init();
  loop->poller = epoll_create1(EPOLL_CLOEXEC);
  loop->waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = loop->waker};
  if (!loop->multi || loop->poller < 0 || loop->waker < 0 ||
      epoll_ctl(loop->poller, EPOLL_CTL_ADD, loop->waker, &event) != 0) {
    ccurl_loop_destroy(loop);
    return NULL;
  }
  curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, watch);
  curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
  curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, set_timer);
  curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
  return loop;
}

void ccurl_loop_destroy(ccurl_loop *loop) {
  // It takes its sockets off the poller.
  if (loop->multi) curl_multi_cleanup(loop->multi);
  if (loop->poller >= 0) close(loop->poller);
  if (loop->waker >= 0) close(loop->waker);
  free(loop);
}

CURLM *ccurl_loop_multi(ccurl_loop *loop) { return loop->multi; }

void ccurl_loop_wake(ccurl_loop *loop) { eventfd_write(loop->waker, 1); }

bool ccurl_loop_wait(ccurl_loop *loop, int milliseconds) {
  if (loop->due != NEVER) {
    int64_t left = loop->due - now_ms();
    if (left < milliseconds) milliseconds = left < 0 ? 0 : (int)left;
  }
  int ready = epoll_wait(loop->poller, loop->events, MOST_EVENTS, milliseconds);
  loop->ready = 0;
  bool woken = false;
  for (int i = 0; i < ready; i++) {
    if (loop->events[i].data.fd == loop->waker) {
      woken = true;
      // Read before the caller looks for work: read after it, this would swallow a wake for newer work.
      eventfd_t count;
      eventfd_read(loop->waker, &count);
    } else {
      loop->events[loop->ready++] = loop->events[i];
    }
  }
  return woken;
}

void ccurl_loop_act(ccurl_loop *loop) {
  int running = 0;
  for (int i = 0; i < loop->ready; i++) {
    struct epoll_event event = loop->events[i];
    int what = (event.events & EPOLLIN ? CURL_CSELECT_IN : 0) | (event.events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
               (event.events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
    curl_multi_socket_action(loop->multi, event.data.fd, what, &running);
  }
  loop->ready = 0;
  if (loop->due > now_ms()) return;
  loop->due = NEVER;
  curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}
