#define _GNU_SOURCE
#include "internal.h"
#include <pthread.h>
#include <wchar.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t utf8;

static void find_locale(void) {
  static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8", ""};
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !utf8; i++) {
    utf8 = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
  }
}

// A locale for the thread and not setlocale(): that one changes the process under other threads.
locale_t enter_utf8(void) {
  pthread_once(&once, find_locale);
  return utf8 ? uselocale(utf8) : (locale_t)0;
}

void leave_utf8(locale_t previous) {
  if (previous) uselocale(previous);
}

int cle_width(uint32_t scalar) {
  locale_t previous = enter_utf8();
  int width = wcwidth((wchar_t)scalar);
  leave_utf8(previous);
  return width;
}
