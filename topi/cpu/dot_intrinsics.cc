#include "topi/cpu/dot_intrinsics.h"

#include <sstream>

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/rewrite.h"

namespace lathe::topi::cpu {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;

// For all targets: a processor has the instructions if it has the features.
constexpr const char* kTarget = "";

// A compact operand, with its elements in one dimension.
struct Flat {
  explicit Flat(const Buffer& operand) : operand(operand) {
    for (const Expr& extent : operand->shape) size *= *ir::AsConstInt(extent);
    buffer = ir::MakeBuffer(operand->name + "_flat", operand->dtype, {ir::Int(size)});
  }
  Expr all() const { return ir::MakeRamp(ir::Int(0), ir::Int(1), static_cast<int>(size)); }
  Expr load() const { return ir::MakeLoad(buffer, {all()}); }
  Stmt store(const Expr& value) const { return ir::MakeStore(buffer, value, {all()}); }
  Stmt around(const Stmt& body) const { return ir::MakeDeclBuffer(buffer, operand->data, body); }

  Buffer operand, buffer;
  int64_t size = 1;
};

Expr AsType(DataType dtype, const Expr& value) {
  return dtype == value->dtype ? value
                               : ir::CallIntrinsic(dtype, ir::intrinsic::kReinterpret, {value});
}

// Repeats the elements of a vector, once for each of `columns` columns.
Expr ForEachColumn(const Expr& row, int columns) {
  const DataType type = row->dtype;
  const DataType whole = DataType::Int(type.bits() * type.lanes());
  return AsType(type.with_lanes(type.lanes() * columns),
                ir::MakeBroadcast(AsType(whole, row), columns));
}

te::TensorIntrin Declare(const DotRow& row) {
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(row.depth), "k");
  const te::Tensor a = te::Placeholder({ir::Int(row.rows), ir::Int(row.depth)}, row.a, "a");
  const te::Tensor b = te::Placeholder({ir::Int(row.columns), ir::Int(row.depth)}, row.b, "b");
  const te::Tensor c = te::Compute(
      {ir::Int(row.rows), ir::Int(row.columns)},
      [&](const te::Indices& i) {
        return te::Sum(ir::MakeCast(row.sum, te::At(a, {i[0], k->var})) *
                           ir::MakeCast(row.sum, te::At(b, {i[1], k->var})),
                       {k});
      },
      "c");
  const auto body = [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
    const Flat fa(in[0]), fb(in[1]), fc(out[0]);
    const Expr elements = row.rows == 1 ? ForEachColumn(fa.load(), row.columns) : fa.load();
    const Expr sums = row.step(row, fc.load(), elements, fb.load());
    const DataType type = row.sum.with_lanes(static_cast<int>(fc.size));
    return te::IntrinStmts{.body = {},
                           .reset = fc.around(fc.store(ir::Const(0, type))),
                           .update = fa.around(fb.around(fc.around(fc.store(sums))))};
  };
  return te::DeclTensorIntrin(row.name, c->op, body, {});
}

te::TensorIntrin DeclareSum(const DotRow& row, const std::string& name) {
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(row.depth), "k");
  const te::Tensor b = te::Placeholder({ir::Int(row.columns * row.depth)}, row.b, "b");
  const te::Tensor c = te::Compute(
      {ir::Int(row.columns)},
      [&](const te::Indices& i) {
        return te::Sum(ir::MakeCast(row.sum, te::At(b, {i[0] * row.depth + Expr(k->var)})), {k});
      },
      "c");
  const auto body = [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
    const Flat fb(in[0]), fc(out[0]);
    const DataType all = row.a.with_lanes(row.columns * row.depth);
    const Expr sums = row.step(row, fc.load(), ir::Const(1, all), fb.load());
    return te::IntrinStmts{
        .body = {},
        .reset = fc.around(fc.store(ir::Const(0, row.sum.with_lanes(row.columns)))),
        .update = fb.around(fc.around(fc.store(sums)))};
  };
  return te::DeclTensorIntrin(name, c->op, body, {});
}

bool HasAll(const target::Machine& machine, const char* features) {
  std::istringstream list(features);
  for (std::string feature; std::getline(list, feature, ',');) {
    if (!machine.Has(feature)) return false;
  }
  return true;
}

