#include "lower/device/shared_memory.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "arith/analyzer.h"
#include "arith/region.h"
#include "base/error.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"
#include "lower/device/kernel_axes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

constexpr int64_t kAlignment = 16;  // of each buffer, in bytes, unless it needs more

struct Lifetime {
  Buffer buffer;
  size_t depth = 0;  // loops open at its allocation
  size_t first = SIZE_MAX, last = 0;
  int64_t bytes = -1;  // -1: not constant
  int64_t alignment = kAlignment;
  int64_t offset = 0;
};

bool IsDynamic(const BufferNode& buffer) {
  if (ScopeRank(buffer.scope) != 1) return false;
  if (buffer.scope == memory_scope::kSharedDynamic) return true;
  return std::any_of(buffer.shape.begin(), buffer.shape.end(),
                     [](const Expr& extent) { return AsConstInt(extent) == nullptr; });
}

Expr ElementsOf(const BufferNode& buffer) {
  const DataType t = DataType::Int(64);
  Expr total = Int(1, t);
  if (!buffer.strides.empty()) {
    // Rows may be padded: count up to the last element.
    for (size_t i = 0; i < buffer.strides.size(); ++i)
      total = total + (MakeCast(t, buffer.shape[i]) - 1) * MakeCast(t, buffer.strides[i]);
    return total;
  }
  for (const Expr& extent : buffer.shape) total = total * MakeCast(t, extent);
  return total;
}

class LifetimeFinder final : public Visitor {
 public:
  std::vector<Lifetime> found;
  std::unordered_set<const Node*> inner;  // variables that the kernel defines
  std::vector<const For*> loops;          // outer ones before those within

  explicit LifetimeFinder(const std::vector<const For*>& threads)
      : Visitor(Sharing::kPerRoot), loops(threads) {
    for (const For* thread : threads) inner.insert(thread->var.get());
  }

 protected:
  void BeforeChild(const Edge& edge) override {
    const auto* loop = As<For>(edge.parent);
    if (loop != nullptr && edge.Is("body")) open_.push_back({position_, {}});
  }
  void AfterChild(const Edge& edge) override {
    const auto* loop = As<For>(edge.parent);
    if (loop == nullptr || !edge.Is("body")) return;
    // A buffer that was accessed in the loop and allocated outside it is alive during the whole
    // loop.
    const Open done = open_.back();
    open_.pop_back();
    for (size_t index : done.used) {
      Lifetime& lifetime = found[index];
      if (lifetime.depth > open_.size()) continue;
      lifetime.first = std::min(lifetime.first, done.begin);
      lifetime.last = std::max(lifetime.last, position_);
      if (!open_.empty()) open_.back().used.insert(index);
    }
  }
  bool Enter(const Node& node) override {
    if (const auto* loop = As<For>(&node)) {
      inner.insert(loop->var.get());
      loops.push_back(loop);
    }
    if (const auto* let = As<LetStmt>(&node)) inner.insert(let->var.get());
    if (const auto* allocate = As<Allocate>(&node); allocate != nullptr) {
      if (IsDynamic(*allocate->buffer)) {
        index_[allocate->buffer.get()] = found.size();
        Lifetime lifetime;
        lifetime.buffer = allocate->buffer;
        lifetime.depth = open_.size();
        const Expr count = analyzer_.Simplify(ElementsOf(*allocate->buffer));
        const int64_t* elements = AsConstInt(count);
        if (elements != nullptr) lifetime.bytes = *elements * allocate->buffer->dtype.bytes();
        lifetime.alignment = std::max(kAlignment, allocate->buffer->alignment);
        found.push_back(lifetime);
      }
    }
    if (!IsExpr(node.node_kind())) ++position_;
    if (const auto* load = As<Load>(&node)) Use(load->source.get());
    if (const auto* store = As<Store>(&node)) Use(store->buffer.get());
    if (const auto* prefetch = As<Prefetch>(&node)) Use(prefetch->buffer.get());
    if (const auto* call = As<Call>(&node)) {
      for (const NodeRef& arg : call->args) Use(arg.get());
    }
    return true;
  }

 private:
  struct Open {
    size_t begin;
    std::unordered_set<size_t> used;
  };

  void Use(const Node* buffer) {
    auto it = index_.find(buffer);
    if (it == index_.end()) return;
    Lifetime& lifetime = found[it->second];
    lifetime.first = std::min(lifetime.first, position_);
    lifetime.last = std::max(lifetime.last, position_);
    if (!open_.empty()) open_.back().used.insert(it->second);
  }

  arith::Analyzer analyzer_;
  size_t position_ = 0;
  std::vector<Open> open_;
  std::unordered_map<const Node*, size_t> index_;
};

int64_t RoundUp(int64_t bytes, int64_t to) { return (bytes + to - 1) / to * to; }

// The offsets of buffers of constant size, and the total of their bytes.
int64_t PlaceConstant(std::vector<Lifetime>& lifetimes) {
  int64_t end = 0;
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    Lifetime& mine = lifetimes[i];
    if (mine.bytes < 0) continue;
    bool moved = true;
    while (moved) {
      moved = false;
      for (size_t j = 0; j < i; ++j) {
        const Lifetime& other = lifetimes[j];
        if (other.bytes < 0 || mine.last < other.first || other.last < mine.first) continue;
        if (mine.offset < other.offset + other.bytes && other.offset < mine.offset + mine.bytes) {
          mine.offset = RoundUp(other.offset + other.bytes, mine.alignment);
          moved = true;
        }
      }
    }
    end = std::max(end, mine.offset + mine.bytes);
  }
  return RoundUp(end, kAlignment);
}

