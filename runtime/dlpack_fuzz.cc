// Any DLPack struct, managed in either form, gives a status or a tensor. The tensor can be queried,
// viewed and exported. The producer's deleter is called exactly once. Elements are read only if all
// of them lie in the producer's memory, which the producer promises.
//
// Input, little endian, with zeros after its end: u8 form (bits: versioned, no shape, strides, no
// data), u32 major version, u64 flags, i32 device type, i32 device number, i32 rank, u8 type code,
// u8 bits, u16 lanes, u64 byte offset, then i64 of shape and strides.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "runtime/init.h"
#include "runtime/tensor.h"

namespace {

using lathe::runtime::Tensor;

constexpr int64_t kMemoryBytes = 4096;
alignas(64) char memory[kMemoryBytes];
int released = 0;

struct Input {
  const uint8_t* at;
  size_t left;
  template <class T>
  T Next() {
    T value{};
    const size_t bytes = left < sizeof(T) ? left : sizeof(T);
    if (bytes > 0) std::memcpy(&value, at, bytes);
    at += bytes;
    left -= bytes;
    return value;
  }
};

// Whether every element lies in `memory`.
bool LiesInMemory(const DLTensor& tensor) {
  if (tensor.data != memory || tensor.byte_offset > kMemoryBytes) return false;
  const __int128 width = lathe::DataType(tensor.dtype).bytes();
  __int128 low = 0, high = 0, compact = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] < 0 || tensor.shape[i] > kMemoryBytes) return false;  // or a large copy
    const __int128 stride = tensor.strides == nullptr ? compact : tensor.strides[i];
    const __int128 reach = stride * (tensor.shape[i] - 1);
    (reach < 0 ? low : high) += reach;
    compact *= tensor.shape[i];
    if (compact > kMemoryBytes) return false;
  }
  if (compact == 0) return true;
  const __int128 offset = static_cast<__int128>(tensor.byte_offset);
  return offset + low * width >= 0 && offset + (high + 1) * width <= kMemoryBytes;
}

void Ask(const Tensor& tensor, bool readable) {
  LATHE_CHECK(!tensor.ToString().empty() && tensor.num_elements() >= 0);
  (void)tensor.num_bytes();
  const bool compact = tensor.is_compact();
  for (int i = 0; i < tensor.rank(); ++i) (void)tensor.stride(i);
  try {
    std::vector<int> axes;
    for (int i = tensor.rank(); i > 0; --i) axes.push_back(i - 1);
    LATHE_CHECK(tensor.Transpose(axes).num_elements() == tensor.num_elements());
    if (compact) (void)tensor.Reshape(std::vector<int64_t>{tensor.num_elements()});
    if (tensor.rank() > 0) {
      (void)tensor.Slice(0, 0, tensor.shape(0), 2);
      (void)tensor.Select(0, tensor.shape(0) - 1);
    }
  } catch (const lathe::Error&) {
    // A view beyond what can be addressed, or a view without elements.
  }
  if (!readable || tensor.device() != lathe::runtime::Device::Cpu()) return;
  const auto copy = tensor.Clone();
  LATHE_CHECK(copy.ok() && copy->is_compact() && copy->num_bytes() == tensor.num_bytes());
}

template <class M>
void HandOn(absl::StatusOr<M*> managed, absl::StatusOr<Tensor> (*take)(M*)) {
  if (!managed.ok()) return;
  const auto again = take(*managed);
  LATHE_CHECK(again.ok()) << again.status().message();
}

template <class M>
void Try(M& managed, absl::StatusOr<Tensor> (*take)(M*), bool readable) {
  managed.manager_ctx = nullptr;
  managed.deleter = [](M*) { ++released; };
  released = 0;
  {
    const absl::StatusOr<Tensor> tensor = take(&managed);
    if (!tensor.ok()) return;
    Ask(*tensor, readable);
    HandOn(tensor->ToDLPack(), Tensor::FromDLPack);
    HandOn(tensor->ToDLPackVersioned(), Tensor::FromDLPackVersioned);
    LATHE_CHECK(released == 0);
  }
  LATHE_CHECK(released == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  [[maybe_unused]] static const bool ready = (lathe::runtime::Initialize(), true);
  Input input{data, size};
  const auto form = input.Next<uint8_t>();
  DLManagedTensorVersioned versioned{};
  versioned.version = {input.Next<uint32_t>(), 0};
  versioned.flags = input.Next<uint64_t>();
  DLTensor& tensor = versioned.dl_tensor;
  tensor.device.device_type = input.Next<int32_t>();
  tensor.device.device_id = input.Next<int32_t>();
  tensor.ndim = input.Next<int32_t>();
  tensor.dtype.code = input.Next<uint8_t>();
  tensor.dtype.bits = input.Next<uint8_t>();
  tensor.dtype.lanes = input.Next<uint16_t>();
  tensor.byte_offset = input.Next<uint64_t>();
  // Larger ranks are refused before the shape is read.
  const int rank = tensor.ndim < 0 || tensor.ndim > 40 ? 0 : tensor.ndim;
  std::vector<int64_t> shape, strides;
  for (int i = 0; i < rank; ++i) shape.push_back(input.Next<int64_t>());
  for (int i = 0; i < rank; ++i) strides.push_back(input.Next<int64_t>());
  tensor.shape = (form & 2) != 0 ? nullptr : shape.data();
  tensor.strides = (form & 4) != 0 ? strides.data() : nullptr;
  tensor.data = (form & 8) != 0 ? nullptr : memory;
  const bool bounded = rank == tensor.ndim && tensor.shape != nullptr;
  const bool readable = bounded && LiesInMemory(tensor);
  if ((form & 1) != 0) {
    Try(versioned, Tensor::FromDLPackVersioned, readable);
  } else {
    DLManagedTensor plain{};
    plain.dl_tensor = tensor;
    Try(plain, Tensor::FromDLPack, readable);
  }
  return 0;
}
