// Tensor intrinsics that multiply and add small blocks: dot products of 8-bit integers and of
// bfloat16, and tiles of them. See docs/design/dot-intrinsics.md.
//
// A block computes c[i, j] = sum over k of a[i, k] * b[j, k]. It has `rows` x `columns` x `depth`
// products and sums in the wider type `sum`. There is one table per architecture (dot_x86.cc,
// dot_aarch64.cc); a new instruction is a new row of a table.
//
// Every row is a tensor intrinsic (te/tensor_intrin.h) with a reset and an update. It is registered
// under its name for all targets. a is rows x depth: if `rows` is 1 the rows may be any distance
// apart, else a is compact. b is [columns, depth] and c is [rows, columns]; both are compact. The
// statements name LLVM's function. If the processor lacks it, compiling fails with "llvm-refused".
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
// Gives the sums after one step. All arguments are vectors of all elements: the sums row by row, a
// (if `rows` is 1, its one row is repeated for each column) and b.
using DotStep = ir::Expr (*)(const DotRow& row, const ir::Expr& sums, const ir::Expr& a,
                             const ir::Expr& b);

struct DotRow {
  const char* name;
  const char* features;  // all are needed; LLVM's names: "avx512vnni,avx512vl"
  DataType a, b, sum;
  int rows, columns, depth;
  int instructions;  // per step, about; ChooseDot wants the most products per instruction
  DotStep step;
  const char* function;  // LLVM's name of the operation
  DataType operand;      // the type in which that operation takes a and b
};

// Steps that call one of LLVM's functions: CallStep row.function(sums, a, b), TurnedStep
// row.function(sums, b, a).
ir::Expr CallStep(const DotRow& row, const ir::Expr& sums, const ir::Expr& a, const ir::Expr& b);
ir::Expr TurnedStep(const DotRow& row, const ir::Expr& sums, const ir::Expr& a, const ir::Expr& b);

std::span<const DotRow> X86DotRows();
std::span<const DotRow> AArch64DotRows();

// The tensor intrinsic of a row. Thread-safe.
te::TensorIntrin DotIntrin(const DotRow& row);

// The row multiplied by ones, c[j] = sum over k of b[j * depth + k]. The elements of b are in one
// dimension, as in a row of a matrix. Only for rows with `rows` 1. Registered as "<name of the
// row>.ones". Thread-safe.
te::TensorIntrin SumIntrin(const DotRow& row);

// Tiles of x86's AMX: blocks of up to 32 x 32 sums, in four tiles. k is a multiple of 64 bytes.
struct TileRow {
  const char* name;
  const char* features;
  DataType a, b, sum;
  const char* function;  // LLVM's name of the product of tiles

  int group() const { return 32 / a.bits(); }  // adjacent elements of k in b
  int depth() const { return 512 / a.bits(); }
};
inline constexpr int64_t kTileBlockColumns = 32;
std::span<const TileRow> X86TileRows();

// c[i, j] = sum over q, r of a[i, q * group + r] * b[q, j, r]
//
// computes `rows` rows of 32 sums over `steps` steps of k (`depth` elements each) in blocks of 32
// rows; the last block may have fewer. The shapes of the tiles are loaded once for all whole
// blocks, and the sums of a block stay in tiles for all steps. The rows of a may be any distance
// apart; b and c are compact. Registered under "<name of the row>.<rows>x32x<k>". Thread-safe.
te::TensorIntrin TileIntrin(const TileRow& row, int64_t rows, int64_t steps);
// Of the numbers of rows that divide m and are at most `most` the one for which TileIntrin takes
// the least time for each row.
int64_t TileRowsOf(int64_t m, int64_t most);

// The instruction for a product of given types. The sums have type int32, or float32 for bfloat16.
struct DotChoice {
  const DotRow* dot = nullptr;  // at most one of `dot` and `tile` is set
  const TileRow* tile = nullptr;
  // If set, b must be given as uint8, with the highest bit of each element flipped. That adds 128
  // to every element of b, and so 128 times the sum of a's row to each result. This row sums up the
  // rows of a (SumIntrin).
  const DotRow* sums_of_a = nullptr;

  bool found() const { return dot != nullptr || tile != nullptr; }
  bool shifted() const { return sums_of_a != nullptr; }
};
// Tiles need not have all of their rows: from so many on they are faster than vectors.
inline constexpr int64_t kLeastTileRows = 8;
// Chooses for an m x n product. A block of vectors is no larger than the product.
DotChoice ChooseDot(DataType a, DataType b, int64_t m, int64_t n, const target::Machine& machine);

// The 8-bit type that one-row dot products of this machine multiply with int8 (unshifted), if they
// do more products per instruction than float32 has lanes; else void.
DataType FastDotData(const target::Machine& machine);

// Adjacent elements of k that this machine's one-row dot products of bfloat16 take; 0 if it has
// none.
int64_t Bfloat16Group(const target::Machine& machine);

// Puts all rows of the tables into the registry of tensor intrinsics. Thread-safe; a second call
// does nothing.
void RegisterDotIntrins();

}  // namespace lathe::topi::cpu
