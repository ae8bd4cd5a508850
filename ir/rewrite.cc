#include "ir/rewrite.h"

#include <array>

#include "base/error.h"
#include "base/poll.h"
#include "ir/stmt.h"

namespace lathe::ir {

// A node that is being rewritten: its next child, and the changes so far.
struct Mutator::Frame {
  NodeRef node;
  internal::ChildCursor cursor;
  Edge edge;    // from the parent to this node
  bool shared;  // other nodes may refer to it, so it may be met again
  bool apart;   // each use needs its own copy, because it contains definitions
  // The changed children. Fields that are not in it are unchanged.
  std::vector<std::pair<Edge, NodeRef>> changes;
};

NodeRef Mutator::Renamed(const Node* node) const {
  if (renamed_.empty()) return NodeRef(node);
  auto it = renamed_.find(node);
  return it == renamed_.end() ? NodeRef(node) : it->second;
}

// May the node be met again, and must it then have the same result?
bool Mutator::Remembers(const Node& node, bool shared) const {
  if (memo_ == Memo::kOff || !shared) return false;
  return memo_ == Memo::kOn || (IsExpr(node.node_kind()) && !internal::IsLeaf(node.node_kind()));
}

// The node with its changed children; the node itself if there are none.
NodeRef Mutator::Finish(Frame& frame) {
  if (frame.changes.empty()) return frame.node;
  Ref<Node> copy = CloneNode(*frame.node);
  size_t i = 0;
  while (i < frame.changes.size()) {
    const FieldInfo& field = *frame.changes[i].first.field;
    auto same_field = [&](size_t k) {
      return k < frame.changes.size() && frame.changes[k].first.field == &field;
    };
    bool fits = true;
    if (field.type == FieldType::kNode) {
      fits = field.set_node(*copy, frame.changes[i].second);
      ++i;
    } else if (field.type == FieldType::kList) {
      std::vector<NodeRef> list;
      const size_t n = field.list_size(*copy);
      for (size_t k = 0; k < n; ++k) list.emplace_back(field.list_at(*copy, k));
      for (; same_field(i); ++i) list[frame.changes[i].first.index] = frame.changes[i].second;
      if (const auto* seq = As<Seq>(copy.get()); seq != nullptr) {
        std::vector<Stmt> stmts;
        for (NodeRef& item : list) stmts.push_back(RefStmt(item));
        return MakeSeq(std::move(stmts));
      }
      fits = field.set_list(*copy, std::move(list));
    } else {
      Dict dict = field.dict(*copy);
      for (; same_field(i); ++i) {
        dict.find(frame.changes[i].first.key)->second = frame.changes[i].second;
      }
      field.set_dict(*copy, std::move(dict));
    }
    LATHE_CHECK(fits) << "a rewrite put a node that does not fit into "
                      << NodeKindName(copy->node_kind()) << "." << field.name;
  }
  return copy;
}

NodeRef Mutator::Run(const NodeRef& root) {
  if (!root) return root;
  NodeRef result;  // of the child finished last
  std::vector<Frame> stack;
  stack.reserve(16);

  // Starts with a node. True: it is already finished, and `result` is set. False: it was pushed.
  auto start = [&](NodeRef node, const Edge& edge, bool shared) {
    const bool defining = edge.field != nullptr && edge.field->role == FieldRole::kDefine;
    if (edge.field != nullptr && !internal::Descends(edge.field->role, *node)) {
      result = Renamed(node.get());
      return true;
    }
    if (node->node_kind() == NodeKind::kVarNode && !defining) {
      NodeRef renamed = Renamed(node.get());
      if (!renamed.same_as(node)) {
        result = std::move(renamed);
        return true;
      }
    }
    if (memo_ == Memo::kPerRoot && !memo_table_.empty() && IsExpr(node->node_kind()) &&
        (edge.parent == nullptr || !IsExpr(edge.parent->node_kind()))) {
      memo_table_ = {};
    }
    if (Remembers(*node, shared)) {
      auto it = memo_table_.find(node.get());
      if (it != memo_table_.end()) {
        result = it->second.second;
        return true;
      }
    }
    if (NodeRef replaced = Enter(node)) {
      result = std::move(replaced);
      if (defining && !result.same_as(node)) Rename(node, result);
      if (Remembers(*node, shared)) memo_table_[node.get()] = {node, result};
      return true;
    }
    const internal::ChildCursor cursor(*node);
    stack.push_back(Frame{std::move(node), cursor, edge, shared, false, {}});
    return false;
  };

  if (start(root, {}, true)) return result;
  while (true) {
    Poll();
    Edge edge;
    const Node* child = nullptr;
    if (stack.back().cursor.Next(&edge, &child)) {
      BeforeChild(edge);
      // Checked before we make a handle of our own. Most nodes have one parent, so the table stays
      // small.
      const bool shared = !child->unique();
      if (!start(NodeRef(child), edge, shared)) continue;
    } else {
      NodeRef after = Finish(stack.back());
      const NodeRef before = std::move(stack.back().node);
      apart_ = stack.back().apart;
      result = Leave(before, std::move(after));
      const bool apart = std::exchange(apart_, false);
      edge = stack.back().edge;
      const bool shared = stack.back().shared && !apart;
      stack.pop_back();
      if (apart && !stack.empty()) stack.back().apart = true;
      if (edge.field != nullptr && edge.field->role == FieldRole::kDefine &&
          !result.same_as(before)) {
        Rename(before, result);
      }
      if (Remembers(*before, shared)) memo_table_[before.get()] = {before, result};
      if (stack.empty()) return result;
      child = before.get();
      // `before` may be the last owner of the node that `child` points to. So the code below only
      // compares the pointer.
    }
    AfterChild(edge, result);
    if (result.get() != child) stack.back().changes.emplace_back(edge, result);
  }
}

namespace internal {

NodeRef RewriteWith(const NodeRef& root, std::vector<std::pair<NodeKind, Rule>> rules) {
  class RuleMutator final : public Mutator {
   public:
    explicit RuleMutator(std::vector<std::pair<NodeKind, Rule>> rules) : Mutator(Memo::kOn) {
      for (auto& [kind, rule] : rules) table_[static_cast<size_t>(kind)] = std::move(rule);
    }

   protected:
    NodeRef Leave(const NodeRef&, NodeRef after) override {
      const Rule& rule = table_[static_cast<size_t>(after->node_kind())];
      if (!rule) return after;
      NodeRef replaced = rule(*after);
      return replaced ? replaced : after;
    }

   private:
    std::array<Rule, 256> table_;
  };
  return RuleMutator(std::move(rules)).Run(root);
}

}  // namespace internal

namespace {

class Substituter final : public Mutator {
 public:
  explicit Substituter(const VarMap& map) : Mutator(Memo::kOn) {
    for (const auto& [from, to] : map) Rename(from, to);
  }
};

}  // namespace

Expr Substitute(const Expr& root, const VarMap& map) {
  return map.empty() ? root : Substituter(map).Run(root);
}

Stmt Substitute(const Stmt& root, const VarMap& map) {
  return map.empty() ? root : Substituter(map).Run(root);
}

Stmt ReplaceBuffer(const Stmt& root, const Buffer& from, const Buffer& to) {
  class Replacer final : public Mutator {
   public:
    Replacer(const Buffer& from, const Buffer& to) : Mutator(Memo::kOn) { Rename(from, to); }
  };
  return Replacer(from, to).Run(root);
}

Stmt Refresh(const Stmt& root) {
  class Refresher final : public Mutator {
   public:
    Refresher() : Mutator(Memo::kPerRoot) {}

   protected:
    // The data variable of a buffer is defined together with it. So a defined buffer becomes new,
    // too.
    void BeforeChild(const Edge& edge) override {
      defining_ = edge.field->role == FieldRole::kDefine;
    }
    NodeRef Enter(const NodeRef& node) override {
      if (node->node_kind() != NodeKind::kVarNode || !defining_) return nullptr;
      return CloneNode(*node);
    }

   private:
    bool defining_ = false;
  };
  return Refresher().Run(root);
}

}  // namespace lathe::ir
