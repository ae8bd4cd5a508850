// Programs without a schedule, scheduled by AutoSchedule. The results must equal the evaluator's
// before and after every pass, from the replayed trace and from compiled code, at odd, empty and
// symbolic sizes.
#include <random>
#include <vector>

#include "driver/compile.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"
#include "ir/text/printer.h"
#include "te/operation.h"
#include "tests/topi/auto_scheduled.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using ir::IterVar;
using te::At;
using te::Compute;
using te::Indices;
using te::Placeholder;
using te::ReduceAxis;
using te::Tensor;

constexpr DataType kFloat = DataType::Float(32);

INSTANTIATE_TEST_SUITE_P(Machines, AutoScheduled, kAutoScheduledMachines, AutoScheduledName);

std::vector<Tensor> Product(Expr m, Expr n, Expr k, DataType dtype = kFloat, bool turned = false) {
  const Tensor a = Placeholder({m, k}, dtype, "A");
  const Tensor b = turned ? Placeholder({n, k}, dtype, "B") : Placeholder({k, n}, dtype, "B");
  const IterVar r = ReduceAxis(ir::Int(0), k, "r");
  const Tensor c = Compute(
      {m, n},
      [&](const Indices& i) {
        return te::Sum(
            At(a, {i[0], r->var}) * (turned ? At(b, {i[1], r->var}) : At(b, {r->var, i[1]})), {r});
      },
      "C");
  return {a, b, c};
}
std::vector<Tensor> Product(int64_t m, int64_t n, int64_t k, DataType dtype = kFloat,
                            bool turned = false) {
  return Product(ir::Int(m), ir::Int(n), ir::Int(k), dtype, turned);
}

TEST_P(AutoScheduled, Products) {
  Check(Product(12, 64, 8));
  Check(Product(13, 37, 5));
  Check(Product(1, 1, 1));
  Check(Product(3, 100, 2));
  Check(Product(70, 130, 3));
  Check(Product(20, 28, 6));
  Check(Product(6, 18, 4, DataType::Float(64)));
  Check(Product(9, 33, 7, DataType::Int(32)));
}

// Results that are selected by a short axis, as in the transforms of Winograd's convolutions.
// Unrolled inside the other loops, nothing is left of the selection.
TEST_P(AutoScheduled, TransformsAreUnrolled) {
  for (const int64_t lanes : {16, 20, 5}) {
    const Tensor a = Placeholder({ir::Int(3), ir::Int(7), ir::Int(lanes)}, kFloat, "A");
    const Tensor b =
        Compute({ir::Int(3), ir::Int(3), ir::Int(7), ir::Int(lanes)}, [&](const Indices& i) {
          auto at = [&](int n) { return At(a, {ir::Int(n), i[2], i[3]}); };
          const Expr chosen =
              ir::MakeSelect(ir::Equal(i[0], ir::Int(0)), at(0) - at(2),
                             ir::MakeSelect(ir::Equal(i[0], ir::Int(1)), at(1) + at(2), at(1)));
          return chosen * (i[1] + 1);
        });
    Check({a, b});
    const std::string text = ir::ToText(schedule::ToProgram(Of({b}), {a, b}, "transform"));
    EXPECT_NE(text.find("unroll(axis=compute.i)"), std::string::npos) << text;
  }
}

// Loops of reductions whose ranges depend on an element's position stay within its loops.
TEST_P(AutoScheduled, ReductionsOverDependentRanges) {
  const Tensor a = Placeholder({ir::Int(40), ir::Int(40)}, kFloat, "A");
  auto triangle = [&](const Expr& row) { return ReduceAxis(ir::Int(0), row + 1, "r"); };
  const Tensor rows = Compute({ir::Int(40)}, [&](const Indices& i) {
    const IterVar r = triangle(i[0]);
    return te::Sum(At(a, {i[0], r->var}), {r});
  });
  Check({a, rows});
  Check({a, Compute({ir::Int(40), ir::Int(40)},
                    [&](const Indices& i) { return At(a, {i[0], i[1]}) / At(rows, {i[0]}); })});
  auto product = [&](size_t of, bool turned) {
    return Compute({ir::Int(40), ir::Int(40)}, [&](const Indices& i) {
      const IterVar r = triangle(i[of]);
      const Expr right = turned ? At(a, {i[1], r->var}) : At(a, {r->var, i[1]});
      return te::Sum(At(a, {i[0], r->var}) * right, {r});
    });
  };
  for (const size_t of : {0, 1}) {
    Check({a, product(of, false)});
    Check({a, product(of, true)});
  }
}

