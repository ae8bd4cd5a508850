// Tensor intrinsics: hardware operations on blocks of data, declared by their meaning.
//
// An intrinsic has a reference (a compute over placeholders that defines its meaning), a buffer for
// each input and output (what the hardware demands of memory), and statements on those buffers (the
// implementation). `tensorize` replaces an inner loop nest by the intrinsic. TensorCompute calls it
// directly.
//
//   Tensor a = Placeholder({Int(4)}, t, "a"), b = Placeholder({Int(4)}, t, "b");
//   IterVar k = ReduceAxis(Int(0), Int(4));
//   Tensor c = Compute({}, [&](const Indices&) {
//     return Sum(At(a, {k->var}) * At(b, {k->var}), {k});
//   });
//   TensorIntrin dot = DeclTensorIntrin("dot4", c->op, [](auto& in, auto& out) {
//     return IntrinStmts{.reset = ..., .update = ...};
//   });
//
// The compiler trusts the claim that the statements do what the reference says (S51).
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
  // In elements, one per dimension: a constant that the operand's stride must equal, or a variable
  // that takes the operand's stride at each use of the intrinsic. Empty: compact, row-major.
  std::vector<Expr> strides;
  // The operand's first element lies at a multiple of this many elements in its buffer. 0: at the
  // buffer's first element.
  int64_t offset_factor = 1;
  int64_t alignment = 0;  // of the memory, in bytes; 0: that of the element type
  std::string scope;      // memory scope; "": any
};
// A buffer for an input or output of an intrinsic.
Buffer IntrinBuffer(const Tensor& tensor, IntrinBufferOptions options = {});

// `body` computes the whole block. A reduction may have `reset` and `update` in addition or
// instead: `reset` gives the outputs their initial values, `update` combines a block with what the
// outputs hold. They are used if a block is only a part of a longer reduction.
struct IntrinStmts {
  Stmt body, reset, update;
};
using IntrinBody = std::function<IntrinStmts(const std::vector<Buffer>& inputs,
                                             const std::vector<Buffer>& outputs)>;
struct IntrinOptions {
  // One buffer per input, in the order in which the reference reads them, then one per output. If
  // the list is empty or a buffer is null, the operand is compact.
  std::vector<Buffer> buffers;
  std::vector<Var> scalar_params;  // variables of the reference; each use gives their values
};

// `reference` is a compute that reads only placeholders and has constant extents. In the statements
// a buffer's data is the address of the operand's first element, so an offset variable of a buffer
// is 0. Throws "tensor-intrin-invalid".
TensorIntrin DeclTensorIntrin(std::string name, const Op& reference, const IntrinBody& body,
                              IntrinOptions options = {});
// Throws "tensor-intrin-invalid" if the parts of a node do not fit together. For intrinsics that
// were read from text.
void CheckTensorIntrin(const ir::TensorIntrinNode& intrin);
// The compute that defines what the intrinsic does. Throws "tensor-intrin-invalid" if the reference
// is not a compute.
const ir::ComputeOp& ReferenceOf(const ir::TensorIntrinNode& intrin);

// -- The registry, by name and target. An intrinsic of the target "" is valid for all targets.
// Entries are never removed. Thread-safe.

// Throws "tensor-intrin-exists" if the target already has another intrinsic of this name.
void RegisterTensorIntrin(const TensorIntrin& intrin, std::string_view target = "");
// The intrinsic of the target, else the one for all targets. Null if there is none.
TensorIntrin FindTensorIntrin(std::string_view name, std::string_view target = "");
// As FindTensorIntrin, but also calls the libraries (see AddTensorIntrinLibrary) and throws
// "unknown-tensor-intrin" with the nearest known names if there is none.
TensorIntrin GetTensorIntrin(std::string_view name, std::string_view target = "");
// As FindTensorIntrin, but if there is none, `declare` makes one and it is registered for the
// target. It must have this name. If several threads ask at once, one of them declares and all get
// the same intrinsic. `declare` must not call FindOrRegisterTensorIntrin.
TensorIntrin FindOrRegisterTensorIntrin(std::string_view name, std::string_view target,
                                        const std::function<TensorIntrin()>& declare);
// The names of all intrinsics for the target, sorted. Calls the libraries first.
std::vector<std::string> TensorIntrinNames(std::string_view target = "");
// Adds a library of intrinsics. `register_all` is called once: the first time that GetTensorIntrin
// (which serves texts and other languages) does not find a name, or that somebody asks for all
// names. So a table of intrinsics costs nothing until it is needed.
void AddTensorIntrinLibrary(void (*register_all)());

// -- Called directly in a compute.

struct TensorRegion {
  Tensor tensor;
  // One range per dimension. The intrinsic's operand may leave out dimensions of extent 1.
  std::vector<Range> region;
};
struct IntrinCall {
  TensorIntrin intrin;
  std::vector<TensorRegion> inputs;
  std::vector<Expr> scalars;         // the scalar parameters' values
  std::vector<IterVar> reduce_axis;  // the reducer combines the blocks over these
};
// Calls the intrinsic for each point of `loops`. The shape of the outputs is `loops` followed by
// the shape of the intrinsic's outputs.
//
//   C = TensorCompute({8}, [&](i) {
//     return IntrinCall{dot, {{A, {[i, 1], [k*4, 4]}}, ...}, {}, {k}};
//   });
//
// Throws "tensor-call-mismatch".
std::vector<Tensor> TensorCompute(const Shape& loops,
                                  const std::function<IntrinCall(const Indices&)>& call,
                                  std::string name = "tensor_compute", ComputeOptions options = {});

// Throws "tensor-intrin-invalid" or "tensor-call-mismatch" if the parts of a node do not fit
// together. For operations that were read from text.
void CheckTensorCompute(const ir::TensorComputeOp& op);

// A compute over the same axes that means the same: the intrinsic's reference, applied to the
// regions (S51).
Op ReferenceCompute(const ir::TensorComputeOp& op);

// Matches the dimensions of an intrinsic's operand to those of a region, in order. Dimensions of
// extent 1 are skipped; other extents must be equal constants. Element d of the result is the
// region's dimension for the operand's dimension d, or -1 if the latter has extent 1. If they do
// not match, `*fits` is false and the result is empty.
std::vector<int> AlignDims(const std::vector<Expr>& region_extents,
                           const std::vector<Expr>& operand_shape, bool* fits);

}  // namespace lathe::te
