// `lathe tune records`: what files of records have, and smaller or joined files of them.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "ir/tensor_op.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/status.h"
#include "schedule/trace.h"
#include "tools/lathe/command.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/printable.h"
#include "tools/lathe/tuning.h"
#include "tune/journal.h"
#include "tune/record.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    {"--output", "OUT", "writes the records of all files into a new file", 'o'},
    {"--best", nullptr, "with --output: only the fastest record of each workload"},
    {"--compare", "FILE", "shows the best of each workload there beside the best here"},
};

// What files have of one workload.
struct Workload {
  std::vector<tune::Record> records;
  int64_t failed = 0;
  const tune::Record* best = nullptr;  // null: all failed
};

using Workloads = std::map<std::string, Workload>;

bool Exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

absl::StatusOr<Workloads> Read(const std::vector<std::string>& files) {
  Workloads workloads;
  for (const std::string& file : files) {
    if (!Exists(file))
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
  for (auto& [name, workload] : workloads) {
    for (const tune::Record& record : workload.records) {
      if (!record.failure && (workload.best == nullptr || record.cost() < workload.best->cost()))
        workload.best = &record;
    }
  }
  return workloads;
}

// "float32[64, 128] float32[256, 128] -> float32[64, 256]"
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
  } catch (const Error& error) {
    return "its program cannot be read: " + error.name();
  }
}

std::string DayOf(double when) {
  const auto seconds = static_cast<time_t>(when);
  tm day{};
  gmtime_r(&seconds, &day);
  char text[32];
  return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%d", &day));
}

// The processor of a target's text: its -mcpu, else its kind.
std::string ProcessorOf(const std::string& target) {
  const size_t at = target.find("-mcpu=");
  if (at == std::string::npos) return target.substr(0, target.find(' '));
  return target.substr(at + 6, target.find(' ', at) - at - 6);
}

void List(const Workloads& workloads) {
  std::printf("%-12s %6s %6s %10s  %-10s  %s\n", "workload", "trials", "failed", "best", "when",
              "for");
  for (const auto& [name, workload] : workloads) {
    const tune::Record& shown =
        workload.best != nullptr ? *workload.best : workload.records.front();
    std::printf("%-12s %6zu %6lld %10s  %-10s  %s: %s\n", name.substr(0, 12).c_str(),
                workload.records.size(), static_cast<long long>(workload.failed),
                workload.best != nullptr ? TimeText(workload.best->cost()).c_str() : "none",
                DayOf(shown.when).c_str(), Printable(ProcessorOf(shown.target)).c_str(),
                Printable(ShapesOf(shown)).c_str());
  }
}

void Compare(const Workloads& here, const Workloads& there) {
  std::printf("%-12s %10s %10s %7s  %s\n", "workload", "here", "there", "ratio", "for");
  for (const auto& [name, workload] : here) {
    const auto other = there.find(name);
    if (other == there.end() || workload.best == nullptr || other->second.best == nullptr) continue;
    std::printf("%-12s %10s %10s %7.2f  %s\n", name.substr(0, 12).c_str(),
                TimeText(workload.best->cost()).c_str(),
                TimeText(other->second.best->cost()).c_str(),
                workload.best->cost() / other->second.best->cost(),
                Printable(ShapesOf(*workload.best)).c_str());
  }
}

absl::Status Write(const Workloads& workloads, bool best, const std::string& out) {
  std::vector<std::string> lines;
  for (const auto& [name, workload] : workloads) {
    for (const tune::Record& record : workload.records) {
      if (!best || &record == workload.best) lines.push_back(tune::ToText(record));
    }
  }
  if (Exists(out))
    return runtime::MakeStatus(absl::StatusCode::kAlreadyExists, "tune-records-output",
                               {"the file ", out, " is there already\nhelp: name a new one"});
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<tune::Journal> journal, tune::Journal::Open(out));
  LATHE_RETURN_IF_ERROR(journal->Append(lines));
  std::printf("written    %s: %zu records\n", out.c_str(), lines.size());
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  LATHE_ASSIGN_OR_RETURN(const Workloads workloads, Read(arguments.positional()));
  if (arguments.Has("--compare")) {
    LATHE_ASSIGN_OR_RETURN(const Workloads there, Read(arguments.All("--compare")));
    Compare(workloads, there);
    return absl::OkStatus();
  }
  if (arguments.Has("--output"))
    return Write(workloads, arguments.Has("--best"), arguments.Get("--output"));
  List(workloads);
  return absl::OkStatus();
}

}  // namespace

const Command kTuneRecords = {
    .name = "tune records",
    .arguments = "FILE...",
    .what = "list, join, prune and compare records of `lathe tune`",
    .details =
        "Prints a line for each workload (a program on a target) that the files have records of. "
        "With\n"
        "--output it writes the records of all files into a new one, with --best only the fastest "
        "of\n"
        "each workload; `lathe compile MODEL --records` looks for these.\n",
    .example =
        "  lathe tune records tune.jsonl\n"
        "  lathe tune records monday.jsonl tuesday.jsonl --best -o best.jsonl\n"
        "  lathe tune records new.jsonl --compare old.jsonl\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1 << 20,
    .run = Run,
};

}  // namespace lathe::cli
