// The plugin to which a wrapped table belongs.
#pragma once

#include <atomic>
#include <string>

#include "absl/status/status.h"
#include "runtime/status.h"

namespace lathe::runtime {

// How many forks lie between the first process that called this and the present one.
int ForkGeneration();

// One per loaded plugin; never destroyed.
struct PluginIdentity {
  std::string origin;  // "plugin acme 1.2", the origin in errors
  std::string folder;
  std::atomic<bool> shut_down{false};
  int generation = ForkGeneration();  // of the process that loaded the plugin

  // Fails with `plugin-shut-down`, and with `plugin-after-fork` in a child of the process that
  // loaded the plugin: drivers and threads do not survive a fork.
  absl::Status CheckAlive() const {
    const bool here = generation == ForkGeneration();
    if (here && !shut_down.load(std::memory_order_acquire)) return absl::OkStatus();
    return NotAlive();
  }
  absl::Status NotAlive() const;
};

}  // namespace lathe::runtime
