#include <bit>
#include <limits>
#include <vector>

#include "base/error.h"
#include "ir/binary.h"
#include "ir/binary_format.h"
#include "ir/constants.h"
#include "ir/graph.h"
#include "ir/tensor_op.h"

namespace lathe::ir {
namespace {

using internal::UnZigZag;

[[noreturn]] void Refuse(const char* name, std::string message, std::string expected = "",
                         std::string found = "", std::string help = "") {
  throw Error(Diagnostic{.name = name,
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

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

class Decoder {
 public:
  Decoder(std::string_view bytes, const DecodeLimits& limits) : bytes_(bytes), limits_(limits) {}

  NodeRef Run();

  // -- For the per-kind functions.
  uint8_t Byte() {
    if (at_ >= bytes_.size()) Truncated();
    return static_cast<uint8_t>(bytes_[at_++]);
  }
  uint64_t Varint() {
    const uint8_t first = Byte();
    return first < 0x80 ? first : LongVarint(first);
  }
  uint64_t Fixed64() {
    if (bytes_.size() - at_ < 8) Truncated();
    uint64_t value = 0;
    for (int i = 0; i < 64; i += 8) value |= uint64_t{Byte()} << i;
    return value;
  }
  // A count of items that take at least one byte each.
  size_t Count() {
    const uint64_t count = Varint();
    if (count > bytes_.size() - at_) Truncated();
    return static_cast<size_t>(count);
  }
  std::string String() {
    const std::string_view text = StringAt(Varint());
    string_bytes_ += text.size();
    if (string_bytes_ > 16 * bytes_.size() + 65536) {
      Refuse("binary-limit", "the text of the nodes is out of proportion to the input",
             "at most 16 times the input's size");
    }
    return std::string(text);
  }
  Ref<const Blob> Data() {
    Digest digest;
    digest.low = Fixed64();
    digest.high = Fixed64();
    Ref<const Blob> blob = Blob::Find(digest);
    if (!blob) {
      Refuse(
          "constant-not-here", "the IR names a constant whose data does not travel with it",
          "a program that holds the constant in this process", digest.ToString(),
          "hand the data over first (Blob::Copy), or read the program's text, which can hold it");
    }
    return blob;
  }
  DataType Type() {
    const uint64_t index = Varint();
    if (index >= types_.size()) Malformed("a type's number is out of range");
    return types_[static_cast<size_t>(index)];
  }
  // Reads the number of a child, plus one (0: null). Returns the child, and counts its depth and
  // size.
  template <class T>
  Ref<const T> Child(bool nullable, FieldRole role, const char* field) {
    const uint64_t index = Varint();
    if (index == 0) {
      if (!nullable) Malformed(std::string("the field `") + field + "` must not be null");
      return nullptr;
    }
    if (index > nodes_.size()) Malformed("a node refers to one that does not come before it");
    const Made& child = nodes_[static_cast<size_t>(index - 1)];
    const NodeKind kind = child.node->node_kind();
    if (!Fits<T>(kind)) {
      Malformed(std::string("the field `") + field + "` cannot hold a " + NodeKindName(kind));
    }
    depth_ = std::max(depth_, child.depth + 1);
    if (role != FieldRole::kRefer || IsExpr(kind)) tree_size_ += child.tree_size;
    return Ref<const T>(static_cast<const T*>(child.node.get()));
  }
  [[noreturn]] void Malformed(std::string message) {
    Refuse("binary-malformed", "this is no sound binary form of IR: " + message, "", Where());
  }

 private:
  struct Made {
    NodeRef node;
    uint32_t depth;
    uint64_t tree_size;
  };

  std::string Where() const {
    return "byte " + std::to_string(at_) + " of " + std::to_string(bytes_.size());
  }
  [[noreturn]] void Truncated() {
    Refuse("binary-truncated", "the binary form ends too early", "", Where(),
           "the file or message was cut; make it again");
  }
  uint64_t LongVarint(uint8_t first) {
    uint64_t value = first & 0x7f;
    for (int shift = 7; shift < 64; shift += 7) {
      const uint8_t byte = Byte();
      if (shift == 63 && byte > 1) Malformed("a number has more than 64 bits");
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) {
        if (byte == 0) Malformed("a number has more bytes than it needs");
        return value;
      }
    }
    Malformed("a number has more than 64 bits");
  }
  std::string_view StringAt(uint64_t index) {
    if (index > strings_.size()) Malformed("a string's number is out of range");
    return index == 0 ? std::string_view() : strings_[static_cast<size_t>(index - 1)];
  }
  void Header();
  void ReadNode();

  std::string_view bytes_;
  DecodeLimits limits_;
  size_t at_ = 0;
  bool spans_ = false;
  std::vector<std::string_view> strings_;
  std::vector<DataType> types_;
  std::vector<Made> nodes_;
  size_t string_bytes_ = 0;
  // The depth and the tree size of the node that is being read.
  uint32_t depth_ = 0;
  uint64_t tree_size_ = 0;
};

template <class T>
struct ReadFields {
  T& node;
  Decoder& in;
  template <class U>
  void Read(const char* name, Ref<const U>& value, bool nullable, FieldRole role) {
    value = in.Child<U>(nullable, role, name);
  }
  template <class U>
  void Read(const char* name, std::vector<Ref<const U>>& value, bool, FieldRole role) {
    const size_t count = in.Count();
    value.reserve(count);
    for (size_t i = 0; i < count; ++i) value.push_back(in.Child<U>(false, role, name));
  }
  void Read(const char* name, Dict& value, bool, FieldRole role) {
    const size_t count = in.Count();
    for (size_t i = 0; i < count; ++i) {
      std::string key = in.String();
      if (!value.empty() && key <= value.rbegin()->first)
        in.Malformed("keys must be in rising order");
      value.emplace_hint(value.end(), std::move(key), in.Child<Node>(false, role, name));
    }
  }
  void Read(const char*, std::string& value, bool, FieldRole) { value = in.String(); }
  void Read(const char*, int64_t& value, bool, FieldRole) { value = UnZigZag(in.Varint()); }
  void Read(const char*, double& value, bool, FieldRole) {
    value = std::bit_cast<double>(in.Fixed64());
  }
  void Read(const char*, bool& value, bool, FieldRole) {
    const uint8_t byte = in.Byte();
    if (byte > 1) in.Malformed("a truth value is neither 0 nor 1");
    value = byte == 1;
  }
  void Read(const char*, DataType& value, bool, FieldRole) { value = in.Type(); }
  void Read(const char*, Ref<const Blob>& value, bool, FieldRole) { value = in.Data(); }

  template <class C, class M>
  void Field(const char* name, M C::* member) {
    Read(name, node.*member, false, FieldRole::kChild);
  }
  template <class C, class M>
  void Optional(const char* name, M C::* member) {
    Read(name, node.*member, true, FieldRole::kChild);
  }
  template <class C, class M>
  void Define(const char* name, M C::* member) {
    Read(name, node.*member, false, FieldRole::kDefine);
  }
  template <class C, class M>
  void Refer(const char* name, M C::* member) {
    Read(name, node.*member, false, FieldRole::kRefer);
  }
  template <class C, class M>
  void OptionalRefer(const char* name, M C::* member) {
    Read(name, node.*member, true, FieldRole::kRefer);
  }
  template <class C, class E, size_t N>
  void Enum(const char* name, E C::* member, const char* const (&)[N]) {
    const uint8_t byte = in.Byte();
    if (byte >= N) in.Malformed(std::string("the field `") + name + "` has no such value");
    node.*member = static_cast<E>(byte);
  }
};

template <class T>
Ref<Node> ReadKind(Decoder& in) {
  Ref<T> node = Make<T>();
  T::Fields(ReadFields<T>{*node, in});
  return node;
}

Ref<Node> ReadByKind(uint8_t kind, Decoder& in) {
  switch (static_cast<NodeKind>(kind)) {
#define LATHE_NODE(Struct, number) \
  case NodeKind::k##Struct:        \
    return ReadKind<Struct>(in);
#include "ir/nodes.def"
  }
  return nullptr;
}

bool IsKnownType(DLDataType dl) {
  DataType parsed;
  const DataType type(dl);
  return DataType::Parse(type.ToString(), &parsed) && parsed == type;
}

void Decoder::Header() {
  if (!bytes_.starts_with(internal::kBinaryMagic)) {
    Refuse("binary-magic", "this is not the binary form of Lathe's IR",
           "the eight bytes 8c 4c 61 74 68 65 49 52 first",
           bytes_.size() < internal::kBinaryMagic.size()
               ? "an input of " + std::to_string(bytes_.size()) + " bytes"
               : "other bytes");
  }
  at_ = internal::kBinaryMagic.size();
  const uint64_t version = Varint();
  const uint64_t level = Varint();
  if (version != kBinaryVersion || level > kBinaryLevel) {
    Refuse("binary-version", "the IR was written by another version of Lathe",
           "version " + std::to_string(kBinaryVersion) + ", level up to " +
               std::to_string(kBinaryLevel),
           "version " + std::to_string(version) + ", level " + std::to_string(level),
           "build the reader with the SDK of that version, or write the IR with this one");
  }
  const uint64_t flags = Varint();
  if ((flags & ~internal::kFlagSpans) != 0) Malformed("unknown flags");
  spans_ = (flags & internal::kFlagSpans) != 0;
  const size_t strings = Count();
  strings_.reserve(strings);
  for (size_t i = 0; i < strings; ++i) {
    const size_t size = Count();
    if (size == 0) Malformed("the empty string is not listed");
    strings_.push_back(bytes_.substr(at_, size));
    at_ += size;
  }
  const size_t types = Count();
  for (size_t i = 0; i < types; ++i) {
    DLDataType dl;
    dl.code = Byte();
    dl.bits = Byte();
    const uint8_t low = Byte();
    dl.lanes = static_cast<uint16_t>(low | Byte() << 8);
    if (!IsKnownType(dl)) Malformed("an element type that is none");
    types_.emplace_back(dl);
  }
}

void Decoder::ReadNode() {
  const uint8_t kind = Byte();
  Span span;
  if (spans_) {
    const uint64_t line = Varint(), column = Varint();
    constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
    if (line > kMost || column > kMost) Malformed("a place is out of range");
    span = {static_cast<uint32_t>(line), static_cast<uint32_t>(column)};
  }
  depth_ = 1;
  tree_size_ = 1;
  Ref<Node> node = ReadByKind(kind, *this);
  if (!node) {
    Refuse("binary-unknown-kind", "a node of a kind that this reader does not know",
           "the kinds of version " + std::to_string(kBinaryVersion) + ", level " +
               std::to_string(kBinaryLevel),
           "kind " + std::to_string(kind) + " at " + Where(),
           "rebuild the reader with the SDK that the IR was written with");
  }
  node->span = span;
  if (depth_ > limits_.max_depth) {
    Refuse("binary-limit", "the IR is nested too deeply",
           std::to_string(limits_.max_depth) + " levels");
  }
  if (tree_size_ > limits_.max_tree_size) {
    Refuse("binary-limit", "the IR is too large when shared nodes count at every use",
           "at most " + std::to_string(limits_.max_tree_size) + " nodes");
  }
  if (std::string problem = CheckNode(*node); !problem.empty()) {
    Refuse("binary-ill-formed",
           std::string("a ") + NodeKindName(node->node_kind()) + " is not sound: " + problem, "",
           Where());
  }
  nodes_.push_back({std::move(node), depth_, tree_size_});
}

NodeRef Decoder::Run() {
  if (bytes_.size() > limits_.max_bytes) {
    Refuse("binary-limit", "the input is too large",
           "at most " + std::to_string(limits_.max_bytes) + " bytes",
           std::to_string(bytes_.size()));
  }
  Header();
  const size_t count = Count();
  if (count == 0) Malformed("it holds no node");
  if (count > limits_.max_nodes) {
    Refuse("binary-limit", "too many nodes", "at most " + std::to_string(limits_.max_nodes),
           std::to_string(count));
  }
  nodes_.reserve(count);
  for (size_t i = 0; i < count; ++i) ReadNode();
  if (at_ != bytes_.size()) Malformed("bytes follow the last node");
  for (size_t i = 0; i + 1 < count; ++i) {
    if (nodes_[i].node->unique()) Malformed("a node that no other one uses");
  }
  return nodes_.back().node;
}

}  // namespace

NodeRef DecodeNode(std::string_view bytes, const DecodeLimits& limits) {
  return Decoder(bytes, limits).Run();
}

Module DecodeModule(std::string_view bytes, const DecodeLimits& limits) {
  Module module = RefAs<ModuleNode>(DecodeNode(bytes, limits));
  if (!module) {
    Refuse("binary-malformed", "the binary form holds no module", "a Module as its root");
  }
  return module;
}

}  // namespace lathe::ir