TEST_P(AutoScheduled, ProductsOfEmptyMatrices) {
  Check(Product(0, 5, 3));
  Check(Product(4, 0, 3));
  Check(Product(20, 40, 0));
}

// B is stored transposed, so its columns are read one by one.
TEST_P(AutoScheduled, ProductsWithTurnedOperands) {
  Check(Product(16, 32, 8, kFloat, true));
  Check(Product(67, 21, 9, kFloat, true));
  Check(Product(2, 21, 40, kFloat, true));
}

// Every `stride`th column or row of B from `first` on.
std::vector<Tensor> StridedProduct(int64_t m, int64_t n, int64_t k, int64_t stride, int64_t first,
                                   bool turned) {
  const ir::Expr wide = ir::Int(n * stride + first);
  const Tensor a = Placeholder({ir::Int(m), ir::Int(k)}, kFloat, "A");
  const Tensor b =
      Placeholder(turned ? te::Shape{wide, ir::Int(k)} : te::Shape{ir::Int(k), wide}, kFloat, "B");
  const IterVar r = ReduceAxis(ir::Int(0), ir::Int(k), "r");
  const Tensor c = Compute(
      {ir::Int(m), ir::Int(n)},
      [&](const Indices& i) {
        const Expr at = i[1] * stride + first;
        return te::Sum(At(a, {i[0], r->var}) * (turned ? At(b, {at, r->var}) : At(b, {r->var, at})),
                       {r});
      },
      "C");
  return {a, b, c};
}

TEST_P(AutoScheduled, ProductsWithStridedOperands) {
  for (const bool turned : {false, true}) {
    Check(StridedProduct(16, 64, 8, 2, 0, turned));
    Check(StridedProduct(19, 37, 5, 3, 1, turned));
    Check(StridedProduct(9, 70, 3, 2, 5, turned));
  }
}

// A panel of a diagonal would not be read in vectors either.
TEST_P(AutoScheduled, ProductsWithDiagonals) {
  const Tensor a = Placeholder({ir::Int(20), ir::Int(6)}, kFloat, "A");
  const Tensor b = Placeholder({ir::Int(6), ir::Int(40), ir::Int(40)}, kFloat, "B");
  const IterVar r = ReduceAxis(ir::Int(0), ir::Int(6), "r");
  const Tensor c = Compute(
      {ir::Int(20), ir::Int(40)},
      [&](const Indices& i) {
        return te::Sum(At(a, {i[0], r->var}) * At(b, {r->var, i[1], i[1]}), {r});
      },
      "C");
  Check({a, b, c});
}

// Long rows: panels are copied.
TEST_P(AutoScheduled, ProductsInPanels) { Check(Product(70, 530, 2)); }

TEST_P(AutoScheduled, ProductsOfAnySize) {
  const ir::Var m = ir::MakeSizeVar("m"), n = ir::MakeSizeVar("n"), k = ir::MakeSizeVar("k");
  Check(Product(m, n, k), 1, {m, n, k},
        {{5, 33, 7}, {0, 3, 2}, {1, 1, 1}, {30, 40, 4}, {7, 70, 0}, {13, 0, 2}});
}