class Merger final : public Mutator {
 public:
  explicit Merger(std::unordered_map<const Node*, Buffer> views, const Var& pool)
      : Mutator(Memo::kPerRoot), views_(std::move(views)), pool_(pool) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    const auto* allocate = As<Allocate>(node);
    auto it = allocate != nullptr ? views_.find(allocate->buffer.get()) : views_.end();
    if (it != views_.end()) Rename(allocate->buffer, it->second);
    return nullptr;
  }
  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    const auto* allocate = As<Allocate>(before);
    auto it = allocate != nullptr ? views_.find(allocate->buffer.get()) : views_.end();
    if (it == views_.end()) return after;
    return MakeDeclBuffer(it->second, pool_, static_cast<const Allocate&>(*after).body);
  }

 private:
  std::unordered_map<const Node*, Buffer> views_;
  Var pool_;
};

[[noreturn]] void UnknownSize(const BufferNode& buffer) {
  throw Error(Diagnostic{
      .name = "shared-memory-size",
      .message =
          "the size of shared buffer `" + buffer.name + "` is not known before its kernel starts",
      .expected = "extents that are bounded by constants and sizes",
      .found = "an extent that is computed in the kernel",
      .help = "split the loops around it by constant factors, so that its region is the same "
              "every time"});
}

// The maximum of `elements` over all iterations of the kernel's loops, including its threads: a
// launch gives every block the same memory.
Expr MostElements(Expr elements, const LifetimeFinder& finder, const BufferNode& buffer,
                  arith::Analyzer* analyzer) {
  for (size_t i = finder.loops.size(); i-- > 0;) {
    const For& loop = *finder.loops[i];
    if (!UsesVar(elements, loop.var)) continue;
    const arith::DomMap dom = {
        {loop.var, arith::IntSet::FromRange(MakeRange(loop.min, loop.extent))}};
    const arith::IntSet set = EvalSet(elements, dom, analyzer);
    if (!set.is_bounded()) UnknownSize(buffer);
    elements = set.max;
  }
  if (UsesAnyVar(elements, finder.inner)) UnknownSize(buffer);
  return elements;
}

// The body of a kernel, without its thread loops.
Stmt Merge(const Stmt& body, const std::vector<const For*>& threads) {
  LifetimeFinder finder(threads);
  finder.Visit(body);
  std::vector<Lifetime>& lifetimes = finder.found;
  if (lifetimes.empty()) return body;
  const DataType t = DataType::Int(64);
  const int64_t constant = PlaceConstant(lifetimes);
  Buffer pool = MakeBuffer("dynamic_shared", DataType::UInt(8), {Int(constant, t)},
                           memory_scope::kSharedDynamic);
  for (const Lifetime& lifetime : lifetimes) {
    if (lifetime.alignment <= std::max(kAlignment, pool->alignment)) continue;
    pool = CopyBuffer(pool, [&](BufferNode& copy) { copy.alignment = lifetime.alignment; });
  }
  // For memory of varying size, the known alignment of the start is 16 only.
  for (const Lifetime& lifetime : lifetimes) {
    if (lifetime.bytes < 0 && lifetime.alignment > kAlignment) UnknownSize(*lifetime.buffer);
  }
  Expr end = Int(constant, t);
  std::unordered_map<const Node*, Buffer> views;
  arith::Analyzer analyzer;
  for (const Lifetime& lifetime : lifetimes) {
    const BufferNode& buffer = *lifetime.buffer;
    const int64_t size = buffer.dtype.bytes();
    LATHE_CHECK(kAlignment % size == 0 || size % kAlignment == 0) << "elements of " << size;
    Expr offset = Int(lifetime.offset, t);
    if (lifetime.bytes < 0) {
      const Expr elements =
          MakeMax(MostElements(ElementsOf(buffer), finder, buffer, &analyzer), Int(0, t));
      // Aligned to the element's size, too, if that is larger.
      const int64_t align = std::max(kAlignment, size);
      offset = end;
      end = analyzer.Simplify(offset + CeilDivide(elements * size, Int(align, t)) * align);
    }
    views[&buffer] = CopyBuffer(lifetime.buffer, [&](BufferNode& copy) {
      copy.data = MakeVar(copy.name, DataType::Handle());
      copy.elem_offset = analyzer.Simplify(FloorDivide(offset, size));
      copy.offset_factor = 1;
      copy.scope = memory_scope::kSharedDynamic;
      for (Expr& extent : copy.shape) extent = MakeCast(IndexType(copy.shape), extent);
    });
  }
  const Buffer sized = CopyBuffer(pool, [&](BufferNode& copy) { copy.shape = {end}; });
  return MakeAllocate(sized, Merger(std::move(views), sized->data).Run(body));
}

class Finder final : public Mutator {
 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    const auto* loop = As<For>(node);
    if (loop == nullptr || !IsHardwareLoop(*loop)) return nullptr;
    std::vector<const For*> nest;
    Stmt body = RefStmt(node);
    while (const auto* inner = As<For>(body)) {
      if (!IsHardwareLoop(*inner)) break;
      nest.push_back(inner);
      body = inner->body;
    }
    const Stmt merged = Merge(body, nest);
    if (merged.same_as(body)) return node;
    Stmt out = merged;
    for (size_t i = nest.size(); i-- > 0;) {
      out = MakeFor(nest[i]->var, nest[i]->min, nest[i]->extent, ForKind::kThread, out,
                    nest[i]->thread_tag, nest[i]->annotations);
    }
    return out;
  }
};

}  // namespace

Module MergeSharedMemory(const Module& module, const PassContext&) {
  return MapFunctions(module,
                      [](const Func& func) { return WithBody(func, Finder().Run(func->body)); });
}

}  // namespace lathe::lower
