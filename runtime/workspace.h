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
// `workspace-order` where `data` is not the thread's latest allocation of that device that is still
// in use.
absl::Status WorkspaceFree(const Device& device, void* data);
// Gives this thread's unused scratch memory back to its devices.
absl::Status WorkspaceTrim();

}  // namespace lathe::runtime
