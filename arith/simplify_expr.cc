// The driver of simplification: bottom-up with an explicit stack, each node once per state of
// knowledge.
#include <utility>

#include "arith/context.h"
#include "arith/operands.h"
#include "base/error.h"
#include "base/poll.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/walk.h"

namespace lathe::arith::internal {

using ir::As;

namespace {

// The number of simplifications of choices in one expression, per choice that it contains. Even in
// a tree a choice is simplified more than once, because the assumed conditions are simplified too.
constexpr int64_t kMaxWays = 64;

// True for nodes that add knowledge for some of their operands.
bool AddsKnowledge(const ir::Node& node) {
  const auto* call = As<ir::Call>(&node);
  return As<ir::Let>(&node) != nullptr ||
         (call != nullptr && call->op == ir::intrinsic::kIfThenElse);
}

}  // namespace

// A node in work: its operands, and the results of those that are done.
struct Context::SimplifyFrame {
  enum class Form : uint8_t { kPlain, kLinear, kConditional, kLet, kReduce };

  Expr expr;
  Form form = Form::kPlain;
  Exprs operands;
  Exprs results;
  TermTable::Region region;  // kLinear
  bool in_scope = false;     // a scope is open, and the next result closes it
  Expr replaced_by;          // kLet: the value, if the variable goes away
};

void Context::StartFrame(SimplifyFrame* frame) {
  using Form = SimplifyFrame::Form;
  const Expr& expr = frame->expr;
  if (TermTable::IsLinearNode(*expr) && As<ir::Cast>(expr) == nullptr) {
    frame->form = Form::kLinear;
    frame->region = TermTable::Flatten(expr, /*through_casts=*/false);
    for (const TermTable::Leaf& leaf : frame->region.leaves) frame->operands.push_back(leaf.expr);
    return;
  }
  if (const auto* call = As<ir::Call>(expr)) {
    if (call->op == ir::intrinsic::kIfThenElse && call->args.size() == 3 && call->arg(0) &&
        call->arg(1) && call->arg(2)) {
      frame->form = Form::kConditional;
    }
  } else if (const auto* let = As<ir::Let>(expr)) {
    frame->form = Form::kLet;
    frame->operands = {let->value, let->body};
    return;
  } else if (const auto* reduce = As<ir::Reduce>(expr)) {
    frame->form = Form::kReduce;
    frame->operands.assign(reduce->sources.begin(), reduce->sources.end());
    frame->operands.push_back(reduce->condition);
    frame->operands.insert(frame->operands.end(), reduce->init.begin(), reduce->init.end());
    return;
  }
  AppendOperands(*expr, &frame->operands);
}

Expr Context::FinishFrame(SimplifyFrame* frame) {
  using Form = SimplifyFrame::Form;
  const Expr& expr = frame->expr;
  switch (frame->form) {
    case Form::kLinear:
      return LocalSum(expr, frame->region, frame->results, 0);
    case Form::kLet: {
      const auto* let = As<ir::Let>(expr);
      if (frame->replaced_by) return frame->results[1];
      if (frame->results[0].same_as(let->value) && frame->results[1].same_as(let->body)) {
        return expr;
      }
      return ir::MakeLet(let->var, frame->results[0], frame->results[1]);
    }
    case Form::kReduce: {
      bool same = true;
      for (size_t i = 0; i < frame->operands.size(); ++i) {
        same = same && frame->operands[i].same_as(frame->results[i]);
      }
      if (same) return expr;
      const Ref<ir::Node> copy = ir::CloneNode(*expr);
      auto& reduce = static_cast<ir::Reduce&>(*copy);
      const auto results = frame->results.begin();
      const auto sources = static_cast<std::ptrdiff_t>(reduce.sources.size());
      reduce.sources.assign(results, results + sources);
      reduce.condition = results[sources];
      reduce.init.assign(results + sources + 1, frame->results.end());
      return Expr(static_cast<const ir::ExprNode*>(copy.get()));
    }
    default:
      return Local(WithOperands(expr, frame->results), 0);
  }
}

// A leaf's result, or one from before; null if there is none.
Expr Context::Remembered(const Expr& expr) {
  if (const auto* var = As<ir::VarNode>(expr)) {
    const auto value = values_.find(ir::Var(var));
    if (value != values_.end() && value->second) return value->second;
    return LocalVariable(expr);
  }
  const NodeKind kind = expr->node_kind();
  if (kind == NodeKind::kIntImm || kind == NodeKind::kFloatImm || kind == NodeKind::kStringImm)
    return expr;
  const auto at = simplified_.find(expr);
  return at != simplified_.end() && at->second.epoch == epoch_ ? at->second.result : Expr();
}

// A shared node is simplified once for each path that adds knowledge. There may be 2^n paths: after
// a number of them, this is false.
bool Context::MayChoose() {
  if (choices_left_ < 0) {
    choices_left_ = 0;
    ir::PostOrder(*outermost_, [&](const ir::Node& node) {
      choices_left_ += AddsKnowledge(node) ? kMaxWays : 0;
    });
  }
  if (choices_left_ == 0) return false;
  --choices_left_;
  return true;
}

// Puts a frame for `expr` on the stack; or returns the result at once, if it is too expensive to
// look inside.
Expr Context::PushFrame(const Expr& expr, std::vector<SimplifyFrame>* stack) {
  stack->emplace_back().expr = expr;
  StartFrame(&stack->back());
  const SimplifyFrame::Form form = stack->back().form;
  const bool chooses =
      form == SimplifyFrame::Form::kConditional || form == SimplifyFrame::Form::kLet;
  if (!chooses || MayChoose()) return Expr();
  stack->pop_back();
  ir::VarMap values;
  for (const auto& [var, value] : values_) {
    if (value) values.emplace(var, value);
  }
  return ir::Substitute(expr, values);
}

// Takes the result of an operand, and opens the scope in which the next operand is simplified.
void Context::TakeResult(SimplifyFrame* frame, Expr result) {
  using Form = SimplifyFrame::Form;
  if (frame->in_scope) CloseScope();
  frame->in_scope = false;
  frame->results.push_back(std::move(result));
  const size_t count = frame->results.size();
  if (frame->form == Form::kConditional && count < 3) {
    // Only the chosen arm is evaluated, so it may rely on the condition.
    OpenScope();
    frame->in_scope = true;
    Assume(frame->results[0], count == 1);
  } else if (frame->form == Form::kLet && count == 1) {
    const ir::Var var = As<ir::Let>(frame->expr)->var;
    const Expr& value = frame->results[0];
    OpenScope();
    frame->in_scope = true;
    if (ir::AsConstInt(value) != nullptr || As<ir::FloatImm>(value) != nullptr ||
        As<ir::VarNode>(value) != nullptr) {
      frame->replaced_by = value;
      BindValue(var, value);
    } else if (value->dtype.is_integral() && !terms.info(terms.IdOf(value)).opaque) {
      LearnEqual(var, value);
    }
  }
}

// The sources of a reduction are simplified with the ranges of its axes.
void Context::OpenReduction(SimplifyFrame* frame) {
  if (frame->form != SimplifyFrame::Form::kReduce || frame->in_scope) return;
  const auto* reduce = As<ir::Reduce>(frame->expr);
  if (frame->results.size() > reduce->sources.size()) return;
  OpenScope();
  frame->in_scope = true;
  for (const ir::IterVar& axis : reduce->axis) {
    if (axis->domain) BindRange(axis->var, axis->domain);
  }
}

Expr Context::SimplifyOnce(const Expr& root) {
  std::vector<SimplifyFrame> stack;
  Expr done = Remembered(root);
  if (!done) done = PushFrame(root, &stack);
  while (!stack.empty()) {
    Poll();
    SimplifyFrame& frame = stack.back();
    if (done) TakeResult(&frame, std::exchange(done, nullptr));
    OpenReduction(&frame);
    if (frame.results.size() < frame.operands.size()) {
      const Expr next = frame.operands[frame.results.size()];
      if (!(done = Remembered(next))) done = PushFrame(next, &stack);
      continue;
    }
    if (frame.in_scope) CloseScope();
    frame.in_scope = false;
    done = FinishFrame(&frame);
    simplified_.insert_or_assign(frame.expr, MemoEntry{epoch_, done});
    stack.pop_back();
  }
  return done;
}

Expr Context::Simplify(const Expr& expr) {
  if (!expr) return expr;
  // Simplifies a changed result again, because a rule may have made others possible. The number of
  // rounds is bounded, and usually nothing changes.
  const bool outermost = outermost_ == nullptr;
  if (outermost) {
    outermost_ = expr.get();
    choices_left_ = -1;
  }
  // If an exception interrupts the work, or memory runs out, no assumption stays behind.
  struct Restore {
    Context* context;
    const size_t scopes;
    const bool outermost;
    ~Restore() {
      while (context->scopes_.size() > scopes) context->CloseScope();
      if (outermost) context->outermost_ = nullptr;
    }
  } const restore{this, scopes_.size(), outermost};
  Expr result = SimplifyOnce(expr);
  for (int round = 0; round < 2 && !result.same_as(expr); ++round) {
    Expr next = SimplifyOnce(result);
    if (next.same_as(result)) break;
    result = std::move(next);
  }
  return result;
}

Expr Context::LocalVariable(const Expr& var) {
  if (learned_.empty() || !var->dtype.is_integral() || !var->dtype.is_scalar()) return var;
  const ConstBound bound = BoundOf(var);
  return bound.is_point() ? ir::Int(bound.min, var->dtype) : var;
}

void Context::LearnEqual(const ir::Var& var, const Expr& value) {
  const Id var_id = terms.IdOf(Expr(var)), value_id = terms.IdOf(value);
  Learn(var_id, FactsOf(value_id));
  if (!IsIndex(var->dtype)) return;
  const Linear difference = Combine(terms.LinearOf(var_id), 1, terms.LinearOf(value_id), -1);
  AssumeNonNegative(difference);
  AssumeNonNegative(Combine(Linear(), 1, difference, -1));
}

Expr Context::LocalSum(const Expr& expr, const TermTable::Region& region, const Exprs& leaves,
                       int depth) {
  const Expr sum = LocalLinear(expr, region, leaves);
  // Rules for minima and maxima among the terms.
  if (sum->node_kind() != NodeKind::kAdd && sum->node_kind() != NodeKind::kSub) return sum;
  return terms.info(terms.IdOf(sum)).opaque ? sum : ApplyRules(sum, depth);
}

// Rebuilds the same sums and products over other leaves.
Expr Context::ReplaceLeaves(const Expr& root, const TermTable::Region& region,
                            const Exprs& leaves) {
  std::unordered_map<const ir::ExprNode*, Expr> done;
  bool same = true;
  for (size_t i = 0; i < leaves.size(); ++i) {
    done.emplace(region.leaves[i].expr.get(), leaves[i]);
    same = same && leaves[i].same_as(region.leaves[i].expr);
  }
  if (same) return root;
  std::vector<Expr> stack{root};
  Exprs operands;
  while (!stack.empty()) {
    const Expr node = stack.back();
    if (done.count(node.get()) != 0) {
      stack.pop_back();
      continue;
    }
    operands.clear();
    AppendOperands(*node, &operands);
    const size_t before = stack.size();
    for (const Expr& operand : operands) {
      if (done.count(operand.get()) == 0) stack.push_back(operand);
    }
    if (stack.size() > before) continue;
    stack.pop_back();
    for (Expr& operand : operands) operand = done.at(operand.get());
    done.emplace(node.get(), WithOperands(node, operands));
  }
  return done.at(root.get());
}

namespace {

// A region over its simplified leaves, some of which may be sums now.
class Rebuilt {
 public:
  Rebuilt(const TermTable::Region& region, TermTable& terms)
      : terms_(terms), constant_(region.constant) {
    builder_.AddConstant(constant_);
  }

