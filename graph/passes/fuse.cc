#include "graph/passes/fuse.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "base/planted_graphs.h"
#include "graph/concatenation.h"
#include "graph/devices.h"
#include "graph/uses.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;

constexpr size_t kMostOperators = 64;  // in one group: compile time grows with them

// A group while it grows.
struct Group {
  size_t result = 0;  // a position in the block
  std::vector<size_t> members;
  bool has_anchor = false;  // an anchor or an opaque operator
  bool has_reduction = false;
};

bool SameShape(const NodeRef& a, const NodeRef& b) {
  const auto* x = As<ir::TensorType>(a);
  const auto* y = As<ir::TensorType>(b);
  if (x == nullptr || y == nullptr || x->shape.size() != y->shape.size()) return false;
  for (size_t i = 0; i < x->shape.size(); ++i) {
    if (!SameType(ir::MakeTensorType(DataType::Int(64), {x->shape[i]}),
                  ir::MakeTensorType(DataType::Int(64), {y->shape[i]}))) {
      return false;
    }
  }
  return true;
}

bool IsPointwise(OpKind kind) { return kind == OpKind::kElementwise || kind == OpKind::kBroadcast; }

// The groups of one block.
class Grouping {
 public:
  // `joins`: the block is one in which kernels may write the operands of concatenations in place.
  Grouping(const ir::GraphBlock& block, bool joins)
      : block_(block), joins_(joins), group_(block.bindings.size()) {
    CollectUses();
    for (size_t i = 0; i < group_.size(); ++i) {
      const OpDef* op = OpAt(i);
      if (op != nullptr && (op->kind == OpKind::kAnchor || op->kind == OpKind::kReduction)) {
        GrowForward(i, *op);
      }
    }
    for (size_t i = group_.size(); i-- > 0;) {
      if (const OpDef* op = OpAt(i); op != nullptr && group_[i] == nullptr) Place(i, *op);
    }
    for (const std::shared_ptr<Group>& group : group_) {
      if (group != nullptr) std::ranges::sort(group->members);
    }
  }
  // The group whose result is binding i; null if it is none.
  const Group* ResultAt(size_t i) const {
    const Group* group = group_[i].get();
    return group != nullptr && group->result == i ? group : nullptr;
  }
  bool IsInside(size_t i) const { return group_[i] != nullptr && ResultAt(i) == nullptr; }

 private:
  // The operator of binding i if it can be in a group. What makes new sizes is computed alone: the
  // sizes must be known outside of the group. Views need no kernel.
  const OpDef* OpAt(size_t i) const { return ops_[i]; }

  void CollectUses() {
    for (size_t i = 0; i < block_.bindings.size(); ++i) {
      const ir::GraphBinding& binding = *block_.bindings[i];
      const auto* call = As<ir::GraphCall>(binding.value);
      const OpDef* op = call == nullptr ? nullptr : &GetOp(call->op);
      if (op != nullptr && op->is_view) op = nullptr;
      devices_.push_back(op == nullptr ? "" : DeviceAttrOf(*call));
      if (op != nullptr) {
        for (const GraphVar& arg : call->args) readers_[arg.get()].push_back(i);
      } else {
        // Whatever else reads a variable needs it in memory: nested blocks, tuples, views.
        ForEachUse(*binding.value, [&](const ir::GraphVarNode& var) { escapes_.insert(&var); });
      }
      ops_.push_back(binding.sizes.empty() ? op : nullptr);
      positions_.emplace(binding.var.get(), i);
    }
    escapes_.insert(block_.result.get());
  }

  const ir::GraphVar& VarAt(size_t i) const { return block_.bindings[i]->var; }
  // The bindings that read binding i; empty if something else reads it, too.
  const std::vector<size_t>& ReadersOf(size_t i) const {
    static const std::vector<size_t> kNone;
    const auto readers = readers_.find(VarAt(i).get());
    const bool escapes =
        escapes_.contains(VarAt(i).get()) && !Planted(PlantedGraphBug::kFuseCrossesReader);
    return escapes || readers == readers_.end() ? kNone : readers->second;
  }

  // The anchor or reduction at i takes the elementwise operators behind it, of the same shape, so
  // that they are computed on the anchor's tiles. Where several read one value, as in x erf(x),
  // they must come together again.
  void GrowForward(size_t i, const OpDef& op) {
    const auto group = std::make_shared<Group>();
    Add(group, i, op);
    while (group->members.size() < kMostOperators) {
      const std::vector<size_t> behind = ThatComeTogether(group->result, i);
      if (behind.empty() || group->members.size() + behind.size() > kMostOperators) return;
      for (const size_t member : behind) Add(group, member, *OpAt(member));
      group->result = behind.back();
    }
  }

