// `lathe tune records`: what files of records have, and smaller or joined files of them.
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "runtime/status.h"
#include "tools/lathe/command.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/printable.h"
#include "tools/lathe/tune_logs.h"
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

std::string DayOf(double when) {
  const auto seconds = static_cast<time_t>(when);
  tm day{};
  gmtime_r(&seconds, &day);
  char text[32];
  return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%d", &day));
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
  if (FileExists(out))
    return runtime::MakeStatus(absl::StatusCode::kAlreadyExists, "tune-records-output",
                               {"the file ", out, " is there already\nhelp: name a new one"});
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<tune::Journal> journal, tune::Journal::Open(out));
  LATHE_RETURN_IF_ERROR(journal->Append(lines));
  std::printf("written    %s: %zu records\n", out.c_str(), lines.size());
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  LATHE_ASSIGN_OR_RETURN(const Workloads workloads, ReadLogs(arguments.positional()));
  if (arguments.Has("--compare") && arguments.Has("--output"))
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "--compare prints, --output writes",
                                .expected = "one of them",
                                .found = "both",
                                .help = "leave one out"});
  if (arguments.Has("--compare")) {
    LATHE_ASSIGN_OR_RETURN(const Workloads there, ReadLogs(arguments.All("--compare")));
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
