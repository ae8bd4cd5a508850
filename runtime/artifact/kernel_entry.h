// Entries of kernels without checks, for the executor of plans, which has checked sizes, types and
// devices once for all kernels. Only //runtime/graph may use this header: with wrong arguments,
// such a call reads and writes any memory.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "lathe/abi/kernel.h"
#include "runtime/module.h"

namespace lathe::runtime {

// Both pointers are valid as long as the module.
struct KernelEntry {
  lathe_kernel_entry call = nullptr;
  // States the order of buffers and sizes (entry_buffers, entry_sizes), and the workspace.
  const FunctionMetadata* metadata = nullptr;
};

// Looks in this module only, not in its imports. Fails with `entry-not-found`. Thread-safe.
absl::StatusOr<KernelEntry> FindKernelEntry(const Module& module, std::string_view name);

}  // namespace lathe::runtime
