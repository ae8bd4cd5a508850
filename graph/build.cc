#include "graph/build.h"

#include <map>
#include <unordered_set>

#include "base/error.h"
#include "driver/auto_build.h"
#include "driver/build_module.h"
#include "driver/host_source.h"
#include "driver/lower_device.h"
#include "graph/build_parts.h"
#include "graph/infer.h"
#include "graph/merge_compiled.h"
#include "graph/passes/fuse.h"
#include "graph/plan/plan_maker.h"
#include "ir/walk.h"
#include "lower/option_names.h"
#include "runtime/error_object.h"
#include "runtime/status.h"
#include "target/canonical.h"
#include "target/host_target.h"
#include "target/machine_of.h"
#include "topi/cpu/dot_intrinsics.h"

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

// The kernels of one kind of device as programs. Those of the host have entries without checks;
// functions with checks launch those of other devices.
absl::StatusOr<std::vector<driver::ProgramToCompile>> ProgramsFor(
    const std::string& kind, const target::Target& target,
    const std::vector<KernelProgram>& kernels, const GraphBuildOptions& options) {
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
  return programs;
}

// The kernels for one kind of device; no code if there are none. `done`: how many kernels of other
// devices are compiled already.
absl::StatusOr<driver::Compiled> CompileFor(const std::string& kind, const target::Target& target,
                                            const std::vector<KernelProgram>& kernels,
                                            const GraphBuildOptions& options, size_t* done) {
  LATHE_ASSIGN_OR_RETURN(const std::vector<driver::ProgramToCompile> programs,
                         ProgramsFor(kind, target, kernels, options));
  if (programs.empty()) return driver::Compiled();
  driver::BuildOptions build{.cache = options.cache, .threads = options.threads};
  if (options.progress) {
    build.progress = [&, before = *done](size_t now, size_t) {
      options.progress(before + now, kernels.size());
    };
  }
  *done += programs.size();
  return driver::CompileTogether(programs, plugins::OutputKind::kModule, build);
}

absl::StatusOr<CompiledGraph> CompileFunction(GraphFuncRef func, const ir::GraphModule& module,
                                              const target::Target& target,
                                              const GraphBuildOptions& options);

template <class T>
T ValueOrThrow(absl::StatusOr<T> value) {
  if (!value.ok()) runtime::ThrowStatus(value.status());
  return *std::move(value);
}

target::Machine MachineFor(const target::Target& target, const GraphBuildOptions& options) {
  return target::MachineOf(ValueOrThrow(Canonical(target, options)));
}

// Integers are multiplied in blocks, which the pass choose_layouts makes.
DataType DotData(const target::Machine& machine, const GraphBuildOptions& options) {
  return options.opt_level >= 2 && !options.disabled.contains("choose_layouts")
             ? topi::cpu::FastDotData(machine)
             : DataType::Void();
}

// Compiles a function for this machine.
Computation ComputationOf(const GraphFuncRef& func, const GraphBuildOptions& options) {
  GraphBuildOptions plain;
  plain.opt_level = 0;
  plain.cache = options.cache;
  plain.threads = options.threads;
  const CompiledGraph compiled =
      ValueOrThrow(CompileFunction(func, {}, target::HostTarget(), plain));
  return
      [executable = ValueOrThrow(LoadGraph(compiled))](const std::vector<runtime::Tensor>& args) {
        return ValueOrThrow(runtime::graph::Context(executable).RunOnce(args));
      };
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
  const target::Machine machine = MachineFor(target, options);
  const GraphPassContext context{
      .opt_level = options.opt_level,
      .vector_lanes = static_cast<int>(machine.Lanes(DataType::Float(32))),
      .dot_data = DotData(machine, options),
      .bfloat16_group = topi::cpu::Bfloat16Group(machine),
      .disabled = options.disabled,
      .devices = DevicesOf(options),
      .evaluate = [&](const GraphFuncRef& of) { return ComputationOf(of, options); },
      .explain = options.explain,
      .after_pass = options.after_pass,
      .passed = options.passed};
  return RunGraphPasses(std::move(func), module, context);
}