// An inlined stage that is read along the other axis is computed where it is read. No blocks are
// transposed in registers.
TEST_P(AutoScheduled, TurnedMapsOfWhatIsInlined) {
  const Tensor x = Placeholder({ir::Int(32), ir::Int(64)}, kFloat, "x");
  const Tensor doubled = Compute(
      x->shape(), [&](const Indices& i) { return At(x, {i[0], i[1]}) * ir::Float(2); }, "doubled");
  Check({x, Compute(
                {ir::Int(64), ir::Int(32)},
                [&](const Indices& i) { return At(doubled, {i[1], i[0]}); }, "y")});
}

TEST_P(AutoScheduled, BatchesWithBiasAndClip) {
  const Tensor a = Placeholder({ir::Int(2), ir::Int(9), ir::Int(6)}, kFloat, "A"),
               b = Placeholder({ir::Int(2), ir::Int(6), ir::Int(35)}, kFloat, "B"),
               bias = Placeholder({ir::Int(35)}, kFloat, "bias");
  const IterVar k = ReduceAxis(ir::Int(0), ir::Int(6), "k");
  const Tensor product = Compute(
      {ir::Int(2), ir::Int(9), ir::Int(35)},
      [&](const Indices& i) {
        return te::Sum(At(a, {i[0], i[1], k->var}) * At(b, {i[0], k->var, i[2]}), {k});
      },
      "product");
  const Tensor sum = Compute(
      product->shape(),
      [&](const Indices& i) { return At(product, {i[0], i[1], i[2]}) + At(bias, {i[2]}); }, "sum");
  const Tensor clipped = Compute(
      product->shape(),
      [&](const Indices& i) { return ir::MakeMax(At(sum, {i[0], i[1], i[2]}), ir::Float(0)); },
      "clipped");
  Check({a, b, bias, clipped});
  // Several outputs, one of them in the middle.
  Check({a, b, bias, sum, clipped}, 2);
}

// data[n, c, y, x] with a frame of zeros, and a stride.
std::vector<Tensor> Convolution(int64_t channels, int64_t size, int64_t filters, int64_t kernel,
                                int64_t stride, int64_t padding, bool depthwise = false) {
  const int64_t padded_size = size + 2 * padding, out = (padded_size - kernel) / stride + 1;
  const Tensor data =
      Placeholder({ir::Int(2), ir::Int(channels), ir::Int(size), ir::Int(size)}, kFloat, "data");
  const Tensor weight = Placeholder(
      {ir::Int(filters), ir::Int(depthwise ? 1 : channels), ir::Int(kernel), ir::Int(kernel)},
      kFloat, "weight");
  const Tensor padded = Compute(
      {ir::Int(2), ir::Int(channels), ir::Int(padded_size), ir::Int(padded_size)},
      [&](const Indices& i) {
        const Expr y = i[2] - padding, x = i[3] - padding;
        return ir::IfThenElse(
            ir::LogicalAnd(ir::LogicalAnd(y >= 0, y < size), ir::LogicalAnd(x >= 0, x < size)),
            At(data, {i[0], i[1], y, x}), ir::Float(0));
      },
      "padded");
  const IterVar c = ReduceAxis(ir::Int(0), ir::Int(depthwise ? 1 : channels), "c"),
                ky = ReduceAxis(ir::Int(0), ir::Int(kernel), "ky"),
                kx = ReduceAxis(ir::Int(0), ir::Int(kernel), "kx");
  const Tensor result = Compute(
      {ir::Int(2), ir::Int(filters), ir::Int(out), ir::Int(out)},
      [&](const Indices& i) {
        const Expr channel = depthwise ? Expr(i[1]) : Expr(c->var);
        return te::Sum(
            At(padded, {i[0], channel, i[2] * stride + ky->var, i[3] * stride + kx->var}) *
                At(weight, {i[1], c->var, ky->var, kx->var}),
            {c, ky, kx});
      },
      "out");
  return {data, weight, result};
}

TEST_P(AutoScheduled, Convolutions) {
  Check(Convolution(3, 9, 5, 3, 1, 1));
  Check(Convolution(4, 20, 14, 1, 1, 0));
  Check(Convolution(2, 18, 3, 3, 2, 1));
  Check(Convolution(2, 35, 16, 3, 2, 1));
  Check(Convolution(5, 17, 5, 3, 1, 1, true));
  Check(Convolution(12, 2, 24, 3, 1, 0));  // no elements
}

