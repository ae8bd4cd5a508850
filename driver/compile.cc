#include "driver/compile.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "driver/door.h"
#include "driver/host_source.h"
#include "driver/lower_device.h"
#include "driver/metadata.h"
#include "driver/target_context.h"
#include "driver/time_limit.h"
#include "ir/binary.h"
#include "ir/buffer.h"
#include "ir/imports.h"
#include "ir/names.h"
#include "ir/walk.h"
#include "lathe/abi/names.h"
#include "lower/constants.h"
#include "lower/hint_notes.h"
#include "lower/option_names.h"
#include "lower/pipeline.h"
#include "runtime/status.h"
#include "schedule/loop_nest.h"

namespace lathe::driver {

ir::Module Lower(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                 const std::string& name, const lower::PassContext& context,
                 const schedule::TensorBuffers& binds) {
  const TimeLimit limit(context);
  const bool check = context.Option(lower::option::kCheck) != 0;
  ir::Func func;
  std::vector<schedule::UnusedHint> unused;
  {
    const lower::TimedStep step(context, "schedule", "bounds and loops");
    const auto claims = check ? schedule::Claims::kVerified : schedule::Claims::kTrusted;
    func = schedule::LowerSchedule(schedule, args, name, claims, binds, &unused);
  }
  if (context.note) {
    for (const schedule::UnusedHint& one : unused)
      context.note(lower::HintWithoutEffect(one.hint, one.loop, one.stage, one.reason,
                                            "leave it out, or prefetch what is read there"));
  }
  func = ir::WithAttr(func, ir::func_attr::kIsEntry, ir::Bool(true));
  const ir::Module module = lower::RunPasses(ir::MakeModule({func}), lower::TilePasses(), context);
  lower::NoteUnrollHints(module, context);
  return module;
}

namespace {

// Loops bound to threads need a target with thread axes.
void RequireThreads(const ir::Module& module, const target::Target& target) {
  if (!target.schema->machine.axes.empty()) return;
  for (const ir::Func& func : module->functions) {
    ir::ForEach<ir::For>(func->body, [&](const ir::For& loop) {
      if (loop.for_kind != ir::ForKind::kThread) return;
      throw Error(Diagnostic{.name = "target-without-threads",
                             .message = "function `" + func->name + "` binds loop `" +
                                        loop.var->name + "` to `" + loop.thread_tag +
                                        "`, and target `" + target.kind + "` has no thread axes",
                             .expected = "a target with thread axes, such as `cuda` or `opencl`",
                             .found = "`" + target.kind + "`",
                             .help = "leave out the binds (parallel, unroll and vectorize serve "
                                     "here), or build for a GPU"});
    });
  }
}

// The runtime has no other memory on the host than these two; a plugin may bring some.
void RequireMemory(const ir::Module& module, const target::Target& target) {
  const target::Machine& machine = target.schema->machine;
  for (const ir::Func& func : module->functions) {
    ir::ForEach<ir::Allocate>(func->body, [&](const ir::Allocate& allocate) {
      const std::string scope = ir::ScopeOf(*allocate.buffer);
      if (scope == ir::memory_scope::kGlobal || scope == ir::memory_scope::kLocal ||
          machine.FindMemory(scope) != nullptr)
        return;
      std::vector<std::string> known = {ir::memory_scope::kGlobal, ir::memory_scope::kLocal};
      for (const target::MemoryScope& memory : machine.memory) {
        if (std::find(known.begin(), known.end(), memory.scope) == known.end())
          known.push_back(memory.scope);
      }
      throw Error(Diagnostic{.name = "device-scope",
                             .message = "buffer `" + allocate.buffer->name + "` of function `" +
                                        func->name + "` lies in memory that target `" +
                                        target.kind + "` does not have",
                             .expected = "one of " + QuotedList(known),
                             .found = "\"" + scope + "\"",
                             .help = "give the stage another scope"});
    });
  }
}

}  // namespace

void CheckImports(const ir::Module& module, const target::Target& target) {
  const std::vector<std::string>& known = target.schema->imports;
  for (const ir::Import& import : ir::ImportsIn(module->attrs)) {
    if (std::find(known.begin(), known.end(), import.language) != known.end()) continue;
    std::vector<std::string> pragmas;
    for (const std::string& language : known) pragmas.push_back("import_" + language);
    throw Error(Diagnostic{
        .name = "import-unsupported",
        .message = "the module imports a source by `import_" + import.language +
                   "`, which target `" + target.kind + "` does not take",
        .expected = known.empty() ? "no imports" : "imports by " + QuotedList(pragmas),
        .found = import.source.substr(0, import.source.find('\n')).substr(0, 80),
        .help =
            "leave out the pragma for this target: where its code runs on the host, call_extern "
            "finds functions that the process has"});
  }
}

ir::Module LowerForTarget(const ir::Module& module, const target::Target& target,
                          const lower::PassContext& context) {
  const TimeLimit limit(context);
  RequireThreads(module, target);
  const ir::Module gathered = lower::GatherConstants(ir::GatherImports(module));
  CheckImports(gathered, target);
  runtime::Metadata metadata = DescribeModule(gathered, target);
  if (WantsEntries(target, context)) DescribeEntries(gathered, &metadata);
  ir::Module out = WithMetadata(gathered, metadata);
  const lower::PassContext for_target = ContextFor(target, context);
  out = lower::RunPasses(out, lower::TargetPasses(), for_target);
  if (target.schema->stage == target::ContractStage::kTile) return out;
  RequireMemory(out, target);
  out = lower::RunPasses(WithWrites(out, target), lower::FlatPasses(),
                         NotingWorkspace(for_target, &metadata));
  return WithMetadata(out, metadata);
}

namespace {

// Constants in the form for code generators: views of the data that `constants` hold.
class ConstantTensors {
 public:
  explicit ConstantTensors(const std::vector<ir::ConstantRef>& constants) {
    shapes_.reserve(constants.size());
    tensors_.reserve(constants.size());
    for (const ir::ConstantRef& constant : constants) {
      shapes_.push_back(ir::ShapeOf(*constant));
      DLTensor tensor{};
      tensor.data = const_cast<char*>(constant->data->data());  // borrowed, and only read
      tensor.device = {kDLCPU, 0};
      tensor.ndim = static_cast<int32_t>(shapes_.back().size());
      tensor.dtype = constant->dtype.dl();
      tensor.shape = shapes_.back().data();
      tensors_.push_back(tensor);
      pointers_.push_back(&tensors_.back());
    }
  }
  ConstantTensors(const ConstantTensors&) = delete;
  ConstantTensors& operator=(const ConstantTensors&) = delete;

