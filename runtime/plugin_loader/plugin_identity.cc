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

absl::Status PluginIdentity::LookCloser() const {
  if (shut_down.load(std::memory_order_acquire))
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "plugin-shut-down",
                      origin + " has been shut down");
  const int now = ForkGeneration();
  int known = generation.load(std::memory_order_acquire);
  if (known == now) return absl::OkStatus();
  // Calls of this process begin only once the plugin is its own.
  const bool at_work = calls.load(std::memory_order_acquire) != 0;
  if (survives_forks && !at_work) {
    generation.compare_exchange_strong(known, now, std::memory_order_acq_rel);
    return absl::OkStatus();
  }
  if (generation.load(std::memory_order_acquire) == now) return absl::OkStatus();
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "plugin-after-fork",
      origin +
          (survives_forks
               ? " was at work on another thread when this process was forked off, and stays in "
                 "the "
                 "midst of it here"
               : " was loaded before this process was forked off; its devices and threads stayed "
                 "behind") +
          "\nhelp: fork before the first use of a plugin, or start new processes instead; in "
          "Python "
          "that is multiprocessing.set_start_method(\"spawn\")");
}

}  // namespace lathe::runtime
