// Scratch memory of the current thread, per device and scope: last in, first out.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device.h"

namespace lathe::runtime {

// At least `bytes` bytes, 64-byte aligned, kept for reuse when freed. Each thread has its own;
// freed at thread exit.
absl::StatusOr<void*> WorkspaceAlloc(const Device& device, uint64_t bytes,
                                     std::string_view scope = {});
// Gives back `data` and whatever this thread took after it of the same device and scope, so that a
// way out of compiled code frees what it holds by its first allocation alone. `workspace-order`
// where `data` is not in use.
absl::Status WorkspaceFree(const Device& device, void* data);
// Gives this thread's unused scratch memory back to its devices.
absl::Status WorkspaceTrim();

}  // namespace lathe::runtime
