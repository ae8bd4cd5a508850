// A program as the rules see it: which operations are reductions that deserve tiles, and what is
// computed in whose tiles.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/tensor_op.h"
#include "schedule/schedule.h"
#include "tune/sketch/choices.h"

namespace lathe::tune::sketch {

// What is known of an operation of the program.
struct Part {
  const ir::ComputeOp* compute = nullptr;  // null: another kind, which is left as it is
  std::string name;                        // of its knobs
  std::vector<ir::Op> readers;
  bool is_output = false;
  bool tiled = false;     // a reduction that uses elements several times
  ir::Op fused_into;      // the elementwise operation in whose tiles it is computed
  bool absorbed = false;  // an elementwise operation between the two, which is inlined
  // Leading axes that it has in common with the only output: for these of the output's indices no
  // other ones of it are needed.
  size_t rows = 0;
  std::vector<ir::Tensor> pre_transformed;  // inputs that are packed once, before all calls
};

// Found once for a program. Const methods are thread-safe.
class Parts {
 public:
  // `pre_transformed`: arguments whose order in memory is chosen, too (schedule/pre_transform.h).
  explicit Parts(std::vector<ir::Op> outputs, const std::vector<ir::Tensor>& pre_transformed = {});

  const std::vector<ir::Op>& outputs() const { return outputs_; }
  // Each after what it reads.
  const std::vector<ir::Op>& order() const { return order_; }
  const Part& of(const ir::Op& op) const { return parts_.at(op.get()); }
  // Is a reduction computed in the tiles of this operation?
  bool IsReaderOfTile(const ir::Op& op) const;
  // May it be computed again for each reader?
  bool CanBeInlined(const schedule::Schedule& s, const ir::Op& op) const;

 private:
  void FindTiles(const ir::Op& op);
  void FindRows();

  const std::vector<ir::Op> outputs_;
  std::vector<ir::Op> order_;
  std::unordered_map<const ir::Node*, Part> parts_;
};

// 0: not constant.
int64_t ExtentOf(const ir::IterVar& axis);
// "<part>.axis<number>", the begin of a knob's name.
std::string KnobOf(const Part& part, size_t axis);
// The lists one after the other.
std::vector<ir::IterVar> Joined(std::initializer_list<std::vector<ir::IterVar>> lists);

}  // namespace lathe::tune::sketch
