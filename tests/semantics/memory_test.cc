// Memory and index arithmetic: S26-S29, S41.
#include "gtest/gtest.h"
#include "tests/semantics/program.h"

namespace lathe::semantics {
namespace {

// A known fault of other compilers: a stage reused memory whose neighbouring elements it still
// read.
TEST(Semantics, S26_MemoryIsReusedOnlyWhereNothingReadsItAnyMore) {
  const std::string program = R"(program f {
  placeholder A: float32[64]
  compute B[i in range(64)] = A[i] * 2.0
  compute C[i in range(64)] = B[63 - i] + 1.0
  compute D[i in range(64)] = C[i] * C[63 - i]
  compute E[i in range(64)] = D[63 - i] + 3.0
  args [A, E]
})";
  // D reuses the memory of B. C is read while D is written.
  EXPECT_EQ(Count(Tile(program), "allocate "), 3u) << Tile(program);
  EXPECT_EQ(Count(Flat(program), "allocate "), 2u) << Flat(program);
  ExpectRuns(program);
}

// A known fault of other compilers: both arms were evaluated, and the one not taken read A[-1].
TEST(Semantics, S27_AnArmWithAnUnsafeLoadIsNotEvaluated) {
  const std::string program = R"(program f {
  var n: size
  placeholder A: float32[n]
  compute C[i in range(n)] = select(i >= 1, A[i - 1], 0.0)
  compute D[i in range(n)] = select(A[i] > 0.0, A[i], 0.0)
  args [A, C, D]
})";
  const std::string loops = Loops(program);
  EXPECT_EQ(Count(loops, "if_then_else("), 1u) << loops;
  EXPECT_EQ(Count(loops, "select("), 1u) << loops;
  ExpectRuns(program, {{0}, {1}, {7}});
}

// A known fault of other compilers: (i - 3) / 2 was truncated, so that two indices met at 0.
TEST(Semantics, S28_IndicesRoundDownAndUsersTruncate) {
  ExpectRuns(R"(program f {
  placeholder A: int32[12]
  compute B[i in range(12)] = A[(i - 5) // 2 + 3]
  compute C[i in range(12)] = A[(i - 5) % 12]
  compute D[i in range(12)] = truncdiv(A[i] - 2, 3) * 100 + truncmod(A[i] - 2, 3)
  args [A, B, C, D]
  schedule {
    B.o, B.x = split(axis=B.i, factor=5)
    C.o, C.x = split(axis=C.i, factor=4)
    vectorize(axis=C.i.inner)
  }
})");
}

// A known fault of other compilers: offsets of tensors with more than 2^31 elements became
// negative.
TEST(Semantics, S29_OffsetsThatMayPass32BitsAreWide) {
  const std::string large = R"(program f {
  placeholder A: int8[70000, 70000]
  compute C[i in range(70000), j in range(70000)] = A[i, j]
  args [A, C]
})";
  EXPECT_TRUE(Has(Flat(large), "int64(i) * 70000")) << Flat(large);
  const std::string small = R"(program f {
  placeholder A: int8[700, 700]
  compute C[i in range(700), j in range(700)] = A[i, j]
  args [A, C]
})";
  EXPECT_FALSE(Has(Flat(small), "int64(i)")) << Flat(small);
}

TEST(Semantics, S41_SmallMemoryIsOnTheStackAndTheRestInTheWorkspace) {
  const std::string program = R"(program f {
  var n: size
  placeholder A: float32[n, 16]
  compute B[i in range(n), j in range(16)] = A[i, j] * 2.0
  compute C[i in range(n), j in range(16)] = B[i, 15 - j] + 1.0
  args [A, C]
  schedule {
    )";
  const std::string whole = program + "\n  }\n}\n";
  EXPECT_TRUE(Has(Flat(whole), "workspace_alloc")) << Flat(whole);
  EXPECT_TRUE(Has(Flat(whole), "workspace_free")) << Flat(whole);
  const std::string row = program + "compute_at(axis=C.i, stage=B)\n  }\n}\n";
  EXPECT_FALSE(Has(Flat(row), "workspace_alloc")) << Flat(row);
  // What is open at the same time counts: two rows of 12,000 bytes, one after the other.
  const std::string rows = R"(program f {
  placeholder A: float32[2, 3000]
  compute B[i in range(2), j in range(3000)] = A[i, j] * 2.0
  compute C[i in range(2), j in range(3000)] = B[i, 2999 - j] + 1.0
  compute D[i in range(2), j in range(3000)] = A[i, j] * 3.0
  compute E[i in range(2), j in range(3000)] = D[i, 2999 - j] + 1.0
  args [A, C, E]
  schedule {
    compute_at(axis=C.i, stage=B)
    compute_at(axis=E.i, stage=D)
  }
})";
  EXPECT_FALSE(Has(Flat(rows), "workspace_alloc")) << Flat(rows);
  // Each parallel region has its own arguments.
  const std::string regions = program + "parallel(axis=C.i)\nparallel(axis=B.i)\n  }\n}\n";
  EXPECT_EQ(Count(Flat(regions), "stack_slots"), 2u) << Flat(regions);
  ExpectRuns(whole, {{0}, {3}});
  ExpectRuns(regions, {{0}, {7}});
  ExpectRuns(rows, {{}});
}

}  // namespace
}  // namespace lathe::semantics
