#pragma once
// For memmem.
#define _GNU_SOURCE
#include <string.h>
#include "CHealthScan.h"

typedef enum { IN_PROLOG, IN_ROOT, AFTER_ROOT } hs_place;
typedef enum { IN_CONTENT, IN_COMMENT, IN_CDATA, IN_INSTRUCTION } hs_mode;

typedef struct {
  uint8_t length;
  uint8_t element;
  uint8_t is_reported;
  char name[HS_NAME_LIMIT];
} hs_open;

struct hs_scanner {
  hs_consumer consumer;
  hs_counts counts;
  long malformed[HS_ELEMENTS];
  hs_place place;
  hs_mode mode;
  int has_looked, has_begun, has_window, seen_doctype, finds_latest;
  int depth;
  hs_open open[HS_DEPTH_LIMIT];
  char first_day[16], last_day[16], latest[24], latest_limit[24];
  long offset;
  long error_offset;
  char error_name[64];
  hs_tag tag;
  // Decoded values of one tag.
  uint8_t scratch[HS_VALUE_LIMIT];
  long scratch_used;
};

// A start tag as it was read; positions are from the byte after '<'.
typedef struct {
  hs_element element;
  long name_length;
  // Bytes from after '<' up to and with '>' (or up to a '<' that comes instead).
  long length;
  int is_closed, is_malformed;
} hs_shape;

typedef enum { TAG_DONE, TAG_WANTS_MORE, TAG_WANTS_CARE, TAG_ERROR } hs_outcome;

extern int hs_vectors;

hs_element hs_element_named(const uint8_t *name, long length);
hs_attribute hs_attribute_named(const uint8_t *name, long length);
hs_kind hs_kind_named(const uint8_t *type, long length);

// Reads a well-written tag quickly; TAG_WANTS_CARE for all others.
hs_outcome hs_read_quickly(hs_tag *tag, hs_shape *shape, const uint8_t *p, long available);
// Reads any tag.
hs_outcome hs_read_carefully(
    hs_tag *tag, hs_shape *shape, const uint8_t *p, long available, int is_last, hs_status *error);

// Replaces values that hold entities or controls by what they mean.
hs_status hs_decode_values(hs_scanner *s, hs_tag *tag);
hs_status hs_decode(hs_scanner *s, hs_text *text);

// The length of a document type declaration after "<!DOCTYPE", 0 when it has not ended yet.
long hs_doctype_length(const uint8_t *p, long available, int is_last, hs_status *error);
int hs_is_utf8(const uint8_t *p, long length);
int hs_is_date(const uint8_t *p, long length);

static inline int hs_is_space(uint8_t c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

static inline void hs_set(hs_tag *tag, hs_attribute name, const uint8_t *p, long length) {
  tag->present |= 1u << name;
  tag->attributes[name].bytes = p;
  tag->attributes[name].length = length;
}
