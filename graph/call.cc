// Types of calls of operators, and calls applied to te tensors.
#include <algorithm>
#include <unordered_set>

#include "arith/analyzer.h"
#include "base/error.h"
#include "graph/builder.h"
#include "graph/op.h"
#include "graph/sizes.h"
#include "graph/wide_sums.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/text/printer.h"

namespace lathe::graph {

using ir::As;
using ir::Expr;
using ir::NodeRef;

namespace {

// An operator that takes any number of inputs repeats its last one.
const OpInput& InputAt(const OpDef& op, size_t i) {
  return op.inputs[std::min(i, op.inputs.size() - 1)];
}

std::string ArgumentName(const OpDef& op, size_t i) {
  return "argument " + std::to_string(i) + " (`" + InputAt(op, i).name + "`) of " + op.name;
}

bool Contains(TypeSet set, DataType dtype) {
  return set == kAnyType || std::ranges::count(TypesOf(set), dtype) > 0;
}

// The element types that the definition asks for.
void CheckTypes(const TypeContext& context) {
  for (size_t i = 0; i < context.size(); ++i) {
    const OpInput& input = InputAt(context.op, i);
    const DataType dtype = context.dtype(i);
    if (!Contains(input.types, dtype)) {
      context.FailArgument(i, "has the wrong element type", TypeSetText(input.types),
                           dtype.ToString(), "cast it: `cast(..., dtype=\"...\")`");
    }
    if (input.like < 0 || static_cast<size_t>(input.like) == i) continue;
    const auto like = static_cast<size_t>(input.like);
    if (dtype != context.dtype(like)) {
      context.FailArgument(i,
                           "has another element type than `" + context.op.inputs[like].name + "`",
                           context.dtype(like).ToString(), dtype.ToString(),
                           "cast one of them: `cast(..., dtype=\"...\")`");
    }
  }
}

NodeRef Simplified(const NodeRef& type) {
  if (const auto* tuple = As<ir::TupleType>(type)) {
    Ref<ir::TupleType> out = CopyOf(*tuple);
    for (NodeRef& field : out->fields) field = Simplified(field);
    return out;
  }
  const auto* tensor = As<ir::TensorType>(type);
  if (tensor == nullptr) return type;
  Ref<ir::TensorType> out = CopyOf(*tensor);
  arith::Analyzer analyzer;
  for (Expr& extent : out->shape) {
    if (ir::AsConstInt(extent) == nullptr) extent = analyzer.Simplify(extent);
  }
  return out;
}

// The tensors of a result type.
std::vector<const ir::TensorType*> TensorsOf(const NodeRef& type) {
  std::vector<const ir::TensorType*> tensors;
  if (const auto* tuple = As<ir::TupleType>(type)) {
    for (const NodeRef& field : tuple->fields) tensors.push_back(As<ir::TensorType>(field));
  } else {
    tensors.push_back(As<ir::TensorType>(type));
  }
  return tensors;
}

void CheckExtents(const OpDef& op, const NodeRef& type) {
  for (const ir::TensorType* tensor : TensorsOf(type)) {
    LATHE_CHECK(tensor != nullptr) << op.name << " returns what is no tensor";
    for (size_t d = 0; d < tensor->shape.size(); ++d) {
      const int64_t* extent = ir::AsConstInt(tensor->shape[d]);
      if (extent == nullptr || *extent >= 0) continue;
      throw Error(Diagnostic{.name = "graph-extent",
                             .message = "dimension " + std::to_string(d) + " of the result of " +
                                        op.name + " would be negative",
                             .expected = "at least 0",
                             .found = std::to_string(*extent)});
    }
  }
}

}  // namespace

const ir::TensorType& TypeContext::tensor(size_t i) const {
  const auto* type = As<ir::TensorType>(types[i]);
  if (type != nullptr) return *type;
  throw Error(Diagnostic{.name = "graph-argument-type",
                         .message = ArgumentName(op, i) + " is no tensor",
                         .expected = "a tensor",
                         .found = TypeText(types[i]),
                         .help = "take a field of a tuple: `%t.0`"});
}

void TypeContext::FailArgument(size_t i, std::string what, std::string expected, std::string found,
                               std::string help) const {
  throw Error(Diagnostic{.name = "graph-argument",
                         .message = ArgumentName(op, i) + " " + what,
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help),
                         .notes = {InputAt(op, i).name + ": " + TypeText(types[i])}});
}

void TypeContext::FailAttr(std::string_view name, std::string what, std::string expected,
                           std::string found, std::string help) const {
  std::vector<std::string> notes;
  for (size_t i = 0; i < types.size(); ++i) {
    notes.push_back(InputAt(op, i).name + ": " + TypeText(types[i]));
  }
  throw Error(
      Diagnostic{.name = "graph-attribute",
                 .message = "attribute `" + std::string(name) + "` of " + op.name + " " + what,
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .help = std::move(help),
                 .notes = std::move(notes)});
}

void TypeContext::NeedRank(size_t i, int least, int most) const {
  const int found = rank(i);
  if (found >= least && found <= most) return;
  FailArgument(
      i, "has the wrong number of dimensions",
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most),
      std::to_string(found));
}

bool SameExtent(const Expr& a, const Expr& b) {
  const int64_t *x = ir::AsConstInt(a), *y = ir::AsConstInt(b);
  if (x != nullptr && y != nullptr) return *x == *y;
  if (ir::StructuralEqual(a, b)) return true;
  arith::Analyzer analyzer;
  return analyzer.CanProve(ir::Equal(a, b));
}

