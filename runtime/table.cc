#include "runtime/table.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cancel.h"
#include "runtime/device_api.h"
#include "runtime/error_object.h"
#include "runtime/launch.h"
#include "runtime/raise.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "runtime/thread_pool.h"
#include "runtime/workspace.h"

namespace lathe::runtime {
namespace {

struct Image {
  const void* end;
  std::function<Function(std::string_view)> resolve;
  std::vector<Function> remembered;
};
struct Images {
  std::mutex mutex;
  std::map<const void*, std::shared_ptr<Image>, std::less<>> by_begin;
  // Functions remembered by call sites outside every image (linked statically); they live as long
  // as the process.
  std::vector<Function> remembered;
};
Images& AllImages() {
  static Images* images = new Images;
  return *images;
}

std::shared_ptr<Image> ImageOf(const void* address) {
  Images& images = AllImages();
  std::lock_guard lock(images.mutex);
  auto after = images.by_begin.upper_bound(address);
  if (after == images.by_begin.begin()) return nullptr;
  --after;
  return std::less<>()(address, after->second->end) ? after->second : nullptr;
}

int32_t RaiseStatus(const absl::Status& status) {
  return status.ok() ? 0 : RaiseError(MakeErrorObject(status));
}

// Runs `body`, which returns a status; exceptions do not reach compiled code.
template <class F>
int32_t Guarded(F body) noexcept {
  try {
    return RaiseStatus(body());
  } catch (...) {
    return RaiseError(ErrorFromCurrentException());
  }
}

absl::StatusOr<Function> Resolve(const char* name, void** cache) {
  Images& images = AllImages();
  std::shared_ptr<Image> image = cache == nullptr ? nullptr : ImageOf(cache);
  Function found;
  if (image != nullptr && image->resolve) found = image->resolve(name);
  if (!found) {
    LATHE_ASSIGN_OR_RETURN(found, FindOrLoadGlobal(name));
  }
  if (cache != nullptr) {
    std::lock_guard lock(images.mutex);
    std::vector<Function>& remembered = image ? image->remembered : images.remembered;
    remembered.push_back(found);
    std::atomic_ref<void*>(*cache).store(found.get(), std::memory_order_release);
  }
  return found;
}

int32_t TableParallel(lathe_parallel_body body, void* closure, int64_t extent) {
  return ParallelFor(body, closure, extent);
}

// Compiled code may refer to devices of this process only: a device of a session gives an error and
// is not taken for the local device of that kind.
Device Unpacked(int32_t device_type, int32_t device_id) {
  return Device::FromPacked({static_cast<DLDeviceType>(device_type), device_id});
}

void* TableWorkspaceAlloc(int32_t device_type, int32_t device_id, uint64_t bytes,
                          const char* scope) {
  void* data = nullptr;
  Guarded([&]() -> absl::Status {
    LATHE_ASSIGN_OR_RETURN(data, WorkspaceAlloc(Unpacked(device_type, device_id), bytes,
                                                scope == nullptr ? "" : scope));
    return absl::OkStatus();
  });
  return data;
}

int32_t TableWorkspaceFree(int32_t device_type, int32_t device_id, void* data) {
  return Guarded([&] { return WorkspaceFree(Unpacked(device_type, device_id), data); });
}

int32_t TableRaise(const char* name, const char* format, const lathe_value* values, int32_t n) {
  Guarded([&] {
    Raise(name == nullptr ? "" : name, format == nullptr ? "" : format, values, n);
    return absl::OkStatus();
  });
  return -1;
}

int32_t TableTakeError(lathe_value* ret) {
  *ret = internal::ObjectValue(TakePendingError().release());
  return -1;
}

int32_t TableCallPacked(const char* name, void** cache, const lathe_value* args, int32_t n,
                        lathe_value* ret) {
  auto* known = cache == nullptr ? nullptr
                                 : static_cast<lathe_function*>(std::atomic_ref<void*>(*cache).load(
                                       std::memory_order_acquire));
  Function owned;
  if (known == nullptr) {
    const int32_t result = Guarded([&]() -> absl::Status {
      LATHE_ASSIGN_OR_RETURN(owned, Resolve(name, cache));
      return absl::OkStatus();
    });
    if (result != 0) return result;
    known = owned.get();
  }
  if (CancelScope::Look(CancelScope::Current()) != 0) return -1;
  *ret = lathe_value{};
  if (known->call(known->self, args, n, ret) == 0) {
    if (ret->kind == LATHE_VALUE_OBJECT) {
      const Value released = Value::Adopt(*ret);
      ret->v_object = nullptr;
    }
    return 0;
  }
  const lathe_value failed = std::exchange(*ret, lathe_value{});
  if (failed.kind == LATHE_VALUE_OBJECT && failed.v_object != nullptr &&
      failed.v_object->kind == LATHE_OBJECT_ERROR)
    return RaiseError(ErrorRef::Adopt(reinterpret_cast<lathe_error*>(failed.v_object)));
  const Value dropped = Value::Adopt(failed);
  return RaiseError(MakeErrorObject(LATHE_INTERNAL, "call-failed-without-error",
                                    "`" + std::string(name) + "` failed without an error object"));
}

int32_t TableSetDevice(int32_t device_type, int32_t device_id) {
  return Guarded([&]() -> absl::Status {
    const Device device = Unpacked(device_type, device_id);
    LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, GetDeviceAPI(device));
    SetLaunchDevice(device);
    return api->MakeCurrent(device_id);
  });
}

int32_t TableCopy(const DLTensor* from, DLTensor* to) {
  return Guarded([&]() -> absl::Status {
    if (from == nullptr || to == nullptr)
      return MakeStatus(absl::StatusCode::kInvalidArgument, "tensor-invalid",
                        "a copy from or to a null tensor");
    return CopyTensor(*from, *to);
  });
}

int32_t TablePoll(void) { return CancelScope::Look(CancelScope::Current()); }

constexpr lathe_runtime_table kTable = {
    .struct_size = sizeof(lathe_runtime_table),
    .parallel = TableParallel,
    .workspace_alloc = TableWorkspaceAlloc,
    .workspace_free = TableWorkspaceFree,
    .raise = TableRaise,
    .take_error = TableTakeError,
    .call_packed = TableCallPacked,
    .set_device = TableSetDevice,
    .copy = TableCopy,
    .poll = TablePoll,
    .parallel_on = ParallelOn,
    .thread_index = ThreadIndex,
};

}  // namespace

const lathe_runtime_table* RuntimeTable() { return &kTable; }

ImageRegistration::ImageRegistration(const void* begin, const void* end,
                                     std::function<Function(std::string_view)> resolve)
    : begin_(begin) {
  Images& images = AllImages();
  auto image = std::make_shared<Image>(Image{end, std::move(resolve), {}});
  std::lock_guard lock(images.mutex);
  images.by_begin[begin] = std::move(image);
}

ImageRegistration::~ImageRegistration() {
  Images& images = AllImages();
  std::shared_ptr<Image> image;  // outlives the lock: dropping its functions may run any code
  {
    std::lock_guard lock(images.mutex);
    const auto at = images.by_begin.find(begin_);
    if (at == images.by_begin.end()) return;
    image = std::move(at->second);
    images.by_begin.erase(at);
  }
}

}  // namespace lathe::runtime
