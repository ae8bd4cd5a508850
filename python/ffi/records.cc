// Records of tuning: written, read, and looked up (python/lathe/auto_scheduler).
//
// A record crosses as its text (tune/record.h).
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ir/text/parser.h"
#include "python/ffi/boxes.h"
#include "python/ffi/ffi.h"
#include "runtime/rpc/connect.h"
#include "runtime/status.h"
#include "target/canonical.h"
#include "te/workload_key.h"
#include "tune/best_records.h"
#include "tune/journal.h"
#include "tune/record.h"
#include "tune/search.h"

namespace lathe::python {
namespace {

using runtime::Function;
using runtime::Json;
using runtime::Value;
using Values = std::vector<Value>;

// `kind` of a failure, "" for none; `here`: it ran on this machine.
std::string RecordText(const ScheduleRef& schedule, const std::vector<ir::NodeRef>& args,
                       const TargetRef& target, const std::string& knobs,
                       const std::vector<double>& seconds, const std::string& kind,
                       const std::string& message, const std::string& tuner, bool here) {
  const target::Target canonical = OrThrow(target::CanonicalTarget(target->item));
  tune::Record record = tune::RecordFor({schedule->item, args, "main", canonical, {}});
  record.knobs = OrThrow(Json::Parse(knobs));
  record.seconds = seconds;
  if (!kind.empty()) {
    record.failure =
        tune::Failure{tune::FailureKindOf(kind).value_or(tune::FailureKind::kDevice), message};
  }
  record.tuner = tuner;
  const runtime::rpc::Machine machine = runtime::rpc::ThisMachine();
  if (here) record.machine = machine.target + "; " + machine.features;
  return tune::ToText(record);
}

std::string KindOf(const tune::Record& record) {
  return std::string(record.failure ? tune::NameOf(record.failure->kind) : "");
}

// [schedule, arguments, target, knobs, seconds, kind of failure or "", its message, seconds since
// 1970, seconds that compiling took].
Values FieldsOf(const std::string& text) {
  const tune::Record record = OrThrow(tune::RecordFromText(text));
  const ir::Program program = ir::ParseProgram(record.program, "a record");
  const std::vector<ir::NodeRef> args(program->args.begin(), program->args.end());
  return Values{Value(Make<ScheduleObject>(tune::ScheduleOf(record, args))),
                Value(args),
                Value(record.target),
                Value(record.knobs.Dump()),
                Value(record.seconds),
                Value(KindOf(record)),
                Value(record.failure ? record.failure->message : std::string()),
                Value(record.when),
                Value(record.build_seconds)};
}

// A journal that does not exist is empty for those who write it. Who reads records wants some.
void RequireFile(const std::string& path) {
  if (std::error_code ignored; std::filesystem::exists(path, ignored)) return;
  throw Error(Diagnostic{.name = "tune-journal-unreadable",
                         .message = "there is no file " + path + " with records",
                         .expected = "a file of `RecordToFile` or of `lathe tune`"});
}

void RegisterFiles() {
  Def("tune.record_text", RecordText);
  Def("tune.append_records", [](const std::string& path, const std::vector<std::string>& texts) {
    runtime::ThrowIfError(OrThrow(tune::Journal::Open(path))->Append(texts));
  });
  // Calls `take(text)` for each record of a file. Returns how many lines are none.
  Def("tune.read_records", [](const std::string& path, const Function& take) {
    RequireFile(path);
    int64_t odd = 0;
    const tune::JournalState state =
        OrThrow(tune::ReadJournal(path, [&](std::string_view text, int64_t) {
          if (tune::RecordFromText(text).ok()) {
            take(std::string(text));
          } else {
            ++odd;
          }
        }));
    return odd + static_cast<int64_t>(state.damaged.size());
  });
  Def("tune.record_fields", FieldsOf);
  // Of a program's records, in their order: [knobs, seconds, kind of failure].
  Def("tune.records_of", [](const std::string& path, const std::vector<ir::NodeRef>& args,
                            const TargetRef& target) {
    RequireFile(path);
    const std::string workload =
        te::WorkloadKey(args, OrThrow(target::CanonicalTarget(target->item)).ToString()).ToString();
    Values found;
    OrThrow(tune::ReadJournal(path, [&](std::string_view text, int64_t) {
      const absl::StatusOr<tune::Record> record = tune::RecordFromText(text);
      if (!record.ok() || record->workload != workload) return;
      found.emplace_back(
          Values{Value(record->knobs.Dump()), Value(record->seconds), Value(KindOf(*record))});
    }));
    return found;
  });
  Def("tune.canonical_target", [](const TargetRef& target) {
    return OrThrow(target::CanonicalTarget(target->item)).ToString();
  });
  Def("tune.workload_key",
      [](const std::vector<ir::NodeRef>& args) { return te::WorkloadKey(args, "").ToString(); });
}

// The best record of each program.
void RegisterBest() {
  Def("tune.best_records", [] { return Make<RecordsObject>(std::make_shared<HeldRecords>()); });
  // Returns how many lines are no records.
  Def("tune.best_read", [](const RecordsRef& records, const std::string& path) {
    return records->item->Alter([&](tune::BestRecords& next) { return OrThrow(next.Read(path)); });
  });
  Def("tune.best_add", [](const RecordsRef& records, const std::string& text) {
    records->item->Alter([&](tune::BestRecords& next) {
      next.Add(OrThrow(tune::RecordFromText(text)));
      return true;
    });
  });
  // [schedule, seconds], or None.
  Def("tune.best_find",
      [](const RecordsRef& records, const std::vector<ir::NodeRef>& args, const TargetRef& target) {
        const std::shared_ptr<const tune::BestRecords> all = records->item->records();
        const tune::Record* const best =
            all->Find(args, OrThrow(target::CanonicalTarget(target->item)));
        if (best == nullptr) return Value();
        return Value(Values{Value(Make<ScheduleObject>(tune::ScheduleOf(*best, args))),
                            Value(best->cost())});
      });
  Def("tune.best_texts", [](const RecordsRef& records) {
    std::vector<std::string> texts;
    const std::shared_ptr<const tune::BestRecords> all = records->item->records();
    for (const tune::Record* const record : all->all()) texts.push_back(tune::ToText(*record));
    return texts;
  });
}

}  // namespace

void RegisterRecords() {
  RegisterFiles();
  RegisterBest();
}

}  // namespace lathe::python
