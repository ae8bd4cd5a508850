// Compiles loops over thread axes: regions, and the points where their threads wait for each other.

#include "ir/interpreter/compile.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/walk.h"

namespace lathe::ir::interp {

bool Compiler::IsThreadLoop(const Node& node) {
  const auto& loop = static_cast<const For&>(node);
  return loop.for_kind == ForKind::kThread && loop.thread_tag != thread_tag::kVirtual;
}

namespace {

bool HasCollective(const Node& node) {
  bool found = false;
  PostOrder(node, [&](const Node& inner) {
    const auto* call = As<Call>(&inner);
    if (call != nullptr &&
        (IsCollective(call->op) || call->op.starts_with(intrinsic::kAsyncPrefix)))
      found = true;
  });
  return found;
}

bool HasThreads(const Node& node) {
  bool found = false;
  ForEach<For>(Ref<const Node>(&node),
               [&](const For& loop) { found = found || loop.for_kind == ForKind::kThread; });
  return found;
}

bool Reads(const Expr& expr) { return expr && EffectOf(expr) >= CallEffect::kReads; }

// Finds the buffers of a nest of thread loops that hold the same values in every thread's copy: all
// threads store the same values to the same places. It first assumes this of all buffers, then
// removes those with a different store, until no more are removed.
class AlikeFinder final : public Visitor {
 public:
  AlikeFinder() : Visitor(Sharing::kPerRoot) {}

  std::unordered_set<const Node*> found;
  bool changed = false;

  void Again() {
    changed = false;
    differing_.clear();
  }

 protected:
  bool Enter(const Node& node) override {
    const BufferNode* buffer = nullptr;
    if (const auto* realize = As<Realize>(&node)) buffer = realize->buffer.get();
    if (const auto* allocate = As<Allocate>(&node)) buffer = allocate->buffer.get();
    if (buffer != nullptr &&
        (buffer->scope.empty() || buffer->scope.starts_with(memory_scope::kLocal) ||
         buffer->scope.starts_with(memory_scope::kWarp))) {
      if (allocated_.emplace(buffer, 0).second) found.insert(buffer);
      allocated_[buffer] = ways_;
    }
    if (const auto* let = As<LetStmt>(&node); let != nullptr && Differs(let->value))
      differing_.insert(let->var.get());
    if (const auto* loop = As<For>(&node)) {
      const bool thread = loop->for_kind == ForKind::kThread &&
                          loop->thread_tag != thread_tag::kVirtual &&
                          !loop->thread_tag.starts_with(thread_tag::kBlockPrefix);
      if (thread || Differs(loop->min) || Differs(loop->extent)) differing_.insert(loop->var.get());
    }
    if (const auto* store = As<Store>(&node)) {
      bool alike = !Differs(store->value) && (!store->mask || !Differs(store->mask));
      for (const Expr& index : store->indices) alike = alike && !Differs(index);
      const auto at = allocated_.find(store->buffer.get());
      if (at != allocated_.end() && (!alike || ways_ > at->second)) Drop(store->buffer.get());
    }
    const auto* call = As<Call>(&node);
    if (call != nullptr && EffectOf(*call) > CallEffect::kReads) {
      for (const NodeRef& arg : call->args) {
        const auto* load = As<Load>(arg);
        Drop(load != nullptr ? load->source.get() : arg.get());
      }
    }
    return true;
  }
  void BeforeChild(const Edge& edge) override { ways_ += Way(edge); }
  void AfterChild(const Edge& edge) override { ways_ -= Way(edge); }

 private:
  // 1 if the edge leads to a statement that maybe not all threads run, else 0.
  int Way(const Edge& edge) const {
    if (const auto* loop = As<For>(edge.parent))
      return edge.Is("body") && differing_.count(loop->var.get()) != 0 ? 1 : 0;
    if (const auto* branch = As<If>(edge.parent))
      return !edge.Is("condition") && Differs(branch->condition) ? 1 : 0;
    return As<While>(edge.parent) != nullptr ? 1 : 0;
  }
  bool Differs(const Expr& expr) const {
    bool differs = false;
    PostOrder(expr, [&](const Node& node) {
      if (differing_.count(&node) != 0) differs = true;
      const auto* load = As<Load>(&node);
      if (load != nullptr && allocated_.count(load->source.get()) != 0 &&
          found.count(load->source.get()) == 0)
        differs = true;
      const auto* call = As<Call>(&node);
      if (call != nullptr && EffectOf(*call) > CallEffect::kReads) differs = true;
    });
    return differs;
  }
  void Drop(const Node* buffer) { changed = found.erase(buffer) != 0 || changed; }

