#include "ir/structural.h"

#include <bit>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/poll.h"
#include "ir/expr.h"
#include "ir/tensor_op.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace {

// The names of variables and buffers are only for people.
bool IgnoresField(const Node& node, const FieldInfo& field) {
  const std::string_view name = field.name;
  return (node.node_kind() == NodeKind::kVarNode || node.node_kind() == NodeKind::kBufferNode ||
          node.node_kind() == NodeKind::kGraphVarNode) &&
         name == "name";
}

// Whether a node is compared by correspondence, not by content.
bool HasIdentity(const Node& node) {
  switch (node.node_kind()) {
    case NodeKind::kVarNode:
    case NodeKind::kBufferNode:
    case NodeKind::kIterVarNode:
    case NodeKind::kGraphVarNode:
      return true;
    default:
      return IsOp(node.node_kind());
  }
}

// The type of a function's result may mention sizes that the body defines.
bool ComesLast(const Node& node, const FieldInfo& field) {
  return node.node_kind() == NodeKind::kGraphFunc && field.type == FieldType::kNode &&
         std::string_view(field.name) == "result_type";
}

class Comparer {
 public:
  explicit Comparer(bool map_free) : map_free_(map_free) {}

  // The path to the first difference and what it is; empty if equal.
  std::string Compare(const Node* a, const Node* b) {
    steps_.push_back({a, b, false, kRoot, nullptr, kNoIndex, {}});
    work_.push_back(0);
    while (!work_.empty()) {
      Poll();
      const size_t step = work_.back();
      work_.pop_back();
      if (std::string difference = Step(step); !difference.empty()) {
        return PathTo(step) + ": " + difference;
      }
    }
    return "";
  }

 private:
  static constexpr size_t kRoot = SIZE_MAX;
  static constexpr size_t kNoIndex = SIZE_MAX;
  // One pair of nodes to compare. The path to it is kept as a parent step, so that deep trees do
  // not cost more than wide ones.
  struct Pair {
    const Node* a;
    const Node* b;
    bool defining;
    size_t parent;
    const FieldInfo* field;
    size_t index;          // in a list
    std::string_view key;  // in a dict
  };

  std::string PathTo(size_t step) const {
    std::vector<size_t> way;
    for (; steps_[step].parent != kRoot; step = steps_[step].parent) way.push_back(step);
    std::string path;
    for (size_t i = way.size(); i-- > 0;) {
      const Pair& pair = steps_[way[i]];
      path += (path.empty() ? "" : ".") + std::string(pair.field->name);
      if (pair.index != kNoIndex) path += "[" + std::to_string(pair.index) + "]";
      if (!pair.key.empty()) path += "." + std::string(pair.key);
    }
    return path.empty() ? "root" : path;
  }

  // Whether a pair of expressions may be met again: one of them is shared. A pair in trees is met
  // once.
  static bool MayMeetAgain(const Node& a, const Node& b) {
    return IsExpr(a.node_kind()) && !internal::IsLeaf(a.node_kind()) && !(a.unique() && b.unique());
  }
  // Under another definition, pairs that were equal may be different.
  void ForgetCompared() {
    if (!compared_.empty()) compared_ = {};
  }

  bool Correspond(const Node* a, const Node* b) {
    auto forward = forward_.try_emplace(a, b);
    auto backward = backward_.try_emplace(b, a);
    return forward.first->second == b && backward.first->second == a;
  }

  std::string Step(size_t step) {
    const Pair pair = steps_[step];
    const Node* a = pair.a;
    const Node* b = pair.b;
    if (a == nullptr || b == nullptr) {
      if (a == b) return "";
      return a == nullptr ? std::string("nothing against ") + NodeKindName(b->node_kind())
                          : std::string(NodeKindName(a->node_kind())) + " against nothing";
    }
    if (a->node_kind() != b->node_kind()) {
      return std::string(NodeKindName(a->node_kind())) + " against " + NodeKindName(b->node_kind());
    }
    if (HasIdentity(*a)) {
      auto it = forward_.find(a);
      if (it != forward_.end() && it->second == b) return "";
      if (it != forward_.end()) {
        // A definition that is shared on one side only. From here on, it corresponds to its new
        // counterpart.
        if (!pair.defining) return "another variable, buffer or operation";
        ForgetCompared();
        backward_.erase(it->second);
        forward_.erase(it);
      }
      if (pair.defining) {
        ForgetCompared();
        if (auto back = backward_.find(b); back != backward_.end()) {
          forward_.erase(back->second);
          backward_.erase(back);
        }
      }
      if (!pair.defining && !map_free_ && !IsOp(a->node_kind())) {
        return a == b ? "" : "different free variables or buffers";
      }
      if (!Correspond(a, b)) return "another variable, buffer or operation";
    } else if (a == b && !pair.defining && forward_.empty()) {
      return "";
    } else if (!pair.defining && MayMeetAgain(*a, *b) && !compared_.insert({a, b}).second) {
      return "";  // compared before: if they had differed, the comparison would have ended
    }
    return Fields(*a, *b, step);
  }

