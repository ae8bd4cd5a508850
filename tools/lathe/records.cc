#include "tools/lathe/records.h"

#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/poll.h"
#include "runtime/status.h"
#include "tools/lathe/printable.h"

namespace lathe::cli {

void RefuseRecords(const Arguments& arguments) {
  if (!arguments.Has("--records")) return;
  throw UsageError(
      Diagnostic{.name = "cli-bad-value",
                 .message = "`--records` is for graphs and models that are compiled now",
                 .expected = "a model's file",
                 .found = "`" + arguments.positional()[0] + "`",
                 .help = "a program's schedule is in its file; what is compiled already "
                         "has its schedules"});
}

absl::StatusOr<std::unique_ptr<TunedKernels>> TunedKernels::Use(const Arguments& arguments,
                                                                graph::GraphBuildOptions* options,
                                                                Progress* progress) {
  if (!arguments.Has("--records")) return nullptr;
  std::unique_ptr<TunedKernels> kernels(new TunedKernels(progress));
  for (const std::string& file : arguments.All("--records")) {
    LATHE_ASSIGN_OR_RETURN(const int64_t odd, kernels->records_.Read(file));
    if (odd > 0)
      kernels->Note(std::to_string(odd) + " lines of " + file + " are damaged, or no records");
  }
  options->schedule_of = [self = kernels.get()](const graph::KernelProgram& kernel,
                                                const target::Target& target) {
    return self->ScheduleOf(kernel, target);
  };
  return kernels;
}

std::optional<schedule::Schedule> TunedKernels::ScheduleOf(const graph::KernelProgram& kernel,
                                                           const target::Target& target) {
  ++kernels_;
  const tune::Record* const record = records_.Find(kernel.args, target);
  if (record == nullptr) return std::nullopt;
  try {
    schedule::Schedule schedule = tune::ScheduleOf(*record, kernel.args);
    ++tuned_;
    return schedule;
  } catch (const Interruption&) {
    throw;
  } catch (const Error& error) {
    // Of another version, perhaps.
    Note("the record of " + kernel.name +
         " does not apply, and its default schedule is used: " + error.what());
    return std::nullopt;
  }
}

void TunedKernels::Note(const std::string& text) const {
  if (progress_ != nullptr) progress_->Clear();
  std::fprintf(stderr, "note: %s\n", Printable(text).c_str());
}

void TunedKernels::Report() const {
  Note(std::to_string(tuned_) + " of " + std::to_string(kernels_) +
       " kernels have schedules from records" +
       (tuned_ > 0 ? "" : ": there is none for them and this target"));
}

}  // namespace lathe::cli
