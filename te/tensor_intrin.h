// Tensor intrinsics: operations of hardware on blocks of data, declared by what they mean.
//
// An intrinsic has a reference (a compute over placeholders: its meaning), a buffer for each input
// and output (what the hardware demands of memory), and statements on those buffers (how it is
// done). `tensorize` replaces an inner loop nest by it, TensorCompute calls it directly.
//
//   Tensor a = Placeholder({Int(4)}, t, "a"), b = Placeholder({Int(4)}, t, "b");
//   IterVar k = ReduceAxis(Int(0), Int(4));
//   Tensor c = Compute({}, [&](const Indices&) { return Sum(At(a, {k->var}) * At(b, {k->var}),
//   {k}); }); TensorIntrin dot = DeclTensorIntrin("dot4", c->op, [](auto& in, auto& out) {
//     return IntrinStmts{.reset = ..., .update = ...};
//   });
//
// That the statements do what the reference says is a claim that is trusted (S51).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "te/operation.h"

namespace lathe::te {

using TensorIntrin = Ref<const ir::TensorIntrinNode>;

// What the hardware demands of one operand's memory.
struct IntrinBufferOptions {
  // In elements, one per dimension: constants that must be met, or variables that take the
  // operand's stride wherever the intrinsic is used. Empty: compact, row-major.
  std::vector<Expr> strides;
  // The operand's first element lies at a multiple of this many elements of its buffer; 0: at the
  // buffer's first element.
  int64_t offset_factor = 1;
  int64_t alignment = 0;  // of the memory, in bytes; 0: the element's
  std::string scope;      // memory scope; "": any
};
// A buffer for an input or output of an intrinsic.
Buffer IntrinBuffer(const Tensor& tensor, IntrinBufferOptions options = {});

// `body` computes the whole. Reductions may have instead, or as well: `reset` gives the outputs
// their initial values, `update` adds a block to what the outputs hold; they serve where a block is
// only a part of a longer reduction.
struct IntrinStmts {
  Stmt body, reset, update;
};
using IntrinBody = std::function<IntrinStmts(const std::vector<Buffer>& inputs,
                                             const std::vector<Buffer>& outputs)>;
struct IntrinOptions {
  // Of the inputs in the order in which the reference reads them, then of the outputs; empty or
  // null ones are compact.
  std::vector<Buffer> buffers;
  std::vector<Var> scalar_params;  // numbers given at each use; variables of the reference
};

// `reference` is a compute that reads placeholders only, with constant extents. In the statements a
// buffer's data is the address of the operand's first element: an offset variable of a buffer is 0.
// Throws "tensor-intrin-invalid".
TensorIntrin DeclTensorIntrin(std::string name, const Op& reference, const IntrinBody& body,
                              IntrinOptions options = {});
// Throws "tensor-intrin-invalid" where the parts of a node do not fit: for intrinsics from texts.
void CheckTensorIntrin(const ir::TensorIntrinNode& intrin);
// The compute that says what the intrinsic does. Throws "tensor-intrin-invalid" where it is none.
const ir::ComputeOp& ReferenceOf(const ir::TensorIntrinNode& intrin);

// -- The registry, by name and target. An intrinsic of the target "" serves all. Entries stay.
// Thread-safe.

// Throws "tensor-intrin-exists" where that target has another one of the name.
void RegisterTensorIntrin(const TensorIntrin& intrin, std::string_view target = "");
// That of the target, else the one for all; null where there is none.
TensorIntrin FindTensorIntrin(std::string_view name, std::string_view target = "");
// Throws "unknown-tensor-intrin" with the nearest known names.
TensorIntrin GetTensorIntrin(std::string_view name, std::string_view target = "");
// That of the target or for all; where there is none, what `declare` makes, which must have that
// name and is registered for the target. Of several threads that ask at once one declares, and all
// get the same. `declare` must not ask for another one this way.
TensorIntrin FindOrRegisterTensorIntrin(std::string_view name, std::string_view target,
                                        const std::function<TensorIntrin()>& declare);
// Names that Find finds for the target, sorted.
std::vector<std::string> TensorIntrinNames(std::string_view target = "");
// A library of intrinsics: `register_all` is called once, when a name is first asked for (by
// GetTensorIntrin, so by texts and other languages) that is not there, or all names are. So a table
// costs nothing where nobody asks.
void AddTensorIntrinLibrary(void (*register_all)());

// -- Called directly in a compute.

struct TensorRegion {
  Tensor tensor;
  std::vector<Range>
      region;  // one per dimension; those of extent 1 may be left out by the intrinsic
};
struct IntrinCall {
  TensorIntrin intrin;
  std::vector<TensorRegion> inputs;
  std::vector<Expr> scalars;         // the scalar parameters' values
  std::vector<IterVar> reduce_axis;  // blocks are summed (or whatever the reducer is) over these
};
// For each point of `loops`, the call's outputs: their shape is `loops` followed by the
// intrinsic's.
//
//   C = TensorCompute({8}, [&](i) {
//     return IntrinCall{dot, {{A, {[i, 1], [k*4, 4]}}, ...}, {}, {k}};
//   });
//
// Throws "tensor-call-mismatch".
std::vector<Tensor> TensorCompute(const Shape& loops,
                                  const std::function<IntrinCall(const Indices&)>& call,
                                  std::string name = "tensor_compute", ComputeOptions options = {});

// Throws "tensor-intrin-invalid" or "tensor-call-mismatch" where the parts of a node do not fit:
// for operations from texts.
void CheckTensorCompute(const ir::TensorComputeOp& op);

// The compute that means the same, over the same axes (S51: what the intrinsic claims).
Op ReferenceCompute(const ir::TensorComputeOp& op);

// Which dimensions of a region the dimensions of an intrinsic's operand are: those of extent 1
// aside, in order. -1 for a dimension of extent 1 that has none. Empty where they do not fit.
std::vector<int> AlignDims(const std::vector<Expr>& region_extents,
                           const std::vector<Expr>& operand_shape, bool* fits);

}  // namespace lathe::te
