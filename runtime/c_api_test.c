/* The runtime as a C program sees it: the header in C11 and liblathe_runtime.so, nothing else. */
#include "runtime/c_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    ++checks;                                                         \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

static void Ok(lathe_error* error, int line) {
  ++checks;
  if (error == NULL) return;
  fprintf(stderr, "line %d: %s: %s\n%s\n", line, error->name, error->message, error->notes);
  exit(1);
}
#define OK(call) Ok((call), __LINE__)

static void FailsWith(lathe_error* error, const char* name, int line) {
  ++checks;
  if (error == NULL || strcmp(error->name, name) != 0) {
    fprintf(stderr, "line %d: expected %s, got %s\n", line, name,
            error == NULL ? "success" : error->name);
    exit(1);
  }
  lathe_object_release(&error->object);
}
#define FAILS(call, name) FailsWith((call), (name), __LINE__)

static int dropped = 0;
static void Drop(void* self) {
  (void)self;
  ++dropped;
}

static int Twice(void* self, const lathe_value* args, int32_t n, lathe_value* ret) {
  if (n != 1 || args[0].kind != LATHE_VALUE_INT) {
    ret->kind = LATHE_VALUE_OBJECT;
    ret->v_object =
        &lathe_error_new(LATHE_INVALID_ARGUMENT, "twice-wants-int", "give me one int", NULL)
             ->object;
    return -1;
  }
  ret->kind = LATHE_VALUE_INT;
  ret->v_int = args[0].v_int * *(int*)self;
  return 0;
}

static void Functions(void) {
  int factor = 2;
  lathe_function* twice = NULL;
  OK(lathe_function_new(Twice, &factor, Drop, &twice));
  OK(lathe_global_register("c_test.twice", twice, 0));
  FAILS(lathe_global_register("c_test.twice", twice, 0), "registry-name-taken");
  FAILS(lathe_global_register_exported("c_test.twice", twice, 0), "registry-name-taken");
  OK(lathe_global_register_exported("c_test.outer", twice, 0));
  CHECK(lathe_global_remove("c_test.outer") == 1);
  lathe_object_release(&twice->object);
  OK(lathe_global_find("c_test.twice", &twice));
  lathe_value arg = {.kind = LATHE_VALUE_INT, .v_int = 21}, ret = {0};
  OK(lathe_function_call(twice, &arg, 1, &ret));
  CHECK(ret.kind == LATHE_VALUE_INT && ret.v_int == 42);
  FAILS(lathe_function_call(twice, &arg, 0, &ret), "twice-wants-int");
  FAILS(lathe_function_call(NULL, &arg, 0, &ret), "c-api-null-argument");
  FAILS(lathe_global_find("c_test.none", &twice), "registry-not-found");
  lathe_string* names = NULL;
  OK(lathe_global_names("c_test.", &names));
  CHECK(strcmp(names->data, "c_test.twice\n") == 0);
  lathe_object_release(&names->object);
  int32_t count = 0;
  OK(lathe_device_count(kDLCPU, &count));
  CHECK(count == 1);
  FAILS(lathe_device_count(kDLCPU | 7 << 16, &count), "session-closed");
  OK(lathe_global_names("device_api.", &names));
  CHECK(strstr(names->data, "device_api.cpu\n") != NULL);
  lathe_object_release(&names->object);
  double seconds[3] = {0};
  const lathe_timer_options options = {
      .struct_size = sizeof(options), .number = 1000, .repeat = 3, .repeats_to_cooldown = 1};
  DLDevice cpu = {kDLCPU, 0};
  OK(lathe_time_function(twice, &arg, 1, cpu, &options, seconds));
  CHECK(seconds[0] > 0 && seconds[2] > 0);
  CHECK(lathe_global_remove("c_test.twice") == 1);
  CHECK(dropped == 0);
  lathe_object_release(&twice->object);
  CHECK(dropped == 1);
}

