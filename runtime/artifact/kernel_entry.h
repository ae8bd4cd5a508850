// Kernels without checks, for the executor of plans, which has checked sizes, types and devices
// once for all of them. Only //runtime/graph may see this header: whoever else calls a kernel so
// reads and writes wherever its arguments say.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "lathe/abi/kernel.h"
#include "runtime/module.h"

namespace lathe::runtime {

// Both live as long as the module.
struct KernelEntry {
  lathe_kernel_entry call = nullptr;
  // In which order it takes what (entry_buffers, entry_sizes), and its workspace.
  const FunctionMetadata* metadata = nullptr;
};

// Of this module alone, not of what it imports. Fails with `entry-not-found`. Thread-safe.
absl::StatusOr<KernelEntry> FindKernelEntry(const Module& module, std::string_view name);

}  // namespace lathe::runtime
