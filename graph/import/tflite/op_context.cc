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
    : OperatorContext(importer, NameFor(op, graph)), importer(importer), op(op), graph(graph) {}

// -- Errors.

std::string OpContext::Title() const {
  return "operator `" + name() + "` (" + NameOf(op) + ", version " + std::to_string(op.version) +
         ")";
}

void OpContext::Throw(const std::string& problem, std::string expected, std::string found,
                      std::string help) const {
  throw Error(Diagnostic{.name = "tflite-operator",
                         .message = Title() + " " + problem,
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

void OpContext::FailValue(size_t i, const char* what) const {
  throw Error(Diagnostic{.name = "tflite-value-needed",
                         .message = "`" + std::string(what) + "` of " + Title() +
                                    " must be known when the model is imported, because it decides "
                                    "shapes",
                         .expected = "a constant, or a shape of an input",
                         .found = importer.OriginOf(In(i)),
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

}  // namespace lathe::graph::tflite
