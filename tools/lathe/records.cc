#include "tools/lathe/records.h"

#include <cstdio>
#include <string>

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

TunedKernels::TunedKernels(Progress* progress)
    : progress_(progress), records_([this](const std::string& text) { Note(text); }) {}

absl::StatusOr<std::unique_ptr<TunedKernels>> TunedKernels::Use(const Arguments& arguments,
                                                                graph::GraphBuildOptions* options,
                                                                Progress* progress) {
  if (!arguments.Has("--records")) return nullptr;
  std::unique_ptr<TunedKernels> kernels(new TunedKernels(progress));
  for (const std::string& file : arguments.All("--records"))
    LATHE_RETURN_IF_ERROR(kernels->records_.Read(file));
  options->schedule_of = [self = kernels.get()](const graph::KernelProgram& kernel,
                                                const target::Target& target) {
    return self->records_.ScheduleOf(kernel.name, kernel.args, target);
  };
  return kernels;
}

void TunedKernels::Note(const std::string& text) const {
  if (progress_ != nullptr) progress_->Clear();
  std::fprintf(stderr, "note: %s\n", Printable(text).c_str());
}

void TunedKernels::Report() const {
  const size_t tuned = records_.found().size();
  Note(std::to_string(tuned) + " of " + std::to_string(records_.asked()) +
       " kernels have schedules from records" +
       (tuned > 0 ? "" : ": there is none for them and this target"));
}

}  // namespace lathe::cli
