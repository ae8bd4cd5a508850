// Plans as modules: a plan travels in an artefact as one of its imported modules, of kind "plan".
//
// A plan module is passive: it has the plan's bytes. Its function, which has the plan's name, runs
// the plan with the kernels of the module on which it was looked up: the artefact that imports it.
// See docs/design/graph_plan.md.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device.h"
#include "runtime/function.h"
#include "runtime/graph/executor.h"
#include "runtime/module.h"

namespace lathe::runtime::graph {

inline constexpr char kPlanKind[] = "plan";
// A module's plan, if it has one only, is found by this name, too: programs need not know what the
// file's model is called.
inline constexpr char kDefaultPlan[] = "default";

// For an artefact to import. `constants` is as for Executable::Create; it is not saved. Fails as
// CheckPlan does.
absl::StatusOr<Module> MakePlanModule(Plan plan, ConstantSource constants = {});

// The names of all plans that `module` is or imports, in the order of look-up.
std::vector<std::string> PlanNames(const Module& module);
// The plan `name`, without its kernels: also for modules of other machines. Null if there is none.
// Valid as long as `module`.
const Plan* FindPlan(const Module& module, std::string_view name);
// The plan `name`, with the kernels of `module` and its imports, on devices as for
// Executable::Create. Callers that choose the same devices share one executable as long as one of
// them keeps it. Fails with `graph-plan-unknown`, which lists the nearest names, and
// as Executable::Create does.
absl::StatusOr<std::shared_ptr<const Executable>> FindExecutable(
    const Module& module, std::string_view name, std::span<const Device> devices = {});

// A plan as a packed function, f(inputs..., outputs...): it writes to the callers' outputs, and
// reads their inputs, without copies if their layout allows. With the inputs alone it returns a new
// tensor, or an array of them. Several threads may call it; it keeps as many contexts as there were
// calls at the same time. With devices alone it returns a new context for them, as
// graph.context_create does. `find` returns the executable for devices (as for
// Executable::Create; none: those that calls with tensors use).
using ExecutableFinder = std::function<absl::StatusOr<std::shared_ptr<const Executable>>(
    std::span<const Device> devices)>;
Function PackedFunction(std::string name, ExecutableFinder find);

// Registers "module.load.plan" (bytes -> module) and the functions of graph_functions.h.
// Thread-safe; a second call does nothing. Artefacts with plans load afterwards only.
absl::Status RegisterGraph();

}  // namespace lathe::runtime::graph
