#include "tools/lathe/records.h"

#include <cstdio>
#include <string>

#include "base/error.h"
#include "runtime/status.h"
#include "tools/lathe/printable.h"

namespace lathe::cli {

absl::StatusOr<std::unique_ptr<TunedKernels>> TunedKernels::Use(const Arguments& arguments,
                                                                graph::GraphBuildOptions* options,
                                                                Progress* progress) {
  if (!arguments.Has("--records")) return nullptr;
  std::unique_ptr<TunedKernels> kernels(new TunedKernels(progress));
  for (const std::string& file : arguments.All("--records"))
    LATHE_RETURN_IF_ERROR(kernels->records_.Read(file));
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
