// Tensors that the caller of a Python function lends it for the call.
//
// Compiled code passes a bare DLTensor. The memory belongs to the caller, which may free or reuse
// it as soon as the call ends. Python reads and writes this memory in place as long as no view of
// it exists. Before a view is made (a buffer, DLPack, a slice, a returned value), the tensor gets
// its own copy of the memory, and the views keep that copy alive. Changes in the copy are written
// to the caller's memory when the call ends.
#include <cstring>
#include <exception>
#include <thread>
#include <unordered_map>

#include "python/core/object.h"
#include "runtime/status.h"

namespace lathe::python {

size_t g_lent = 0;

// Belongs to the tensor, which may outlive the call.
struct LentTensor {
  std::thread::id thread = std::this_thread::get_id();
  runtime::Tensor caller;  // the caller's memory; null until `own` is made
  runtime::Tensor own;
  runtime::Tensor before;  // the first content of `own`, on the host
};

namespace {

// The lent tensors of all running calls. Guarded by the GIL.
std::unordered_map<const lathe_tensor*, LentTensor*>& Lent() {
  static auto* lent = new std::unordered_map<const lathe_tensor*, LentTensor*>();
  return *lent;
}

LentTensor* Find(const lathe_tensor* tensor) {
  if (g_lent == 0) return nullptr;
  const auto found = Lent().find(tensor);
  return found == Lent().end() ? nullptr : found->second;
}

std::span<const int64_t> Dims(const int64_t* dims, const DLTensor& dl) {
  return dims == nullptr ? std::span<const int64_t>()
                         : std::span(dims, static_cast<size_t>(dl.ndim));
}

runtime::Tensor View(const DLTensor& dl, void (*release)(void*), void* context) {
  return runtime::Tensor::Wrap(dl.data, dl.byte_offset, Dims(dl.shape, dl), Dims(dl.strides, dl),
                               DataType(dl.dtype), runtime::Device::FromPacked(dl.device), release,
                               context);
}

absl::StatusOr<runtime::Tensor> CopyOnHost(const runtime::Tensor& tensor) {
  return tensor.device().is_host() ? tensor.Clone() : tensor.To(runtime::Device::Cpu());
}

absl::Status Separate(lathe_tensor* tensor, LentTensor& lent) {
  const runtime::Tensor caller = View(tensor->dl, nullptr, nullptr);
  LATHE_ASSIGN_OR_RETURN(runtime::Tensor own, caller.Clone());
  LATHE_ASSIGN_OR_RETURN(lent.before, CopyOnHost(own));
  lent.caller = caller;
  lent.own = std::move(own);
  tensor->dl.data = lent.own.dl().data;
  tensor->dl.byte_offset = lent.own.dl().byte_offset;
  tensor->dl.strides = lent.own.dl().strides;
  return absl::OkStatus();
}

// Makes the tensor empty, so that a kept reference to it is harmless.
void Expire(lathe_tensor* tensor) {
  static int64_t no_elements[2] = {0, 1};
  tensor->dl.data = nullptr;
  tensor->dl.byte_offset = 0;
  tensor->dl.ndim = 1;
  tensor->dl.shape = no_elements;
  tensor->dl.strides = no_elements + 1;
}

// Writes changed elements of an axis, and of the axes inside it, to the caller. `own` and `before`
// are compact; their pointers advance.
struct Changes {
  const DLTensor& caller;
  size_t size;
  const char* own;
  const char* before;

  void Return(int axis, char* to) {
    if (axis == caller.ndim) {
      if (std::memcmp(own, before, size) != 0) std::memcpy(to, own, size);
      own += size;
      before += size;
      return;
    }
    const int64_t step = caller.strides[axis] * static_cast<int64_t>(size);
    for (int64_t i = 0; i < caller.shape[axis]; ++i) Return(axis + 1, to + i * step);
  }
};

const char* Elements(const runtime::Tensor& tensor) {
  return static_cast<const char*>(tensor.dl().data) + tensor.dl().byte_offset;
}

// Writes only changed elements: other threads may use the same memory, and inputs may be read-only.
absl::Status ReturnChanges(const LentTensor& lent) {
  const bool on_host = lent.own.device().is_host();
  runtime::Tensor now = lent.own;
  if (!on_host) {
    LATHE_ASSIGN_OR_RETURN(now, CopyOnHost(lent.own));
  }
  const uint64_t bytes = now.num_bytes();
  if (bytes == 0 || std::memcmp(Elements(now), Elements(lent.before), bytes) == 0)
    return absl::OkStatus();
  if (!on_host) return lent.caller.CopyFrom(lent.own);
  const DLTensor& to = lent.caller.dl();
  Changes{to, static_cast<size_t>(now.dtype().bytes()), Elements(now), Elements(lent.before)}
      .Return(0, static_cast<char*>(to.data) + to.byte_offset);
  return absl::OkStatus();
}

}  // namespace

bool IsLentHere(const lathe_tensor* tensor) {
  const LentTensor* lent = Find(tensor);
  return lent != nullptr && !lent->own && lent->thread == std::this_thread::get_id();
}

bool MakeOwn(lathe_tensor* tensor) {
  LentTensor* lent = Find(tensor);
  if (lent == nullptr || lent->own) return true;
  try {
    const absl::Status separated = Separate(tensor, *lent);
    if (separated.ok()) return true;
    RaiseFromError(runtime::MakeErrorObject(separated).release());
  } catch (...) {
    RaiseCurrentException();
  }
  return false;
}

PyObject* Borrowed::Lend(const DLTensor& dl) {
  tensors_.reserve(tensors_.size() + 1);
  auto* lent = new LentTensor;
  runtime::Tensor tensor;
  try {
    tensor = View(dl, [](void* self) { delete static_cast<LentTensor*>(self); }, lent);
  } catch (...) {
    delete lent;
    throw;
  }
  Lent()[tensor.get()] = lent;
  ++g_lent;
  tensors_.push_back(tensor);
  return WrapObject(reinterpret_cast<lathe_object*>(tensor.release()));
}

Borrowed::~Borrowed() {
  try {
    Return().IgnoreError();
  } catch (const std::exception&) {  // the call has failed already, or this is all that it lacks
  }
}

absl::Status Borrowed::Return() {
  absl::Status result;
  std::exception_ptr thrown;
  while (!tensors_.empty()) {
    // Forgotten first: what throws below must not find it again.
    const runtime::Tensor tensor = std::move(tensors_.back());
    tensors_.pop_back();
    const auto found = Lent().find(tensor.get());
    LentTensor& lent = *found->second;
    Lent().erase(found);
    --g_lent;
    if (!lent.own) {
      Expire(tensor.get());
      continue;
    }
    try {
      result.Update(ReturnChanges(lent));
    } catch (const std::exception&) {
      thrown = std::current_exception();
    }
    lent.before = lent.caller = nullptr;
  }
  if (thrown) std::rethrow_exception(thrown);
  return result;
}

}  // namespace lathe::python