  std::span<const DLTensor* const> pointers() const { return pointers_; }

 private:
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<DLTensor> tensors_;
  std::vector<const DLTensor*> pointers_;
};

// Where large constants go.
enum class Large { kInCode, kBySymbol };

// For each constant the symbol by which code may refer to it, or "". Empty if the plugin makes no
// code for hosts.
std::vector<std::string> SymbolsFor(const std::vector<ir::ConstantRef>& table,
                                    const plugins::CodeGen& codegen, Large large) {
  std::vector<std::string> symbols;
  if (large == Large::kInCode || !codegen.target().schema->makes_host_code) return symbols;
  for (const ir::ConstantRef& constant : table) {
    const bool by_symbol = constant->data->size() > ir::kMaxConstantInCode;
    symbols.push_back(by_symbol ? SymbolOf(*constant->data) : "");
  }
  return symbols;
}

// `lowered` is at the stage that the plugin reads.
absl::StatusOr<Compiled> CompileLowered(const plugins::CodeGen& codegen, const ir::Module& lowered,
                                        plugins::OutputKind output, Large large,
                                        const lower::PassContext& context) {
  {
    const lower::TimedStep step(context, "driver", "verify");
    CheckAtDoor(lowered, *codegen.target().schema);
  }
  const lower::Separated parts = lower::SeparateConstants(lowered);
  const ConstantTensors constants(parts.constants);
  const bool runs =
      output == plugins::OutputKind::kModule || output == plugins::OutputKind::kObject;
  const std::vector<std::string> names =
      runs ? SymbolsFor(parts.constants, codegen, large) : std::vector<std::string>();
  std::vector<const char*> symbols;
  symbols.reserve(names.size());
  for (const std::string& name : names) symbols.push_back(name.empty() ? nullptr : name.c_str());
  std::string bytes;
  {
    const lower::TimedStep step(context, "driver", "encode");
    bytes = ir::EncodeModule(parts.module);
  }
  plugins::CompileInput input;
  input.ir = bytes;
  input.output = output;
  input.constants = constants.pointers();
  input.constant_symbols = symbols;
  input.isolate = context.isolate;
  if (context.timed) input.options = LATHE_OPTION_TIME "=1";
  plugins::CompileOutput made;
  {
    const lower::Step step("the code generator for", codegen.target().kind.c_str());
    LATHE_ASSIGN_OR_RETURN(made, codegen.Compile(input));
  }
  if (context.timed) {
    for (const lathe_stage_time& one : made.times) context.timed("plugin", one.stage, one.seconds);
  }
  Compiled out = {std::move(made.bytes), std::move(made.module_kind), {}};
  if (!runs) return out;
  LATHE_ASSIGN_OR_RETURN(out.constants,
                         ConstantsNotHeld(parts.module, parts.constants, symbols, made.consumed));
  return out;
}

absl::StatusOr<plugins::CodeGen> CodeGenFor(const target::Target& target) {
  return plugins::CodeGen::For(target, ir::kBinaryVersion, ir::kBinaryVersion);
}

// Compiles the kernels with the device's plugin and their launches with the host's plugin, into one
// result.
absl::StatusOr<Compiled> CompileForDevice(const ir::Module& module, const target::Target& target,
                                          plugins::OutputKind output, Large large,
                                          const lower::PassContext& context) {
  LATHE_ASSIGN_OR_RETURN(const plugins::CodeGen device, CodeGenFor(target));
  LATHE_ASSIGN_OR_RETURN(const plugins::CodeGen host, CodeGenFor(HostOf(target)));
  const DeviceModules parts = LowerForDevice(module, device.target(), host.target(), context);
  const bool runs =
      output == plugins::OutputKind::kModule || output == plugins::OutputKind::kObject;
  if (!runs) return CompileLowered(device, parts.device, output, large, context);
  ir::Module launching = parts.host;
  if (!parts.device->functions.empty()) {
    LATHE_ASSIGN_OR_RETURN(Compiled kernels,
                           CompileLowered(device, parts.device, plugins::OutputKind::kModule,
                                          Large::kInCode, context));
    const runtime::ModulePart part = {std::move(kernels.module_kind), std::move(kernels.bytes)};
    ir::Dict attrs = launching->attrs;
    attrs[ir::module_attr::kImports] = ir::String(runtime::SerializeParts({&part, 1}));
    launching = ir::MakeModule(launching->functions, std::move(attrs));
  }
  return CompileLowered(host, launching, output, large, context);
}

absl::StatusOr<Compiled> CompileAny(const ir::Module& module, const target::Target& target,
                                    plugins::OutputKind output, Large large,
                                    const lower::PassContext& context) {
  const TimeLimit limit(context);
  if (TakesKernels(target)) return CompileForDevice(module, target, output, large, context);
  LATHE_ASSIGN_OR_RETURN(const plugins::CodeGen codegen, CodeGenFor(target));
  return CompileLowered(codegen, LowerForTarget(module, codegen.target(), context), output, large,
                        context);
}

}  // namespace

absl::StatusOr<std::vector<SymbolConstant>> ConstantsNotHeld(
    const ir::Module& module, const std::vector<ir::ConstantRef>& table,
    const std::vector<const char*>& symbols, const std::vector<bool>& consumed) {
  std::vector<SymbolConstant> out;
  std::unordered_set<size_t> seen;
  absl::Status status;
  ir::ForEach<ir::AllocConst>(module, [&](const ir::AllocConst& use) {
    const auto at = static_cast<size_t>(use.index);
    if ((at < consumed.size() && consumed[at]) || !seen.insert(at).second) return;
    if (at < symbols.size() && symbols[at] != nullptr) {
      out.push_back({symbols[at], table[at]->data});
      return;
    }
    status =
        runtime::MakeStatus(absl::StatusCode::kUnimplemented, "constant-not-held",
                            "the target's code generator leaves the constant `" + use.buffer->name +
                                "` to its caller\n  help: pass the data as an argument");
  });
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<Compiled> CompileModule(const ir::Module& module, const target::Target& target,
                                       plugins::OutputKind output,
                                       const lower::PassContext& context) {
  return CompileAny(module, target, output, Large::kBySymbol, context);
}

absl::StatusOr<std::string> Compile(const ir::Module& module, const target::Target& target,
                                    plugins::OutputKind output, const lower::PassContext& context) {
  LATHE_ASSIGN_OR_RETURN(Compiled made,
                         CompileAny(module, target, output, Large::kInCode, context));
  return std::move(made.bytes);
}

absl::StatusOr<std::string> HostSource(const ir::Module& module, const target::Target& target,
                                       plugins::OutputKind output,
                                       const lower::PassContext& context) {
  const TimeLimit limit(context);
  LATHE_ASSIGN_OR_RETURN(const plugins::CodeGen device, CodeGenFor(target));
  LATHE_ASSIGN_OR_RETURN(const plugins::CodeGen host, CodeGenFor(HostOf(target)));
  const DeviceModules parts = LowerForDevice(module, device.target(), host.target(), context);
  LATHE_ASSIGN_OR_RETURN(Compiled made,
                         CompileLowered(host, parts.host, output, Large::kInCode, context));
  return std::move(made.bytes);
}

absl::StatusOr<runtime::Module> Build(const ir::Module& module, const target::Target& target,
                                      const lower::PassContext& context) {
  LATHE_ASSIGN_OR_RETURN(const Compiled made,
                         CompileModule(module, target, plugins::OutputKind::kModule, context));
  const lower::TimedStep step(context, "driver", "load");
  return Load(made);
}

}  // namespace lathe::driver
