// Chains of stencils without a schedule. They get sliding windows if they are too large for a
// cache.
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

INSTANTIATE_TEST_SUITE_P(Machines, AutoScheduled, kAutoScheduledMachines, AutoScheduledName);

// Chains of maps over [planes, height, width]. Each map reads neighbours in the one before. Some
// divide, some have a frame of zeros, some are so cheap that they are inlined, and some are read by
// two others.
class Stencils {
 public:
  explicit Stencils(unsigned seed) : random_(seed) {}
  std::vector<Tensor> Make() {
    if (Below(3) == 0) lead_ = {ir::Int(2)};
    const int stages = 2 + Below(3);
    height_ = 16 + Below(40), width_ = 64 + Below(70);
    const Tensor x = Placeholder(Shape(), kFloat, "x");
    std::vector<Tensor> chain = {x};
    for (int k = 0; k < stages; ++k) chain.push_back(Stage(chain, "s" + std::to_string(k)));
    return {x, chain.back()};
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  te::Shape Shape() const {
    te::Shape shape = lead_;
    shape.insert(shape.end(), {ir::Int(height_), ir::Int(width_)});
    return shape;
  }
  static Expr Near(const Tensor& tensor, const Indices& i, int64_t rows, int64_t columns) {
    std::vector<Expr> at(i.begin(), i.end());
    at[at.size() - 2] = at[at.size() - 2] + rows;
    at.back() = at.back() + columns;
    return At(tensor, at);
  }
  Tensor Stage(const std::vector<Tensor>& chain, const std::string& name) {
    const Tensor in = chain.back();
    const te::ComputeOptions options{
        .axis_names = lead_.empty() ? std::vector<std::string>{"i", "j"}
                                    : std::vector<std::string>{"plane", "i", "j"}};
    switch (Below(5)) {
      case 0:
        return Compute(
            Shape(), [&](const Indices& i) { return Near(in, i, 0, 0) / ir::Float(4); }, name,
            options);
      case 1:
        return Compute(
            Shape(), [&](const Indices& i) { return Near(in, i, 0, 0) + ir::Float(1); }, name,
            options);
      case 2:  // zero outside
        return Compute(
            Shape(),
            [&](const Indices& i) {
              const Expr row = i[i.size() - 2], column = i[i.size() - 1];
              const auto inside = [](const Expr& at, int64_t extent) {
                return ir::LogicalAnd(at >= 0, at < extent);
              };
              Expr sum;
              for (int64_t dy : {-1, 0, 1}) {
                for (int64_t dx : {-1, 1}) {
                  const Expr value = ir::IfThenElse(
                      ir::LogicalAnd(inside(row + dy, height_), inside(column + dx, width_)),
                      Near(in, i, dy, dx), ir::Float(0));
                  sum = sum ? sum + value : value;
                }
              }
              return sum;
            },
            name, options);
      default: {
        const int64_t down = Below(3), across = Below(3);
        height_ -= down, width_ -= across;
        const Tensor other = chain[static_cast<size_t>(Below(static_cast<int>(chain.size())))];
        return Compute(
            Shape(),
            [&](const Indices& i) {
              Expr sum = Near(other, i, down, 0);
              for (int64_t dy = 0; dy <= down; ++dy) {
                for (int64_t dx = 0; dx <= across; ++dx)
                  sum = sum + Near(in, i, dy, dx) * ir::Float(0.5 + static_cast<double>(dx));
              }
              return sum;
            },
            name, options);
      }
    }
  }

  std::mt19937 random_;
  te::Shape lead_;
  int64_t height_ = 0, width_ = 0;
};

TEST_P(AutoScheduled, RandomStencils) {
  l2_bytes_ = 4096;
  int rolling = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Tensor> args = Stencils(seed).Make();
    Check(args);
    const schedule::Schedule s = Of({args[1]});
    const std::string text = ir::ToText(schedule::ToProgram(s, {args[0], args[1]}, "f"));
    rolling += text.find("rolling_buffer") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(rolling, 8);
}

TEST_P(AutoScheduled, StencilsOfAnySize) {
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  const Tensor x = Placeholder({n + 4, m + 4}, kFloat, "x");
  const auto blur = [&](const Tensor& in, int64_t frame, const std::string& name) {
    return Compute(
        {n + frame, m + frame},
        [&](const Indices& i) {
          Expr sum = ir::Float(0);
          for (int64_t k = 0; k < 9; ++k) sum = sum + At(in, {i[0] + k / 3, i[1] + k % 3});
          return sum;
        },
        name);
  };
  const Tensor y = blur(blur(x, 2, "first"), 0, "y");
  EXPECT_EQ(Of({y})->FindByName("first")->attach, schedule::AttachKind::kScope);
  Check({x, y}, 1, {n, m}, {{0, 0}, {1, 1}, {0, 70}, {20, 70}, {140, 33}});
}

// Stages that fit into a cache as a whole are computed one after the other.
TEST_P(AutoScheduled, SmallStencilsAreNotFused) {
  const Tensor x = Placeholder({ir::Int(36), ir::Int(70)}, kFloat, "x");
  const auto blur = [](const Tensor& in, const std::string& name) {
    const auto take = [](const Expr& extent) { return ir::Int(*ir::AsConstInt(extent) - 2); };
    return Compute(
        {take(in->shape()[0]), take(in->shape()[1])},
        [&](const Indices& i) {
          Expr sum = ir::Float(0);
          for (int64_t k = 0; k < 9; ++k) sum = sum + At(in, {i[0] + k / 3, i[1] + k % 3});
          return sum;
        },
        name);
  };
  const Tensor y = blur(blur(x, "first"), "y");
  EXPECT_EQ(Of({y})->FindByName("first")->attach, schedule::AttachKind::kRoot);
  Check({x, y});
  l2_bytes_ = 4096;
  EXPECT_EQ(Of({y})->FindByName("first")->attach, schedule::AttachKind::kScope);
  Check({x, y});
}

}  // namespace
}  // namespace lathe::topi::cpu
