#include "graph/build.h"

#include <map>
#include <unordered_set>

#include "base/error.h"
#include "driver/auto_build.h"
#include "driver/build_module.h"
#include "driver/lower_device.h"
#include "graph/build_parts.h"
#include "graph/infer.h"
#include "graph/merge_compiled.h"
#include "graph/passes/fuse.h"
#include "graph/plan/plan_maker.h"
#include "lower/option_names.h"
#include "runtime/error_object.h"
#include "runtime/status.h"
#include "target/canonical.h"
#include "target/host_target.h"
#include "target/machine_of.h"

namespace lathe::graph {

GraphFuncRef FindFunction(const ir::GraphModule& module, const std::string& name) {
  std::string known;
  for (const GraphFuncRef& func : module->functions) {
    if (func->name == name) return func;
    known += (known.empty() ? "`" : ", `") + func->name + "`";
  }
  throw Error(Diagnostic{.name = "graph-no-function",
                         .message = "the graph has no function `" + name + "`",
                         .expected = "one of its functions",
                         .found = known.empty() ? "a module without functions" : known});
}

namespace {

absl::StatusOr<target::Target> Canonical(const target::Target& target,
                                         const GraphBuildOptions& options) {
  return options.cache != nullptr ? options.cache->KnownCanonicalTarget(target)
                                  : target::CanonicalTarget(target);
}

// The kernels for one kind of device; no code if there are none. Those of the host have entries
// without checks; functions with checks launch those of other devices.
absl::StatusOr<driver::Compiled> CompileFor(const std::string& kind, const target::Target& target,
                                            const std::vector<KernelProgram>& kernels,
                                            const GraphBuildOptions& options) {
  std::vector<driver::ProgramToCompile> programs;
  for (const KernelProgram& kernel : kernels) {
    if (kernel.device != kind) continue;
    lower::PassContext context = options.context;
    if (kind == kHostDevice) context.Set(lower::option::kEntries, kUncheckedEntries);
    std::optional<schedule::Schedule> chosen;
    if (options.schedule_of) {
      LATHE_ASSIGN_OR_RETURN(const target::Target canonical, Canonical(target, options));
      chosen = options.schedule_of(kernel, canonical);
    }
    if (chosen) {
      programs.push_back({*std::move(chosen), kernel.args, kernel.name, target, context});
      continue;
    }
    LATHE_ASSIGN_OR_RETURN(
        driver::ProgramToCompile program,
        driver::AutoProgram(kernel.args, kernel.name, target, context, options.cache));
    programs.push_back(std::move(program));
  }
  if (programs.empty()) return driver::Compiled();
  return driver::CompileTogether(programs, plugins::OutputKind::kModule,
                                 {.cache = options.cache, .threads = options.threads});
}

absl::StatusOr<CompiledGraph> CompileFunction(GraphFuncRef func, const ir::GraphModule& module,
                                              const target::Target& target,
                                              const GraphBuildOptions& options);

template <class T>
T ValueOrThrow(absl::StatusOr<T> value) {
  if (!value.ok()) runtime::ThrowStatus(value.status());
  return *std::move(value);
}

int VectorLanes(const target::Target& target, const GraphBuildOptions& options) {
  const target::Target canonical = ValueOrThrow(Canonical(target, options));
  return static_cast<int>(target::MachineOf(canonical).Lanes(DataType::Float(32)));
}

// Computes a tuple of tensors from constants, by kernels compiled for this machine.
List<ir::Constant> EvaluateHere(const GraphFuncRef& func, const GraphBuildOptions& options) {
  GraphBuildOptions plain;
  plain.opt_level = 0;
  plain.cache = options.cache;
  plain.threads = options.threads;
  const CompiledGraph compiled =
      ValueOrThrow(CompileFunction(func, {}, target::HostTarget(), plain));
  runtime::graph::Context context(ValueOrThrow(LoadGraph(compiled)));
  runtime::ThrowIfError(context.Run());
  List<ir::Constant> results;
  for (size_t i = 0; i < compiled.plan.outputs.size(); ++i) {
    auto kept =
        std::make_shared<runtime::Tensor>(ValueOrThrow(context.GetOutput(static_cast<int>(i))));
    const runtime::Tensor& tensor = *kept;
    const std::string_view bytes(static_cast<const char*>(tensor.dl().data), tensor.num_bytes());
    results.push_back(ir::MakeConstant(tensor.dtype(),
                                       {tensor.shape().begin(), tensor.shape().end()},
                                       Blob::View(bytes, [kept] {})));
  }
  return results;
}

GraphDevices DevicesOf(const GraphBuildOptions& options) {
  GraphDevices devices;
  devices.main = options.main_device;
  for (const auto& [kind, target] : options.devices) devices.kinds.insert(kind);
  devices.why_not = [](const ir::GraphCall& call, const ir::NodeRef& type, std::string_view) {
    return WhyNoThreads(call, type);
  };
  devices.note = options.note;
  return devices;
}

}  // namespace

PlanTargets PlanTargetsOf(const target::Target& target, const GraphBuildOptions& options) {
  PlanTargets targets{options.main_device, {{kHostDevice, target.ToString()}}};
  for (const auto& [kind, device] : options.devices) targets.targets[kind] = device.ToString();
  return targets;
}

GraphFuncRef OptimizeFunction(GraphFuncRef func, const ir::GraphModule& module,
                              const target::Target& target, const GraphBuildOptions& options) {
  const GraphPassContext context{
      .opt_level = options.opt_level,
      .vector_lanes = VectorLanes(target, options),
      .disabled = options.disabled,
      .devices = DevicesOf(options),
      .evaluate = [&](const GraphFuncRef& of) { return EvaluateHere(of, options); },
      .explain = options.explain,
      .after_pass = options.after_pass};
  return RunGraphPasses(std::move(func), module, context);
}

namespace {

MadePlan PlanOf(GraphFuncRef func, const ir::GraphModule& module, const target::Target& target,
                const GraphBuildOptions& options) {
  func = OptimizeFunction(std::move(func), module, target, options);
  const GraphFuncRef fused = Fuse(*func, module);
  if (options.after_pass) options.after_pass("fuse", func, fused);
  return MakePlan(*fused, PlanTargetsOf(target, options));
}

// The target that kernels of a device are compiled for.
target::Target LaunchedBy(const target::Target& host, const target::Target& device) {
  target::Target launched = device;
  launched.host = std::make_shared<target::Target>(host);
  return launched;
}

absl::StatusOr<CompiledGraph> CompileFunction(GraphFuncRef func, const ir::GraphModule& module,
                                              const target::Target& target,
                                              const GraphBuildOptions& options) {
  MadePlan made = PlanOf(std::move(func), module, target, options);
  LATHE_ASSIGN_OR_RETURN(driver::Compiled kernels,
                         CompileKernels(made.kernels, made.constants, target, options));
  return CompiledGraph{std::move(made.plan), std::move(kernels), std::move(made.constants)};
}

}  // namespace

absl::StatusOr<driver::Compiled> CompileKernels(const std::vector<KernelProgram>& kernels,
                                                const std::vector<Ref<const Blob>>& constants,
                                                const target::Target& target,
                                                const GraphBuildOptions& options) {
  driver::Compiled compiled;
  LATHE_ASSIGN_OR_RETURN(compiled, CompileFor(kHostDevice, target, kernels, options));
  for (const auto& [kind, device] : options.devices) {
    LATHE_ASSIGN_OR_RETURN(driver::Compiled further,
                           CompileFor(kind, LaunchedBy(target, device), kernels, options));
    LATHE_ASSIGN_OR_RETURN(compiled, MergeCompiled(std::move(compiled), std::move(further)));
  }
  std::unordered_set<std::string> symbols;
  for (const driver::SymbolConstant& constant : compiled.constants) symbols.insert(constant.symbol);
  for (const Ref<const Blob>& data : constants) {
    std::string symbol = driver::SymbolOf(*data);
    if (symbols.insert(symbol).second) compiled.constants.push_back({std::move(symbol), data});
  }
  return compiled;
}

absl::StatusOr<CompiledGraph> CompileGraph(const ir::GraphModule& module,
                                           const std::string& function,
                                           const target::Target& target,
                                           const GraphBuildOptions& options) {
  const ir::GraphModule typed = InferTypes(module);
  return CompileFunction(FindFunction(typed, function), typed, target, options);
}

std::vector<CountedKernel> KernelsOf(const ir::GraphModule& module, const std::string& function,
                                     const target::Target& target,
                                     const GraphBuildOptions& options) {
  const ir::GraphModule typed = InferTypes(module);
  MadePlan made = PlanOf(FindFunction(typed, function), typed, target, options);
  std::map<std::string, int64_t> calls;
  for (const runtime::graph::PlanStep& step : made.plan.steps) ++calls[step.kernel];
  std::vector<CountedKernel> kernels;
  for (KernelProgram& kernel : made.kernels) {
    const auto device = options.devices.find(kernel.device);
    const int64_t count = calls[kernel.name];
    kernels.push_back(
        {std::move(kernel),
         device == options.devices.end() ? target : LaunchedBy(target, device->second), count});
  }
  return kernels;
}

ir::GraphModule OptimizeGraph(const ir::GraphModule& module, const target::Target& target,
                              const GraphBuildOptions& options) {
  const ir::GraphModule typed = InferTypes(module);
  Ref<ir::GraphModuleNode> made = CopyOf(*typed);
  for (GraphFuncRef& func : made->functions) func = OptimizeFunction(func, typed, target, options);
  return made;
}

absl::StatusOr<std::shared_ptr<const runtime::graph::Executable>> LoadGraph(
    const CompiledGraph& compiled) {
  runtime::Module code;  // none, for a graph of views only
  if (!compiled.kernels.bytes.empty()) {
    LATHE_ASSIGN_OR_RETURN(code, driver::Load(compiled.kernels));
  }
  return runtime::graph::Executable::Create(compiled.plan, code);
}

}  // namespace lathe::graph
