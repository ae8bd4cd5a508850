// Building tensor programs: placeholders, computes, reductions, scans, extern operations.
//
//   Tensor a = Placeholder({n, m}, DataType::Float(32), "A");
//   IterVar k = ReduceAxis(Int(0), m, "k");
//   Tensor c = Compute(
//       {n}, [&](const Indices& i) { return Sum(At(a, {i[0], k->var}), {k}); }, "C");
//
// All functions check their arguments and throw Error with the user's names in it. Shapes are
// integer expressions of constants and variables; an index type of 64 bits anywhere makes an axis
// 64 bits wide. Thread-safe: nothing is shared.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/tensor_op.h"

namespace lathe::te {

using ir::Buffer;
using ir::Dict;
using ir::Expr;
using ir::IterVar;
using ir::Op;
using ir::Range;
using ir::Reducer;
using ir::Stmt;
using ir::Tensor;
using ir::Var;

using Shape = std::vector<Expr>;
using Indices = std::vector<Var>;

struct ComputeOptions {
  std::string tag;
  Dict attrs;
  std::vector<std::string> axis_names;  // default: i, j, k, l, then ax4, ax5, ...
};

// An input of the program. Throws Error "shape-not-integer", "shape-negative".
Tensor Placeholder(Shape shape, DataType dtype = DataType::Float(32),
                   std::string name = "placeholder");

// out[i...] = body(i...). For rank 0 the shape is {}. Throws Error "shape-not-integer",
// "shape-negative", "compute-without-value", and what CheckReductions throws.
Tensor Compute(Shape shape, const std::function<Expr(const Indices&)>& body,
               std::string name = "compute", ComputeOptions options = {});
// Several outputs of the same shape: none is a reduction, or all are members of one tuple reduction
// (S14). Throws the same errors.
std::vector<Tensor> ComputeTuple(Shape shape,
                                 const std::function<std::vector<Expr>(const Indices&)>& body,
                                 std::string name = "compute", ComputeOptions options = {});

// tensor[indices...]. Indices are integer expressions and may contain loads. Throws Error
// "index-count", "index-not-integer".
Expr At(const Tensor& tensor, std::vector<Expr> indices);

// -- Reductions. Only at the top level of a compute's body (S14). `where` guards the update, never
// the init; `init` replaces the identity (S13). They throw Error "not-a-reduce-axis" if an axis was
// not made by ReduceAxis.

// The range may use data axes of the compute and reduction axes listed before this one (S52), so
// that elements reduce over ranges of different extents; otherwise, or if it reads a tensor, the
// compute throws Error "reduction-domain". The loops of those axes must stay outside of this one's.
IterVar ReduceAxis(Expr min, Expr extent, std::string name = "k");

Expr Sum(Expr value, std::vector<IterVar> axis, Expr where = {}, Expr init = {});
Expr Prod(Expr value, std::vector<IterVar> axis, Expr where = {}, Expr init = {});
Expr Min(Expr value, std::vector<IterVar> axis, Expr where = {}, Expr init = {});
Expr Max(Expr value, std::vector<IterVar> axis, Expr where = {}, Expr init = {});
Expr All(Expr value, std::vector<IterVar> axis, Expr where = {}, Expr init = {});
Expr Any(Expr value, std::vector<IterVar> axis, Expr where = {}, Expr init = {});
// {index, value} of the smallest (largest) value. Among equal values, the one with the smallest
// index.
std::vector<Expr> ArgMin(Expr index, Expr value, std::vector<IterVar> axis, Expr where = {});
std::vector<Expr> ArgMax(Expr index, Expr value, std::vector<IterVar> axis, Expr where = {});
// Any reducer over a tuple of values.
std::vector<Expr> ReduceWith(Reducer reducer, std::vector<Expr> values, std::vector<IterVar> axis,
                             Expr where = {}, std::vector<Expr> init = {});

// The standard reducers (ir/reducers.h). Throw Error "reducer-type" if the reducer cannot combine
// values of this type.
Reducer SumReducer(DataType dtype);
Reducer ProdReducer(DataType dtype);
Reducer MinReducer(DataType dtype);
Reducer MaxReducer(DataType dtype);
Reducer AllReducer();
Reducer AnyReducer();
Reducer ArgMinReducer(DataType index, DataType value);
Reducer ArgMaxReducer(DataType index, DataType value);
// A reducer of the user: `combine` computes the results from the left and the right operands.
Reducer CustomReducer(std::string name, std::vector<DataType> dtypes,
                      const std::function<std::vector<Expr>(const std::vector<Expr>&,
                                                            const std::vector<Expr>&)>& combine,
                      std::vector<Expr> identity);
// The least and the greatest value of a type (infinities for floats that have them).
Expr MinValue(DataType dtype);
Expr MaxValue(DataType dtype);

// -- Recurrences and statements written by hand.

// Each state[k] is a placeholder. Dimension 0 is time. With r the number of rows of init[0], rows
// [0, r) of output k come from init[k], and each later row t comes from row t of update[k] (S49).
// Throws Error "scan-mismatch".
std::vector<Tensor> Scan(std::vector<Tensor> init, std::vector<Tensor> update,
                         std::vector<Tensor> state, std::vector<Tensor> inputs = {},
                         std::string name = "scan", std::string tag = "", Dict attrs = {});

// A tensor whose elements are known now: `data` holds them compact, row-major. Compiled code reads
// them in place and stores equal constants once. Nothing is computed unless the tensor is itself an
// argument; then the argument is filled. Throws Error "constant-size".
Tensor Constant(Ref<const Blob> data, std::vector<int64_t> shape, DataType dtype,
                std::string name = "constant");
// True if `op` is the operation of a tensor made by Constant.
bool IsConstant(const ir::OpNode& op);
// Checks the bodies of a compute (S14): a reduction stands only at the top, and if one body is a
// reduction, the bodies are all values of one reduction, in order. Throws Error
// "reduction-not-at-top", "reduction-tuple-mismatch". Programs that were read as text or bytes are
// checked when they are scheduled.
void CheckReductions(const std::vector<Expr>& body, const std::string& name);

// Builds a statement that reads the input buffers and fills the output buffers.
using ExternBody =
    std::function<Stmt(const std::vector<Buffer>& inputs, const std::vector<Buffer>& outputs)>;
// One output per shape. `body` is called once. Throws Error "extern-outputs", "shape-not-integer",
// "shape-negative".
std::vector<Tensor> Extern(std::vector<Shape> shapes, std::vector<DataType> dtypes,
                           std::vector<Tensor> inputs, const ExternBody& body,
                           std::string name = "extern", std::string tag = "", Dict attrs = {});

// `op` with other inputs: for each pair, loads of `first` become loads of `second`. Axes are kept,
// so handles to them stay valid. Returns `op` itself if nothing changes.
using TensorMap = std::vector<std::pair<Tensor, Tensor>>;
Op ReplaceInputs(const Op& op, const TensorMap& replacements);

}  // namespace lathe::te
