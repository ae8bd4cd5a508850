/* Kernels for the executor's tests, in the form in which compiled code has them. */
#include <stddef.h>

#include "runtime/graph/test_kernels.h"

static const lathe_runtime_table* table;

/* C = 3 A + B, through the whole workspace: n floats, and one float for each thread. */
static int32_t Mix(void* const* buffers, const int64_t* sizes, void* workspace, int32_t threads) {
  const float *a = buffers[0], *b = buffers[1];
  float *c = buffers[2], *w = workspace;
  const int64_t n = sizes[0];
  for (int64_t i = 0; i < n; ++i) w[i] = 3 * a[i];
  for (int32_t i = 0; i < threads; ++i) w[(n + 15) / 16 * 16 + 16 * i] = -1;
  for (int64_t i = 0; i < n; ++i) c[i] = w[i] + b[i];
  return 0;
}

/* Y = X + s for each row; s is a scalar, given as the bits of a double. */
static int32_t Shift(void* const* buffers, const int64_t* sizes, void* workspace, int32_t threads) {
  (void)workspace, (void)threads;
  const float* x = buffers[0];
  float* y = buffers[1];
  union {
    int64_t bits;
    double value;
  } s = {sizes[2]};
  for (int64_t i = 0; i < sizes[0] * sizes[1]; ++i) y[i] = x[i] + (float)s.value;
  return 0;
}

/* Fails if an element is negative. */
static int32_t Positive(void* const* buffers, const int64_t* sizes, void* workspace,
                        int32_t threads) {
  (void)workspace, (void)threads;
  const float* x = buffers[0];
  float* y = buffers[1];
  for (int64_t i = 0; i < sizes[0]; ++i) {
    if (x[i] < 0) return table->raise("too-small", "an element is negative", 0, 0);
    y[i] = x[i];
  }
  return 0;
}

/* Y = X of n + 1 elements without the last: an extent that is an expression. */
static int32_t Shorten(void* const* buffers, const int64_t* sizes, void* workspace,
                       int32_t threads) {
  (void)workspace, (void)threads;
  const float* x = buffers[0];
  float* y = buffers[1];
  for (int64_t i = 0; i < sizes[0]; ++i) y[i] = x[i];
  return 0;
}

static int32_t Empty(void* const* buffers, const int64_t* sizes, void* workspace, int32_t threads) {
  (void)buffers, (void)sizes, (void)workspace, (void)threads;
  return 0;
}

/* L = X < limit, and Y = X + 1, for loops: one element each. */
static int32_t Below(void* const* buffers, const int64_t* sizes, void* workspace, int32_t threads) {
  (void)sizes, (void)workspace, (void)threads;
  const float *x = buffers[0], *limit = buffers[1];
  *(uint8_t*)buffers[2] = *x < *limit;
  return 0;
}

/* N = how many elements of X are positive. */
static int32_t Count(void* const* buffers, const int64_t* sizes, void* workspace, int32_t threads) {
  (void)workspace, (void)threads;
  const float* x = buffers[0];
  int64_t count = 0;
  for (int64_t i = 0; i < sizes[0]; ++i) count += x[i] > 0;
  *(int64_t*)buffers[1] = count;
  return 0;
}

/* Y = the positive elements of X; there are k of them. */
static int32_t Pick(void* const* buffers, const int64_t* sizes, void* workspace, int32_t threads) {
  (void)workspace, (void)threads;
  const float* x = buffers[0];
  float* y = buffers[1];
  int64_t k = 0;
  for (int64_t i = 0; i < sizes[0]; ++i)
    if (x[i] > 0 && k < sizes[1]) y[k++] = x[i];
  return 0;
}

/* The address of the first of two constants: {10, 20}. */
static int32_t Constants(void* const* buffers, const int64_t* sizes, void* workspace,
                         int32_t threads) {
  static const float data[] = {10, 20};
  (void)sizes, (void)workspace, (void)threads;
  ((int64_t*)buffers[0])[0] = (int64_t)(intptr_t)data;
  return 0;
}

#define F32(name, rank, shape)                                                       \
  "{\"name\":\"" name "\",\"kind\":\"tensor\",\"dtype\":\"float32\",\"rank\":" #rank \
  ",\"shape\":[" shape "]}"
#define N "\"n\""

