// Schedules for GPUs, as people write them: what the tests of the target cuda compile and run.
#pragma once

#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "te/operation.h"

namespace lathe {

struct Case {
  std::string name;
  schedule::Schedule schedule;
  std::vector<ir::NodeRef> args;
  std::vector<int64_t> sizes;  // of symbolic extents, in order of appearance
};

// C = A * B + 1, `lanes` elements a thread at once, blocks of 128 threads.
Case Elementwise(const std::string& name, DataType type, int lanes, int64_t n);
// The same for n known at the call only.
Case ElementwiseOfAnySize(int64_t n);
// C = A @ B with tiles of both in shared memory and `per_thread` squared elements of C a thread, in
// `threads` squared threads. `shared`: the scope of the tiles; n of 0: symbolic, `sizes` says.
struct GemmOptions {
  int64_t n = 64, threads = 8, per_thread = 4, step = 8;
  std::string shared = "shared";
  bool virtual_threads = false;
  DataType type = DataType::Float(32);
  std::vector<int64_t> sizes;
  int64_t stages = 1;  // more: that many tiles at once, by asynchronous copies
};
Case Gemm(const std::string& name, const GemmOptions& options);
// C[i] = A[i] * T[i % 5], T a table in the kernel.
Case TableLookup(int64_t n);
// Sums of rows, each by 128 threads together.
Case RowSums(int64_t rows, int64_t columns);
// C = A @ B^T of int8 into int32, four products at once (intrinsic cuda.dp4a).
Case Int8Gemm(int64_t n);

// C = A @ B of float16 or bfloat16 into float32 on tensor cores: warps of 8 x 4 threads, 2 x 2
// elements each (intrinsics cuda.mma_f16, cuda.mma_bf16), blocks of `warps` warps. `stages` as
// above.
Case MmaGemm(const std::string& name, DataType type, int64_t n, int64_t warps, int64_t stages = 1);

// C = A @ B of float32 as it should be: 8 x 16 elements a thread, warps of 8 x 4 threads, tiles of
// `rows` x `columns` that lie in shared memory in the order in which warps read them, 16 bytes a
// thread without bank conflicts. The sizes are multiples of the tiles'. `group`: so many rows of
// tiles are computed side by side, one column of tiles after the other; 0: row by row. `copied`:
// elements that a thread copies at once, 4 or 1; `unrolled`: steps of k that stand in the loop's
// body.
struct TiledOptions {
  int64_t n = 128, rows = 128, columns = 128, step = 16, stages = 3, group = 0, copied = 4,
          unrolled = 16;
};
Case TiledGemm(const std::string& name, const TiledOptions& options);

// C = A @ B of float16 or bfloat16 into float32 by warps with tiles of `warp_rows` x `warp_columns`
// each (intrinsics cuda.mma_*_m<rows>n<columns>), blocks of `rows` x `columns`, `stages` of `step`
// at once.
struct MmaTileOptions {
  DataType type = DataType::Float(16);
  int64_t n = 128, rows = 128, columns = 128, warp_rows = 64, warp_columns = 64, step = 32,
          stages = 3, group = 0;
};
Case MmaTileGemm(const std::string& name, const MmaTileOptions& options);

// C = A @ B^T of float16 or bfloat16 into float32 on Hopper's tensor cores (intrinsics
// cuda.wgmma_*, cuda.tma_*): tiles of 64 * `groups` x `columns` by warpgroups of 4 x 8 x 4 threads,
// whose operands the tensor memory accelerator brings to shared memory, `stages` at once.
struct WgmmaOptions {
  DataType type = DataType::Float(16);
  int64_t m = 128, n = 128, k = 128, columns = 64, groups = 1, stages = 2, group = 0;
};
Case WgmmaGemm(const std::string& name, const WgmmaOptions& options);

// All of them, small enough for the interpreter.
std::vector<Case> AllCases();

}  // namespace lathe
