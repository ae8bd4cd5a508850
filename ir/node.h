// The base of all IR nodes, and the field lists from which all generic code is derived.
//
// A node is a plain struct of public fields, behind a handle `Ref<const T>`. It is immutable once
// it is made. It lists its fields once, in `Fields`. Structural equality and hash, walking,
// rewriting, the binary form, the generic text form and the Python properties read that list
// through `FieldsOf(kind)`. To add a node, write a struct with its field list, and one line in
// nodes.def (docs/adding_a_node.md).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/blob.h"
#include "base/dtype.h"
#include "base/object.h"

namespace lathe::ir {

enum class NodeKind : uint8_t {
#define LATHE_NODE(Struct, number) k##Struct = number,
#include "ir/nodes.def"
};

// The position in a program text at which a node was read. Not part of structural equality. By
// default it is not passed to plugins.
struct Span {
  uint32_t line = 0;  // from 1; 0: unknown
  uint32_t column = 0;
};

class Node : public Object {
 public:
  NodeKind node_kind() const { return static_cast<NodeKind>(kind - LATHE_OBJECT_NODE); }
  Span span;

 protected:
  explicit Node(NodeKind node_kind)
      : Object(LATHE_OBJECT_NODE + static_cast<uint32_t>(node_kind)) {}
};

using NodeRef = Ref<const Node>;
template <class T>
using List = std::vector<Ref<const T>>;
// Annotations and attributes. Values are expressions (numbers, strings) or any other node.
using Dict = std::map<std::string, NodeRef, std::less<>>;

#define LATHE_NODE(Struct, number) struct Struct;
#include "ir/nodes.def"

template <class T>
struct KindOf;
#define LATHE_NODE(Struct, number)                          \
  template <>                                               \
  struct KindOf<Struct> {                                   \
    static constexpr NodeKind kValue = NodeKind::k##Struct; \
  };
#include "ir/nodes.def"

// The node as a T, or null. Accepts null.
template <class T>
const T* As(const Node* node) {
  return node != nullptr && node->node_kind() == KindOf<std::remove_const_t<T>>::kValue
             ? static_cast<const T*>(node)
             : nullptr;
}
template <class T, class U>
const T* As(const Ref<const U>& ref) {
  return As<T>(static_cast<const Node*>(ref.get()));
}
template <class T, class U>
Ref<const T> RefAs(const Ref<const U>& ref) {
  return Ref<const T>(As<T>(ref));
}

// The type of a field. It decides which accessors of FieldInfo may be used.
enum class FieldType : uint8_t {
  kNode,
  kList,
  kDict,
  kString,
  kInt,
  kFloat,
  kBool,
  kDType,
  kEnum,
  kBlob
};

// The relation of the nodes in a field to the node with the field.
enum class FieldRole : uint8_t {
  kChild,   // owned: walked and rewritten
  kDefine,  // a variable, iteration variable or buffer that this node introduces: walked, then
            // renamed in what follows
  kRefer,   // a use of something defined elsewhere: not walked; follows renaming
};

namespace internal {
struct FieldOps;  // type-erased access to a member, see reflection.cc
}

// One field of one node kind. Call only the accessors of its type. A setter returns false if the
// value's kind does not fit (a statement instead of an expression, a null where a node is
// required); the field is then unchanged.
struct FieldInfo {
  const char* name;
  FieldType type;
  FieldRole role;
  bool nullable;
  uint32_t offset;
  const internal::FieldOps* ops;
  std::span<const char* const> enum_names;

  const Node* node(const Node& owner) const;
  bool set_node(Node& owner, NodeRef value) const;
  size_t list_size(const Node& owner) const;
  const Node* list_at(const Node& owner, size_t i) const;
  bool set_list(Node& owner, std::vector<NodeRef> values) const;
  const Dict& dict(const Node& owner) const;
  void set_dict(Node& owner, Dict value) const;
  const std::string& string(const Node& owner) const;
  void set_string(Node& owner, std::string value) const;
  int64_t integer(const Node& owner) const;
  void set_integer(Node& owner, int64_t value) const;
  double number(const Node& owner) const;
  void set_number(Node& owner, double value) const;
  bool boolean(const Node& owner) const;
  void set_boolean(Node& owner, bool value) const;
  DataType dtype(const Node& owner) const;
  void set_dtype(Node& owner, DataType value) const;
  int enumerator(const Node& owner) const;
  bool set_enumerator(Node& owner, int value) const;
  const Ref<const Blob>& blob(const Node& owner) const;
  void set_blob(Node& owner, Ref<const Blob> value) const;
};

// All node kinds, in the order of nodes.def.
std::span<const NodeKind> AllNodeKinds();
// False if `number` is not a kind.
bool IsNodeKind(int number);
// "Add", "For", "Var" (the struct's name without "Node").
const char* NodeKindName(NodeKind kind);
std::span<const FieldInfo> FieldsOf(NodeKind kind);
// A node of `kind` with default fields. Fill it through the setters before any other code sees it.
Ref<Node> NewNode(NodeKind kind);
// A shallow copy: the new node has the same fields, and shares the children.
Ref<Node> CloneNode(const Node& node);
// Makes the checks of the node's factory (operand types agree, lanes fit, ranks match). Returns
// what is wrong; empty if the node is sound. For nodes that came from outside (text, bytes) and
// were filled field by field.
std::string CheckNode(const Node& node);

bool IsExpr(NodeKind kind);
bool IsStmt(NodeKind kind);
bool IsOp(NodeKind kind);
inline bool IsExpr(const Node* node) { return node != nullptr && IsExpr(node->node_kind()); }
inline bool IsStmt(const Node* node) { return node != nullptr && IsStmt(node->node_kind()); }
inline bool IsOp(const Node* node) { return node != nullptr && IsOp(node->node_kind()); }

struct ExprNode : Node {
  DataType dtype;

 protected:
  using Node::Node;
};
struct StmtNode : Node {
 protected:
  using Node::Node;
};

using Expr = Ref<const ExprNode>;
using Stmt = Ref<const StmtNode>;
using Var = Ref<const VarNode>;
using Range = Ref<const RangeNode>;
using IterVar = Ref<const IterVarNode>;
using Buffer = Ref<const BufferNode>;
using Reducer = Ref<const ReducerNode>;
using Func = Ref<const FuncNode>;
using Module = Ref<const ModuleNode>;
using Tensor = Ref<const TensorNode>;

inline Expr RefExpr(const NodeRef& node) {
  return IsExpr(node.get()) ? Expr(static_cast<const ExprNode*>(node.get())) : Expr();
}
inline Stmt RefStmt(const NodeRef& node) {
  return IsStmt(node.get()) ? Stmt(static_cast<const StmtNode*>(node.get())) : Stmt();
}

// Base class of the node struct T; it sets the kind. Base is ExprNode, StmtNode or Node.
template <class T, class Base>
struct NodeOf : Base {
 protected:
  NodeOf() : Base(KindOf<T>::kValue) {}
};

}  // namespace lathe::ir
