// Builds the loop nest of a normalized schedule with known bounds; see loop_nest.h.
//
// It is one class, because every part of a nest needs the buffers, the bounds and the attached
// stages. Its methods are in files by what they emit: nest_builder.cc (buffers, loops,
// attachments), emit_compute.cc, emit_allreduce.cc, emit_scan.cc, emit_extern.cc, emit_claims.cc.
// Internal to schedule/.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "arith/analyzer.h"
#include "arith/region.h"
#include "ir/constants.h"
#include "ir/rewrite.h"
#include "schedule/apply_layouts.h"
#include "schedule/axis_values.h"
#include "schedule/loop_nest.h"
#include "schedule/match_intrin.h"
#include "schedule/rolling.h"

namespace lathe::schedule {

class NestBuilder {
 public:
  NestBuilder(const Schedule& schedule, const Bounds& bounds, const TensorBuffers& arguments,
              Claims claims);

  ir::Stmt Run();
  // The table that the nest's AllocConsts index.
  const std::vector<ir::ConstantRef>& constants() const { return constants_; }
  const std::vector<UnusedHint>& unused_hints() const { return unused_hints_; }

 private:
  // -- Buffers.

  void MakeBuffers();
  [[noreturn]] static void MissingArgument(const Stage& stage);
  ir::Buffer BufferOf(const Tensor& tensor, const Stage& stage);
  // Adds the physical memory of an output that is not row-major.
  void AddLayout(const ir::Buffer& buffer, const IndexMap& map, ir::Buffer physical = {});
  void AddRolling(const Stage& stage);
  void RequireComputes() const;
  // The region of a stage's output for which memory is realised.
  std::vector<Range> RealizedRegion(const Stage& stage, int64_t output) const;
  // Realize nodes for the stage's own buffers around `body`.
  ir::Stmt RealizeAround(const Stage& stage, ir::Stmt body);
  static std::vector<Range> WholeRegion(const std::vector<Expr>& shape);

  // -- Loops.

  // The stage's loops inside those of its thread environment.
  ir::Stmt Emit(const Stage& stage);
  // The variable of one axis of the stage's env_threads.
  ir::Var EnvironmentVar(const Stage& stage, const ir::IterVarNode& thread);
  // For each environment thread axis to which none of the stage's loops is bound: only one thread
  // stores.
  std::vector<Guard> EnvironmentGuards(const Stage& stage);
  ir::Stmt EmitOperation(const Stage& stage);
  // `value` with buffers instead of tensors.
  Expr WithBuffers(const Expr& value);
  // The stages attached to the loop of `leaf`, then `body`.
  ir::Stmt WithAttached(const Stage& stage, const IterVar& leaf, ir::Stmt body);
  // While the result lives, the loops of `stage` inside that of `leaf` are not known to run. What
  // is attached to `leaf` is computed even if they do not (S50), and does not use their variables.
  [[nodiscard]] arith::Analyzer::Scope WithoutLoopsWithin(const Stage& stage, const IterVar& leaf);
  bool HasAttached(const Stage& stage, const IterVar& leaf) const;
  // Must the stages attached to the loop be computed where a guard of `stage` fails? All threads
  // take part in what threads compute; a window keeps what it computed before; and what runs ahead
  // does so for other iterations.
  bool GuardsStopAt(const Stage& stage, const IterVar& leaf) const;
  // The loops of the leaves [first, last) around `body`. Each guard is right inside the innermost
  // loop on which it depends, around the stages attached there if GuardsStopAt allows it. With
  // `attach` false, attached stages are left out (for an initialisation).
  ir::Stmt WrapLoops(const Stage& stage, size_t first, size_t last, ir::Stmt body,
                     std::vector<Expr> guards, bool attach);
  // `body` if all conditions hold.
  static ir::Stmt Where(const std::vector<Expr>& conditions, ir::Stmt body);
  ir::Stmt Loop(const Stage& stage, const IterVar& leaf, ir::Stmt body);
  // The memory of rolling stages attached to the loop, which outlives the loop's iterations.
  ir::Stmt RealizeRolling(const Stage& stage, const IterVar& leaf, ir::Stmt loop);

  // -- Computes.

  ir::Stmt EmitCompute(const Stage& stage);
  ir::Stmt EmitPlain(const Stage& stage, const ir::ComputeOp& op, const ir::VarMap& to_loops,
                     const std::vector<Expr>& indices, const std::vector<Guard>& guards);
  ir::Stmt EmitReduction(const Stage& stage, const ir::ComputeOp& op, const ir::VarMap& to_loops,
                         const std::vector<Expr>& indices, const std::vector<Guard>& guards);
  ir::Stmt InitStores(const Stage& stage, const ir::Reduce& reduce, const ir::VarMap& to_loops,
                      const std::vector<Expr>& indices);
  // The data loops of the leaves [first, last), with new variables: the update uses the leaves'
  // variables.
  ir::Stmt WrapLoopsOfInit(const Stage& stage, size_t first, size_t last, ir::Stmt body,
                           std::vector<Expr> guards);
  // The conditions of the reduction, all of which must hold for an element to be combined.
  std::vector<Expr> ConditionsOf(const ir::Reduce& reduce, const ir::VarMap& to_loops);
  // Combines a source into the elements of `outs` at `indices`.
  ir::Stmt UpdateStores(const Stage& stage, const ir::Reduce& reduce, const ir::VarMap& to_loops,
                        const std::vector<ir::Buffer>& outs, const std::vector<Expr>& indices);
  ir::Stmt CombineInto(const Stage& stage, const ir::ReducerNode& reducer,
                       const std::vector<ir::Buffer>& outs, const std::vector<Expr>& indices,
                       const std::vector<Expr>& values);
  std::vector<ir::Buffer> OutputBuffers(const Stage& stage) const;
  // True for a reduction with a loop on a thread axis: see emit_allreduce.cc.
  static bool ReducesOverThreads(const Stage& stage);
  ir::Stmt EmitAllreduce(const Stage& stage, const ir::ComputeOp& op, const ir::VarMap& to_loops,
                         const std::vector<Expr>& indices, const std::vector<Guard>& guards);

