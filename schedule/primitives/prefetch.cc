#include "schedule/primitives/prefetch.h"

#include <algorithm>

#include "base/error.h"
#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

void Prefetch(Stage& stage, const Tensor& tensor, const IterVar& axis, Expr offset) {
  LATHE_CHECK(offset) << "null offset";
  stage.RequireLeaf(axis, "prefetch");
  RequirePlain(stage, axis, "prefetch");
  auto refuse = [&](std::string expected, std::string found, std::string help) {
    throw Error(Diagnostic{.name = "schedule-prefetch-refused",
                           .message = "prefetch in stage `" + stage.name + "`",
                           .expected = std::move(expected),
                           .found = std::move(found),
                           .help = std::move(help)});
  };
  if (ir::As<ir::ComputeOp>(stage.op) == nullptr) {
    refuse("a compute", std::string("a ") + ir::NodeKindName(stage.op->node_kind()),
           "prefetch in a compute that reads the tensor");
  }
  Stage& source = (*stage.schedule).Require(tensor->op);
  const Tensor current = ir::OutputOf(source.op, tensor->value_index);
  const std::vector<Tensor> inputs = ir::InputsOf(*stage.op);
  if (std::none_of(inputs.begin(), inputs.end(),
                   [&](const Tensor& input) { return ir::SameTensor(input, current); })) {
    std::vector<std::string> names;
    for (const Tensor& input : inputs) names.push_back(input->name());
    refuse("one of the tensors it reads: " + QuotedList(names), "`" + tensor->name() + "`",
           "after cache_read the stage reads the cache");
  }
  if (!offset->dtype.is_integral() || !offset->dtype.is_scalar()) {
    refuse("an integer number of iterations", offset->dtype.ToString(), "use a small constant");
  }
  stage.AttrOf(axis).prefetches.emplace_back(current, offset);
  Record(*stage.schedule, primitive::kPrefetch, {},
         {{operand::kAxis, AxisOperand(stage, axis)},
          {operand::kTensor, ir::String(source.name)},
          {operand::kOutput, ir::Int(tensor->value_index)},
          {operand::kOffset, offset}});
}

void Prefetch(Stage& stage, const Tensor& tensor, const IterVar& axis, int64_t offset) {
  Prefetch(stage, tensor, axis, ir::Int(offset));
}

}  // namespace lathe::schedule
