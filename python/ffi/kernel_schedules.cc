#include "python/ffi/kernel_schedules.h"

#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/poll.h"
#include "python/ffi/boxes.h"
#include "python/ffi/ffi.h"
#include "te/workload_key.h"
#include "tune/kernel_records.h"
#include "tune/schedule_space.h"
#include "tune/shipped_records.h"

namespace lathe::python {
namespace {

using runtime::Function;
using runtime::Value;
using Values = std::vector<Value>;

class KernelSchedules {
 public:
  explicit KernelSchedules(const Values& parts)
      : note_(parts.at(2).As<Function>()),
        given_([this](const std::string& text) { note_(text, true); }),
        shipped_([this](const std::string& text) { note_(text, true); }) {
    for (const Value& item : parts.at(0).As<Values>())
      given_.Otherwise(item.As<RecordsRef>()->item->records());
    if (!parts.at(1).is_none()) choose_ = parts.at(1).As<Function>();
    if (parts.at(3).As<bool>()) shipped_.Otherwise(tune::ShippedRecords());
  }

  std::optional<schedule::Schedule> Of(const graph::KernelProgram& kernel,
                                       const target::Target& target) {
    std::optional<schedule::Schedule> found = given_.ScheduleOf(kernel.name, kernel.args, target);
    const char* source = "a record";
    if (!found) {
      found = WithKnobs(kernel, target);
      source = "a log";
    }
    if (!found) {
      found = shipped_.ScheduleOf(kernel.name, kernel.args, target);
      source = "a record that comes with Lathe";
    }
    if (found) note_("kernel " + kernel.name + " has the schedule of " + source, false);
    return found;
  }

 private:
  using Knobs = std::vector<std::pair<std::string, int64_t>>;

  std::optional<schedule::Schedule> WithKnobs(const graph::KernelProgram& kernel,
                                              const target::Target& target) const {
    // Outside of what catches: its errors are the user's.
    const std::optional<Knobs> knobs = Chosen(kernel, target);
    if (!knobs) return std::nullopt;
    try {
      return tune::ScheduleWithKnobs(kernel.args, target, *knobs);
    } catch (const Interruption&) {
      throw;
    } catch (const Error& error) {
      note_(
          "a log's record of " + kernel.name + " does not apply, and is left out: " + error.what(),
          true);
      return std::nullopt;
    }
  }

  std::optional<Knobs> Chosen(const graph::KernelProgram& kernel,
                              const target::Target& target) const {
    if (!choose_ || !kernel.sizes.empty() || !tune::HasKnobs(kernel.args, target))
      return std::nullopt;
    const Value chosen =
        choose_(kernel.name, te::WorkloadKey(kernel.args, target.ToString()).ToString(),
                Make<TargetObject>(target));
    if (chosen.is_none()) return std::nullopt;
    Knobs values;
    for (const Value& item : chosen.As<Values>()) {
      const auto pair = item.As<Values>();
      values.emplace_back(pair.at(0).As<std::string>(), pair.at(1).As<int64_t>());
    }
    return values;
  }

  Function choose_, note_;
  tune::KernelRecords given_, shipped_;
};

}  // namespace

std::function<std::optional<schedule::Schedule>(const graph::KernelProgram& kernel,
                                                const target::Target& target)>
ScheduleOfKernel(const Values& parts) {
  return [all = std::make_shared<KernelSchedules>(parts)](const graph::KernelProgram& kernel,
                                                          const target::Target& target) {
    return all->Of(kernel, target);
  };
}

}  // namespace lathe::python
