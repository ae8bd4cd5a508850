#include "runtime/launch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/error_object.h"
#include "runtime/stream.h"

namespace lathe::runtime {
namespace {

thread_local Device launch_device;

// Calls another function, and keeps it alive.
struct Forwarder : internal::FunctionObject {
  Function inner;
};

Function MakeForwarder(Function inner, lathe_call call) {
  auto* object = MakeObject<Forwarder>();
  object->Retain();
  object->inner = std::move(inner);
  object->call = call;
  object->self = object;
  return Function::Adopt(object->c());
}

const lathe_function& InnerOf(void* self) { return *static_cast<Forwarder*>(self)->inner.get(); }

int CallWithStream(void* self, const lathe_value* args, int32_t n, lathe_value* ret) noexcept {
  const lathe_function& kernel = InnerOf(self);
  const Stream stream = CurrentStream(launch_device);
  if (stream.get() == nullptr) return kernel.call(kernel.self, args, n, ret);
  // The usual number of values: few kernels have more.
  constexpr int32_t kMany = 32;
  lathe_value few[kMany];
  std::vector<lathe_value> many;
  lathe_value* all = few;
  try {
    if (n >= kMany) {
      many.resize(static_cast<size_t>(n) + 1);
      all = many.data();
    }
  } catch (...) {
    *ret = internal::ObjectValue(ErrorFromCurrentException().release());
    return -1;
  }
  std::copy(args, args + n, all);
  all[n] = ValueTraits<Stream>::Borrow(stream);
  return kernel.call(kernel.self, all, n + 1, ret);
}

int CallTakingStream(void* self, const lathe_value* args, int32_t n, lathe_value* ret) noexcept {
  const lathe_function& host = InnerOf(self);
  Stream stream;
  if (n == 0 || ValueTraits<Stream>::Get(args[n - 1], &stream) != Conversion::kOk)
    return host.call(host.self, args, n, ret);
  try {
    const StreamScope scope(stream.device(), stream);
    return host.call(host.self, args, n - 1, ret);
  } catch (...) {
    *ret = internal::ObjectValue(ErrorFromCurrentException().release());
    return -1;
  }
}

}  // namespace

void SetLaunchDevice(const Device& device) { launch_device = device; }
Device LaunchDevice() { return launch_device; }

Function WithCurrentStream(Function kernel) {
  return MakeForwarder(std::move(kernel), CallWithStream);
}
Function TakingStream(Function host) { return MakeForwarder(std::move(host), CallTakingStream); }

}  // namespace lathe::runtime