TEST_P(AutoScheduled, Maps) {
  const Tensor x = Placeholder({ir::Int(7), ir::Int(45)}, kFloat, "x"),
               row = Placeholder({ir::Int(45)}, kFloat, "row");
  const Tensor doubled = Compute(
      x->shape(), [&](const Indices& i) { return At(x, {i[0], i[1]}) * ir::Float(2); }, "doubled");
  const Tensor added = Compute(
      x->shape(), [&](const Indices& i) { return At(doubled, {i[0], i[1]}) + At(row, {i[1]}); },
      "added");
  Check({x, row, added});
  const Tensor turned = Compute(
      {ir::Int(45), ir::Int(7)}, [&](const Indices& i) { return At(added, {i[1], i[0]}); },
      "turned");
  Check({x, row, turned});
  Check({x, row, added, turned}, 2);
  // Fewer elements than a vector, one, none.
  for (const int64_t n : {3, 1, 0}) {
    const Tensor few = Placeholder({ir::Int(2), ir::Int(n)}, kFloat, "few");
    const Tensor y = Compute(
        few->shape(), [&](const Indices& i) { return At(few, {i[0], i[1]}) + ir::Float(1); }, "y");
    const Tensor z = Compute(
        {ir::Int(n), ir::Int(2)}, [&](const Indices& i) { return At(y, {i[1], i[0]}); }, "z");
    Check({few, y, z}, 2);
  }
  const Tensor scalar = Placeholder({}, kFloat, "scalar");
  Check({scalar, Compute({}, [&](const Indices&) { return At(scalar, {}) + ir::Float(1); }, "y")});
}

// Copies with axes in another order. Whole blocks are transposed in registers.
TEST_P(AutoScheduled, TurnedCopies) {
  for (const DataType dtype : {kFloat, DataType::Int(32), DataType::Float(64)}) {
    for (const auto& [n, m] :
         std::vector<std::pair<int64_t, int64_t>>{{32, 16}, {16, 40}, {8, 8}}) {
      const Tensor x = Placeholder({ir::Int(n), ir::Int(m)}, dtype, "x");
      Check({x, Compute(
                    {ir::Int(m), ir::Int(n)}, [&](const Indices& i) { return At(x, {i[1], i[0]}); },
                    "y")});
      const Tensor batch = Placeholder({ir::Int(3), ir::Int(n), ir::Int(m)}, dtype, "batch");
      Check({batch, Compute(
                        {ir::Int(3), ir::Int(m), ir::Int(n)},
                        [&](const Indices& i) { return At(batch, {i[0], i[2], i[1]}); }, "y")});
      Check({batch, Compute(
                        {ir::Int(m), ir::Int(3), ir::Int(n)},
                        [&](const Indices& i) { return At(batch, {i[1], i[2], i[0]}); }, "y")});
      Check({batch, Compute(
                        {ir::Int(m), ir::Int(n), ir::Int(3)},
                        [&](const Indices& i) { return At(batch, {i[2], i[1], i[0]}); }, "y")});
      // A transposed copy that is an output and is also read by another stage.
      const Tensor y = Compute(
          {ir::Int(m), ir::Int(n)}, [&](const Indices& i) { return At(x, {i[1], i[0]}); }, "y");
      const Tensor z = Compute(
          {ir::Int(m), ir::Int(n)},
          [&](const Indices& i) { return At(y, {i[0], i[1]}) + At(y, {i[0], ir::Int(0)}); }, "z");
      Check({x, y, z}, 2);
    }
  }
}

TEST_P(AutoScheduled, MapsOfAnySize) {
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  const Tensor x = Placeholder({n, m}, kFloat, "x"), row = Placeholder({m}, kFloat, "row");
  const Tensor y =
      Compute({n, m}, [&](const Indices& i) { return At(x, {i[0], i[1]}) - At(row, {i[1]}); }, "y");
  Check({x, row, y}, 1, {n, m}, {{3, 100}, {0, 4}, {1, 1}, {50, 3}, {2, 0}});
}

