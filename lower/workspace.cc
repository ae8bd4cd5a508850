#include "lower/workspace.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "arith/analyzer.h"
#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "lathe/abi/dlpack.h"
#include "lower/bind_arguments.h"
#include "lower/option_names.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

const DataType kI64 = DataType::Int(64);

Expr I64(int64_t value) { return Int(value, kI64); }

// Numbers of bytes. Null means more than int64 can hold.
Expr Plus(const Expr& a, const Expr& b) {
  if (!a || !b) return nullptr;
  const int64_t *x = AsConstInt(a), *y = AsConstInt(b);
  if (x == nullptr || y == nullptr) return a + b;
  int64_t sum = 0;
  return __builtin_add_overflow(*x, *y, &sum) ? Expr() : I64(sum);
}

Expr Larger(const Expr& a, const Expr& b) {
  if (!a || !b) return nullptr;
  const int64_t *x = AsConstInt(a), *y = AsConstInt(b);
  if (x != nullptr && y != nullptr) return *x < *y ? b : a;
  if (x != nullptr && *x == 0) return b;  // no operand is negative
  return y != nullptr && *y == 0 ? a : MakeMax(a, b);
}

// A negative extent counts as 0.
Expr BytesOf(const BufferNode& buffer) {
  int64_t fixed = buffer.dtype.bytes();
  Expr elements;
  for (const Expr& extent : buffer.shape) {
    if (const int64_t* constant = AsConstInt(extent)) {
      if (__builtin_mul_overflow(fixed, std::max<int64_t>(*constant, 0), &fixed)) return nullptr;
      continue;
    }
    const Expr count = MakeMax(MakeCast(kI64, extent), I64(0));
    elements = elements ? elements * count : count;
  }
  const int64_t most = kWorkspaceAlignment - 1;
  if (fixed > INT64_MAX - most) return nullptr;
  if (!elements) return I64((fixed + most) / kWorkspaceAlignment * kWorkspaceAlignment);
  return FloorDivide(elements * I64(fixed) + I64(most), I64(kWorkspaceAlignment)) *
         I64(kWorkspaceAlignment);
}

// True for pure arithmetic.
bool IsPlain(const Expr& e) {
  bool plain = true;
  PostOrder(e, [&](const Node& node) {
    plain = plain && As<Call>(&node) == nullptr && As<Load>(&node) == nullptr;
  });
  return plain;
}

[[noreturn]] void ThrowEntry(const std::string& function, const std::string& why) {
  throw Error(Diagnostic{.name = "entries-workspace",
                         .message = "`" + function + "` can have no entry without checks: " + why,
                         .expected = "ordinary memory of a size that follows from the arguments'",
                         .help = "compile it with the option entries=1, or store what is between "
                                 "at another loop (compute_at)"});
}

// A binary node whose operands were widened gets their type.
template <class T>
auto Wider() {
  return [](const T& node) -> NodeRef { return MakeBinary(KindOf<T>::kValue, node.a, node.b); };
}

// The same number in 64-bit arithmetic, over 64-bit sizes: for code outside the function.
Expr OverNumbers(const Expr& e) {
  VarMap numbers;
  for (const Var& var : FreeVars(e))
    numbers.emplace(var, var->is_size ? MakeSizeVar(var->name, kI64) : MakeVar(var->name, kI64));
  const Expr wide = Rewrite(
      e, [&](const VarNode& var) -> NodeRef { return numbers.at(Var(&var)); },
      [](const IntImm& number) -> NodeRef {
        return number.dtype.is_int() ? NodeRef(I64(number.value)) : NodeRef();
      },
      [](const Cast& cast) -> NodeRef {
        return cast.dtype.is_int() && cast.value->dtype == kI64 ? NodeRef(cast.value) : NodeRef();
      },
      Wider<Add>(), Wider<Sub>(), Wider<Mul>(), Wider<FloorDiv>(), Wider<FloorMod>(), Wider<Div>(),
      Wider<Mod>(), Wider<Min>(), Wider<Max>());
  return arith::Analyzer().Simplify(wide);
}

