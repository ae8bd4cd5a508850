#include "runtime/artifact/executable_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/artifact/bytes.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

absl::Status MemoryError(std::string_view what) {
  return MakeStatus(absl::StatusCode::kResourceExhausted, "artifact-memory",
                    absl::StrCat(what, ": ", std::strerror(errno)));
}

}  // namespace

ExecutableMemory::~ExecutableMemory() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

absl::StatusOr<ExecutableMemory> ExecutableMemory::Allocate(size_t bytes, size_t alignment) {
  const size_t page = PageBytes();
  alignment = std::max(alignment, page);
  bytes = AlignUp(std::max<size_t>(bytes, 1), page);
  // Maps more than needed, then unmaps the ends to get the alignment.
  const size_t mapped = bytes + alignment - page;
  void* start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return MemoryError(absl::StrCat("mapping ", mapped, " bytes for compiled code failed"));
  auto* first = static_cast<uint8_t*>(start);
  auto* aligned =
      reinterpret_cast<uint8_t*>(AlignUp(reinterpret_cast<uintptr_t>(first), alignment));
  if (aligned != first) munmap(first, aligned - first);
  if (aligned + bytes != first + mapped)
    munmap(aligned + bytes, first + mapped - (aligned + bytes));
  ExecutableMemory memory;
  memory.base_ = aligned;
  memory.bytes_ = bytes;
  return memory;
}

void ExecutableMemory::Copy(const LinkedImage& image) {
  for (const LinkedSegment& segment : image.segments) {
    if (!segment.bytes.empty())
      std::memcpy(base_ + segment.address, segment.bytes.data(), segment.bytes.size());
  }
}

absl::Status ExecutableMemory::Protect(const LinkedImage& image) {
  const size_t page = PageBytes();
  for (const LinkedSegment& segment : image.segments) {
    if (segment.kind == SegmentKind::kData) continue;
    uint8_t* start = base_ + (segment.address & ~(page - 1));
    uint8_t* end =
        base_ + std::min<uint64_t>(AlignUp(segment.address + segment.memory_bytes, page), bytes_);
    const bool code = segment.kind == SegmentKind::kCode;
    if (code) {
      // Makes the code visible to instruction fetch; no operation on x86.
      __builtin___clear_cache(reinterpret_cast<char*>(start), reinterpret_cast<char*>(end));
    }
    if (mprotect(start, end - start, PROT_READ | (code ? PROT_EXEC : 0)) != 0) {
      return MemoryError(
          code ? "this system does not let a program execute code it has loaded itself "
                 "(mprotect failed); load the artefact as a shared library (.so) instead"
               : "protecting constant data failed");
    }
  }
  return absl::OkStatus();
}

}  // namespace lathe::runtime
