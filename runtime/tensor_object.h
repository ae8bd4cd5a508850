// The storage of a Tensor. Private to the tensor's own files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/object.h"
#include "runtime/session_table.h"
#include "runtime/tensor.h"

namespace lathe::runtime::internal {

// Begins with a lathe_tensor.
struct TensorObject : Object {
  TensorObject() : Object(LATHE_OBJECT_TENSOR) {}
  ~TensorObject() {
    if (release != nullptr) release(context);
    if (allocated && !devices.closed()) {
      // A device that fails here is lost; its next call reports that.
      devices->Free(dl.device.device_id, scope, dl.data).IgnoreError();
    }
  }

  DLTensor dl{};
  uint32_t padding = 0;
  uint32_t flags = 0;

  // Shape, then strides.
  std::vector<int64_t> extents;
  // If the device is one of a session, keeps the session alive.
  DeviceRef devices;
  // At most one of these three owns the memory.
  Tensor parent;
  void (*release)(void* context) = nullptr;
  void* context = nullptr;
  bool allocated = false;
  std::string scope;

  lathe_tensor* c() { return reinterpret_cast<lathe_tensor*>(static_cast<lathe_object*>(this)); }
};
// The head, padded to what the tensor is aligned to.
static_assert(offsetof(lathe_tensor, dl) ==
              (sizeof(Object) + alignof(DLTensor) - 1) / alignof(DLTensor) * alignof(DLTensor));

// A new tensor object without an owner. Empty `strides` mean compact.
TensorObject* NewTensorObject(void* data, uint64_t byte_offset, std::span<const int64_t> shape,
                              std::span<const int64_t> strides, DataType dtype,
                              const Device& device);

// Checks the rules for every tensor: rank, shape, size, dtype, data. Fails with kInvalidArgument
// under `name`.
absl::Status ValidateTensor(const DLTensor& tensor, std::string_view name);

// The bytes of the elements without gaps; false if they exceed 2^63 - 1.
bool CompactBytes(std::span<const int64_t> shape, DataType dtype, uint64_t* bytes);

}  // namespace lathe::runtime::internal
