// Tensor intrinsics that multiply and add small blocks: dot products of 8-bit integers and of
// bfloat16, and tiles of them. docs/design/dot-intrinsics.md.
//
// A block: c[i, j] = sum over k of a[i, k] * b[j, k], `rows` x `columns` x `depth`, in the wider
// type `sum`. One table per architecture (dot_x86.cc, dot_aarch64.cc); a new instruction is a new
// row.
//
// Every row is a tensor intrinsic (te/tensor_intrin.h) with a reset and an update, registered by
// its name for the target kind `llvm`: a is rows x depth with rows any distance apart where there
// is but one, else compact; b is [columns, depth] and c [rows, columns], both compact. Its
// statements name LLVM's function; for a processor that lacks it compiling fails with
// "llvm-refused".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "target/machine.h"
#include "te/tensor_intrin.h"

namespace lathe::topi::cpu {

struct DotRow;
// The sums after one step, from vectors of all elements: sums in rows, a (its one row repeated for
// each column where rows is 1), b.
using DotStep = ir::Expr (*)(const DotRow& row, const ir::Expr& sums, const ir::Expr& a,
                             const ir::Expr& b);

struct DotRow {
  const char* name;
  const char* features;  // all are needed, as LLVM names them: "avx512vnni,avx512vl"
  DataType a, b, sum;
  int rows, columns, depth;
  int instructions;  // of one step, about; the row with the most products for each is chosen
  DotStep step;
  const char* function;  // LLVM's name of the operation
  DataType operand;      // as which type that takes a and b
};

// Steps that are one of LLVM's functions: row.function(sums, a, b), row.function(sums, b, a).
ir::Expr CallStep(const DotRow& row, const ir::Expr& sums, const ir::Expr& a, const ir::Expr& b);
ir::Expr TurnedStep(const DotRow& row, const ir::Expr& sums, const ir::Expr& a, const ir::Expr& b);

std::span<const DotRow> X86DotRows();
std::span<const DotRow> AArch64DotRows();

// The tensor intrinsic of a row. Thread-safe.
te::TensorIntrin DotIntrin(const DotRow& row);

// A row of one row beside ones, c[j] = sum over k of b[j * depth + k]: b's elements in one
// dimension, as they lie in a row of a matrix. Registered as "<name of the row>.ones". Thread-safe.
te::TensorIntrin SumIntrin(const DotRow& row);

// Tiles of X86's AMX: blocks of 32 x 32 sums, in four tiles, over a multiple of 64 bytes of k.
struct TileRow {
  const char* name;
  const char* features;
  DataType a, b, sum;
  const char* function;  // LLVM's name of the product of tiles

  int group() const { return 32 / a.bits(); }  // elements of k side by side in b
  int depth() const { return 512 / a.bits(); }
};
inline constexpr int64_t kTileRows = 32, kTileColumns = 32, kTileGroups = 16;
std::span<const TileRow> X86TileRows();

// c[p, i, j] = sum over ko, kq, kr of a[p, ko, i, kq * group + kr] * b[ko, kq, j, kr]
//
// for `blocks` blocks of 32 rows (p) and `steps` steps of k (ko), kq < 16: the shape of the tiles
// is loaded once, and the sums of a block stay in tiles for all steps. All operands are compact.
// Registered under "<name of the row>.<32 blocks>x32x<k>". Thread-safe.
te::TensorIntrin TileIntrin(const TileRow& row, int64_t blocks, int64_t steps);

// Which instruction a product of these types is made of. The sum's type is int32, or float32 for
// bfloat16.
struct DotChoice {
  const DotRow* dot = nullptr;  // at most one of the two
  const TileRow* tile = nullptr;
  // If set, b is to be given as uint8, its bits as they are but the highest turned over. That adds
  // 128 to every b, and so 128 times the sum of a's row to each result. This row adds a's up
  // (SumIntrin).
  const DotRow* sums_of_a = nullptr;

  bool found() const { return dot != nullptr || tile != nullptr; }
  bool shifted() const { return sums_of_a != nullptr; }
};
// For an m x n product: no block is larger than that.
DotChoice ChooseDot(DataType a, DataType b, int64_t m, int64_t n, const target::Machine& machine);

// Puts all rows into the registry of tensor intrinsics. Thread-safe; a second call does nothing.
void RegisterDotIntrins();

}  // namespace lathe::topi::cpu
