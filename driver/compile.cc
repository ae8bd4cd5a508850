#include "driver/compile.h"

#include <unordered_set>

#include "driver/metadata.h"
#include "ir/binary.h"
#include "lower/pipeline.h"
#include "runtime/status.h"
#include "schedule/loop_nest.h"

namespace lathe::driver {

ir::Module Lower(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                 const std::string& name, const lower::PassContext& context) {
  ir::Func func = schedule::LowerSchedule(schedule, args, name);
  func = ir::WithAttr(func, "is_entry", ir::Bool(true));
  return lower::RunPasses(ir::MakeModule({func}), lower::TilePasses(), context);
}

ir::Module LowerForTarget(const ir::Module& module, const plugins::Target& target,
                          const lower::PassContext& context) {
  ir::Dict attrs = module->attrs;
  attrs["metadata"] = ir::String(DescribeModule(module, target).ToJson());
  ir::Module out = ir::MakeModule(module->functions, attrs);
  if (target.schema->stage == plugins::ContractStage::kTile) return out;
  lower::PassContext for_target = context;
  for_target.target_keys = target.keys;
  for_target.target_keys.insert(for_target.target_keys.begin(), target.kind);
  return lower::RunPasses(out, lower::FlatPasses(), for_target);
}

namespace {

absl::StatusOr<plugins::CompileOutput> CompileFor(const ir::Module& module,
                                                  const plugins::Target& target,
                                                  plugins::OutputKind output,
                                                  const lower::PassContext& context) {
  LATHE_ASSIGN_OR_RETURN(plugins::CodeGen codegen,
                         plugins::CodeGen::For(target, ir::kBinaryVersion, ir::kBinaryVersion));
  const ir::Module lowered = LowerForTarget(module, codegen.target(), context);
  const std::string bytes = ir::EncodeModule(lowered);
  plugins::CompileInput input;
  input.ir = bytes;
  input.output = output;
  return codegen.Compile(input);
}

}  // namespace

absl::StatusOr<std::string> Compile(const ir::Module& module, const plugins::Target& target,
                                    plugins::OutputKind output, const lower::PassContext& context) {
  LATHE_ASSIGN_OR_RETURN(plugins::CompileOutput made, CompileFor(module, target, output, context));
  return std::move(made.bytes);
}

absl::StatusOr<runtime::Module> Build(const ir::Module& module, const plugins::Target& target,
                                      const lower::PassContext& context) {
  LATHE_ASSIGN_OR_RETURN(plugins::CompileOutput made,
                         CompileFor(module, target, plugins::OutputKind::kModule, context));
  return runtime::LoadModuleBytes(made.module_kind, made.bytes);
}

}  // namespace lathe::driver
