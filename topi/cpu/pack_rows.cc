#include "topi/cpu/pack_rows.h"

#include <string>

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"

namespace lathe::topi::cpu {

using ir::Expr;

namespace {

te::TensorIntrin Declare(const std::string& name, int64_t rows, int64_t columns, DataType dtype,
                         bool turned) {
  const DataType packed = turned ? DataType::UInt(8) : dtype;
  const auto element = [&](const Expr& value) { return turned ? TurnHighestBit(value) : value; };
  const te::Tensor a = te::Placeholder({ir::Int(rows), ir::Int(columns)}, dtype, "a");
  const te::Tensor b = te::Compute(
      {ir::Int(columns), ir::Int(rows)},
      [&](const te::Indices& i) { return element(te::At(a, {i[1], i[0]})); }, "b");
  const auto body = [&](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
    const int size = static_cast<int>(rows * columns);
    std::vector<Expr> vectors;  // each holds `side` rows, element by element
    for (int64_t r = 0; r < rows; ++r) {
      vectors.push_back(ir::MakeLoad(
          in[0], {ir::Int(r), ir::MakeRamp(ir::Int(0), ir::Int(1), static_cast<int>(columns))}));
    }
    // Two vectors at a time, because processors shuffle two.
    for (int64_t side = 1; side < rows; side *= 2) {
      std::vector<int> order;
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t r = 0; r < side; ++r) order.push_back(static_cast<int>(j * side + r));
        for (int64_t r = 0; r < side; ++r)
          order.push_back(static_cast<int>((columns + j) * side + r));
      }
      std::vector<Expr> pairs;
      for (size_t v = 0; v < vectors.size(); v += 2)
        pairs.push_back(ir::MakeShuffle({vectors[v], vectors[v + 1]}, order));
      vectors = std::move(pairs);
    }
    const ir::Buffer flat = ir::MakeBuffer("b_flat", packed, {ir::Int(size)});
    return te::IntrinStmts{
        .body = ir::MakeDeclBuffer(
            flat, out[0]->data,
            ir::MakeStore(flat, element(vectors[0]), {ir::MakeRamp(ir::Int(0), ir::Int(1), size)})),
        .reset = {},
        .update = {}};
  };
  return te::DeclTensorIntrin(
      name, b->op, body,
      {.buffers = {te::IntrinBuffer(a, {.strides = {ir::MakeVar("a_stride"), ir::Int(1)}}),
                   te::IntrinBuffer(b)}});
}

}  // namespace

te::TensorIntrin PackRowsIntrin(int64_t rows, int64_t columns, DataType dtype, bool turned) {
  const std::string name = "pack_rows_" + std::to_string(rows) + "x" + std::to_string(columns) +
                           "_" + dtype.ToString() + (turned ? "_turned" : "");
  return te::FindOrRegisterTensorIntrin(
      name, "", [&] { return Declare(name, rows, columns, dtype, turned); });
}

Expr TurnHighestBit(const Expr& value) {
  const DataType byte = DataType::UInt(8).with_lanes(value->dtype.lanes());
  const Expr bits = ir::CallIntrinsic(byte, ir::intrinsic::kReinterpret, {value});
  return ir::CallIntrinsic(ir::intrinsic::kBitwiseXor, {bits, ir::Const(0x80, byte)});
}

}  // namespace lathe::topi::cpu
