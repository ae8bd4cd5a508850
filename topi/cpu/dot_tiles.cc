// Tensor intrinsics of x86's AMX. (Intel 64 Architectures Software Developer's Manual, volume 2:
// LDTILECFG, TILELOADD, TDPBUSD, TDPBF16PS, TILESTORED, TILERELEASE.)
#include <algorithm>
#include <string>
#include <vector>

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "topi/cpu/dot_intrinsics.h"

namespace lathe::topi::cpu {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::Int;
using ir::Stmt;

// Tiles 0 to 3 hold sums (two by two), 4 and 5 hold a, 6 and 7 hold b. A whole tile has 16 rows of
// 64 bytes. Tiles with sums or with a may have fewer rows.
constexpr int kTileRows = 16, kTileBytes = 64, kTileColumns = 16;
constexpr int64_t kBlockRows = 2 * kTileRows;

Stmt Do(const char* function, std::vector<ir::NodeRef> args) {
  args.insert(args.begin(), ir::String(function));
  return ir::MakeEvaluate(ir::CallIntrinsic(
      DataType::Void(), ir::intrinsic::kLlvmIntrinsicWithEffects, std::move(args)));
}
Expr Tile(int number) { return Int(number, DataType::Int(8)); }
Expr Wide(int64_t value) { return Int(value, DataType::Int(64)); }

enum Access { kRead = 1, kWrite = 2 };
Expr Address(const Buffer& flat, const Expr& offset, const Expr& extent, Access access) {
  return ir::CallIntrinsic(DataType::Handle(), ir::intrinsic::kAccessPtr,
                           {flat, offset, extent, Int(access)});
}

// The operand's memory as one dimension of `size` elements.
Buffer Flat(const Buffer& operand, const Expr& size) {
  return ir::MakeBuffer(operand->name + "_flat", operand->dtype, {size});
}

// A product of up to 32 rows of a and b's 32 columns.
class Block {
 public:
  // `first` row of a and c, and so many rows: up to 16 in the upper tiles, the rest in the lower.
  Block(const TileRow& row, Expr first, int64_t rows)
      : row_(row),
        first_(std::move(first)),
        upper_(static_cast<int>(std::min<int64_t>(rows, kTileRows))),
        lower_(static_cast<int>(rows) - upper_) {}

  // Loads the shapes of the tiles, in LDTILECFG's format: the palette in byte 0, bytes per row from
  // byte 16 on (16 bits each), numbers of rows from byte 48 on.
  std::vector<Stmt> Configured(const Buffer& config) const {
    const DataType byte = DataType::UInt(8);
    const auto fill = [&](int from, int stride, int lanes, int value) {
      return ir::MakeStore(config, ir::Const(value, byte.with_lanes(lanes)),
                           {ir::MakeRamp(Int(from), Int(stride), lanes)});
    };
    std::vector<Stmt> stmts = {
        fill(0, 1, 64, 0),
        ir::MakeStore(config, ir::Const(1, byte), {Int(0)}),
        fill(16, 2, 8, kTileBytes),
        fill(48, 1, 8, kTileRows),
    };
    // A tile that is not used stays whole: 0 rows of 64 bytes would be no valid shape.
    const int below = lower_ == 0 ? kTileRows : lower_;
    for (const auto& [tile, rows] :
         {std::pair{0, upper_}, {1, upper_}, {4, upper_}, {2, below}, {3, below}, {5, below}}) {
      if (rows == kTileRows) continue;
      stmts.push_back(ir::MakeStore(config, ir::Const(rows, byte), {Int(48 + tile)}));
    }
    stmts.push_back(Do("llvm.x86.ldtilecfg", {Address(config, Int(0), Int(kTileBytes), kRead)}));
    return stmts;
  }

  // c = a b over `steps` steps. `stride_a` is the distance of a's rows in elements.
  Stmt Multiplied(const Buffer& a, const Expr& stride_a, const Buffer& b, const Buffer& c,
                  int64_t steps) const {
    const int halves = lower_ == 0 ? 1 : 2;
    const int64_t group = row_.group(), depth = row_.depth();
    const int64_t columns = 2 * kTileColumns;
    const auto rows_of = [&](int half) { return half == 0 ? upper_ : lower_; };
    std::vector<Stmt> all;
    for (int t = 0; t < 2 * halves; ++t) all.push_back(Do("llvm.x86.tilezero", {Tile(t)}));

    const ir::Var step = ir::MakeVar("step");
    std::vector<Stmt> products;
    const auto load_b = [&](int half) {
      const int64_t from = half * kTileColumns * group, line = columns * group;
      products.push_back(Do("llvm.x86.tileloadd64",
                            {Tile(6 + half),
                             Address(b, Expr(step) * (kTileRows * line) + Int(from),
                                     Int((kTileRows - 1) * line + kTileColumns * group), kRead),
                             Wide(columns * 4)}));
    };
    for (int half = 0; half < halves; ++half) {
      const Expr row = first_ + half * kTileRows;
      products.push_back(Do("llvm.x86.tileloadd64",
                            {Tile(4 + half),
                             Address(a, row * stride_a + Expr(step) * depth,
                                     stride_a * Int(rows_of(half) - 1) + Int(depth), kRead),
                             ir::MakeCast(DataType::Int(64), stride_a) * Wide(row_.a.bytes())}));
      for (int side = 0; side < 2; ++side) {
        if (half == 0) load_b(side);
        products.push_back(
            Do(row_.function, {Tile(2 * half + side), Tile(4 + half), Tile(6 + side)}));
      }
    }
    all.push_back(
        ir::MakeFor(step, Int(0), Int(steps), ir::ForKind::kSerial, ir::MakeSeq(products)));

    for (int t = 0; t < 2 * halves; ++t) {
      const Expr from = (first_ + (t / 2) * kTileRows) * columns + Int((t % 2) * kTileColumns);
      all.push_back(
          Do("llvm.x86.tilestored64",
             {Tile(t), Address(c, from, Int((rows_of(t / 2) - 1) * columns + kTileColumns), kWrite),
              Wide(columns * row_.sum.bytes())}));
    }
    return ir::MakeSeq(all);
  }

