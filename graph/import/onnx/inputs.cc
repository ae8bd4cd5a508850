// The inputs of a model: their types and sizes, and what the caller gives instead.
#include "base/error.h"
#include "graph/import/onnx/importer.h"

namespace lathe::graph::onnx {

ir::NodeRef Importer::TensorTypeOf(const std::string& name, const Type& type,
                                   const std::vector<Extent>* given) {
  const auto fail = [&](const std::string& problem, std::string expected, std::string found) {
    throw Error(Diagnostic{.name = "onnx-input-shape",
                           .message = "input " + QuotedList({name}) + " " + problem,
                           .expected = std::move(expected),
                           .found = std::move(found),
                           .help = "give its shape at import: shape={\"" + name + "\": [...]}"});
  };
  DataType dtype = options_.dtype;
  if (type.kind == Type::Kind::kTensor && type.element != kNoType) {
    const std::optional<DataType> known = DTypeOf(type.element);
    if (!known) {
      throw Error(Diagnostic{
          .name = "onnx-tensor",
          .message = "input " + QuotedList({name}) + " has an element type that graphs do not have",
          .expected = "floats, integers or truth values",
          .found = ElementTypeName(type.element)});
    }
    dtype = *known;
  } else if (type.kind != Type::Kind::kNone && type.kind != Type::Kind::kTensor) {
    fail("is no tensor", "a tensor",
         type.kind == Type::Kind::kSparse ? "a sparse tensor" : "a sequence, a map or an optional");
  }
  const auto size = [&](const std::string& text) {
    const auto at = sizes_.find(text);
    return at != sizes_.end() ? at->second : sizes_.emplace(text, b().Size(text)).first->second;
  };
  std::vector<Expr> shape;
  if (given != nullptr) {
    if (type.has_shape && type.dims.size() != given->size()) {
      fail("has another rank in the model than in the options", std::to_string(type.dims.size()),
           std::to_string(given->size()));
    }
    for (const Extent& extent : *given) {
      if (const int64_t* number = std::get_if<int64_t>(&extent)) {
        if (*number < 0) fail("has a negative extent", "0 and more", std::to_string(*number));
        shape.push_back(Int64(*number));
      } else {
        shape.push_back(size(SizeName(std::get<std::string>(extent))));
      }
    }
    return ir::MakeTensorType(dtype, std::move(shape));
  }
  if (!type.has_shape) fail("has no shape", "at least a rank", "nothing");
  for (size_t d = 0; d < type.dims.size(); ++d) {
    const Type::Dim& dim = type.dims[d];
    if (dim.kind == Type::Dim::Kind::kNumber) {
      if (dim.number < 0) fail("has a negative extent", "0 and more", std::to_string(dim.number));
      shape.push_back(Int64(dim.number));
    } else if (dim.kind == Type::Dim::Kind::kName) {
      shape.push_back(size(SizeName(dim.name)));
    } else {
      shape.push_back(size(SizeName(name) + "_" + std::to_string(d)));
    }
  }
  return ir::MakeTensorType(dtype, std::move(shape));
}

Value Importer::AddInput(const ValueInfo& info) {
  const std::string name(info.name);
  if (const auto given = options_.values.find(name); given != options_.values.end()) {
    Value value(Constant(given->second, name));
    value.narrow = NarrowType(info.type.element);
    return value;
  }
  if (options_.absent.contains(name)) return {};
  const Type& type = info.type.kind == Type::Kind::kOptional && info.type.inner.size() == 1
                         ? info.type.inner[0]
                         : info.type;
  if (type.kind == Type::Kind::kSequence && type.inner.size() == 1) {
    return AddSequence(name, type.inner[0]);
  }
  const auto shape = options_.shapes.find(name);
  const GraphVar var = b().Input(
      name, TensorTypeOf(name, type, shape == options_.shapes.end() ? nullptr : &shape->second));
  inputs_.emplace(var, name);
  Value value(var);
  value.narrow = NarrowType(type.element);
  return value;
}

Value Importer::AddSequence(const std::string& name, const Type& item) {
  const auto given = options_.sequences.find(name);
  if (given == options_.sequences.end()) {
    throw Error(Diagnostic{.name = "onnx-input-shape",
                           .message = "input " + QuotedList({name}) +
                                      " is a sequence: how many tensors it has must be known",
                           .expected = "the shapes of its tensors",
                           .found = "nothing",
                           .help = "give their shapes at import"});
  }
  std::vector<Value> items;
  for (size_t i = 0; i < given->second.size(); ++i) {
    const std::string own = name + "." + std::to_string(i);
    const GraphVar var = b().Input(own, TensorTypeOf(own, item, &given->second[i]));
    inputs_.emplace(var, own);
    items.emplace_back(var);
  }
  return Value::Sequence(std::move(items));
}

void Importer::AddInputs(Scope* scope) {
  std::set<std::string_view> initialized;
  for (const TensorData& tensor : model_.model.graph.initializers) initialized.insert(tensor.name);
  for (const SparseData& sparse : model_.model.graph.sparse_initializers) {
    initialized.insert(sparse.values.name);
  }
  for (const ValueInfo& input : model_.model.graph.inputs) {
    if (!initialized.contains(input.name)) Define(scope, input.name, AddInput(input));
  }
}

}  // namespace lathe::graph::onnx
