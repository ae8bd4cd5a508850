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

std::optional<schedule::Schedule> KernelRecords::ScheduleOf(std::string_view kernel,
                                                            const std::vector<ir::NodeRef>& args,
                                                            const target::Target& target) {
  ++asked_;
  std::vector<const BestRecords*> sources = {&read_};
  for (const auto& records : otherwise_) sources.push_back(records.get());
  for (const BestRecords* const source : sources) {
    const Record* const record = source->Find(args, target);
    if (record == nullptr) continue;
    try {
      schedule::Schedule schedule = tune::ScheduleOf(*record, args);
      found_.push_back({std::string(kernel), *record});
      return schedule;
    } catch (const Interruption&) {
      throw;
    } catch (const Error& error) {
      // Of another version, perhaps.
      note_("a record of " + std::string(kernel) +
            " does not apply, and is left out: " + error.what());
    }
  }
  return std::nullopt;
}

}  // namespace lathe::tune
