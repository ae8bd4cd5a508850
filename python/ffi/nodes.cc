// Nodes by their field lists: the data from which Python generates its classes, and functions for
// all kinds of node.
#include <string>
#include <vector>

#include "base/error.h"
#include "ir/binary.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"

namespace lathe::python {
namespace {

using ir::FieldInfo;
using ir::FieldType;
using ir::NodeKind;
using ir::NodeRef;
using runtime::Value;

using Values = std::vector<Value>;

const char* BaseOf(NodeKind kind) {
  if (ir::IsExpr(kind)) return "Expr";
  if (ir::IsStmt(kind)) return "Stmt";
  if (ir::IsOp(kind)) return "Op";
  return "Node";
}

const char* TypeName(FieldType type) {
  constexpr const char* kNames[] = {"node",  "list", "dict",  "string", "int",
                                    "float", "bool", "dtype", "enum",   "bytes"};
  return kNames[static_cast<int>(type)];
}

// [[kind, name, base, [[field, type, nullable, [enum names]]...]]...]
Values Kinds() {
  Values kinds;
  for (const NodeKind kind : ir::AllNodeKinds()) {
    Values fields;
    for (const FieldInfo& field : ir::FieldsOf(kind)) {
      Values names;
      for (const char* name : field.enum_names) names.emplace_back(std::string(name));
      Values entry;
      entry.emplace_back(std::string(field.name));
      entry.emplace_back(std::string(TypeName(field.type)));
      entry.emplace_back(field.nullable);
      entry.emplace_back(std::move(names));
      fields.emplace_back(std::move(entry));
    }
    Values one;
    one.emplace_back(LATHE_OBJECT_NODE + static_cast<int>(kind));
    one.emplace_back(std::string(ir::NodeKindName(kind)));
    one.emplace_back(std::string(BaseOf(kind)));
    one.emplace_back(std::move(fields));
    kinds.emplace_back(std::move(one));
  }
  return kinds;
}

Value FieldValue(const FieldInfo& field, const ir::Node& node) {
  switch (field.type) {
    case FieldType::kNode:
      return NodeRef(field.node(node));
    case FieldType::kList: {
      Values items;
      const size_t n = field.list_size(node);
      items.reserve(n);
      for (size_t i = 0; i < n; ++i) items.emplace_back(NodeRef(field.list_at(node, i)));
      return items;
    }
    case FieldType::kDict:
      return field.dict(node);
    case FieldType::kString:
      return field.string(node);
    case FieldType::kInt:
      return field.integer(node);
    case FieldType::kFloat:
      return field.number(node);
    case FieldType::kBool:
      return field.boolean(node);
    case FieldType::kDType:
      return field.dtype(node);
    case FieldType::kEnum:
      return std::string(field.enum_names[static_cast<size_t>(field.enumerator(node))]);
    case FieldType::kBlob:
      return field.blob(node) ? Value::Bytes(field.blob(node)->bytes()) : Value(nullptr);
  }
  return nullptr;
}

[[noreturn]] void ThrowField(NodeKind kind, const FieldInfo& field, const Value& value) {
  std::string expected = TypeName(field.type);
  if (field.type == FieldType::kEnum) {
    std::vector<std::string> names(field.enum_names.begin(), field.enum_names.end());
    expected = QuotedList(names);
  }
  throw Error(Diagnostic{.name = "node-field-type",
                         .message = "field `" + std::string(field.name) + "` of " +
                                    ir::NodeKindName(kind) + " does not take this value",
                         .expected = expected,
                         .found = value.ToString()});
}

[[noreturn]] void ThrowNoNode(const Value& found) {
  throw Error(Diagnostic{.name = "node-kind",
                         .message = "this is no node, nor the number of a kind of node",
                         .found = found.ToString()});
}

[[noreturn]] void ThrowNoField(NodeKind kind, size_t index) {
  throw Error(Diagnostic{.name = "node-field-number",
                         .message = std::string(ir::NodeKindName(kind)) + " has no field number " +
                                    std::to_string(index)});
}

// Sets one field from a value. False if the value does not fit the field.
bool SetField(const FieldInfo& field, ir::Node& node, const Value& value) {
  switch (field.type) {
    case FieldType::kNode: {
      const NodeRef item = OrNull(value.As<Maybe<NodeRef>>());
      return field.set_node(node, item);
    }
    case FieldType::kList: {
      if (!value.Is<std::vector<NodeRef>>()) return false;
      return field.set_list(node, value.As<std::vector<NodeRef>>());
    }
    case FieldType::kDict:
      if (!value.Is<ir::Dict>()) return false;
      field.set_dict(node, value.As<ir::Dict>());
      return true;
    case FieldType::kString:
      if (!value.Is<std::string>()) return false;
      field.set_string(node, value.As<std::string>());
      return true;
    case FieldType::kInt:
      if (!value.Is<int64_t>()) return false;
      field.set_integer(node, value.As<int64_t>());
      return true;
    case FieldType::kFloat:
      if (!value.Is<double>()) return false;
      field.set_number(node, value.As<double>());
      return true;
    case FieldType::kBool:
      if (!value.Is<bool>()) return false;
      field.set_boolean(node, value.As<bool>());
      return true;
    case FieldType::kDType:
      if (!value.Is<DataType>()) return false;
      field.set_dtype(node, value.As<DataType>());
      return true;
    case FieldType::kEnum: {
      if (!value.Is<std::string>()) return false;
      const auto wanted = value.As<std::string>();
      for (size_t i = 0; i < field.enum_names.size(); ++i) {
        if (wanted == field.enum_names[i]) return field.set_enumerator(node, static_cast<int>(i));
      }
      return false;
    }
    case FieldType::kBlob:
      if (!value.Is<std::string>()) return false;
      field.set_blob(node, Blob::Copy(value.As<std::string>()));
      return true;
  }
  return false;
}

// A node of `kind` from [field, value] pairs. Fields that are not given keep their defaults.
NodeRef MakeNode(int64_t kind_number, const Values& pairs) {
  const int64_t number = kind_number - int64_t{LATHE_OBJECT_NODE};
  if (number < 0 || number > 255 || !ir::IsNodeKind(static_cast<int>(number)))
    ThrowNoNode(Value(kind_number));
  const auto kind = static_cast<NodeKind>(number);
  const std::span<const FieldInfo> fields = ir::FieldsOf(kind);
  Ref<ir::Node> node = ir::NewNode(kind);
  for (const Value& item : pairs) {
    const auto pair = item.As<Values>();
    if (pair.size() != 2) ThrowNoNode(item);
    const auto index = static_cast<size_t>(pair[0].As<int64_t>());
    if (index >= fields.size()) ThrowNoField(kind, index);
    if (!SetField(fields[index], *node, pair.at(1))) ThrowField(kind, fields[index], pair.at(1));
  }
  for (const FieldInfo& field : fields) {
    if (field.type == FieldType::kNode && !field.nullable && field.node(*node) == nullptr)
      ThrowField(kind, field, Value());
  }
  if (const std::string wrong = ir::CheckNode(*node); !wrong.empty()) {
    throw Error(Diagnostic{.name = "node-ill-formed",
                           .message = "the parts of this " + std::string(ir::NodeKindName(kind)) +
                                      " do not fit: " + wrong});
  }
  return node;
}

}  // namespace

void RegisterNodes() {
  Def("ir.kinds", [] { return Kinds(); });
  // The most frequent call: it reads every attribute of every node.
  Def("ir.get_field", [](const runtime::Args& args, Value* result) {
    const ir::Node* node = NodeOf(args[0].c());
    const auto index = static_cast<size_t>(args[1].c().v_int);
    if (node == nullptr) ThrowNoNode(args[0].ToValue());
    const std::span<const FieldInfo> fields = ir::FieldsOf(node->node_kind());
    if (index >= fields.size()) ThrowNoField(node->node_kind(), index);
    *result = FieldValue(fields[index], *node);
  });
  Def("ir.make_node", [](int64_t kind, const Values& pairs) { return MakeNode(kind, pairs); });

  Def("ir.text", [](const NodeRef& node, bool color, bool short_form) {
    return ir::ToText(node, {.color = color, .short_form = short_form});
  });
  Def("ir.text_whole",
      [](const NodeRef& node) { return ir::ToText(node, {.declare_free = true}); });
  Def("ir.colorize", [](const std::string& text) { return ir::Colorize(text); });
  Def("ir.parse", [](const std::string& text, const std::string& filename) {
    return ir::ParseNode(text, filename);
  });
  Def("ir.parse_module", [](const std::string& text, const std::string& filename) {
    return ir::ParseModule(text, filename);
  });
  Def("ir.parse_program", [](const std::string& text, const std::string& filename) {
    return ir::ParseProgram(text, filename);
  });
  // Without the nodes' places: Python's file numbers are valid only in this process.
  Def("ir.encode", [](const NodeRef& node) {
    return Value::Bytes(ir::EncodeNode(node, {.keep_private = true}));
  });
  Def("ir.decode", [](const std::string& bytes) { return ir::DecodeNode(bytes); });
  Def("ir.structural_equal", [](const NodeRef& a, const NodeRef& b, bool map_free) {
    return ir::StructuralEqual(a, b, map_free);
  });
  Def("ir.structural_difference", [](const NodeRef& a, const NodeRef& b, bool map_free) {
    return ir::StructuralDifference(a, b, map_free);
  });
  Def("ir.structural_hash",
      [](const NodeRef& node) { return static_cast<int64_t>(ir::StructuralHash(node) >> 1); });
  Def("ir.post_order", [](const NodeRef& root, const runtime::Function& visit) {
    std::vector<NodeRef> nodes;
    ir::PostOrder(root, [&](const ir::Node& node) { nodes.emplace_back(&node); });
    for (const NodeRef& node : nodes) visit(node);
  });
  Def("ir.free_vars", [](const NodeRef& root) { return ir::FreeVars(root); });
}

}  // namespace lathe::python
