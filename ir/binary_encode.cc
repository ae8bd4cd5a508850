// Nodes are written after their children. The bytes of a node name its children by number, so equal
// nodes have equal bytes. The bytes just written are looked up among the earlier ones, and dropped
// if they are already there. So the form does not depend on sharing, and needs no second traversal.
// Nodes with identity are looked up only by address.

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/poll.h"
#include "ir/binary.h"
#include "ir/binary_format.h"
#include "ir/constants.h"
#include "ir/graph.h"
#include "ir/tensor_op.h"

namespace lathe::ir {
namespace {

using internal::ZigZag;

bool HasIdentity(NodeKind kind) {
  return kind == NodeKind::kVarNode || kind == NodeKind::kBufferNode ||
         kind == NodeKind::kIterVarNode || kind == NodeKind::kTensorIntrinNode ||
         kind == NodeKind::kGraphVarNode || IsOp(kind);
}

// Grows by doubling; writing a byte is a store and a comparison.
class Bytes {
 public:
  // This many bytes after the last one may be read.
  static constexpr size_t kSlack = 8;

  void Byte(uint8_t value) {
    if (size_ + kSlack >= data_.size()) data_.resize(2 * size_ + 256);
    data_[size_++] = static_cast<char>(value);
  }
  void Varint(uint64_t value) {
    while (value >= 0x80) {
      Byte(static_cast<uint8_t>(value | 0x80));
      value >>= 7;
    }
    Byte(static_cast<uint8_t>(value));
  }
  void Fixed64(uint64_t value) {
    for (int i = 0; i < 64; i += 8) Byte(static_cast<uint8_t>(value >> i));
  }
  void Append(std::string_view text) {
    if (data_.size() - size_ < text.size() + kSlack) data_.resize(2 * size_ + text.size() + kSlack);
    text.copy(data_.data() + size_, text.size());
    size_ += text.size();
  }
  size_t size() const { return size_; }
  const char* data() const { return data_.data(); }
  void Truncate(size_t size) { size_ = size; }
  std::string_view view() const { return {data_.data(), size_}; }

 private:
  std::string data_;
  size_t size_ = 0;
};

// Maps the addresses of nodes to their numbers.
class Numbers {
 public:
  Numbers() : slots_(64) {}
  // Null if the node has no number yet.
  const uint32_t* Find(const Node* node) const {
    for (size_t at = Hash(node);; ++at) {
      const Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.node == node) return &slot.number;
      if (slot.node == nullptr) return nullptr;
    }
  }
  // Adds a node that has no number yet.
  void Add(const Node* node, uint32_t number) {
    if (++used_ * 2 > slots_.size()) {
      std::vector<Slot> old(slots_.size() * 2);
      old.swap(slots_);
      for (const Slot& slot : old) {
        if (slot.node != nullptr) Put(slot);
      }
    }
    Put({node, number});
  }

 private:
  struct Slot {
    const Node* node = nullptr;
    uint32_t number = 0;
  };
  static size_t Hash(const Node* node) {
    return static_cast<size_t>((reinterpret_cast<uintptr_t>(node) >> 4) * 0x9e3779b97f4a7c15u >>
                               20);
  }
  void Put(const Slot& slot) {
    size_t at = Hash(slot.node);
    while (slots_[at & (slots_.size() - 1)].node != nullptr) ++at;
    slots_[at & (slots_.size() - 1)] = slot;
  }

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

class Encoder {
 public:
  explicit Encoder(const EncodeOptions& options) : options_(options), slots_(256) {}

  std::string Run(const Node& root);

  // -- For the per-kind functions.
  void Child(const Node* child, bool nullable, const char* field) {
    if (child != nullptr) {
      work_.push_back({child, false});
    } else if (!nullable) {
      Null(field);
    }
  }
  void Reference(bool present) { body_.Varint(present ? results_[next_result_++] + 1 : 0); }
  void StringIndex(const std::string& text) { body_.Varint(Intern(text)); }
  void TypeIndex(DataType dtype) {
    const auto key = std::bit_cast<uint32_t>(dtype.dl());
    if (key != last_type_ || types_.empty()) {
      last_type_ = key;
      auto [it, inserted] = type_numbers_.try_emplace(key, types_.size());
      if (inserted) types_.push_back(dtype);
      last_type_number_ = it->second;
    }
    body_.Varint(last_type_number_);
  }
  bool Keeps(const std::string& key) const {
    return options_.keep_private || !key.starts_with('_');
  }
  Bytes& body() { return body_; }

 private:
  struct Work {
    const Node* node;
    bool expanded;
  };
  struct Slot {
    uint32_t hash = 0;
    uint32_t number = 0;  // of the node, plus one; 0: free
  };

