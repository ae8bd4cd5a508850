#include "runtime/plugin_loader/plugin_identity.h"

#include <pthread.h>

namespace lathe::runtime {
namespace {

std::atomic<int> g_generation{0};

}  // namespace

int ForkGeneration() {
  [[maybe_unused]] static const bool watched =
      pthread_atfork(nullptr, nullptr, [] { g_generation.fetch_add(1); }) == 0;
  return g_generation.load(std::memory_order_relaxed);
}

absl::Status PluginIdentity::NotAlive() const {
  if (generation == ForkGeneration())
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "plugin-shut-down",
                      origin + " has been shut down");
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "plugin-after-fork",
                    origin +
                        " was loaded before this process was forked off; its devices and threads "
                        "stayed behind\nhelp: fork before the first use of a plugin, or exec a new "
                        "process");
}

}  // namespace lathe::runtime
