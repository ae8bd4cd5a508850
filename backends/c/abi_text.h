// The part of the interface between compiled code and the runtime (abi/dlpack.h, abi/value.h,
// abi/kernel.h) that a module's text declares for itself, so that the file is complete: it can be
// read, kept and compiled alone. abi_text_test.cc compares it with the headers.
#pragma once

namespace lathe::c_backend {

inline constexpr char kAbiText[] = R"(#ifndef LATHE_ABI_KERNEL_H_
// Lathe's kernel ABI, as lathe/abi/kernel.h declares it. Include that before this text to use its
// declarations instead.
typedef struct {
  int32_t device_type, device_id;
} DLDevice;

typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct lathe_value {
  int32_t kind;
  uint32_t padding;
  union {
    int64_t v_int;
    double v_float;
    void* v_pointer;
    const char* v_string;
    DLTensor* v_dltensor;
  };
} lathe_value;

enum {
  LATHE_VALUE_INT = 1,
  LATHE_VALUE_BOOL = 2,
  LATHE_VALUE_FLOAT = 3,
  LATHE_VALUE_POINTER = 4,
  LATHE_VALUE_STRING = 8
};

typedef int (*lathe_call)(void* self, const lathe_value* args, int32_t n, lathe_value* ret);
typedef int32_t (*lathe_parallel_body)(void* closure, int64_t begin, int64_t end);
typedef int32_t (*lathe_kernel_entry)(void* const* buffers, const int64_t* sizes, void* workspace,
                                      int32_t threads);

// What the runtime offers. Entries that can fail return non-zero after storing an error.
typedef struct lathe_runtime_table {
  uint64_t struct_size;
  int32_t (*parallel)(lathe_parallel_body body, void* closure, int64_t extent);
  void* (*workspace_alloc)(int32_t device_type, int32_t device_id, uint64_t bytes,
                           const char* scope);
  int32_t (*workspace_free)(int32_t device_type, int32_t device_id, void* data);
  int32_t (*raise)(const char* name, const char* format, const lathe_value* values, int32_t n);
  int32_t (*take_error)(lathe_value* ret);
  int32_t (*call_packed)(const char* name, void** cache, const lathe_value* args, int32_t n,
                         lathe_value* ret);
  int32_t (*set_device)(int32_t device_type, int32_t device_id);
  int32_t (*copy)(const DLTensor* from, DLTensor* to);
  int32_t (*poll)(void);
  int32_t (*parallel_on)(lathe_parallel_body body, void* closure, int64_t extent, int32_t threads);
  int32_t (*thread_index)(void);
} lathe_runtime_table;

typedef struct {
  const char* name;
  lathe_call call;
} lathe_artifact_function;

typedef struct {
  const char* name;
  lathe_kernel_entry call;
} lathe_artifact_entry;

// What the loader reads: it sets *table before the first call.
typedef struct lathe_artifact {
  uint32_t struct_size, kernel_abi;
  const lathe_runtime_table** table;
  const lathe_artifact_function* functions;
  uint64_t num_functions;
  const char* metadata;
  uint64_t metadata_size;
  const unsigned char* imports;
  uint64_t imports_size;
  const struct lathe_artifact* const* parts;
  uint64_t num_parts;
  const lathe_artifact_entry* entries;
  uint64_t num_entries;
  void** call_sites;
  uint64_t num_call_sites;
} lathe_artifact;
#endif

// A word of a closure.
typedef union {
  int64_t i;
  double f;
  void* p;
} lathe_slot;

static const lathe_runtime_table* lathe_table;
)";

}  // namespace lathe::c_backend
