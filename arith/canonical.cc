#include "arith/canonical.h"

#include <algorithm>
#include <bit>

#include "arith/int_math.h"
#include "arith/operands.h"
#include "base/error.h"
#include "ir/intrinsic.h"

namespace lathe::arith::internal {

using ir::As;

namespace {

// Products of sums are expanded up to this many terms.
constexpr size_t kMaxProductTerms = 16;
constexpr size_t kMaxFactors = 8;

const ir::IntImm* AsImm(const Expr& expr) { return As<ir::IntImm>(expr); }

}  // namespace

int64_t Linear::CoeffOf(Id atom) const {
  auto at = std::lower_bound(terms.begin(), terms.end(), atom,
                             [](const Term& t, Id id) { return t.atom < id; });
  return at != terms.end() && at->atom == atom ? at->coeff : 0;
}

void LinearBuilder::Add(const Linear& x, int64_t scale) {
  if (!x.known) sum_.known = false;
  for (const Term& term : x.terms) {
    int64_t coeff = 0;
    if (!Accumulate(&coeff, term.coeff, scale)) sum_.known = false;
    sum_.terms.push_back({term.atom, coeff});
  }
  if (!Accumulate(&sum_.constant, x.constant, scale)) sum_.known = false;
}

void LinearBuilder::AddTerm(Id atom, int64_t coeff) { sum_.terms.push_back({atom, coeff}); }

void LinearBuilder::AddConstant(int64_t value) {
  if (!Accumulate(&sum_.constant, value, 1)) sum_.known = false;
}

Linear LinearBuilder::Take() {
  std::sort(sum_.terms.begin(), sum_.terms.end(), [](const Term& a, const Term& b) {
    return a.atom != b.atom ? a.atom < b.atom : a.coeff < b.coeff;
  });
  size_t kept = 0;
  for (size_t i = 0; i < sum_.terms.size();) {
    Term merged = sum_.terms[i++];
    for (; i < sum_.terms.size() && sum_.terms[i].atom == merged.atom; ++i) {
      if (!Accumulate(&merged.coeff, sum_.terms[i].coeff, 1)) sum_.known = false;
    }
    if (merged.coeff != 0) sum_.terms[kept++] = merged;
  }
  sum_.terms.resize(kept);
  return std::move(sum_);
}

Linear Combine(const Linear& a, int64_t scale_a, const Linear& b, int64_t scale_b) {
  LinearBuilder builder;
  builder.Add(a, scale_a);
  builder.Add(b, scale_b);
  return builder.Take();
}

Linear AddConstant(Linear a, int64_t value) {
  if (!Accumulate(&a.constant, value, 1)) a.known = false;
  return a;
}

size_t TermTable::KeyHash::operator()(const Key& key) const {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int64_t part : key) {
    hash = (hash ^ static_cast<uint64_t>(part)) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return static_cast<size_t>(hash);
}

namespace {
// The first entry of a key.
int64_t Head(ClassKind class_kind, NodeKind kind, DataType dtype) {
  return (static_cast<int64_t>(class_kind) << 48) | (static_cast<int64_t>(kind) << 32) |
         (int64_t{dtype.dl().code} << 24) | (int64_t{dtype.dl().bits} << 16) | dtype.dl().lanes;
}
}  // namespace

Id TermTable::Intern(Key key, ClassInfo info) {
  auto [at, is_new] = by_key_.try_emplace(std::move(key), static_cast<Id>(classes_.size()));
  if (is_new) classes_.push_back(std::move(info));
  return at->second;
}

int64_t TermTable::StringNumber(std::string_view text) {
  return strings_.try_emplace(std::string(text), static_cast<int64_t>(strings_.size()))
      .first->second;
}

bool TermTable::Dependencies(const Expr& expr, Region* region, std::vector<Expr>* missing) const {
  bool complete = true;
  auto need = [&](const Expr& e) {
    if (by_node_.contains(e)) return;
    complete = false;
    missing->push_back(e);
  };
  if (IsLinearNode(*expr)) {
    *region = Flatten(expr, /*through_casts=*/true);
    for (const Leaf& leaf : region->leaves) need(leaf.expr);
  } else {
    Exprs operands;
    AppendOperands(*expr, &operands);
    for (const Expr& operand : operands) need(operand);
  }
  return complete;
}

Id TermTable::KnownId(const Expr& expr) const {
  auto at = by_node_.find(expr);
  return at == by_node_.end() ? kNoId : at->second;
}

Id TermTable::IdOf(const Expr& root) {
  if (const Id known = KnownId(root); known != kNoId) return known;
  std::vector<Expr> stack{root};
  std::vector<Expr> missing;
  Region region;
  while (!stack.empty()) {
    const Expr expr = stack.back();
    if (by_node_.contains(expr)) {
      stack.pop_back();
      continue;
    }
    missing.clear();
    if (!Dependencies(expr, &region, &missing)) {
      // Reversed, so that numbering follows reading order.
      stack.insert(stack.end(), missing.rbegin(), missing.rend());
      continue;
    }
    stack.pop_back();
    const Id id = MakeClass(expr, region);
    by_node_.emplace(expr, id);
  }
  return by_node_.at(root);
}

Id TermTable::MakeSumClass(const Expr& expr, const Region& region) {
  const DataType dtype = expr->dtype;
  LinearBuilder builder;
  bool opaque = false;
  for (const Leaf& leaf : region.leaves) {
    const Id id = by_node_.at(leaf.expr);
    opaque = opaque || classes_[id].opaque;
    builder.Add(LinearOf(id), leaf.coeff);
  }
  builder.AddConstant(region.constant);
  const Linear linear = Recombine(builder.Take());
  if (region.known && linear.known && !opaque) {
    return IdOf(linear, dtype);
  }
  // A coefficient overflowed or a part has effects: the node gets its own class, and nothing is
  // known about it.
  return Intern({Head(ClassKind::kNode, expr->node_kind(), dtype), -1,
                 static_cast<int64_t>(reinterpret_cast<intptr_t>(expr.get()))},
                {ClassKind::kNode, NodeKind::kLet, dtype, expr, opaque, {}, {}, {}});
}

Id TermTable::MakeClass(const Expr& expr, const Region& region) {
  if (IsLinearNode(*expr)) return MakeSumClass(expr, region);
  const DataType dtype = expr->dtype;
  Exprs operands;
  AppendOperands(*expr, &operands);
  ClassInfo info{ClassKind::kNode, expr->node_kind(), dtype, expr, false, {}, {}, {}};
  for (const Expr& operand : operands) {
    info.args.push_back(by_node_.at(operand));
    info.opaque = info.opaque || classes_[info.args.back()].opaque;
  }
  Key key{Head(ClassKind::kNode, info.kind, dtype)};
  auto by_identity = [&] {
    key.push_back(-1);
    key.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(expr.get())));
  };
  switch (info.kind) {
    case NodeKind::kIntImm:
      key.push_back(AsImm(expr)->value);
      break;
    case NodeKind::kFloatImm:
      key.push_back(std::bit_cast<int64_t>(As<ir::FloatImm>(expr)->value));
      break;
    case NodeKind::kStringImm:
      key.push_back(StringNumber(As<ir::StringImm>(expr)->value));
      break;
    case NodeKind::kMul:
      if (IsIndex(dtype) && !info.opaque) {
        const Linear product = Multiply(LinearOf(info.args[0]), LinearOf(info.args[1]));
        if (product.known) return IdOf(Recombine(product), dtype);
      }
      break;
    case NodeKind::kLoad: {
      const auto* load = As<ir::Load>(expr);
      key.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(load->source.get())));
      key.push_back(load->mask ? 1 : 0);
      break;
    }
    case NodeKind::kCall: {
      const auto* call = As<ir::Call>(expr);
      if (ir::EffectOf(*call) > ir::CallEffect::kReads) info.opaque = true;
      if (!call->attrs.empty() || info.opaque) {
        by_identity();
        break;
      }
      key.push_back(StringNumber(call->op));
      for (const ir::NodeRef& arg : call->args) {
        // The key says which arguments are expressions, and holds the address of each other
        // argument.
        key.push_back(ir::IsExpr(arg.get())
                          ? 0
                          : static_cast<int64_t>(reinterpret_cast<intptr_t>(arg.get())));
      }
      break;
    }
    case NodeKind::kShuffle:
      for (const Expr& index : As<ir::Shuffle>(expr)->indices) {
        const int64_t* value = ir::AsConstInt(index);
        key.push_back(value != nullptr ? *value : -1);
      }
      break;
    case NodeKind::kVarNode:
    case NodeKind::kReduce:
      by_identity();
      break;
    case NodeKind::kLet:
      by_identity();
      info.opaque = ir::EffectOf(expr) > ir::CallEffect::kReads;
      break;
    default:
      break;
  }
  if (info.opaque && key.size() == 1) by_identity();
  key.push_back(static_cast<int64_t>(info.args.size()));
  for (Id arg : info.args) key.push_back(arg);
  return Intern(std::move(key), std::move(info));
}

