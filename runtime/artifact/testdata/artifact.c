// A whole artefact, as the code generator makes them.
#include <stddef.h>

#include "lathe/abi/kernel.h"

static const lathe_runtime_table* table;

static int Add(void* self, const lathe_value* args, int32_t n, lathe_value* ret) {
  (void)self;
  if (n != 2 || args[0].kind != LATHE_VALUE_INT || args[1].kind != LATHE_VALUE_INT) {
    table->raise("call-wrong-argument-kind", "add takes two ints", 0, 0);
    return table->take_error(ret);
  }
  ret->kind = LATHE_VALUE_INT;
  ret->v_int = args[0].v_int + args[1].v_int;
  return 0;
}

static void* name_cache;

// Calls whatever is named `twice` elsewhere.
static int Twice(void* self, const lathe_value* args, int32_t n, lathe_value* ret) {
  (void)self;
  if (table->call_packed("twice", &name_cache, args, n, ret) != 0) return table->take_error(ret);
  return 0;
}

static const lathe_artifact_function functions[] = {{"add", Add}, {"call_twice", Twice}};
static const char metadata[] =
    "{\"lathe\":1,\"compiler\":\"0\",\"target\":\"\",\"kind\":\"elf\",\"entry\":\"add\","
    "\"devices\":[\"cpu\"],\"functions\":[{\"name\":\"add\",\"device\":\"cpu\",\"arguments\":["
    "{\"name\":\"a\",\"kind\":\"int\",\"dtype\":\"int64\"},{\"name\":\"b\",\"kind\":\"int\",\"dtype\":\"int64\"}]}]}";

const lathe_artifact lathe_artifact_v1 = {
    offsetof(lathe_artifact, parts), LATHE_KERNEL_ABI_FIRST, &table, functions, 2, metadata,
    sizeof(metadata) - 1, 0, 0, 0, 0};
