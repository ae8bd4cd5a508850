#include "graph/ops/define.h"

#include <algorithm>

#include "arith/analyzer.h"
#include "base/error.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {

// -- Attributes.

AttrDef Int(std::string name, std::string doc, int64_t fallback, int64_t least, int64_t greatest) {
  return {.name = std::move(name),
          .type = AttrType::kInt,
          .doc = std::move(doc),
          .fallback = IntAttr(fallback),
          .least = least,
          .greatest = greatest};
}
AttrDef Number(std::string name, std::string doc, double fallback) {
  return {.name = std::move(name),
          .type = AttrType::kFloat,
          .doc = std::move(doc),
          .fallback = FloatAttr(fallback)};
}
AttrDef Flag(std::string name, std::string doc, bool fallback) {
  return {.name = std::move(name),
          .type = AttrType::kBool,
          .doc = std::move(doc),
          .fallback = BoolAttr(fallback)};
}
AttrDef Ints(std::string name, std::string doc, std::vector<int64_t> fallback, int64_t least) {
  return {.name = std::move(name),
          .type = AttrType::kInts,
          .doc = std::move(doc),
          .fallback = IntsAttr(std::move(fallback)),
          .least = least};
}
AttrDef Choice(std::string name, std::string doc, std::vector<std::string> choices) {
  return {.name = std::move(name),
          .type = AttrType::kString,
          .doc = std::move(doc),
          .fallback = StringAttr(choices[0]),
          .choices = std::move(choices)};
}
AttrDef ElementType(std::string name, std::string doc, std::string fallback) {
  return {.name = std::move(name),
          .type = AttrType::kDType,
          .doc = std::move(doc),
          .fallback = StringAttr(std::move(fallback))};
}
AttrDef Extents(std::string name, std::string doc) {
  return {.name = std::move(name), .type = AttrType::kShape, .doc = std::move(doc)};
}
AttrDef Required(AttrDef attr) {
  attr.fallback = nullptr;
  return attr;
}

// -- Types.

TypeResult SameType(const TypeContext& c) {
  c.tensor(0);
  return c.types[0];
}

ir::NodeRef TensorOf(DataType dtype, Shape shape) {
  return ir::MakeTensorType(dtype, std::move(shape));
}

ir::NodeRef TupleOf(std::vector<ir::NodeRef> fields) {
  Ref<ir::TupleType> type = Make<ir::TupleType>();
  type->fields = std::move(fields);
  return type;
}

Shape BroadcastShape(const TypeContext& c, size_t first) {
  size_t rank = 0;
  for (size_t i = first; i < c.size(); ++i) rank = std::max(rank, c.shape(i).size());
  Shape out(rank, ir::Int(1, DataType::Int(64)));
  for (size_t i = first; i < c.size(); ++i) {
    const Shape& shape = c.shape(i);
    for (size_t d = 0; d < shape.size(); ++d) {
      Expr& extent = out[rank - shape.size() + d];
      if (ir::IsOne(shape[d])) continue;
      if (ir::IsOne(extent)) {
        extent = shape[d];
        continue;
      }
      const std::string dimension = "dimension " + std::to_string(d);
      // An extent that is not known counts as equal, and not as 1.
      if (!c.Assume(SizeAssumption::Kind::kEqual, shape[d], extent,
                    dimension + " of argument " + std::to_string(i) + " of " + c.op.name)) {
        c.FailArgument(i, "cannot be broadcast in " + dimension, "1 or " + ExtentText(extent),
                       ExtentText(shape[d]),
                       "extents must be equal or 1, counted from the last dimension");
      }
      // The simpler of the two: a number, or a size by itself.
      if (ir::AsConstInt(shape[d]) != nullptr ||
          (ir::AsConstInt(extent) == nullptr && ir::As<ir::VarNode>(shape[d]) != nullptr)) {
        extent = shape[d];
      }
    }
  }
  return out;
}

namespace {

std::vector<int64_t> FromFront(std::vector<int64_t> axes, int64_t rank) {
  for (int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  return axes;
}

// One number for each of `count` dimensions, or nothing.
std::vector<int64_t> Spread(std::vector<int64_t> values, size_t count) {
  if (values.size() == 1) values.resize(count, values[0]);
  return values;
}

std::vector<std::pair<int64_t, int64_t>> Pairs(const std::vector<int64_t>& values, size_t count) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t d = 0; d < count; ++d) {
    if (values.size() == 1) pairs.emplace_back(values[0], values[0]);
    if (values.size() == count && count != 1) pairs.emplace_back(values[d], values[d]);
    if (values.size() == 2 * count) pairs.emplace_back(values[d], values[count + d]);
  }
  return pairs;
}

}  // namespace

