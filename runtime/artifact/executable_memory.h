// Pages of this process that hold a linked image. No page is ever writable and executable at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/artifact/elf_linker.h"

namespace lathe::runtime {

// Owns a range of mapped pages; the destructor unmaps them. Movable. Not thread-safe while being
// filled.
class ExecutableMemory {
 public:
  ExecutableMemory() = default;
  ExecutableMemory(ExecutableMemory&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ExecutableMemory& operator=(ExecutableMemory&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ExecutableMemory();

  // The pages are readable, writable and zero; `alignment` is a power of two. Fails with
  // `artifact-memory`.
  static absl::StatusOr<ExecutableMemory> Allocate(size_t bytes, size_t alignment);
  // Copies the image's segments to their addresses. The image must fit.
  void Copy(const LinkedImage& image);
  // Sets the protection of every segment and makes its code visible to instruction fetch. Fails
  // with `artifact-memory` if the system forbids executing memory that was written.
  absl::Status Protect(const LinkedImage& image);

  uint8_t* base() const { return base_; }
  size_t bytes() const { return bytes_; }

 private:
  uint8_t* base_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace lathe::runtime