  // The fewest operators behind the binding `last` that read it and each other, such that nothing
  // else reads any but the last of them. Empty if there are none, or one may not be in the group of
  // the anchor.
  std::vector<size_t> ThatComeTogether(size_t last, size_t anchor) const {
    std::vector<size_t> found;
    std::unordered_map<const ir::Node*, size_t> open;  // reads that are still to come, by variable
    for (size_t value = last;;) {
      const std::vector<size_t>& readers = ReadersOf(value);
      if (readers.empty()) return {};
      open[VarAt(value).get()] = readers.size();
      for (++value; value < group_.size(); ++value) {
        const auto* call = As<ir::GraphCall>(block_.bindings[value]->value);
        if (call != nullptr && std::ranges::any_of(call->args, [&](const GraphVar& arg) {
              return open.contains(arg.get());
            }))
          break;
      }
      if (value == group_.size() || !MayFollow(value, anchor)) return {};
      found.push_back(value);
      for (const GraphVar& arg :
           static_cast<const ir::GraphCall&>(*block_.bindings[value]->value).args) {
        const auto reads = open.find(arg.get());
        if (reads != open.end() && --reads->second == 0) open.erase(reads);
      }
      if (open.empty() || Planted(PlantedGraphBug::kFuseCrossesSecondReader)) return found;
      if (found.size() == kMostOperators) return {};
    }
  }

  bool MayFollow(size_t i, size_t anchor) const {
    const OpDef* op = OpAt(i);
    return op != nullptr && IsPointwise(op->kind) && group_[i] == nullptr &&
           devices_[i] == devices_[anchor] && SameShape(VarAt(i)->type, VarAt(anchor)->type);
  }

  void Add(const std::shared_ptr<Group>& group, size_t i, const OpDef& op) {
    if (group->members.empty()) group->result = i;
    group->members.push_back(i);
    group->has_anchor |= op.kind == OpKind::kAnchor || op.kind == OpKind::kOpaque;
    group->has_reduction |= op.kind == OpKind::kReduction;
    group_[i] = group;
  }

  // Puts binding i into the group of its readers if it may join, else into a new one.
  void Place(size_t i, const OpDef& op) {
    std::shared_ptr<Group> group = GroupOfReaders(i);
    if (group == nullptr || !MayJoin(*group, i, op) || NeedsNoKernel(i))
      group = std::make_shared<Group>();
    Add(group, i, op);
  }

  // A concatenation of what kernels compute. Alone it costs nothing, because the kernels may write
  // the operands where they belong. In one kernel with its readers, each element would be chosen
  // from the operands.
  bool NeedsNoKernel(size_t i) const {
    const auto& call = static_cast<const ir::GraphCall&>(*block_.bindings[i]->value);
    if (!joins_ || call.op != "concatenate" ||
        !(devices_[i].empty() || devices_[i] == kHostDevice) || !PartOffsets(call))
      return false;
    return std::ranges::all_of(call.args, [&](const GraphVar& arg) {
      const auto at = positions_.find(arg.get());
      if (at == positions_.end() || ReadersOf(at->second).size() != 1) return false;
      const Group* made = group_[at->second].get();
      return made != nullptr && made->result == at->second &&
             (made->has_anchor || made->has_reduction);
    });
  }

  std::shared_ptr<Group> GroupOfReaders(size_t i) const {
    const std::vector<size_t>& readers = ReadersOf(i);
    if (readers.empty()) return nullptr;
    const std::shared_ptr<Group>& group = group_[readers[0]];
    for (const size_t reader : readers) {
      if (group_[reader] != group) return nullptr;
    }
    return group;
  }

  // Operators in front of a reduction, or beside what follows an anchor.
  bool MayJoin(const Group& group, size_t i, const OpDef& op) const {
    if (group.members.size() >= kMostOperators) return false;
    if (devices_[group.result] != devices_[i]) return false;
    if (As<ir::TensorType>(VarAt(i)->type) == nullptr) return false;  // a tuple
    if (IsPointwise(op.kind)) return !FeedsAnchor(i, group);
    return op.kind == OpKind::kInjective && !group.has_anchor;
  }

  // An anchor reads its operands many times, so nothing is computed in front of it.
  bool FeedsAnchor(size_t i, const Group& group) const {
    if (!group.has_anchor) return false;
    std::unordered_set<const ir::Node*> reached{VarAt(i).get()};
    std::vector<size_t> members = group.members;
    std::ranges::sort(members);
    for (const size_t member : members) {
      if (member < i) continue;
      const auto& call = static_cast<const ir::GraphCall&>(*block_.bindings[member]->value);
      const bool reads = std::any_of(call.args.begin(), call.args.end(), [&](const GraphVar& arg) {
        return reached.contains(arg.get());
      });
      if (!reads) continue;
      const OpKind kind = OpAt(member)->kind;
      if (kind == OpKind::kAnchor || kind == OpKind::kOpaque) return true;
      reached.insert(VarAt(member).get());
    }
    return false;
  }

  const ir::GraphBlock& block_;
  const bool joins_;
  std::vector<const OpDef*> ops_;
  std::vector<std::string> devices_;           // of each binding: the attribute `device`
  std::vector<std::shared_ptr<Group>> group_;  // of each binding; null if it is no call
  std::unordered_map<const ir::Node*, std::vector<size_t>> readers_;
  std::unordered_set<const ir::Node*> escapes_;
  std::unordered_map<const ir::Node*, size_t> positions_;  // of what bindings define
};

