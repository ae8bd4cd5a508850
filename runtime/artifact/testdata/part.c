// Another artefact, to be merged with artifact.c: with names that it has as well.
#include <stddef.h>

#include "lathe/abi/kernel.h"

static const lathe_runtime_table* table;
static const int64_t powers[] = {1, 10, 100, 1000, 10000};

// Not static, and no business of other objects.
int64_t Helper(int64_t value, int32_t n) { return value * powers[n & 3]; }

static int Add(void* self, const lathe_value* args, int32_t n, lathe_value* ret) {
  (void)self;
  if (n < 1 || args[0].kind != LATHE_VALUE_INT) {
    table->raise("call-wrong-argument-kind", "scale takes ints", 0, 0);
    return table->take_error(ret);
  }
  ret->kind = LATHE_VALUE_INT;
  ret->v_int = Helper(args[0].v_int, n);
  return 0;
}

static const lathe_artifact_function functions[] = {{"scale", Add}};
static const char metadata[] =
    "{\"lathe\":1,\"compiler\":\"0\",\"target\":\"\",\"kind\":\"elf\",\"entry\":\"scale\","
    "\"devices\":[\"cpu\"],\"functions\":[{\"name\":\"scale\",\"device\":\"cpu\",\"arguments\":["
    "{\"name\":\"a\",\"kind\":\"int\",\"dtype\":\"int64\"}]}]}";

const lathe_artifact lathe_artifact_v1 = {
    offsetof(lathe_artifact, parts), LATHE_KERNEL_ABI_FIRST, &table, functions, 1, metadata,
    sizeof(metadata) - 1, 0, 0, 0, 0};
