#include "ir/check_graph.h"

namespace lathe::ir {
namespace {

using std::string;

string CheckTensorType(const TensorType& type) {
  if (type.dtype.is_void() || !type.dtype.is_scalar())
    return "a tensor cannot have elements of type " + type.dtype.ToString();
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const Expr& extent = type.shape[i];
    const string which = "extent " + std::to_string(i);
    if (extent->dtype != DataType::Int(64))
      return which + " must be an int64, not " + extent->dtype.ToString();
    const int64_t* value = AsConstInt(extent);
    if (value != nullptr && *value < 0) return which + " is negative: " + std::to_string(*value);
  }
  return "";
}

string CheckTypes(const std::vector<NodeRef>& types) {
  for (const NodeRef& type : types) {
    if (!IsGraphType(type.get()))
      return string("a ") + NodeKindName(type->node_kind()) + " stands where a type is needed";
  }
  return "";
}

// A type that may be null.
string CheckType(const NodeRef& type) { return type ? CheckTypes({type}) : ""; }

string CheckSizes(const std::vector<Var>& sizes) {
  for (const Var& size : sizes) {
    if (!size->dtype.is_integral() || !size->dtype.is_scalar())
      return "the size `" + size->name + "` must be an integer, not " + size->dtype.ToString();
  }
  return "";
}

string CheckConstructorName(const string& name) {
  const auto [type, constructor] = SplitConstructor(name);
  return type.empty() || constructor.empty()
             ? "`" + name + "` is no data type, a dot and a constructor"
             : "";
}

}  // namespace

std::string CheckGraphNode(const Node& base) {
  switch (base.node_kind()) {
    case NodeKind::kTensorType:
      return CheckTensorType(static_cast<const TensorType&>(base));
    case NodeKind::kTupleType:
      return CheckTypes(static_cast<const TupleType&>(base).fields);
    case NodeKind::kFuncType: {
      const auto& node = static_cast<const FuncType&>(base);
      const string problem = CheckTypes(node.params);
      return problem.empty() ? CheckTypes({node.result}) : problem;
    }
    case NodeKind::kTypeRef:
      return static_cast<const TypeRef&>(base).name.empty() ? "a data type needs a name" : "";
    case NodeKind::kGraphVarNode:
      return CheckType(static_cast<const GraphVarNode&>(base).type);
    case NodeKind::kGraphBinding: {
      const auto& node = static_cast<const GraphBinding&>(base);
      if (!IsGraphValue(node.value.get()))
        return string("a binding cannot compute a ") + NodeKindName(node.value->node_kind());
      return CheckSizes(node.sizes);
    }
    case NodeKind::kGraphCall:
      return static_cast<const GraphCall&>(base).op.empty() ? "a call needs the name of an operator"
                                                            : "";
    case NodeKind::kGraphTupleGet: {
      const int64_t index = static_cast<const GraphTupleGet&>(base).index;
      return index >= 0 ? "" : "a tuple has no element " + std::to_string(index);
    }
    case NodeKind::kGraphFunc: {
      const auto& node = static_cast<const GraphFunc&>(base);
      const string problem = CheckSizes(node.sizes);
      return problem.empty() ? CheckType(node.result_type) : problem;
    }
    case NodeKind::kGraphInvoke: {
      const auto& node = static_cast<const GraphInvoke&>(base);
      if (node.global.empty() != !node.callee) return "";
      return !node.callee ? "no function is given"
                          : "a function of the module and one that is a value are given";
    }
    case NodeKind::kGraphLoop: {
      const auto& node = static_cast<const GraphLoop&>(base);
      if (node.init.size() == node.carried.size()) return "";
      return "a loop carries " + std::to_string(node.carried.size()) + " values, and begins with " +
             std::to_string(node.init.size());
    }
    case NodeKind::kGraphConstructor: {
      const auto& node = static_cast<const GraphConstructor&>(base);
      if (node.name.empty() || node.name.find('.') != string::npos)
        return "`" + node.name + "` cannot be the name of a constructor";
      return CheckTypes(node.fields);
    }
    case NodeKind::kGraphDataType:
      return static_cast<const GraphDataType&>(base).name.empty() ? "a data type needs a name" : "";
    case NodeKind::kGraphConstruct:
      return CheckConstructorName(static_cast<const GraphConstruct&>(base).constructor);
    case NodeKind::kGraphCase:
      return CheckConstructorName(static_cast<const GraphCase&>(base).constructor);
    default:
      return "";
  }
}

}  // namespace lathe::ir
