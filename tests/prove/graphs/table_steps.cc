// Operators of the table: an example of the operator is fitted to the values that there are.
#include <cmath>

#include "base/error.h"
#include "graph/ops/example.h"
#include "ir/rewrite.h"
#include "tests/prove/graphs/generator.h"

namespace lathe::prove::graphs {

using graph::OpDef;
using graph::OpExample;
using graph::OpKind;
using ir::As;

namespace {

// The largest number of a range that an example states is often an index: the range then holds for
// the extents of the example only. Boxes have the numbers of images as floats.
bool HasIndices(const OpDef& op, const std::vector<graph::ExampleInput>& inputs,
                const OpExample& example) {
  if (op.name.starts_with("vision.")) return true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].dtype.is_float() && example.inputs[i].find(" in ") != std::string::npos) {
      return true;
    }
  }
  return false;
}

Range RangeOf(const graph::ExampleInput& input) { return {input.low, input.high}; }

// What an extent of an example became.
using Fitted = std::vector<std::pair<Expr, Expr>>;

Expr FittedTo(const Expr& extent, const Fitted& fitted) {
  for (const auto& [from, to] : fitted) {
    if (from.same_as(to)) continue;
    if (from.same_as(extent) || (IsNumber(from) && IsNumber(extent) &&
                                 Number(from) == Number(extent) && Number(extent) > 1)) {
      return to;
    }
  }
  return extent;
}

}  // namespace

Range Generator::ResultRange(const OpDef& op, const std::vector<Value>& args) const {
  if (op.name == "nn.softmax" || op.name == "sigmoid" || op.name == "tanh" || op.name == "sin" ||
      op.name == "cos" || op.name == "erf") {
    return {-1, 1};
  }
  // The largest of no elements is infinite.
  if (op.kind == OpKind::kReduction) {
    for (const Value& arg : args) {
      for (const Expr& extent : ShapeOf(arg.var)) {
        if (Number(extent) == 0) return {};
      }
    }
  }
  const bool moves = op.is_view || op.kind == OpKind::kInjective || op.name == "max" ||
                     op.name == "min" || op.name == "nn.relu" || op.name == "mean";
  if (!moves || args.empty()) return {};
  Range all{0, 0};
  for (const Value& arg : args) {
    if (!DTypeOf(arg.var).is_float()) return {};
    all.low = std::min(all.low, arg.range.low);
    all.high = std::max(all.high, arg.range.high);
  }
  return all;
}

// Other values of attributes; the type rule says whether they are legal.
ir::Dict Generator::OtherAttrs(const OpDef& op, const ir::Dict& attrs) {
  ir::Dict out = attrs;
  for (const graph::AttrDef& attr : op.attrs) {
    if (!Chance(25)) continue;
    switch (attr.type) {
      case graph::AttrType::kBool:
        out.insert_or_assign(attr.name, graph::BoolAttr(Chance(50)));
        break;
      case graph::AttrType::kInt:
        if (attr.name == "axis") out.insert_or_assign(attr.name, graph::IntAttr(Between(-3, 3)));
        break;
      case graph::AttrType::kInts:
        if (attr.name == "axis") {
          out.insert_or_assign(attr.name, graph::IntsAttr({Between(-3, 3)}));
        } else if (attr.name == "strides" || attr.name == "dilation" || attr.name == "padding") {
          out.insert_or_assign(attr.name, graph::IntsAttr({Between(1, 2), Between(1, 2)}));
        }
        break;
      case graph::AttrType::kString:
        if (!attr.choices.empty() && Chance(50)) {
          out.insert_or_assign(attr.name, graph::StringAttr(random_.Pick(attr.choices)));
        }
        break;
      default:
        break;
    }
  }
  return out;
}

bool Generator::TryExample(const OpDef& op, const OpExample& example, DataType type,
                           bool fit_to_pool) {
  std::map<std::string, ir::Var> names;
  const std::vector<graph::ExampleInput> inputs = graph::ReadExample(example, type, &names);
  const bool indices = HasIndices(op, inputs, example);
  Fitted fitted;
  std::optional<Value> first;
  if (fit_to_pool && !indices && !inputs.empty()) {
    first = AnyOf([&](const Value& value) {
      return DTypeOf(value.var) == inputs[0].dtype &&
             ShapeOf(value.var).size() == inputs[0].shape.size();
    });
    if (!first) return false;
    for (size_t d = 0; d < inputs[0].shape.size(); ++d) {
      fitted.emplace_back(inputs[0].shape[d], ShapeOf(first->var)[d]);
    }
  }
  for (const auto& [name, var] : names) {
    // Ranges of indices are for the sizes of the tests of operators, at least.
    const bool symbolic = !indices && !sizes_.empty() && Chance(60);
    const Expr size = symbolic  ? random_.Pick(sizes_)
                      : indices ? Int64(OneOf({5, 8}))
                                : Int64(OneOf({1, 3, 4, 5, 8}));
    fitted.emplace_back(var, size);
  }
  std::vector<GraphVar> args;
  std::vector<Value> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i == 0 && first) {
      const bool wide = RangeOf(inputs[0]).low <= -2 && inputs[0].dtype.is_float();
      args.push_back(wide && Chance(70) ? first->var : Into(*first, RangeOf(inputs[0])));
      values.push_back(*first);
      continue;
    }
    Shape shape;
    for (const Expr& extent : inputs[i].shape) shape.push_back(FittedTo(extent, fitted));
    if (!IsSmall(ir::MakeTensorType(inputs[i].dtype, shape))) return false;
    args.push_back(Provide(inputs[i].dtype, shape, RangeOf(inputs[i])));
    values.push_back({args.back(), RangeOf(inputs[i])});
  }
  // Which dimensions go is decided by their extents, which sizes do not tell.
  if (op.name == "squeeze" && !example.attrs.contains("axis") && !IsStatic(ShapeOf(args[0]))) {
    return false;
  }
  const bool others = !indices && Chance(50);
  GraphVar result;
  if (others) result = Try(op.name, args, OtherAttrs(op, example.attrs));
  if (!result) result = Try(op.name, args, example.attrs);
  if (!result) return false;
  if (const auto* tuple = As<ir::TupleType>(result->type)) {
    ++features_["tuple result"];
    bool any = false;
    for (size_t i = 0; i < tuple->fields.size(); ++i) {
      // Some fields are read by nobody.
      if (!Chance(70) && (any || i + 1 < tuple->fields.size())) continue;
      any = true;
      Keep(b_.Get(result, static_cast<int64_t>(i)));
    }
    return true;
  }
  Keep(result, ResultRange(op, values));
  return true;
}

void Generator::FromTable() {
  const auto all = graph::AllOps();
  for (int attempt = 0; attempt < 6; ++attempt) {
    const OpDef& op = *all[random_.Below(all.size())];
    if (op.examples.empty() || op.is_external) continue;
    const OpExample& example = random_.Pick(op.examples);
    const std::vector<DataType> types = graph::TypesOfExample(op, example);
    DataType type = random_.Pick(types);
    // Images of integers are rounded: a last digit decides.
    const bool real = op.name.starts_with("image.") || Chance(70);
    for (const DataType one : types) {
      if (one == DataType::Float(32) && real) type = one;
    }
    if (TryExample(op, example, type, Chance(60))) return;
  }
}

}  // namespace lathe::prove::graphs
