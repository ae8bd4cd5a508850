// Builds the field tables of all node kinds from the structs' field lists.

#include <array>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "ir/constants.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/node.h"
#include "ir/tensor_op.h"

namespace lathe::ir {
namespace internal {

struct FieldOps {
  const Node* (*node)(const void* at) = nullptr;
  bool (*set_node)(void* at, NodeRef value, bool nullable) = nullptr;
  size_t (*list_size)(const void* at) = nullptr;
  const Node* (*list_at)(const void* at, size_t i) = nullptr;
  bool (*set_list)(void* at, std::vector<NodeRef> values) = nullptr;
  int (*enumerator)(const void* at) = nullptr;
  void (*set_enumerator)(void* at, int value) = nullptr;
};

}  // namespace internal

namespace {

using internal::FieldOps;

// Does a node of `kind` belong in a Ref<const T>?
template <class T>
bool Fits(NodeKind kind) {
  if constexpr (std::is_same_v<T, Node>) {
    return true;
  } else if constexpr (std::is_same_v<T, ExprNode>) {
    return IsExpr(kind);
  } else if constexpr (std::is_same_v<T, StmtNode>) {
    return IsStmt(kind);
  } else if constexpr (std::is_same_v<T, OpNode>) {
    return IsOp(kind);
  } else {
    return kind == KindOf<T>::kValue;
  }
}

// The reverse of the handle's upcast. Call it only if Fits<T> holds.
template <class T>
Ref<const T> Downcast(NodeRef node) {
  return Ref<const T>::Adopt(static_cast<const T*>(node.release()));
}

template <class T>
constexpr FieldOps MakeNodeOps() {
  FieldOps ops;
  ops.node = [](const void* at) -> const Node* {
    return static_cast<const Ref<const T>*>(at)->get();
  };
  ops.set_node = [](void* at, NodeRef value, bool nullable) {
    if (!value) {
      if (!nullable) return false;
      *static_cast<Ref<const T>*>(at) = nullptr;
      return true;
    }
    if (!Fits<T>(value->node_kind())) return false;
    *static_cast<Ref<const T>*>(at) = Downcast<T>(std::move(value));
    return true;
  };
  return ops;
}

template <class T>
constexpr FieldOps MakeListOps() {
  FieldOps ops;
  ops.list_size = [](const void* at) { return static_cast<const List<T>*>(at)->size(); };
  ops.list_at = [](const void* at, size_t i) -> const Node* {
    return (*static_cast<const List<T>*>(at))[i].get();
  };
  ops.set_list = [](void* at, std::vector<NodeRef> values) {
    List<T> list;
    list.reserve(values.size());
    for (NodeRef& value : values) {
      if (!value || !Fits<T>(value->node_kind())) return false;
      list.push_back(Downcast<T>(std::move(value)));
    }
    *static_cast<List<T>*>(at) = std::move(list);
    return true;
  };
  return ops;
}

template <class E>
constexpr FieldOps MakeEnumOps() {
  FieldOps ops;
  ops.enumerator = [](const void* at) { return static_cast<int>(*static_cast<const E*>(at)); };
  ops.set_enumerator = [](void* at, int value) { *static_cast<E*>(at) = static_cast<E>(value); };
  return ops;
}

template <class T>
constexpr FieldOps kNodeOps = MakeNodeOps<T>();
template <class T>
constexpr FieldOps kListOps = MakeListOps<T>();
template <class E>
constexpr FieldOps kEnumOps = MakeEnumOps<E>();
constexpr FieldOps kNoOps;

template <class T>
struct MemberType {
  static_assert(!sizeof(T), "a field's type is none that the IR knows");
};
template <class T>
struct MemberType<Ref<const T>> {
  static constexpr FieldType kType = FieldType::kNode;
  static constexpr const FieldOps* kOps = &kNodeOps<T>;
};
template <class T>
struct MemberType<std::vector<Ref<const T>>> {
  static constexpr FieldType kType = FieldType::kList;
  static constexpr const FieldOps* kOps = &kListOps<T>;
};
#define LATHE_PLAIN_MEMBER(Type, kind)                  \
  template <>                                           \
  struct MemberType<Type> {                             \
    static constexpr FieldType kType = FieldType::kind; \
    static constexpr const FieldOps* kOps = &kNoOps;    \
  };
LATHE_PLAIN_MEMBER(Dict, kDict)
LATHE_PLAIN_MEMBER(std::string, kString)
LATHE_PLAIN_MEMBER(int64_t, kInt)
LATHE_PLAIN_MEMBER(double, kFloat)
LATHE_PLAIN_MEMBER(bool, kBool)
LATHE_PLAIN_MEMBER(DataType, kDType)
LATHE_PLAIN_MEMBER(Ref<const Blob>, kBlob)
#undef LATHE_PLAIN_MEMBER

// Receives the field list of a struct. Offsets are read from a real instance.
template <class T>
class Collector {
 public:
  explicit Collector(std::vector<FieldInfo>* out) : out_(out) {}
  template <class C, class M>
  void Field(const char* name, M C::* member) {
    Push(name, member, FieldRole::kChild, false);
  }
  template <class C, class M>
  void Optional(const char* name, M C::* member) {
    Push(name, member, FieldRole::kChild, true);
  }
  template <class C, class M>
  void Define(const char* name, M C::* member) {
    Push(name, member, FieldRole::kDefine, false);
  }
  template <class C, class M>
  void Refer(const char* name, M C::* member) {
    Push(name, member, FieldRole::kRefer, false);
  }
  template <class C, class M>
  void OptionalRefer(const char* name, M C::* member) {
    Push(name, member, FieldRole::kRefer, true);
  }
  template <class C, class E, size_t N>
  void Enum(const char* name, E C::* member, const char* const (&names)[N]) {
    out_->push_back({name, FieldType::kEnum, FieldRole::kChild, false, Offset(member), &kEnumOps<E>,
                     std::span<const char* const>(names, N)});
  }

