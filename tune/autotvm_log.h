// Lines of AutoTVM's logs, as TVM 0.4 to 0.19 wrote them (log versions 0.1 and 0.2).
//
// Such a line names a template of TVM's and values of its knobs, not a program: it is of use only
// where somebody knows the template.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/json.h"
#include "tune/record.h"
#include "tune/space.h"

namespace lathe::tune {

struct LogRecord {
  struct Value {
    std::string knob;
    KnobKind kind = KnobKind::kOption;
    runtime::Json value;
  };

  std::string target;  // as it was written, with options of TVM's
  std::string task;    // the template: "conv2d_NCHWc.x86"
  runtime::Json args;  // a list; a tensor is ["TENSOR", shape, dtype]
  runtime::Json kwargs;
  int64_t index = 0;  // the point's number in the template's space
  runtime::Json code_hash;
  std::vector<Value> values;    // in the order in which the template defined the knobs
  std::vector<double> seconds;  // of one call, each sample; empty if there is a failure
  std::optional<Failure> failure;
  double total_seconds = 0;  // that the trial took
  double when = 0;           // seconds since 1970, UTC
  std::string version;       // of TVM

  const Value* Find(std::string_view knob) const;
};

// Fails with `tune-log-invalid`, which says what was expected and what was found; a line of
// AutoScheduler's is named as such.
absl::StatusOr<LogRecord> LogRecordFromText(std::string_view line);
// A line of version 0.2.
std::string ToLogText(const LogRecord& record);

// Calls `take` with each line of a log that is neither empty nor a comment (#): its number, from 1,
// and its record, or why it is refused. A line of more than 1 MiB is refused, too. Fails with
// `tune-log-unreadable`.
absl::Status ReadLog(const std::string& path,
                     const std::function<void(int64_t line, absl::StatusOr<LogRecord>)>& take);

}  // namespace lathe::tune
