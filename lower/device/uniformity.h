// What differs between threads: variables, and the control flow around a place. Internal to lower/.
#pragma once

#include <initializer_list>
#include <unordered_set>
#include <vector>

#include "ir/stmt.h"
#include "ir/walk.h"

namespace lathe::lower {

// For the threads of a block, or for the blocks of a kernel. Fed by a walk through the kernel.
class Uniformity {
 public:
  // The variable has another value in each thread (or block).
  void AddVarying(const ir::Var& var) { varying_.insert(var.get()); }
  // The variable's value follows from these expressions: it differs if they do. To be called in the
  // order of the walk, before the walk through what reads the variable.
  void AddDerived(const ir::Var& var, std::initializer_list<ir::Expr> from);
  // True if the value is the same for all.
  bool IsSame(const ir::Expr& value) const;

  // Before and after the walk through a child of a statement.
  void Enter(const ir::Edge& edge);
  void Leave(const ir::Edge& edge);
  // The outermost statements first, whose bodies not all of the threads run, or not equally often.
  const std::vector<const ir::Node*>& divergent() const { return divergent_; }

 private:
  bool Diverges(const ir::Edge& edge) const;

  std::unordered_set<const ir::Node*> varying_;
  std::vector<const ir::Node*> divergent_;
};

}  // namespace lathe::lower
