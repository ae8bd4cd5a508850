#include "schedule/primitives/storage_align.h"

#include "base/error.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

void StorageAlign(Stage& stage, const IterVar& axis, int64_t factor, int64_t offset) {
  auto refuse = [&](std::string expected, std::string found, std::string help) {
    throw Error(Diagnostic{.name = "schedule-storage-align-refused",
                           .message = "storage_align of stage `" + stage.name + "`",
                           .expected = std::move(expected),
                           .found = std::move(found),
                           .help = std::move(help)});
  };
  const auto* compute = ir::As<ir::ComputeOp>(stage.op);
  if (compute == nullptr) {
    refuse("a compute", std::string("a ") + ir::NodeKindName(stage.op->node_kind()),
           "align what a compute writes, such as a cache of it");
  }
  if (stage.is_output) {
    refuse("a stage whose memory is not the caller's", "an output",
           "make a cache with cache_write and align that");
  }
  size_t dim = 0;
  while (dim < compute->axis.size() && !compute->axis[dim].same_as(axis)) ++dim;
  if (dim == compute->axis.size()) {
    std::vector<std::string> names;
    for (const IterVar& data : compute->axis) names.push_back(stage.AxisName(data));
    refuse("one of the operation's data axes " + QuotedList(names), "`" + axis->var->name + "`",
           "name the axis of the dimension, not a loop that it was split into");
  }
  if (factor < 1 || offset < 0 || offset >= factor || factor > (1 << 20)) {
    refuse("a factor from 1 to 1048576 and an offset below it",
           std::to_string(factor) + " and " + std::to_string(offset),
           "the stride becomes a multiple of the factor plus the offset");
  }
  stage.alignments[dim] = {factor, offset};
  Record(*stage.schedule, primitive::kStorageAlign, {},
         {{operand::kAxis, AxisOperand(stage, axis)},
          {operand::kFactor, ir::Int(factor)},
          {operand::kOffset, ir::Int(offset)}});
}

}  // namespace lathe::schedule
