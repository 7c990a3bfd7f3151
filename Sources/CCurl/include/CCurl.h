// The calls of libcurl that Swift cannot make: the variadic ones, each as a function of one type.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

// The signature of CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
typedef size_t (*ccurl_data_callback)(char *data, size_t size, size_t count, void *context);

// curl_easy_setopt, for options that take a long.
CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);
// curl_easy_setopt, for options that take a curl_off_t.
CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
// curl_easy_setopt, for options that take a string, which libcurl copies; NULL restores the default.
CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value);
// curl_easy_setopt, for options that take data or a context, which must outlive its use.
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value);
// curl_easy_setopt, for options that take a list, which must outlive the transfer.
CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
// curl_easy_setopt, for options that take a data callback.
CURLcode ccurl_set_callback(CURL *handle, CURLoption option, ccurl_data_callback value);

// curl_easy_getinfo(CURLINFO_PRIVATE): the context set with CURLOPT_PRIVATE, or NULL.
void *ccurl_get_private(CURL *handle);
// curl_easy_getinfo, for a long; 0 where the information is missing.
long ccurl_get_long(CURL *handle, CURLINFO info);

// curl_multi_setopt, for options that take a long.
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

// A multi handle whose sockets are watched by epoll, so that a pass costs what happened in it and not how many
// transfers are open. Everything but ccurl_loop_wake belongs to one thread.
typedef struct ccurl_loop ccurl_loop;

// NULL if the system has no handle for it.
ccurl_loop *ccurl_loop_create(void);
void ccurl_loop_destroy(ccurl_loop *loop);
CURLM *ccurl_loop_multi(ccurl_loop *loop);
// Ends the wait, or the next one. Any thread may call it.
void ccurl_loop_wake(ccurl_loop *loop);
// Waits until sockets are ready, a timer of libcurl's is due, or the milliseconds are over.
// True if it was woken.
bool ccurl_loop_wait(ccurl_loop *loop, int milliseconds);
// Lets libcurl work on the sockets that were ready, and on its timers if they're due.
void ccurl_loop_act(ccurl_loop *loop);

// CURL_WRITEFUNC_PAUSE, whose macro Swift does not import.
size_t ccurl_write_pause(void);

#endif