  // Adds coeff * leaf. False if a number overflows.
  bool Add(const Expr& leaf, int64_t coeff) {
    if (!TermTable::IsLinearNode(*leaf) || As<ir::Cast>(leaf) != nullptr)
      return AddPart(leaf, coeff);
    const TermTable::Region inner = TermTable::Flatten(leaf, /*through_casts=*/false);
    if (!inner.known) return false;
    int64_t product;
    for (const TermTable::Leaf& part : inner.leaves) {
      if (__builtin_mul_overflow(part.coeff, coeff, &product) || !AddPart(part.expr, product))
        return false;
    }
    if (__builtin_mul_overflow(inner.constant, coeff, &product) ||
        __builtin_add_overflow(constant_, product, &constant_)) {
      return false;
    }
    builder_.AddConstant(product);
    return true;
  }

  bool opaque() const { return opaque_; }
  Linear TakeLinear() { return builder_.Take(); }
  // How many parts did not cancel.
  size_t kept() const {
    size_t kept = 0;
    for (const TermTable::Leaf& part : parts_) kept += part.coeff != 0;
    return kept;
  }
  size_t size() const { return kept() + (constant_ != 0); }

  // The sum in the order of the source: first added parts, then subtracted parts, then the
  // constant. Null if a number does not fit the type.
  Expr Sum(DataType dtype) const;