  // -- Calls of tensor intrinsics.

  ir::Stmt EmitTensorized(const Stage& stage, size_t first);
  ir::Stmt EmitTensorCompute(const Stage& stage, const ir::TensorComputeOp& op);
  // The loops outside the leaves [last, end) around calls of the intrinsic: either its body; or a
  // reset before the outer reduction loops, and an update in them.
  ir::Stmt CallLoops(const Stage& stage, size_t last, const ir::TensorIntrinNode& intrin,
                     const IntrinMatch& match, const std::vector<Guard>& guards);
  // The intrinsic's `stmt` on views of the operands.
  ir::Stmt IntrinsicOn(const Stage& stage, const ir::TensorIntrinNode& intrin,
                       const IntrinMatch& match, const ir::Stmt& stmt);
  // In elements, per dimension of the tensor.
  std::vector<Expr> StridesOf(const Tensor& tensor);
  // The region for which the tensor's buffer has memory.
  std::vector<Range> MemoryOf(const Tensor& tensor);
  // Fills demanded_alignments_.
  void FindDemandedAlignments();

  // -- Hints and memory (emit_hints.cc).

  // Strides with the stage's alignments; empty where it has none.
  std::vector<Expr> AlignedStrides(const Stage& stage, int64_t output);
  // How many iterations' results `part`, attached to the loop, keeps at once: 1 if it does not run
  // ahead.
  static int64_t VersionsOf(const Stage& stage, const IterVar& leaf, const Stage& part);
  // The loops of `part`, marked if they are to run ahead of loop `leaf` of `stage`.
  ir::Stmt Produced(const Stage& stage, const IterVar& leaf, const Stage& part, ir::Stmt body);
  // Throws "pipeline-refused" if no stage can run ahead, or if there is no loop.
  void CheckPipelines() const;
  static ir::Stmt WithPragmas(const LeafAttr* attr, ir::Stmt loop);
  std::vector<std::vector<arith::IntSet>> ReadsWithin(const Stage& stage, size_t leaf_index,
                                                      const Tensor& tensor);
  bool KnownBefore(const std::vector<std::vector<arith::IntSet>>& reads, const Stage& stage,
                   size_t leaf_index);
  std::vector<Range> RegionLater(const std::vector<std::vector<arith::IntSet>>& reads,
                                 const std::vector<Range>& memory, const IterVar& leaf,
                                 const Expr& offset);
  // `body` of a leaf's loop, after its prefetches.
  ir::Stmt WithPrefetches(const Stage& stage, size_t leaf_index, ir::Stmt body);
  // `stores` under the stage's store predicate.
  ir::Stmt WherePredicate(const Stage& stage, ir::Stmt stores, bool initial);

  // -- Claims for the checked build (emit_claims.cc).

  // The stage's claims about its memory, after it was computed; null if it has none.
  ir::Stmt EmitClaims(const Stage& stage);
  // Computes `op` for `stage` again, into `into`, without the schedule's claims about its loops.
  ir::Stmt EmitAgain(const Stage& stage, const Op& op, const std::vector<ir::Buffer>& into);
  // The same for a call of an intrinsic.
  ir::Stmt EmitCallClaims(const Stage& stage, const ir::TensorComputeOp& call);
  // Plain loops over what `stage` computes: `op`, which has its axes, into `into` (unless that is
  // empty), then `then`.
  ir::Stmt EmitPlainly(const Stage& stage, const ir::ComputeOp& op,
                       const std::vector<ir::Buffer>& into, const ir::Stmt& then);
  ir::Stmt RealizeAgain(const Stage& stage, const std::vector<std::vector<ir::Buffer>>& again,
                        ir::Stmt body);

  // -- Others.

  ir::Stmt EmitScan(const Stage& stage);
  ir::Stmt EmitExtern(const ir::ExternOp& op);

  const Schedule& schedule_;
  const Bounds& bounds_;
  const Claims claims_;
  bool verifying_ = false;         // the emitted code is part of a claim
  std::vector<Ref<Stage>> again_;  // stages of claims; maps have their addresses as keys
  arith::Analyzer analyzer_;
  std::unordered_map<Tensor, ir::Buffer, ir::TensorHash, ir::TensorEqual> buffers_;
  // The alignment in bytes that intrinsics need of a tensor's memory; no entry: none.
  std::unordered_map<Tensor, int64_t, ir::TensorHash, ir::TensorEqual> demanded_alignments_;
  std::unordered_set<const ir::Node*> given_;      // not realised by the stage that writes them
  std::unordered_set<const ir::Node*> arguments_;  // the function's arguments
  std::unordered_map<const Stage*, std::vector<ir::Buffer>> scan_buffers_;
  std::vector<ir::ConstantRef> constants_;
  std::vector<UnusedHint> unused_hints_;
  std::unordered_map<const Stage*, Rolling> rolling_;
  std::map<std::pair<const Stage*, const ir::Node*>, ir::Var> environment_vars_;
  Layouts layouts_;
  std::unordered_map<const Stage*, std::vector<Stage*>> attached_;  // in topological order
};

}  // namespace lathe::schedule
