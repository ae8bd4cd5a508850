// Which devices the entries of a plan's table stand for. Internal to the executor.
#pragma once

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/device.h"
#include "runtime/graph/plan.h"

namespace lathe::runtime::graph {

// One device for each entry of plan.devices, chosen from `given` as Executable::Create says. Fails
// with `graph-device`, which says what was expected and found.
absl::StatusOr<std::vector<Device>> ChooseDevices(const Plan& plan, std::span<const Device> given);

}  // namespace lathe::runtime::graph
