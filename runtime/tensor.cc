#include "runtime/tensor.h"

#include <limits>
#include <memory>
#include <utility>

#include "base/error.h"
#include "lathe/abi/names.h"
#include "runtime/status.h"
#include "runtime/tensor_object.h"

namespace lathe::runtime {
namespace {

using internal::CompactBytes;
using internal::NewTensorObject;
using internal::TensorObject;

[[noreturn]] void Fail(std::string name, std::string message, std::string expected,
                       std::string found, std::string help = {}) {
  throw Error({.name = std::move(name),
               .message = std::move(message),
               .expected = std::move(expected),
               .found = std::move(found),
               .help = std::move(help),
               .notes = {},
               .where = {}});
}

std::string ShapeText(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

// The bytes of a new tensor; throws if no tensor can have that shape.
uint64_t CheckNew(std::span<const int64_t> shape, DataType dtype) {
  if (shape.size() > kMaxRank)
    Fail("tensor-rank-too-large", "a tensor has too many axes",
         "at most " + std::to_string(kMaxRank), std::to_string(shape.size()));
  if (dtype.is_void() || dtype.is_scalable() || dtype.bytes() == 0)
    Fail("tensor-bad-dtype", "elements of a tensor need a type of fixed size",
         "float32, int8x4, ...", dtype.ToString());
  for (int64_t extent : shape)
    if (extent < 0)
      Fail("tensor-negative-extent", "an extent is negative", "0 or more", ShapeText(shape));
  uint64_t bytes = 0;
  if (!CompactBytes(shape, dtype, &bytes))
    Fail("tensor-too-large", "the tensor's bytes do not fit 63 bits", "less than 2^63 bytes",
         dtype.ToString() + ShapeText(shape));
  return bytes;
}

// Bytes from the first element to that of `index` on an axis. Without elements the strides may be
// anything, and products with them overflow.
int64_t BytesTo(const Tensor& tensor, int axis, int64_t index) {
  if (tensor.num_elements() == 0) return 0;
  return index * tensor.stride(axis) * tensor.dtype().bytes();
}

// Makes a view of `source`'s memory.
Tensor MakeView(const Tensor& source, uint64_t byte_offset, std::span<const int64_t> shape,
                std::span<const int64_t> strides) {
  TensorObject* object = NewTensorObject(source.dl().data, byte_offset, shape, strides,
                                         source.dtype(), source.device());
  object->flags = source.get()->flags;
  object->parent = source;
  return Tensor(ObjectRef<lathe_tensor>(object->c()));
}

struct Layout {
  std::vector<int64_t> shape, strides;
};
Layout LayoutOf(const Tensor& tensor) {
  Layout layout;
  for (int i = 0; i < tensor.rank(); ++i) {
    layout.shape.push_back(tensor.shape(i));
    layout.strides.push_back(tensor.stride(i));
  }
  return layout;
}

void CheckAxis(const Tensor& tensor, int axis) {
  if (axis < 0 || axis >= tensor.rank())
    Fail("tensor-slice-out-of-range", "there is no axis " + std::to_string(axis),
         "an axis of 0 to " + std::to_string(tensor.rank() - 1), tensor.ToString());
}

}  // namespace

namespace internal {

TensorObject* NewTensorObject(void* data, uint64_t byte_offset, std::span<const int64_t> shape,
                              std::span<const int64_t> strides, DataType dtype,
                              const Device& device) {
  auto* object = MakeObject<TensorObject>();
  const size_t rank = shape.size();
  object->extents.assign(shape.begin(), shape.end());
  object->extents.resize(rank * 2 + 1);  // never empty, so that rank 0 has a shape pointer
  if (!strides.empty()) {
    std::copy(strides.begin(), strides.end(),
              object->extents.begin() + static_cast<ptrdiff_t>(rank));
  } else {
    int64_t stride = 1;
    for (size_t i = rank; i > 0; --i) {
      object->extents[rank + i - 1] = stride;
      stride *= shape[i - 1] == 0 ? 1 : shape[i - 1];
    }
  }
  object->dl = {data,       device.packed(),        static_cast<int32_t>(rank),
                dtype.dl(), object->extents.data(), object->extents.data() + rank,
                byte_offset};
  return object;
}

bool CompactBytes(std::span<const int64_t> shape, DataType dtype, uint64_t* bytes) {
  // Extents of 0 count as 1, so that strides cannot overflow either.
  uint64_t product = static_cast<uint64_t>(dtype.bytes());
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (extent < 0 || __builtin_mul_overflow(product, static_cast<uint64_t>(extent), &product) ||
        product > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return false;
  }
  *bytes = empty ? 0 : product;
  return true;
}

absl::Status ValidateTensor(const DLTensor& tensor, std::string_view name) {
  const auto invalid = [&](const std::string& what) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, name, what);
  };
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank)
    return invalid("a rank of " + std::to_string(tensor.ndim) + " is not from 0 to " +
                   std::to_string(kMaxRank));
  if (tensor.ndim > 0 && tensor.shape == nullptr) return invalid("the shape is a null pointer");
  const DataType dtype(tensor.dtype);
  if (dtype.bits() == 0 || dtype.is_scalable() || dtype.lanes() == 0)
    return invalid("elements of type " + dtype.ToString() + " have no fixed size");
  uint64_t bytes = 0;
  if (!CompactBytes({tensor.shape, static_cast<size_t>(tensor.ndim)}, dtype, &bytes))
    return invalid("the shape has a negative extent or passes 2^63 bytes");
  if (bytes != 0 && tensor.data == nullptr)
    return invalid("the data pointer is null but there are elements");
  // Readers add the offset to the pointer, as producers of tensors for others do.
  uintptr_t first = 0;
  if (__builtin_add_overflow(reinterpret_cast<uintptr_t>(tensor.data), tensor.byte_offset, &first))
    return invalid("a byte offset of " + std::to_string(tensor.byte_offset) +
                   " from the data pointer passes what an address can say");
  if (tensor.strides != nullptr && bytes != 0) {
    // Elements must be within the range of an address; else the arithmetic of every reader
    // overflows.
    int64_t low = 0, high = 0;
    for (int i = 0; i < tensor.ndim; ++i) {
      int64_t reach = 0;
      if (__builtin_mul_overflow(tensor.strides[i], tensor.shape[i] - 1, &reach) ||
          __builtin_mul_overflow(reach, static_cast<int64_t>(dtype.bytes()), &reach) ||
          __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
        return invalid("the strides pass 2^63 bytes");
    }
  }
  return absl::OkStatus();
}

}  // namespace internal

