// Tensor: shared memory of a device with a shape, strides and an element type. DLPack inside and
// outside.
//
// Elements of less than a byte (int4, uint1...) stand one to a byte unless their dtype has lanes:
// int4x2 is two to a byte (DataType::bytes). Rank 0, extents of 0 and null data (of an empty
// tensor) are legal everywhere. Nothing here reads or writes elements but through the tensor's
// device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/dtype.h"
#include "lathe/abi/value.h"
#include "runtime/device.h"
#include "runtime/device_api.h"
#include "runtime/object_ref.h"
#include "runtime/value.h"

namespace lathe::runtime {

inline constexpr int kMaxRank = 32;
inline constexpr uint64_t kTensorAlignment = 64;

// A shared handle; null by default. The handle is thread-safe as a pointer is; elements are not
// guarded. Shape and strides never change once made. Accessors need a non-null tensor.
class Tensor : public ObjectRef<lathe_tensor> {
 public:
  Tensor() = default;
  Tensor(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  explicit Tensor(lathe_tensor* tensor) : ObjectRef(tensor) {}
  explicit Tensor(ObjectRef<lathe_tensor> ref) : ObjectRef(std::move(ref)) {}

  // Uninitialised, compact, row-major, on `scope` of the device. Statuses come from the device.
  // Throws Error: `tensor-negative-extent`, `tensor-too-large` (bytes beyond 2^63),
  // `tensor-rank-too-large` (more than kMaxRank), `tensor-bad-dtype` (void, no fixed size).
  static absl::StatusOr<Tensor> Empty(std::span<const int64_t> shape, DataType dtype,
                                      Device device = Device::Cpu(), std::string_view scope = {},
                                      uint64_t alignment = kTensorAlignment);
  static absl::StatusOr<Tensor> Empty(std::initializer_list<int64_t> shape, DataType dtype,
                                      Device device = Device::Cpu()) {
    return Empty(std::span<const int64_t>(shape.begin(), shape.size()), dtype, device);
  }
  // A compact tensor on `device` holding a copy of `bytes` bytes of host memory. Error
  // `tensor-wrong-byte-count`.
  static absl::StatusOr<Tensor> FromHost(const void* data, uint64_t bytes,
                                         std::span<const int64_t> shape, DataType dtype,
                                         Device device = Device::Cpu());
  // Memory that somebody else owns; `release` is called once, when the last view is gone. `strides`
  // empty: compact.
  static Tensor Wrap(void* data, uint64_t byte_offset, std::span<const int64_t> shape,
                     std::span<const int64_t> strides, DataType dtype, Device device,
                     void (*release)(void* context), void* context, bool read_only = false);

  // Takes the tensor over; the producer's deleter runs when the last view is gone. On failure (a
  // status, `dlpack-*`) the caller keeps `managed`. Not wrapped: unknown device kinds are accepted,
  // what cannot be represented is not
  // (`dlpack-version`: another major version; `dlpack-packed-sub-byte`: elements of less than a
  // byte, packed; `dlpack-invalid`: negative rank or extents, null shape, data that overflows).
  static absl::StatusOr<Tensor> FromDLPack(DLManagedTensor* managed);
  static absl::StatusOr<Tensor> FromDLPackVersioned(DLManagedTensorVersioned* managed);
  // A new reference for a consumer, who calls its deleter once. `dlpack-remote` for a tensor of a
  // session; `dlpack-read-only` and `dlpack-sub-byte` where only the versioned form can say what
  // has to be said.
  absl::StatusOr<DLManagedTensor*> ToDLPack() const;
  absl::StatusOr<DLManagedTensorVersioned*> ToDLPackVersioned() const;

  const DLTensor& dl() const { return get()->dl; }
  int rank() const { return dl().ndim; }
  std::span<const int64_t> shape() const { return {dl().shape, static_cast<size_t>(rank())}; }
  int64_t shape(int axis) const { return dl().shape[axis]; }
  // In elements. Tensors made here always have them; a foreign one may not: compact is meant then.
  int64_t stride(int axis) const;
  DataType dtype() const { return DataType(dl().dtype); }
  Device device() const { return Device::FromPacked(dl().device); }
  int64_t num_elements() const;
  // Bytes of the elements, as if compact.
  uint64_t num_bytes() const;
  // Row-major without holes; extents of 1 may have any stride (S31).
  bool is_compact() const;
  bool read_only() const { return (get()->flags & LATHE_TENSOR_READ_ONLY) != 0; }

  // Host tensors only: the first element. Errors `tensor-not-on-host`; `tensor-wrong-dtype` unless
  // T has the dtype's size. The writable form on a read-only tensor: `tensor-read-only`.
  template <class T>
  T* HostData() const {
    return static_cast<T*>(HostPointer(sizeof(T), std::is_const_v<T>));
  }

  // Views share the memory and keep it alive, whatever is dropped first. Read-only stays read-only.
  // [begin, end) of an axis by `step` >= 1. Error `tensor-slice-out-of-range`.
  Tensor Slice(int axis, int64_t begin, int64_t end, int64_t step = 1) const;
  // One index of an axis, which disappears. Error `tensor-slice-out-of-range`.
  Tensor Select(int axis, int64_t index) const;
  // Compact tensors only (`tensor-not-compact`); one extent may be -1. Error
  // `tensor-reshape-mismatch`.
  Tensor Reshape(std::span<const int64_t> shape) const;
  // axes[i] is the old axis at the new position i. Error `tensor-bad-permutation`.
  Tensor Transpose(std::span<const int> axes) const;
  // The same elements, which may not be written through the result.
  Tensor ReadOnly() const;

  // Elementwise, between any two devices and layouts, on the current streams; complete on return
  // where the host is one side. Throws Error `tensor-copy-mismatch` (shape, dtype),
  // `tensor-read-only`.
  absl::Status CopyFrom(const Tensor& from) const;
  absl::Status CopyFromHost(const void* data,
                            uint64_t bytes) const;  // compact row-major; `tensor-wrong-byte-count`
  absl::Status CopyToHost(void* data, uint64_t bytes) const;
  // A compact copy on `device`, itself where it is there already.
  absl::StatusOr<Tensor> To(const Device& device) const;
  // A compact copy on the same device.
  absl::StatusOr<Tensor> Clone() const;

  // "float32[2, 3] on cpu:0"
  std::string ToString() const;

 private:
  void* HostPointer(size_t element_bytes, bool for_reading) const;
};

// The same facts of any DLTensor.
int64_t NumElements(const DLTensor& tensor);
bool IsCompact(const DLTensor& tensor);
std::string DescribeTensor(const DLTensor& tensor);
// Elementwise copy between two views; shapes and dtypes must be equal (Error
// `tensor-copy-mismatch`).
absl::Status CopyTensor(const DLTensor& from, const DLTensor& to);

template <>
struct ValueTraits<Tensor> {
  static std::string Name() { return "tensor"; }
  static Conversion Get(const lathe_value& value, Tensor* out) {
    if (value.kind != LATHE_VALUE_OBJECT || value.v_object == nullptr ||
        value.v_object->kind != LATHE_OBJECT_TENSOR)
      return Conversion::kWrongKind;
    *out = Tensor(reinterpret_cast<lathe_tensor*>(value.v_object));
    return Conversion::kOk;
  }
  // A null tensor is NONE.
  static lathe_value Borrow(const Tensor& item) { return internal::ObjectValue(item.get()); }
  static lathe_value Own(Tensor item) { return internal::ObjectValue(item.release()); }
};

}  // namespace lathe::runtime
