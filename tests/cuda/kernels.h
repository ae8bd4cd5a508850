// Schedules for GPUs, as people write them. The tests of the target cuda compile and run them.
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
  std::vector<int64_t> sizes;  // values of the symbolic extents, in order of appearance
};

// C = A * B + 1. Each thread computes `lanes` elements at once. Blocks have 128 threads.
Case Elementwise(const std::string& name, DataType type, int lanes, int64_t n);
// The same, with n known only at the call.
Case ElementwiseOfAnySize(int64_t n);
// C = A @ B with tiles of both in shared memory. Blocks have `threads` x `threads` threads, each of
// which computes `per_thread` x `per_thread` elements of C. `shared` is the scope of the tiles. If
// n is 0, it is symbolic, and `sizes` gives its values.
struct GemmOptions {
  int64_t n = 64, threads = 8, per_thread = 4, step = 8;
  std::string shared = "shared";
  bool virtual_threads = false;
  DataType type = DataType::Float(32);
  std::vector<int64_t> sizes;
  int64_t stages = 1;  // above 1: that many tiles at once, by asynchronous copies
};
Case Gemm(const std::string& name, const GemmOptions& options);
// C[i] = A[i] * T[i % 5], where T is a constant table in the kernel.
Case TableLookup(int64_t n);
// Sums of rows. 128 threads compute each sum together.
Case RowSums(int64_t rows, int64_t columns);
// C = A @ B^T of int8 into int32, four products at once (intrinsic cuda.dp4a).
Case Int8Gemm(int64_t n);

// C = A @ B of float16 or bfloat16 into float32 on tensor cores: warps of 8 x 4 threads, each with
// 2 x 2 elements (intrinsics cuda.mma_f16, cuda.mma_bf16), in blocks of `warps` warps. `stages` as
// above.
Case MmaGemm(const std::string& name, DataType type, int64_t n, int64_t warps, int64_t stages = 1);

// C = A @ B of float32, scheduled for speed. Each thread has 8 x 16 elements, each warp has 8 x 4
// threads. Tiles of `rows` x `columns` lie in shared memory in the order in which warps read them:
// 16 bytes a thread, without bank conflicts. n must be a multiple of the tile sizes. `group`: this
// many rows of tiles are computed side by side, one column of tiles after the other; 0: row by row.
// `copied`: elements that a thread copies at once, 4 or 1. `unrolled`: steps of k in the body of
// the loop.
struct TiledOptions {
  int64_t n = 128, rows = 128, columns = 128, step = 16, stages = 3, group = 0, copied = 4,
          unrolled = 16;
};
Case TiledGemm(const std::string& name, const TiledOptions& options);

// C = A @ B of float16 or bfloat16 into float32. Each warp computes a tile of `warp_rows` x
// `warp_columns` (intrinsics cuda.mma_*_m<rows>n<columns>), each block `rows` x `columns`. `stages`
// tiles of `step` steps of k are in flight at once.
struct MmaTileOptions {
  DataType type = DataType::Float(16);
  int64_t n = 128, rows = 128, columns = 128, warp_rows = 64, warp_columns = 64, step = 32,
          stages = 3, group = 0;
};
Case MmaTileGemm(const std::string& name, const MmaTileOptions& options);

// C = A @ B^T of float16 or bfloat16 into float32 on Hopper's tensor cores (intrinsics
// cuda.wgmma_*, cuda.tma_*): tiles of 64 * `groups` x `columns`, computed by warpgroups of 4 x 8 x
// 4 threads. The tensor memory accelerator copies the operands to shared memory, `stages` tiles at
// once.
struct WgmmaOptions {
  DataType type = DataType::Float(16);
  int64_t m = 128, n = 128, k = 128, columns = 64, groups = 1, stages = 2, group = 0;
};
Case WgmmaGemm(const std::string& name, const WgmmaOptions& options);

// All cases, small enough for the interpreter.
std::vector<Case> AllCases();

}  // namespace lathe
