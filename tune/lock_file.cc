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

class LockReader {
 public:
  void Take(std::string_view text, int64_t line) {
    absl::StatusOr<Record> record = RecordFromText(text);
    if (record.ok()) {
      ++good_;
      return records_->Add(*std::move(record));
    }
    if (line == 1 && (count_ = CountOf(text))) return;
    problem_ = "line " + std::to_string(line) + ": " + std::string(record.status().message());
  }

  absl::StatusOr<Lock> Finish(const JournalState& state, const std::string& path) {
    if (!state.damaged.empty())
      problem_ = "line " + std::to_string(state.damaged.front()) + " is damaged";
    if (problem_.empty() && count_ && *count_ != good_)
      problem_ = std::to_string(good_) + " records, where it says " + std::to_string(*count_);
    if (!problem_.empty()) return LockBroken(path, problem_);
    return Lock{records_, count_};
  }

 private:
  const std::shared_ptr<BestRecords> records_ = std::make_shared<BestRecords>();
  std::optional<int64_t> count_;
  int64_t good_ = 0;  // records so far
  std::string problem_;
};

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
  LockReader reader;
  LATHE_ASSIGN_OR_RETURN(
      const JournalState state,
      ReadJournal(path, [&](std::string_view text, int64_t line) { reader.Take(text, line); }));
  return reader.Finish(state, path);
}

absl::StatusOr<Lock> ReadLockText(std::string_view bytes, const std::string& path) {
  LockReader reader;
  const JournalState state =
      ReadJournalText(bytes, [&](std::string_view text, int64_t line) { reader.Take(text, line); });
  return reader.Finish(state, path);
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
