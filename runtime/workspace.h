// Scratch memory of the current thread, per device and scope: last in, first out.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device.h"

namespace lathe::runtime {

// At least `bytes` bytes, 64-byte aligned, kept for reuse when freed. Each thread has its own;
// freed at thread exit. `workspace-limit` where the thread would hold more than WorkspaceLimit().
absl::StatusOr<void*> WorkspaceAlloc(const Device& device, uint64_t bytes,
                                     std::string_view scope = {});
// Gives back `data` and whatever this thread took after it of the same device and scope, so that a
// way out of compiled code frees what it holds by its first allocation alone. `workspace-order`
// where `data` is not in use.
absl::Status WorkspaceFree(const Device& device, void* data);
// The most bytes that one thread holds as workspace, of all devices together: what is in use, in
// whole pages, and what waits for reuse, which is given back first. Set here, or by
// LATHE_WORKSPACE_BYTES, or this machine's memory: a size that is a mistake then ends in an error
// and not in the system's ending the process. 0 brings that back. Thread-safe; takes effect with
// the next allocation. WorkspaceLimit() throws Error `workspace-invalid-limit` where the
// environment's is no number.
void SetWorkspaceLimit(uint64_t bytes);
uint64_t WorkspaceLimit();

// Gives this thread's unused scratch memory back to its devices.
absl::Status WorkspaceTrim();

}  // namespace lathe::runtime
