// Builds of graphs with the schedules that tuning found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/build.h"
#include "tools/lathe/command.h"
#include "tools/lathe/progress.h"
#include "tune/kernel_records.h"

namespace lathe::cli {

inline constexpr Option kRecordsOption = {
    "--records", "FILE",
    "of a graph: its kernels get the best schedules that `lathe tune` wrote there; may be given "
    "several times"};
inline constexpr Option kNoRecordsOption = {
    "--no-records", nullptr,
    "of a graph: default schedules only, not the records that come with Lathe"};
inline constexpr Option kLockOption = {
    "--lock", "FILE",
    "of a graph: the schedules of exactly these records; if there is no such file, it is written "
    "with the records that this build uses"};

// Throws UsageError `cli-bad-value` if there is one of these options: what is given here is no
// graph that is compiled.
void RefuseRecords(const Arguments& arguments);

// Looks kernels up in records, and says on standard error which ones had one.
class TunedKernels {
 public:
  // Has `options` use the records that the arguments name; both must outlive the build. `progress`
  // (may be null) makes place for notes. Throws UsageError `cli-bad-value` for options that exclude
  // each other; fails as tune::BestRecords::Read and tune::ReadLock do. If a record of a lock does
  // not apply, the build throws Error `tune-lock-broken`.
  static absl::StatusOr<std::unique_ptr<TunedKernels>> Use(const Arguments& arguments,
                                                           graph::GraphBuildOptions* options,
                                                           Progress* progress);
  TunedKernels(const TunedKernels&) = delete;
  // After the build: says what was used, and writes the lock file if there was none. Fails if that
  // cannot be written, and with `tune-lock-broken` if the build did not use all of a lock.
  absl::Status Finish() const;

 private:
  explicit TunedKernels(Progress* progress);
  void Problem(const std::string& text) const;
  void Note(const std::string& text) const;
  absl::Status WriteLock(const std::vector<tune::Record>& used) const;

  Progress* const progress_;
  tune::KernelRecords records_;
  bool asked_for_ = false;            // the user named records
  std::string lock_, lock_to_write_;  // that is used, or is to be written; "": none
  std::optional<int64_t> locked_;     // the records that the lock says it has
};

}  // namespace lathe::cli