TEST_P(AutoScheduled, Reductions) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<int64_t, int64_t>>{{7, 150}, {150, 9}, {1, 1}, {40, 64}, {3, 0}}) {
    const Tensor x = Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
    const IterVar k = ReduceAxis(ir::Int(0), ir::Int(columns), "k"),
                  r = ReduceAxis(ir::Int(0), ir::Int(rows), "r");
    Check({x, Compute(
                  {ir::Int(rows)},
                  [&](const Indices& i) { return te::Sum(At(x, {i[0], k->var}), {k}); }, "y")});
    Check({x, Compute(
                  {ir::Int(columns)},
                  [&](const Indices& i) { return te::Max(At(x, {r->var, i[0]}), {r}); }, "y")});
    Check({x,
           Compute(
               {}, [&](const Indices&) { return te::Sum(At(x, {r->var, k->var}), {r, k}); }, "y")});
    const std::vector<Tensor> largest = te::ComputeTuple(
        {ir::Int(rows)},
        [&](const Indices& i) { return te::ArgMax(k->var, At(x, {i[0], k->var}), {k}); }, "y");
    Check({x, largest[0], largest[1]}, 2);
  }
}

TEST_P(AutoScheduled, ReductionsOfAnySize) {
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  const Tensor x = Placeholder({n, m}, kFloat, "x");
  const IterVar k = ReduceAxis(ir::Int(0), m, "k"), r = ReduceAxis(ir::Int(0), n, "r");
  const std::vector<std::vector<int64_t>> sizes = {{3, 100}, {0, 4}, {1, 1}, {70, 3}, {2, 0}};
  Check({x, Compute(
                {n}, [&](const Indices& i) { return te::Sum(At(x, {i[0], k->var}), {k}); }, "y")},
        1, {n, m}, sizes);
  Check({x, Compute(
                {m}, [&](const Indices& i) { return te::Sum(At(x, {r->var, i[0]}), {r}); }, "y")},
        1, {n, m}, sizes);
  Check({x, Compute(
                {}, [&](const Indices&) { return te::Sum(At(x, {r->var, k->var}), {r, k}); }, "y")},
        1, {n, m}, sizes);
}

// Large enough for several threads.
TEST_P(AutoScheduled, LargeOnesOnThreads) {
  const Tensor x = Placeholder({ir::Int(300), ir::Int(500)}, kFloat, "x");
  const IterVar k = ReduceAxis(ir::Int(0), ir::Int(500), "k"),
                r = ReduceAxis(ir::Int(0), ir::Int(300), "r");
  Check(
      {x,
       Compute({}, [&](const Indices&) { return te::Sum(At(x, {r->var, k->var}), {r, k}); }, "y")});
  Check({x, Compute(
                {ir::Int(500)},
                [&](const Indices& i) { return te::Sum(At(x, {r->var, i[0]}), {r}); }, "y")});
}

// The structure of softmax and layer norm, in numbers that are exact.
TEST_P(AutoScheduled, RowsStayNear) {
  const auto make = [](Expr n, Expr m) {
    const Tensor x = Placeholder({n, m}, kFloat, "x");
    const IterVar k = ReduceAxis(ir::Int(0), m, "k"), q = ReduceAxis(ir::Int(0), m, "q");
    const Tensor largest = Compute(
        {n}, [&](const Indices& i) { return te::Max(At(x, {i[0], k->var}), {k}); }, "largest");
    const Tensor powers = Compute(
        {n, m},
        [&](const Indices& i) {
          return ir::CallIntrinsic("abs", {At(x, {i[0], i[1]}) - At(largest, {i[0]})});
        },
        "powers");
    const Tensor sum = Compute(
        {n}, [&](const Indices& i) { return te::Sum(At(powers, {i[0], q->var}), {q}); }, "sum");
    const Tensor y = Compute(
        {n, m}, [&](const Indices& i) { return At(powers, {i[0], i[1]}) + At(sum, {i[0]}); }, "y");
    return std::vector<Tensor>{x, y};
  };
  Check(make(ir::Int(5), ir::Int(70)));
  Check(make(ir::Int(3), ir::Int(3)));
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  Check(make(n, m), 1, {n, m}, {{3, 100}, {0, 4}, {1, 1}, {4, 17}});
  // All three are computed within the rows of the last stage.
  const std::vector<Tensor> args = make(ir::Int(64), ir::Int(256));
  const schedule::Schedule s = Of({args.back()});
  for (const char* name : {"largest", "powers", "sum"})
    EXPECT_EQ(s->FindByName(name)->attach, schedule::AttachKind::kScope) << name;
}

