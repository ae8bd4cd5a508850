// ScheduleProgram: operators get the schedules of their templates, together with the elementwise
// stages around them. If none fits, the default schedule is used. The results must equal the
// evaluator's before and after every pass, from the replayed trace and from compiled code.
#include <algorithm>
#include <string>
#include <vector>

#include "base/address_sanitizer.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "tests/schedule/expect.h"
#include "topi/cpu/auto/auto_schedule.h"
#include "topi/cpu/conv2d.h"
#include "topi/cpu/copy.h"
#include "topi/cpu/dot_gemm.h"
#include "topi/cpu/gemm.h"
#include "topi/cpu/image.h"
#include "topi/cpu/reduce.h"
#include "topi/cpu/rows.h"
#include "topi/cpu/stencil.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using te::At;
using te::Indices;
using te::Tensor;

constexpr DataType kFloat = DataType::Float(32);

class Templates : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  target::Machine machine() const {
    target::Machine out;
    out.vector_bytes = GetParam().first;
    out.vector_registers = GetParam().second;
    return out;
  }
  // Schedules the last of `args` and checks what it computes. Returns what happened to the
  // operators.
  Scheduled Check(const std::vector<Tensor>& args, Config config = {}) const {
    const Scheduled made = ScheduleProgram({args.back()->op}, machine(), std::move(config));
    schedule::ExpectSameAnswers(made.schedule, {args.begin(), args.end()});
    return made;
  }
  // Expects that the template's trace equals that of the kernel alone.
  void ExpectTrace(const char* name, const Kernel& kernel) const {
    std::vector<ir::Op> outputs;
    for (const Tensor& arg : kernel.args) {
      if (ir::As<ir::PlaceholderOp>(arg->op) == nullptr && outputs.empty())
        outputs.push_back(arg->op);
    }
    const Scheduled made = ScheduleProgram(outputs, machine());
    ASSERT_EQ(made.choices.size(), 1u) << name;
    EXPECT_EQ(made.choices[0].by, name);
    std::string found, expected;
    for (const auto& step : made.schedule->trace) found += ir::ToText(step) + "\n";
    for (const auto& step : kernel.schedule->trace) expected += ir::ToText(step) + "\n";
    EXPECT_EQ(found, expected) << name;
  }
};

// One of them under the address sanitizer, for which both take the same ways.
INSTANTIATE_TEST_SUITE_P(Machines, Templates,
                         testing::ValuesIn(kAddressSanitizer
                                               ? std::vector{std::pair{64, 32}}
                                               : std::vector{std::pair{16, 32}, std::pair{64, 32}}),
                         [](const auto& info) {
                           return "Vectors" + std::to_string(8 * info.param.first);
                         });

Tensor Matrix(std::vector<int64_t> extents, const char* name, DataType dtype = kFloat) {
  te::Shape shape;
  for (const int64_t extent : extents) shape.push_back(ir::Int(extent));
  return te::Placeholder(shape, dtype, name);
}

// max(x + bias[last index], 0) + residual
Tensor Epilogue(const Tensor& x, const Tensor& bias, const Tensor& residual) {
  const Tensor sum = te::Compute(
      x->shape(),
      [&](const Indices& i) { return At(x, {i.begin(), i.end()}) + At(bias, {i.back()}); }, "sum");
  const Tensor clipped = te::Compute(
      x->shape(),
      [&](const Indices& i) { return ir::MakeMax(At(sum, {i.begin(), i.end()}), ir::Float(0)); },
      "clipped");
  return te::Compute(
      x->shape(),
      [&](const Indices& i) {
        const std::vector<Expr> at(i.begin(), i.end());
        return At(clipped, at) + At(residual, at);
      },
      "added");
}

Tensor Doubled(const Tensor& x) {
  return te::Compute(
      x->shape(), [&](const Indices& i) { return At(x, {i.begin(), i.end()}) * ir::Float(2); },
      "doubled");
}

