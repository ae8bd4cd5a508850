#include "tune/autotvm_log.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "runtime/status.h"

namespace lathe::tune {
namespace {

using runtime::Json;

absl::Status Invalid(std::string_view what, std::string_view expected, const Json* found) {
  constexpr size_t kMost = 80;
  return runtime::MakeStatus(
      absl::StatusCode::kInvalidArgument, "tune-log-invalid",
      {"this is no record of AutoTVM: ", what, " is wrong\nexpected: ", expected,
       "\nfound: ", found == nullptr ? "nothing" : found->Dump().substr(0, kMost)});
}

const Json* At(const Json* list, size_t index) {
  if (list == nullptr || !list->is_array() || index >= list->items().size()) return nullptr;
  return &list->items()[index];
}

// The number of a MeasureErrorNo of AutoTVM.
FailureKind FailureOf(int64_t number) {
  switch (number) {
    case 1:
      return FailureKind::kSchedule;
    case 4:
      return FailureKind::kCrash;
    case 5:
      return FailureKind::kWrongAnswer;
    case 6:
    case 7:
      return FailureKind::kTimeout;
    case 8:  // nobody knew why
      return FailureKind::kDevice;
    default:  // compilation for the host or the device
      return FailureKind::kBuild;
  }
}

int64_t NumberOf(FailureKind kind) {
  switch (kind) {
    case FailureKind::kSchedule:
      return 1;
    case FailureKind::kBuild:
    case FailureKind::kTooLarge:
      return 2;
    case FailureKind::kCrash:
    case FailureKind::kError:
    case FailureKind::kOutOfMemory:
      return 4;
    case FailureKind::kWrongAnswer:
      return 5;
    case FailureKind::kTimeout:
      return 7;
    case FailureKind::kDevice:  // so that a search that goes on from the log tries it again
      return 8;
  }
  return 8;
}

// Whether `value` is what a knob of this kind has.
bool Fits(KnobKind kind, const Json& value) {
  const auto all = [&value](bool (Json::*is)() const) {
    return value.is_array() && std::all_of(value.items().begin(), value.items().end(),
                                           [is](const Json& item) { return (item.*is)(); });
  };
  switch (kind) {
    case KnobKind::kSplit:
    case KnobKind::kOrder:
      return all(&Json::is_int);
    case KnobKind::kAnnotation:
      return all(&Json::is_string);
    case KnobKind::kOption:
      return true;
  }
  return false;
}

absl::Status ReadConfig(const Json* config, bool old, LogRecord* record) {
  if (config == nullptr || !config->is_object()) return Invalid("config", "an object", config);
  const Json* const index = config->Find(old ? "i" : "index");
  if (index == nullptr || !index->is_int()) return Invalid("config's index", "an integer", index);
  record->index = index->int_value();
  if (const Json* const hash = config->Find(old ? "c" : "code_hash")) record->code_hash = *hash;
  const Json* const entity = config->Find(old ? "e" : "entity");
  if (entity == nullptr || !entity->is_array())
    return Invalid("config's entity", "a list of [knob, kind, value]", entity);
  for (const Json& one : entity->items()) {
    const Json *const name = At(&one, 0), *const kind = At(&one, 1), *const value = At(&one, 2);
    LogRecord::Value read;
    bool known = false;
    for (const KnobKind possible :
         {KnobKind::kSplit, KnobKind::kOrder, KnobKind::kAnnotation, KnobKind::kOption}) {
      if (kind == nullptr || kind->string() != NameOf(possible)) continue;
      read.kind = possible;
      known = true;
    }
    if (name == nullptr || name->string().empty() || value == nullptr || !known ||
        !Fits(read.kind, *value))
      return Invalid("an entity", "[knob, \"sp\", \"re\", \"an\" or \"ot\", its value]", &one);
    read.knob = name->string();
    read.value = *value;
    record->values.push_back(std::move(read));
  }
  return absl::OkStatus();
}

absl::Status ReadResult(const Json* result, LogRecord* record) {
  const Json *const costs = At(result, 0), *const error = At(result, 1),
                    *const total = At(result, 2), *const when = At(result, 3);
  if (costs == nullptr || !costs->is_array() || error == nullptr || !error->is_int() ||
      total == nullptr || !total->is_number() || when == nullptr || !when->is_number())
    return Invalid("result", "[times, number of an error, seconds in all, when]", result);
  record->total_seconds = total->number();
  record->when = when->number();
  if (error->int_value() != 0) {
    record->failure = Failure{FailureOf(error->int_value()), {}};
    // A number that says "very slow", or texts.
    for (const Json& item : costs->items()) {
      if (item.is_string())
        record->failure->message += (record->failure->message.empty() ? "" : "\n") + item.string();
    }
    return absl::OkStatus();
  }
  for (const Json& cost : costs->items()) {
    if (!cost.is_number() || !(cost.number() > 0))
      return Invalid("a time", "a number greater than 0", &cost);
    record->seconds.push_back(cost.number());
  }
  return record->seconds.empty() ? Invalid("result", "a time", costs) : absl::OkStatus();
}

}  // namespace

const LogRecord::Value* LogRecord::Find(std::string_view knob) const {
  const auto at = std::find_if(values.begin(), values.end(),
                               [knob](const Value& value) { return value.knob == knob; });
  return at == values.end() ? nullptr : &*at;
}

absl::StatusOr<LogRecord> LogRecordFromText(std::string_view line) {
  LATHE_ASSIGN_OR_RETURN(const Json object, Json::Parse(line));
  // Version 0.1 has short names, and the config as the last part of the input.
  const bool old = object.Find("input") == nullptr;
  const Json* const input = object.Find(old ? "i" : "input");
  if (const Json* const first = At(input, 0); first != nullptr && first->is_array())
    return runtime::MakeStatus(
        absl::StatusCode::kUnimplemented, "tune-log-invalid",
        "this is a record of AutoScheduler, not of AutoTVM\nexpected: a template and values of its "
        "knobs\nfound: steps of a schedule");
  const Json *const target = At(input, 0), *const task = At(input, 1), *const args = At(input, 2),
                    *const kwargs = At(input, 3);
  if (target == nullptr || !target->is_string() || task == nullptr || !task->is_string() ||
      args == nullptr || !args->is_array())
    return Invalid("its input", "[target, template, arguments, ...]", input);
  LogRecord record;
  record.target = target->string();
  record.task = task->string();
  record.args = *args;
  record.kwargs = kwargs == nullptr || kwargs->is_null() ? Json::Object() : *kwargs;
  LATHE_RETURN_IF_ERROR(ReadConfig(old ? At(input, 5) : object.Find("config"), old, &record));
  LATHE_RETURN_IF_ERROR(ReadResult(object.Find(old ? "r" : "result"), &record));
  if (const Json* const version = object.Find("tvm_version")) record.version = version->string();
  return record;
}

std::string ToLogText(const LogRecord& record) {
  Json entity = Json::Array();
  for (const LogRecord::Value& value : record.values) {
    Json one = Json::Array();
    one.Append(value.knob).Append(NameOf(value.kind)).Append(value.value);
    entity.Append(std::move(one));
  }
  Json costs = Json::Array();
  for (const double seconds : record.seconds) costs.Append(seconds);
  if (record.failure) costs.Append(record.failure->message);
  Json input = Json::Array(), config = Json::Object(), result = Json::Array();
  input.Append(record.target).Append(record.task).Append(record.args).Append(record.kwargs);
  config.Set("index", record.index)
      .Set("code_hash", record.code_hash)
      .Set("entity", std::move(entity));
  result.Append(std::move(costs))
      .Append(record.failure ? NumberOf(record.failure->kind) : int64_t{0})
      .Append(record.total_seconds)
      .Append(record.when);
  Json object = Json::Object();
  object.Set("input", std::move(input))
      .Set("config", std::move(config))
      .Set("result", std::move(result))
      .Set("version", 0.2)
      .Set("tvm_version", record.version);
  return object.Dump();
}

absl::Status ReadLog(const std::string& path,
                     const std::function<void(int64_t line, absl::StatusOr<LogRecord>)>& take) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30;
  std::string text;
  if (const FileProblem problem = ReadFile(path, kMostBytes, &text); !problem.ok())
    return runtime::MakeStatus(absl::StatusCode::kUnavailable, "tune-log-unreadable",
                               {"cannot read the log ", path, ": ", problem.text});
  int64_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++number;
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    take(number, LogRecordFromText(line));
  }
  return absl::OkStatus();
}

}  // namespace lathe::tune
