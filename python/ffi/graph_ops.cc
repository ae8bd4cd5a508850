// Operators of graphs: what their definitions say, and calls of them.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/float_formats.h"
#include "graph/builder.h"
#include "graph/op.h"
#include "graph/register_op.h"
#include "ir/graph.h"
#include "ir/names.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"
#include "te/operation.h"

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

ir::Dict AttrsOf(const Values& rows) {
  ir::Dict attrs;
  for (const Value& item : rows) {
    const auto pair = item.As<Values>();
    attrs[pair.at(0).As<std::string>()] = AttrNode(pair.at(1));
  }
  return attrs;
}

// A call without its arguments: operator and attributes, checked for `args` arguments.
Ref<const ir::GraphCall> Prototype(const std::string& name, size_t args, const Values& attrs) {
  Ref<ir::GraphCall> call = Make<ir::GraphCall>();
  call->op = name;
  call->attrs = AttrsOf(attrs);
  graph::CheckCall(graph::GetOp(name), args, call->attrs);
  return call;
}

// -- Operators applied to te tensors.

using Tensors = std::vector<te::Tensor>;

// A constant of rank 0 and a floating type, as operators that are made of others have them.
te::Tensor ScalarTensor(const ir::Constant& constant) {
  uint64_t bits = 0;
  std::memcpy(&bits, constant.data->data(), static_cast<size_t>(constant.dtype.bytes()));
  const double value = DecodeFloat(bits, constant.dtype);
  return te::Compute(
      {}, [&](const te::Indices&) { return ir::Const(value, constant.dtype); }, "scalar");
}

// An operator that is made of others: applies these one after the other.
Tensors ComputeExpanded(const graph::OpDef& op, const Tensors& inputs, const ir::Dict& attrs) {
  graph::Builder builder(op.name);
  std::vector<ir::GraphVar> params;
  for (size_t i = 0; i < inputs.size(); ++i) {
    params.push_back(builder.Input("x" + std::to_string(i),
                                   ir::MakeTensorType(inputs[i]->dtype(), inputs[i]->shape())));
  }
  const graph::GraphFuncRef func =
      builder.Finish(op.expand(builder, params, graph::Attrs(op, attrs)));
  std::map<const ir::Node*, Tensors> known;
  for (size_t i = 0; i < inputs.size(); ++i) known[func->params[i].get()] = {inputs[i]};
  const auto of = [&](const ir::GraphVar& var) { return known.at(var.get()); };
  for (const Ref<const ir::GraphBinding>& binding : func->body->bindings) {
    Tensors& made = known[binding->var.get()];
    if (const auto* call = ir::As<ir::GraphCall>(binding->value)) {
      Tensors args;
      for (const ir::GraphVar& arg : call->args) {
        for (const te::Tensor& tensor : of(arg)) args.push_back(tensor);
      }
      const graph::OpDef& part = graph::GetOp(call->op);
      made = part.expand ? ComputeExpanded(part, args, call->attrs)
                         : graph::ComputeCall(part, args, call->attrs);
    } else if (const auto* tuple = ir::As<ir::GraphTuple>(binding->value)) {
      for (const ir::GraphVar& field : tuple->fields) made.push_back(of(field).at(0));
    } else if (const auto* get = ir::As<ir::GraphTupleGet>(binding->value)) {
      made = {of(get->tuple).at(static_cast<size_t>(get->index))};
    } else if (const auto* constant = ir::As<ir::Constant>(binding->value);
               constant != nullptr && constant->dtype.is_float() &&
               ir::ShapeOf(*constant).empty()) {
      made = {ScalarTensor(*constant)};
    } else {
      LATHE_CHECK(false) << op.name << " is made of what is no call of an operator";
    }
  }
  return of(func->body->result);
}

Tensors Apply(const std::string& name, const Tensors& inputs, const Values& rows) {
  const graph::OpDef& op = graph::GetOp(name);
  const ir::Dict attrs = AttrsOf(rows);
  if (!op.expand) return graph::ComputeCall(op, inputs, attrs);
  // `expand` relies on operands of the types that the operator takes.
  std::vector<NodeRef> types;
  for (const te::Tensor& input : inputs)
    types.push_back(ir::MakeTensorType(input->dtype(), input->shape()));
  static_cast<void>(graph::TypeOfCall(op, std::move(types), attrs));
  return ComputeExpanded(op, inputs, attrs);
}

// -- Operators written in Python.

