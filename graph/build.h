// From a graph to code: passes, fusion, plan, kernels.
//
//   absl::StatusOr<CompiledGraph> compiled = CompileGraph(module, "main", target, {});
//
// Thread-safe. Errors in the graph are thrown (lathe::Error), plugins fail with a status.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"
#include "graph/devices.h"
#include "graph/passes/pass.h"
#include "graph/plan/kernel_program.h"
#include "runtime/graph/executor.h"

namespace lathe::graph {

struct GraphBuildOptions {
  int opt_level = 2;                            // as GraphPassContext::opt_level
  std::set<std::string, std::less<>> disabled;  // passes over graphs, by name
  driver::CompileCache* cache = nullptr;        // null: no cache
  int threads = 0;                              // that compile; 0: one per core
  lower::PassContext context;                   // for the kernels
  // Further devices: kind (runtime/device.h) -> target. `host` of these targets is not used: the
  // code that launches their kernels is made for the target of the graph.
  std::map<std::string, target::Target> devices;
  std::string main_device = kHostDevice;  // where calls run that nothing else places; devices.h
  // As GraphDevices::note: calls that run on the host because a device cannot run them.
  std::function<void(const std::string& text)> note;
  std::function<void(const std::string& line)> explain = {};  // as GraphPassContext::explain
  // The schedule of a kernel for a canonical target, for example from records of tuning; without a
  // value the one that driver::AutoProgram makes. Called by the thread that builds.
  std::function<std::optional<schedule::Schedule>(const KernelProgram& kernel,
                                                  const target::Target& target)>
      schedule_of = {};
  // As GraphPassContext::after_pass and passed; called for "fuse", too.
  std::function<void(std::string_view name, const GraphFuncRef& before, const GraphFuncRef& after)>
      after_pass = {};
  std::function<void(std::string_view name)> passed = {};
  // How many kernels are compiled, and how many there are, as driver::BuildOptions::progress.
  std::function<void(size_t done, size_t total)> progress = {};
};

struct CompiledGraph {
  runtime::graph::Plan plan;
  driver::Compiled kernels;                // with the plan's constants beside the code
  std::vector<Ref<const Blob>> constants;  // of plan.constants, in their order
};

// Compiles one function of the module for a target that makes code for hosts, and for the further
// devices that `options` has. A caller that moves the only reference to a module of one function
// lets its constants go as soon as they are not needed: then there is never much more than one copy
// of them in memory.
absl::StatusOr<CompiledGraph> CompileGraph(ir::GraphModule module, const std::string& function,
                                           const target::Target& target,
                                           const GraphBuildOptions& options);

// The kernels that CompileGraph compiles, with how often one run of the graph calls each: in a
// branch or a loop a call counts once.
struct CountedKernel {
  KernelProgram kernel;
  target::Target target;  // as it is compiled for
  int64_t calls = 0;
};
std::vector<CountedKernel> KernelsOf(const ir::GraphModule& module, const std::string& function,
                                     const target::Target& target,
                                     const GraphBuildOptions& options);

// Loads the code into this process; the target must be this machine's. The executable keeps the
// constants.
absl::StatusOr<std::shared_ptr<const runtime::graph::Executable>> LoadGraph(
    const CompiledGraph& compiled);

// The target of the host, devices and the main device for a list of targets: those that make code
// for hosts stand for the host, those with threads for their device. Without the former the host is
// what the first target with threads names, or this machine. The main device is the host, unless
// only one target is given. Throws Error "graph-target" for other targets and for two of one kind.
struct GraphTargets {
  target::Target host;
  std::map<std::string, target::Target> devices;
  std::string main_device = kHostDevice;
};
GraphTargets SortTargets(const std::vector<target::Target>& targets);

// Compiles, and loads the result into this process as a module that driver::ExportLibrary writes:
// kernels, constants, and the plan `name` as an import (runtime/graph/plan_module.h). Files load
// with the runtime and runtime/graph alone. RegisterGraph must have been called. Named constants
// that passes did not change can be replaced by name; others are called `name#1`, ... What
// CompileGraph says of moved modules holds here, too.
absl::StatusOr<runtime::Module> BuildGraphModule(ir::GraphModule module,
                                                 const std::string& function,
                                                 const target::Target& target,
                                                 const GraphBuildOptions& options,
                                                 const std::string& name);

// The same for functions that call each other and themselves, closures and data types: a program
// (runtime/graph/vm) instead of a plan. `entries` can be called by name, and so can what they call
// after the passes. RegisterVm must have been called.
absl::StatusOr<runtime::Module> BuildProgramModule(const ir::GraphModule& module,
                                                   const std::vector<std::string>& entries,
                                                   const target::Target& target,
                                                   const GraphBuildOptions& options,
                                                   const std::string& name);

// What the code generator writes for the kernels of the host that BuildGraphModule and
// BuildProgramModule compile: assembly, its own IR or source, as one text; "" if there are none.
// Compiles all of them again, as one module.
absl::StatusOr<std::string> GraphSource(const ir::GraphModule& module, const std::string& function,
                                        const target::Target& target, plugins::OutputKind output,
                                        const GraphBuildOptions& options);
absl::StatusOr<std::string> ProgramSource(const ir::GraphModule& module,
                                          const std::vector<std::string>& entries,
                                          const target::Target& target, plugins::OutputKind output,
                                          const GraphBuildOptions& options);

// The functions after the passes that `options` selects, before fusion.
ir::GraphModule OptimizeGraph(const ir::GraphModule& module, const target::Target& target,
                              const GraphBuildOptions& options);

}  // namespace lathe::graph