TEST_P(Templates, AreReachedThroughTheDoor) {
  const target::Machine m = machine();
  const int64_t c = m.Lanes(kFloat);
  ExpectTrace("softmax", Softmax(3, 70, m));
  ExpectTrace("layer_norm", LayerNorm(3, 70, 1e-5, m));
  ExpectTrace("row_reduction", Reduce(Reduction::kSum, Along::kRows, 7, 150, m));
  ExpectTrace("row_reduction", ArgMax(Along::kRows, 7, 150, m));
  ExpectTrace("column_reduction", Reduce(Reduction::kMax, Along::kColumns, 7, 150, m));
  ExpectTrace("transpose", Transpose(64, 32, m));
  ExpectTrace("concat_columns", ConcatColumns(3, {5, 40, 1}, m));
  ExpectTrace("box_blurs", BoxBlurs(3, 131, 70, StencilSchedule::kSlidingWindows, m));
  ExpectTrace("rgb_to_yuv", RgbToYuv(256, DataType::UInt(8), m));
  ExpectTrace("gemm", Gemm({13, 37, 5}, kFloat, m));
  const DataType s8 = DataType::Int(8), bf16 = DataType::BFloat16();
  ExpectTrace("dot_gemm", DotGemm({13, 37, 5}, s8, s8, DataType::Int(32), m));
  ExpectTrace("dot_gemm", DotGemm({16, 32, 64}, bf16, bf16, kFloat, m));
  target::Machine dots = m;
  dots.architecture = target::Architecture::kX86;
  dots.features = {"avx512vnni", "avx512vl", "avxvnni"};
  const Kernel other = DotGemm({13, 37, 5}, DataType::UInt(8), s8, DataType::Int(32), dots);
  EXPECT_EQ(ScheduleProgram({other.args.back()->op}, m).choices.back().by, "");
  ExpectTrace("gemv", Gemv(9, 37, kFloat, m));
  ExpectTrace("conv2d", Conv2dNCHWc({1, c, 5, 6, 2 * c, 3, 1, 1}, m));
  ExpectTrace("depthwise_conv2d", DepthwiseConv2dNCHWc({1, 2 * c, 5, 6, 2 * c, 3, 1, 1}, m));
}

TEST_P(Templates, MatmulOfMatricesAndBatches) {
  for (const auto& [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{12, 64, 8},
                                {13, 137, 5},
                                {3, 100, 2},
                                {70, 130, 3}}) {
    const Tensor a = Matrix({m, k}, "A"), b = Matrix({k, n}, "B");
    EXPECT_EQ(Check({a, b, ops::Matmul(a, b)}).choices[0].by, "matmul") << m << "x" << n;
    // Forces a copy into panels, which would not be made here by default.
    Check({a, b, ops::Matmul(a, b)}, Config({{"matmul.pack", 1}}));
  }
  const Tensor a = Matrix({2, 9, 6}, "A"), b = Matrix({2, 6, 35}, "B");
  EXPECT_EQ(Check({a, b, ops::Matmul(a, b)}, Config({{"matmul.pack", 1}})).choices[0].by, "matmul");
}

TEST_P(Templates, MatmulTakesAnEpilogueAndProducers) {
  const Tensor a = Matrix({21, 6}, "A"), b = Matrix({6, 70}, "B"), bias = Matrix({70}, "bias"),
               residual = Matrix({21, 70}, "residual");
  const Tensor product = ops::Matmul(a, b), y = Epilogue(product, bias, residual);
  const Scheduled made = Check({a, b, bias, residual, y}, Config({{"matmul.pack", 1}}));
  EXPECT_EQ(made.choices[0].by, "matmul");
  // The last stage of the epilogue has the tiles. The sums are computed at them.
  EXPECT_EQ(made.schedule[product].attach, schedule::AttachKind::kScope);
  const Tensor c = ops::Matmul(Doubled(a), Doubled(b));
  EXPECT_EQ(Check({a, b, bias, residual, Epilogue(c, bias, residual)}, Config({{"matmul.pack", 1}}))
                .choices[0]
                .by,
            "matmul");
}

