// A compiled module of functions as one module: kernels, constants, the program.
#include <deque>
#include <unordered_set>

#include "base/error.h"
#include "graph/build.h"
#include "graph/build_parts.h"
#include "graph/infer.h"
#include "graph/passes/fuse.h"
#include "graph/plan/program_maker.h"
#include "ir/walk.h"
#include "runtime/graph/vm/program_module.h"
#include "runtime/status.h"

namespace lathe::graph {
namespace {

// `entries` and what they still call after the passes, fused.
List<ir::GraphFunc> FunctionsOf(const ir::GraphModule& typed,
                                const std::vector<std::string>& entries,
                                const target::Target& target, const GraphBuildOptions& options) {
  List<ir::GraphFunc> functions;
  std::deque<std::string> work(entries.begin(), entries.end());
  std::unordered_set<std::string> known(entries.begin(), entries.end());
  while (!work.empty()) {
    const GraphFuncRef func =
        OptimizeFunction(FindFunction(typed, work.front()), typed, target, options);
    work.pop_front();
    GraphFuncRef fused = Fuse(*func, typed);
    if (options.after_pass) options.after_pass("fuse", func, fused);
    if (options.passed) options.passed("fuse");
    ir::PreOrder(fused->body, [&](const ir::Node& node) {
      const auto* invoke = ir::As<ir::GraphInvoke>(&node);
      if (invoke != nullptr && !invoke->callee && known.insert(invoke->global).second)
        work.push_back(invoke->global);
      return ir::As<ir::Constant>(&node) == nullptr;
    });
    functions.push_back(std::move(fused));
  }
  return functions;
}

}  // namespace

absl::StatusOr<runtime::Module> BuildProgramModule(const ir::GraphModule& module,
                                                   const std::vector<std::string>& entries,
                                                   const target::Target& target,
                                                   const GraphBuildOptions& options,
                                                   const std::string& name) {
  CheckGraphTarget(target);
  if (!options.devices.empty()) {
    throw Error(Diagnostic{.name = "graph-target",
                           .message = "programs of functions run on the host",
                           .expected = "one target, for a processor",
                           .found = "targets for further devices",
                           .help = "relay.build takes several targets"});
  }
  const ir::GraphModule typed = InferTypes(module);
  MadeProgram made = MakeProgram(FunctionsOf(typed, entries, target, options), typed,
                                 PlanTargetsOf(target, options));
  made.program.name = name;
  std::vector<NamedConstants> constants;
  std::vector<Ref<const Blob>> all;
  for (size_t i = 0; i < made.constants.size(); ++i) {
    if (made.constants[i].empty()) continue;
    constants.push_back({name + ".constants" + std::to_string(i), made.constants[i]});
    made.program.plans[i].constants_entry = constants.back().entry;
    all.insert(all.end(), made.constants[i].begin(), made.constants[i].end());
  }
  // A program without constants, too, needs a module with code.
  if (constants.empty()) constants.push_back({name + ".constants", {}});
  LATHE_ASSIGN_OR_RETURN(driver::Compiled kernels,
                         CompileKernels(made.kernels, all, target, options));
  LATHE_ASSIGN_OR_RETURN(runtime::Module out,
                         LoadTogether(std::move(kernels), constants, target, options));
  LATHE_ASSIGN_OR_RETURN(const runtime::Module program,
                         runtime::vm::MakeProgramModule(std::move(made.program)));
  out.Import(program);
  return out;
}

absl::StatusOr<std::string> ProgramSource(const ir::GraphModule& module,
                                          const std::vector<std::string>& entries,
                                          const target::Target& target, plugins::OutputKind output,
                                          const GraphBuildOptions& options) {
  const ir::GraphModule typed = InferTypes(module);
  const MadeProgram made = MakeProgram(FunctionsOf(typed, entries, target, options), typed,
                                       PlanTargetsOf(target, options));
  return SourceOfKernels(made.kernels, target, output, options);
}

}  // namespace lathe::graph