  [[noreturn]] static void Null(const char* field) {
    throw Error(Diagnostic{.name = "binary-null",
                           .message = std::string("the field `") + field + "` of a node is null",
                           .expected = "a whole node",
                           .help = "run the verifier on the module first"});
  }
  uint64_t Intern(const std::string& text) {
    if (text.empty()) return 0;
    auto [it, inserted] = string_numbers_.try_emplace(text, strings_.size() + 1);
    if (inserted) strings_.push_back(text);
    return it->second;
  }
  void Emit(const Node& node);
  uint32_t Number(size_t begin, bool identity);
  void Grow();

  EncodeOptions options_;
  std::vector<Work> work_;
  uint32_t level_ = 1;             // the lowest that has all the kinds written so far
  std::vector<uint32_t> results_;  // numbers of finished nodes, one per work item done
  size_t next_result_ = 0;
  Bytes body_;
  std::vector<size_t> starts_;  // where each node starts in body_
  std::vector<Slot> slots_;
  size_t used_slots_ = 0;
  Numbers shared_;
  std::unordered_map<std::string_view, uint64_t> string_numbers_;
  std::vector<std::string_view> strings_;
  std::unordered_map<uint32_t, uint64_t> type_numbers_;
  std::vector<DataType> types_;
  uint32_t last_type_ = 0;
  uint64_t last_type_number_ = 0;
};

// Pushes the children of a T.
template <class T>
struct PushChildren {
  const T& node;
  Encoder& out;
  template <class M>
  void Push(const char* name, const M& value, bool nullable) {
    if constexpr (std::is_same_v<M, Ref<const Blob>>) {
      // Not a node. WriteFields writes its digest.
    } else if constexpr (requires { value.get(); }) {
      out.Child(value.get(), nullable, name);
    } else if constexpr (std::is_same_v<M, Dict>) {
      for (const auto& [key, child] : value) {
        if (out.Keeps(key)) out.Child(child.get(), false, name);
      }
    } else if constexpr (requires { value.front().get(); }) {
      for (const auto& child : value) out.Child(child.get(), false, name);
    }
  }
  template <class C, class M>
  void Field(const char* name, M C::* member) {
    Push(name, node.*member, false);
  }
  template <class C, class M>
  void Optional(const char* name, M C::* member) {
    Push(name, node.*member, true);
  }
  template <class C, class M>
  void Define(const char* name, M C::* member) {
    Push(name, node.*member, false);
  }
  template <class C, class M>
  void Refer(const char* name, M C::* member) {
    Push(name, node.*member, false);
  }
  template <class C, class M>
  void OptionalRefer(const char* name, M C::* member) {
    Push(name, node.*member, true);
  }
  template <class C, class E, size_t N>
  void Enum(const char*, E C::*, const char* const (&)[N]) {}
};

// Writes the fields of a T; its children already have numbers.
template <class T>
struct WriteFields {
  const T& node;
  Encoder& out;
  template <class M>
  void Write(const M& value) {
    Bytes& body = out.body();
    if constexpr (std::is_same_v<M, Ref<const Blob>>) {
      body.Fixed64(value ? value->digest().low : 0);
      body.Fixed64(value ? value->digest().high : 0);
    } else if constexpr (requires { value.get(); }) {
      out.Reference(value.get() != nullptr);
    } else if constexpr (std::is_same_v<M, Dict>) {
      uint64_t count = 0;
      for (const auto& [key, child] : value) count += out.Keeps(key);
      body.Varint(count);
      for (const auto& [key, child] : value) {
        if (!out.Keeps(key)) continue;
        out.StringIndex(key);
        out.Reference(true);
      }
    } else if constexpr (requires { value.front().get(); }) {
      body.Varint(value.size());
      for (size_t i = 0; i < value.size(); ++i) out.Reference(true);
    } else if constexpr (std::is_same_v<M, std::string>) {
      out.StringIndex(value);
    } else if constexpr (std::is_same_v<M, int64_t>) {
      body.Varint(ZigZag(value));
    } else if constexpr (std::is_same_v<M, double>) {
      body.Fixed64(std::bit_cast<uint64_t>(value));
    } else if constexpr (std::is_same_v<M, bool>) {
      body.Byte(value ? 1 : 0);
    } else {
      static_assert(std::is_same_v<M, DataType>);
      out.TypeIndex(value);
    }
  }
  template <class C, class M>
  void Field(const char*, M C::* member) {
    Write(node.*member);
  }
  template <class C, class M>
  void Optional(const char*, M C::* member) {
    Write(node.*member);
  }
  template <class C, class M>
  void Define(const char*, M C::* member) {
    Write(node.*member);
  }
  template <class C, class M>
  void Refer(const char*, M C::* member) {
    Write(node.*member);
  }
  template <class C, class M>
  void OptionalRefer(const char*, M C::* member) {
    Write(node.*member);
  }
  template <class C, class E, size_t N>
  void Enum(const char*, E C::* member, const char* const (&)[N]) {
    out.body().Byte(static_cast<uint8_t>(node.*member));
  }
};

void Push(const Node& node, Encoder& out) {
  switch (node.node_kind()) {
#define LATHE_NODE(Struct, number)                                               \
  case NodeKind::k##Struct:                                                      \
    Struct::Fields(PushChildren<Struct>{static_cast<const Struct&>(node), out}); \
    break;
#include "ir/nodes.def"
  }
}

void Write(const Node& node, Encoder& out) {
  switch (node.node_kind()) {
#define LATHE_NODE(Struct, number)                                              \
  case NodeKind::k##Struct:                                                     \
    Struct::Fields(WriteFields<Struct>{static_cast<const Struct&>(node), out}); \
    break;
#include "ir/nodes.def"
  }
}

// May read up to Bytes::kSlack bytes beyond the end.
uint32_t HashBytes(const char* data, size_t size) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ size;
  while (size >= 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
    data += 8;
    size -= 8;
  }
  uint64_t word;
  std::memcpy(&word, data, 8);
  word &= (uint64_t{1} << (8 * size)) - 1;
  hash = (hash ^ word) * 0xff51afd7ed558ccdu;
  return static_cast<uint32_t>(hash >> 32);
}

void Encoder::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.number == 0) continue;
    size_t at = slot.hash & (slots_.size() - 1);
    while (slots_[at].number != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

// The number of the node whose bytes begin at `begin`. If an earlier node has the same bytes, it is
// that node's number.
uint32_t Encoder::Number(size_t begin, bool identity) {
  const auto number = static_cast<uint32_t>(starts_.size());
  if (!identity) {
    const size_t size = body_.size() - begin;
    const uint32_t hash = HashBytes(body_.data() + begin, size);
    size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].number != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash != hash) continue;
      const uint32_t known = slots_[at].number - 1;
      const size_t end = known + 1 < starts_.size() ? starts_[known + 1] : begin;
      if (end - starts_[known] == size &&
          std::memcmp(body_.data() + starts_[known], body_.data() + begin, size) == 0) {
        body_.Truncate(begin);
        return known;
      }
    }
    slots_[at] = {hash, number + 1};
    if (++used_slots_ * 2 > slots_.size()) Grow();
  }
  starts_.push_back(begin);
  return number;
}