Id TermTable::FindBinary(NodeKind kind, DataType dtype, Id a, Id b) const {
  const auto at = by_key_.find({Head(ClassKind::kNode, kind, dtype), 2, a, b});
  return at == by_key_.end() ? kNoId : at->second;
}

Linear TermTable::LinearOf(Id id) const {
  const ClassInfo& info = classes_[id];
  if (info.class_kind == ClassKind::kSum) return info.linear;
  Linear result;
  result.terms.push_back({id, 1});
  return result;
}

TermTable::Key TermTable::SumKey(const Linear& linear, DataType dtype) {
  Key key{Head(ClassKind::kSum, NodeKind::kAdd, dtype), linear.constant};
  for (const Term& term : linear.terms) {
    key.push_back(term.atom);
    key.push_back(term.coeff);
  }
  return key;
}

Id TermTable::FindSum(const Linear& linear, DataType dtype) const {
  const auto at = by_key_.find(SumKey(linear, dtype));
  return at == by_key_.end() ? kNoId : at->second;
}

Id TermTable::IdOf(const Linear& linear, DataType dtype) {
  if (linear.constant == 0 && linear.terms.size() == 1 && linear.terms[0].coeff == 1 &&
      classes_[linear.terms[0].atom].dtype == dtype) {
    return linear.terms[0].atom;
  }
  return Intern(SumKey(linear, dtype),
                {ClassKind::kSum, NodeKind::kAdd, dtype, {}, false, {}, linear, {}});
}

