#include "tools/lathe/tune_logs.h"

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/poll.h"
#include "ir/tensor_op.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/status.h"
#include "schedule/trace.h"
#include "tune/journal.h"
#include "tune/operations.h"

namespace lathe::cli {

bool FileExists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

absl::StatusOr<Workloads> ReadLogs(const std::vector<std::string>& files) {
  Workloads workloads;
  for (const std::string& file : files) {
    if (!FileExists(file))
      return runtime::MakeStatus(absl::StatusCode::kNotFound, "tune-journal-unreadable",
                                 {"there is no file ", file, " with records"});
    int64_t odd = 0;
    LATHE_ASSIGN_OR_RETURN(const tune::JournalState state,
                           tune::ReadJournal(file, [&](std::string_view text, int64_t) {
                             absl::StatusOr<tune::Record> record = tune::RecordFromText(text);
                             if (!record.ok()) return static_cast<void>(++odd);
                             Workload& workload = workloads[record->workload];
                             workload.failed += record->failure ? 1 : 0;
                             workload.records.push_back(*std::move(record));
                           }));
    odd += static_cast<int64_t>(state.damaged.size());
    if (odd > 0)
      std::fprintf(stderr, "note: %lld lines of %s are damaged, or no records\n",
                   static_cast<long long>(odd), file.c_str());
  }
  if (workloads.empty())
    return runtime::MakeStatus(absl::StatusCode::kNotFound, "tune-journal-unreadable",
                               "there is no record in " + absl::StrJoin(files, ", ") +
                                   "\n  expected: a log of `lathe tune`, or its --output"
                                   "\n  help: a search writes tune.jsonl, or what --log says");
  for (auto& [name, workload] : workloads) {
    for (const tune::Record& record : workload.records) {
      if (!record.failure && (workload.best == nullptr || record.cost() < workload.best->cost()))
        workload.best = &record;
    }
  }
  return workloads;
}

std::string ShapesOf(const tune::Record& record) {
  try {
    std::string inputs, outputs;
    for (const ir::NodeRef& arg :
         schedule::FromProgram(ir::ParseProgram(record.program, "a record")).args) {
      const auto* const tensor = ir::As<ir::TensorNode>(arg);
      if (tensor == nullptr) continue;
      std::string text = tensor->dtype().ToString() + "[";
      for (size_t i = 0; i < tensor->shape().size(); ++i)
        text += (i > 0 ? ", " : "") + ir::ToText(tensor->shape()[i]);
      text += "]";
      const bool is_input = ir::As<ir::PlaceholderOp>(tensor->op) != nullptr;
      std::string& side = is_input ? inputs : outputs;
      side += (side.empty() ? "" : " ") + text;
    }
    return inputs + " -> " + outputs;
  } catch (const Interruption&) {
    throw;
  } catch (const Error& error) {
    return "its program cannot be read: " + error.name();
  }
}

Work WorkOf(const tune::Record& record) {
  Work work;
  try {
    std::vector<ir::Op> outputs;
    bool constant = true;
    for (const ir::NodeRef& arg :
         schedule::FromProgram(ir::ParseProgram(record.program, "a record")).args) {
      const auto* const tensor = ir::As<ir::TensorNode>(arg);
      if (tensor == nullptr) continue;
      int64_t bytes = (tensor->dtype().bits() * tensor->dtype().lanes() + 7) / 8;
      for (const ir::Expr& extent : tensor->shape()) {
        const int64_t* const known = ir::AsConstInt(extent);
        constant = constant && known != nullptr;
        bytes *= known == nullptr ? 0 : *known;
      }
      work.bytes += bytes;
      if (ir::As<ir::PlaceholderOp>(tensor->op) != nullptr) continue;
      outputs.push_back(tensor->op);
      work.float32 = work.float32 && tensor->dtype() == DataType::Float(32);
    }
    if (!constant) work.bytes = 0;
    work.operations = static_cast<double>(tune::CountOperations(outputs));
  } catch (const Interruption&) {
    throw;
  } catch (const Error&) {
    return {};  // of another version, perhaps
  }
  return work;
}

std::string ProcessorOf(const std::string& target) {
  const size_t at = target.find("-mcpu=");
  if (at == std::string::npos) return target.substr(0, target.find(' '));
  return target.substr(at + 6, target.find(' ', at) - at - 6);
}

}  // namespace lathe::cli
