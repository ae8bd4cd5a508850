#include "tune/operations.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "ir/expr.h"
#include "ir/intrinsic_names.h"
#include "ir/walk.h"

namespace lathe::tune {
namespace {

constexpr double kMost = 1e18;  // more than any machine does

// The extents' product; 0 if one is not constant.
double Iterations(const std::vector<ir::IterVar>& axes) {
  double product = 1;
  for (const ir::IterVar& axis : axes) {
    const int64_t* const extent = ir::AsConstInt(axis->domain->extent);
    product *= extent == nullptr ? 0 : static_cast<double>(*extent);
  }
  return product;
}

bool IsArithmetic(const ir::Node& node) {
  const ir::NodeKind kind = node.node_kind();
  return kind >= ir::NodeKind::kAdd && kind <= ir::NodeKind::kNot;
}

// Counts for one element.
class Counter final : public ir::Visitor {
 public:
  Counter() : Visitor(ir::Sharing::kOnce) {}
  double Count(const ir::Expr& body) {
    last_ = 0;
    Visit(body);
    return last_;
  }

 private:
  struct Frame {
    double sum = 0;   // of the children
    double arms = 0;  // of the longer arm
  };

  static bool IsChoice(const ir::Node& node) {
    const auto* const call = ir::As<ir::Call>(&node);
    return call != nullptr && call->op == ir::intrinsic::kIfThenElse;
  }

  bool Enter(const ir::Node& node) override {
    if (node.node_kind() == ir::NodeKind::kLoad) return false;
    frames_.emplace_back();
    return true;
  }
  void BeforeChild(const ir::Edge&) override { last_ = 0; }
  void AfterChild(const ir::Edge& edge) override {
    Frame& frame = frames_.back();
    const bool selects = edge.parent->node_kind() == ir::NodeKind::kSelect;
    const bool chooses = IsChoice(*edge.parent);
    if (edge.Is("condition") || (chooses && edge.index == 0)) return;
    if (edge.Is("reducer") || edge.Is("init")) return;  // a step of a reduction counts 1
    if (edge.Is("true_value") || edge.Is("false_value") || chooses) {
      frame.arms = std::max(frame.arms, last_);
    } else if (!selects) {
      frame.sum += last_;
    }
  }
  void Leave(const ir::Node& node) override {
    const Frame frame = frames_.back();
    frames_.pop_back();
    last_ = frame.sum + frame.arms;
    if (const auto* const reduce = ir::As<ir::Reduce>(&node)) {
      last_ = (last_ + static_cast<double>(reduce->sources.size())) * Iterations(reduce->axis);
    } else if (IsArithmetic(node) || (node.node_kind() == ir::NodeKind::kCall && !IsChoice(node))) {
      last_ += 1;
    }
    last_ = std::min(last_, kMost);
  }

  std::vector<Frame> frames_;
  double last_ = 0;  // of the child that was left last
};

}  // namespace

int64_t CountOperations(std::span<const ir::Op> outputs) {
  double count = 0;
  std::unordered_set<const ir::Node*> known;
  std::vector<ir::Op> waiting(outputs.begin(), outputs.end());
  while (!waiting.empty()) {
    const ir::Op op = waiting.back();
    waiting.pop_back();
    if (!known.insert(op.get()).second) continue;
    for (const ir::Tensor& input : ir::InputsOf(*op)) waiting.push_back(input->op);
    const auto* const compute = ir::As<ir::ComputeOp>(op);
    if (compute == nullptr) continue;
    Counter counter;
    double element = 0;
    for (const ir::Expr& body : compute->body) element += counter.Count(body);
    count += element * Iterations(compute->axis);
  }
  return static_cast<int64_t>(std::min(count, kMost));
}

}  // namespace lathe::tune