absl::StatusOr<Tensor> Tensor::Empty(std::span<const int64_t> shape, DataType dtype, Device device,
                                     std::string_view scope, uint64_t alignment) {
  const uint64_t bytes = CheckNew(shape, dtype);
  LATHE_ASSIGN_OR_RETURN(DeviceRef devices, FindDevice(device));
  TensorObject* object = NewTensorObject(nullptr, 0, shape, {}, dtype, device);
  Tensor tensor(ObjectRef<lathe_tensor>(object->c()));
  object->devices = std::move(devices);
  if (bytes == 0) return tensor;
  object->scope = scope.empty() ? std::string_view(LATHE_SCOPE_GLOBAL) : scope;
  const AllocRequest request{object->scope, bytes, alignment, dtype.dl(), shape};
  LATHE_ASSIGN_OR_RETURN(object->dl.data, object->devices->Alloc(device.id, request));
  object->allocated = true;
  return tensor;
}

absl::StatusOr<Tensor> Tensor::FromHost(const void* data, uint64_t bytes,
                                        std::span<const int64_t> shape, DataType dtype,
                                        Device device) {
  LATHE_ASSIGN_OR_RETURN(Tensor tensor, Empty(shape, dtype, device));
  LATHE_RETURN_IF_ERROR(tensor.CopyFromHost(data, bytes));
  return tensor;
}

Tensor Tensor::Wrap(void* data, uint64_t byte_offset, std::span<const int64_t> shape,
                    std::span<const int64_t> strides, DataType dtype, Device device,
                    void (*release)(void* context), void* context, bool read_only) {
  CheckNew(shape, dtype);
  if (!strides.empty() && strides.size() != shape.size())
    Fail("tensor-bad-strides", "a tensor has one stride for each axis",
         std::to_string(shape.size()), std::to_string(strides.size()));
  TensorObject* object = NewTensorObject(data, byte_offset, shape, strides, dtype, device);
  object->devices = KeepSession(device);
  object->release = release;
  object->context = context;
  if (read_only) object->flags |= LATHE_TENSOR_READ_ONLY;
  return Tensor(ObjectRef<lathe_tensor>(object->c()));
}

int64_t Tensor::stride(int axis) const {
  if (dl().strides != nullptr) return dl().strides[axis];
  int64_t stride = 1;
  for (int i = rank() - 1; i > axis; --i) stride *= shape(i) == 0 ? 1 : shape(i);
  return stride;
}

int64_t NumElements(const DLTensor& tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
  return count;
}
int64_t Tensor::num_elements() const { return NumElements(dl()); }
uint64_t Tensor::num_bytes() const {
  return static_cast<uint64_t>(num_elements()) * static_cast<uint64_t>(dtype().bytes());
}

bool IsCompact(const DLTensor& tensor) {
  if (tensor.strides == nullptr || NumElements(tensor) == 0) return true;
  int64_t expected = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] == 1) continue;
    if (tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}
bool Tensor::is_compact() const { return IsCompact(dl()); }

