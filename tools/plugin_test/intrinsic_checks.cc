// The tensor intrinsics that the manifest declares: their bodies compute what they declare, and the
// plugin compiles them.
#include "base/error.h"
#include "ir/interpreter/interpreter.h"
#include "ir/text/parser.h"
#include "plugins/host/tensor_intrinsics.h"
#include "schedule/primitives/primitives.h"
#include "tools/plugin_test/programs.h"

namespace lathe::kit {
namespace {

// The intrinsic's own pattern as a program. Operands have its size and are copied to and from the
// memory scopes that its buffers require. The intrinsic replaces the only compute.
struct Tensorized {
  Program program;
  te::TensorIntrin intrin;
};

absl::StatusOr<Tensorized> Tensorize(const target::Target& target,
                                     const target::TensorIntrinsic& declared) {
  if (!target.schema->machine.axes.empty())
    return NotApplicable("it is used within threads, which its own tests have to arrange");
  plugins::RegisterTensorIntrinsics(*target.schema, target.plugin);
  Tensorized out;
  out.intrin = te::GetTensorIntrin(declared.name, target.kind);
  if (!out.intrin->scalar_params.empty())
    return NotApplicable("it has scalar parameters, which its own tests have to choose");
  const ir::Program pattern = ir::ParseProgram(declared.pattern, declared.name);
  te::Tensor output;
  for (const ir::NodeRef& arg : pattern->args) {
    const te::Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
    if (tensor->op->node_kind() == ir::NodeKind::kPlaceholderOp) {
      out.program.inputs.push_back(tensor);
    } else {
      out.program.outputs.push_back(tensor);
    }
  }
  if (out.program.outputs.size() != 1) return NotApplicable("it has several outputs");
  output = out.program.outputs[0];
  out.program.schedule = [output, inputs = out.program.inputs,
                          intrin = out.intrin](schedule::Schedule& s) {
    const auto scope_of = [&](size_t i) { return std::string(intrin->buffers[i]->scope); };
    te::Tensor computed = output;
    const std::string to = scope_of(inputs.size());
    if (!to.empty() && to != "global") computed = schedule::CacheWrite(s, output, to).at(0);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (const std::string from = scope_of(i); !from.empty() && from != "global")
        schedule::CacheRead(s, inputs[i], from, {computed->op});
    }
    // The output has rank 0: there are only reduction axes.
    const bool has_axes = !static_cast<const ir::ComputeOp&>(*computed->op).axis.empty();
    schedule::Tensorize(
        s[computed], has_axes ? schedule::AxisOf(computed, 0) : schedule::ReduceAxisOf(computed, 0),
        intrin);
  };
  return out;
}

// The reference bodies, when interpreted, compute the pattern.
absl::Status MeansWhatItSays(const Subject& subject, const target::TensorIntrinsic& declared) {
  UsePlugin(subject);
  const target::Target target = target::ParseTarget(TargetName(subject));
  const absl::StatusOr<Tensorized> made = Tensorize(target, declared);
  if (!made.ok()) return made.status();
  return InterpretAndCompare(made->program, LoopsFor(target, made->program), {}, 4);
}

// The plugin's code for the intrinsic computes the pattern too.
absl::Status IsCompiled(const Subject& subject, const target::TensorIntrinsic& declared) {
  UsePlugin(subject);
  const target::Target target = target::ParseTarget(TargetName(subject));
  const absl::StatusOr<Tensorized> made = Tensorize(target, declared);
  if (!made.ok()) return made.status();
  return CheckProgram(subject, made->program, {{}}, 4);
}

}  // namespace

void AddIntrinsicChecks(const Subject& subject, Checks* checks) {
  if (subject.targets.empty()) return;
  for (const target::TensorIntrinsic& declared : subject.targets[0].machine.tensor_intrinsics) {
    checks->push_back({"intrinsic", declared.name + "/reference",
                       [declared](const Subject& s) { return MeansWhatItSays(s, declared); }});
    checks->push_back({"intrinsic", declared.name + "/compiled",
                       [declared](const Subject& s) { return IsCompiled(s, declared); }});
  }
}

}  // namespace lathe::kit
