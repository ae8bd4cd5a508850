// Scratch memory of the current thread, for each device and scope: last in, first out.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device.h"

namespace lathe::runtime {

// At least `bytes` bytes, 64-byte aligned; kept for reuse when given back. Each thread has its own
// memory, which is freed when the thread ends. Fails with `workspace-limit` if the thread would
// hold more than WorkspaceLimit().
absl::StatusOr<void*> WorkspaceAlloc(const Device& device, uint64_t bytes,
                                     std::string_view scope = {});
// Gives back `data` and everything that this thread took after it from the same device and scope.
// So an error exit of compiled code gives back only its first allocation. Fails with
// `workspace-order` if `data` is not in use.
absl::Status WorkspaceFree(const Device& device, void* data);
// The most bytes of workspace that one thread holds, over all devices: memory in use, in whole
// pages, and unused memory, which is freed first. Set here, or by LATHE_WORKSPACE_BYTES, or else
// this machine's memory: so a wrong size gives an error, and the system does not kill the process.
// 0 restores the default. Thread-safe; takes effect with the next allocation. WorkspaceLimit()
// throws Error `workspace-invalid-limit` if the environment variable is not a number.
void SetWorkspaceLimit(uint64_t bytes);
uint64_t WorkspaceLimit();

// Frees this thread's unused scratch memory.
absl::Status WorkspaceTrim();

}  // namespace lathe::runtime