std::span<const DotRow> RowsOf(const target::Machine& machine) {
  switch (machine.architecture) {
    case target::Architecture::kX86:
      return X86DotRows();
    case target::Architecture::kAArch64:
      return AArch64DotRows();
    case target::Architecture::kOther:
      break;
  }
  return {};
}

// The row that sums up elements of `row`'s a, as many at a time as `row` multiplies; null if there
// is none.
const DotRow* RowThatAdds(const DotRow& row, const target::Machine& machine) {
  for (const DotRow& adds : RowsOf(machine)) {
    if (adds.b == row.a && adds.rows == 1 && adds.columns == row.columns &&
        adds.depth == row.depth && adds.sum == row.sum && HasAll(machine, adds.features))
      return &adds;
  }
  return nullptr;
}

}  // namespace

Expr CallStep(const DotRow& row, const Expr& sums, const Expr& a, const Expr& b) {
  return ir::CallIntrinsic(
      sums->dtype, ir::intrinsic::kLlvmIntrinsic,
      {ir::String(row.function), sums, AsType(row.operand, a), AsType(row.operand, b)});
}

Expr TurnedStep(const DotRow& row, const Expr& sums, const Expr& a, const Expr& b) {
  return CallStep(row, sums, b, a);
}

te::TensorIntrin DotIntrin(const DotRow& row) {
  return te::FindOrRegisterTensorIntrin(row.name, kTarget, [&] { return Declare(row); });
}

te::TensorIntrin SumIntrin(const DotRow& row) {
  const std::string name = std::string(row.name) + ".ones";
  return te::FindOrRegisterTensorIntrin(name, kTarget, [&] { return DeclareSum(row, name); });
}

DotChoice ChooseDot(DataType a, DataType b, int64_t m, int64_t n, const target::Machine& machine) {
  DotChoice best;
  if (machine.architecture == target::Architecture::kX86 && m >= kLeastTileRows &&
      n >= kTileBlockColumns) {
    for (const TileRow& row : X86TileRows()) {
      if (row.a == a && row.b == b && HasAll(machine, row.features)) best.tile = &row;
    }
    if (best.tile != nullptr) return best;
  }
  const DataType sum = b == DataType::Int(8) ? DataType::Int(32) : DataType::Float(32);
  double most = 0;
  for (const DotRow& row : RowsOf(machine)) {
    const bool shifted = b == DataType::Int(8) && row.b == DataType::UInt(8) && row.rows == 1;
    if (row.a != a || (row.b != b && !shifted) || row.sum != sum) continue;
    if (!HasAll(machine, row.features)) continue;
    if (row.columns * row.rows * row.sum.bytes() > machine.vector_bytes) continue;
    if (row.rows > m || row.columns > n) continue;
    const DotRow* sums_of_a = shifted ? RowThatAdds(row, machine) : nullptr;
    if (shifted && sums_of_a == nullptr) continue;
    // A shift costs a pass over a, so it must gain more than that.
    const double speed = static_cast<double>(row.rows * row.columns * row.depth) /
                         row.instructions * (shifted ? 0.75 : 1);
    if (speed <= most) continue;
    most = speed;
    best = {&row, nullptr, sums_of_a};
  }
  return best;
}

DataType FastDotData(const target::Machine& machine) {
  const int64_t lanes = machine.Lanes(DataType::Float(32));
  DataType best = DataType::Void();
  int64_t most = lanes;
  for (const DataType data : {DataType::UInt(8), DataType::Int(8)}) {
    const DotChoice choice = ChooseDot(data, DataType::Int(8), 1, lanes, machine);
    if (choice.dot == nullptr || choice.shifted()) continue;
    const int64_t products = choice.dot->columns * choice.dot->depth / choice.dot->instructions;
    if (products > most) best = data, most = products;
  }
  return best;
}

int64_t Bfloat16Group(const target::Machine& machine) {
  const DataType bf16 = DataType::BFloat16();
  const DotChoice choice = ChooseDot(bf16, bf16, 1, machine.Lanes(DataType::Float(32)), machine);
  return choice.dot == nullptr ? 0 : choice.dot->depth;
}

void RegisterDotIntrins() {
  for (const std::span<const DotRow> rows : {X86DotRows(), AArch64DotRows()}) {
    for (const DotRow& row : rows) DotIntrin(row);
  }
}

}  // namespace lathe::topi::cpu
