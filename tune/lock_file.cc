#include "tune/lock_file.h"

#include <map>
#include <string_view>
#include <utility>

#include "runtime/json.h"
#include "runtime/status.h"
#include "tune/journal.h"

namespace lathe::tune {
namespace {

using runtime::Json;

// N of {"lock": N}.
std::optional<int64_t> CountOf(std::string_view text) {
  const absl::StatusOr<Json> line = Json::Parse(text);
  if (!line.ok() || !line->is_object()) return std::nullopt;
  const Json* const count = line->Find("lock");
  if (count == nullptr || !count->is_int()) return std::nullopt;
  return count->int_value();
}

}  // namespace

absl::Status LockBroken(const std::string& path, const std::string& found) {
  return runtime::MakeStatus(
      absl::StatusCode::kFailedPrecondition, "tune-lock-broken",
      {"the lock file ", path,
       " cannot be used as it is\nexpected: the records of this build, each of them unchanged, and "
       "the version of Lathe that wrote it\nfound: ",
       found,
       "\nhelp: take the file from version control again; or delete it, and `lathe compile --lock` "
       "writes a new one"});
}

absl::StatusOr<Lock> ReadLock(const std::string& path) {
  Lock lock;
  const auto records = std::make_shared<BestRecords>();
  int64_t good = 0;
  std::string problem;
  LATHE_ASSIGN_OR_RETURN(
      const JournalState state, ReadJournal(path, [&](std::string_view text, int64_t line) {
        absl::StatusOr<Record> record = RecordFromText(text);
        if (record.ok()) {
          ++good;
          return records->Add(*std::move(record));
        }
        if (line == 1 && (lock.count = CountOf(text))) return;
        problem = "line " + std::to_string(line) + ": " + std::string(record.status().message());
      }));
  if (!state.damaged.empty())
    problem = "line " + std::to_string(state.damaged.front()) + " is damaged";
  if (problem.empty() && lock.count && *lock.count != good)
    problem = std::to_string(good) + " records, where it says " + std::to_string(*lock.count);
  if (!problem.empty()) return LockBroken(path, problem);
  lock.records = records;
  return lock;
}

absl::Status WriteLock(const std::string& path, const std::vector<Record>& records) {
  std::map<std::string, std::string> by_workload;  // in an order
  for (const Record& record : records) by_workload[record.workload] = ToText(record);
  const auto count = static_cast<int64_t>(by_workload.size());
  std::vector<std::string> lines = {Json::Object().Set("lock", count).Dump()};
  for (auto& [workload, text] : by_workload) lines.push_back(std::move(text));
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<Journal> journal, Journal::Open(path));
  return journal->Append(lines);
}

}  // namespace lathe::tune
