// The stages of a program with their facts, and which of them read which. Internal to AutoSchedule.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "schedule/schedule.h"
#include "target/machine.h"
#include "topi/cpu/auto/pattern.h"

namespace lathe::topi::cpu {

struct Reader {
  ir::Op op;
  const Access* access;
};

class Reads {
 public:
  Reads(const schedule::Schedule& s, const target::Machine& machine);

  // All stages, each after those that it reads.
  const std::vector<ir::Op>& order() const { return order_; }
  const Facts& FactsOfOp(const ir::Op& op) const { return facts_.at(op.get()); }
  // The computes that read the stage.
  const std::vector<Reader>& ReadersOf(const ir::Op& op) const;
  // Has the stage a reader that is not a compute?
  bool IsReadOtherwise(const ir::Op& op) const { return read_otherwise_.contains(op.get()); }

 private:
  std::vector<ir::Op> order_;
  std::map<const ir::Node*, Facts> facts_;
  std::map<const ir::Node*, std::vector<Reader>> readers_;
  std::set<const ir::Node*> read_otherwise_;
};

}  // namespace lathe::topi::cpu