void* Tensor::HostPointer(size_t element_bytes, bool for_reading) const {
  if (!device().is_host())
    Fail("tensor-not-on-host", "the elements are not in memory that the host may touch",
         "a tensor on cpu:0", ToString(), "copy it with To(Device::Cpu())");
  if (static_cast<size_t>(dtype().bytes()) != element_bytes)
    Fail("tensor-wrong-dtype", "the elements have another size",
         std::to_string(element_bytes) + " bytes", ToString());
  if (read_only() && !for_reading)
    Fail("tensor-read-only", "the tensor may only be read", "a tensor that may be written",
         ToString(), "ask for `const` elements, or write to a Clone()");
  return dl().data == nullptr ? nullptr : static_cast<char*>(dl().data) + dl().byte_offset;
}

Tensor Tensor::Slice(int axis, int64_t begin, int64_t end, int64_t step) const {
  CheckAxis(*this, axis);
  if (begin < 0 || end < begin || end > shape(axis) || step < 1)
    Fail("tensor-slice-out-of-range", "the slice does not lie in axis " + std::to_string(axis),
         "0 <= begin <= end <= " + std::to_string(shape(axis)) + " and a step of 1 or more",
         "[" + std::to_string(begin) + ", " + std::to_string(end) + ") by " + std::to_string(step));
  Layout layout = LayoutOf(*this);
  const size_t at = static_cast<size_t>(axis);
  const int64_t count = begin == end ? 0 : (end - begin - 1) / step + 1;
  // If the slice has at most one element, the stride is unchanged: the step could overflow it.
  layout.shape[at] = count;
  if (count > 1 && num_elements() != 0) layout.strides[at] *= step;
  const int64_t offset = count == 0 ? 0 : BytesTo(*this, axis, begin);
  return MakeView(*this, dl().byte_offset + static_cast<uint64_t>(offset), layout.shape,
                  layout.strides);
}

Tensor Tensor::Select(int axis, int64_t index) const {
  CheckAxis(*this, axis);
  if (index < 0 || index >= shape(axis))
    Fail("tensor-slice-out-of-range", "the index does not lie in axis " + std::to_string(axis),
         "0 <= index < " + std::to_string(shape(axis)), std::to_string(index));
  Layout layout = LayoutOf(*this);
  const int64_t offset = BytesTo(*this, axis, index);
  layout.shape.erase(layout.shape.begin() + axis);
  layout.strides.erase(layout.strides.begin() + axis);
  return MakeView(*this, dl().byte_offset + static_cast<uint64_t>(offset), layout.shape,
                  layout.strides);
}

Tensor Tensor::Reshape(std::span<const int64_t> wanted) const {
  std::vector<int64_t> extents(wanted.begin(), wanted.end());
  if (!is_compact())
    Fail("tensor-not-compact", "only a compact tensor can be reshaped without a copy",
         "row-major without holes", ToString() + " with other strides", "reshape a Clone()");
  const int64_t count = num_elements();
  int64_t known = 1;
  ptrdiff_t open = -1;
  bool fits = extents.size() <= kMaxRank;
  for (size_t i = 0; i < extents.size() && fits; ++i) {
    if (extents[i] == -1 && open < 0) {
      open = static_cast<ptrdiff_t>(i);
    } else if (extents[i] < 0 || __builtin_mul_overflow(known, extents[i], &known)) {
      fits = false;
    }
  }
  if (fits && open >= 0) {
    fits = known != 0 && count % known == 0;
    if (fits) extents[static_cast<size_t>(open)] = count / known;
  } else if (fits) {
    fits = known == count;
  }
  if (!fits)
    Fail("tensor-reshape-mismatch", "the new shape has another number of elements",
         std::to_string(count) + " elements (one extent may be -1)", ShapeText(wanted));
  return MakeView(*this, dl().byte_offset, extents, {});
}

Tensor Tensor::Transpose(std::span<const int> axes) const {
  const Layout layout = LayoutOf(*this);
  Layout moved;
  std::vector<bool> seen(layout.shape.size(), false);
  bool valid = axes.size() == seen.size();
  for (size_t i = 0; i < axes.size() && valid; ++i) {
    const int axis = axes[i];
    valid = axis >= 0 && axis < rank() && !seen[static_cast<size_t>(axis)];
    if (!valid) break;
    seen[static_cast<size_t>(axis)] = true;
    moved.shape.push_back(layout.shape[static_cast<size_t>(axis)]);
    moved.strides.push_back(layout.strides[static_cast<size_t>(axis)]);
  }
  if (!valid) {
    const std::vector<int64_t> found(axes.begin(), axes.end());
    Fail("tensor-bad-permutation", "the axes are no permutation",
         "each of 0 to " + std::to_string(rank() - 1) + " once", ShapeText(found));
  }
  return MakeView(*this, dl().byte_offset, moved.shape, moved.strides);
}

Tensor Tensor::ReadOnly() const {
  const Layout layout = LayoutOf(*this);
  Tensor view = MakeView(*this, dl().byte_offset, layout.shape, layout.strides);
  view.get()->flags |= LATHE_TENSOR_READ_ONLY;
  return view;
}

std::string Tensor::ToString() const {
  if (get() == nullptr) return "null tensor";
  return DescribeTensor(dl());
}

}  // namespace lathe::runtime
