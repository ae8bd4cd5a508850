#include "base/error.h"
#include "graph/import/tensorflow/importer.h"

namespace lathe::graph::tensorflow {

NodeContext::NodeContext(Importer& importer, const Node& node)
    : Maker(importer, std::string(node.name)), importer(importer), node(node) {}

// -- Errors.

std::string NodeContext::Title() const {
  return "node `" + name() + "` (" + std::string(node.op) + ")";
}

void NodeContext::Fail(const std::string& problem, std::string expected, std::string found,
                       std::string help) const {
  throw Error(Diagnostic{.name = "tensorflow-node",
                         .message = Title() + " " + problem,
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

void NodeContext::FailValue(const GraphVar& var, const std::string& what) const {
  throw Error(Diagnostic{.name = "tensorflow-value-needed",
                         .message = "`" + what + "` of " + Title() +
                                    " must be known when the model is imported, because it decides "
                                    "shapes",
                         .expected = "a constant, or a shape of an input",
                         .found = importer.OriginOf(var),
                         .help = "give the model's inputs a shape at import, or freeze the model "
                                 "with a constant here"});
}

// -- Inputs.

GraphVar NodeContext::In(size_t i) const {
  if (i >= inputs.size()) Fail("lacks input " + std::to_string(i));
  return inputs[i];
}

std::vector<GraphVar> NodeContext::All(size_t from) const {
  if (inputs.size() <= from) Fail("has too few inputs");
  return {inputs.begin() + static_cast<ptrdiff_t>(from), inputs.end()};
}

std::vector<int64_t> NodeContext::FixedShape(const GraphVar& var, const char* what) const {
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

std::optional<TensorValue> NodeContext::Known(size_t i) const { return importer.ConstantOf(In(i)); }

std::vector<int64_t> NodeContext::Ints(size_t i, const char* what) const {
  const std::optional<TensorValue> value = importer.ConstantOf(In(i));
  if (!value) FailValue(In(i), what);
  return IntsOf(*value);
}

int64_t NodeContext::Int(size_t i, const char* what) const {
  const std::vector<int64_t> values = Ints(i, what);
  if (values.size() != 1) {
    Fail("has a wrong input " + std::to_string(i), "one number",
         std::to_string(values.size()) + " numbers");
  }
  return values[0];
}

std::vector<Expr> NodeContext::Extents(size_t i, const char* what) const {
  if (const std::vector<Expr>* known = importer.b().ValueOf(In(i))) {
    std::vector<Expr> extents;
    for (const Expr& extent : *known) extents.push_back(ir::MakeCast(DataType::Int(64), extent));
    return extents;
  }
  return AsExtents(Ints(i, what));
}

// -- Attributes.

const Attribute* NodeContext::Find(std::string_view name) const {
  const auto at = node.attributes.find(name);
  return at == node.attributes.end() ? nullptr : &at->second;
}

int64_t NodeContext::Int(std::string_view name, int64_t fallback) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? fallback : attribute->i;
}

double NodeContext::Float(std::string_view name, double fallback) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? fallback : static_cast<double>(attribute->f);
}

std::string NodeContext::String(std::string_view name, std::string fallback) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? std::move(fallback) : std::string(attribute->text);
}

std::vector<int64_t> NodeContext::Ints(std::string_view name) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? std::vector<int64_t>{} : attribute->ints;
}

DataType NodeContext::Type(std::string_view name) const {
  const auto type = static_cast<int32_t>(Int(name, kNoType));
  const std::optional<DataType> dtype = lathe::graph::tensorflow::DTypeOf(type);
  if (!dtype) {
    Fail("has an element type that graphs do not have", "floats, integers or truth values",
         ElementTypeName(type));
  }
  return *dtype;
}

Text NodeContext::FunctionName(std::string_view name) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr || attribute->kind != Attribute::Kind::kFunction) {
    Fail("lacks the attribute `" + std::string(name) + "`", "a function", "nothing");
  }
  return attribute->text;
}

Results NodeContext::Fields(const GraphVar& tuple) const {
  const auto* type = ir::As<ir::TupleType>(tuple->type);
  if (type == nullptr) return {tuple};
  Results results;
  for (size_t i = 0; i < type->fields.size(); ++i) {
    results.push_back(
        Field(tuple, static_cast<int64_t>(i), i == 0 ? name() : name() + ":" + std::to_string(i)));
  }
  return results;
}

int64_t NodeContext::Axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank) {
    Fail("has an axis that its input lacks",
         std::to_string(-rank) + " to " + std::to_string(rank - 1), std::to_string(axis));
  }
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> NodeContext::Axes(std::vector<int64_t> axes, int64_t rank) const {
  for (int64_t& axis : axes) axis = Axis(axis, rank);
  return axes;
}

}  // namespace lathe::graph::tensorflow
