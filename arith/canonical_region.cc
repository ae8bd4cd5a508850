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

namespace {

// The operands of a node that a region includes; null where it has none.
struct LinearOperands {
  const Expr* a = nullptr;
  const Expr* b = nullptr;
};

LinearOperands OperandsOf(const ir::ExprNode& node) {
  if (const ir::Operands pair = ir::BinaryOperands(&node)) return {pair.a, pair.b};
  if (const auto* cast = As<ir::Cast>(&node)) return {&cast->value, nullptr};
  return {};
}

// Flattens one region. It may be a DAG with exponentially many paths. So each node passes its
// coefficient down once, parents first.
class Flattening {
 public:
  explicit Flattening(bool through_casts) : through_casts_(through_casts) {}

  TermTable::Region Run(const Expr& root) {
    Collect(root);
    for (auto at = post_order_.rbegin(); at != post_order_.rend(); ++at) PassDown(**at);
    TakeLeaves();
    return std::move(region_);
  }

 private:
  struct Frame {
    const ir::ExprNode* node;
    int next;  // the operand to visit
  };

  bool IsInner(const Expr& e) const {
    return TermTable::IsLinearNode(*e) && (through_casts_ || e->node_kind() != NodeKind::kCast);
  }

  // Finds the nodes of the region, children first, and its leaves.
  void Collect(const Expr& root) {
    coeffs_[root.get()] = 1;
    Enter(root);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      const LinearOperands operands = OperandsOf(*frame.node);
      const Expr* next = frame.next == 0 ? operands.a : frame.next == 1 ? operands.b : nullptr;
      if (next == nullptr) {
        post_order_.push_back(frame.node);
        stack_.pop_back();
        continue;
      }
      ++frame.next;
      if (frame.node->node_kind() == NodeKind::kMul) {
        if (IsFactor(operands, next)) continue;
        if (IsInner(*next)) region_.tidy = false;
      } else if (frame.node->node_kind() == NodeKind::kCast && AsImm(*next) != nullptr) {
        // A cast of a sum is tidy where it is. A cast of a constant is not tidy: it should be
        // folded.
        region_.tidy = false;
      }
      Visit(*next);
    }
  }

  void Enter(const Expr& expr) {
    if (IsInner(expr)) {
      stack_.push_back({expr.get(), 0});
    } else {
      leaves_.push_back(expr);
    }
  }

  // Is `next` the constant factor of a product? It is not visited.
  bool IsFactor(const LinearOperands& operands, const Expr* next) {
    const Expr& factor = AsImm(*operands.b) != nullptr ? *operands.b : *operands.a;
    if (next != &factor) return false;
    const int64_t value = AsImm(factor)->value;
    if (next == operands.a || value <= 1) region_.tidy = false;
    return true;
  }

  void Visit(const Expr& child) {
    const ir::IntImm* imm = AsImm(child);
    if (imm != nullptr) {
      ++constant_uses_;
      constant_first_ = constant_first_ || !any_leaf_;
      constant_last_ = true;
      constant_negative_ = constant_negative_ || imm->value < 0;
    } else if (!IsInner(child)) {
      any_leaf_ = true;
      constant_last_ = false;
    }
    const bool is_new = coeffs_.Add(child.get());
    if (imm != nullptr) return;
    if (is_new) {
      Enter(child);
    } else {
      region_.tidy = false;
    }
  }

  // Adds the coefficient of a node to those of its operands.
  void PassDown(const ir::ExprNode& node) {
    const int64_t coeff = coeffs_[&node];
    const auto [a, b] = OperandsOf(node);
    switch (node.node_kind()) {
      case NodeKind::kAdd:
        AddScaled(*a, 1, coeff), AddScaled(*b, 1, coeff);
        break;
      case NodeKind::kSub:
        AddScaled(*a, 1, coeff), AddScaled(*b, -1, coeff);
        break;
      case NodeKind::kCast:
        AddScaled(*a, 1, coeff);
        break;
      default: {  // a product with a constant
        const bool constant_right = AsImm(*b) != nullptr;
        AddScaled(constant_right ? *a : *b, AsImm(constant_right ? *b : *a)->value, coeff);
      }
    }
  }

  void AddScaled(const Expr& child, int64_t scale, int64_t coeff) {
    if (const ir::IntImm* imm = AsImm(child)) {
      int64_t value = 0;
      if (!Accumulate(&value, imm->value, scale) || !Accumulate(&region_.constant, value, coeff))
        region_.known = false;
      return;
    }
    if (!Accumulate(&coeffs_[child.get()], coeff, scale)) region_.known = false;
  }

  void TakeLeaves() {
    bool any_positive = false;
    for (const Expr& leaf : leaves_) {
      const int64_t coeff = coeffs_[leaf.get()];
      any_positive = any_positive || coeff > 0;
      if (coeff == 0) region_.tidy = false;
      region_.leaves.push_back({leaf, coeff});
    }
    if (constant_uses_ > 1) region_.tidy = false;
    if (constant_uses_ != 1) return;
    // The constant is last, or first if everything else is subtracted from it.
    if ((region_.constant == 0 || constant_negative_) && any_positive) region_.tidy = false;
    if (any_positive ? !constant_last_ : !constant_first_) region_.tidy = false;
  }

  const bool through_casts_;
  TermTable::Region region_;
  Coefficients coeffs_;
  absl::InlinedVector<const ir::ExprNode*, 16> post_order_;
  absl::InlinedVector<Expr, 8> leaves_;
  absl::InlinedVector<Frame, 16> stack_;
  int constant_uses_ = 0;
  bool constant_first_ = false, constant_last_ = false, constant_negative_ = false;
  bool any_leaf_ = false;
};

}  // namespace

TermTable::Region TermTable::Flatten(const Expr& root, bool through_casts) {
  if (const ir::IntImm* imm = AsImm(root)) {
    Region region;
    region.constant = imm->value;
    return region;
  }
  return Flattening(through_casts).Run(root);
}

}  // namespace lathe::arith::internal
