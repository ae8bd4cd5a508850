// Reductions over threads (S16, S17).
//
// Each thread reduces its part into its own memory; then all parts are combined. As loops, the
// parts are combined one after the other, so that the statement means the same with and without
// threads:
//
//   for i:                                     for i:
//     B[i] = 0                                   attr "cross_thread_reduction":
//     for ko:                                      if guards on data: B[i] = 0
//       for ki on threadIdx.x:            -->      for ki on threadIdx.x:
//         B[i] = B[i] + A[i, ko * 32 + ki]           part[0] = 0
//                                                    for ko:
//                                                      if guards: part[0] = part[0] + A[...]
//                                                    if guards on data:
//                                                      attr "cross_thread_combine":
//                                                        B[i] = B[i] + part[0]
//
// lower/device/allreduce.h makes a tree or shuffles of the marked statements. Iterations out of
// range leave the identity in `part`, and write-back guards depend on data axes only (S17). No
// guard is around the whole statement, because all threads must take part.

#include "base/error.h"
#include "base/planted.h"
#include "ir/names.h"
#include "ir/thread_scopes.h"
#include "schedule/nest_builder.h"

namespace lathe::schedule {

using ir::Buffer;
using ir::ComputeOp;
using ir::Reduce;
using ir::Stmt;
using ir::VarMap;

namespace {

void CheckAllreduce(const Stage& stage, const Reduce& reduce, size_t first) {
  if (!reduce.init.empty()) {
    throw Error(Diagnostic{
        .name = "schedule-allreduce-init",
        .message = "reduction `" + stage.name +
                   "` is bound to threads and has an initial value of its own",
        .expected = "a reduction from the reducer's identity, which every thread can start from",
        .found = "an explicit initial value",
        .help = "add the initial value in the stage that reads the reduction"});
  }
  const std::string scope = StorageScope(stage);
  if (ir::ScopeRank(scope) > 1) {
    throw Error(Diagnostic{
        .name = "schedule-allreduce-scope",
        .message = "reduction `" + stage.name +
                   "` is bound to threads, and its result lies in memory of one thread's own",
        .expected = "a result in memory that the threads share: \"shared\" or \"global\"",
        .found = "scope \"" + scope + "\"",
        .help = "give the stage the scope \"shared\", or attach it to a loop that is not bound to "
                "threads of a block"});
  }
  for (size_t i = first; i < stage.leaf_axes.size(); ++i) {
    const IterVar& leaf = stage.leaf_axes[i];
    if (leaf->iter_kind == ir::IterKind::kReduce) continue;
    if (Planted(PlantedBug::kAllreduceOrderUnchecked)) continue;
    throw Error(Diagnostic{.name = "schedule-allreduce-order",
                           .message = "reduction `" + stage.name +
                                      "` is bound to threads, and loop `" + leaf->var->name +
                                      "` over data lies within it",
                           .expected = "all loops over data outside the loops over reduction axes",
                           .found = "the order " + QuotedList(LeafNames(stage)),
                           .help = "reorder the stage's loops: data axes first"});
  }
}

// True if the predicate only picks the first of the threads that reduce, as such a reduction does
// anyway.
bool PicksFirstThread(const Stage& stage, const Expr& predicate, size_t first) {
  if (const auto* both = ir::As<ir::And>(predicate))
    return PicksFirstThread(stage, both->a, first) && PicksFirstThread(stage, both->b, first);
  const auto* equal = ir::As<ir::EQ>(predicate);
  if (equal == nullptr || !ir::IsConstInt(equal->b, 0)) return false;
  for (size_t i = first; i < stage.leaf_axes.size(); ++i) {
    const LeafAttr* attr = stage.FindAttr(stage.leaf_axes[i]);
    if (attr != nullptr && attr->thread && stage.leaf_axes[i]->var.get() == equal->a.get())
      return true;
  }
  return false;
}

}  // namespace

bool NestBuilder::ReducesOverThreads(const Stage& stage) {
  if (!stage.has_reduction()) return false;
  for (const IterVar& leaf : stage.leaf_axes) {
    if (leaf->iter_kind == ir::IterKind::kReduce && ThreadTag(stage, leaf) != nullptr) return true;
  }
  return false;
}

Stmt NestBuilder::EmitAllreduce(const Stage& stage, const ComputeOp& op, const VarMap& to_loops,
                                const std::vector<Expr>& indices,
                                const std::vector<Guard>& guards) {
  const auto& reduce = static_cast<const Reduce&>(*op.body[0]);
  const size_t n = stage.leaf_axes.size();
  size_t first = 0;
  while (stage.leaf_axes[first]->iter_kind != ir::IterKind::kReduce) ++first;
  CheckAllreduce(stage, reduce, first);
  if (stage.store_predicate && !PicksFirstThread(stage, stage.store_predicate, first)) {
    throw Error(Diagnostic{
        .name = "schedule-predicate-refused",
        .message = "set_store_predicate of stage `" + stage.name + "`",
        .expected = "a stage that does not reduce over threads",
        .found = "loops of a reduction that are bound to threads",
        .help = "which threads store is part of such a reduction; leave the predicate out"});
  }

  std::vector<Expr> all_guards, data_guards;
  for (const Guard& guard : guards) {
    all_guards.push_back(guard.condition);
    if (!guard.on_reduction) data_guards.push_back(guard.condition);
  }
  const std::vector<Buffer> outs = OutputBuffers(stage);
  const std::vector<Expr> zero = {ir::Int(0)};
  std::vector<Buffer> parts;
  std::vector<Stmt> steps;
  std::vector<Expr> part_values;
  for (size_t k = 0; k < outs.size(); ++k) {
    parts.push_back(
        ir::MakeBuffer(stage.name + ".part" + (outs.size() == 1 ? "" : std::to_string(k)),
                       outs[k]->dtype, {ir::Int(1)}, ir::memory_scope::kLocal));
    if (!Planted(PlantedBug::kPartNotInitialised))
      steps.push_back(ir::MakeStore(parts[k], reduce.reducer->identity[k], zero));
    part_values.push_back(ir::MakeLoad(parts[k], zero));
  }

  // The thread loops are outside the others: each thread runs its whole part. Attached stages keep
  // their place.
  Stmt update =
      Where(ConditionsOf(reduce, to_loops), UpdateStores(stage, reduce, to_loops, parts, zero));
  std::vector<IterVar> threads;  // innermost first
  for (size_t i = n; i-- > first;) {
    const IterVar& leaf = stage.leaf_axes[i];
    const bool stop = HasAttached(stage, leaf);
    std::vector<Expr> here;
    std::erase_if(all_guards, [&](const Expr& guard) {
      if (!stop && !ir::UsesVar(guard, leaf->var)) return false;
      here.push_back(guard);
      return true;
    });
    update = WithAttached(stage, leaf, Where(here, update));
    if (ThreadTag(stage, leaf) != nullptr)
      threads.push_back(leaf);
    else
      update = Loop(stage, leaf, update);
  }
  steps.push_back(Where(all_guards, update));
  steps.push_back(Where(
      data_guards, ir::MakeAttr(nullptr, ir::attr_key::kCrossThreadCombine, ir::Int(1),
                                CombineInto(stage, *reduce.reducer, outs, indices, part_values))));
  Stmt body = ir::MakeSeq(std::move(steps));
  for (size_t k = parts.size(); k-- > 0;)
    body = ir::MakeRealize(parts[k], WholeRegion(parts[k]->shape), body);
  for (const IterVar& leaf : threads) body = Loop(stage, leaf, body);
  const Stmt init = Where(data_guards, InitStores(stage, reduce, to_loops, indices));
  body = ir::MakeAttr(nullptr, ir::attr_key::kCrossThreadReduction, ir::Int(1),
                      ir::MakeSeq({init, body}));
  return WrapLoops(stage, 0, first, body, {}, true);
}

}  // namespace lathe::schedule
