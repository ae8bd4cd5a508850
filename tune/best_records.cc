#include "tune/best_records.h"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "driver/auto_build.h"
#include "ir/text/parser.h"
#include "runtime/status.h"
#include "schedule/canonical_trace.h"
#include "schedule/trace.h"
#include "te/workload_key.h"
#include "tune/journal.h"

namespace lathe::tune {

absl::StatusOr<int64_t> BestRecords::Read(const std::string& path) {
  // A journal that does not exist is empty for those who write it. Who reads records wants some.
  if (std::error_code ignored; !std::filesystem::exists(path, ignored))
    return runtime::MakeStatus(absl::StatusCode::kNotFound, "tune-journal-unreadable",
                               {"there is no file ", path, " with records"});
  int64_t good = 0, odd = 0;
  std::string problem;
  LATHE_ASSIGN_OR_RETURN(
      const JournalState state, ReadJournal(path, [&](std::string_view text, int64_t line) {
        absl::StatusOr<Record> record = RecordFromText(text);
        if (record.ok()) {
          ++good;
          return Add(*std::move(record));
        }
        if (odd++ == 0)
          problem = "line " + std::to_string(line) + ": " + std::string(record.status().message());
      }));
  odd += static_cast<int64_t>(state.damaged.size());
  if (good == 0 && odd > 0)
    return runtime::MakeStatus(
        absl::StatusCode::kInvalidArgument, "tune-record-invalid",
        {path,
         " has no records of `lathe tune`\nexpected: a log or an "
         "--output of it\nfound: ",
         problem.empty() ? "lines of another form, or damaged ones" : problem});
  return odd;
}

void BestRecords::Add(Record record) {
  if (record.failure) return;
  const auto [at, is_new] = best_.try_emplace(record.workload, record);
  if (!is_new && record.cost() <= at->second.cost()) at->second = std::move(record);
}

const Record* BestRecords::Find(const std::vector<ir::NodeRef>& args,
                                const target::Target& target) const {
  if (best_.empty()) return nullptr;
  const auto at = best_.find(te::WorkloadKey(args, target.ToString()).ToString());
  return at == best_.end() ? nullptr : &at->second;
}

std::vector<const Record*> BestRecords::all() const {
  std::vector<const Record*> all;
  for (const auto& [workload, record] : best_) all.push_back(&record);
  return all;
}

schedule::Schedule ScheduleOf(const Record& record, const std::vector<ir::NodeRef>& args) {
  schedule::Schedule made = schedule::CreateSchedule(driver::OutputsOf(args));
  const ir::Program plain = schedule::ToProgram(made, args, "record");
  schedule::Replay(made, schedule::TraceFor(plain, ir::ParseProgram(record.program, "a record")));
  return made;
}

}  // namespace lathe::tune