// Interleaved channels: they are separated, combined with a kind of mean, and interleaved again.
std::vector<Tensor> Picture(int64_t pixels, int64_t channels, DataType dtype) {
  const te::Shape planar = {ir::Int(channels), ir::Int(pixels)},
                  interleaved = {ir::Int(pixels), ir::Int(channels)};
  const Tensor x = Placeholder(interleaved, dtype, "x"),
               shift = Placeholder({ir::Int(channels)}, dtype, "shift");
  const Tensor planes =
      Compute(planar, [&](const Indices& i) { return At(x, {i[1], i[0]}); }, "planes");
  const Tensor bright = Compute(
      {ir::Int(pixels)},
      [&](const Indices& i) {
        return At(planes, {ir::Int(0), i[0]}) + At(planes, {ir::Int(channels - 1), i[0]});
      },
      "bright");
  const Tensor mixed = Compute(
      planar,
      [&](const Indices& i) {
        return ir::MakeSelect(ir::Equal(i[0], ir::Int(0)), At(bright, {i[1]}),
                              At(planes, {i[0], i[1]}) - At(bright, {i[1]})) +
               At(shift, {i[0]});
      },
      "mixed");
  return {x, shift, mixed,
          Compute(interleaved, [&](const Indices& i) { return At(mixed, {i[1], i[0]}); }, "y")};
}

TEST_P(AutoScheduled, PicturesByPlanes) {
  for (const DataType dtype : {kFloat, DataType::Int(32), DataType::UInt(8)}) {
    for (const int64_t channels : {2, 3, 4}) {
      for (const int64_t pixels : {128, 100, 8}) {
        SCOPED_TRACE(dtype.ToString() + ", " + std::to_string(pixels) + " pixels of " +
                     std::to_string(channels));
        const std::vector<Tensor> picture = Picture(pixels, channels, dtype);
        Check({picture[0], picture[1], picture[3]});
        Check(picture, 2);  // a program's output is not computed inside another one
      }
    }
  }
  const std::vector<Tensor> large = Picture(64 * 1024, 3, DataType::UInt(8));
  Check({large[0], large[1], large[3]});
  const schedule::Schedule s = Of({large[3]});
  for (const char* name : {"planes", "bright", "mixed"})
    EXPECT_EQ(s->FindByName(name)->attach, schedule::AttachKind::kScope) << name;
}

TEST_P(AutoScheduled, ScansAndTuplesAreLeftWhole) {
  const ir::Var n = ir::MakeSizeVar("n");
  const Tensor x = Placeholder({ir::Int(6), n}, kFloat, "x"),
               state = Placeholder({ir::Int(6), n}, kFloat, "state");
  const Tensor init =
      Compute({ir::Int(1), n}, [&](const Indices& i) { return At(x, {ir::Int(0), i[1]}); }, "init");
  const Tensor update = Compute(
      {ir::Int(6), n},
      [&](const Indices& i) { return At(state, {i[0] - 1, i[1]}) + At(x, {i[0], i[1]}); },
      "update");
  const Tensor sums = te::Scan({init}, {update}, {state}, {x}, "sums")[0];
  Check({x, sums}, 1, {n}, {{20}, {1}});
}