TEST_P(Templates, ConvolutionsTakeAnEpilogueAndProducers) {
  const int64_t c = machine().Lanes(kFloat);
  const Tensor data = Matrix({1, 1, 5, 6, c}, "data"),
               weight = Matrix({1, 1, 3, 3, c, 2 * c}, "weight"), bias = Matrix({2 * c}, "bias"),
               residual = Matrix({1, 1, 5, 6, 2 * c}, "residual");
  const Tensor out = ops::Conv2dNCHWc(data, weight, {1, 1});
  const Scheduled made = Check({data, weight, bias, residual, Epilogue(out, bias, residual)});
  EXPECT_EQ(made.choices[0].by, "conv2d");
  EXPECT_EQ(made.schedule[out].attach, schedule::AttachKind::kScope);
  const Tensor after = ops::Conv2dNCHWc(Doubled(data), weight, {1, 1});
  EXPECT_EQ(Check({data, weight, bias, residual, Epilogue(after, bias, residual)}).choices[0].by,
            "conv2d");

  const Tensor filter = Matrix({1, 3, 3, c}, "filter"), shift = Matrix({c}, "shift"),
               other = Matrix({1, 1, 5, 6, c}, "other");
  const Tensor depthwise = ops::DepthwiseConv2dNCHWc(Doubled(data), filter, {1, 1});
  EXPECT_EQ(Check({data, filter, shift, other, Epilogue(depthwise, shift, other)}).choices[0].by,
            "depthwise_conv2d");
}

TEST_P(Templates, SeveralOperatorsInOneProgram) {
  const Tensor x = Matrix({10, 12}, "x"), w1 = Matrix({12, 40}, "w1"), w2 = Matrix({40, 33}, "w2"),
               bias = Matrix({40}, "bias"), zero = Matrix({10, 40}, "zero");
  const Tensor hidden = Epilogue(ops::Matmul(x, w1), bias, zero);
  const Scheduled made = Check({x, w1, w2, bias, zero, ops::Matmul(hidden, w2)});
  ASSERT_EQ(made.choices.size(), 2u);
  EXPECT_EQ(made.choices[0].by, "matmul");
  EXPECT_EQ(made.choices[1].by, "matmul");
}

// If no template fits, the default schedule is used, and the choice says why.
TEST_P(Templates, FallBackToTheDefault) {
  const auto why = [](const Scheduled& made) {
    std::string all;
    for (const TemplateChoice& choice : made.choices) {
      all += choice.by.empty() ? "" : "by " + choice.by + "; ";
      for (const std::string& reason : choice.not_by) all += reason + "; ";
    }
    return all;
  };
  const Tensor a = Matrix({20, 20}, "A"), x = Matrix({3, 70}, "x");
  EXPECT_NE(why(Check({a, ops::Matmul(a, a)})).find("matmul: not a product of two matrices"),
            std::string::npos);
  const Tensor rows = ops::Softmax(x);
  EXPECT_NE(why(ScheduleProgram({Doubled(rows)->op}, machine()))
                .find("softmax: its result is read by other stages"),
            std::string::npos);
  const Tensor turned = ops::Transpose(Doubled(a));
  EXPECT_EQ(why(Check({a, turned})), "transpose: it reads `doubled`, which is computed; ");
  const ir::Var n = ir::MakeSizeVar("n");
  const Tensor any = te::Placeholder({n, ir::Int(8)}, kFloat, "any");
  EXPECT_EQ(why(ScheduleProgram({ops::Reduce(any, Reduction::kSum, Along::kRows)->op}, machine())),
            "row_reduction: `y` has an extent that is no number above 0; ");
  // An annotation is used only if the program matches it.
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(20), "k");
  const Tensor b = Matrix({20, 20}, "B");
  const Tensor other = te::Compute(
      {ir::Int(20), ir::Int(20)},
      [&](const Indices& i) { return te::Sum(At(a, {i[0], k->var}) * At(b, {i[1], k->var}), {k}); },
      "C", {.attrs = {{"anchor", ir::String("matmul")}}});
  EXPECT_NE(why(Check({a, b, other})).find("its operands are not read as A[i, k] and B[k, j]"),
            std::string::npos);
}

