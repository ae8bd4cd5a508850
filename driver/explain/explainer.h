// Builds an Explanation, see explain.h. Internal to driver/explain.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "arith/analyzer.h"
#include "arith/region.h"
#include "driver/explain/explain.h"
#include "ir/rewrite.h"
#include "schedule/bounds.h"
#include "schedule/normalize.h"
#include "schedule/rolling.h"
#include "schedule/schedule.h"

namespace lathe::driver {

class Explainer {
 public:
  Explainer(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
            const ExplainOptions& options);

  std::vector<ExplainedStage> Stages();
  // Records in the stages which guards remain in the lowered loops.
  static void AddLowered(const ir::Module& lowered, std::vector<ExplainedStage>& stages);

 private:
  using Stage = schedule::Stage;
  using Expr = ir::Expr;

  ExplainedStage Describe(const Stage& stage);
  void Place(const Stage& stage, ExplainedStage& out);
  void Loops(const Stage& stage, ExplainedStage& out);
  void Regions(const Stage& stage, ExplainedStage& out);
  void Buffers(const Stage& stage, ExplainedStage& out);
  void Guards(const Stage& stage, ExplainedStage& out);

  // rolling.cc
  // How often loops, from the outermost to the innermost, are executed in all. Iterations that a
  // rolling buffer skips do not count.
  Expr Times(const std::vector<schedule::LoopRef>& loops) const;
  // The loops around a stage, outermost first.
  static std::vector<schedule::LoopRef> Around(const Stage& stage);
  // How many elements along the dimension that rolls a stage computes in all iterations.
  Expr RolledElements(const Stage& stage) const;
  void Rolls(const Stage& stage, ExplainedStage& out) const;

  // traffic.cc
  void Traffic(const Stage& stage, const ir::ComputeOp& op, ExplainedStage& out);
  struct Touched {
    ir::Tensor tensor;
    // Per dimension, the sets whose union is touched.
    std::vector<std::vector<arith::IntSet>> dimensions;
  };
  // What the iterations of the leaf loops from `level` on touch, while the outer loops are fixed.
  // `fresh`: of a rolling buffer, only elements that the iteration before has not computed.
  std::vector<Touched> TouchedFrom(const Stage& stage, const ir::ComputeOp& op, size_t level,
                                   bool fresh);
  Expr BytesOf(const Touched& touched);

  // The extent of a loop as int64, with sizes substituted.
  Expr Extent(const Stage& stage, const schedule::IterVar& leaf) const;
  Expr Known(const Expr& value) const;  // with sizes substituted, simplified
  Amount AmountOf(const Expr& value) const;
  std::string Text(const Expr& value) const;
  std::string Interval(const Expr& min, const Expr& extent) const;
  std::string StageName(const ir::Op& op) const;

  schedule::Schedule original_, normal_;
  schedule::Bounds bounds_;
  std::unordered_map<const Stage*, schedule::Rolling> rolling_;
  std::vector<const ir::Node*> arguments_;  // operations whose tensors are arguments
  ir::VarMap sizes_;
  mutable arith::Analyzer analyzer_;
};

}  // namespace lathe::driver
