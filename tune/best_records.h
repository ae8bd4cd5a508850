// The best schedule that records have of each program: what a build looks up.
//
//   BestRecords records;
//   records.Read("tuned.jsonl");
//   if (const Record* best = records.Find(args, target)) schedule = ScheduleOf(*best, args);
//
// A record is for a program (te/workload_key.h) on a canonical target: it applies to no other one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/node.h"
#include "schedule/schedule.h"
#include "target/target.h"
#include "tune/record.h"

namespace lathe::tune {

// Const methods are thread-safe.
class BestRecords {
 public:
  // Adds the records of a journal (tune/journal.h). Of each program the one with the lowest cost
  // counts, among equal ones the last; failed trials do not count. Returns the number of lines that
  // were left out because they are damaged or no records. Fails with `tune-journal-unreadable`
  // (also if there is no file), and with `tune-record-invalid` if no line of the file is a record.
  absl::StatusOr<int64_t> Read(const std::string& path);
  void Add(Record record);

  // Null if there is none. `target` is canonical (target::CanonicalTarget).
  const Record* Find(const std::vector<ir::NodeRef>& args, const target::Target& target) const;
  size_t size() const { return best_.size(); }
  // Of each workload one, in the order of their keys.
  std::vector<const Record*> all() const;

 private:
  std::map<std::string, Record, std::less<>> best_;  // by workload
};

// The schedule that a record has, in the names of the program with these arguments, whose record it
// is. Throws Error: "trace-..." if a step does not apply any more, and as ir::ParseProgram does.
schedule::Schedule ScheduleOf(const Record& record, const std::vector<ir::NodeRef>& args);

}  // namespace lathe::tune
