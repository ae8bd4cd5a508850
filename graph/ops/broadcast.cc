// Functions of several tensors, element by element, with broadcasting as NumPy has it.
#include "graph/ops/extremes.h"
#include "graph/ops/families.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

using BinaryMap = std::function<Expr(const Expr& a, const Expr& b)>;

// The number of elements; nothing if an extent is no number.
std::optional<size_t> CountOf(const Shape& shape) {
  size_t count = 1;
  for (const Expr& extent : shape) {
    const int64_t* number = ir::AsConstInt(extent);
    if (number == nullptr) return std::nullopt;
    count *= static_cast<size_t>(*number);
  }
  return count;
}

// Elements of small integer tensors are followed through arithmetic of shapes: of two tensors of
// the result's shape, or of one and a single element.
std::optional<std::vector<Expr>> KnownResult(const TypeContext& c, const BinaryMap& map,
                                             const Shape& result) {
  if (c.size() != 2 || !c.values[0] || !c.values[1]) return std::nullopt;
  const std::vector<Expr>&a = *c.values[0], &b = *c.values[1];
  const std::optional<size_t> count = CountOf(result);
  if (!count || (a.size() != 1 && a.size() != *count) || (b.size() != 1 && b.size() != *count))
    return std::nullopt;
  std::vector<Expr> out;
  for (size_t i = 0; i < *count; ++i) {
    out.push_back(map(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]));
  }
  return out;
}

Results Broadcasting(const ComputeContext& c,
                     const std::function<Expr(const std::vector<Expr>&)>& map) {
  return One(
      c.shape(),
      [&](const Indices& i) {
        const std::vector<Expr> at = AsExprs(i);
        std::vector<Expr> elements;
        for (const Tensor& x : c.inputs) elements.push_back(BroadcastAt(x, at));
        return map(elements);
      },
      "y", te::kBroadcast);
}

std::vector<OpExample> BinaryExamples(const std::string& right) {
  const std::string range = right.empty() ? "" : " in " + right;
  return {{{"T[n, 7]", "T[n, 7]" + range}},
          {{"T[n, 1, 7]", "T[3, 1]" + range}},
          {{"T[]", "T[n]" + range}}};
}

// A function of two tensors of one type. `right` limits the second one's values in examples.
OpDef Binary(std::string name, std::string doc, TypeSet types, BinaryMap map,
             const std::string& right = "", bool follows_values = false) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .inputs = {{"lhs", "the left operand", types}, {"rhs", "the right operand", types, 0}},
          .kind = OpKind::kBroadcast,
          .type =
              [map, follows_values](const TypeContext& c) {
                const Shape shape = BroadcastShape(c);
                TypeResult result(TensorOf(c.dtype(0), shape));
                if (follows_values) result.value = KnownResult(c, map, shape);
                return result;
              },
          .compute =
              [map](const ComputeContext& c) {
                return Broadcasting(c, [&](const std::vector<Expr>& x) { return map(x[0], x[1]); });
              },
          .examples = BinaryExamples(right)};
}

// A comparison: the result is bool.
OpDef Comparison(std::string name, std::string doc, BinaryMap map, TypeSet types = kNumbers) {
  OpDef op = Binary(std::move(name), std::move(doc), types, std::move(map));
  op.type = [](const TypeContext& c) -> TypeResult {
    return TensorOf(DataType::Bool(), BroadcastShape(c));
  };
  return op;
}

BinaryMap Call(std::string_view intrinsic) {
  return [intrinsic](const Expr& a, const Expr& b) { return Fn(intrinsic, {a, b}); };
}

OpDef Where() {
  return {.name = "where",
          .doc = "x where the condition holds, else y.",
          .inputs = {{"condition", "which of the two", kBool},
                     {"x", "values where the condition holds"},
                     {"y", "values elsewhere", kAnyType, 1}},
          .kind = OpKind::kBroadcast,
          .type = [](const TypeContext& c) -> TypeResult {
            return TensorOf(c.dtype(1), BroadcastShape(c));
          },
          .compute =
              [](const ComputeContext& c) {
                return Broadcasting(
                    c, [](const std::vector<Expr>& x) { return ir::MakeSelect(x[0], x[1], x[2]); });
              },
          .examples = {{{"bool[n, 7]", "T[n, 7]", "T[n, 7]"}}, {{"bool[n, 1]", "T[7]", "T[]"}}}};
}