// Walks through one function.
class Planner final : public Mutator {
 public:
  Planner(const Func& func, int64_t stack_bytes)
      : stack_bytes_(stack_bytes),
        device_type_(IntAttr(func->attrs, func_attr::kDeviceType, kDLCPU)),
        budget_(stack_bytes, device_type_) {
    if (StringAttr(func->attrs, func_attr::kCallingConvention) == convention::kUnchecked)
      workspace_ = RefAs<VarNode>(func->params[2]);
    use_.function = workspace_ ? StringAttr(func->attrs, func_attr::kEntryOf) : func->name;
    use_.outside = use_.per_thread = I64(0);
  }

  // The scratch memory of an entry; throws for entries for which it is not known.
  WorkspaceUse Measure(const Stmt& body) {
    Run(body);
    if (use_.unknown.empty()) {
      arith::Analyzer analyzer;
      use_.outside = analyzer.Simplify(use_.outside);
      use_.per_thread = analyzer.Simplify(use_.per_thread);
    } else {
      use_.outside = use_.per_thread = nullptr;
    }
    return use_;
  }

  // For an entry that was measured: makes its allocations places in the workspace of `use`.
  static Stmt Place(const Func& func, int64_t stack_bytes, const WorkspaceUse& use) {
    Planner placing(func, stack_bytes);
    placing.total_ = &use;
    return placing.Run(func->body);
  }

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    if (const auto* let = As<LetStmt>(node)) lets_[let->var.get()] = {let->value, loops_ > 0};
    if (const auto* loop = As<For>(node)) {
      ++loops_;
      if (loop->for_kind == ForKind::kParallel && parallel_ == nullptr) BeginParallel(loop);
    }
    if (As<While>(node)) ++loops_;
    if (const auto* allocate = As<Allocate>(node)) {
      Block block{offset_, budget_.Take(*allocate->buffer)};
      if (workspace_ && !block.on_stack) RequirePlain(*allocate->buffer);
      if (!block.on_stack) Take(*allocate->buffer);
      blocks_.push_back(std::move(block));
    }
    return nullptr;
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    if (As<For>(before) || As<While>(before)) --loops_;
    if (before.get() == parallel_) after = EndParallel(std::move(after));
    if (const auto* allocate = As<Allocate>(before)) {
      const Block block = std::move(blocks_.back());
      blocks_.pop_back();
      offset_ = block.before;
      if (block.on_stack) budget_.Give(*allocate->buffer);
      if (total_ != nullptr && !block.on_stack) return InWorkspace(*As<Allocate>(after));
    }
    return after;
  }

 private:
  // The loop will be a function with its own stack and workspace.
  void BeginParallel(const For* loop) {
    parallel_ = loop;
    outer_offset_ = std::exchange(offset_, I64(0));
    outer_budget_ = std::exchange(budget_, StackBudget(stack_bytes_, device_type_));
  }
  NodeRef EndParallel(NodeRef after) {
    parallel_ = nullptr;
    offset_ = outer_offset_;
    budget_ = outer_budget_;
    if (!mine_) return after;
    const auto* loop = As<For>(after);
    const Var mine = std::exchange(mine_, nullptr);
    const Expr index =
        MakeCall(DataType::Int(32), intrinsic::kRuntimeCall, {String(runtime_entry::kThreadIndex)});
    const Expr begin = total_->outside + MakeCast(kI64, index) * total_->per_thread;
    return MakeFor(loop->var, loop->min, loop->extent, loop->for_kind,
                   MakeLetStmt(mine, At(workspace_, begin), loop->body), loop->thread_tag,
                   loop->annotations);
  }

  static Expr At(const Var& base, const Expr& bytes) {
    return MakeCall(DataType::Handle(), intrinsic::kWorkspaceAt, {base, bytes});
  }

  NodeRef InWorkspace(const Allocate& allocate) {
    if (parallel_ != nullptr && !mine_) mine_ = MakeVar("mine", DataType::Handle());
    const Expr place = At(parallel_ != nullptr ? mine_ : workspace_, offset_);
    return MakeDeclBuffer(allocate.buffer, place, allocate.body);
  }

  void RequirePlain(const BufferNode& buffer) const {
    const std::string scope = ScopeOf(buffer);
    if (scope == memory_scope::kGlobal || scope == memory_scope::kLocal) return;
    ThrowEntry(use_.function, "`" + buffer.name + "` is in memory of the scope `" + scope + "`");
  }

  void Take(const BufferNode& buffer) {
    offset_ = Plus(offset_, BytesOf(buffer));
    Expr& most = parallel_ != nullptr ? use_.per_thread : use_.outside;
    const Expr now = offset_ ? OverSizes(offset_) : nullptr;
    most = Larger(most, now);
    if (most || !use_.unknown.empty()) return;
    use_.unknown = offset_ ? "the size of `" + buffer.name + "` does not follow from the arguments'"
                           : "`" + buffer.name + "` has more bytes than 63 bits count";
  }

  // `e` as an expression over the function's sizes, which are variables bound once, outside all
  // loops. Variables that argument binding made ("A.shape0") or that are bound within loops are
  // substituted. Null if the value depends on anything else.
  Expr OverSizes(const Expr& e) const {
    VarMap values;
    for (const Var& var : FreeVars(e)) {
      const auto it = lets_.find(var.get());
      if (it == lets_.end()) return nullptr;  // a loop's variable
      const Bound& bound = it->second;
      if (!bound.in_loop && var->name.find('.') == std::string::npos) continue;
      if (!IsPlain(bound.value)) return nullptr;
      const Expr value = OverSizes(bound.value);
      if (!value) return nullptr;
      values.emplace(var, value);
    }
    return values.empty() ? e : Substitute(e, values);
  }

  struct Bound {
    Expr value;
    bool in_loop;
  };
  struct Block {
    Expr before;  // the offset before it
    bool on_stack;
  };
  int64_t stack_bytes_, device_type_;
  Var workspace_;                        // of entries without checks
  const WorkspaceUse* total_ = nullptr;  // the measured memory that it places
  Var mine_;                             // this thread's workspace in the parallel loop
  WorkspaceUse use_;
  std::unordered_map<const Node*, Bound> lets_;
  int loops_ = 0;
  const For* parallel_ = nullptr;  // the outermost parallel loop around
  Expr offset_ = I64(0), outer_offset_;
  StackBudget budget_, outer_budget_{0, 0};
  std::vector<Block> blocks_;
};

}  // namespace