  std::string Fields(const Node& a, const Node& b, size_t step) {
    const size_t first = steps_.size();
    const FieldInfo* last = nullptr;
    for (const FieldInfo& field : FieldsOf(a.node_kind())) {
      if (IgnoresField(a, field)) continue;
      if (ComesLast(a, field)) {
        last = &field;
        continue;
      }
      const bool defining = field.role == FieldRole::kDefine;
      switch (field.type) {
        case FieldType::kNode:
          steps_.push_back({field.node(a), field.node(b), defining, step, &field, kNoIndex, {}});
          break;
        case FieldType::kList: {
          const size_t n = field.list_size(a), m = field.list_size(b);
          if (n != m)
            return std::string(field.name) + " has " + std::to_string(n) + " against " +
                   std::to_string(m) + " entries";
          for (size_t i = 0; i < n; ++i) {
            steps_.push_back(
                {field.list_at(a, i), field.list_at(b, i), defining, step, &field, i, {}});
          }
          break;
        }
        case FieldType::kDict: {
          const Dict& x = field.dict(a);
          const Dict& y = field.dict(b);
          if (x.size() != y.size()) return std::string(field.name) + " differ in size";
          for (auto i = x.begin(), j = y.begin(); i != x.end(); ++i, ++j) {
            if (i->first != j->first)
              return std::string(field.name) + ": `" + i->first + "` against `" + j->first + "`";
            steps_.push_back(
                {i->second.get(), j->second.get(), false, step, &field, kNoIndex, i->first});
          }
          break;
        }
        case FieldType::kString:
          if (field.string(a) != field.string(b))
            return std::string(field.name) + ": \"" + field.string(a) + "\" against \"" +
                   field.string(b) + "\"";
          break;
        case FieldType::kInt:
          if (field.integer(a) != field.integer(b))
            return std::string(field.name) + ": " + std::to_string(field.integer(a)) + " against " +
                   std::to_string(field.integer(b));
          break;
        case FieldType::kFloat:
          if (std::bit_cast<uint64_t>(field.number(a)) != std::bit_cast<uint64_t>(field.number(b)))
            return std::string(field.name) + ": " + std::to_string(field.number(a)) + " against " +
                   std::to_string(field.number(b));
          break;
        case FieldType::kBool:
          if (field.boolean(a) != field.boolean(b)) return std::string(field.name) + " differs";
          break;
        case FieldType::kDType:
          if (field.dtype(a) != field.dtype(b))
            return std::string(field.name) + ": " + field.dtype(a).ToString() + " against " +
                   field.dtype(b).ToString();
          break;
        case FieldType::kEnum:
          if (field.enumerator(a) != field.enumerator(b))
            return std::string(field.name) + ": " +
                   field.enum_names[static_cast<size_t>(field.enumerator(a))] + " against " +
                   field.enum_names[static_cast<size_t>(field.enumerator(b))];
          break;
        case FieldType::kBlob:
          // Equal bytes are one Blob, so identity decides.
          if (!field.blob(a).same_as(field.blob(b))) return std::string(field.name) + " differ";
          break;
      }
    }
    if (last != nullptr) {
      steps_.push_back({last->node(a), last->node(b), false, step, last, kNoIndex, {}});
    }
    // Pushed in reverse order, so that they are compared in order: definitions before uses.
    for (size_t i = steps_.size(); i-- > first;) work_.push_back(i);
    return "";
  }

  bool map_free_;
  std::vector<Pair> steps_;
  std::vector<size_t> work_;
  std::unordered_map<const Node*, const Node*> forward_, backward_;
  struct PairHash {
    size_t operator()(const std::pair<const Node*, const Node*>& pair) const {
      const std::hash<const void*> hash;
      return hash(pair.first) * 31 + hash(pair.second);
    }
  };
  std::unordered_set<std::pair<const Node*, const Node*>, PairHash> compared_;
};