std::string Encoder::Run(const Node& root) {
  work_.push_back({&root, false});
  std::vector<size_t> first_result;  // of each node being expanded
  while (!work_.empty()) {
    Poll();
    const Work item = work_.back();
    const Node& node = *item.node;
    const bool shared = !node.unique();
    if (!item.expanded) {
      if (shared) {
        if (const uint32_t* number = shared_.Find(&node)) {
          results_.push_back(*number);
          work_.pop_back();
          continue;
        }
      }
      work_.back().expanded = true;
      const size_t first = work_.size();
      Push(node, *this);
      if (work_.size() != first) {
        for (size_t i = first, j = work_.size() - 1; i < j; ++i, --j) std::swap(work_[i], work_[j]);
        first_result.push_back(results_.size());
        continue;
      }
      first_result.push_back(results_.size());
    }
    work_.pop_back();
    const size_t begin = body_.size();
    next_result_ = first_result.back();
    body_.Byte(static_cast<uint8_t>(node.node_kind()));
    level_ = std::max(level_, LevelOf(node.node_kind()));
    if (options_.keep_spans) {
      body_.Varint(node.span.line);
      body_.Varint(node.span.column);
    }
    Write(node, *this);
    const uint32_t number = Number(begin, HasIdentity(node.node_kind()));
    if (shared) shared_.Add(&node, number);
    results_.resize(first_result.back());
    first_result.pop_back();
    results_.push_back(number);
  }

  Bytes out;
  out.Append(internal::kBinaryMagic);
  out.Varint(kBinaryVersion);
  out.Varint(options_.for_digest ? 0 : level_);
  out.Varint(options_.keep_spans ? internal::kFlagSpans : 0);
  out.Varint(strings_.size());
  for (std::string_view text : strings_) {
    out.Varint(text.size());
    out.Append(text);
  }
  out.Varint(types_.size());
  for (DataType type : types_) {
    out.Byte(type.dl().code);
    out.Byte(type.dl().bits);
    out.Byte(static_cast<uint8_t>(type.dl().lanes));
    out.Byte(static_cast<uint8_t>(type.dl().lanes >> 8));
  }
  out.Varint(starts_.size());
  out.Append(body_.view());
  return std::string(out.view());
}

}  // namespace

std::string EncodeNode(const NodeRef& root, const EncodeOptions& options) {
  LATHE_CHECK(root) << "nothing to encode";
  return Encoder(options).Run(*root);
}

}  // namespace lathe::ir
