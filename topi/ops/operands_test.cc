// Operands that operators refuse. Each line has a call and what its error is about; "" if it is
// valid.
#include "topi/ops/operands.h"

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "gtest/gtest.h"
#include "topi/ops/conv2d.h"
#include "topi/ops/copy.h"
#include "topi/ops/image.h"
#include "topi/ops/matmul.h"
#include "topi/ops/reduce.h"
#include "topi/ops/rows.h"
#include "topi/ops/stencil.h"

namespace lathe::topi::ops {
namespace {

using te::Shape;
using te::Tensor;

struct Line {
  std::string name;
  std::function<void()> call;
  std::string about;
};

Tensor Of(const Shape& shape, DataType dtype = DataType::Float(32)) {
  return te::Placeholder(shape, dtype, "x");
}

Tensor Of(const std::vector<int64_t>& extents, DataType dtype = DataType::Float(32)) {
  Shape shape;
  for (const int64_t extent : extents) shape.push_back(ir::Int(extent));
  return Of(shape, dtype);
}

TEST(Operands, AreChecked) {
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  const DataType half = DataType::Float(16), byte = DataType::UInt(8), integer = DataType::Int(32);
  const Tensor a = Of({4, 6}), images = Of({1, 2, 8, 8, 4}), row = Of({6});
  const std::vector<Line> lines = {
      {"matmul", [&] { Matmul(a, Of({6, 5})); }, ""},
      {"matmul, symbolic", [&] { Matmul(Of({n, m}), Of({m, n})); }, ""},
      {"matmul, the same sum", [&] { Matmul(Of({n, n + m}), Of({m + n, n})); }, ""},
      {"matmul, other depth", [&] { Matmul(a, Of({5, 5})); }, "dimension 0 of `b`"},
      {"matmul, unknown depth", [&] { Matmul(a, Of({n, m})); }, "dimension 0 of `b`"},
      {"matmul, other batches", [&] { Matmul(Of({2, 4, 6}), Of({3, 6, 5})); },
       "dimension 0 of `b`"},
      {"matmul, a vector", [&] { Matmul(a, row); }, "`b` has another number of dimensions"},
      {"matmul, no matrix", [&] { Matmul(row, row); }, "`a` has another number of dimensions"},
      {"matmul, other type", [&] { Matmul(a, Of({6, 5}, half)); }, "`b` has another element type"},
      {"matvec", [&] { Matvec(a, row); }, ""},
      {"matvec, other length", [&] { Matvec(a, Of({4})); }, "dimension 0 of `x`"},
      {"panels", [&] { MatmulInPanels(a, Of({6, 5}), {2, 4}); }, ""},
      {"panels, symbolic", [&] { MatmulInPanels(Of({n, m}), Of({m, n}), {2, 4}); }, "not constant"},
      {"panels, no tile", [&] { MatmulInPanels(a, Of({6, 5}), {0, 4}); }, "`rows` is out of range"},
      {"panels, much", [&] { MatmulInPanels(a, Of({6, 5}), {2, INT64_MAX}); }, "`columns` is out"},
      {"conv2d", [&] { Conv2dNCHWc(images, Of({3, 2, 3, 3, 4, 8}), {1, 1}); }, ""},
      {"conv2d, channels", [&] { Conv2dNCHWc(images, Of({3, 3, 3, 3, 4, 8}), {1, 1}); },
       "dimension 1 of `weight`"},
      {"conv2d, lanes", [&] { Conv2dNCHWc(images, Of({3, 2, 3, 3, 8, 8}), {1, 1}); },
       "dimension 4 of `weight`"},
      {"conv2d, plain", [&] { Conv2dNCHWc(images, Of({3, 2, 3, 3}), {1, 1}); },
       "`weight` has another"},
      {"conv2d, stride", [&] { Conv2dNCHWc(images, Of({3, 2, 3, 3, 4, 8}), {0, 1}); }, "`stride`"},
      {"conv2d, padding", [&] { Conv2dNCHWc(images, Of({3, 2, 3, 3, 4, 8}), {1, -1}); },
       "`padding`"},
      {"conv2d, window", [&] { Conv2dNCHWc(images, Of({3, 2, 9, 3, 4, 8}), {1, 0}); },
       "`the window's height`"},
      {"depthwise", [&] { DepthwiseConv2dNCHWc(images, Of({2, 3, 3, 4}), {1, 1}); }, ""},
      {"depthwise, channels", [&] { DepthwiseConv2dNCHWc(images, Of({3, 3, 3, 4}), {1, 1}); },
       "dimension 0 of `weight`"},
      {"transpose", [&] { Transpose(row); }, "`x` has another number of dimensions"},
      {"concat", [&] { ConcatColumns({a, Of({ir::Int(4), n})}); }, ""},
      {"concat, nothing", [&] { ConcatColumns({}); }, "`the number of inputs`"},
      {"concat, rows", [&] { ConcatColumns({a, Of({5, 6})}); }, "dimension 0 of `x`"},
      {"sum", [&] { Reduce(row, Reduction::kSum, Along::kRows); }, "of sum: `x`"},
      {"argmax", [&] { ArgMax(images, Along::kRows); }, "argmax: `x`"},
      {"softmax", [&] { Softmax(Of({4, 6}, integer)); }, "no floating-point numbers"},
      {"layer norm", [&] { LayerNorm(a, row, row, 1e-5); }, ""},
      {"layer norm, scale", [&] { LayerNorm(a, Of({4}), row, 1e-5); }, "dimension 0 of `scale`"},
      {"layer norm, symbolic", [&] { LayerNorm(Of({ir::Int(4), n}), Of({n}), Of({n}), 0); },
       "not constant"},
      {"yuv", [&] { RgbToYuv(Of({9, 3}, byte)); }, ""},
      {"yuv, channels", [&] { RgbToYuv(Of({9, 4}, byte)); }, "`the number of channels`"},
      {"blurs", [&] { BoxBlurs(a, 2); }, ""},
      {"blurs, small", [&] { BoxBlurs(a, 3); }, "`height`"},
      {"blurs, none", [&] { BoxBlurs(a, 0); }, "`blurs`"},
  };
  for (const Line& line : lines) {
    std::string name, message;
    try {
      line.call();
    } catch (const Error& error) {
      name = error.name(), message = error.diagnostic().message;
    }
    EXPECT_EQ(name, line.about.empty() ? "" : "topi-operand") << line.name;
    EXPECT_NE(message.find(line.about), std::string::npos) << line.name << ": " << message;
  }
}

}  // namespace
}  // namespace lathe::topi::ops
