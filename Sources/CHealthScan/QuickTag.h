// The quick reading of one tag, included once for each set of instructions: `QUICK` is its name,
// `MASKS` what finds the characters that matter in 64 bytes.

// Longer tags, and such with more attributes, are read with care.
#define QUICK_BYTES 4096
#define QUICK_QUOTES 64

static QUICK_TARGET hs_outcome QUICK(
    hs_tag *tag, hs_shape *shape, const uint8_t *p, long available) {
  long quotes[QUICK_QUOTES];
  int count = 0;
  uint64_t carry = 0;
  long end = -1;
  for (long at = 0; end < 0; at += 64) {
    if (at >= available) return TAG_WANTS_MORE;
    uint64_t quote, greater, less, odd;
    MASKS(p + at, &quote, &greater, &less, &odd);
    if (available - at < 64) {
      uint64_t valid = (1ull << (available - at)) - 1;
      quote &= valid, greater &= valid, less &= valid, odd &= valid;
    }
    // From each opening quote up to its closing one: the parity of the quotes so far.
    uint64_t inside = quote;
    inside ^= inside << 1, inside ^= inside << 2, inside ^= inside << 4;
    inside ^= inside << 8, inside ^= inside << 16, inside ^= inside << 32;
    inside ^= carry;
    uint64_t bad = less | (odd & ~inside), ends = greater & ~inside;
    if (ends) {
      uint64_t before = (ends & -ends) - 1;
      end = at + __builtin_ctzll(ends);
      bad &= before, quote &= before;
    }
    if (bad || at >= QUICK_BYTES) return TAG_WANTS_CARE;
    if (count + __builtin_popcountll(quote) > QUICK_QUOTES) return TAG_WANTS_CARE;
    for (; quote; quote &= quote - 1) quotes[count++] = at + __builtin_ctzll(quote);
    carry = (uint64_t)((int64_t)inside >> 63);
  }
  return hs_take_apart(tag, shape, p, end, quotes, count);
}

#undef QUICK
#undef QUICK_TARGET
#undef MASKS