// Makes chains of random stages of every pattern.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {}
  std::vector<Tensor> Make() {
    const Tensor x = Placeholder({Extent(), Extent()}, kFloat, "x");
    std::vector<Tensor> args = {x};
    Tensor last = x;
    const int stages = 2 + Below(4);
    for (int k = 0; k < stages; ++k) last = Stage(last, "s" + std::to_string(k), &args);
    args.push_back(last);
    return args;
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  Expr Extent() { return ir::Int(int64_t{1} << Below(3) == 1 ? 1 + Below(5) : 1 + Below(40)); }
  Tensor Stage(const Tensor& in, const std::string& name, std::vector<Tensor>* args) {
    const Expr n = in->shape()[0], m = in->shape()[1];
    switch (Below(7)) {
      case 0:
        return Compute(
            {n, m}, [&](const Indices& i) { return At(in, {i[0], i[1]}) + ir::Float(1); }, name);
      case 1:
        return Compute({m, n}, [&](const Indices& i) { return At(in, {i[1], i[0]}); }, name);
      case 2: {  // product
        const Expr columns = Extent();
        const Tensor b = Placeholder({m, columns}, kFloat, name + "_B");
        args->push_back(b);
        const IterVar k = ReduceAxis(ir::Int(0), m, "k");
        return Compute(
            {n, columns},
            [&](const Indices& i) {
              return te::Sum(At(in, {i[0], k->var}) * At(b, {k->var, i[1]}), {k});
            },
            name);
      }
      case 3: {  // each row minus its maximum
        const IterVar k = ReduceAxis(ir::Int(0), m, "k");
        const Tensor largest = Compute(
            {n}, [&](const Indices& i) { return te::Max(At(in, {i[0], k->var}), {k}); },
            name + "_r");
        return Compute(
            {n, m}, [&](const Indices& i) { return At(in, {i[0], i[1]}) - At(largest, {i[0]}); },
            name);
      }
      case 4: {  // each column minus its minimum
        const IterVar k = ReduceAxis(ir::Int(0), n, "k");
        const Tensor least = Compute(
            {m}, [&](const Indices& i) { return te::Min(At(in, {k->var, i[0]}), {k}); },
            name + "_c");
        return Compute(
            {n, m}, [&](const Indices& i) { return At(in, {i[0], i[1]}) - At(least, {i[1]}); },
            name);
      }
      case 5: {  // a frame of zeros and a window
        const Tensor padded = Compute(
            {n + 2, m},
            [&](const Indices& i) {
              const Expr y = i[0] - 1;
              return ir::IfThenElse(ir::LogicalAnd(y >= 0, y < n), At(in, {y, i[1]}), ir::Float(0));
            },
            name + "_p");
        const IterVar k = ReduceAxis(ir::Int(0), ir::Int(3), "k");
        return Compute(
            {n, m},
            [&](const Indices& i) { return te::Sum(At(padded, {i[0] + k->var, i[1]}), {k}); },
            name);
      }
      default:
        return Compute(
            {n, m},
            [&](const Indices& i) {
              return ir::MakeMax(At(in, {i[0], i[1]}), At(in, {n - 1 - i[0], i[1]}));
            },
            name);
    }
  }
  std::mt19937 random_;
};

TEST_P(AutoScheduled, RandomChains) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Check(RandomProgram(seed).Make());
  }
}

// The trace records what AutoSchedule did, and can be used like any other.
TEST(AutoSchedule, HasATrace) {
  target::Machine machine;
  machine.vector_bytes = 64;
  machine.vector_registers = 32;
  const std::vector<Tensor> args = Product(512, 512, 512);
  const schedule::Schedule s = AutoSchedule({args[2]->op}, machine);
  const std::string text =
      ir::ToText(schedule::ToProgram(s, {args.begin(), args.end()}, "product"));
  for (const char* part : {"cache_write", "split", "reorder", "vectorize", "unroll", "parallel"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace
}  // namespace lathe::topi::cpu
