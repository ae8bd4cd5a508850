// Who a wrapped table belongs to.
#pragma once

#include <atomic>
#include <string>

#include "absl/status/status.h"
#include "runtime/status.h"

namespace lathe::runtime {

// One per loaded plugin, never destroyed.
struct PluginIdentity {
  std::string origin;  // "plugin acme 1.2", what errors say
  std::string folder;
  std::atomic<bool> shut_down{false};

  absl::Status CheckAlive() const {
    if (!shut_down.load(std::memory_order_acquire)) return absl::OkStatus();
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "plugin-shut-down",
                      origin + " has been shut down");
  }
};

}  // namespace lathe::runtime
