#include "tune/kernel_records.h"

#include "base/error.h"
#include "base/poll.h"
#include "runtime/status.h"

namespace lathe::tune {

absl::Status KernelRecords::Read(const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const int64_t odd, read_.Read(path));
  if (odd > 0) note_(std::to_string(odd) + " lines of " + path + " are damaged, or no records");
  return absl::OkStatus();
}

const Record* KernelRecords::Find(const std::vector<ir::NodeRef>& args,
                                  const target::Target& target) const {
  const Record* record = read_.Find(args, target);
  for (size_t i = 0; record == nullptr && i < otherwise_.size(); ++i)
    record = otherwise_[i]->Find(args, target);
  return record;
}

std::optional<schedule::Schedule> KernelRecords::ScheduleOf(std::string_view kernel,
                                                            const std::vector<ir::NodeRef>& args,
                                                            const target::Target& target) {
  ++asked_;
  const Record* const record = Find(args, target);
  if (record == nullptr) return std::nullopt;
  try {
    schedule::Schedule schedule = tune::ScheduleOf(*record, args);
    found_.push_back({std::string(kernel), *record});
    return schedule;
  } catch (const Interruption&) {
    throw;
  } catch (const Error& error) {
    // Of another version, perhaps.
    note_("the record of " + std::string(kernel) +
          " does not apply, and its default schedule is used: " + error.what());
    return std::nullopt;
  }
}

}  // namespace lathe::tune
