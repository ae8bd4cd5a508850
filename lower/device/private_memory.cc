#include "lower/device/private_memory.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "arith/linear.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/text/printer.h"
#include "ir/thread_scopes.h"
#include "lower/device/thread_access.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

struct Accesses {
  Buffer buffer;
  std::vector<const std::vector<Expr>*> indices;
  size_t shrinkable = SIZE_MAX;  // dimensions before it; views span those from it on
  bool other_uses = false;       // passed to calls
};

// The number of first dimensions that a view of `elements` from `indices` on does not cover: in the
// others it begins at the first element and stays inside.
size_t DimsAround(const BufferNode& buffer, const std::vector<Expr>& indices, int64_t elements,
                  arith::Analyzer* analyzer) {
  int64_t inner = 1;
  for (size_t d = indices.size(); d-- > 0;) {
    if (inner >= elements) return d + 1;
    const int64_t* extent = AsConstInt(buffer.shape[d]);
    if (extent == nullptr || !analyzer->CanProveEqual(indices[d], Const(0, indices[d]->dtype)))
      return 0;
    inner *= *extent;
  }
  return 0;
}

// The number of elements of a compact view; null if it is not known.
std::optional<int64_t> ElementsOf(const BufferNode& view) {
  if (!view.strides.empty()) return std::nullopt;
  int64_t elements = 1;
  for (const Expr& extent : view.shape) {
    const int64_t* value = AsConstInt(extent);
    if (value == nullptr) return std::nullopt;
    elements *= *value;
  }
  return elements;
}

// The element with whose address a view begins; null for others.
const Load* PlaceOfView(const DeclBuffer& view) {
  const auto* call = As<Call>(view.data);
  return call == nullptr || call->op != intrinsic::kAddressOf ? nullptr : As<Load>(call->args[0]);
}

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
    // Visits a shared expression once per statement, and once in its addresses.
    if (IsStmt(&node)) {
      for (auto& seen : seen_) seen = {};
    } else if (IsExpr(&node) && !node.unique() && node.node_kind() != NodeKind::kVarNode &&
               !seen_[in_address_ > 0 ? 1 : 0].insert(&node).second) {
      return false;
    }
    if (const auto* allocate = As<Allocate>(&node)) {
      if (ScopeRank(allocate->buffer->scope) == 3) {
        by_buffer_[allocate->buffer.get()] = found.size();
        by_data_[allocate->buffer->data.get()] = found.size();
        found.push_back({.buffer = allocate->buffer, .indices = {}});
        defined_.insert(allocate->buffer.get());
      }
    } else if (const auto* loop = As<For>(&node)) {
      analyzer_->Bind(loop->var, MakeRange(loop->min, loop->extent));
    } else if (const auto* view = As<DeclBuffer>(&node)) {
      NoteView(*view);
    } else if (const auto* load = As<Load>(&node)) {
      Note(load->source.get(), load->indices, views_.count(load) != 0);
    } else if (const auto* store = As<Store>(&node)) {
      Note(store->buffer.get(), store->indices, false);
    } else if (const auto* call = As<Call>(&node)) {
      for (const NodeRef& arg : call->args) Other(arg.get());
      in_address_ +=
          call->op == intrinsic::kAddressOf || call->op.starts_with(intrinsic::kAsyncPrefix);
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
    if (call != nullptr)
      in_address_ -=
          call->op == intrinsic::kAddressOf || call->op.starts_with(intrinsic::kAsyncPrefix);
  }

 private:
  void Note(const Node* buffer, const std::vector<Expr>& indices, bool viewed) {
    auto it = by_buffer_.find(buffer);
    if (it == by_buffer_.end()) return;
    found[it->second].indices.push_back(&indices);
    if (in_address_ > 0 && !viewed) found[it->second].other_uses = true;
  }
  void NoteView(const DeclBuffer& view) {
    const Load* place = PlaceOfView(view);
    auto it = place == nullptr ? by_buffer_.end() : by_buffer_.find(place->source.get());
    if (it == by_buffer_.end()) return;
    Accesses& of = found[it->second];
    const std::optional<int64_t> elements = ElementsOf(*view.buffer);
    if (!elements || !of.buffer->strides.empty() || of.buffer->dtype != view.buffer->dtype) return;
    of.shrinkable =
        std::min(of.shrinkable, DimsAround(*of.buffer, place->indices, *elements, analyzer_));
    views_.insert(place);
  }
  void Other(const Node* node) {
    auto it = by_buffer_.find(node);
    if (it != by_buffer_.end()) found[it->second].other_uses = true;
  }

  arith::Analyzer* analyzer_;
  std::unordered_map<const Node*, size_t> by_buffer_, by_data_;
  std::unordered_set<const Node*> defined_, views_, seen_[2];
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
      : Mutator(Memo::kPerRoot), plans_(std::move(plans)), analyzer_(analyzer) {}

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