int64_t& StackBudget::Left(const BufferNode& buffer) {
  return buffer.scope == memory_scope::kLocal ? local_left_ : left_;
}

bool StackBudget::Take(const BufferNode& buffer) {
  if (device_type_ != kDLCPU) return false;  // the device does not see the host's stack
  const int64_t* extent = buffer.shape.size() == 1 ? AsConstInt(buffer.shape[0]) : nullptr;
  if (extent == nullptr || !(buffer.scope.empty() || buffer.scope == memory_scope::kGlobal ||
                             buffer.scope == memory_scope::kLocal))
    return false;
  const __int128 bytes = static_cast<__int128>(*extent) * buffer.dtype.bytes();
  if (bytes > Left(buffer)) return false;
  Left(buffer) -= static_cast<int64_t>(bytes);
  return true;
}

void StackBudget::Give(const BufferNode& buffer) {
  Left(buffer) += *AsConstInt(buffer.shape[0]) * buffer.dtype.bytes();
}

Module PlanWorkspace(const Module& module, const PassContext& context) {
  const int64_t stack_bytes = context.Option(option::kStackMaxBytes);
  return MapFunctions(module, [&](const Func& func) {
    const std::string convention = StringAttr(func->attrs, func_attr::kCallingConvention);
    const bool entry = convention == convention::kUnchecked;
    if (!entry && (convention != convention::kPacked || !context.workspace)) return func;
    const WorkspaceUse use = Planner(func, stack_bytes).Measure(func->body);
    if (context.workspace) {
      WorkspaceUse told = use;
      if (told.outside) told.outside = OverNumbers(told.outside);
      if (told.per_thread) told.per_thread = OverNumbers(told.per_thread);
      context.workspace(told);
    }
    if (!entry) return func;
    if (!use.unknown.empty()) ThrowEntry(use.function, use.unknown);
    return WithBody(func, Planner::Place(func, stack_bytes, use));
  });
}

}  // namespace lathe::lower
