// What one measurement of a kernel found, in the form in which it is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/json.h"

namespace lathe::tune {

// Why a candidate has no times.
enum class FailureKind {
  kSchedule,     // a step of its trace does not apply
  kBuild,        // it does not compile
  kTooLarge,     // it was not compiled: its unrolled loops are too long (BuildLimits)
  kTimeout,      // building or running took too long
  kCrash,        // it ended its process
  kOutOfMemory,  // of the builder's or the device's memory
  kWrongAnswer,  // its result is not the program's
  kError,        // its call failed with a message
  kDevice        // the device was lost; says nothing about the candidate
};
// "schedule", "build", "too-large", "timeout", "crash", "out-of-memory", "wrong-answer", "error",
// "device".
std::string_view NameOf(FailureKind kind);
std::optional<FailureKind> FailureKindOf(std::string_view name);

struct Failure {
  FailureKind kind = FailureKind::kBuild;
  std::string message;
};

// Infinite if there are none.
double MedianOf(std::vector<double> seconds);

struct Record {
  std::string workload;  // te::WorkloadKey of `program` and `target`, as Digest::ToString
  std::string target;    // the text of a canonical target
  std::string program;   // the text of schedule::CanonicalWithTrace: the program with its schedule
  runtime::Json knobs;   // values by name, if a template made the schedule; else null
  // Of one call, each sample, in seconds. Empty if there is a failure.
  std::vector<double> seconds;
  std::optional<Failure> failure;
  std::string machine;       // where it ran: processor, features, cores
  std::string runtime;       // version
  std::string tuner;         // that chose the candidate: "random", ...
  double when = 0;           // seconds since 1970, UTC
  double build_seconds = 0;  // what lowering and code generation took

  double cost() const { return MedianOf(seconds); }
};

// One line of JSON.
std::string ToText(const Record& record);
// Members that are not known are ignored: a later version may have written them. Fails with
// `tune-record-invalid`, which names the member.
absl::StatusOr<Record> RecordFromText(std::string_view text);

}  // namespace lathe::tune
