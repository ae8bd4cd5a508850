// Finds the nodes that a linear form includes, and its leaves with their coefficients.
#include "arith/canonical.h"
#include "arith/int_math.h"

namespace lathe::arith::internal {

using ir::As;

namespace {

const ir::IntImm* AsImm(const Expr& expr) { return As<ir::IntImm>(expr); }

// The coefficients of a region's nodes. Most regions have few nodes, which a linear search finds.
class Coefficients {
 public:
  // Adds a node with coefficient 0. Returns false if the node exists already.
  bool Add(const ir::ExprNode* node) {
    if (Find(node) != nullptr) return false;
    entries_.push_back({node, 0});
    if (entries_.size() > kFew) {
      if (index_.empty()) {
        for (size_t i = 0; i + 1 < entries_.size(); ++i) index_.emplace(entries_[i].node, i);
      }
      index_.emplace(node, entries_.size() - 1);
    }
    return true;
  }
  int64_t& operator[](const ir::ExprNode* node) {
    Add(node);
    return *Find(node);
  }

 private:
  static constexpr size_t kFew = 16;
  struct Entry {
    const ir::ExprNode* node;
    int64_t coefficient;
  };
  int64_t* Find(const ir::ExprNode* node) {
    if (entries_.size() > kFew) {
      const auto at = index_.find(node);
      return at == index_.end() ? nullptr : &entries_[at->second].coefficient;
    }
    for (Entry& entry : entries_) {
      if (entry.node == node) return &entry.coefficient;
    }
    return nullptr;
  }

  absl::InlinedVector<Entry, kFew> entries_;
  std::unordered_map<const ir::ExprNode*, size_t> index_;  // used only for more than kFew entries
};

}  // namespace

bool TermTable::IsLinearNode(const ir::ExprNode& expr) {
  if (!IsIndex(expr.dtype)) return false;
  switch (expr.node_kind()) {
    case NodeKind::kIntImm:
    case NodeKind::kAdd:
    case NodeKind::kSub:
      return true;
    case NodeKind::kMul: {
      const auto& node = static_cast<const ir::Mul&>(expr);
      return AsImm(node.a) != nullptr || AsImm(node.b) != nullptr;
    }
    case NodeKind::kCast: {
      const DataType from = static_cast<const ir::Cast&>(expr).value->dtype;
      return IsIndex(from) && from.bits() <= expr.dtype.bits();
    }
    default:
      return false;
  }
}

TermTable::Region TermTable::Flatten(const Expr& root, bool through_casts) {
  auto inner = [through_casts](const Expr& e) {
    return IsLinearNode(*e) && (through_casts || e->node_kind() != NodeKind::kCast);
  };
  Region region;
  if (const ir::IntImm* imm = AsImm(root)) {
    region.constant = imm->value;
    return region;
  }
  // A region may be a DAG with exponentially many paths. So each node passes its coefficient down
  // once, parents first.
  struct Frame {
    const ir::ExprNode* node;
    int next;
  };
  auto operands = [](const ir::ExprNode& node, const Expr** a, const Expr** b) {
    *a = *b = nullptr;
    if (const ir::Operands pair = ir::BinaryOperands(&node)) {
      *a = pair.a;
      *b = pair.b;
    } else if (const auto* cast = As<ir::Cast>(&node)) {
      *a = &cast->value;
    }
  };
  Coefficients coeffs;
  absl::InlinedVector<const ir::ExprNode*, 16> post_order;
  absl::InlinedVector<Expr, 8> leaves;
  absl::InlinedVector<Frame, 16> stack;
  int constant_uses = 0;
  bool constant_first = false, constant_last = false, constant_negative = false;
  bool any_leaf = false;
  auto visit = [&](const Expr& child) {
    if (const ir::IntImm* imm = AsImm(child)) {
      ++constant_uses;
      constant_first = constant_first || !any_leaf;
      constant_last = true;
      constant_negative = constant_negative || imm->value < 0;
    } else if (!inner(child)) {
      any_leaf = true;
      constant_last = false;
    }
    if (!coeffs.Add(child.get())) {
      if (AsImm(child) == nullptr) region.tidy = false;
      return;
    }
    if (AsImm(child) != nullptr) return;
    if (inner(child)) {
      stack.push_back({child.get(), 0});
    } else {
      leaves.push_back(child);
    }
  };
  coeffs[root.get()] = 1;
  if (inner(root)) {
    stack.push_back({root.get(), 0});
  } else {
    leaves.push_back(root);
  }
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const Expr *a, *b;
    operands(*frame.node, &a, &b);
    const bool is_mul = frame.node->node_kind() == NodeKind::kMul;
    const Expr* next = frame.next == 0 ? a : frame.next == 1 ? b : nullptr;
    if (next == nullptr) {
      post_order.push_back(frame.node);
      stack.pop_back();
      continue;
    }
    ++frame.next;
    if (is_mul) {
      // Visits only the operand that is not the constant factor.
      const Expr& factor = AsImm(*b) != nullptr ? *b : *a;
      if (next == &factor) {
        if (next == a) region.tidy = false;
        const int64_t value = AsImm(factor)->value;
        if (value == 0 || value == 1 || value < 0) region.tidy = false;
        continue;
      }
      if (inner(*next)) region.tidy = false;
    } else if (frame.node->node_kind() == NodeKind::kCast && inner(*next)) {
      // A cast of a sum is tidy where it is. A cast of a constant is not tidy: it should be folded.
      if (AsImm(*next) != nullptr) region.tidy = false;
    }
    visit(*next);
  }
  for (auto at = post_order.rbegin(); at != post_order.rend(); ++at) {
    const ir::ExprNode& node = **at;
    const int64_t coeff = coeffs[&node];
    const Expr *a, *b;
    operands(node, &a, &b);
    auto pass = [&](const Expr& child, int64_t scale) {
      if (const ir::IntImm* imm = AsImm(child)) {
        int64_t value = 0;
        if (!Accumulate(&value, imm->value, scale) || !Accumulate(&region.constant, value, coeff)) {
          region.known = false;
        }
        return;
      }
      if (!Accumulate(&coeffs[child.get()], coeff, scale)) region.known = false;
    };
    switch (node.node_kind()) {
      case NodeKind::kAdd:
        pass(*a, 1), pass(*b, 1);
        break;
      case NodeKind::kSub:
        pass(*a, 1), pass(*b, -1);
        break;
      case NodeKind::kCast:
        pass(*a, 1);
        break;
      default: {  // a product with a constant
        const bool constant_right = AsImm(*b) != nullptr;
        pass(constant_right ? *a : *b, AsImm(constant_right ? *b : *a)->value);
      }
    }
  }
  bool any_positive = false;
  for (const Expr& leaf : leaves) {
    const int64_t coeff = coeffs[leaf.get()];
    any_positive = any_positive || coeff > 0;
    if (coeff == 0) region.tidy = false;
    region.leaves.push_back({leaf, coeff});
  }
  if (constant_uses > 1) region.tidy = false;
  if (constant_uses == 1) {
    // The constant is last, or first if everything else is subtracted from it.
    if ((region.constant == 0 || constant_negative) && any_positive) region.tidy = false;
    if (any_positive ? !constant_last : !constant_first) region.tidy = false;
  }
  return region;
}

}  // namespace lathe::arith::internal