TEST_P(Templates, BlursOfOneRowGetTheDefault) {
  const Tensor x = Matrix({7, 76}, "x");
  EXPECT_EQ(Check({x, ops::BoxBlurs(x, 3)}).choices[0].by, "");
}

TEST_P(Templates, KnobsAreSetAndRecorded) {
  const Tensor a = Matrix({12, 8}, "A"), b = Matrix({8, 64}, "B");
  const Tensor c = ops::Matmul(a, b);
  const Scheduled set = Check({a, b, c}, Config({{"matmul.tile_rows", 3}}));
  const auto knob = [](const Scheduled& made, const std::string& name) {
    for (const KnobValue& value : made.knobs) {
      if (value.name == name) return value;
    }
    return KnobValue();
  };
  EXPECT_EQ(knob(set, "matmul.tile_rows").value, 3);
  const Scheduled plain = Check({a, b, c});
  EXPECT_EQ(knob(plain, "matmul.tile_rows").value, knob(plain, "matmul.tile_rows").otherwise);
  EXPECT_EQ(knob(plain, "matmul.tile_rows").otherwise,
            ChooseRegisterTile(12, 64, machine().Lanes(kFloat), machine()).rows);
  EXPECT_NE(plain.schedule->trace.size(), 0u);
}

// Spaces that a search has something to choose from, and that compute the same with every setting.
TEST_P(Templates, ConvolutionsAndRowsWithOtherKnobs) {
  const int64_t c = machine().Lanes(kFloat);
  const Tensor data = Matrix({1, 2, 5, 6, c}, "data"),
               weight = Matrix({1, 2, 3, 3, c, 2 * c}, "weight");
  const Tensor out = ops::Conv2dNCHWc(data, weight, {1, 1});
  for (const int64_t around : {0, 1}) {
    if (kAddressSanitizer && around == 0) continue;
    for (const int64_t doublings : {0, 1, 3})
      Check({data, weight, out},
            Config({{"conv2d.channel_doublings", doublings}, {"conv2d.window_around", around}}));
    for (const int64_t rows : {1, 2, 3})
      Check({data, weight, out}, Config({{"conv2d.rows", rows}, {"conv2d.columns", 4 - rows}}));
  }
  const Tensor thin = Matrix({3, 2, 3, 3, c, c}, "thin");
  for (const int64_t blocks : {1, 2, 3})
    Check({data, thin, ops::Conv2dNCHWc(data, thin, {2, 1})}, Config({{"conv2d.blocks", blocks}}));
  const Tensor filter = Matrix({2, 3, 3, c}, "filter");
  const Tensor depthwise = ops::DepthwiseConv2dNCHWc(data, filter, {1, 1});
  for (const int64_t loops : {0, 1, 2}) {
    if (kAddressSanitizer && loops != 1) continue;
    for (const int64_t frame : {0, 1, 2})
      Check({data, filter, depthwise}, Config({{"depthwise_conv2d.straight_loops", loops},
                                               {"depthwise_conv2d.frame_near", frame},
                                               {"depthwise_conv2d.columns", 1 + loops}}));
  }
  const Tensor x = Matrix({3, 70}, "x");
  const Config rows({{"softmax.vectors", 1}, {"softmax.reduction_vectors", 4}});
  // Sums in another order, which the evaluator's tolerance does not allow.
  EXPECT_EQ(ScheduleProgram({ops::Softmax(x)->op}, machine(), rows).knobs.size(), 2u);
}

