#include "lower/storage_reuse.h"

#include <algorithm>
#include <unordered_map>

#include "base/planted.h"
#include "ir/intrinsic_names.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// Buffers and data variables that a statement mentions.
class Mentions final : public Visitor {
 public:
  std::unordered_set<const Node*> accessed;  // buffers
  std::unordered_set<const Node*> escaped;   // buffers passed to calls, variables

 protected:
  bool Enter(const Node& node) override {
    // Visits shared expressions once, and once in addresses.
    if (IsExpr(&node) && !node.unique() && !seen_[in_address_ > 0 ? 1 : 0].insert(&node).second)
      return false;
    if (const auto* load = As<Load>(&node)) {
      accessed.insert(load->source.get());
      if (in_address_ > 0) escaped.insert(load->source.get());
    } else if (const auto* store = As<Store>(&node)) {
      accessed.insert(store->buffer.get());
    } else if (const auto* prefetch = As<Prefetch>(&node)) {
      accessed.insert(prefetch->buffer.get());
    } else if (const auto* attr = As<Attr>(&node)) {
      escaped.insert(attr->node.get());
    } else if (const auto* call = As<Call>(&node)) {
      for (const NodeRef& arg : call->args) escaped.insert(arg.get());
      in_address_ += call->op == intrinsic::kAddressOf;
    } else if (node.node_kind() == NodeKind::kVarNode) {
      escaped.insert(&node);
    }
    return true;
  }
  void Leave(const Node& node) override {
    const auto* call = As<Call>(&node);
    in_address_ -= call != nullptr && call->op == intrinsic::kAddressOf;
  }

 private:
  int in_address_ = 0;
  std::unordered_set<const Node*> seen_[2];
};

struct Lifetime {
  const Allocate* allocate;
  std::vector<size_t> outer;  // those around it, as indices
  size_t first = SIZE_MAX, last = 0;
  bool escapes = false;
};

// The nested allocations of one sequence and their statements, in one list.
class Block {
 public:
  explicit Block(const Allocate& top) { Open(top); }

  const std::vector<Lifetime>& allocations() const { return allocations_; }

 private:
  void Open(const Allocate& top) {
    // The statements still to come, the next one last; null closes the innermost allocation.
    std::vector<const Node*> rest{&top};
    std::vector<size_t> open;
    size_t position = 0;
    while (!rest.empty()) {
      const Node* node = rest.back();
      rest.pop_back();
      if (node == nullptr) {
        open.pop_back();
      } else if (const auto* allocate = As<Allocate>(node)) {
        index_[allocate->buffer.get()] = allocations_.size();
        data_[allocate->buffer->data.get()] = allocations_.size();
        allocations_.push_back({allocate, open});
        open.push_back(allocations_.size() - 1);
        rest.push_back(nullptr);
        rest.push_back(allocate->body.get());
      } else if (const auto* seq = As<Seq>(node)) {
        for (size_t i = seq->stmts.size(); i-- > 0;) rest.push_back(seq->stmts[i].get());
      } else {
        Note(*node, position++);
      }
    }
  }

  void Note(const Node& stmt, size_t position) {
    Mentions mentions;
    mentions.Visit(stmt);
    for (const Node* buffer : mentions.accessed) {
      const auto it = index_.find(buffer);
      if (it == index_.end()) continue;
      Lifetime& lifetime = allocations_[it->second];
      lifetime.first = std::min(lifetime.first, position);
      lifetime.last = std::max(lifetime.last, position);
    }
    for (const Node* node : mentions.escaped) {
      if (const auto it = index_.find(node); it != index_.end())
        allocations_[it->second].escapes = true;
      if (const auto it = data_.find(node); it != data_.end())
        allocations_[it->second].escapes = true;
    }
  }

  std::vector<Lifetime> allocations_;
  std::unordered_map<const Node*, size_t> index_, data_;
};

bool Fits(const Allocate& in, const Allocate& wanted) {
  const BufferNode &a = *in.buffer, &b = *wanted.buffer;
  // Threads would have to synchronise before shared memory is used again.
  if (const int rank = ScopeRank(b.scope); rank == 1 || rank == 2) return false;
  if (a.shape.size() != 1 || b.shape.size() != 1) return false;  // images keep their own
  const int64_t* room = AsConstInt(a.shape[0]);
  const int64_t* size = AsConstInt(b.shape[0]);
  return room != nullptr && size != nullptr &&
         (*size <= *room || Planted(PlantedBug::kReuseTooSmall)) && a.dtype == b.dtype &&
         ScopeOf(a) == ScopeOf(b) && a.alignment >= b.alignment && in.annotations.empty() &&
         wanted.annotations.empty();
}

class Reuser final : public Mutator {
 public:
  Reuser() : Mutator(Memo::kPerRoot) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    const auto* allocate = As<Allocate>(node);
    if (allocate != nullptr && seen_.insert(allocate).second) Plan(*allocate);
    return nullptr;
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    if (As<Allocate>(before) != nullptr && dropped_.count(before.get()) != 0)
      return static_cast<const Allocate&>(*after).body;
    return after;
  }

 private:
  // Decides which buffer takes which memory, for the sequence that begins with `top`.
  void Plan(const Allocate& top) {
    std::vector<Lifetime> lifetimes = Block(top).allocations();
    std::vector<bool> gone(lifetimes.size());
    for (size_t i = 0; i < lifetimes.size(); ++i) {
      const Lifetime& wanted = lifetimes[i];
      seen_.insert(wanted.allocate);
      if (wanted.escapes || wanted.first == SIZE_MAX) continue;
      for (size_t outer : wanted.outer) {
        Lifetime& room = lifetimes[outer];
        const size_t read_until = Planted(PlantedBug::kReuseWhileRead) ? room.last - 1 : room.last;
        if (gone[outer] || room.escapes || room.first == SIZE_MAX || read_until >= wanted.first)
          continue;
        if (!Fits(*room.allocate, *wanted.allocate)) continue;
        room.last = wanted.last;
        gone[i] = true;
        Rename(wanted.allocate->buffer, room.allocate->buffer);
        dropped_.insert(wanted.allocate);
        break;
      }
    }
  }

  std::unordered_set<const Node*> seen_, dropped_;
};

}  // namespace

Module StorageReuse(const Module& module, const PassContext&) {
  return MapFunctions(module,
                      [](const Func& func) { return WithBody(func, Reuser().Run(func->body)); });
}

}  // namespace lathe::lower