namespace {

// The names of the results, those of a tuple one by one.
std::vector<std::string> ResultNames(const ir::GraphFunc& func) {
  for (const Ref<const ir::GraphBinding>& binding : func.body->bindings) {
    if (!binding->var.same_as(func.body->result)) continue;
    const auto* tuple = ir::As<ir::GraphTuple>(binding->value);
    if (tuple == nullptr) break;
    std::vector<std::string> names;
    for (const ir::GraphVar& field : tuple->fields) names.push_back(field->name);
    return names;
  }
  return {func.body->result->name};
}

// Results keep the names that the graph gives them, although passes leave out what hands them on
// (identity). A tensor that is an input, or a result before, has its name already.
void NameResults(const std::vector<std::string>& names, runtime::graph::Plan* plan) {
  if (names.size() != plan->outputs.size()) return;  // tuples of tuples
  std::unordered_set<int32_t> named;
  for (const runtime::graph::PlanInput& input : plan->inputs) named.insert(input.tensor);
  for (size_t i = 0; i < names.size(); ++i) {
    const int32_t tensor = plan->outputs[i];
    if (named.insert(tensor).second && !names[i].empty())
      plan->tensors[static_cast<size_t>(tensor)].name = names[i];
  }
}

MadePlan PlanOf(GraphFuncRef func, const ir::GraphModule& module, const target::Target& target,
                const GraphBuildOptions& options) {
  const std::vector<std::string> names = ResultNames(*func);
  func = OptimizeFunction(std::move(func), module, target, options);
  const GraphFuncRef fused = Fuse(*func, module);
  if (options.after_pass) options.after_pass("fuse", func, fused);
  if (options.passed) options.passed("fuse");
  MadePlan made = MakePlan(*fused, PlanTargetsOf(target, options));
  NameResults(names, &made.plan);
  return made;
}

// The target that kernels of a device are compiled for.
target::Target LaunchedBy(const target::Target& host, const target::Target& device) {
  target::Target launched = device;
  launched.host = std::make_shared<target::Target>(host);
  return launched;
}

// Does it call functions of its module, itself among them?
bool CallsFunctions(const ir::GraphFunc& func) {
  bool calls = false;
  ir::ForEach<ir::GraphInvoke>(GraphFuncRef(&func), [&](const ir::GraphInvoke& invoke) {
    calls = calls || !invoke.global.empty();
  });
  return calls;
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
  size_t done = 0;
  LATHE_ASSIGN_OR_RETURN(compiled, CompileFor(kHostDevice, target, kernels, options, &done));
  for (const auto& [kind, device] : options.devices) {
    LATHE_ASSIGN_OR_RETURN(driver::Compiled further,
                           CompileFor(kind, LaunchedBy(target, device), kernels, options, &done));
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

absl::StatusOr<CompiledGraph> CompileGraph(ir::GraphModule module, const std::string& function,
                                           const target::Target& target,
                                           const GraphBuildOptions& options) {
  module = InferTypes(module);
  GraphFuncRef func = FindFunction(module, function);
  if (module->functions.size() == 1 && !CallsFunctions(*func)) {
    // Passes let go of its constants, so the module must not keep them.
    const Ref<ir::GraphModuleNode> rest = CopyOf(*module);
    rest->functions.clear();
    module = rest;
  }
  return CompileFunction(std::move(func), module, target, options);
}

namespace {

// The programs as one module of loops.
ir::Module LoopsOf(const std::vector<driver::ProgramToCompile>& programs) {
  std::vector<ir::Func> functions;
  for (const driver::ProgramToCompile& program : programs) {
    const ir::Module one =
        driver::Lower(program.schedule, program.args, program.name, program.context);
    functions.insert(functions.end(), one->functions.begin(), one->functions.end());
  }
  return ir::MakeModule(std::move(functions));
}

}  // namespace

absl::StatusOr<std::string> SourceOfKernels(const std::vector<KernelProgram>& kernels,
                                            const target::Target& target,
                                            plugins::OutputKind output,
                                            const GraphBuildOptions& options) {
  LATHE_ASSIGN_OR_RETURN(const std::vector<driver::ProgramToCompile> programs,
                         ProgramsFor(kHostDevice, target, kernels, options));
  std::string text;
  if (!programs.empty()) {
    LATHE_ASSIGN_OR_RETURN(
        text, driver::Compile(LoopsOf(programs), target, output, programs.front().context));
  }
  // The functions that launch the kernels of other devices.
  for (const auto& [kind, device] : options.devices) {
    const target::Target launched = LaunchedBy(target, device);
    LATHE_ASSIGN_OR_RETURN(const std::vector<driver::ProgramToCompile> others,
                           ProgramsFor(kind, launched, kernels, options));
    if (others.empty()) continue;
    LATHE_ASSIGN_OR_RETURN(
        const std::string launches,
        driver::HostSource(LoopsOf(others), launched, output, others.front().context));
    text += launches;
  }
  return text;
}

absl::StatusOr<std::string> GraphSource(const ir::GraphModule& module, const std::string& function,
                                        const target::Target& target, plugins::OutputKind output,
                                        const GraphBuildOptions& options) {
  const ir::GraphModule typed = InferTypes(module);
  return SourceOfKernels(PlanOf(FindFunction(typed, function), typed, target, options).kernels,
                         target, output, options);
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