// FNV-style mixing. It only needs to be stable and well spread.
class Hash {
 public:
  void Mix(uint64_t value) {
    state_ ^= value + 0x9e3779b97f4a7c15u + (state_ << 6) + (state_ >> 2);
    state_ *= 0xff51afd7ed558ccdu;
    state_ ^= state_ >> 32;
  }
  void Mix(std::string_view text) {
    Mix(text.size());
    uint64_t word = 0;
    int filled = 0;
    for (unsigned char c : text) {
      word = word << 8 | c;
      if (++filled == 8) {
        Mix(word);
        word = 0;
        filled = 0;
      }
    }
    Mix(word);
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325u;
};

// Mixes the plain fields of the node into `hash`. Sets `children` to its children in order,
// including nulls.
void MixFields(const Node& node, Hash* hash, std::vector<const Node*>* children) {
  children->clear();
  for (const FieldInfo& field : FieldsOf(node.node_kind())) {
    if (IgnoresField(node, field)) continue;
    switch (field.type) {
      case FieldType::kNode:
        children->push_back(field.node(node));
        break;
      case FieldType::kList:
        hash->Mix(field.list_size(node));
        for (size_t i = 0; i < field.list_size(node); ++i)
          children->push_back(field.list_at(node, i));
        break;
      case FieldType::kDict:
        hash->Mix(field.dict(node).size());
        for (const auto& [key, value] : field.dict(node)) {
          hash->Mix(std::string_view(key));
          children->push_back(value.get());
        }
        break;
      case FieldType::kString:
        hash->Mix(std::string_view(field.string(node)));
        break;
      case FieldType::kInt:
        hash->Mix(static_cast<uint64_t>(field.integer(node)));
        break;
      case FieldType::kFloat:
        hash->Mix(std::bit_cast<uint64_t>(field.number(node)));
        break;
      case FieldType::kBool:
        hash->Mix(field.boolean(node) ? 1 : 2);
        break;
      case FieldType::kDType: {
        const DLDataType t = field.dtype(node).dl();
        hash->Mix(uint64_t{t.code} << 24 | uint64_t{t.bits} << 16 | t.lanes);
        break;
      }
      case FieldType::kEnum:
        hash->Mix(static_cast<uint64_t>(field.enumerator(node)));
        break;
      case FieldType::kBlob:
        hash->Mix(field.blob(node) ? field.blob(node)->digest().low : 0);
        break;
    }
  }
}

// Hashes a pre-order stream of kinds and plain fields. Nodes with identity are numbered by first
// appearance. Returns nothing if the tree has more than `limit` nodes.
std::optional<uint64_t> HashOfTree(const Node* root, size_t limit) {
  Hash hash;
  std::unordered_map<const Node*, uint64_t> numbers;
  std::vector<const Node*> work{root};
  std::vector<const Node*> children;
  while (!work.empty()) {
    const Node* node = work.back();
    work.pop_back();
    if (limit-- == 0) return std::nullopt;
    if (node == nullptr) {
      hash.Mix(uint64_t{0});
      continue;
    }
    hash.Mix(static_cast<uint64_t>(node->node_kind()));
    if (HasIdentity(*node)) {
      auto [it, inserted] = numbers.try_emplace(node, numbers.size());
      hash.Mix(it->second);
      if (!inserted) continue;
    }
    MixFields(*node, &hash, &children);
    for (size_t i = children.size(); i-- > 0;) work.push_back(children[i]);
  }
  return hash.value();
}

// Hashes from the leaves up, each node once. Nodes with identity get the same numbers as in a tree,
// because a node that is met again contains nothing new.
uint64_t HashOfGraph(const Node* root) {
  std::unordered_map<const Node*, uint64_t> numbers, hashes;
  std::vector<const Node*> work{root}, children;
  std::unordered_set<const Node*> seen;
  Hash unused;
  while (!work.empty()) {
    const Node* node = work.back();
    work.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    if (HasIdentity(*node)) numbers.try_emplace(node, numbers.size());
    MixFields(*node, &unused, &children);
    for (size_t i = children.size(); i-- > 0;) work.push_back(children[i]);
  }
  work.push_back(root);
  while (!work.empty()) {
    const Node* node = work.back();
    if (hashes.contains(node)) {
      work.pop_back();
      continue;
    }
    Hash hash;
    hash.Mix(static_cast<uint64_t>(node->node_kind()));
    if (const auto number = numbers.find(node); number != numbers.end()) hash.Mix(number->second);
    MixFields(*node, &hash, &children);
    const size_t before = work.size();
    for (const Node* child : children) {
      const auto done = hashes.find(child);
      if (child != nullptr && done == hashes.end()) work.push_back(child);
      hash.Mix(child == nullptr ? 0 : done == hashes.end() ? 1 : done->second);
    }
    if (work.size() > before) continue;  // comes again when its children have hashes
    hashes[node] = hash.value();
    work.pop_back();
  }
  return hashes.at(root);
}

// The limit for HashOfTree. Shared nodes count once per use, so a tree and an equal graph are on
// the same side of it.
constexpr size_t kMaxHashedTree = 1 << 16;

}  // namespace

bool StructuralEqual(const NodeRef& a, const NodeRef& b, bool map_free) {
  return Comparer(map_free).Compare(a.get(), b.get()).empty();
}

std::string StructuralDifference(const NodeRef& a, const NodeRef& b, bool map_free) {
  return Comparer(map_free).Compare(a.get(), b.get());
}

uint64_t StructuralHash(const NodeRef& root) {
  if (const auto hash = HashOfTree(root.get(), kMaxHashedTree)) return *hash;
  return HashOfGraph(root.get());
}

}  // namespace lathe::ir