static void Tensors(void) {
  DLDevice cpu;
  DLDataType dtype;
  OK(lathe_device_parse("cpu", &cpu));
  OK(lathe_dtype_parse("float32", &dtype));
  FAILS(lathe_dtype_parse("float33", &dtype), "dtype-unknown");
  FAILS(lathe_device_parse("cqu", &cpu), "device-unknown-kind");
  lathe_stream* stream = NULL;
  FAILS(lathe_stream_new(cpu, 7, &stream), "stream-unknown-kind");
  const int64_t shape[] = {2, 3};
  lathe_tensor* tensor = NULL;
  OK(lathe_tensor_empty(shape, 2, dtype, cpu, NULL, &tensor));
  CHECK(lathe_tensor_bytes(tensor) == 24);
  const float data[] = {0, 1, 2, 3, 4, 5};
  OK(lathe_tensor_copy_from_host(tensor, data, sizeof(data)));
  FAILS(lathe_tensor_copy_from_host(tensor, data, 3), "tensor-wrong-byte-count");
  const int32_t axes[] = {1, 0};
  lathe_tensor *turned = NULL, *slice = NULL;
  OK(lathe_tensor_transpose(tensor, axes, 2, &turned));
  OK(lathe_tensor_slice(turned, 0, 1, 3, 1, &slice));
  FAILS(lathe_tensor_slice(turned, 0, 1, 9, 1, &slice), "tensor-slice-out-of-range");
  lathe_object_release(&tensor->object);
  lathe_object_release(&turned->object);
  float back[4];
  OK(lathe_tensor_copy_to_host(slice, back, sizeof(back)));
  CHECK(back[0] == 1 && back[1] == 4 && back[2] == 2 && back[3] == 5);
  DLManagedTensorVersioned* managed = NULL;
  OK(lathe_tensor_to_dlpack_versioned(slice, &managed));
  lathe_object_release(&slice->object);
  OK(lathe_tensor_from_dlpack_versioned(managed, &tensor));
  CHECK(tensor->dl.ndim == 2 && tensor->dl.shape[0] == 2);
  lathe_object_release(&tensor->object);
  FAILS(lathe_tensor_empty(shape, -1, dtype, cpu, NULL, &tensor), "tensor-invalid");
  FAILS(lathe_tensor_empty(NULL, 2, dtype, cpu, NULL, &tensor), "c-api-null-argument");
  int64_t bad[] = {-2};
  FAILS(lathe_tensor_empty(bad, 1, dtype, cpu, NULL, &tensor), "tensor-negative-extent");
  int32_t count = 0;
  OK(lathe_device_count(kDLCPU, &count));
  CHECK(count == 1);
  FAILS(lathe_device_count(kDLVulkan, &count), "device-kind-unavailable");
  OK(lathe_device_synchronize(cpu));
  lathe_value name = {0};
  OK(lathe_device_attribute(cpu, "name", &name));
  CHECK(name.kind == LATHE_VALUE_OBJECT);
  lathe_value_release(&name);
  CHECK(name.kind == LATHE_VALUE_NONE);
}

static int32_t Sum(void* closure, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) __atomic_fetch_add((int64_t*)closure, i, __ATOMIC_RELAXED);
  return 0;
}
static int32_t Fail(void* closure, int64_t begin, int64_t end) {
  (void)closure;
  (void)begin;
  (void)end;
  return lathe_get_runtime_table()->raise("body-failed", "on purpose", NULL, 0);
}

static void Threads(void) {
  OK(lathe_threads_set(3));
  int32_t n = 0;
  OK(lathe_threads(&n));
  CHECK(n == 3);
  FAILS(lathe_threads_set(0), "threads-invalid-count");
  int64_t sum = 0;
  OK(lathe_parallel_for(Sum, &sum, 1000));
  CHECK(sum == 499500);
  FAILS(lathe_parallel_for(Fail, NULL, 10), "body-failed");
}

static int32_t Wait(void* closure, int64_t begin, int64_t end) {
  (void)closure;
  for (int64_t i = begin; i < end; ++i) {
    for (volatile int spin = 0; spin < 1000; ++spin) {
    }
  }
  return 0;
}

/* A call that would take years. */
static int Lasting(void* self, const lathe_value* args, int32_t n, lathe_value* ret) {
  (void)self, (void)args, (void)n;
  lathe_error* error = lathe_parallel_for(Wait, NULL, INT64_C(1) << 40);
  if (error == NULL) return 0;
  ret->kind = LATHE_VALUE_OBJECT;
  ret->v_object = &error->object;
  return -1;
}

static void Cancelling(void) {
  lathe_function* lasting = NULL;
  OK(lathe_function_new(Lasting, NULL, NULL, &lasting));
  lathe_cancellation* cancellation = NULL;
  OK(lathe_cancellation_new(&cancellation));
  lathe_value ret = {0};
  lathe_cancellation_deadline(cancellation, 20);
  FAILS(lathe_function_call_cancellable(lasting, NULL, 0, &ret, cancellation), "deadline-exceeded");
  lathe_cancellation_cancel(cancellation);
  FAILS(lathe_function_call_cancellable(lasting, NULL, 0, &ret, cancellation), "cancelled");
  lathe_cancellation_free(cancellation);
  lathe_object_release(&lasting->object);
}

static void Modules(void) {
  lathe_object* module = NULL;
  FAILS(lathe_module_load_file("/nowhere/none.so", &module), "module-file-unreadable");
  FAILS(lathe_module_load("unheard-of", "x", 1, &module), "module-loader-missing");
  lathe_string* text = NULL;
  OK(lathe_string_new("not a module", 12, &text));
  FAILS(lathe_module_save(&text->object, &text), "value-wrong-kind");
  lathe_object_release(&text->object);
}

int main(void) {
  CHECK(lathe_c_api_version() == LATHE_C_API_VERSION);
  Functions();
  Tensors();
  Threads();
  Cancelling();
  Modules();
  printf("%d checks\n", checks);
  return 0;
}
