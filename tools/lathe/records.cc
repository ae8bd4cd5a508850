#include "tools/lathe/records.h"

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/printable.h"
#include "tune/lock_file.h"
#include "tune/shipped_records.h"

namespace lathe::cli {

void RefuseRecords(const Arguments& arguments) {
  for (const char* const option : {"--records", "--no-records", "--lock"}) {
    if (!arguments.Has(option)) continue;
    throw UsageError(Diagnostic{
        .name = "cli-bad-value",
        .message = "`" + std::string(option) + "` is for graphs and models that are compiled now",
        .expected = "a model's file",
        .found = "`" + arguments.positional()[0] + "`",
        .help = "a program's schedule is in its file; what is compiled already has its schedules"});
  }
}

TunedKernels::TunedKernels(Progress* progress)
    : progress_(progress), records_([this](const std::string& text) { Problem(text); }) {}

absl::StatusOr<std::unique_ptr<TunedKernels>> TunedKernels::Use(const Arguments& arguments,
                                                                graph::GraphBuildOptions* options,
                                                                Progress* progress) {
  std::unique_ptr<TunedKernels> kernels(new TunedKernels(progress));
  const bool none = arguments.Has("--no-records");
  if (none && (arguments.Has("--records") || arguments.Has("--lock"))) {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "`--no-records` leaves no records to use",
                                .expected = "it alone",
                                .found = "`--records` or `--lock` beside it",
                                .help = "leave one of them out"});
  }
  if (none) return kernels;
  const std::string lock = arguments.Get("--lock");
  if (std::error_code ignored; !lock.empty() && std::filesystem::exists(lock, ignored)) {
    LATHE_ASSIGN_OR_RETURN(tune::Lock read, tune::ReadLock(lock));
    kernels->records_.Otherwise(std::move(read.records));
    kernels->lock_ = lock;
    kernels->locked_ = read.count;
  } else {
    for (const std::string& file : arguments.All("--records"))
      LATHE_RETURN_IF_ERROR(kernels->records_.Read(file));
    kernels->records_.Otherwise(tune::ShippedRecords());
    kernels->lock_to_write_ = lock;
  }
  kernels->asked_for_ = arguments.Has("--records") || !lock.empty();
  options->schedule_of = [self = kernels.get()](const graph::KernelProgram& kernel,
                                                const target::Target& target) {
    return self->records_.ScheduleOf(kernel.name, kernel.args, target);
  };
  return kernels;
}

// A build without one of the lock's records would be another build.
void TunedKernels::Problem(const std::string& text) const {
  if (lock_.empty()) return Note(text);
  runtime::ThrowStatus(tune::LockBroken(lock_, text));
}

void TunedKernels::Note(const std::string& text) const {
  if (progress_ != nullptr) progress_->Clear();
  std::fprintf(stderr, "note: %s\n", Printable(text).c_str());
}

absl::Status TunedKernels::Finish() const {
  std::string names;
  std::set<std::string> workloads;
  std::vector<tune::Record> used;
  for (const tune::KernelRecords::Found& found : records_.found()) {
    names += (names.empty() ? ": " : ", ") + found.kernel;
    workloads.insert(found.record.workload);
    used.push_back(found.record);
  }
  if (const auto count = static_cast<int64_t>(workloads.size()); locked_ && *locked_ != count)
    return tune::LockBroken(lock_, "records of " + std::to_string(*locked_) +
                                       " kernels, of which this build has " +
                                       std::to_string(count));
  const std::string counts = std::to_string(records_.found().size()) + " of " +
                             std::to_string(records_.asked()) +
                             " kernels have schedules from records";
  if (asked_for_) {
    Note(counts + (names.empty() ? ": there is none for them and this target" : names));
  } else if (!names.empty()) {  // nobody asked: which ones would be a long line
    Note(counts + " that come with Lathe (--no-records does without)");
  }
  return lock_to_write_.empty() ? absl::OkStatus() : WriteLock(used);
}

absl::Status TunedKernels::WriteLock(const std::vector<tune::Record>& used) const {
  LATHE_ASSIGN_OR_RETURN(PartialOutput output, PartialOutput::Create(lock_to_write_));
  LATHE_RETURN_IF_ERROR(output.Named(tune::WriteLock(output.path(), used)));
  LATHE_RETURN_IF_ERROR(output.Commit());
  Note(lock_to_write_ +
       " has the records of this build: with the same --lock another one uses them");
  return absl::OkStatus();
}

}  // namespace lathe::cli