 private:
  const TileRow& row_;
  const Expr first_;
  const int upper_, lower_;
};

te::TensorIntrin Declare(const TileRow& row, const std::string& name, int64_t rows, int64_t steps) {
  const int64_t group = row.group(), groups = steps * kTileRows;
  const ir::IterVar q = te::ReduceAxis(Int(0), Int(groups), "q"),
                    r = te::ReduceAxis(Int(0), Int(group), "r");
  const te::Tensor a = te::Placeholder({Int(rows), Int(groups * group)}, row.a, "a");
  const te::Tensor b =
      te::Placeholder({Int(groups), Int(kTileBlockColumns), Int(group)}, row.b, "b");
  const te::Tensor c = te::Compute(
      {Int(rows), Int(kTileBlockColumns)},
      [&](const te::Indices& i) {
        return te::Sum(
            ir::MakeCast(row.sum, te::At(a, {i[0], Expr(q->var) * group + Expr(r->var)})) *
                ir::MakeCast(row.sum, te::At(b, {q->var, i[1], r->var})),
            {q, r});
      },
      "c");
  const ir::Var stride = ir::MakeVar("a_stride");
  const auto body = [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
    const Buffer fa = Flat(in[0], Expr(stride) * Int(rows - 1) + Int(groups * group)),
                 fb = Flat(in[1], Int(groups * kTileBlockColumns * group)),
                 fc = Flat(out[0], Int(rows * kTileBlockColumns));
    const Buffer config = ir::MakeBuffer("tile_config", DataType::UInt(8), {Int(kTileBytes)});
    std::vector<Stmt> all;
    const auto add = [&](const Block& block, const ir::Var& p, int64_t blocks) {
      for (const Stmt& stmt : block.Configured(config)) all.push_back(stmt);
      const Stmt product = block.Multiplied(fa, stride, fb, fc, steps);
      all.push_back(p ? ir::MakeFor(p, Int(0), Int(blocks), ir::ForKind::kSerial, product)
                      : product);
    };
    const int64_t whole = rows / kBlockRows, rest = rows % kBlockRows;
    if (whole > 0) {
      const ir::Var p = ir::MakeVar("p");
      add({row, Expr(p) * kBlockRows, kBlockRows}, p, whole);
    }
    if (rest > 0) add({row, Int(whole * kBlockRows), rest}, {}, 1);
    all.push_back(Do("llvm.x86.tilerelease", {}));
    Stmt stmt = ir::MakeAllocate(config, ir::MakeSeq(all));
    stmt = ir::MakeDeclBuffer(fc, out[0]->data, stmt);
    stmt = ir::MakeDeclBuffer(fb, in[1]->data, stmt);
    return te::IntrinStmts{
        .body = ir::MakeDeclBuffer(fa, in[0]->data, stmt), .reset = {}, .update = {}};
  };
  return te::DeclTensorIntrin(
      name, c->op, body,
      {.buffers = {te::IntrinBuffer(a, {.strides = {stride, Int(1)}}), nullptr, nullptr}});
}

}  // namespace

te::TensorIntrin TileIntrin(const TileRow& row, int64_t rows, int64_t steps) {
  const std::string name = std::string(row.name) + "." + std::to_string(rows) + "x" +
                           std::to_string(kTileBlockColumns) + "x" +
                           std::to_string(row.depth() * steps);
  return te::FindOrRegisterTensorIntrin(name, "", [&] { return Declare(row, name, rows, steps); });
}

int64_t TileRowsOf(int64_t m, int64_t most) {
  int64_t best = 1;
  double most_used = 0;
  for (int64_t rows = std::min(m, most); rows >= 1; --rows) {
    if (m % rows != 0) continue;
    // Loading the tiles' shapes costs as much as some rows.
    const int64_t paid = (rows + kTileRows - 1) / kTileRows * kTileRows + 4;
    const double used = static_cast<double>(rows) / static_cast<double>(paid);
    if (used > most_used) best = rows, most_used = used;
  }
  return best;
}

}  // namespace lathe::topi::cpu
