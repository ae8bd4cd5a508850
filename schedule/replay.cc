#include <map>

#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/text/parser.h"
#include "schedule/primitives/primitives.h"
#include "schedule/replayer.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {
namespace {

using Apply = void (*)(Replayer&);

// To add a primitive, add one line here. If it has an operand with a new name that holds names of
// stages or axes, add one line in canonical_trace.cc, too.
const std::map<std::string, Apply, std::less<>>& Primitives() {
  static const auto* const table = new std::map<std::string, Apply, std::less<>>{
      {primitive::kSplit,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         if (r.Has(operand::kFactor))
           Split(*stage, axis, r.Value(operand::kFactor));
         else
           SplitParts(*stage, axis, r.Value(operand::kNparts));
       }},
      {primitive::kFuse,
       [](Replayer& r) {
         Stage& stage = r.StageOperand();
         Fuse(stage, r.Axes(stage));
       }},
      {primitive::kReorder,
       [](Replayer& r) {
         Stage& stage = r.StageOperand();
         Reorder(stage, r.Axes(stage));
       }},
      {primitive::kVectorize,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Vectorize(*stage, axis);
       }},
      {primitive::kUnroll,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Unroll(*stage, axis);
       }},
      {primitive::kParallel,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Parallel(*stage, axis);
       }},
      {primitive::kBind,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Bind(*stage, axis,
              ThreadAxis(r.Text(operand::kThread),
                         r.Has(operand::kExtent) ? r.Value(operand::kExtent) : Expr()));
       }},
      {primitive::kEnvThreads,
       [](Replayer& r) {
         const std::vector<std::string> tags = r.Texts(operand::kThreads);
         const std::vector<Expr> extents = r.Values(operand::kExtents);
         if (tags.size() != extents.size())
           r.Fail("trace-bad-operand", "operand `extents`", "one extent for each thread axis",
                  std::to_string(extents.size()) + " for " + std::to_string(tags.size()));
         std::vector<IterVar> axes;
         for (size_t i = 0; i < tags.size(); ++i) axes.push_back(ThreadAxis(tags[i], extents[i]));
         EnvThreads(r.StageOperand(), axes);
       }},
      {primitive::kPragma,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         if (r.Has(operand::kSource))
           Pragma(*stage, axis, r.Text(operand::kKey), r.Text(operand::kSource));
         else
           Pragma(*stage, axis, r.Text(operand::kKey),
                  r.Has(operand::kValue) ? r.Number(operand::kValue) : 1);
       }},
      {primitive::kStorageAlign,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         StorageAlign(*stage, axis, r.Number(operand::kFactor), r.Number(operand::kOffset));
       }},
      {primitive::kDoubleBuffer, [](Replayer& r) { DoubleBuffer(r.StageOperand()); }},
      {primitive::kPrefetch,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Stage& source = r.StageNamed(r.Text(operand::kTensor));
         const int64_t output = r.Has(operand::kOutput) ? r.Number(operand::kOutput) : 0;
         if (output < 0 || output >= ir::NumOutputs(*source.op))
           r.Fail("trace-bad-operand", "operand `output`", "an output of `" + source.name + "`",
                  std::to_string(output));
         Prefetch(*stage, ir::OutputOf(source.op, output), axis, r.Value(operand::kOffset));
       }},
      {primitive::kSetStorePredicate,
       [](Replayer& r) {
         Stage& stage = r.StageOperand();
         std::vector<NodeRef> names;
         ir::VarMap axes;
         for (const IterVar& axis : stage.all_axes) {
           const ir::Var name = ir::MakeVar(stage.AxisName(axis), axis->var->dtype);
           axes[name] = axis->var;
           names.emplace_back(name);
         }
         const Expr predicate = ir::ParseExpr(r.Text(operand::kPredicate), "<predicate>", names);
         SetStorePredicate(stage, ir::Substitute(predicate, axes));
       }},
      {primitive::kPipeline,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Pipeline(*stage, axis, r.Number(operand::kStages),
                  r.Has(operand::kAsync) && r.Number(operand::kAsync) != 0);
       }},
      {primitive::kTensorize,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Tensorize(*stage, axis, r.Intrinsic(),
                   r.Has(operand::kTarget) ? r.Text(operand::kTarget) : "");
       }},
      {primitive::kComputeAt,
       [](Replayer& r) {
         auto [parent, axis] = r.AxisOperand();
         if (r.Has(operand::kGroup))
           ComputeAt(r.GroupOperand(), *parent, axis);
         else
           ComputeAt(r.StageOperand(), *parent, axis);
       }},
      {primitive::kComputeRoot,
       [](Replayer& r) {
         if (r.Has(operand::kGroup))
           ComputeRoot(r.GroupOperand());
         else
           ComputeRoot(r.StageOperand());
       }},
      {primitive::kComputeInline, [](Replayer& r) { ComputeInline(r.StageOperand()); }},
      {primitive::kCacheRead,
       [](Replayer& r) {
         std::vector<Op> readers;
         for (const std::string& name : r.Texts(operand::kReaders))
           readers.push_back(r.StageNamed(name).op);
         CacheRead(r.schedule(), r.OutputOperand(), r.Text(operand::kScope), readers);
       }},
      {primitive::kCacheWrite,
       [](Replayer& r) {
         CacheWrite(r.schedule(), ir::OutputOf(r.StageOperand().op, 0), r.Text(operand::kScope));
       }},
      {primitive::kCreateGroup,
       [](Replayer& r) {
         CreateGroup(r.schedule(), r.TensorsOf(operand::kOutputs), r.TensorsOf(operand::kInputs),
                     r.Number(operand::kIncludeInputs) != 0);
       }},
      {primitive::kRFactor,
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         RFactor(r.schedule(), ir::OutputOf(stage->op, 0), axis, r.Number(operand::kFactorAxis));
       }},
      {primitive::kRollingBuffer, [](Replayer& r) { RollingBuffer(r.StageOperand()); }},
      {primitive::kTransformLayout,
       [](Replayer& r) {
         TransformLayout(r.schedule(), r.OutputOperand(), r.Texts(operand::kMap),
                         r.Numbers(operand::kSeparators));
       }},
      {primitive::kSetScope,
       [](Replayer& r) { SetScope(r.StageOperand(), r.Text(operand::kScope)); }},
  };
  return *table;
}

}  // namespace

void ReplayStep(Schedule& schedule, const ir::StepNode& step, size_t number) {
  Replayer replayer(schedule, step, number);
  auto it = Primitives().find(step.primitive);
  if (it == Primitives().end()) {
    std::vector<std::string> names;
    for (const auto& [name, apply] : Primitives()) names.push_back(name);
    replayer.Fail("trace-unknown-primitive", "there is no such primitive",
                  NearOrAll(step.primitive, names), "`" + step.primitive + "`");
  }
  it->second(replayer);
}

void Replay(Schedule& schedule, const ir::List<ir::StepNode>& trace) {
  size_t number = 0;
  for (const Ref<const ir::StepNode>& step : trace) ReplayStep(schedule, *step, ++number);
}

}  // namespace lathe::schedule
