// Pools: windows of a few elements, in blocks of channels and in planes. Beside them maps whose
// conditions the outer loops decide, and maps over planes of odd sizes.
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "te/operation.h"
#include "tests/topi/auto_scheduled.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using te::At;
using te::Compute;
using te::Indices;
using te::Placeholder;
using te::Tensor;

constexpr DataType kFloat = DataType::Float(32);

struct PoolCase {
  std::vector<int64_t> shape;  // of the input
  size_t rows, columns;        // its dimensions along which windows move
  int64_t window, stride, before;
  bool is_max, has_reader;
};

// The arguments: input and result.
std::vector<Tensor> Pool(const PoolCase& c) {
  te::Shape in, out;
  for (size_t d = 0; d < c.shape.size(); ++d) {
    in.push_back(ir::Int(c.shape[d]));
    const bool moves = d == c.rows || d == c.columns;
    out.push_back(
        ir::Int(moves ? (c.shape[d] + 2 * c.before - c.window) / c.stride + 1 : c.shape[d]));
  }
  const Tensor x = Placeholder(in, kFloat, "x");
  const ir::IterVar ky = te::ReduceAxis(ir::Int(0), ir::Int(c.window), "ky"),
                    kx = te::ReduceAxis(ir::Int(0), ir::Int(c.window), "kx");
  const Tensor pool = Compute(
      out,
      [&](const Indices& i) {
        std::vector<Expr> at(i.begin(), i.end());
        at[c.rows] = at[c.rows] * c.stride + ky->var - c.before;
        at[c.columns] = at[c.columns] * c.stride + kx->var - c.before;
        const Expr inside =
            ir::LogicalAnd(ir::LogicalAnd(at[c.rows] >= 0, at[c.rows] < in[c.rows]),
                           ir::LogicalAnd(at[c.columns] >= 0, at[c.columns] < in[c.columns]));
        const Expr outside = ir::Float(c.is_max ? -1e30 : 0);
        const Expr value = c.before == 0 ? At(x, at) : ir::IfThenElse(inside, At(x, at), outside);
        return c.is_max ? te::Max(value, {ky, kx}) : te::Sum(value, {ky, kx});
      },
      "pool");
  if (!c.has_reader) return {x, pool};
  return {x, Compute(
                 out,
                 [&](const Indices& i) {
                   return At(pool, {i.begin(), i.end()}) * ir::Float(0.25) + ir::Float(1);
                 },
                 "y")};
}

std::string TextOf(const std::vector<Tensor>& args) {
  target::Machine machine;
  machine.vector_bytes = 64;
  machine.vector_registers = 32;
  return ir::ToText(schedule::ToProgram(AutoSchedule({args.back()->op}, machine),
                                        {args.begin(), args.end()}, "program"));
}

TEST_P(AutoScheduled, RandomPools) {
  std::mt19937 random(5);
  const auto below = [&](int n) {
    return static_cast<int64_t>(random() % static_cast<unsigned>(n));
  };
  for (int round = 0; round < 16; ++round) {
    PoolCase c;
    c.window = 2 + below(4), c.stride = 1 + below(3), c.before = below(2);
    c.is_max = below(2) == 0, c.has_reader = below(2) == 0;
    const int64_t height = c.window + below(9), width = c.window + below(36);
    switch (round % 4) {
      case 0:  // blocks of channels
        c.shape = {1, 1 + below(4), height, width, int64_t{4} << below(4)};
        c.rows = 2, c.columns = 3;
        break;
      case 1:  // planes
        c.shape = {1 + below(2), 1 + below(4), height, width};
        c.rows = 2, c.columns = 3;
        break;
      case 2:  // channels last
        c.shape = {1, height, width, 1 + below(36)};
        c.rows = 1, c.columns = 2;
        break;
      default:  // windows that move across channels, too
        c.shape = {height, 1 + below(20), width};
        c.rows = 0, c.columns = 2;
    }
    const std::vector<Tensor> args = Pool(c);
    SCOPED_TRACE("round " + std::to_string(round) + "\n" + TextOf(args));
    Check(args);
  }
}

// The window is straight code, and no vector of the inner tiles has a condition.
TEST(AutoSchedule, PoolsAreTiles) {
  const std::string text = TextOf(Pool({{1, 4, 56, 56, 32}, 2, 3, 3, 2, 1, true, false}));
  EXPECT_NE(text.find("unroll"), std::string::npos) << text;
  EXPECT_NE(text.find("loop_partition_hint"), std::string::npos) << text;
}

// Rows of `a`, then those of `b`.
std::vector<Tensor> Concatenated(int64_t planes, int64_t rows_a, int64_t rows_b, int64_t width) {
  const Tensor a = Placeholder({ir::Int(planes), ir::Int(rows_a), ir::Int(width)}, kFloat, "a"),
               b = Placeholder({ir::Int(planes), ir::Int(rows_b), ir::Int(width)}, kFloat, "b");
  const Tensor both = Compute(
      {ir::Int(planes), ir::Int(rows_a + rows_b), ir::Int(width)},
      [&](const Indices& i) {
        return ir::IfThenElse(i[1] < rows_a, At(a, {i[0], i[1], i[2]}),
                              At(b, {i[0], i[1] - rows_a, i[2]}));
      },
      "both");
  return {a, b, both};
}

TEST_P(AutoScheduled, Concatenations) {
  Check(Concatenated(8, 3, 1, 64));
  Check(Concatenated(2, 3, 5, 17));
  EXPECT_NE(TextOf(Concatenated(8, 128, 1, 64)).find("loop_partition_hint"), std::string::npos);
}

// Three neighbouring channels of planes of an odd size: rows and columns are one loop.
TEST_P(AutoScheduled, PlanesAreOneLoop) {
  for (const int64_t size : {3, 7, 11}) {
    const Tensor x =
        Placeholder({ir::Int(2), ir::Int(5), ir::Int(size), ir::Int(size)}, kFloat, "x");
    const Tensor y = Compute(
        {ir::Int(2), ir::Int(5), ir::Int(size), ir::Int(size)},
        [&](const Indices& i) {
          const auto near = [&](int64_t k) {
            const Expr at = ir::MakeMax(ir::MakeMin(i[1] + k, ir::Int(4)), ir::Int(0));
            return At(x, {i[0], at, i[2], i[3]});
          };
          return near(-1) + near(0) * near(1);
        },
        "y");
    Check({x, y});
    EXPECT_NE(TextOf({x, y}).find("fuse"), std::string::npos);
  }
}

}  // namespace
}  // namespace lathe::topi::cpu