bool TermTable::IsConstant(Id id, int64_t* value) const {
  const ClassInfo& info = classes_[id];
  if (info.class_kind == ClassKind::kSum && info.linear.is_constant()) {
    *value = info.linear.constant;
    return true;
  }
  if (info.class_kind == ClassKind::kNode && info.kind == NodeKind::kIntImm) {
    *value = As<ir::IntImm>(info.expr)->value;
    return true;
  }
  return false;
}

Id TermTable::ProductOf(std::vector<Id> factors) {
  std::vector<Id> flat;
  DataType dtype = classes_[factors[0]].dtype;
  for (Id factor : factors) {
    const ClassInfo& info = classes_[factor];
    if (info.dtype.bits() > dtype.bits()) dtype = info.dtype;
    if (info.class_kind == ClassKind::kProduct) {
      flat.insert(flat.end(), info.args.begin(), info.args.end());
    } else {
      flat.push_back(factor);
    }
  }
  if (flat.size() == 1) return flat[0];
  std::sort(flat.begin(), flat.end());
  // The type is not part of the key: a product is the same number in each index type.
  Key key{Head(ClassKind::kProduct, NodeKind::kMul, DataType::Int(64))};
  key.insert(key.end(), flat.begin(), flat.end());
  const Id id =
      Intern(std::move(key), {ClassKind::kProduct, NodeKind::kMul, dtype, {}, false, flat, {}, {}});
  return id;
}

Linear TermTable::Multiply(const Linear& a, const Linear& b) {
  Linear unknown;
  unknown.known = false;
  if (!a.known || !b.known) return unknown;
  const size_t rows = a.terms.size() + (a.constant != 0),
               columns = b.terms.size() + (b.constant != 0);
  LinearBuilder builder;
  if (a.terms.empty()) {
    builder.Add(b, a.constant);
    return builder.Take();
  }
  if (b.terms.empty()) {
    builder.Add(a, b.constant);
    return builder.Take();
  }
  if (rows * columns > kMaxProductTerms) return unknown;
  for (const Term& x : a.terms) {
    for (const Term& y : b.terms) {
      const auto coeff = CheckedMul(x.coeff, y.coeff);
      auto factors_of = [&](Id id) {
        return classes_[id].class_kind == ClassKind::kProduct ? classes_[id].args.size() : 1;
      };
      if (!coeff || factors_of(x.atom) + factors_of(y.atom) > kMaxFactors) return unknown;
      builder.AddTerm(ProductOf({x.atom, y.atom}), *coeff);
    }
  }
  Linear a_terms = a, b_terms = b;
  a_terms.constant = b_terms.constant = 0;
  builder.Add(a_terms, b.constant);
  builder.Add(b_terms, a.constant);
  const auto constant = CheckedMul(a.constant, b.constant);
  if (!constant) return unknown;
  builder.AddConstant(*constant);
  return builder.Take();
}

}  // namespace lathe::arith::internal
