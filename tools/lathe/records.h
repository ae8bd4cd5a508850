// Builds of graphs with the schedules that tuning found.
#pragma once

#include <memory>

#include "graph/build.h"
#include "tools/lathe/command.h"
#include "tools/lathe/progress.h"
#include "tune/kernel_records.h"

namespace lathe::cli {

inline constexpr Option kRecordsOption = {
    "--records", "FILE",
    "of a graph: its kernels get the best schedules that `lathe tune` wrote there; may be given "
    "several times"};

// Throws UsageError `cli-bad-value` if there is --records: what is given here is no graph that is
// compiled.
void RefuseRecords(const Arguments& arguments);

// Looks kernels up in records, and says on standard error how many it found.
class TunedKernels {
 public:
  // Has `options` use the records of --records; both must outlive the build. Null without that
  // option. `progress` (may be null) makes place for notes. Fails as tune::BestRecords::Read does.
  static absl::StatusOr<std::unique_ptr<TunedKernels>> Use(const Arguments& arguments,
                                                           graph::GraphBuildOptions* options,
                                                           Progress* progress);
  TunedKernels(const TunedKernels&) = delete;
  // After the build.
  void Report() const;

 private:
  explicit TunedKernels(Progress* progress);
  void Note(const std::string& text) const;

  Progress* const progress_;
  tune::KernelRecords records_;
};

}  // namespace lathe::cli
