// The schedules that records have of a graph's kernels: what a build of the graph uses.
//
//   KernelRecords records(note);
//   LATHE_RETURN_IF_ERROR(records.Read("tuned.jsonl"));
//   options.schedule_of = [&](const graph::KernelProgram& kernel, const target::Target& target) {
//     return records.ScheduleOf(kernel.name, kernel.args, target);
//   };
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/node.h"
#include "schedule/schedule.h"
#include "target/target.h"
#include "tune/best_records.h"

namespace lathe::tune {

// Not thread-safe.
class KernelRecords {
 public:
  using Note = std::function<void(const std::string& text)>;
  // `note` gets what users should hear: damaged lines, and records that do not apply any more. What
  // it throws ends the call.
  explicit KernelRecords(Note note) : note_(std::move(note)) {}
  KernelRecords(const KernelRecords&) = delete;

  // Adds the records of a file. Of all files that are read the fastest counts. Fails as
  // BestRecords::Read does.
  absl::Status Read(const std::string& path);
  // Asked where the files have no record; not null.
  void Otherwise(std::shared_ptr<const BestRecords> records) {
    otherwise_.push_back(std::move(records));
  }

  // The first record that applies gives the schedule; those before it are noted. nullopt: there is
  // none.
  std::optional<schedule::Schedule> ScheduleOf(std::string_view kernel,
                                               const std::vector<ir::NodeRef>& args,
                                               const target::Target& target);

  // What was found so far.
  struct Found {
    std::string kernel;
    Record record;
  };
  const std::vector<Found>& found() const { return found_; }
  int64_t asked() const { return asked_; }

 private:
  const Note note_;
  BestRecords read_;
  std::vector<std::shared_ptr<const BestRecords>> otherwise_;
  std::vector<Found> found_;
  int64_t asked_ = 0;
};

}  // namespace lathe::tune