namespace {

// Loads of private memory that may read what other threads stored: see the header.
class ReadsOfOthers final : public Visitor {
 public:
  ReadsOfOthers(const std::vector<Var>& indices, const std::unordered_set<const Node*>& divided,
                arith::Analyzer* analyzer)
      : Visitor(Sharing::kPerRoot), divided_(divided), analyzer_(analyzer) {
    for (const Var& var : indices) {
      const arith::ConstBound bound = analyzer->Bound(var);
      threads_.push_back({var, IsBlockAxis(var->name), bound.min == bound.max});
      if (!threads_.back().block && !threads_.back().single) differing_.insert(var.get());
    }
  }

  void Check() const {
    const AccessContext context{&threads_, &varying_, analyzer_};
    for (const auto& [buffer, uses] : uses_) {
      for (const Use& store : uses.stores) {
        bool alike = store.access.guards->empty();
        for (const Expr& index : store.access.indices)
          alike = alike && !UsesAnyVar(index, differing_);
        if (alike) continue;  // every thread stores the same value for itself
        for (const Use& load : uses.loads) {
          if (ConflictOf(store.access, load.access, context) == Conflict::kNone) continue;
          if (Stored(store.access, load.access)) continue;
          throw Error(Diagnostic{
              .name = "private-memory-shared",
              .message = "`" + store.access.buffer->name +
                         "` lies in memory that each thread has for itself, but threads are not "
                         "proved to read only what they stored themselves",
              .expected = "stores and loads whose indices are the thread's in the same way",
              .found = "a loop over threads that stores, and loads of other elements",
              .help = "compute the stage in scope \"shared\", attach it to the loop over threads "
                      "that reads it, or do not bind its own loops",
              .notes = {"stores: " + ToText(store.stmt), "reads: " + ToText(load.stmt)}});
        }
      }
    }
  }

 protected:
  bool Enter(const Node& node) override {
    if (IsStmt(node)) stmt_ = &node;
    if (const auto* allocate = As<Allocate>(&node)) {
      if (divided_.count(allocate->buffer->data.get()) != 0)
        uses_[allocate->buffer.get()].depth = guards_.size();
    } else if (const auto* loop = As<For>(&node)) {
      analyzer_->Bind(loop->var, MakeRange(loop->min, loop->extent));
      varying_.insert(loop->var.get());
      if (UsesAnyVar(loop->min, differing_) || UsesAnyVar(loop->extent, differing_))
        differing_.insert(loop->var.get());
    } else if (const auto* let = As<LetStmt>(&node)) {
      varying_.insert(let->var.get());
      if (EffectOf(let->value) != CallEffect::kPure || UsesAnyVar(let->value, differing_))
        differing_.insert(let->var.get());
    } else if (const auto* view = As<DeclBuffer>(&node)) {
      // Code that has a view may store through it.
      if (const Load* place = PlaceOfView(*view))
        Note(As<BufferNode>(place->source), place->indices, true);
    } else if (const auto* load = As<Load>(&node)) {
      Note(As<BufferNode>(load->source), load->indices, false);
    } else if (const auto* store = As<Store>(&node)) {
      Note(store->buffer.get(), store->indices, true);
    }
    return true;
  }
  void BeforeChild(const Edge& edge) override {
    const auto* branch = As<If>(edge.parent);
    if (branch == nullptr || edge.Is("condition")) return;
    guards_.push_back(edge.Is("then_case") ? branch->condition : LogicalNot(branch->condition));
  }
  void AfterChild(const Edge& edge) override {
    if (As<If>(edge.parent) != nullptr && !edge.Is("condition")) guards_.pop_back();
  }

 private:
  struct Use {
    ThreadAccess access;
    Stmt stmt;
  };
  struct Uses {
    size_t depth = 0;  // conditions around the allocation
    std::vector<Use> stores, loads;
  };

