#include "topi/cpu/transpose_block.h"

#include <string>
#include <utility>
#include <vector>

#include "te/operation.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using ir::Tensor;

// In step b = lanes/2, ..., 2, 1 two rows whose numbers differ in bit b exchange blocks of b lanes.
te::TensorIntrin Declare(const std::string& name, int64_t lanes, DataType dtype) {
  const te::Shape block = {ir::Int(lanes), ir::Int(lanes)};
  const Tensor a = te::Placeholder(block, dtype, "a");
  const Tensor b =
      te::Compute(block, [&](const te::Indices& i) { return te::At(a, {i[1], i[0]}); }, "b");
  const auto strided = [&](const Tensor& tensor, const char* row) {
    return te::IntrinBuffer(tensor, {.strides = {ir::MakeVar(row), ir::Int(1)}});
  };
  const auto body = [&](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
    const DataType vector = dtype.with_lanes(static_cast<int>(lanes));
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
  return te::DeclTensorIntrin(name, b->op, body,
                              {.buffers = {strided(a, "a_stride"), strided(b, "b_stride")}});
}

}  // namespace

te::TensorIntrin TransposeBlock(int64_t lanes, DataType dtype) {
  const std::string name =
      "transpose_" + std::to_string(lanes) + "x" + std::to_string(lanes) + "_" + dtype.ToString();
  return te::FindOrRegisterTensorIntrin(name, "", [&] { return Declare(name, lanes, dtype); });
}

}  // namespace lathe::topi::cpu
