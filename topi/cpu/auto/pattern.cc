#include "topi/cpu/auto/pattern.h"

#include <algorithm>

#include "ir/intrinsic_names.h"
#include "ir/walk.h"
#include "topi/anchor.h"

namespace lathe::topi::cpu {

using ir::Expr;
using ir::IterVar;

namespace {

// The last data axis with more than one element: it is contiguous in the output.
int VectorAxis(const ir::ComputeOp& compute) {
  for (size_t axis = compute.axis.size(); axis-- > 0;) {
    if (ExtentOf(compute.axis[axis]) != 1) return static_cast<int>(axis);
  }
  return -1;
}

// Does the access read what is reduced, that is, does it use a reduce axis?
bool IsOperand(const Access& access, size_t data_axes) {
  for (size_t axis = data_axes; axis < access.steps.size(); ++axis) {
    if (access.Uses(axis)) return true;
  }
  return false;
}

// The innermost reduce axis along which an operand is contiguous; -1 if there is none.
int ContiguousReduceAxis(const Facts& facts) {
  const size_t data = facts.compute->axis.size();
  for (const Access& access : facts.accesses) {
    for (size_t axis = access.steps.size(); axis-- > data;) {
      if (access.IsContiguous(axis) && ExtentOf(facts.compute->reduce_axis[axis - data]) >= 8)
        return static_cast<int>(axis);
    }
  }
  return -1;
}

// Finds the axes of a contraction. False if no operand is shared in a way that is worth registers.
bool FindContraction(Facts& facts, int64_t lanes, size_t taken) {
  const ir::ComputeOp& compute = *facts.compute;
  const size_t data = compute.axis.size();
  const int vector = VectorAxis(compute);
  if (data < 2 || vector < 0 || compute.body.size() != 1) return false;
  std::vector<int> operands;
  for (size_t i = 0; i < facts.accesses.size(); ++i) {
    if (IsOperand(facts.accesses[i], data)) operands.push_back(static_cast<int>(i));
  }
  if (operands.size() < 2) return false;
  const auto v = static_cast<size_t>(vector);
  // Its template reads the weights in groups of bytes, in the order in which they are stored.
  if (AnchorOf(compute) == kDotConv2d) {
    facts.vector_axis = v;
    facts.row_axis = v - 1;
    return true;
  }
  if (2 * ExtentOf(compute.axis[v]) < lanes) return false;
  // The row axis must be one that some operand does not use. Prefer an axis whose operand is read
  // in vectors, then the axis nearest to the vector axis.
  int best = -1, shared = -1;
  for (int pass = 0; pass < 2 && best < 0; ++pass) {
    for (size_t axis = data; axis-- > taken;) {
      if (axis == v || ExtentOf(compute.axis[axis]) < 2) continue;
      for (const int i : operands) {
        const Access& access = facts.accesses[static_cast<size_t>(i)];
        if (access.Uses(axis) || access.Uses(v) != (pass == 0)) continue;
        best = static_cast<int>(axis);
        shared = pass == 0 ? i : -1;
        break;
      }
      if (best >= 0) break;
    }
  }
  if (best < 0) return false;
  // Every other operand must be read in vectors, or one element for all lanes.
  for (const int i : operands) {
    const Access& access = facts.accesses[static_cast<size_t>(i)];
    if (i != shared && !access.IsVectorizable(v)) return false;
  }
  if (shared >= 0) {
    const Access& access = facts.accesses[static_cast<size_t>(shared)];
    facts.shared_is_contiguous = access.IsContiguous(v);
    // Transposing it pays only if enough rows share it.
    if (!facts.shared_is_contiguous && ExtentOf(compute.axis[static_cast<size_t>(best)]) < 8)
      return false;
  }
  facts.vector_axis = v;
  facts.row_axis = static_cast<size_t>(best);
  facts.shared = shared;
  return true;
}

constexpr int64_t kLargestWindow = 32;  // elements, which become straight code

// Is this a pool whose results can be computed in vectors? Operands are read along the last axis as
// they lie, or with a step that a few loads and a shuffle serve.
bool IsPool(const Facts& facts) {
  const ir::ComputeOp& compute = *facts.compute;
  if (compute.axis.empty() || compute.body.size() != 1) return false;
  int64_t window = 1;
  for (const IterVar& axis : compute.reduce_axis) {
    const int64_t* extent = ir::AsConstInt(axis->domain->extent);
    if (extent == nullptr || *extent < 1 || *extent > kLargestWindow) return false;
    window *= *extent;
  }
  if (window < 2 || window > kLargestWindow) return false;
  const size_t last = compute.axis.size() - 1;
  bool moves = false;
  for (size_t axis = 0; axis <= last; ++axis) moves = moves || MovesWindows(facts, axis);
  if (!moves) return false;
  for (const IterVar& axis : compute.axis) {
    const int64_t* extent = ir::AsConstInt(axis->domain->extent);
    if (axis.same_as(compute.axis[0]) && compute.axis.size() > 1) continue;  // images: any number
    if (extent == nullptr || *extent == 0) return false;
  }
  return ExtentOf(compute.axis[last]) >= 4 &&
         std::all_of(facts.accesses.begin(), facts.accesses.end(), [&](const Access& access) {
           const AxisStep& step = access.steps[last];
           return !step.used || (step.linear && step.step >= 1 && step.step <= 4);
         });
}

constexpr int64_t kMostUnrolled = 64;     // elements, in all unrolled loops together
constexpr int64_t kLongestSelecting = 8;  // the extent of one such loop

// See Facts::selecting.
std::vector<size_t> SelectingAxes(const ir::ComputeOp& compute) {
  std::vector<size_t> out;
  int64_t unrolled = 1;
  for (size_t axis = compute.axis.size(); axis-- > 0;) {
    const int64_t extent = ExtentOf(compute.axis[axis]);
    if (axis + 1 == compute.axis.size() || extent < 2 || extent > kLongestSelecting) continue;
    bool selects = false;
    auto note = [&](const Expr& condition) {
      const auto* equal = ir::As<ir::EQ>(condition);
      selects = selects || (equal != nullptr && equal->a.same_as(compute.axis[axis]->var) &&
                            ir::AsConstInt(equal->b) != nullptr);
    };
    for (const Expr& body : compute.body) {
      ir::ForEach<ir::Select>(body, [&](const ir::Select& node) { note(node.condition); });
      ir::ForEach<ir::Call>(body, [&](const ir::Call& call) {
        if (call.op == ir::intrinsic::kIfThenElse) note(call.arg(0));
      });
    }
    if (!selects || unrolled * extent > kMostUnrolled) continue;
    unrolled *= extent;
    out.insert(out.begin(), axis);
  }
  return out;
}

bool DependsOn(const ir::ComputeOp& compute, const IterVar& axis) {
  return std::any_of(compute.reduce_axis.begin(), compute.reduce_axis.end(),
                     [&](const IterVar& reduce) { return ir::UsesVar(reduce->domain, axis->var); });
}

bool HasDependentRange(const ir::ComputeOp& compute) {
  auto used = [&](const IterVar& axis) { return DependsOn(compute, axis); };
  return std::any_of(compute.axis.begin(), compute.axis.end(), used) ||
         std::any_of(compute.reduce_axis.begin(), compute.reduce_axis.end(), used);
}

}  // namespace

const char* PatternName(Pattern pattern) {
  switch (pattern) {
    case Pattern::kOther:
      return "other";
    case Pattern::kMap:
      return "map";
    case Pattern::kRowReduction:
      return "row reduction";
    case Pattern::kColumnReduction:
      return "column reduction";
    case Pattern::kDependent:
      return "reduction over dependent ranges";
    case Pattern::kPool:
      return "pool";
    case Pattern::kContraction:
      return "contraction";
  }
  return "";
}

bool MovesWindows(const Facts& facts, size_t axis) {
  for (const Access& access : facts.accesses) {
    for (const Expr& index : access.indices) {
      if (!ir::UsesVar(index, facts.compute->axis[axis]->var)) continue;
      for (const IterVar& along : facts.compute->reduce_axis) {
        if (ir::UsesVar(index, along->var)) return true;
      }
    }
  }
  return false;
}

Facts FactsOf(const ir::OpNode& op, int64_t vector_bytes, size_t taken) {
  Facts facts;
  facts.compute = ir::As<ir::ComputeOp>(&op);
  if (facts.compute == nullptr) return facts;
  facts.accesses = AccessesOf(*facts.compute);
  facts.cost = CostOf(*facts.compute);
  facts.taken = taken;
  facts.work = facts.cost.operations;
  for (size_t axis = taken; axis < facts.compute->axis.size(); ++axis)
    facts.work *= static_cast<double>(ExtentOf(facts.compute->axis[axis]));
  for (const ir::IterVar& axis : facts.compute->reduce_axis)
    facts.work *= static_cast<double>(ExtentOf(axis));
  if (facts.compute->reduce_axis.empty()) {
    facts.pattern = Pattern::kMap;
    facts.selecting = SelectingAxes(*facts.compute);
    return facts;
  }
  const int64_t lanes =
      std::max<int64_t>(1, vector_bytes * 8 / facts.compute->body[0]->dtype.bits());
  if (HasDependentRange(*facts.compute)) {
    // Loops over columns may be inside the others if no range depends on the column.
    const bool columns = !facts.compute->axis.empty() && ContiguousReduceAxis(facts) < 0 &&
                         !DependsOn(*facts.compute, facts.compute->axis.back());
    facts.pattern = columns ? Pattern::kColumnReduction : Pattern::kDependent;
  } else if (FindContraction(facts, lanes, taken)) {
    facts.pattern = Pattern::kContraction;
  } else if (ContiguousReduceAxis(facts) >= 0) {
    facts.pattern = Pattern::kRowReduction;
  } else {
    facts.pattern = IsPool(facts) ? Pattern::kPool : Pattern::kColumnReduction;
  }
  return facts;
}

}  // namespace lathe::topi::cpu