  void Note(const BufferNode* buffer, const std::vector<Expr>& indices, bool write) {
    const auto found = uses_.find(buffer);
    if (found == uses_.end()) return;
    ThreadAccess access;
    access.buffer = Buffer(buffer);
    access.indices = indices;
    access.write = write;
    access.origin = stmt_;
    auto pins = std::make_shared<std::unordered_map<const Node*, Expr>>();
    auto guards = std::make_shared<std::vector<Expr>>();
    for (size_t i = found->second.depth; i < guards_.size(); ++i) {
      for (Expr part : SplitConjunction(guards_[i])) {
        if (const auto* call = As<Call>(part); call != nullptr && call->op == intrinsic::kLikely)
          part = call->arg(0);
        if (EffectOf(part) == CallEffect::kPure && !UsesAnyVar(part, differing_)) continue;
        guards->push_back(part);
        const auto* equal = As<EQ>(part);
        if (equal != nullptr && AsConstInt(equal->b) != nullptr) (*pins)[equal->a.get()] = equal->b;
      }
    }
    access.pins = std::move(pins);
    access.guards = std::move(guards);
    (write ? found->second.stores : found->second.loads)
        .push_back({std::move(access), RefStmt(NodeRef(stmt_))});
  }

  // True if every thread that loads an element also stores it, if any thread does. The store's
  // loops run over all threads: its variables are replaced by the load's expressions in the same
  // places.
  bool Stored(const ThreadAccess& store, const ThreadAccess& load) const {
    if (store.indices.size() != load.indices.size()) return false;
    VarMap values;
    for (size_t d = 0; d < store.indices.size(); ++d) {
      const Var var = RefAs<VarNode>(store.indices[d]);
      if (var && varying_.count(var.get()) != 0 && differing_.count(var.get()) == 0 &&
          values.count(var) == 0 && var->dtype == load.indices[d]->dtype)
        values[var] = load.indices[d];
    }
    for (size_t d = 0; d < store.indices.size(); ++d) {
      const Expr index = Substitute(store.indices[d], values);
      if (UsesAnyVar(index, differing_) || !StructuralEqual(index, load.indices[d])) return false;
    }
    for (const Expr& guard : *store.guards) {
      const Expr wanted = Substitute(guard, values);
      const bool held =
          std::any_of(load.guards->begin(), load.guards->end(),
                      [&](const Expr& condition) { return StructuralEqual(condition, wanted); });
      if (!held) return false;
    }
    return true;
  }

  static bool IsStmt(const Node& node) { return !IsExpr(&node) && RefStmt(NodeRef(&node)); }

  const std::unordered_set<const Node*>& divided_;
  arith::Analyzer* analyzer_;
  std::vector<ThreadIndex> threads_;
  std::unordered_set<const Node*> differing_, varying_;
  std::vector<Expr> guards_;
  const Node* stmt_ = nullptr;
  std::unordered_map<const Node*, Uses> uses_;
};

}  // namespace

Stmt ShrinkPrivateMemory(const Stmt& kernel, const std::vector<Var>& indices,
                         const std::unordered_set<const Node*>& divided,
                         arith::Analyzer* analyzer) {
  arith::Analyzer::Scope scope = analyzer->OpenScope();
  Finder finder(analyzer);
  finder.Visit(kernel);
  std::unordered_map<const Node*, Shrinker::Plan> plans;
  for (const Accesses& accesses : finder.found) {
    if (accesses.other_uses || accesses.indices.empty()) continue;
    Shrinker::Plan plan(accesses.buffer->shape.size());
    bool any = false;
    for (size_t d = 0; d < std::min(plan.size(), accesses.shrinkable); ++d) {
      for (const Var& var : indices) {
        if (!plan[d]) plan[d] = ShrinkOf(accesses, d, var, analyzer);
      }
      any = any || plan[d].has_value();
    }
    if (any) plans[accesses.buffer.get()] = std::move(plan);
  }
  const Stmt shrunk = plans.empty() ? kernel : Shrinker(std::move(plans), analyzer).Run(kernel);
  if (divided.empty()) return shrunk;
  ReadsOfOthers reads(indices, divided, analyzer);
  reads.Visit(shrunk);
  reads.Check();
  return shrunk;
}

}  // namespace lathe::lower
