// Products of matrices.
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"
#include "topi/anchor.h"

namespace lathe::graph::ops {
namespace {

// The element type of the result: `out_dtype`, or that of the first input.
DataType OutType(const TypeContext& c) {
  const DataType dtype = c.attrs.Type("out_dtype");
  return dtype.is_void() ? c.dtype(0) : dtype;
}

AttrDef OutDType() {
  return ElementType("out_dtype", "the type of sums and of the result; \"\": that of the inputs");
}

Expr Product(const Expr& a, const Expr& b, DataType dtype) {
  return ir::MakeCast(dtype, a) * ir::MakeCast(dtype, b);
}

// out[batch..., i, j] = sum over k of a[batch..., i, k] b[batch..., k, j]; the last two indices of
// an operand are swapped if it is transposed. Batches are broadcast.
Results BatchedProduct(const ComputeContext& c, bool transpose_a, bool transpose_b) {
  const Tensor &a = c.in(0), &b = c.in(1);
  const size_t batches = c.shape().size() - 2;
  const Expr extent = a->shape()[a->shape().size() - (transpose_a ? 2 : 1)];
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), extent, "k");
  const auto at = [&](const Tensor& x, std::vector<Expr> place, bool transpose) {
    if (transpose) std::swap(place[batches], place[batches + 1]);
    return At(x, [&] {
      const size_t skip = place.size() - x->shape().size();
      std::vector<Expr> indices(place.begin() + static_cast<ptrdiff_t>(skip), place.end());
      for (size_t d = 0; d + 2 < indices.size(); ++d) {
        if (ir::IsOne(x->shape()[d])) indices[d] = ir::Int(0);
      }
      return indices;
    }());
  };
  return One(
      c.shape(),
      [&](const Indices& i) {
        std::vector<Expr> of_a = AsExprs(i), of_b = of_a;
        of_a[batches + 1] = k->var;
        of_b[batches] = k->var;
        return te::Sum(Product(at(a, of_a, transpose_a), at(b, of_b, transpose_b), c.dtype()), {k});
      },
      "C", {}, topi::AnchorAttrs(topi::kMatmul));
}

// Batches broadcast, then rows of a and columns of b.
TypeResult ProductType(const TypeContext& c, bool transpose_a, bool transpose_b) {
  c.NeedRank(0, 2, 16);
  c.NeedRank(1, 2, 16);
  const Shape &a = c.shape(0), &b = c.shape(1);
  const size_t rank_a = a.size(), rank_b = b.size(), rank = std::max(rank_a, rank_b);
  c.NeedExtent(1, rank_b - (transpose_b ? 1 : 2), a[rank_a - (transpose_a ? 2 : 1)],
               "the extent of `" + c.op.inputs[0].name + "` that is summed over");
  Shape out(rank, ir::Int(1, DataType::Int(64)));
  for (size_t i = 0; i < 2; ++i) {
    const Shape& shape = c.shape(i);
    for (size_t d = 0; d + 2 < shape.size(); ++d) {
      Expr& extent = out[rank - shape.size() + d];
      if (ir::IsOne(shape[d])) continue;
      if (!ir::IsOne(extent)) c.NeedExtent(i, d, extent, "the batches of the other operand");
      if (ir::IsOne(extent) || ir::AsConstInt(shape[d]) != nullptr) extent = shape[d];
    }
  }
  out[rank - 2] = a[rank_a - (transpose_a ? 1 : 2)];
  out[rank - 1] = b[rank_b - (transpose_b ? 2 : 1)];
  return TensorOf(OutType(c), std::move(out));
}

void CheckUnits(const TypeContext& c, size_t d) {
  const int64_t units = c.attrs.Int("units");
  if (units == 0) return;
  const int64_t* found = ir::AsConstInt(c.shape(1)[d]);
  if (found != nullptr && *found == units) return;
  c.FailAttr("units", "is not the number of columns of the result", ExtentText(c.shape(1)[d]),
             std::to_string(units));
}

