// Axes of which one element is computed at a time: a batch of one, and the time of a scan.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "te/operation.h"
#include "tests/topi/auto_scheduled.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using te::At;
using te::Compute;
using te::Indices;
using te::Placeholder;
using te::ReduceAxis;
using te::Tensor;

constexpr DataType kFloat = DataType::Float(32);

std::string TraceOf(const std::vector<ir::Op>& ops, const std::vector<Tensor>& args) {
  target::Machine machine;
  machine.vector_bytes = 64;
  machine.vector_registers = 32;
  return ir::ToText(
      schedule::ToProgram(AutoSchedule(ops, machine), {args.begin(), args.end()}, "program"));
}

// C[1, m, n] is broadcast as C[0, i, j]: the factor is multiplied on the tile of sums.
std::vector<Tensor> BatchOfOne() {
  const Tensor a = Placeholder({ir::Int(1), ir::Int(48), ir::Int(64)}, kFloat, "A");
  const Tensor b = Placeholder({ir::Int(64), ir::Int(64)}, kFloat, "B");
  const Tensor factor = Placeholder({ir::Int(64)}, kFloat, "F");
  const IterVar k = ReduceAxis(ir::Int(0), ir::Int(64), "k");
  const Tensor c = Compute(
      a->shape(),
      [&](const Indices& i) {
        return te::Sum(At(a, {i[0], i[1], k->var}) * At(b, {k->var, i[2]}), {k});
      },
      "C");
  const Tensor d = Compute(
      a->shape(),
      [&](const Indices& i) { return At(c, {ir::Int(0), i[1], i[2]}) * At(factor, {i[2]}); }, "D");
  return {a, b, factor, d};
}

TEST(AutoSchedule, WhatFollowsABatchOfOneIsComputedOnItsTiles) {
  const std::vector<Tensor> args = BatchOfOne();
  const std::string text = TraceOf({args[3]->op}, args);
  EXPECT_NE(text.find("compute_at(axis=D."), std::string::npos) << text;
}

TEST_P(AutoScheduled, BatchOfOne) { Check(BatchOfOne()); }

// h[t] = R h[t - 1]: a step is a product of a matrix and a vector, whose rows are summed up as they
// are stored.
std::vector<Tensor> Recurrence() {
  const te::Shape shape{ir::Int(4), ir::Int(1), ir::Int(64)};
  const Tensor r = Placeholder({ir::Int(64), ir::Int(64)}, kFloat, "R");
  const Tensor first = Placeholder({ir::Int(1), ir::Int(1), ir::Int(64)}, kFloat, "first");
  const Tensor state = Placeholder(shape, kFloat, "h");
  const IterVar k = ReduceAxis(ir::Int(0), ir::Int(64), "k");
  const Tensor part = Compute(
      shape,
      [&](const Indices& i) {
        return te::Sum(At(state, {i[0] - 1, i[1], k->var}) * At(r, {i[2], k->var}), {k});
      },
      "part");
  const Tensor start = Compute(
      {ir::Int(1), ir::Int(1), ir::Int(64)},
      [&](const Indices& i) { return At(first, {i[0], i[1], i[2]}); }, "start");
  const Tensor next = Compute(
      shape, [&](const Indices& i) { return At(part, {i[0], i[1], i[2]}) * ir::Float(0.0625F); },
      "next");
  return {r, first, te::Scan({start}, {next}, {state}, {r}, "steps")[0]};
}

TEST(AutoSchedule, StepsOfAScanShareNothing) {
  const std::vector<Tensor> args = Recurrence();
  const std::string text = TraceOf({args[2]->op}, args);
  EXPECT_NE(text.find("rfactor"), std::string::npos) << text;
  EXPECT_EQ(text.find("cache_read"), std::string::npos) << text;
}

TEST_P(AutoScheduled, Recurrence) { Check(Recurrence()); }

// One row times a matrix in `panels` of 32 columns, by itself or in each step of a scan.
std::vector<Tensor> RowTimesPanels(int64_t panels, bool steps) {
  const int64_t depth = panels * 32;
  const te::Shape row{ir::Int(steps ? 4 : 1), ir::Int(1), ir::Int(depth)};
  const Tensor r = Placeholder({ir::Int(panels), ir::Int(depth), ir::Int(32)}, kFloat, "R");
  const Tensor x = Placeholder(row, kFloat, "x");
  const IterVar k = ReduceAxis(ir::Int(0), ir::Int(depth), "k");
  const Tensor part = Compute(
      {row[0], ir::Int(1), ir::Int(panels), ir::Int(32)},
      [&](const Indices& i) {
        const ir::Expr t = steps ? i[0] - 1 : ir::Expr(i[0]);
        return te::Sum(At(x, {t, i[1], k->var}) * At(r, {i[2], k->var, i[3]}), {k});
      },
      "part");
  if (!steps) return {r, x, part};
  const Tensor first = Placeholder({ir::Int(1), ir::Int(1), ir::Int(depth)}, kFloat, "first");
  const Tensor start = Compute(
      first->shape(), [&](const Indices& i) { return At(first, {i[0], i[1], i[2]}); }, "start");
  const Tensor next = Compute(
      row,
      [&](const Indices& i) {
        const ir::Expr panel = ir::FloorDivide(i[2], 32), column = ir::FloorModulo(i[2], 32);
        return At(part, {i[0], i[1], panel, column}) * ir::Float(0.0625F);
      },
      "next");
  return {r, first, te::Scan({start}, {next}, {x}, {r}, "steps")[0]};
}

// The panels are all that can be shared out: no thread takes most of them at once.
TEST(AutoSchedule, RowsOfOneKernelAreEnoughForThreads) {
  for (const bool steps : {false, true}) {
    const std::vector<Tensor> args = RowTimesPanels(64, steps);
    const std::string text = TraceOf({args[2]->op}, args);
    EXPECT_NE(text.find("split(axis=part.k.data.outer, factor=1i64)"), std::string::npos) << text;
    EXPECT_NE(text.find("parallel(axis=part"), std::string::npos) << text;
  }
}

TEST_P(AutoScheduled, RowTimesPanels) {
  for (const bool steps : {false, true}) Check(RowTimesPanels(2, steps));
}

}  // namespace
}  // namespace lathe::topi::cpu
