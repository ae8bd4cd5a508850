#include "topi/schedule.h"

#include <utility>

#include "target/attribute_names.h"
#include "target/machine_of.h"
#include "topi/cpu/auto/auto_schedule.h"
#include "topi/gpu/thread_schedule.h"

namespace lathe::topi {

Scheduled Schedule(std::vector<ir::Op> outputs, const target::Target& target, Config config) {
  if (target.HasKey(target::kCpuKey))
    return cpu::ScheduleProgram(std::move(outputs), target::MachineOf(target), std::move(config));
  const target::Machine machine = target::MachineOf(target);
  Scheduled made = {gpu::HasThreads(machine)
                        ? gpu::ScheduleForThreads(std::move(outputs), machine, config)
                        : schedule::CreateSchedule(std::move(outputs)),
                    {},
                    config.asked()};
  config.RequireAllAsked();
  return made;
}

}  // namespace lathe::topi
