#include "lower/device/virtual_threads.h"

#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"
#include "lower/device/kernel_axes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

constexpr int64_t kMaxVirtualThreads = 256;

// A thread's own variables and buffers whose values differ between virtual threads.
class Dependence {
 public:
  Dependence(const Var& index, const Stmt& body) {
    nodes_.insert(index.get());
    PostOrder(body, [&](const Node& node) {
      const auto* allocate = As<Allocate>(&node);
      if (allocate == nullptr) return;
      inside_.insert(allocate->buffer.get());
      if (!SharedAmong(allocate->buffer->scope, thread_tag::kVirtual))
        own_.insert(allocate->buffer.get());
    });
    while (Spread(body)) {
    }
  }

  bool IsExpanded(const BufferNode& buffer) const { return nodes_.count(&buffer) != 0; }

  // True if anything in it depends on the virtual thread.
  bool Touches(const NodeRef& root) const {
    bool found = false;
    PostOrder(root, [&](const Node& node) {
      found = found || nodes_.count(&node) != 0;
      if (const auto* load = As<Load>(&node))
        found = found || nodes_.count(load->source.get()) != 0;
      if (const auto* store = As<Store>(&node))
        found = found || nodes_.count(store->buffer.get()) != 0;
      if (const auto* call = As<Call>(&node)) {
        for (const NodeRef& arg : call->args) found = found || nodes_.count(arg.get()) != 0;
      }
    });
    return found;
  }

  // True if every virtual thread must run the store although it does not depend on the virtual
  // thread: it reads the memory from outside that it writes.
  bool Accumulates(const Store& store) const {
    if (inside_.count(store.buffer.get()) != 0) return false;
    bool found = false;
    ForEach<Load>(store.value, [&](const Load& load) {
      found = found || load.source.get() == store.buffer.get();
    });
    return found;
  }

 private:
  // One round of the analysis: memory is dependent if a stored value, or a condition around the
  // store, is.
  bool Spread(const Stmt& body) {
    class Walker final : public Visitor {
     public:
      Walker(Dependence& owner) : owner_(owner) {}
      bool changed = false;

     protected:
      void BeforeChild(const Edge& edge) override {
        if (Controls(edge)) ++under_;
      }
      void AfterChild(const Edge& edge) override {
        if (Controls(edge)) --under_;
      }
      bool Enter(const Node& node) override {
        if (IsExpr(node.node_kind())) return false;
        if (const auto* store = As<Store>(&node)) {
          if (owner_.own_.count(store->buffer.get()) != 0 &&
              (under_ > 0 || owner_.Touches(NodeRef(store))))
            Add(store->buffer.get());
        } else if (const auto* let = As<LetStmt>(&node)) {
          if (owner_.Touches(let->value)) Add(let->var.get());
        } else if (const auto* evaluate = As<Evaluate>(&node)) {
          // A call may write to its arguments.
          if (under_ == 0 && !owner_.Touches(evaluate->value)) return true;
          PostOrder(evaluate->value, [&](const Node& part) {
            if (const auto* load = As<Load>(&part)) AddOwn(load->source.get());
            if (const auto* call = As<Call>(&part)) {
              for (const NodeRef& arg : call->args) AddOwn(arg.get());
            }
          });
        }
        return true;
      }

     private:
      void Add(const Node* node) { changed = owner_.nodes_.insert(node).second || changed; }
      void AddOwn(const Node* node) {
        if (owner_.own_.count(node) != 0) Add(node);
      }
      bool Controls(const Edge& edge) const {
        if (const auto* branch = As<If>(edge.parent))
          return !edge.Is("condition") && owner_.Touches(branch->condition);
        if (const auto* loop = As<For>(edge.parent))
          return edge.Is("body") && (owner_.Touches(loop->min) || owner_.Touches(loop->extent));
        if (const auto* loop = As<While>(edge.parent))
          return edge.Is("body") && owner_.Touches(loop->condition);
        return false;
      }
      Dependence& owner_;
      int under_ = 0;
    };
    Walker walker(*this);
    walker.Visit(body);
    return walker.changed;
  }

  std::unordered_set<const Node*> nodes_, own_, inside_;
};