// The group as a function of what it reads, and the call of it.
struct Outlined {
  Ref<const ir::GraphFunc> func;
  std::vector<GraphVar> args;
};

Outlined Outline(const ir::GraphBlock& block, const Group& group) {
  Outlined out;
  Ref<ir::GraphFunc> func = Make<ir::GraphFunc>();
  std::unordered_map<const ir::Node*, GraphVar> inner;
  List<ir::GraphBinding> bindings;
  std::string name;
  for (const size_t member : group.members) {
    const ir::GraphBinding& binding = *block.bindings[member];
    const auto& before = static_cast<const ir::GraphCall&>(*binding.value);
    Ref<ir::GraphCall> call = Make<ir::GraphCall>();
    call->op = before.op;
    call->attrs = before.attrs;
    for (const GraphVar& arg : before.args) {
      GraphVar& var = inner[arg.get()];
      if (!var) {
        var = ir::MakeGraphVar(arg->name, arg->type);
        func->params.push_back(var);
        out.args.push_back(arg);
      }
      call->args.push_back(var);
    }
    const GraphVar result = ir::MakeGraphVar(binding.var->name, binding.var->type);
    inner[binding.var.get()] = result;
    bindings.push_back(ir::Bind(result, std::move(call), binding.sizes));
  }
  func->result_type = bindings.back()->var->type;
  const GraphVar result = bindings.back()->var;
  func->body = ir::MakeGraphBlock(std::move(bindings), result);
  func->attrs[kPrimitive] = BoolAttr(true);
  out.func = std::move(func);
  return out;
}

GraphBlockRef FuseBlock(const ir::GraphBlock& block, int depth);

// `value` with its blocks fused.
NodeRef FuseWithin(const NodeRef& value, int depth) {
  if (const auto* node = As<ir::GraphIf>(value)) {
    Ref<ir::GraphIf> out = CopyOf(*node);
    out->then_block = FuseBlock(*node->then_block, depth + 1);
    out->else_block = FuseBlock(*node->else_block, depth + 1);
    return out;
  }
  if (const auto* loop = As<ir::GraphLoop>(value)) {
    Ref<ir::GraphLoop> out = CopyOf(*loop);
    out->condition = FuseBlock(*loop->condition, depth + 1);
    out->body = FuseBlock(*loop->body, depth + 1);
    return out;
  }
  if (const auto* match = As<ir::GraphMatch>(value)) {
    Ref<ir::GraphMatch> out = CopyOf(*match);
    for (Ref<const ir::GraphCase>& arm : out->cases) {
      Ref<ir::GraphCase> fused = CopyOf(*arm);
      fused->block = FuseBlock(*arm->block, depth + 1);
      arm = std::move(fused);
    }
    return out;
  }
  if (const auto* func = As<ir::GraphFunc>(value); func != nullptr && !IsPrimitive(*func)) {
    Ref<ir::GraphFunc> out = CopyOf(*func);
    out->body = FuseBlock(*func->body, depth + 1);
    return out;
  }
  return value;
}

GraphBlockRef FuseBlock(const ir::GraphBlock& block, int depth) {
  // Rewrite counts the depth of blocks, too, and has refused deeper ones.
  const Grouping grouping(block, depth == 0);
  List<ir::GraphBinding> bindings;
  for (size_t i = 0; i < block.bindings.size(); ++i) {
    const Ref<const ir::GraphBinding>& binding = block.bindings[i];
    if (grouping.IsInside(i)) continue;
    const Group* group = grouping.ResultAt(i);
    if (group == nullptr) {
      bindings.push_back(ir::Bind(binding->var, FuseWithin(binding->value, depth), binding->sizes));
      continue;
    }
    Outlined outlined = Outline(block, *group);
    Ref<ir::FuncType> type = Make<ir::FuncType>();
    for (const GraphVar& param : outlined.func->params) type->params.push_back(param->type);
    type->result = outlined.func->result_type;
    const GraphVar callee = ir::MakeGraphVar("group", std::move(type));
    bindings.push_back(ir::Bind(callee, std::move(outlined.func)));
    Ref<ir::GraphInvoke> invoke = Make<ir::GraphInvoke>();
    invoke->callee = callee;
    invoke->args = std::move(outlined.args);
    bindings.push_back(ir::Bind(binding->var, std::move(invoke)));
  }
  return ir::MakeGraphBlock(std::move(bindings), block.result);
}

}  // namespace

bool IsPrimitive(const ir::GraphFunc& func) { return func.attrs.contains(kPrimitive); }

GraphFuncRef Fuse(const ir::GraphFunc& func, const ir::GraphModule& module) {
  (void)module;
  Ref<ir::GraphFunc> out = CopyOf(func);
  out->body = FuseBlock(*func.body, 0);
  return out;
}

}  // namespace lathe::graph
