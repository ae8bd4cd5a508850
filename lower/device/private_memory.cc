#include "lower/device/private_memory.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "arith/linear.h"
#include "base/planted.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

struct Accesses {
  Buffer buffer;
  std::vector<const std::vector<Expr>*> indices;
  bool other_uses = false;  // given to calls, viewed
};

// How a dimension shrinks: index - factor * var remains.
struct Shrink {
  Var var;
  int64_t factor = 0;
};

class Finder final : public Visitor {
 public:
  explicit Finder(arith::Analyzer* analyzer) : analyzer_(analyzer) {}

  std::vector<Accesses> found;

 protected:
  bool Enter(const Node& node) override {
    if (const auto* allocate = As<Allocate>(&node)) {
      if (ScopeRank(allocate->buffer->scope) == 3) {
        by_buffer_[allocate->buffer.get()] = found.size();
        by_data_[allocate->buffer->data.get()] = found.size();
        found.push_back({allocate->buffer, {}, false});
        defined_.insert(allocate->buffer.get());
      }
    } else if (const auto* loop = As<For>(&node)) {
      analyzer_->Bind(loop->var, MakeRange(loop->min, loop->extent));
    } else if (const auto* load = As<Load>(&node)) {
      Note(load->source.get(), load->indices);
    } else if (const auto* store = As<Store>(&node)) {
      Note(store->buffer.get(), store->indices);
    } else if (const auto* call = As<Call>(&node)) {
      for (const NodeRef& arg : call->args) Other(arg.get());
      in_address_ += call->op == "address_of" || call->op.starts_with("async_");
    } else if (const auto* attr = As<Attr>(&node)) {
      Other(attr->node.get());
    } else if (const auto* prefetch = As<Prefetch>(&node)) {
      Other(prefetch->buffer.get());
    } else if (node.node_kind() == NodeKind::kBufferNode && defined_.count(&node) != 0) {
      return false;  // the definition's own data variable
    } else if (auto it = by_data_.find(&node); it != by_data_.end()) {
      found[it->second].other_uses = true;
    }
    return true;
  }
  void Leave(const Node& node) override {
    const auto* call = As<Call>(&node);
    if (call != nullptr) in_address_ -= call->op == "address_of" || call->op.starts_with("async_");
  }

 private:
  void Note(const Node* buffer, const std::vector<Expr>& indices) {
    auto it = by_buffer_.find(buffer);
    if (it == by_buffer_.end()) return;
    found[it->second].indices.push_back(&indices);
    if (in_address_ > 0) found[it->second].other_uses = true;
  }
  void Other(const Node* node) {
    auto it = by_buffer_.find(node);
    if (it != by_buffer_.end()) found[it->second].other_uses = true;
  }

  arith::Analyzer* analyzer_;
  std::unordered_map<const Node*, size_t> by_buffer_, by_data_;
  std::unordered_set<const Node*> defined_;
  int in_address_ = 0;
};

std::optional<Shrink> ShrinkOf(const Accesses& accesses, size_t dim, const Var& var,
                               arith::Analyzer* analyzer) {
  Shrink out{var, 0};
  for (const std::vector<Expr>* indices : accesses.indices) {
    const auto linear = arith::DetectLinear((*indices)[dim], {var}, analyzer);
    if (!linear) return std::nullopt;
    const int64_t* factor = AsConstInt(linear->coefficients[0]);
    if (factor == nullptr || *factor < 1 || (out.factor != 0 && out.factor != *factor))
      return std::nullopt;
    out.factor = *factor;
    if (!analyzer->CanProveGE(linear->base, 0) || !analyzer->CanProveLT(linear->base, *factor))
      return std::nullopt;
  }
  return out.factor == 0 ? std::nullopt : std::optional<Shrink>(out);
}

class Shrinker final : public Mutator {
 public:
  using Plan = std::vector<std::optional<Shrink>>;  // by dimension
  Shrinker(std::unordered_map<const Node*, Plan> plans, arith::Analyzer* analyzer)
      : plans_(std::move(plans)), analyzer_(analyzer) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (const auto* buffer = As<BufferNode>(node)) {
      auto it = plans_.find(buffer);
      if (it == plans_.end()) return nullptr;
      Buffer made = CopyBuffer(Buffer(buffer), [&](BufferNode& copy) {
        for (size_t d = 0; d < copy.shape.size(); ++d) {
          if (it->second[d]) copy.shape[d] = Const(it->second[d]->factor, copy.shape[d]->dtype);
        }
      });
      by_made_[made.get()] = &it->second;
      return made;
    }
    return nullptr;
  }
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    if (const auto* load = As<Load>(after)) {
      auto it = by_made_.find(load->source.get());
      if (it == by_made_.end()) return after;
      return MakeLoad(load->source, Rest(load->indices, *it->second), load->mask);
    }
    if (const auto* store = As<Store>(after)) {
      auto it = by_made_.find(store->buffer.get());
      if (it == by_made_.end()) return after;
      return MakeStore(store->buffer, store->value, Rest(store->indices, *it->second), store->mask);
    }
    return after;
  }

 private:
  std::vector<Expr> Rest(std::vector<Expr> indices, const Plan& plan) {
    for (size_t d = 0; d < indices.size(); ++d) {
      if (!plan[d] || Planted(PlantedBug::kPrivateNotRebased)) continue;
      const DataType t = indices[d]->dtype;
      indices[d] = analyzer_->Simplify(indices[d] - MakeCast(t, plan[d]->var) * plan[d]->factor);
    }
    return indices;
  }

  std::unordered_map<const Node*, Plan> plans_;
  std::unordered_map<const Node*, const Plan*> by_made_;
  arith::Analyzer* analyzer_;
};

}  // namespace

Stmt ShrinkPrivateMemory(const Stmt& kernel, const std::vector<Var>& indices,
                         arith::Analyzer* analyzer) {
  arith::Analyzer::Scope scope = analyzer->OpenScope();
  Finder finder(analyzer);
  finder.Visit(kernel);
  std::unordered_map<const Node*, Shrinker::Plan> plans;
  for (const Accesses& accesses : finder.found) {
    if (accesses.other_uses || accesses.indices.empty()) continue;
    Shrinker::Plan plan(accesses.buffer->shape.size());
    bool any = false;
    for (size_t d = 0; d < plan.size(); ++d) {
      for (const Var& var : indices) {
        if (!plan[d]) plan[d] = ShrinkOf(accesses, d, var, analyzer);
      }
      any = any || plan[d].has_value();
    }
    if (any) plans[accesses.buffer.get()] = std::move(plan);
  }
  return plans.empty() ? kernel : Shrinker(std::move(plans), analyzer).Run(kernel);
}

}  // namespace lathe::lower
