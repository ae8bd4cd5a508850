// Who a wrapped table belongs to.
#pragma once

#include <atomic>
#include <string>

#include "absl/status/status.h"
#include "runtime/status.h"

namespace lathe::runtime {

// How often this process was forked off from one that had plugins. Counted from the first call on.
int ForkGeneration();

// One per loaded plugin, never destroyed.
struct PluginIdentity {
  std::string origin;  // "plugin acme 1.2", what errors say
  std::string folder;
  std::atomic<bool> shut_down{false};
  int generation = ForkGeneration();  // of the process that loaded it

  // Fails with `plugin-shut-down`, and with `plugin-after-fork` in a child of the process that
  // loaded it: drivers and threads do not survive a fork.
  absl::Status CheckAlive() const {
    const bool here = generation == ForkGeneration();
    if (here && !shut_down.load(std::memory_order_acquire)) return absl::OkStatus();
    return NotAlive();
  }
  absl::Status NotAlive() const;
};

}  // namespace lathe::runtime
