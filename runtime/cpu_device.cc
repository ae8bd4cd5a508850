#include "runtime/cpu_device.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "lathe/abi/names.h"
#include "runtime/status.h"
#include "runtime/strided_copy.h"

namespace lathe::runtime {
namespace {

// Allocations of this size and more use huge pages, if the system grants them.
constexpr uint64_t kLargeBytes = uint64_t{4} << 20, kHugePage = uint64_t{2} << 20;

int64_t MonotonicNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Event {
  int64_t nanoseconds = 0;
  bool recorded = false;
};

class CpuDevice final : public DeviceAPI {
 public:
  int32_t kind() const override { return kDLCPU; }
  absl::StatusOr<int32_t> Count() override { return 1; }

  absl::StatusOr<Value> Attribute(int32_t, std::string_view name) override {
    if (name == LATHE_PROPERTY_NAME) return Value("host processor");
    if (name == LATHE_PROPERTY_ARCH) {
#if defined(__x86_64__)
      return Value("x86_64");
#elif defined(__aarch64__)
      return Value("aarch64");
#elif defined(__arm__)
      return Value("arm");
#elif defined(__riscv)
      return Value("riscv64");
#else
      return Value();
#endif
    }
    if (name == LATHE_PROPERTY_MULTI_PROCESSOR_COUNT) return Value(UsableProcessors());
    if (name == LATHE_PROPERTY_TOTAL_MEMORY) {
      LATHE_ASSIGN_OR_RETURN(const MemoryInfo info, GetMemoryInfo(0, LATHE_SCOPE_GLOBAL));
      return Value(static_cast<int64_t>(info.total));
    }
    return Value();
  }

  absl::StatusOr<void*> Alloc(int32_t, const AllocRequest& request) override {
    if (!request.scope.empty() && request.scope != LATHE_SCOPE_GLOBAL)
      return MakeStatus(absl::StatusCode::kInvalidArgument, "device-no-such-scope",
                        {"the cpu has no memory scope `", request.scope, "`\nexpected: `global`"});
    uint64_t alignment =
        request.alignment < alignof(max_align_t) ? alignof(max_align_t) : request.alignment;
    const bool large = request.bytes >= kLargeBytes;
    if (large && alignment < kHugePage) alignment = kHugePage;
    void* data = nullptr;
    if (request.bytes > static_cast<uint64_t>(PTRDIFF_MAX) ||
        posix_memalign(&data, alignment, request.bytes == 0 ? 1 : request.bytes) != 0)
      return MakeStatus(absl::StatusCode::kResourceExhausted, "device-out-of-memory",
                        {"cpu:0 could not give ", std::to_string(request.bytes),
                         " bytes aligned to ", std::to_string(alignment)});
    // A hint: with huge pages a kernel that walks through the memory has fewer TLB misses. If the
    // system ignores the hint, nothing is lost.
    if (large) static_cast<void>(madvise(data, request.bytes, MADV_HUGEPAGE));
    return data;
  }
  absl::Status Free(int32_t, std::string_view, void* data) override {
    std::free(data);
    return absl::OkStatus();
  }
  absl::StatusOr<MemoryInfo> GetMemoryInfo(int32_t, std::string_view) override {
    struct sysinfo info;
    if (::sysinfo(&info) != 0) return Unsupported("memory information");
    return MemoryInfo{static_cast<uint64_t>(info.totalram) * info.mem_unit,
                      static_cast<uint64_t>(info.freeram) * info.mem_unit};
  }

  absl::Status Copy(const DLTensor& from, const DLTensor& to, StreamHandle) override {
    CopyStridedHost(from, to);
    return absl::OkStatus();
  }
  absl::Status Fill(int32_t, void* data, uint64_t offset, uint64_t bytes, uint64_t pattern,
                    int32_t pattern_bytes, StreamHandle) override {
    if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4 && pattern_bytes != 8)
      return MakeStatus(absl::StatusCode::kInvalidArgument, "device-bad-fill",
                        {"a pattern has 1, 2, 4 or 8 bytes, not ", std::to_string(pattern_bytes)});
    char* at = static_cast<char*>(data) + offset;
    const auto width = static_cast<uint64_t>(pattern_bytes);
    for (uint64_t done = 0; done < bytes; done += width)
      std::memcpy(at + done, &pattern,
                  static_cast<size_t>(bytes - done < width ? bytes - done : width));
    return absl::OkStatus();
  }

  absl::StatusOr<StreamHandle> NewStream(int32_t, StreamKind) override { return new char; }
  absl::Status SyncStream(int32_t, StreamHandle) override { return absl::OkStatus(); }
  absl::Status FreeStream(int32_t, StreamHandle stream) override {
    delete static_cast<char*>(stream);
    return absl::OkStatus();
  }

  absl::StatusOr<EventHandle> NewEvent(int32_t) override { return new Event; }
  absl::Status RecordEvent(int32_t, EventHandle event, StreamHandle) override {
    *static_cast<Event*>(event) = {MonotonicNanoseconds(), true};
    return absl::OkStatus();
  }
  absl::Status WaitEvent(int32_t, EventHandle, StreamHandle) override { return absl::OkStatus(); }
  absl::Status SyncEvent(int32_t, EventHandle) override { return absl::OkStatus(); }
  absl::StatusOr<double> ElapsedNanoseconds(int32_t, EventHandle begin, EventHandle end) override {
    const auto* first = static_cast<const Event*>(begin);
    const auto* last = static_cast<const Event*>(end);
    if (!first->recorded || !last->recorded)
      return MakeStatus(absl::StatusCode::kFailedPrecondition, "device-event-not-recorded",
                        "an event has no time before it is recorded");
    return static_cast<double>(last->nanoseconds - first->nanoseconds);
  }
  absl::Status FreeEvent(int32_t, EventHandle event) override {
    delete static_cast<Event*>(event);
    return absl::OkStatus();
  }

  absl::StatusOr<void*> WrapHost(int32_t, void* host, uint64_t) override { return host; }
  absl::Status UnwrapHost(int32_t, void*) override { return absl::OkStatus(); }
  absl::StatusOr<void*> ExportHost(int32_t, void* data, uint64_t) override { return data; }
  absl::Status MakeCurrent(int32_t) override { return absl::OkStatus(); }
};

}  // namespace

DeviceAPI* CpuDeviceAPI() {
  static CpuDevice* device = new CpuDevice;
  return device;
}

int UsableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
  const unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : static_cast<int>(count);
}

}  // namespace lathe::runtime
