#include "topi/cpu/copy.h"

#include <string>

#include "schedule/primitives/primitives.h"
#include "te/tensor_intrin.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Schedule;

constexpr DataType kFloat = DataType::Float(32);

// A block of lanes x lanes elements transposed in registers: each line of memory is touched once. In
// step b = lanes/2, ..., 2, 1 rows that differ in bit b of their number exchange blocks of b lanes.
// ("Recursive transposition": J. O. Eklundh, "A fast computer method for matrix transposing", 1972.)
te::TensorIntrin TransposeInRegisters(int64_t lanes) {
  const std::string name =
      "transpose_" + std::to_string(lanes) + "x" + std::to_string(lanes) + "_" + kFloat.ToString();
  if (te::TensorIntrin known = te::FindTensorIntrin(name)) return known;
  const te::Shape block = {ir::Int(lanes), ir::Int(lanes)};
  const Tensor a = te::Placeholder(block, kFloat, "a");
  const Tensor b =
      te::Compute(block, [&](const te::Indices& i) { return te::At(a, {i[1], i[0]}); }, "b");
  const auto strided = [&](const Tensor& tensor, const char* row) {
    return te::IntrinBuffer(tensor, {.strides = {ir::MakeVar(row), ir::Int(1)}});
  };
  const auto body = [&](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
    const DataType vector = kFloat.with_lanes(static_cast<int>(lanes));
    const Expr columns = ir::MakeRamp(ir::Int(0), ir::Int(1), static_cast<int>(lanes));
    std::vector<std::pair<ir::Var, Expr>> lets;
    const auto let = [&](const Expr& value) {
      lets.emplace_back(ir::MakeVar("v" + std::to_string(lets.size()), vector), value);
      return lets.back().first;
    };
    std::vector<ir::Var> rows;
    for (int64_t i = 0; i < lanes; ++i) {
      rows.push_back(let(ir::MakeLoad(in[0], {ir::Int(i), columns})));
    }
    for (int64_t bit = lanes / 2; bit > 0; bit /= 2) {
      for (int64_t i = 0; i < lanes; ++i) {
        if ((i & bit) != 0) continue;
        std::vector<int> low, high;  // lanes of the two rows one after the other
        for (int64_t lane = 0; lane < lanes; ++lane) {
          low.push_back(static_cast<int>((lane & bit) != 0 ? lanes + lane - bit : lane));
          high.push_back(static_cast<int>((lane & bit) != 0 ? lanes + lane : lane + bit));
        }
        const std::vector<Expr> pair = {rows[i], rows[i | bit]};
        rows[i] = let(ir::MakeShuffle(pair, low));
        rows[i | bit] = let(ir::MakeShuffle(pair, high));
      }
    }
    std::vector<ir::Stmt> stores;
    for (int64_t i = 0; i < lanes; ++i) {
      stores.push_back(ir::MakeStore(out[0], rows[i], {ir::Int(i), columns}));
    }
    ir::Stmt stmt = ir::MakeSeq(stores);
    for (size_t k = lets.size(); k-- > 0;) {
      stmt = ir::MakeLetStmt(lets[k].first, lets[k].second, stmt);
    }
    return te::IntrinStmts{.body = stmt};
  };
  const te::TensorIntrin intrin = te::DeclTensorIntrin(
      name, b->op, body, {.buffers = {strided(a, "a_stride"), strided(b, "b_stride")}});
  te::RegisterTensorIntrin(intrin);
  return intrin;
}

}  // namespace

Kernel Transpose(int64_t rows, int64_t columns, const CpuMachine& machine) {
  const Tensor x = te::Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
  const Tensor y = te::Compute(
      {ir::Int(columns), ir::Int(rows)},
      [&](const te::Indices& i) { return te::At(x, {i[1], i[0]}); }, "y");
  Schedule s = schedule::CreateSchedule({y->op});
  const int64_t lanes = machine.Lanes(kFloat);
  const bool whole = rows % lanes == 0 && columns % lanes == 0;
  auto t = schedule::Tile(s[y], AxisOf(y, 0), AxisOf(y, 1), lanes, lanes);
  // Along rows of y: it is written in order.
  if (WorthThreads(static_cast<double>(rows * columns))) schedule::Parallel(s[y], t.x_outer);
  // Lines are written whole, one vector each; in two parts they would be written twice.
  if (machine.vector_bytes >= 64) {
    StreamResults(s[y], t.x_outer, rows * columns * kFloat.bytes(), machine);
  }
  if (whole) {
    schedule::Tensorize(s[y], t.x_inner, TransposeInRegisters(lanes));
  } else {
    schedule::Unroll(s[y], schedule::Split(s[y], t.x_inner, 4).second);
    schedule::Vectorize(s[y], t.y_inner);
  }
  return {s, {x, y}};
}

Kernel ConcatColumns(int64_t rows, const std::vector<int64_t>& columns, const CpuMachine& machine) {
  std::vector<Tensor> args;
  int64_t total = 0;
  for (const int64_t extent : columns) {
    args.push_back(te::Placeholder({ir::Int(rows), ir::Int(extent)}, kFloat,
                                   "x" + std::to_string(args.size())));
    total += extent;
  }
  const Tensor y = te::Compute(
      {ir::Int(rows), ir::Int(total)},
      [&](const te::Indices& i) {
        int64_t begin = total;
        Expr out;
        for (size_t k = columns.size(); k-- > 0;) {
          begin -= columns[k];
          const Expr element = te::At(args[k], {i[0], i[1] - begin});
          out = !out ? element : ir::IfThenElse(i[1] >= begin + columns[k], out, element);
        }
        return out;
      },
      "y");
  Schedule s = schedule::CreateSchedule({y->op});
  if (WorthThreads(static_cast<double>(rows * total))) schedule::Parallel(s[y], AxisOf(y, 0));
  StreamResults(s[y], AxisOf(y, 0), rows * total * kFloat.bytes(), machine);
  VectorizeInner(s[y], AxisOf(y, 1), 1, machine.Lanes(kFloat));
  args.push_back(y);
  return {s, args};
}

}  // namespace lathe::topi::cpu