bool TypeContext::Assume(SizeAssumption::Kind kind, const Expr& a, const Expr& b,
                         std::string what) const {
  const int64_t *x = ir::AsConstInt(a), *y = ir::AsConstInt(b);
  const bool equal = kind == SizeAssumption::Kind::kEqual;
  if (x != nullptr && y != nullptr) return equal ? *x == *y : *x <= *y;
  arith::Analyzer analyzer;
  if (equal ? SameExtent(a, b) : analyzer.CanProve(a <= b)) return true;
  if (analyzer.CanProve(equal ? ir::NotEqual(a, b) : a > b)) return false;
  assumptions->push_back({kind, a, b, std::move(what)});
  return true;
}

void TypeContext::NeedExtent(size_t i, size_t d, const Expr& extent, const std::string& of) const {
  std::string what = "dimension " + std::to_string(d) + " of " + ArgumentName(op, i);
  if (Assume(SizeAssumption::Kind::kEqual, shape(i)[d], extent, std::move(what))) return;
  FailArgument(i, "does not fit in dimension " + std::to_string(d),
               ExtentText(extent) + " (" + of + ")", ExtentText(shape(i)[d]));
}

TypeResult TypeOfCall(const OpDef& op, std::vector<NodeRef> types, const ir::Dict& attrs,
                      std::vector<std::optional<std::vector<Expr>>> values) {
  CheckCall(op, types.size(), attrs);
  values.resize(types.size());
  std::vector<SizeAssumption> assumptions;
  const TypeContext context{op, std::move(types), Attrs(op, attrs), std::move(values),
                            &assumptions};
  CheckTypes(context);
  TypeResult result = op.type(context);
  result.assumptions = std::move(assumptions);
  result.type = Simplified(result.type);
  CheckExtents(op, result.type);
  return result;
}

std::vector<te::Tensor> ComputeCall(const OpDef& op, std::vector<te::Tensor> inputs,
                                    const ir::Dict& attrs) {
  std::vector<NodeRef> types;
  types.reserve(inputs.size());
  for (const te::Tensor& input : inputs) {
    types.push_back(ir::MakeTensorType(input->dtype(), input->shape()));
  }
  const TypeResult result = TypeOfCall(op, std::move(types), attrs);
  LATHE_CHECK(result.most.size() == result.sizes.size()) << op.name << ": sizes without bounds";
  ir::VarMap bounds;
  for (size_t i = 0; i < result.sizes.size(); ++i) bounds.emplace(result.sizes[i], result.most[i]);
  ComputeContext context{op, std::move(inputs), Attrs(op, attrs), {}, {}};
  for (const ir::TensorType* tensor : TensorsOf(result.type)) {
    te::Shape shape;
    for (const Expr& extent : tensor->shape) {
      shape.push_back(Narrow(bounds.empty() ? extent : ir::Substitute(extent, bounds)));
    }
    context.output_shapes.push_back(std::move(shape));
    context.output_dtypes.push_back(tensor->dtype);
  }
  if (!bounds.empty()) {
    context.output_shapes.push_back({ir::Int(static_cast<int64_t>(bounds.size()))});
    context.output_dtypes.push_back(DataType::Int(64));
  }
  return WithWideSums(op.compute(context));
}

std::vector<bool> AreRead(const std::vector<te::Tensor>& inputs,
                          const std::vector<te::Tensor>& outputs) {
  std::unordered_set<const ir::Node*> seen;
  std::vector<const ir::OpNode*> work;
  for (const te::Tensor& output : outputs) work.push_back(output->op.get());
  while (!work.empty()) {
    const ir::OpNode* op = work.back();
    work.pop_back();
    if (!seen.insert(op).second) continue;
    for (const te::Tensor& input : ir::InputsOf(*op)) work.push_back(input->op.get());
  }
  std::vector<bool> read;
  for (const te::Tensor& input : inputs) read.push_back(seen.contains(input->op.get()));
  return read;
}

std::string ExtentText(const Expr& extent) {
  // As within a type, where numbers without a suffix have 64 bits.
  const std::string type = TypeText(ir::MakeTensorType(DataType::Bool(), {extent}));
  const size_t begin = type.find('[') + 1;
  return type.substr(begin, type.rfind(']') - begin);
}

namespace {

// A binary node whose operands were narrowed gets their type.
template <class T>
auto Narrower(bool* fits) {
  return [fits](const T& node) -> NodeRef {
    *fits &= node.a->dtype == node.b->dtype;
    return *fits ? ir::MakeBinary(ir::KindOf<T>::kValue, node.a, node.b) : Expr();
  };
}

}  // namespace

Expr Narrow(const Expr& expr) {
  if (expr->dtype != DataType::Int(64)) return expr;
  bool fits = true;
  const Expr narrow = ir::Rewrite(
      expr,
      [](const ir::Cast& cast) -> NodeRef {
        return cast.value->dtype == DataType::Int(32) ? NodeRef(cast.value) : NodeRef();
      },
      [&](const ir::IntImm& number) -> NodeRef {
        fits &= number.value >= INT32_MIN && number.value <= INT32_MAX;
        return ir::Int(number.value);
      },
      Narrower<ir::Add>(&fits), Narrower<ir::Sub>(&fits), Narrower<ir::Mul>(&fits),
      Narrower<ir::FloorDiv>(&fits), Narrower<ir::FloorMod>(&fits), Narrower<ir::Min>(&fits),
      Narrower<ir::Max>(&fits));
  return fits && narrow->dtype == DataType::Int(32) ? narrow : expr;
}

}  // namespace lathe::graph
