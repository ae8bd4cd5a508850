#include "schedule/primitives/cache_read.h"

#include <algorithm>

#include "base/error.h"
#include "schedule/trace.h"
#include "te/operation.h"

namespace lathe::schedule {

Tensor CacheRead(Schedule& schedule, const Tensor& tensor, std::string scope,
                 const std::vector<Op>& readers) {
  Stage& source = schedule[tensor];
  const Tensor current = ir::OutputOf(source.op, tensor->value_index);
  auto reads = [&](const Stage& stage) {
    for (const Tensor& input : ir::InputsOf(*stage.op)) {
      if (ir::SameTensor(input, current)) return true;
    }
    return false;
  };
  std::vector<Stage*> consumers;
  for (const Op& reader : readers) {
    Stage& stage = schedule[reader];
    if (!reads(stage)) {
      throw Error(Diagnostic{.name = "schedule-cache-no-reader",
                             .message = "cache_read: stage `" + stage.name + "` does not read `" +
                                        current->name() + "`",
                             .expected = "readers of `" + current->name() + "`",
                             .found = "`" + stage.name + "`",
                             .help = "name the operations that read the tensor now (an earlier "
                                     "cache_read may have redirected them)"});
    }
    consumers.push_back(&stage);
  }
  if (readers.empty()) {
    for (const Ref<Stage>& stage : schedule->stages) {
      if (reads(*stage)) consumers.push_back(stage.get());
    }
  }
  if (consumers.empty()) {
    throw Error(Diagnostic{.name = "schedule-cache-no-reader",
                           .message = "cache_read: nothing reads `" + current->name() + "`",
                           .expected = "at least one reader",
                           .found = "none",
                           .help = "use cache_write for the copy of an output"});
  }
  // Stages and readers by name, before they change.
  std::vector<Expr> reader_names;
  for (const Stage* stage : consumers) reader_names.push_back(ir::String(stage->name));
  Dict operands = {{"stage", ir::String(source.name)},
                   {"output", ir::Int(tensor->value_index)},
                   {"scope", ir::String(scope)},
                   {"readers", ir::MakeCall(DataType::Handle(), "list",
                                            {reader_names.begin(), reader_names.end()})}};
  const Tensor cache = te::Compute(
      current->shape(), [&](const te::Indices& i) { return te::At(current, {i.begin(), i.end()}); },
      current->name() + "." + scope);
  Stage& stage = schedule->Insert(schedule->PositionOf(source) + 1, cache->op);
  stage.scope = std::move(scope);

  // First the readers read the copy; then everything downstream follows their new operations.
  const size_t position = schedule->PositionOf(stage) + 1;
  std::vector<std::pair<Tensor, Tensor>> changed;
  for (Stage* consumer : consumers) {
    const Op before = consumer->op;
    const Op after = te::ReplaceInputs(before, {{current, cache}});
    consumer->op = after;
    schedule->Map(after, consumer);
    for (Op& output : schedule->outputs) {
      if (output.same_as(before)) output = after;
    }
    for (int64_t k = 0; k < ir::NumOutputs(*after); ++k)
      changed.emplace_back(ir::OutputOf(before, k), ir::OutputOf(after, k));
  }
  schedule->ReplaceTensors(std::move(changed), position, {});
  Record(*schedule, "cache_read", {stage.name}, std::move(operands));
  return cache;
}

}  // namespace lathe::schedule