class Expander final : public Mutator {
 public:
  Expander(const For& loop, int64_t count)
      : loop_(loop), count_(count), dependence_(loop.var, loop.body) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    if (const auto* store = As<Store>(node))
      return dependence_.Touches(node) || dependence_.Accumulates(*store) ? Copies(node) : node;
    if (const auto* branch = As<If>(node))
      return dependence_.Touches(branch->condition) ? Copies(node) : nullptr;
    if (const auto* loop = As<For>(node)) {
      return dependence_.Touches(loop->min) || dependence_.Touches(loop->extent) ? Copies(node)
                                                                                 : nullptr;
    }
    if (const auto* let = As<LetStmt>(node))
      return dependence_.Touches(let->value) ? Copies(node) : nullptr;
    if (const auto* attr = As<Attr>(node))
      return attr->key == attr_key::kCrossThreadReduction && dependence_.Touches(node)
                 ? Copies(node)
                 : nullptr;
    if (const auto* allocate = As<Allocate>(node)) {
      if (dependence_.IsExpanded(*allocate->buffer)) {
        expanded_[allocate->buffer.get()] = CopyBuffer(allocate->buffer, [&](BufferNode& copy) {
          const DataType t = IndexType(copy.shape);
          // As large as the largest of the virtual threads needs.
          for (Expr& extent : copy.shape) {
            if (!UsesVar(extent, loop_.var)) continue;
            const Expr given = extent;
            for (int64_t k = 0; k < count_; ++k) {
              const Expr one =
                  Substitute(given, {{loop_.var, loop_.min + Const(k, loop_.var->dtype)}});
              extent = k == 0 ? one : MakeMax(extent, one);
            }
          }
          copy.shape.insert(copy.shape.begin(), Const(count_, t));
          copy.strides.clear();
          copy.data = MakeVar(copy.name, DataType::Handle());
        });
      }
      return nullptr;
    }
    if (As<Seq>(node) != nullptr || As<DeclBuffer>(node) != nullptr ||
        As<AllocConst>(node) != nullptr || node->node_kind() == NodeKind::kVarNode ||
        node->node_kind() == NodeKind::kBufferNode)
      return nullptr;
    return dependence_.Touches(node) ? Copies(node) : node;
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    if (const auto* allocate = As<Allocate>(before)) {
      auto it = expanded_.find(allocate->buffer.get());
      if (it == expanded_.end()) return after;
      return MakeAllocate(it->second, static_cast<const Allocate&>(*after).body,
                          allocate->annotations);
    }
    if (const auto* seq = As<Seq>(after)) return Merged(*seq);
    return after;
  }

 private:
  // The statement for every virtual thread.
  NodeRef Copies(const NodeRef& node) {
    const Var index = MakeVar(loop_.var->name, loop_.var->dtype);
    Stmt body = WithExpanded(RefStmt(node), index);
    body = Substitute(body, {{loop_.var, loop_.min + Expr(index)}});
    Stmt made = MakeFor(index, Const(0, index->dtype), Const(count_, index->dtype),
                        ForKind::kUnrolled, body);
    made_.insert(made.get());
    kept_.push_back(made);
    return made;
  }

  // Accesses of buffers that got a dimension.
  Stmt WithExpanded(const Stmt& stmt, const Var& index) {
    if (expanded_.empty()) return stmt;
    auto indices = [&](const std::vector<Expr>& given, const BufferNode& buffer) {
      std::vector<Expr> out = {MakeCast(IndexType(buffer.shape), index)};
      out.insert(out.end(), given.begin(), given.end());
      return out;
    };
    return Rewrite(
        stmt,
        [&](const Load& load) -> Expr {
          auto it = expanded_.find(load.source.get());
          if (it == expanded_.end()) return nullptr;
          return MakeLoad(it->second, indices(load.indices, *it->second), load.mask);
        },
        [&](const Store& store) -> Stmt {
          auto it = expanded_.find(store.buffer.get());
          if (it == expanded_.end()) return nullptr;
          return MakeStore(it->second, store.value, indices(store.indices, *it->second),
                           store.mask);
        });
  }

  // Puts neighbouring copies into one loop, unless threads synchronise in them.
  NodeRef Merged(const Seq& seq) {
    std::vector<Stmt> out;
    bool changed = false;
    for (const Stmt& stmt : seq.stmts) {
      if (!out.empty() && made_.count(out.back().get()) != 0 && made_.count(stmt.get()) != 0) {
        const auto& first = static_cast<const For&>(*out.back());
        const auto& second = static_cast<const For&>(*stmt);
        Stmt body = MakeSeq({first.body, Substitute(second.body, {{second.var, Expr(first.var)}})});
        if (!MayNeedBarrier(body)) {
          out.back() = MakeFor(first.var, first.min, first.extent, ForKind::kUnrolled, body);
          made_.insert(out.back().get());
          kept_.push_back(out.back());
          changed = true;
          continue;
        }
      }
      out.push_back(stmt);
    }
    return changed ? NodeRef(MakeSeq(std::move(out))) : NodeRef(&seq);
  }

  const For& loop_;
  const int64_t count_;
  Dependence dependence_;
  std::unordered_map<const Node*, Buffer> expanded_;
  std::unordered_set<const Node*> made_;
  std::vector<Stmt> kept_;
};

class Finder final : public Mutator {
 protected:
  NodeRef Enter(const NodeRef& node) override { return IsExpr(node.get()) ? node : nullptr; }
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const auto* loop = As<For>(after);
    if (loop == nullptr || loop->for_kind != ForKind::kThread ||
        loop->thread_tag != thread_tag::kVirtual)
      return after;
    const int64_t* extent = AsConstInt(loop->extent);
    if (extent == nullptr || *extent > kMaxVirtualThreads) {
      throw Error(Diagnostic{
          .name = "vthread-extent",
          .message = "loop `" + loop->var->name + "` cannot be made virtual threads",
          .expected = "a constant extent of at most " + std::to_string(kMaxVirtualThreads),
          .found =
              extent == nullptr ? "an extent that depends on a variable" : std::to_string(*extent),
          .help = "split the loop by nparts and bind the outer part to vthread"});
    }
    if (*extent <= 0) return Nop();
    return Expander(*loop, *extent).Run(loop->body);
  }
};

}  // namespace

Module VirtualThreads(const Module& module, const PassContext&) {
  return MapFunctions(module,
                      [](const Func& func) { return WithBody(func, Finder().Run(func->body)); });
}

}  // namespace lathe::lower
