#include "tune/record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/digest.h"
#include "runtime/status.h"

namespace lathe::tune {
namespace {

using runtime::Json;
using runtime::MakeStatus;

constexpr std::array<std::pair<FailureKind, std::string_view>, 9> kFailures{{
    {FailureKind::kSchedule, "schedule"},
    {FailureKind::kBuild, "build"},
    {FailureKind::kTooLarge, "too-large"},
    {FailureKind::kTimeout, "timeout"},
    {FailureKind::kCrash, "crash"},
    {FailureKind::kOutOfMemory, "out-of-memory"},
    {FailureKind::kWrongAnswer, "wrong-answer"},
    {FailureKind::kError, "error"},
    {FailureKind::kDevice, "device"},
}};

// Reads the members of an object, and keeps the first problem.
class Members {
 public:
  explicit Members(const Json& object) : object_(object) {}

  void Text(std::string_view key, std::string* out) {
    const Json* const found = Get(key, "text", &Json::is_string);
    if (found != nullptr) *out = found->string();
  }
  void Number(std::string_view key, double* out) {
    const Json* const found = Get(key, "a number that is not negative", &Json::is_number);
    if (found == nullptr) return;
    *out = found->number();
    if (*out < 0) Wrong(key, "a number that is not negative", found);
  }
  void Numbers(std::string_view key, std::vector<double>* out) {
    constexpr std::string_view kWhat = "a list of numbers greater than 0";
    const Json* const found = Get(key, kWhat, &Json::is_array);
    if (found == nullptr) return;
    for (const Json& item : found->items()) {
      if (!item.is_number() || !(item.number() > 0)) return Wrong(key, kWhat, &item);
      out->push_back(item.number());
    }
  }
  void ReadFailure(std::string_view key, std::optional<Failure>* out) {
    const Json* const found = object_.Find(key);
    if (found == nullptr) return;
    Members inner(*found);
    std::string kind;
    Failure failure;
    inner.Text("kind", &kind);
    inner.Text("message", &failure.message);
    const std::optional<FailureKind> known = FailureKindOf(kind);
    if (!inner.status_.ok()) {
      status_ = status_.ok() ? inner.status_ : status_;
    } else if (!known) {
      Wrong("failure.kind",
            "schedule, build, too-large, timeout, crash, out-of-memory, wrong-answer, error or "
            "device",
            found->Find("kind"));
    } else {
      failure.kind = *known;
      *out = std::move(failure);
    }
  }
  void Wrong(std::string_view key, std::string_view expected, const Json* found) {
    if (!status_.ok()) return;
    status_ = MakeStatus(absl::StatusCode::kInvalidArgument, "tune-record-invalid",
                         {"a record's member `", key, "` is wrong\nexpected: ", expected,
                          "\nfound: ", found == nullptr ? "nothing" : found->Dump().substr(0, 80)});
  }
  const absl::Status& status() const { return status_; }

 private:
  const Json* Get(std::string_view key, std::string_view expected, bool (Json::*is)() const) {
    const Json* const found = object_.Find(key);
    if (found != nullptr && (found->*is)()) return found;
    Wrong(key, expected, found);
    return nullptr;
  }

  const Json& object_;
  absl::Status status_;
};

}  // namespace

std::string_view NameOf(FailureKind kind) {
  for (const auto& [known, name] : kFailures)
    if (known == kind) return name;
  return "build";
}

std::optional<FailureKind> FailureKindOf(std::string_view name) {
  for (const auto& [kind, known] : kFailures)
    if (known == name) return kind;
  return std::nullopt;
}

double MedianOf(std::vector<double> seconds) {
  if (seconds.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  if (seconds.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(seconds.begin(), middle)) / 2;
}

std::string ToText(const Record& record) {
  Json seconds = Json::Array();
  for (const double sample : record.seconds) seconds.Append(sample);
  Json object = Json::Object();
  object.Set("workload", record.workload)
      .Set("target", record.target)
      .Set("program", record.program)
      .Set("knobs", record.knobs)
      .Set("seconds", std::move(seconds));
  if (record.failure) {
    Json failure = Json::Object();
    failure.Set("kind", NameOf(record.failure->kind)).Set("message", record.failure->message);
    object.Set("failure", std::move(failure));
  }
  object.Set("machine", record.machine)
      .Set("runtime", record.runtime)
      .Set("tuner", record.tuner)
      .Set("when", record.when)
      .Set("build_seconds", record.build_seconds);
  return object.Dump();
}

absl::StatusOr<Record> RecordFromText(std::string_view text) {
  LATHE_ASSIGN_OR_RETURN(const Json object, Json::Parse(text));
  Record record;
  Members members(object);
  members.Text("workload", &record.workload);
  members.Text("target", &record.target);
  members.Text("program", &record.program);
  if (const Json* const knobs = object.Find("knobs")) record.knobs = *knobs;
  if (!record.knobs.is_null() && !record.knobs.is_object())
    members.Wrong("knobs", "null, or an object of values by name", &record.knobs);
  members.Numbers("seconds", &record.seconds);
  members.ReadFailure("failure", &record.failure);
  members.Text("machine", &record.machine);
  members.Text("runtime", &record.runtime);
  members.Text("tuner", &record.tuner);
  members.Number("when", &record.when);
  members.Number("build_seconds", &record.build_seconds);
  LATHE_RETURN_IF_ERROR(members.status());
  if (Digest digest; !Digest::Parse(record.workload, &digest))
    members.Wrong("workload", "32 hexadecimal digits", object.Find("workload"));
  if (record.seconds.empty() != record.failure.has_value())
    members.Wrong("seconds", "samples, or a member `failure`: one of both", object.Find("seconds"));
  LATHE_RETURN_IF_ERROR(members.status());
  return record;
}

}  // namespace lathe::tune
