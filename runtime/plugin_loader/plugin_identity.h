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
  bool survives_forks = false;  // as its manifest says
  std::atomic<bool> shut_down{false};
  mutable std::atomic<int> generation{ForkGeneration()};  // of the process that may call it
  mutable std::atomic<int> calls{0};                      // PluginCalls under way

  // Fails with `plugin-shut-down`, and with `plugin-after-fork` in a child of the process that
  // loaded the plugin: drivers and threads do not survive a fork. A plugin that does survive it
  // (its manifest says so) is refused only if another thread was within a call at the fork, because
  // what that thread was doing stays unfinished.
  absl::Status CheckAlive() const {
    const bool here = generation.load(std::memory_order_acquire) == ForkGeneration();
    if (here && !shut_down.load(std::memory_order_acquire)) return absl::OkStatus();
    return LookCloser();
  }
  absl::Status LookCloser() const;
};

// A call of a plugin that survives forks, after CheckAlive: as long as it lives, a child that is
// forked off knows that the plugin was at work.
class PluginCall {
 public:
  explicit PluginCall(const PluginIdentity& identity) : identity_(identity) { ++identity.calls; }
  ~PluginCall() { --identity_.calls; }
  PluginCall(const PluginCall&) = delete;
  PluginCall& operator=(const PluginCall&) = delete;

 private:
  const PluginIdentity& identity_;
};

}  // namespace lathe::runtime
