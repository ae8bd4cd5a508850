// What `lathe tune records` and `lathe tune report` share: logs, by workload.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tune/record.h"

namespace lathe::cli {

// What logs have of one workload, in their order.
struct Workload {
  std::vector<tune::Record> records;
  int64_t failed = 0;
  const tune::Record* best = nullptr;  // null: all failed
};
using Workloads = std::map<std::string, Workload>;

// Lines that are no records are counted on standard error. Fails with `tune-journal-unreadable`,
// also for a file that does not exist.
absl::StatusOr<Workloads> ReadLogs(const std::vector<std::string>& files);

// "float32[64, 128] float32[256, 128] -> float32[64, 256]"
std::string ShapesOf(const tune::Record& record);
// What its program has to do.
struct Work {
  double operations = 0;  // 0: nobody knows
  int64_t bytes = 0;      // of its arguments; 0 if an extent is not constant
  bool float32 = true;    // all its results have that type
};
Work WorkOf(const tune::Record& record);
// The processor of a target's text: its -mcpu, else its kind.
std::string ProcessorOf(const std::string& target);

bool FileExists(const std::string& path);

}  // namespace lathe::cli