static const char metadata[] =
    "{\"lathe\":1,\"compiler\":\"0\",\"target\":\"\",\"kind\":\"static\",\"devices\":[\"cpu\"],"
    "\"functions\":["
    "{\"name\":\"mix\",\"arguments\":[" F32("A", 1, N) "," F32("B", 1, N) "," F32("C", 1, N)
    "],\"outputs\":[\"C\"],\"workspace\":\"(n + 15) // 16 * 64\",\"thread_workspace\":64,"
    "\"unchecked\":{\"buffers\":[\"A\",\"B\",\"C\"],\"sizes\":[\"n\"]}},"
    "{\"name\":\"shift\",\"arguments\":[" F32("X", 2, "\"m\",\"n\"") "," F32("Y", 2, "\"m\",\"n\"")
    ",{\"name\":\"s\",\"kind\":\"float\",\"dtype\":\"float32\"}],\"outputs\":[\"Y\"],"
    "\"workspace\":0,\"thread_workspace\":0,"
    "\"unchecked\":{\"buffers\":[\"X\",\"Y\"],\"sizes\":[\"m\",\"n\",\"s\"]}},"
    "{\"name\":\"positive\",\"arguments\":[" F32("X", 1, N) "," F32("Y", 1, N)
    "],\"outputs\":[\"Y\"],\"workspace\":0,\"thread_workspace\":0,"
    "\"unchecked\":{\"buffers\":[\"X\",\"Y\"],\"sizes\":[\"n\"]}},"
    "{\"name\":\"shorten\",\"arguments\":[" F32("X", 1, "\"n + 1\"") "," F32("Y", 1, N)
    "],\"outputs\":[\"Y\"],\"workspace\":0,\"thread_workspace\":0,"
    "\"unchecked\":{\"buffers\":[\"X\",\"Y\"],\"sizes\":[\"n\"]}},"
    "{\"name\":\"empty\",\"arguments\":[" F32("X", 1, N) "," F32("Y", 1, N)
    "],\"outputs\":[\"Y\"],\"workspace\":0,\"thread_workspace\":0,"
    "\"unchecked\":{\"buffers\":[\"X\",\"Y\"],\"sizes\":[\"n\"]}},"
    "{\"name\":\"below\",\"arguments\":[" F32("X", 1, "1") "," F32("L", 1, "1")
    ",{\"name\":\"B\",\"kind\":\"tensor\",\"dtype\":\"bool\",\"rank\":0,\"shape\":[]}],"
    "\"outputs\":[\"B\"],\"workspace\":0,\"thread_workspace\":0,"
    "\"unchecked\":{\"buffers\":[\"X\",\"L\",\"B\"],\"sizes\":[]}},"
    "{\"name\":\"count\",\"arguments\":[" F32("X", 1, N)
    ",{\"name\":\"K\",\"kind\":\"tensor\",\"dtype\":\"int64\",\"rank\":0,\"shape\":[]}],"
    "\"outputs\":[\"K\"],\"workspace\":0,\"thread_workspace\":0,"
    "\"unchecked\":{\"buffers\":[\"X\",\"K\"],\"sizes\":[\"n\"]}},"
    "{\"name\":\"pick\",\"arguments\":[" F32("X", 1, N) "," F32("Y", 1, "\"k\"")
    "],\"outputs\":[\"Y\"],\"workspace\":0,\"thread_workspace\":0,"
    "\"unchecked\":{\"buffers\":[\"X\",\"Y\"],\"sizes\":[\"n\",\"k\"]}}"
    ",{\"name\":\"constants\",\"arguments\":[{\"name\":\"A\",\"kind\":\"tensor\","
    "\"dtype\":\"int64\",\"rank\":1,\"shape\":[2]}],\"outputs\":[\"A\"],"
    "\"unchecked\":{\"buffers\":[\"A\"],\"sizes\":[]}}"
    "]}";

static const lathe_artifact_entry entries[] = {
    {"mix", Mix},         {"shift", Shift}, {"positive", Positive},
    {"shorten", Shorten}, {"empty", Empty}, {"below", Below},
    {"count", Count},     {"pick", Pick},   {"constants", Constants}};

const lathe_artifact lathe_graph_test_kernels = {
    .struct_size = sizeof(lathe_artifact),
    .kernel_abi = LATHE_KERNEL_ABI_ENTRIES,
    .table = &table,
    .metadata = metadata,
    .metadata_size = sizeof(metadata) - 1,
    .entries = entries,
    .num_entries = sizeof(entries) / sizeof(entries[0]),
};
