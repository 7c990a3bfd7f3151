// Included once for each kind of processor; KIND ends the names of its functions.

#define load RENAMED(load)
#define store RENAMED(store)
#define all RENAMED(all)
#define total RENAMED(total)
#define choose RENAMED(choose)
#define power_of RENAMED(power_of)
#define power RENAMED(power)
#define gelu RENAMED(gelu)
#define quantize RENAMED(quantize)
#define unquantize RENAMED(unquantize)
#define normalize RENAMED(normalize)
#define embed RENAMED(embed)
#define attend RENAMED(attend)
#define dot RENAMED(dot)
#define judge RENAMED(judge)
#define weigh RENAMED(weigh)

ALWAYS lanes load(const float *place) {
  lanes value;
  memcpy(&value, place, sizeof value);
  return value;
}

ALWAYS void store(float *place, lanes value) { memcpy(place, &value, sizeof value); }

ALWAYS lanes all(float value) {
  return (lanes){value, value, value, value, value, value, value, value,
                 value, value, value, value, value, value, value, value};
}

ALWAYS float total(lanes v) {
  float eight[8], four[4];
  for (int i = 0; i < 8; i++) eight[i] = v[i] + v[i + 8];
  for (int i = 0; i < 4; i++) four[i] = eight[i] + eight[i + 4];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

ALWAYS lanes choose(whole mask, lanes a, lanes b) {
  return (lanes)(((whole)a & mask) | ((whole)b & ~mask));
}

// e to the power of x, to within 2e-7 of it, for x from -87 to 87; beyond, as at the end.
ALWAYS lanes power(lanes x) {
  x = choose(x < -87.0f, all(-87.0f), x);
  x = choose(x > 87.0f, all(87.0f), x);
  lanes shifted = x * 1.44269504f + 12582912.0f;
  lanes steps = shifted - 12582912.0f;
  lanes rest = x - steps * 0.693359375f;
  rest = rest - steps * -2.12194440e-4f;
  lanes y = all(1.9875691500e-4f);
  y = y * rest + 1.3981999507e-3f;
  y = y * rest + 8.3334519073e-3f;
  y = y * rest + 4.1665795894e-2f;
  y = y * rest + 1.6666665459e-1f;
  y = y * rest + 5.0000001201e-1f;
  y = y * (rest * rest) + rest + 1.0f;
  whole exponent = ((whole)shifted - 0x4b400000 + 127) << 23;
  return y * (lanes)exponent;
}

// x times the share of a normal distribution below x, to within 2e-7.
ALWAYS lanes gelu(lanes x) {
  lanes z = choose(x < 0.0f, -x, x) * 0.70710678f;
  lanes t = 1.0f / (1.0f + 0.3275911f * z);
  lanes p = all(1.061405429f);
  p = p * t - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  lanes tail = 0.5f * (p * t) * power(-(z * z));
  return x * choose(x < 0.0f, tail, 1.0f - tail);
}

// MARK: Rows

// Rounds each row to whole numbers of up to 127 times a scale of its own.
static void quantize(const float *rows, long count, long width, working *w) {
  for (long row = 0; row < count; row++) {
    const float *x = rows + row * width;
    int8_t *bytes = w->bytes + row * width;
    lanes most = all(0);
    for (long i = 0; i < width; i += LANES) {
      lanes value = load(x + i);
      value = choose(value < 0.0f, -value, value);
      most = choose(value > most, value, most);
    }
    float largest = 1e-12f;
    for (int i = 0; i < LANES; i++) largest = most[i] > largest ? most[i] : largest;
    float factor = 127.0f / largest;
    whole sum = {0};
    for (long i = 0; i < width; i += LANES) {
      // Adding a large number rounds to a whole one.
      whole value = (whole)(load(x + i) * factor + 12582912.0f) - 0x4b400000;
      sum += value;
      small eight = __builtin_convertvector(value, small);
      memcpy(bytes + i, &eight, sizeof eight);
    }
    int32_t together = 0;
    for (int i = 0; i < LANES; i++) together += sum[i];
    w->scales[row] = largest / 127.0f;
    w->totals[row] = together;
  }
}

static void unquantize(const int32_t *sums, long rows, const float *scales,
                            const int32_t *totals, const float *factors, const float *biases,
                            float *out, long width, enum after after) {
  lanes factor = load(factors), bias = load(biases);
  for (long row = 0; row < rows; row++) {
    whole sum;
    memcpy(&sum, sums + row * OUTPUTS, sizeof sum);
    sum -= 128 * totals[row];
    lanes value = __builtin_convertvector(sum, lanes) * (factor * scales[row]) + bias;
    float *place = out + row * width;
    if (after == GELU) value = gelu(value);
    if (after == ADDED) value = value + load(place);
    store(place, value);
  }
}

static void normalize(float *rows, long count, const float *norm) {
  for (long row = 0; row < count; row++) {
    float *x = rows + row * WIDTH;
    lanes sum = all(0), squares = all(0);
    for (long i = 0; i < WIDTH; i += LANES) sum += load(x + i);
    float mean = total(sum) / WIDTH;
    for (long i = 0; i < WIDTH; i += LANES) {
      lanes value = load(x + i) - mean;
      squares += value * value;
    }
    float factor = 1.0f / sqrtf(total(squares) / WIDTH + 1e-12f);
    for (long i = 0; i < WIDTH; i += LANES)
      store(x + i, (load(x + i) - mean) * factor * load(norm + i) + load(norm + WIDTH + i));
  }
}

// `common` is what is added to every piece before `spoken`, and then what to every other one.
static void embed(const encoder_model *model, const int32_t *ids, long count, long spoken,
                       const float *common, float *out) {
  const int8_t *words = array_of(model, WORDS), *places = array_of(model, PLACES);
  const float *wordScales = array_of(model, WORD_SCALES), *placeScales = array_of(model, PLACE_SCALES);
  for (long row = 0; row < count; row++) {
    const int8_t *word = words + (long)ids[row] * WIDTH, *place = places + row * WIDTH;
    float wordScale = wordScales[ids[row]], placeScale = placeScales[row];
    const float *rest = common + (row >= spoken) * WIDTH;
    float *x = out + row * WIDTH;
    for (long i = 0; i < WIDTH; i++)
      x[i] = (float)word[i] * wordScale + (float)place[i] * placeScale + rest[i];
  }
}

// MARK: Attention

// `wide` holds queries, keys and values of every piece, `seen` gets what each piece sees.
static void attend(working *w, long count) {
  long padded = (count + LANES - 1) / LANES * LANES;
  for (long piece = count; piece < padded; piece++)
    memset(w->wide + piece * 3 * WIDTH, 0, 3 * WIDTH * sizeof(float));
  for (int head = 0; head < HEADS; head++) {
    // Keys across, so that 16 pieces are compared at once.
    for (long piece = 0; piece < padded; piece++)
      for (int i = 0; i < HEAD; i++)
        w->keys[i * padded + piece] = w->wide[piece * 3 * WIDTH + WIDTH + head * HEAD + i];
    for (long piece = 0; piece < count; piece++) {
      const float *query = w->wide + piece * 3 * WIDTH + head * HEAD;
      lanes most = all(-1e30f);
      for (long other = 0; other < padded; other += LANES) {
        // Several sums, so that one need not wait for the other.
        lanes part[4] = {all(0), all(0), all(0), all(0)};
        const float *key = w->keys + other;
        for (int i = 0; i < HEAD; i += 4)
          for (int k = 0; k < 4; k++) part[k] += query[i + k] * load(key + (i + k) * padded);
        lanes sum = ((part[0] + part[1]) + (part[2] + part[3])) * 0.17677669529f;
        for (long i = count - other; i < LANES; i++) sum[i] = -1e30f;
        store(w->weights + other, sum);
        most = choose(sum > most, sum, most);
      }
      float largest = most[0];
      for (int i = 1; i < LANES; i++) largest = most[i] > largest ? most[i] : largest;
      lanes sum = all(0);
      for (long other = 0; other < padded; other += LANES) {
        lanes value = load(w->weights + other);
        value = choose(value < -1e29f, all(0), power(value - largest));
        store(w->weights + other, value);
        sum += value;
      }
      float share = 1.0f / total(sum);
      lanes low[4] = {all(0), all(0), all(0), all(0)}, high[4] = {all(0), all(0), all(0), all(0)};
      const float *values = w->wide + 2 * WIDTH + head * HEAD;
      // The weights beyond the last piece are 0, and so is what they would weigh.
      for (long other = 0; other < count; other += 4) {
        for (int k = 0; k < 4; k++) {
          const float *value = values + (other + k) * 3 * WIDTH;
          low[k] += w->weights[other + k] * load(value);
          high[k] += w->weights[other + k] * load(value + LANES);
        }
      }
      float *out = w->seen + piece * WIDTH + head * HEAD;
      store(out, ((low[0] + low[1]) + (low[2] + low[3])) * share);
      store(out + LANES, ((high[0] + high[1]) + (high[2] + high[3])) * share);
    }
  }
}

static float dot(const float *a, const float *b) {
  lanes sum = all(0);
  for (long i = 0; i < WIDTH; i += LANES) sum += load(a + i) * load(b + i);
  return total(sum);
}

static float power_of(float x) { return power(all(x))[0]; }

static void judge(const encoder_model *model, const float *x, long count, long spoken,
                  const uint32_t *refused, encoder_reading *reading) {
  const float *weights = array_of(model, HEAD_WEIGHTS), *biases = array_of(model, HEAD_BIASES);
  for (int facet = 0; facet < ENCODER_FACETS; facet++) {
    // The chance that any of the pieces tells it: from the sum of their odds.
    float odds = 0, most = 0;
    reading->best[facet] = -1;
    for (long row = spoken; row < count - 1; row++) {
      if (refused && refused[row - spoken] >> facet & 1) continue;
      float own = power_of(dot(x + row * WIDTH, weights + facet * WIDTH) + biases[facet]);
      odds += own;
      if (own > most) {
        most = own;
        reading->best[facet] = (int32_t)(row - spoken);
      }
    }
    reading->told[facet] = odds / (1.0f + odds);
    int gone = ENCODER_FACETS + facet;
    odds = power_of(dot(x, weights + gone * WIDTH) + biases[gone]);
    reading->withdrawn[facet] = odds / (1.0f + odds);
  }
}

// The odds of each act: the sum of those of the turn's pieces, times those of the first piece.
static void weigh(const float *x, long count, long spoken, const float *each, const float *first,
                  const float *biases, float *odds) {
  for (int act = 0; act < ENCODER_ACTS; act++) {
    float sum = 0;
    for (long row = spoken; row < count - 1; row++)
      sum += power_of(dot(x + row * WIDTH, each + act * WIDTH));
    odds[act] = sum * power_of(dot(x, first + act * WIDTH) + biases[act]);
  }
}

static const encoder_rows RENAMED(rows) = {embed, normalize, quantize, unquantize, attend, judge,
                                           weigh};

#undef load
#undef store
#undef all
#undef total
#undef choose
#undef power_of
#undef power
#undef gelu
#undef quantize
#undef unquantize
#undef normalize
#undef embed
#undef attend
#undef dot
#undef judge
#undef weigh
