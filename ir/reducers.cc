#include "ir/reducers.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/float_formats.h"
#include "ir/structural.h"

namespace lathe::ir {
namespace {

constexpr std::string_view kNames[] = {
    reducer_name::kSum, reducer_name::kProd, reducer_name::kMin,    reducer_name::kMax,
    reducer_name::kAny, reducer_name::kAll,  reducer_name::kArgmin, reducer_name::kArgmax};

Expr Largest(DataType t) {
  if (t.is_uint()) return Int(t.bits() == 64 ? -1 : (int64_t{1} << t.bits()) - 1, t);
  return Int(static_cast<int64_t>(std::numeric_limits<uint64_t>::max() >> (65 - t.bits())), t);
}

Expr Smallest(DataType t) {
  if (t.is_uint()) return Int(0, t);
  return Int(t.bits() == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (t.bits() - 1)),
             t);
}

// The identity of min (or, with `negative`, of max).
Expr Extreme(DataType t, bool negative) {
  if (!t.is_float()) return negative ? Smallest(t) : Largest(t);
  const double infinity = std::numeric_limits<double>::infinity();
  double value = RoundToType(negative ? -infinity : infinity, t);
  if (value != value) {  // a format without infinities: search for its largest finite value
    for (uint64_t bits = (uint64_t{1} << t.bits()) - 1;; --bits) {
      const double candidate = DecodeFloat(bits, t);
      if (candidate == candidate && (candidate < 0) == negative &&
          (value != value || (negative ? candidate < value : candidate > value))) {
        value = candidate;
      }
      if (bits == 0) break;
    }
  }
  return Float(value, t);
}

}  // namespace

bool IsReducerName(std::string_view name) {
  return std::ranges::find(kNames, name) != std::end(kNames);
}

std::vector<std::string> ReducerNames() { return {std::begin(kNames), std::end(kNames)}; }

Reducer NamedReducer(std::string_view name, const std::vector<DataType>& types) {
  if (!IsReducerName(name) || types.empty()) return nullptr;
  const DataType t = types.back();
  if (!t.is_scalar()) return nullptr;
  if (name == reducer_name::kArgmin || name == reducer_name::kArgmax) {
    if (types.size() != 2 || !types[0].is_scalar() || !types[0].is_integral()) return nullptr;
    if (!t.is_integral() && !t.is_float()) return nullptr;
    const Var index = MakeVar("i", types[0]), value = MakeVar("x", t);
    const Var other_index = MakeVar("j", types[0]), other = MakeVar("y", t);
    const bool largest = name == reducer_name::kArgmax;
    const Expr better = MakeBinary(largest ? NodeKind::kGT : NodeKind::kLT, value, other);
    const Expr first = MakeBinary(NodeKind::kAnd, MakeBinary(NodeKind::kEQ, value, other),
                                  MakeBinary(NodeKind::kLE, index, other_index));
    const Expr left = MakeBinary(NodeKind::kOr, better, first);
    return MakeReducer(std::string(name), {index, value}, {other_index, other},
                       {MakeSelect(left, index, other_index), MakeSelect(left, value, other)},
                       {Largest(types[0]), Extreme(t, largest)});
  }
  if (types.size() != 1) return nullptr;
  const bool logical = name == reducer_name::kAny || name == reducer_name::kAll;
  if (logical ? !t.is_bool() : !t.is_integral() && !t.is_float()) return nullptr;
  NodeKind kind = NodeKind::kAdd;
  Expr identity;
  if (name == reducer_name::kSum) {
    identity = Const(0, t);
  } else if (name == reducer_name::kProd) {
    kind = NodeKind::kMul, identity = Const(1, t);
  } else if (logical) {
    kind = name == reducer_name::kAny ? NodeKind::kOr : NodeKind::kAnd,
    identity = Bool(name == reducer_name::kAll);
  } else {
    kind = name == reducer_name::kMin ? NodeKind::kMin : NodeKind::kMax,
    identity = Extreme(t, name == reducer_name::kMax);
  }
  const Var x = MakeVar("x", t), y = MakeVar("y", t);
  return MakeReducer(std::string(name), {x}, {y}, {MakeBinary(kind, x, y)}, {identity});
}

bool IsNamedReducer(const ReducerNode& reducer) {
  if (!IsReducerName(reducer.name)) return false;
  std::vector<DataType> types;
  for (const Var& var : reducer.lhs) {
    if (!var) return false;
    types.push_back(var->dtype);
  }
  const Reducer known = NamedReducer(reducer.name, types);
  return known && StructuralEqual(known, NodeRef(&reducer));
}

}  // namespace lathe::ir
