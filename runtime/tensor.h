// Tensor: shared memory of a device with a shape, strides and an element type. Its layout is
// DLPack's.
//
// An element of less than a byte (int4, uint1...) takes one byte, unless its dtype has lanes:
// int4x2 has two in a byte (DataType::bytes). Rank 0, extents of 0 and null data (of an empty
// tensor) are legal everywhere. This file accesses elements through the tensor's device only.
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

// A shared handle; null by default. The handle is as thread-safe as a pointer; the elements are not
// protected. Shape and strides never change. Accessors need a non-null tensor.
class Tensor : public ObjectRef<lathe_tensor> {
 public:
  Tensor() = default;
  Tensor(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  explicit Tensor(lathe_tensor* tensor) : ObjectRef(tensor) {}
  explicit Tensor(ObjectRef<lathe_tensor> ref) : ObjectRef(std::move(ref)) {}

  // An uninitialised, compact, row-major tensor in `scope` of the device. Statuses come from the
  // device. Throws Error: `tensor-negative-extent`, `tensor-too-large` (2^63 bytes or more),
  // `tensor-rank-too-large` (more than kMaxRank), `tensor-bad-dtype` (void, no fixed size).
  static absl::StatusOr<Tensor> Empty(std::span<const int64_t> shape, DataType dtype,
                                      Device device = Device::Cpu(), std::string_view scope = {},
                                      uint64_t alignment = kTensorAlignment);
  static absl::StatusOr<Tensor> Empty(std::initializer_list<int64_t> shape, DataType dtype,
                                      Device device = Device::Cpu()) {
    return Empty(std::span<const int64_t>(shape.begin(), shape.size()), dtype, device);
  }
  // A compact tensor on `device` with a copy of `bytes` bytes of host memory. Throws Error
  // `tensor-wrong-byte-count`.
  static absl::StatusOr<Tensor> FromHost(const void* data, uint64_t bytes,
                                         std::span<const int64_t> shape, DataType dtype,
                                         Device device = Device::Cpu());
  // Wraps memory that somebody else owns; `release` is called once, when the last view is gone.
  // Empty `strides` mean compact.
  static Tensor Wrap(void* data, uint64_t byte_offset, std::span<const int64_t> shape,
                     std::span<const int64_t> strides, DataType dtype, Device device,
                     void (*release)(void* context), void* context, bool read_only = false);

  // Takes ownership of the tensor; the producer's deleter runs when the last view is gone. On
  // failure (a status, `dlpack-*`) the caller keeps `managed`. Unknown device kinds are accepted.
  // Refused are `dlpack-version`: another major version; `dlpack-packed-sub-byte`: packed elements
  // of less than a byte; `dlpack-invalid`: negative rank or extents, null shape, data that
  // overflows.
  static absl::StatusOr<Tensor> FromDLPack(DLManagedTensor* managed);
  static absl::StatusOr<Tensor> FromDLPackVersioned(DLManagedTensorVersioned* managed);
  // A new reference for a consumer, which calls its deleter once. Fails with `dlpack-remote` for a
  // tensor of a session; with `dlpack-read-only` and `dlpack-sub-byte` for properties that only the
  // versioned form can express.
  absl::StatusOr<DLManagedTensor*> ToDLPack() const;
  absl::StatusOr<DLManagedTensorVersioned*> ToDLPackVersioned() const;

  const DLTensor& dl() const { return get()->dl; }
  int rank() const { return dl().ndim; }
  std::span<const int64_t> shape() const { return {dl().shape, static_cast<size_t>(rank())}; }
  int64_t shape(int axis) const { return dl().shape[axis]; }
  // In elements. Tensors made here always have strides; a foreign tensor may have none, which means
  // compact.
  int64_t stride(int axis) const;
  DataType dtype() const { return DataType(dl().dtype); }
  Device device() const { return Device::FromPacked(dl().device); }
  int64_t num_elements() const;
  // The bytes of the elements without gaps.
  uint64_t num_bytes() const;
  // True if row-major without gaps; an axis of extent 1 may have any stride (S31).
  bool is_compact() const;
  bool read_only() const { return (get()->flags & LATHE_TENSOR_READ_ONLY) != 0; }

  // Host tensors only: a pointer to the first element. Throws `tensor-not-on-host`;
  // `tensor-wrong-dtype` unless T has the dtype's size; `tensor-read-only` for a writable pointer
  // to a read-only tensor.
  template <class T>
  T* HostData() const {
    return static_cast<T*>(HostPointer(sizeof(T), std::is_const_v<T>));
  }

  // Views share the memory and keep it alive, in whatever order they are dropped. A view of a
  // read-only tensor is read-only. Slice takes [begin, end) of an axis by `step` >= 1. Throws Error
  // `tensor-slice-out-of-range`.
  Tensor Slice(int axis, int64_t begin, int64_t end, int64_t step = 1) const;
  // Selects one index of an axis and removes the axis. Throws Error `tensor-slice-out-of-range`.
  Tensor Select(int axis, int64_t index) const;
  // Contiguous tensors only (`tensor-not-compact`); one extent may be -1. Throws Error
  // `tensor-reshape-mismatch`.
  Tensor Reshape(std::span<const int64_t> shape) const;
  // axes[i] is the old axis at the new position i. Throws Error `tensor-bad-permutation`.
  Tensor Transpose(std::span<const int> axes) const;
  // The same elements, which must not be written through the result.
  Tensor ReadOnly() const;

  // Copies elements between any two devices and layouts, on the current streams; complete on return
  // if one side is the host. Throws Error `tensor-copy-mismatch` (shape, dtype),
  // `tensor-read-only`.
  absl::Status CopyFrom(const Tensor& from) const;
  absl::Status CopyFromHost(const void* data,
                            uint64_t bytes) const;  // compact row-major; `tensor-wrong-byte-count`
  absl::Status CopyToHost(void* data, uint64_t bytes) const;
  // A compact copy on `device`; the tensor itself if it is there already.
  absl::StatusOr<Tensor> To(const Device& device) const;
  // A compact copy on the same device.
  absl::StatusOr<Tensor> Clone() const;

  // "float32[2, 3] on cpu:0"
  std::string ToString() const;

 private:
  void* HostPointer(size_t element_bytes, bool for_reading) const;
};

// The same facts for any DLTensor.
int64_t NumElements(const DLTensor& tensor);
bool IsCompact(const DLTensor& tensor);
std::string DescribeTensor(const DLTensor& tensor);
// Copies the elements of one view to another; shapes and dtypes must be equal (Error
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
  // A null tensor becomes NONE.
  static lathe_value Borrow(const Tensor& item) { return internal::ObjectValue(item.get()); }
  static lathe_value Own(Tensor item) { return internal::ObjectValue(item.release()); }
};

}  // namespace lathe::runtime