OpDef Dense() {
  return {.name = "nn.dense",
          .doc = "Y = X W^T: y[..., j] = sum over k of x[..., k] w[j, k].",
          .inputs = {{"data", "x [..., in]", kNumbers}, {"weight", "w [out, in]", kNumbers}},
          .attrs = {Int("units", "out; 0: taken from the weight", 0, 0), OutDType()},
          .kind = OpKind::kAnchor,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 1, 16);
            c.NeedRank(1, 2, 2);
            c.NeedExtent(1, 1, c.shape(0).back(), "the last extent of `data`");
            CheckUnits(c, 0);
            Shape out = c.shape(0);
            out.back() = c.shape(1)[0];
            return TensorOf(OutType(c), std::move(out));
          },
          .compute =
              [](const ComputeContext& c) {
                const ir::IterVar k = te::ReduceAxis(ir::Int(0), c.in(1)->shape()[1], "k");
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> of_x = AsExprs(i);
                      of_x.back() = k->var;
                      return te::Sum(
                          Product(At(c.in(0), of_x), At(c.in(1), {i.back(), k->var}), c.dtype()),
                          {k});
                    },
                    "C", {}, topi::AnchorAttrs(topi::kMatmul));
              },
          .examples = {{{"T[n, 8]", "T[5, 8]"}},
                       {{"T[2, n, 8]", "T[5, 8]"}, {{"units", IntAttr(5)}}},
                       {{"int8[n, 8]", "int8[5, 8]"}, {{"out_dtype", StringAttr("int32")}}}}};
}

OpDef ProductOp(std::string name, std::string doc, bool transpose_a, bool transpose_b, int rank) {
  const std::string batch = rank == 3 ? "[batch, " : rank == 2 ? "[" : "[batches..., ";
  OpDef op{.name = std::move(name),
           .doc = std::move(doc),
           .inputs = {{"tensor_a", "A " + batch + "i, k]", kNumbers},
                      {"tensor_b", "B " + batch + "k, j]", kNumbers}},
           .attrs = {OutDType(), Flag("transpose_a", "is A [..., k, i]?", transpose_a),
                     Flag("transpose_b", "is B [..., j, k]?", transpose_b)},
           .kind = OpKind::kAnchor,
           .type =
               [rank](const TypeContext& c) {
                 if (rank != 0) {
                   c.NeedRank(0, rank, rank);
                   c.NeedRank(1, rank, rank);
                 }
                 return ProductType(c, c.attrs.Bool("transpose_a"), c.attrs.Bool("transpose_b"));
               },
           .compute =
               [](const ComputeContext& c) {
                 return BatchedProduct(c, c.attrs.Bool("transpose_a"), c.attrs.Bool("transpose_b"));
               }};
  const std::string lead = rank == 3 ? "3, " : "";
  op.examples = {
      {{"T[" + lead + "n, 8]", transpose_b ? "T[" + lead + "5, 8]" : "T[" + lead + "8, 5]"}},
      {{"T[" + lead + "8, n]", "T[" + lead + "8, 5]"},
       {{"transpose_a", BoolAttr(true)}, {"transpose_b", BoolAttr(false)}}}};
  return op;
}

}  // namespace

std::vector<OpDef> Linear() {
  std::vector<OpDef> ops;
  ops.push_back(Dense());
  ops.push_back(ProductOp("nn.matmul", "The product of two matrices.", false, false, 2));
  ops.back().attrs.insert(ops.back().attrs.begin(),
                          Int("units", "the columns of the result; 0: taken from B", 0, 0));
  ops.push_back(ProductOp("nn.batch_matmul",
                          "A product of matrices for each batch. B is transposed unless it is said "
                          "otherwise; a batch of 1 repeats.",
                          false, true, 3));
  ops.push_back(ProductOp("matmul",
                          "The product of the last two dimensions; the dimensions before them are "
                          "broadcast, as NumPy has it.",
                          false, false, 0));
  ops.back().examples.push_back({{"T[2, 1, n, 8]", "T[3, 8, 5]"}});
  return ops;
}

}  // namespace lathe::graph::ops
