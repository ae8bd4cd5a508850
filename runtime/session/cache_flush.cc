#include "runtime/session/cache_flush.h"

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/dtype.h"
#include "base/error.h"
#include "runtime/function.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/strided_copy.h"

namespace lathe::runtime {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)
#if defined(__x86_64__)
constexpr uintptr_t kLine = 64;

void FlushLine(uintptr_t line) { _mm_clflush(reinterpret_cast<const void*>(line)); }
void Finish() { _mm_mfence(); }
#else
// The smallest line that the architecture allows to be common; longer lines are flushed repeatedly.
constexpr uintptr_t kLine = 32;

void FlushLine(uintptr_t line) { asm volatile("dc civac, %0" : : "r"(line) : "memory"); }
void Finish() { asm volatile("dsb sy" : : : "memory"); }
#endif

void FlushTensor(const DLTensor& tensor) {
  const int64_t bytes = DataType(tensor.dtype).bytes();
  int64_t lowest = 0, highest = 0, compact = bytes;  // of an element's first byte, from the data
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    const int64_t extent = tensor.shape[i];
    if (extent == 0) return;
    const int64_t stride = tensor.strides == nullptr ? compact : tensor.strides[i] * bytes;
    compact *= extent;
    lowest += std::min<int64_t>(0, stride * (extent - 1));
    highest += std::max<int64_t>(0, stride * (extent - 1));
  }
  const auto data = reinterpret_cast<uintptr_t>(HostBytes(tensor));
  const uintptr_t begin = (data + static_cast<uintptr_t>(lowest)) & ~(kLine - 1);
  const uintptr_t end = data + static_cast<uintptr_t>(highest + bytes);
  for (uintptr_t line = begin; line < end; line += kLine) FlushLine(line);
}

void Flush(const Args& args, Value*) {
  for (int i = 1; i < args.size(); ++i) {
    const DLTensor* tensor = nullptr;
    if (ValueTraits<const DLTensor*>::Get(args[i].c(), &tensor) == Conversion::kOk &&
        tensor->device.device_type == kDLCPU)  // another device's are not in this memory
      FlushTensor(*tensor);
  }
  Finish();
}
#else
void Flush(const Args&, Value*) {
  ThrowIfError(
      MakeStatus(absl::StatusCode::kUnimplemented, "cache-flush-unsupported",
                 {"a program cannot flush the caches of this processor\n"
                  "help: flush_cache_bytes of the timer replaces their contents instead"}));
}
#endif

}  // namespace

void RegisterCacheFlush() {
  static const absl::Status registered = RegisterGlobal(
      kCacheFlush, Function::From(Flush, kCacheFlush), Override::kReplace, Exported::kYes);
  LATHE_CHECK(registered.ok()) << registered.message();
}

}  // namespace lathe::runtime
