#include "schedule/nest_builder.h"

#include <algorithm>

#include "base/error.h"

namespace lathe::schedule {

using ir::ScanOp;
using ir::Stmt;

Stmt NestBuilder::EmitScan(const Stage& stage) {
  const auto& scan = static_cast<const ScanOp&>(*stage.op);
  std::vector<Stmt> before;
  Stmt step;
  auto is_init = [&](const Stage& part) {
    return std::any_of(scan.init.begin(), scan.init.end(),
                       [&](const Tensor& t) { return t->op.same_as(part.op); });
  };
  auto it = attached_.find(&stage);
  LATHE_CHECK(it != attached_.end()) << "scan `" << stage.name << "` has no parts";
  for (size_t i = it->second.size(); i-- > 0;) {
    const Stage& part = *it->second[i];
    if (is_init(part))
      before.insert(before.begin(), Emit(part));
    else
      step = RealizeAround(part, ir::MakeSeq({Emit(part), step}));
  }
  before.push_back(WrapLoops(stage, 0, stage.leaf_axes.size(), step ? step : ir::Nop(), {}, false));
  return ir::MakeSeq(std::move(before));
}

}  // namespace lathe::schedule