 private:
  bool AddPart(const Expr& part, int64_t coeff) {
    const Id id = terms_.IdOf(part);
    opaque_ = opaque_ || terms_.info(id).opaque;
    builder_.Add(terms_.LinearOf(id), coeff);
    const auto [at, is_new] = position_.try_emplace(id, parts_.size());
    if (is_new) {
      parts_.push_back({part, coeff});
      return true;
    }
    return !__builtin_add_overflow(parts_[at->second].coeff, coeff, &parts_[at->second].coeff);
  }

  TermTable& terms_;
  std::vector<TermTable::Leaf> parts_;
  std::unordered_map<Id, size_t> position_;
  int64_t constant_;
  bool opaque_ = false;
  LinearBuilder builder_;
};

// Do the value and its negative fit the type?
bool Fits(int64_t value, DataType dtype) {
  const ConstBound type = ConstBound::OfType(dtype);
  return value != INT64_MIN && type.Contains(value) && type.Contains(-value);
}

Expr Rebuilt::Sum(DataType dtype) const {
  bool all_fit = Fits(constant_, dtype);
  for (const TermTable::Leaf& part : parts_) all_fit = all_fit && Fits(part.coeff, dtype);
  if (!all_fit) return nullptr;
  Expr sum;
  auto scaled = [&](const TermTable::Leaf& part, int64_t coeff) {
    const Expr term = ir::MakeCast(dtype, part.expr);
    return coeff == 1 ? term : ir::MakeBinary(NodeKind::kMul, term, ir::Int(coeff, dtype));
  };
  for (const TermTable::Leaf& part : parts_) {
    if (part.coeff <= 0) continue;
    Expr term = scaled(part, part.coeff);
    sum = sum ? ir::MakeBinary(NodeKind::kAdd, sum, term) : term;
  }
  const bool constant_first = !sum;
  if (constant_first) sum = ir::Int(constant_, dtype);
  for (const TermTable::Leaf& part : parts_) {
    if (part.coeff >= 0) continue;
    sum = ir::MakeBinary(NodeKind::kSub, sum, scaled(part, -part.coeff));
  }
  if (!constant_first && constant_ != 0) {
    sum = ir::MakeBinary(constant_ < 0 ? NodeKind::kSub : NodeKind::kAdd, sum,
                         ir::Int(constant_ < 0 ? -constant_ : constant_, dtype));
  }
  return sum;
}

}  // namespace

Expr Context::LocalLinear(const Expr& expr, const TermTable::Region& region, const Exprs& leaves) {
  auto unchanged = [&] { return ReplaceLeaves(expr, region, leaves); };
  if (!region.known) return unchanged();
  const DataType dtype = expr->dtype;
  bool same = true;
  Rebuilt rebuilt(region, terms);
  for (size_t i = 0; i < leaves.size(); ++i) {
    same = same && leaves[i].same_as(region.leaves[i].expr);
    if (!rebuilt.Add(leaves[i], region.leaves[i].coeff)) return unchanged();
  }
  // Calls with effects are neither merged nor cancelled.
  if (rebuilt.opaque()) return unchanged();
  Linear plain = rebuilt.TakeLinear();
  const size_t quotients = terms.QuotientsIn(plain);
  const Linear canonical = terms.Recombine(std::move(plain));
  if (!canonical.known) return unchanged();
  if (canonical.terms.size() + (canonical.constant != 0) < rebuilt.size() ||
      terms.QuotientsIn(canonical) < quotients) {
    bool all_fit = Fits(canonical.constant, dtype);
    for (const Term& term : canonical.terms) all_fit = all_fit && Fits(term.coeff, dtype);
    if (all_fit) return terms.ToExpr(canonical, dtype);
  }
  if (same && region.tidy && rebuilt.kept() == region.leaves.size()) return expr;
  const Expr sum = rebuilt.Sum(dtype);
  return sum ? sum : unchanged();
}

}  // namespace lathe::arith::internal