  std::unordered_set<const Node*> differing_;  // variables
  std::unordered_map<const Node*, int> allocated_;
  int ways_ = 0;
};

std::unordered_set<const Node*> MemoryAlike(const Node& region) {
  AlikeFinder finder;
  do {
    finder.Again();
    finder.Visit(region);
  } while (finder.changed);
  return std::move(finder.found);
}

}  // namespace

// The extents of loops over block axes are computed first, because the number of blocks must be
// known before they run.
void Compiler::OpenRegion(const Node& node, bool kernel) {
  ThreadRegion region;
  region.node = &node;
  region.kernel = kernel;
  std::vector<const For*> grid;
  PreOrder(node, [&](const Node& inner) {
    if (const auto* call = As<Call>(&inner)) {
      const auto* scope = call->op == intrinsic::kBarrier ? As<StringImm>(call->args[0]) : nullptr;
      if (scope != nullptr && scope->value == memory_scope::kGlobal) region.global_barrier = true;
    }
    const auto* loop = As<For>(&inner);
    if (loop == nullptr || !IsThreadLoop(inner)) return true;
    auto tag = std::find(region.tags.begin(), region.tags.end(), loop->thread_tag);
    if (tag == region.tags.end()) tag = region.tags.insert(tag, loop->thread_tag);
    if (!IsBlockAxis(loop->thread_tag)) return true;
    grid.push_back(loop);
    region.grid.emplace_back(static_cast<int>(tag - region.tags.begin()), Operand());
    for (const Var& var : FreeVars(loop->extent)) {
      if (vars_.contains(var.get())) continue;
      throw Error(Diagnostic{.name = "interpret-thread-extent",
                             .message = "the extent of the block axis `" + loop->thread_tag +
                                        "` is not known before its kernel: it depends on `" +
                                        var->name + "`",
                             .help = "use an upper bound as the extent, and a condition within",
                             .notes = {"in: " + NoteOf(inner)}});
    }
    return true;
  });
  if (region.tags.size() > 32) Malformed(node, "it has more than 32 thread axes");
  code_->regions.push_back(std::move(region));
  Push(&Compiler::RegionBegin, &node, kernel ? 1 : 0);
  for (size_t i = grid.size(); i-- > 0;) Root(grid[i]->extent, &node);
}

void Compiler::RegionBegin(const Node* node, int kernel) {
  stmt_ = node;
  region_ = static_cast<int>(code_->regions.size()) - 1;
  const std::vector<Operand> extents = PopList(region().grid.size());
  for (size_t i = 0; i < extents.size(); ++i) region().grid[i].second = extents[i];
  Emit(OpCode::kRegion).index = region_;
  enclosing_ = {0};
  loops_.clear();
  ways_.clear();
  if (!kernel) alike_ = MemoryAlike(*node);
  Push(&Compiler::RegionEnd, node);
  Push(&Compiler::VisitStmt, node);
}

void Compiler::RegionEnd(const Node* node, int) {
  stmt_ = node;
  region().end = Here();
  Emit(OpCode::kRegionEnd);
  region_ = -1;
}

void Compiler::ThreadBegin(const Node* node, int) {
  const auto& loop = *static_cast<const For*>(node);
  stmt_ = node;
  const Operand extent = Pop(), min = Pop();
  const Operand var = NewOperand(loop.var->dtype);
  const std::vector<std::string>& tags = region().tags;
  ThreadLoop out;
  out.axis = static_cast<int>(std::find(tags.begin(), tags.end(), loop.thread_tag) - tags.begin());
  PreOrder(*loop.body, [&](const Node& inner) {
    const auto* other = As<For>(&inner);
    if (other != nullptr && other->for_kind == ForKind::kThread &&
        other->thread_tag == loop.thread_tag) {
      out.reopens = true;
    }
    return !IsExpr(&inner);
  });
  for (size_t i = loops_.size(); i-- > 0;) {
    if (loops_[i] == 1u << out.axis) out.outer = static_cast<int>(i);
  }
  const int index = static_cast<int>(code_->thread_loops.size());
  Instr& instr = Emit(OpCode::kThreadBegin, var);
  instr.a = min.at;
  instr.b = extent.at;
  instr.index = index;
  enclosing_.push_back(enclosing_.back() | (1u << out.axis));
  loops_.push_back(1u << out.axis);
  varies_[loop.var.get()] = 1u << out.axis;
  code_->thread_loops.push_back(out);
  Define(loop.var.get(), var);
  code_->scopes.push_back({scope_, loop.var->name, var});
  scope_ = static_cast<int>(code_->scopes.size()) - 1;
  Push(&Compiler::ThreadEnd, node, index);
  Push(&Compiler::VisitStmt, loop.body.get());
}

void Compiler::ThreadEnd(const Node* node, int loop) {
  stmt_ = node;
  code_->thread_loops[static_cast<size_t>(loop)].end = Here();
  Emit(OpCode::kThreadEnd).index = loop;
  enclosing_.pop_back();
  loops_.pop_back();
  scope_ = code_->scopes[static_cast<size_t>(scope_)].parent;
  Undefine(static_cast<const For*>(node)->var.get());
}

// In a schedule's loop nest every statement that accesses memory is a step: all threads finish it
// before a thread begins the next. The threads of a kernel wait only at its barriers and other
// collective calls.
void Compiler::SyncBefore(const Node* node) {
  if (region().kernel || in_turn_) return;
  SyncSite site;
  site.enclosing = enclosing_.back();
  bool leaf = false;
  if (InTurn(*node)) {
    ForEach<Store>(Ref<const Node>(node), [&](const Store& store) {
      const auto found = placed_.find(store.buffer.get());
      site.per_thread = found != placed_.end() && found->second.copies == Copies::kPerThread;
    });
    leaf = true;
  }
  switch (node->node_kind()) {
    case NodeKind::kStore: {
      const auto found = placed_.find(static_cast<const Store*>(node)->buffer.get());
      if (found != placed_.end()) {
        site.per_thread = found->second.copies == Copies::kPerThread;
        // Shared memory: several threads store only along the axes of the loops between its
        // allocation and the store; along other axes one thread stores. A thread's own memory:
        // threads that only inner loops begin may read it, so all threads store to it if the store
        // does not differ by thread.
        site.enclosing = site.per_thread ? 0 : site.enclosing & ~found->second.shared_among;
        // Along the axes along which the statement differs, all threads run it.
        for (size_t i = found->second.loops; i < loops_.size(); ++i) site.enclosing |= loops_[i];
        for (size_t i = found->second.ways; i < ways_.size(); ++i) site.enclosing |= ways_[i];
        const auto& store = *static_cast<const Store*>(node);
        uint32_t varies = VariesAlong(store.value) | VariesAlong(store.mask);
        for (const Expr& index : store.indices) varies |= VariesAlong(index);
        site.enclosing = (site.enclosing | varies) & enclosing_.back();
      }
      leaf = true;
      break;
    }
    case NodeKind::kEvaluate:
      site.always = HasCollective(*node);
      leaf = true;
      break;
    case NodeKind::kAssert:
      leaf = true;
      break;
    case NodeKind::kFor: {
      const auto& loop = *static_cast<const For*>(node);
      site.always = Reads(loop.min) || Reads(loop.extent);
      break;
    }
    case NodeKind::kIf:
      site.always = Reads(static_cast<const If*>(node)->condition);
      break;
    case NodeKind::kLetStmt: {
      const Expr& value = static_cast<const LetStmt*>(node)->value;
      if (!Reads(value)) break;
      site.always = HasThreads(*node) || HasCollective(*node);
      if (site.always) break;
      // Threads for which the loops around it have no iteration may lack what it reads. They do not
      // use the value.
      site.per_thread = leaf = true;
      site.enclosing = VariesAlong(value) & enclosing_.back();
      break;
    }
    case NodeKind::kWhile:
    case NodeKind::kRealize:
    case NodeKind::kAllocate:
      site.always = true;
      break;
    default:
      break;
  }
  if (!leaf && !site.always) return;
  const int index = static_cast<int>(code_->syncs.size());
  Emit(OpCode::kSync).index = index;
  code_->syncs.push_back(site);
  if (leaf) Push(&Compiler::SyncEnd, node, index);
}

void Compiler::SyncAtEnd(int begin) {
  if (region_ < 0 || region().kernel || in_turn_) return;
  // Needed only if threads wait inside the loop.
  bool waits = false;
  for (size_t at = static_cast<size_t>(begin); at < code_->instrs.size(); ++at)
    waits = waits || code_->instrs[at].op == OpCode::kSync;
  if (!waits) return;
  SyncSite site;
  site.enclosing = enclosing_.back();
  site.always = true;
  Emit(OpCode::kSync).index = static_cast<int>(code_->syncs.size());
  code_->syncs.push_back(site);
}

bool Compiler::InTurn(const Node& node) const {
  const auto* attr = As<Attr>(&node);
  return attr != nullptr && attr->key == attr_key::kCrossThreadCombine && region_ >= 0 &&
         !code_->regions[static_cast<size_t>(region_)].kernel && !in_turn_;
}

void Compiler::TurnEnd(const Node*, int begin) {
  in_turn_ = false;
  code_->turns.emplace_back(begin, Here());
}

void Compiler::SyncEnd(const Node*, int site) {
  code_->syncs[static_cast<size_t>(site)].next = Here();
}

// The scope decides. Memory without a scope belongs to the innermost threads around its allocation.
Copies Compiler::CopiesOf(const BufferNode& buffer) const {
  if (region_ < 0) return Copies::kOne;
  const std::string& scope = buffer.scope;
  if (scope.starts_with(memory_scope::kLocal)) return Copies::kPerThread;
  if (scope.starts_with(memory_scope::kWarp)) return Copies::kPerWarp;
  if (!scope.empty()) return Copies::kPerBlock;
  const ThreadRegion& region = code_->regions[static_cast<size_t>(region_)];
  for (size_t axis = 0; axis < region.tags.size(); ++axis) {
    if ((enclosing_.back() >> axis & 1) != 0 && !IsBlockAxis(region.tags[axis]))
      return Copies::kPerThread;
  }
  return Copies::kPerBlock;
}

// The axes along which threads may have different values of the expression.
uint32_t Compiler::VariesAlong(const Expr& expr) const {
  uint32_t axes = 0;
  PostOrder(expr, [&](const Node& node) {
    if (const auto found = varies_.find(&node); found != varies_.end()) axes |= found->second;
    if (const auto* load = As<Load>(&node)) {
      const auto placed = placed_.find(As<BufferNode>(load->source));
      if (placed != placed_.end() && placed->second.copies != Copies::kPerBlock &&
          alike_.count(placed->first) == 0)
        axes = ~0u;
    }
    const auto* call = As<Call>(&node);
    if (call != nullptr && EffectOf(*call) > CallEffect::kPure) axes = ~0u;
  });
  return axes;
}

void Compiler::Place(BufferEntry* entry) {
  if (region_ < 0) return;
  entry->copies = CopiesOf(*entry->node);
  Placement placement;
  placement.copies = entry->copies;
  placement.loops = loops_.size();
  placement.ways = ways_.size();
  const std::vector<std::string>& tags = region().tags;
  for (size_t axis = 0; axis < tags.size(); ++axis) {
    const bool shared = entry->copies == Copies::kPerBlock ? !IsBlockAxis(tags[axis])
                                                           : entry->copies == Copies::kPerWarp &&
                                                                 tags[axis] == thread_tag::kThreadX;
    if (shared) placement.shared_among |= 1u << axis;
  }
  placed_[entry->node] = placement;
}

}  // namespace lathe::ir::interp
