// Operators of graphs: what their definitions say, and calls of them.
#include <algorithm>
#include <string>
#include <vector>

#include "graph/op.h"
#include "ir/graph.h"
#include "ir/names.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"

namespace lathe::python {
namespace {

using ir::NodeRef;
using runtime::Value;
using Values = std::vector<Value>;

template <class... T>
Values Row(T&&... items) {
  Values row;
  (row.emplace_back(std::forward<T>(items)), ...);
  return row;
}

const char* ShortName(graph::AttrType type) {
  switch (type) {
    case graph::AttrType::kInt:
      return "int";
    case graph::AttrType::kFloat:
      return "float";
    case graph::AttrType::kBool:
      return "bool";
    case graph::AttrType::kString:
      return "str";
    case graph::AttrType::kDType:
      return "dtype";
    case graph::AttrType::kInts:
      return "ints";
    case graph::AttrType::kShape:
      return "shape";
  }
  return "?";
}

// A value of an attribute as Python has it: a number, a text, or a list of these.
Value PlainValue(const ir::Node* node) {
  if (const auto* number = ir::As<ir::IntImm>(node))
    return number->dtype.is_bool() ? Value(number->value != 0) : Value(number->value);
  if (const auto* number = ir::As<ir::FloatImm>(node)) return Value(number->value);
  if (const auto* text = ir::As<ir::StringImm>(node)) return Value(text->value);
  if (const auto* list = ir::As<ir::Call>(node); list != nullptr && list->op == ir::kListOperand) {
    Values items;
    for (const NodeRef& item : list->args) items.push_back(PlainValue(item.get()));
    return Value(std::move(items));
  }
  return node == nullptr ? Value() : Value(NodeRef(node));
}

// [name, doc, [[input, doc, types]...], [[attribute, type, doc, required, default, [choices]]...],
//  optional inputs, variadic, kind, [first example's inputs], [[attribute, value]...] of it]
Values Describe(const graph::OpDef& op) {
  Values inputs, attrs, example, example_attrs;
  for (const graph::OpInput& input : op.inputs)
    inputs.emplace_back(Row(input.name, input.doc, graph::TypeSetText(input.types)));
  for (const graph::AttrDef& attr : op.attrs) {
    Values choices;
    for (const std::string& choice : attr.choices) choices.emplace_back(choice);
    attrs.emplace_back(Row(attr.name, std::string(ShortName(attr.type)), attr.doc, !attr.fallback,
                           PlainValue(attr.fallback.get()), std::move(choices)));
  }
  if (!op.examples.empty()) {
    for (const std::string& input : op.examples[0].inputs) example.emplace_back(input);
    for (const auto& [name, value] : op.examples[0].attrs)
      example_attrs.emplace_back(Row(name, PlainValue(value.get())));
  }
  return Row(op.name, op.doc, std::move(inputs), std::move(attrs), op.optional_inputs, op.variadic,
             std::string(graph::OpKindName(op.kind)), std::move(example), std::move(example_attrs));
}

// The reverse of PlainValue.
NodeRef AttrNode(const Value& value) {
  if (value.Is<Values>()) {
    std::vector<NodeRef> items;
    for (const Value& item : value.As<Values>()) items.push_back(AttrNode(item));
    return ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(items));
  }
  if (value.c().kind == LATHE_VALUE_INT) return graph::IntAttr(value.As<int64_t>());
  if (value.c().kind == LATHE_VALUE_FLOAT) return graph::FloatAttr(value.As<double>());
  return value.As<NodeRef>();
}

// A call without its arguments: operator and attributes, checked for `args` arguments.
Ref<const ir::GraphCall> Prototype(const std::string& name, size_t args, const Values& attrs) {
  Ref<ir::GraphCall> call = Make<ir::GraphCall>();
  call->op = name;
  for (const Value& item : attrs) {
    const auto pair = item.As<Values>();
    call->attrs[pair.at(0).As<std::string>()] = AttrNode(pair.at(1));
  }
  graph::CheckCall(graph::GetOp(name), args, call->attrs);
  return call;
}

}  // namespace

void RegisterGraphOps() {
  Def("graph.ops", [] {
    Values ops;
    for (const graph::OpDef* op : graph::AllOps()) ops.emplace_back(Describe(*op));
    return ops;
  });
  Def("graph.prototype", [](const std::string& op, int64_t args, const Values& attrs) {
    return Prototype(op, static_cast<size_t>(std::max<int64_t>(args, 0)), attrs);
  });
  Def("graph.attrs", [](const Ref<const ir::GraphCall>& call) {
    Values attrs;
    for (const auto& [name, value] : call->attrs)
      attrs.emplace_back(Row(name, PlainValue(value.get())));
    return attrs;
  });
}

}  // namespace lathe::python
