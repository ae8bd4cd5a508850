#include "base/error.h"
#include "graph/import/tflite/importer.h"

namespace lathe::graph::tflite {
namespace {

std::string NameFor(const Operator& op, const SubGraph& graph) {
  if (op.outputs.empty()) return NameOf(op);
  return std::string(graph.tensors[static_cast<size_t>(op.outputs[0])].name);
}

}  // namespace

OpContext::OpContext(Importer& importer, const Operator& op, const SubGraph& graph)
    : Maker(importer, NameFor(op, graph)), importer(importer), op(op), graph(graph) {}

// -- Errors.

std::string OpContext::Title() const {
  return "operator `" + name() + "` (" + NameOf(op) + ", version " + std::to_string(op.version) +
         ")";
}

void OpContext::Fail(const std::string& problem, std::string expected, std::string found,
                     std::string help) const {
  throw Error(Diagnostic{.name = "tflite-operator",
                         .message = Title() + " " + problem,
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

void OpContext::FailValue(const GraphVar& var, const std::string& what) const {
  throw Error(Diagnostic{.name = "tflite-value-needed",
                         .message = "`" + what + "` of " + Title() +
                                    " must be known when the model is imported, because it decides "
                                    "shapes",
                         .expected = "a constant, or a shape of an input",
                         .found = importer.OriginOf(var),
                         .help = "give the model's inputs a shape at import, or convert the model "
                                 "with a constant here"});
}

// -- Inputs.

GraphVar OpContext::In(size_t i) const {
  if (!Has(i)) Fail("lacks input " + std::to_string(i));
  return inputs[i];
}

std::vector<GraphVar> OpContext::All() const {
  std::vector<GraphVar> vars;
  for (size_t i = 0; i < inputs.size(); ++i) vars.push_back(In(i));
  if (vars.empty()) Fail("has no input");
  return vars;
}

const TensorInfo& OpContext::InInfo(size_t i) const {
  if (!Has(i)) Fail("lacks input " + std::to_string(i));
  return graph.tensors[static_cast<size_t>(op.inputs[i])];
}

const TensorInfo& OpContext::OutInfo(size_t i) const {
  if (i >= op.outputs.size()) Fail("lacks output " + std::to_string(i));
  return graph.tensors[static_cast<size_t>(op.outputs[i])];
}

DataType OpContext::OutType(size_t i) const {
  const std::optional<DataType> dtype = lathe::graph::tflite::DTypeOf(OutInfo(i).type);
  if (!dtype) {
    Fail("has a result with an element type that graphs do not have",
         "floats, integers or truth values", ElementTypeName(OutInfo(i).type));
  }
  return *dtype;
}

std::vector<int64_t> OpContext::FixedShape(const GraphVar& var, const char* what) const {
  std::vector<int64_t> shape;
  for (const Expr& extent : ShapeOf(var)) {
    const int64_t* number = ir::AsConstInt(extent);
    if (number == nullptr) {
      Fail(std::string("needs ") + what + " of a known shape", "numbers", TypeText(var->type),
           "give the model's inputs a shape at import");
    }
    shape.push_back(*number);
  }
  return shape;
}

std::optional<TensorValue> OpContext::Known(size_t i) const {
  return Has(i) ? importer.ConstantOf(In(i)) : std::nullopt;
}

std::vector<int64_t> OpContext::Ints(size_t i, const char* what) const {
  const std::optional<TensorValue> value = importer.ConstantOf(In(i));
  if (!value) FailValue(In(i), what);
  return IntsOf(*value);
}

int64_t OpContext::Int(size_t i, const char* what) const {
  const std::vector<int64_t> values = Ints(i, what);
  if (values.size() != 1) {
    Fail("has a wrong input " + std::to_string(i), "one number",
         std::to_string(values.size()) + " numbers");
  }
  return values[0];
}

std::vector<Expr> OpContext::Extents(size_t i, const char* what) const {
  if (const std::vector<Expr>* known = importer.b().ValueOf(In(i))) {
    std::vector<Expr> extents;
    for (const Expr& extent : *known) extents.push_back(ir::MakeCast(DataType::Int(64), extent));
    return extents;
  }
  return AsExtents(Ints(i, what));
}

Results OpContext::Fields(const GraphVar& tuple) const {
  const auto* type = ir::As<ir::TupleType>(tuple->type);
  if (type == nullptr) return {tuple};
  Results results;
  for (size_t i = 0; i < type->fields.size(); ++i) {
    const std::string own = i < op.outputs.size() ? std::string(OutInfo(i).name) : name();
    results.push_back(Field(tuple, static_cast<int64_t>(i), own));
  }
  return results;
}

int64_t OpContext::Axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank) {
    Fail("has an axis that its input lacks",
         std::to_string(-rank) + " to " + std::to_string(rank - 1), std::to_string(axis));
  }
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> OpContext::Axes(std::vector<int64_t> axes, int64_t rank) const {
  for (int64_t& axis : axes) axis = Axis(axis, rank);
  return axes;
}

}  // namespace lathe::graph::tflite