graph::AttrType AttrTypeOf(const std::string& name) {
  for (const graph::AttrType type :
       {graph::AttrType::kInt, graph::AttrType::kFloat, graph::AttrType::kBool,
        graph::AttrType::kString, graph::AttrType::kDType, graph::AttrType::kInts,
        graph::AttrType::kShape}) {
    if (name == ShortName(type)) return type;
  }
  LATHE_CHECK(false) << "there is no kind of attribute " << name;
  __builtin_unreachable();
}

graph::OpKind OpKindOf(const std::string& name) {
  using enum graph::OpKind;
  std::vector<std::string> known;
  for (const graph::OpKind kind :
       {kElementwise, kBroadcast, kInjective, kReduction, kAnchor, kOpaque}) {
    if (name == graph::OpKindName(kind)) return kind;
    known.emplace_back(graph::OpKindName(kind));
  }
  throw Error(Diagnostic{.name = "graph-operator-kind",
                         .message = "there is no kind of operator `" + name + "`",
                         .expected = QuotedList(known)});
}

Value AttrValue(const graph::AttrDef& def, const graph::Attrs& attrs) {
  Values items;
  switch (def.type) {
    case graph::AttrType::kInt:
      return Value(attrs.Int(def.name));
    case graph::AttrType::kFloat:
      return Value(attrs.Float(def.name));
    case graph::AttrType::kBool:
      return Value(attrs.Bool(def.name));
    case graph::AttrType::kString:
    case graph::AttrType::kDType:
      return Value(attrs.String(def.name));
    case graph::AttrType::kInts:
      for (const int64_t item : attrs.Ints(def.name)) items.emplace_back(item);
      return Value(std::move(items));
    case graph::AttrType::kShape:
      for (const ir::Expr& item : attrs.Shape(def.name)) items.push_back(PlainValue(item.get()));
      return Value(std::move(items));
  }
  return Value();
}

// The attributes of a call with defaults filled in: [[name, value]...].
Values AttrRows(const graph::OpDef& op, const graph::Attrs& attrs) {
  Values rows;
  for (const graph::AttrDef& def : op.attrs)
    rows.emplace_back(Row(def.name, AttrValue(def, attrs)));
  return rows;
}

template <class T>
Values ListOf(const std::vector<T>& items) {
  Values list;
  for (const T& item : items) list.emplace_back(item);
  return list;
}

// `inputs`: [[name, doc]...]; `attrs`: [[name, kind, doc, default or None]...].
// type(types, attribute rows) -> type; compute(attribute rows, tensors) -> [tensor...].
Values Register(const std::string& name, const std::string& doc, const Values& inputs,
                const Values& attrs, const std::string& kind, const runtime::Function& type,
                const runtime::Function& compute) {
  graph::OpDef op{.name = name, .doc = doc, .kind = OpKindOf(kind)};
  for (const Value& item : inputs) {
    const auto row = item.As<Values>();
    op.inputs.push_back({.name = row.at(0).As<std::string>(), .doc = row.at(1).As<std::string>()});
  }
  for (const Value& item : attrs) {
    const auto row = item.As<Values>();
    op.attrs.push_back({.name = row.at(0).As<std::string>(),
                        .type = AttrTypeOf(row.at(1).As<std::string>()),
                        .doc = row.at(2).As<std::string>(),
                        .fallback = row.at(3).is_none() ? NodeRef() : AttrNode(row.at(3))});
  }
  op.type = [type](const graph::TypeContext& c) -> graph::TypeResult {
    return type(ListOf(c.types), AttrRows(c.op, c.attrs)).As<NodeRef>();
  };
  op.compute = [compute](const graph::ComputeContext& c) {
    auto made = compute(AttrRows(c.op, c.attrs), ListOf(c.inputs)).As<Tensors>();
    if (made.size() != c.output_shapes.size()) {
      throw Error(Diagnostic{.name = "graph-operator-results",
                             .message = "the computation of " + c.op.name +
                                        " gives another number of tensors than its type",
                             .expected = std::to_string(c.output_shapes.size()),
                             .found = std::to_string(made.size())});
    }
    return made;
  };
  return Describe(graph::RegisterOp(std::move(op)));
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
  // An operator applied to te tensors: what lathe.topi is made of.
  Def("graph.apply", Apply);
  Def("graph.register_op", Register);
  Def("graph.attrs", [](const Ref<const ir::GraphCall>& call) {
    Values attrs;
    for (const auto& [name, value] : call->attrs)
      attrs.emplace_back(Row(name, PlainValue(value.get())));
    return attrs;
  });
}

}  // namespace lathe::python