std::vector<int64_t> AxesOf(const TypeContext& c, std::string_view attr, int64_t rank) {
  std::vector<int64_t> axes = c.attrs.Ints(attr);
  for (const int64_t axis : axes) {
    if (axis >= -rank && axis < rank) continue;
    c.FailAttr(attr, "names a dimension that does not exist",
               std::to_string(-rank) + " to " + std::to_string(rank - 1), std::to_string(axis));
  }
  axes = FromFront(std::move(axes), rank);
  std::vector<int64_t> sorted = axes;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    c.FailAttr(attr, "names a dimension twice", "each dimension once", std::to_string(*twice));
  }
  return axes;
}
int64_t AxisOf(const TypeContext& c, std::string_view attr, int64_t rank) {
  return AxesOf(c, attr, rank)[0];
}
std::vector<int64_t> AxesOf(const ComputeContext& c, std::string_view attr, int64_t rank) {
  return FromFront(c.attrs.Ints(attr), rank);
}
int64_t AxisOf(const ComputeContext& c, std::string_view attr, int64_t rank) {
  return AxesOf(c, attr, rank)[0];
}

std::vector<int64_t> PerDimension(const TypeContext& c, std::string_view attr, size_t count) {
  std::vector<int64_t> values = Spread(c.attrs.Ints(attr), count);
  if (values.size() != count) {
    c.FailAttr(attr, "has the wrong number of entries", "1 or " + std::to_string(count),
               std::to_string(values.size()));
  }
  return values;
}
std::vector<int64_t> PerDimension(const ComputeContext& c, std::string_view attr, size_t count) {
  return Spread(c.attrs.Ints(attr), count);
}

std::vector<std::pair<int64_t, int64_t>> PaddingOf(const TypeContext& c, std::string_view attr,
                                                   size_t count) {
  const std::vector<int64_t> values = c.attrs.Ints(attr);
  std::vector<std::pair<int64_t, int64_t>> pairs = Pairs(values, count);
  if (pairs.size() != count) {
    c.FailAttr(
        attr, "has the wrong number of entries",
        (count == 1 ? "1 or " : "1, " + std::to_string(count) + " or ") + std::to_string(2 * count),
        std::to_string(values.size()),
        "all numbers before, then all numbers after: [top, left, bottom, right]");
  }
  return pairs;
}
std::vector<std::pair<int64_t, int64_t>> PaddingOf(const ComputeContext& c, std::string_view attr,
                                                   size_t count) {
  return Pairs(c.attrs.Ints(attr), count);
}

// -- Computing.

std::vector<Expr> AsExprs(const Indices& indices) { return {indices.begin(), indices.end()}; }

Expr BroadcastAt(const Tensor& x, const std::vector<Expr>& at) {
  const te::Shape& shape = x->shape();
  std::vector<Expr> indices;
  for (size_t d = 0; d < shape.size(); ++d) {
    indices.push_back(ir::IsOne(shape[d]) ? ir::Int(0) : at[at.size() - shape.size() + d]);
  }
  return At(x, std::move(indices));
}

Expr Fn(std::string_view intrinsic, std::vector<Expr> args) {
  return ir::CallIntrinsic(intrinsic, std::vector<ir::NodeRef>(args.begin(), args.end()));
}

Expr Index(const Expr& value) {
  const DataType dtype = value->dtype;
  return dtype.bits() < 32 || dtype.is_uint()
             ? ir::MakeCast(DataType::Int(dtype.bits() < 32 ? 32 : 64), value)
             : value;
}

Expr FromEnd(const Expr& index, const Expr& extent) {
  return ir::MakeSelect(index < ir::Const(0, index->dtype),
                        index + ir::MakeCast(index->dtype, extent), index);
}

Results One(te::Shape shape, const std::function<Expr(const Indices&)>& body, std::string name,
            std::string_view tag, ir::Dict attrs) {
  return {te::Compute(std::move(shape), body, std::move(name),
                      {.tag = std::string(tag), .attrs = std::move(attrs)})};
}

// -- Whole definitions.

OpDef Unary(std::string name, std::string doc, TypeSet types,
            std::function<Expr(const Expr& x, const ComputeContext& c)> map,
            std::vector<AttrDef> attrs, std::string range) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .inputs = {{"data", "the input", types}},
          .attrs = std::move(attrs),
          .kind = OpKind::kElementwise,
          .type = SameType,
          .compute =
              [map = std::move(map)](const ComputeContext& c) {
                return One(
                    c.shape(), [&](const Indices& i) { return map(At(c.in(0), AsExprs(i)), c); },
                    "y", te::kElementwise);
              },
          .examples = {{{"T[n, 7]" + (range.empty() ? "" : " in " + range)}}}};
}

}  // namespace lathe::graph::ops