 private:
  template <class C, class M>
  void Push(const char* name, M C::* member, FieldRole role, bool nullable) {
    out_->push_back(
        {name, MemberType<M>::kType, role, nullable, Offset(member), MemberType<M>::kOps, {}});
  }
  template <class C, class M>
  uint32_t Offset(M C::* member) {
    const T& instance = *instance_;
    return static_cast<uint32_t>(
        reinterpret_cast<const char*>(&(instance.*member)) -
        reinterpret_cast<const char*>(static_cast<const Node*>(&instance)));
  }

  std::vector<FieldInfo>* out_;
  Ref<T> instance_ = Make<T>();
};

struct KindInfo {
  const char* name = nullptr;
  std::vector<FieldInfo> fields;
  Ref<Node> (*make)() = nullptr;
  Ref<Node> (*clone)(const Node&) = nullptr;
};

// Copies the fields in the list, so the round-trip tests notice a field that is not in the list.
template <class T>
struct Copier {
  const T& from;
  T& to;
  template <class C, class M>
  void Field(const char*, M C::* member) {
    to.*member = from.*member;
  }
  template <class C, class M>
  void Optional(const char*, M C::* member) {
    to.*member = from.*member;
  }
  template <class C, class M>
  void Define(const char*, M C::* member) {
    to.*member = from.*member;
  }
  template <class C, class M>
  void Refer(const char*, M C::* member) {
    to.*member = from.*member;
  }
  template <class C, class M>
  void OptionalRefer(const char*, M C::* member) {
    to.*member = from.*member;
  }
  template <class C, class E, size_t N>
  void Enum(const char*, E C::* member, const char* const (&)[N]) {
    to.*member = from.*member;
  }
};

template <class T>
Ref<Node> Clone(const Node& node) {
  Ref<T> copy = Make<T>();
  const T& from = static_cast<const T&>(node);
  T& to = *copy;
  to.span = from.span;
  T::Fields(Copier<T>{from, to});
  return copy;
}

const std::array<KindInfo, 256>& Kinds() {
  static const auto* const kinds = [] {
    auto* table = new std::array<KindInfo, 256>();
#define LATHE_NODE(Struct, number)                        \
  {                                                       \
    KindInfo& info = (*table)[number];                    \
    info.name = #Struct;                                  \
    Struct::Fields(Collector<Struct>(&info.fields));      \
    info.make = [] { return Ref<Node>(Make<Struct>()); }; \
    info.clone = &Clone<Struct>;                          \
  }
#include "ir/nodes.def"
    return table;
  }();
  return *kinds;
}

void* Address(Node& owner, uint32_t offset) { return reinterpret_cast<char*>(&owner) + offset; }
const void* Address(const Node& owner, uint32_t offset) {
  return reinterpret_cast<const char*>(&owner) + offset;
}
template <class M>
const M& At(const Node& owner, const FieldInfo& field) {
  return *static_cast<const M*>(Address(owner, field.offset));
}
template <class M>
M& At(Node& owner, const FieldInfo& field) {
  return *static_cast<M*>(Address(owner, field.offset));
}

}  // namespace

const Node* FieldInfo::node(const Node& owner) const { return ops->node(Address(owner, offset)); }
bool FieldInfo::set_node(Node& owner, NodeRef value) const {
  return ops->set_node(Address(owner, offset), std::move(value), nullable);
}
size_t FieldInfo::list_size(const Node& owner) const {
  return ops->list_size(Address(owner, offset));
}
const Node* FieldInfo::list_at(const Node& owner, size_t i) const {
  return ops->list_at(Address(owner, offset), i);
}
bool FieldInfo::set_list(Node& owner, std::vector<NodeRef> values) const {
  return ops->set_list(Address(owner, offset), std::move(values));
}
const Dict& FieldInfo::dict(const Node& owner) const { return At<Dict>(owner, *this); }
void FieldInfo::set_dict(Node& owner, Dict value) const {
  At<Dict>(owner, *this) = std::move(value);
}
const std::string& FieldInfo::string(const Node& owner) const {
  return At<std::string>(owner, *this);
}
void FieldInfo::set_string(Node& owner, std::string value) const {
  At<std::string>(owner, *this) = std::move(value);
}
int64_t FieldInfo::integer(const Node& owner) const { return At<int64_t>(owner, *this); }
void FieldInfo::set_integer(Node& owner, int64_t value) const { At<int64_t>(owner, *this) = value; }
double FieldInfo::number(const Node& owner) const { return At<double>(owner, *this); }
void FieldInfo::set_number(Node& owner, double value) const { At<double>(owner, *this) = value; }
bool FieldInfo::boolean(const Node& owner) const { return At<bool>(owner, *this); }
void FieldInfo::set_boolean(Node& owner, bool value) const { At<bool>(owner, *this) = value; }
DataType FieldInfo::dtype(const Node& owner) const { return At<DataType>(owner, *this); }
void FieldInfo::set_dtype(Node& owner, DataType value) const { At<DataType>(owner, *this) = value; }
int FieldInfo::enumerator(const Node& owner) const {
  return ops->enumerator(Address(owner, offset));
}
bool FieldInfo::set_enumerator(Node& owner, int value) const {
  if (value < 0 || static_cast<size_t>(value) >= enum_names.size()) return false;
  ops->set_enumerator(Address(owner, offset), value);
  return true;
}

const Ref<const Blob>& FieldInfo::blob(const Node& owner) const {
  return At<Ref<const Blob>>(owner, *this);
}
void FieldInfo::set_blob(Node& owner, Ref<const Blob> value) const {
  At<Ref<const Blob>>(owner, *this) = std::move(value);
}

std::span<const NodeKind> AllNodeKinds() {
  static constexpr NodeKind kAll[] = {
#define LATHE_NODE(Struct, number) NodeKind::k##Struct,
#include "ir/nodes.def"
  };
  return kAll;
}

bool IsNodeKind(int number) {
  return number >= 0 && number < 256 && Kinds()[static_cast<size_t>(number)].name != nullptr;
}

const char* NodeKindName(NodeKind kind) {
  switch (kind) {
    case NodeKind::kVarNode:
      return "Var";
    case NodeKind::kRangeNode:
      return "Range";
    case NodeKind::kIterVarNode:
      return "IterVar";
    case NodeKind::kBufferNode:
      return "Buffer";
    case NodeKind::kReducerNode:
      return "Reducer";
    case NodeKind::kFuncNode:
      return "Func";
    case NodeKind::kModuleNode:
      return "Module";
    case NodeKind::kTensorNode:
      return "Tensor";
    case NodeKind::kTensorIntrinNode:
      return "TensorIntrin";
    case NodeKind::kProgramNode:
      return "Program";
    case NodeKind::kStepNode:
      return "Step";
    case NodeKind::kGraphVarNode:
      return "GraphVar";
    case NodeKind::kGraphModuleNode:
      return "GraphModule";
    default:
      return Kinds()[static_cast<size_t>(kind)].name;
  }
}

std::span<const FieldInfo> FieldsOf(NodeKind kind) {
  return Kinds()[static_cast<size_t>(kind)].fields;
}

Ref<Node> NewNode(NodeKind kind) {
  LATHE_CHECK(IsNodeKind(static_cast<int>(kind)));
  return Kinds()[static_cast<size_t>(kind)].make();
}

Ref<Node> CloneNode(const Node& node) {
  return Kinds()[static_cast<size_t>(node.node_kind())].clone(node);
}

bool IsExpr(NodeKind kind) { return kind >= NodeKind::kIntImm && kind <= NodeKind::kReduce; }
bool IsStmt(NodeKind kind) { return kind >= NodeKind::kStore && kind <= NodeKind::kAttr; }
bool IsOp(NodeKind kind) {
  return kind >= NodeKind::kPlaceholderOp && kind <= NodeKind::kTensorComputeOp;
}

}  // namespace lathe::ir
