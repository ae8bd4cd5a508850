// Gradients of products of matrices.
#include <algorithm>
#include <cmath>

#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

Value Product(const Value& a, bool transpose_a, const Value& b, bool transpose_b) {
  return Apply("matmul", {a, b},
               {{"transpose_a", BoolAttr(transpose_a)}, {"transpose_b", BoolAttr(transpose_b)}});
}

// Both operands in the type of sums, if that is another floating type.
Value Wide(const Value& x, const Value& g) { return Cast(x, g.dtype()); }

// C = A B: dA = dC B^T and dB = A^T dC, each transposed as the operand is.
Vars Products(const GradientContext& c) {
  const bool ta = c.attrs.Bool("transpose_a"), tb = c.attrs.Bool("transpose_b");
  const Value g = G(c), a = Wide(X(c, 0), g), b = Wide(X(c, 1), g);
  return {ta ? Product(b, tb, g, true) : Product(g, false, b, !tb),
          tb ? Product(g, true, a, ta) : Product(a, !ta, g, false)};
}

// Y = X W^T, with any number of dimensions in front.
Vars Dense(const GradientContext& c) {
  const Value g = G(c), x = Wide(X(c, 0), g), w = Wide(X(c, 1), g);
  const auto rows = [](const Value& of) {
    return Reshape(of, {ProductOf({of.shape().begin(), of.shape().end() - 1}), of.shape().back()});
  };
  const Value by_x = Product(rows(g), false, w, false);
  return {Reshape(by_x, x.shape()), Product(rows(g), true, rows(x), false)};
}

// A Fourier transform is a product with a matrix, which is the transform of an identity matrix.
Vars Dft(const GradientContext& c) {
  Builder& b = c.builder;
  const Value g = G(c), x = X(c);
  const int64_t axis = FromFront(c.attrs.Int("axis"), x.rank()), last = x.rank() - 1;
  const Expr &n = x.shape()[static_cast<size_t>(axis)], &parts = x.shape().back();
  const Expr m = g.shape()[static_cast<size_t>(axis)];
  const Expr rows = ProductOf({n, parts}), columns = ProductOf({m, Int64(2)});
  const Value eye{
      &b,
      b.Call("eye", {}, {{"n", ShapeAttr({rows})}, {"dtype", StringAttr(g.dtype().ToString())}})};
  ir::Dict attrs = c.given;
  attrs["axis"] = IntAttr(1);
  const Value matrix =
      Reshape(Apply("dft", {Reshape(eye, {rows, n, parts})}, attrs), {rows, columns});
  // The dimension of time in front of that of the parts.
  std::vector<int64_t> order, back(static_cast<size_t>(x.rank()));
  for (int64_t d = 0; d < last; ++d) {
    if (d != axis) order.push_back(d);
  }
  order.insert(order.end(), {axis, last});
  for (size_t d = 0; d < order.size(); ++d) {
    back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  }
  const Value moved = Transpose(g, order);
  Shape flat(moved.shape().begin(), moved.shape().end() - 2), out = flat;
  const Value product = Product(Reshape(moved, {ProductOf(flat), columns}), false, matrix, true);
  out.insert(out.end(), {n, parts});
  return {Transpose(Reshape(product, std::move(out)), back)};
}

// The frames are rows that are read from the signal, times the window in their middle.
Value Stft(Builder& b, const std::vector<Value>& x, const Attrs& attrs) {
  const DataType type = DataType::Int(64);
  const int64_t size = attrs.Int("n_fft");
  const int64_t hop =
      attrs.Int("hop_length") != 0 ? attrs.Int("hop_length") : std::max<int64_t>(size / 4, 1);
  const Expr count = ir::FloorDivide(x[0].shape().back() - size, Int64(hop)) + 1;
  const Value first = AlongAxis(Arange(b, count, type) * static_cast<double>(hop), 0, 2);
  Value frames = Take(x[0], first + Arange(b, Int64(size), type), x[0].rank() - 1);
  if (x.size() > 1) {
    const int64_t window = attrs.Int("win_length") != 0 ? attrs.Int("win_length") : size;
    const int64_t before = (size - window) / 2;
    frames = frames *
             Apply("nn.pad", {x[1]}, {{"pad_width", IntsAttr({before, size - window - before})}});
  }
  const int64_t rank = frames.rank();
  const Value parts = Apply("expand_dims", {frames}, {{"axis", IntAttr(rank)}});
  Value y = Apply("dft", {parts},
                  {{"axis", IntAttr(rank - 1)}, {"onesided", BoolAttr(attrs.Bool("onesided"))}});
  if (attrs.Bool("normalized")) y = y / std::sqrt(static_cast<double>(size));
  // [batch, frequencies, frames, 2]
  return Transpose(y, rank == 2 ? std::vector<int64_t>{1, 0, 2} : std::vector<int64_t>{0, 2, 1, 3});
}

}  // namespace

Gradients LinearGradients() {
  Gradients g;
  for (const char* name : {"nn.matmul", "nn.batch_matmul", "matmul"}) g[name] = Products;
  g["nn.dense"] = Dense;
  g["dft"] = Dft;
  g["stft"] = ByComposition(Stft);
  return g;
}

}  // namespace lathe::graph::ops