// Blocks of two vectors, of one, and of a half of one; borders within, before and after the tiles.
TEST_P(Templates, ConvolutionsOfAnyBlock) {
  const int64_t lanes = machine().Lanes(kFloat);
  for (const int64_t block : {2 * lanes, lanes, lanes / 2}) {
    for (const int64_t width : {7, 17}) {
      const Tensor data = Matrix({1, 2, 4, width, block}, "data"),
                   filter = Matrix({2, 3, 3, block}, "filter"),
                   weight = Matrix({2, 2, 3, 3, block, block}, "weight");
      for (const int64_t stride : {1, 2}) {
        const Tensor depthwise = ops::DepthwiseConv2dNCHWc(data, filter, {stride, 1});
        EXPECT_EQ(Check({data, filter, depthwise}).choices[0].by, "depthwise_conv2d");
        if (width != 7) continue;
        const Tensor out = ops::Conv2dNCHWc(data, weight, {stride, 1});
        EXPECT_EQ(Check({data, weight, out}).choices[0].by, "conv2d");
      }
    }
  }
}

// Columns that whole vectors do not divide, fewer than a tile and more, on threads.
TEST_P(Templates, FewColumnsWithATail) {
  const int64_t lanes = machine().Lanes(kFloat);
  for (const int64_t columns : {lanes - 1, lanes + 1, 2 * lanes + 3, 5 * lanes + 1}) {
    const Tensor a = Matrix({4, 50, 40}, "A"), b = Matrix({4, 40, columns}, "B");
    EXPECT_EQ(Check({a, b, ops::Matmul(a, b)}).choices[0].by, "matmul");
    const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(40), "k");
    const Tensor c = te::Compute(
        {ir::Int(4), ir::Int(50), ir::Int(columns)},
        [&](const Indices& i) {
          return te::Sum(At(a, {i[0], i[1], k->var}) * At(b, {i[0], k->var, i[2]}), {k});
        },
        "C");
    EXPECT_TRUE(Check({a, b, c}).choices.empty());
  }
}

// Patterns have knobs like templates, and compute the same with every setting.
TEST_P(Templates, PatternsHaveKnobsToo) {
  const Tensor a = Matrix({70, 9}, "A"), b = Matrix({9, 130}, "B");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(9), "k");
  const Tensor c = te::Compute(
      {ir::Int(70), ir::Int(130)},
      [&](const Indices& i) { return te::Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k}); },
      "C");
  const Scheduled made =
      Check({a, b, c}, Config({{"default.tile_rows", 3}, {"default.panels", 1}}));
  EXPECT_TRUE(made.choices.empty());
  EXPECT_TRUE(std::any_of(made.knobs.begin(), made.knobs.end(), [](const KnobValue& knob) {
    return knob.name == "default.tile_rows" && knob.value == 3 && knob.otherwise != 3;
  }));
  const Tensor rows = ops::Reduce(a, Reduction::kSum, Along::kRows);
  Check({a, Doubled(rows)}, Config({{"default.reduction_vectors", 2}}));
}

TEST_P(Templates, KnobsThatNobodyAsksForAreRefused) {
  const Tensor a = Matrix({12, 8}, "A"), b = Matrix({8, 64}, "B");
  const Tensor c = ops::Matmul(a, b);
  const auto refused = [&](Config config) {
    return schedule::ErrorOf([&] { ScheduleProgram({c->op}, machine(), config); }).diagnostic();
  };
  const Diagnostic unknown = refused(Config({{"matmul.tile_row", 3}}));
  EXPECT_EQ(unknown.name, "topi-unknown-knob");
  EXPECT_EQ(unknown.expected,
            "`matmul.tile_rows`, `matmul.tile_vectors`, `matmul.block_tiles`, `matmul.pack`");
  const Diagnostic range = refused(Config({{"matmul.tile_rows", 0}}));
  EXPECT_EQ(range.name, "topi-knob-range");
  EXPECT_EQ(range.expected, "1 to 32");
}

}  // namespace
}  // namespace lathe::topi::cpu
