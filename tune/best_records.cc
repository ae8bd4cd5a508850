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

absl::Status BestRecords::Read(const std::string& path) {
  // A journal that does not exist is empty for those who write it. Who reads records wants some.
  if (std::error_code ignored; !std::filesystem::exists(path, ignored))
    return runtime::MakeStatus(absl::StatusCode::kNotFound, "tune-journal-unreadable",
                               {"there is no file ", path, " with records"});
  const auto wrong = [&](int64_t line, std::string_view what) {
    return runtime::MakeStatus(
        absl::StatusCode::kInvalidArgument, "tune-record-invalid",
        {"line ", std::to_string(line), " of ", path, ": ", what, "\nhelp: remove that line"});
  };
  absl::Status status;
  LATHE_ASSIGN_OR_RETURN(const JournalState state,
                         ReadJournal(path, [&](std::string_view text, int64_t line) {
                           absl::StatusOr<Record> record = RecordFromText(text);
                           if (record.ok()) {
                             Add(*std::move(record));
                           } else if (status.ok()) {
                             status = wrong(line, record.status().message());
                           }
                         }));
  if (status.ok() && !state.damaged.empty())
    status = wrong(state.damaged[0], "it is damaged, or no line of a journal");
  return status;
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

schedule::Schedule ScheduleOf(const Record& record, const std::vector<ir::NodeRef>& args) {
  schedule::Schedule made = schedule::CreateSchedule(driver::OutputsOf(args));
  const ir::Program plain = schedule::ToProgram(made, args, "record");
  schedule::Replay(made, schedule::TraceFor(plain, ir::ParseProgram(record.program, "a record")));
  return made;
}

}  // namespace lathe::tune