Expr Divide(const Expr& a, const Expr& b) {
  return a->dtype.is_float() ? a / b : ir::TruncDivide(a, b);
}
Expr FloorDivide(const Expr& a, const Expr& b) {
  return a->dtype.is_float() ? Fn(fn::kFloor, {a / b}) : ir::FloorDivide(a, b);
}
Expr TruncDivide(const Expr& a, const Expr& b) {
  return a->dtype.is_float() ? Fn(fn::kTrunc, {a / b}) : ir::TruncDivide(a, b);
}
Expr FloorMod(const Expr& a, const Expr& b) {
  if (!a->dtype.is_float()) return ir::FloorModulo(a, b);
  // Exact, and right for an infinite b, which a - floor(a / b) b is not.
  const Expr zero = Num(0, a->dtype), rest = Fn(fn::kFmod, {a, b});
  const Expr other_sign =
      ir::LogicalOr(ir::LogicalAnd(rest<zero, b> zero), ir::LogicalAnd(rest > zero, b < zero));
  return ir::MakeSelect(other_sign, rest + b, rest);
}
Expr TruncMod(const Expr& a, const Expr& b) {
  return a->dtype.is_float() ? Fn(fn::kFmod, {a, b}) : ir::TruncModulo(a, b);
}

}  // namespace

std::vector<OpDef> Broadcast() {
  std::vector<OpDef> ops;
  const auto add = [&](OpDef op) { ops.push_back(std::move(op)); };
  const auto plus = [](const Expr& a, const Expr& b) { return a + b; };
  const auto minus = [](const Expr& a, const Expr& b) { return a - b; };
  const auto times = [](const Expr& a, const Expr& b) { return a * b; };
  add(Binary("add", "a + b.", kNumbers, plus, "", true));
  add(Binary("subtract", "a - b.", kNumbers, minus, "", true));
  add(Binary("multiply", "a * b.", kNumbers, times, "", true));
  add(Binary("divide", "a / b; integers are truncated.", kNumbers, Divide, "1:7"));
  add(Binary("floor_divide", "floor(a / b).", kNumbers, FloorDivide, "1:7", true));
  add(Binary("trunc_divide", "trunc(a / b).", kNumbers, TruncDivide, "1:7"));
  add(Binary("mod", "The remainder of the truncating division: it has the sign of a.", kNumbers,
             TruncMod, "1:7"));
  add(Binary("floor_mod", "The remainder of the flooring division: it has the sign of b.", kNumbers,
             FloorMod, "1:7", true));
  add(Binary("trunc_mod", "The remainder of the truncating division: it has the sign of a.",
             kNumbers, TruncMod, "1:7"));
  add(Binary("power", "a to the power of b.", kFloats, Call(fn::kPow), "-2:2"));
  ops.back().examples = {{{"T[n, 7] in 0.1:2", "T[n, 7] in -2:2"}},
                         {{"T[n, 1, 7] in 0.1:2", "T[3, 1] in -2:2"}}};
  add(Binary("maximum", "The greater of the two; NaN if one of them is NaN.", kNumbers, Greater, "",
             true));
  add(Binary("minimum", "The smaller of the two; NaN if one of them is NaN.", kNumbers, Smaller, "",
             true));
  add(Binary("atan2", "The angle of the point (b, a), in radians.", kFloats, Call(fn::kAtan2)));
  add(Comparison(
      "equal", "a = b.", [](const Expr& a, const Expr& b) { return ir::Equal(a, b); }, kAnyType));
  add(Comparison(
      "not_equal", "a != b.", [](const Expr& a, const Expr& b) { return ir::NotEqual(a, b); },
      kAnyType));
  add(Comparison("less", "a < b.", [](const Expr& a, const Expr& b) { return a < b; }));
  add(Comparison("less_equal", "a <= b.", [](const Expr& a, const Expr& b) { return a <= b; }));
  add(Comparison("greater", "a > b.", [](const Expr& a, const Expr& b) { return a > b; }));
  add(Comparison("greater_equal", "a >= b.", [](const Expr& a, const Expr& b) { return a >= b; }));
  add(Binary("logical_and", "a and b.", kBool,
             [](const Expr& a, const Expr& b) { return ir::LogicalAnd(a, b); }));
  add(Binary("logical_or", "a or b.", kBool,
             [](const Expr& a, const Expr& b) { return ir::LogicalOr(a, b); }));
  add(Binary("logical_xor", "Either a or b, not both.", kBool,
             [](const Expr& a, const Expr& b) { return ir::NotEqual(a, b); }));
  add(Binary("bitwise_and", "a and b, bit by bit.", kIntegers, Call(fn::kBitwiseAnd)));
  add(Binary("bitwise_or", "a or b, bit by bit.", kIntegers, Call(fn::kBitwiseOr)));
  add(Binary("bitwise_xor", "Either a or b, bit by bit.", kIntegers, Call(fn::kBitwiseXor)));
  add(Binary("left_shift", "The bits of a moved up by b places, 0 <= b < the type's bits.",
             kIntegers, Call(fn::kShiftLeft), "0:7"));
  add(Binary("right_shift",
             "The bits of a moved down by b places, 0 <= b < the type's bits; the sign is kept.",
             kIntegers, Call(fn::kShiftRight), "0:7"));
  add(Where());
  return ops;
}

}  // namespace lathe::graph::ops
