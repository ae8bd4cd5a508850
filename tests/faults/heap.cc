#include "tests/faults/heap.h"

#include <unwind.h>

#include <cerrno>

extern "C" {
// The C library's own functions. It offers these names to programs that bring their own malloc.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* data, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace lathe::faults {
namespace {

enum class Mode { kOff, kRecord, kFail };

Mode mode = Mode::kOff;
std::span<Site> sites;
uint32_t used[kMostSites];
uint64_t count = 0, wanted = 0, lost = 0, entered = 0;
Site failed;
void* outermost = nullptr;
std::span<const Code> left_out;

bool IsLeftOut(const void* frame) {
  const auto address = reinterpret_cast<uintptr_t>(frame);
  for (const Code& code : left_out) {
    if (code.begin <= address && address < code.end) return true;
  }
  return false;
}

struct Walk {
  Site* site;
  int skip, found;
  bool may_end;  // where code is left out
  bool left_out;
};

_Unwind_Reason_Code OneFrame(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  if (walk.skip-- > 0) return _URC_NO_REASON;
  if (reinterpret_cast<void*>(_Unwind_GetRegionStart(context)) == outermost)
    return _URC_END_OF_STACK;
  void* const frame = reinterpret_cast<void*>(_Unwind_GetIP(context));
  // Compilers of other people allocate millions of times: their stacks are not walked to the end.
  walk.left_out = walk.may_end && IsLeftOut(frame);
  if (walk.left_out) return _URC_END_OF_STACK;
  walk.site->frames[walk.found++] = frame;
  return walk.found == kFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// The stack that asked for memory, without the functions of this file. If it `may_end` where code
// is left out, and there is such code, its hash is 0.
[[gnu::noinline]] Site Here(bool may_end) {
  Site site;
  Walk walk{&site, 3, 0, may_end, false};
  _Unwind_Backtrace(OneFrame, &walk);
  if (walk.left_out) return Site();
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, a frame at a time
  for (void* frame : site.frames)
    hash = (hash ^ reinterpret_cast<uintptr_t>(frame)) * 0x100000001b3;
  site.hash = hash | 1;
  return site;
}

void Enter(const Site& here) {
  const size_t mask = sites.size() - 1;
  for (size_t step = 0; step <= mask; ++step) {
    const size_t at = (here.hash + step) & mask;
    Site& site = sites[at];
    if (site.hash == 0) {
      used[entered++] = static_cast<uint32_t>(at);
      site = here;
      site.first = count;
    }
    if (site.hash != here.hash) continue;
    ++site.hits;
    // Remembers one hit in the midst of the program: the last whose number is a power of two.
    if (site.hits > 1 && (site.hits & (site.hits - 1)) == 0) site.later = count;
    return;
  }
  ++lost;
}

// Whether this allocation, which `caller` asks for, is to fail.
[[gnu::noinline]] bool Fails(const void* caller) {
  if (mode == Mode::kOff) return false;
  ++count;
  if (mode == Mode::kFail && count != wanted) return false;
  if (mode == Mode::kRecord && IsLeftOut(caller)) return false;
  const Mode was = mode;
  mode = Mode::kOff;  // allocations of the unwinder are not the program's
  const Site here = Here(was == Mode::kRecord);
  mode = was;
  if (mode == Mode::kRecord) {
    if (here.hash != 0) Enter(here);
    return false;
  }
  failed = here;
  errno = ENOMEM;
  return true;
}

}  // namespace

void SetOutermost(void* function) {
  outermost = function;
  Here(false);  // what the unwinder does only once happens now
}

void LeaveOut(std::span<const Code> code) { left_out = code; }

void RecordAllocations(std::span<Site> table) {
  sites = table;
  count = lost = entered = 0;
  mode = Mode::kRecord;
}

void FailAllocation(uint64_t number) {
  count = 0;
  wanted = number;
  failed = Site();
  mode = Mode::kFail;
}

uint64_t StopFailing() {
  mode = Mode::kOff;
  return count;
}

uint64_t SitesLost() { return lost; }
std::span<const uint32_t> UsedSites() { return {used, entered}; }
const Site& Failed() { return failed; }

}  // namespace lathe::faults

#define CALLER __builtin_return_address(0)

extern "C" {

[[gnu::visibility("default")]] void* malloc(size_t size) {
  return lathe::faults::Fails(CALLER) ? nullptr : __libc_malloc(size);
}
[[gnu::visibility("default")]] void* calloc(size_t count, size_t size) {
  return lathe::faults::Fails(CALLER) ? nullptr : __libc_calloc(count, size);
}
[[gnu::visibility("default")]] void* realloc(void* data, size_t size) {
  return lathe::faults::Fails(CALLER) ? nullptr : __libc_realloc(data, size);
}
[[gnu::visibility("default")]] void* memalign(size_t alignment, size_t size) {
  return lathe::faults::Fails(CALLER) ? nullptr : __libc_memalign(alignment, size);
}
[[gnu::visibility("default")]] void* aligned_alloc(size_t alignment, size_t size) {
  return lathe::faults::Fails(CALLER) ? nullptr : __libc_memalign(alignment, size);
}
[[gnu::visibility("default")]] int posix_memalign(void** data, size_t alignment, size_t size) {
  if (lathe::faults::Fails(CALLER)) return ENOMEM;
  void* const memory = __libc_memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *data = memory;
  return 0;
}
}
