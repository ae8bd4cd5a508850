#include "runtime/device_words.h"

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "base/dtype.h"
#include "runtime/function.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime {
namespace {

// A tensor of one element, in `shape` of 1.
absl::StatusOr<DLTensor> ElementOf(const DLTensor& words, int64_t index, int64_t* shape) {
  const DataType type(words.dtype);
  const bool fits = words.ndim == 1 && (words.strides == nullptr || words.strides[0] == 1) &&
                    (type == DataType::Int(32) || type == DataType::Int(64));
  if (!fits || index < 0 || index >= words.shape[0]) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "device-word",
                      {"word ", std::to_string(index), " of a tensor of rank ",
                       std::to_string(words.ndim), " and type ", type.ToString(),
                       "\nexpected: an element of a compact int32 or int64 tensor of rank 1"});
  }
  DLTensor element = words;
  *shape = 1;
  element.shape = shape;
  element.strides = nullptr;
  element.byte_offset += static_cast<uint64_t>(index) * type.bytes();
  return element;
}

// A word in this function's memory, as a tensor like `like`.
DLTensor HereLike(const DLTensor& like, void* word) {
  DLTensor here = like;
  here.data = word;
  here.byte_offset = 0;
  here.device = {kDLCPU, 0};
  return here;
}

absl::StatusOr<int64_t> Load(const DLTensor* words, int64_t index) {
  int64_t shape = 0;
  LATHE_ASSIGN_OR_RETURN(const DLTensor element, ElementOf(*words, index, &shape));
  int64_t wide = 0;
  int32_t narrow = 0;
  const bool is_wide = words->dtype.bits == 64;
  DLTensor here = HereLike(element, is_wide ? static_cast<void*>(&wide) : &narrow);
  LATHE_RETURN_IF_ERROR(CopyTensor(element, here));
  return is_wide ? wide : narrow;
}

absl::Status Store(const DLTensor* words, int64_t index, int64_t value) {
  int64_t shape = 0;
  LATHE_ASSIGN_OR_RETURN(const DLTensor element, ElementOf(*words, index, &shape));
  auto narrow = static_cast<int32_t>(value);
  const bool is_wide = words->dtype.bits == 64;
  return CopyTensor(HereLike(element, is_wide ? static_cast<void*>(&value) : &narrow), element);
}

}  // namespace

absl::Status RegisterDeviceWords() {
  LATHE_RETURN_IF_ERROR(RegisterGlobal(kDeviceLoad, Function::From(Load, kDeviceLoad)));
  return RegisterGlobal(kDeviceStore, Function::From(Store, kDeviceStore));
}

}  // namespace lathe::runtime
