// Loop partition, vectors, unrolling, empty extents: S21-S23, S50.
#include "gtest/gtest.h"
#include "tests/semantics/program.h"

namespace lathe::semantics {
namespace {

std::string Map(const std::string& value, const std::string& steps) {
  return R"(program f {
  var n: size
  placeholder A: float32[n]
  compute B[i in range(n)] = A[i] * 2.0
  compute C[i in range(n)] = )" +
         value + "\n  args [A, C]\n  schedule {\n" + steps + "\n  }\n}\n";
}
const std::vector<std::vector<int64_t>> kSizes = {{0}, {1}, {3}, {8}, {17}};

// A known fault of other compilers: a piece of negative extent wrote memory before the array.
TEST(Semantics, S21_PiecesHaveNoNegativeExtent) {
  const std::string program = Map("B[i] + 1.0",
                                  "C.o, C.x = split(axis=C.i, factor=8)\n"
                                  "compute_inline(stage=B)");
  EXPECT_GE(Count(Tile(program), "for i.outer"), 2u) << Tile(program);
  ExpectRuns(program, kSizes);
}

TEST(Semantics, S21_ConstantLoopsAreCutOnlyWhereVectorsWouldBeMasked) {
  const std::string plain = R"(program f {
  placeholder A: float32[10]
  compute C[i in range(10)] = A[i] + 1.0
  args [A, C]
  schedule {
    C.o, C.x = split(axis=C.i, factor=4)
  }
})";
  EXPECT_EQ(Count(Tile(plain), "for i.outer"), 1u) << Tile(plain);
  ExpectRuns(plain);
}

TEST(Semantics, S22_AConditionBecomesAMask) {
  const std::string program = Map("if_then_else(i >= 2 and i < n - 1, B[i - 2] + B[i + 1], 5.0)",
                                  "C.o, C.x = split(axis=C.i, factor=4)\n"
                                  "vectorize(axis=C.i.inner)");
  ExpectRuns(program, kSizes);
}

TEST(Semantics, S22_NestedVectorsRunSerially) {
  ExpectRuns(R"(program f {
  var n: size
  placeholder A: int32[n, 8]
  compute C[i in range(n), j in range(8)] = A[i, j] + j
  args [A, C]
  schedule {
    C.o, C.x = split(axis=C.i, factor=4)
    vectorize(axis=C.i.inner)
    vectorize(axis=C.j)
  }
})",
             {{0}, {1}, {6}});
}

TEST(Semantics, S22_MemoryWithinGrowsByTheLanes) {
  ExpectRuns(R"(program f {
  placeholder A: int32[8, 5]
  compute B[i in range(8), j in range(5)] = A[i, j] * 3
  compute C[i in range(8), j in range(5)] = B[i, 4 - j] + 1
  args [A, C]
  schedule {
    compute_at(axis=C.i, stage=B)
    vectorize(axis=C.i)
  }
})");
}

TEST(Semantics, S23_ExplicitRequestsAreUnrolled) {
  const std::string program = R"(program f {
  placeholder A: float32[12]
  compute C[i in range(12)] = A[i] + 1.0
  args [A, C]
  schedule {
    C.o, C.x = split(axis=C.i, factor=4)
    unroll(axis=C.i.inner)
  }
})";
  EXPECT_FALSE(Has(Flat(program), "unrolled")) << Flat(program);
  EXPECT_FALSE(Has(Flat(program), "for i.inner")) << Flat(program);
  ExpectRuns(program);
  EXPECT_TRUE(Refusal(Map("B[i] + 1.0", "unroll(axis=C.i)")).starts_with("unroll-extent"));
}

// A known fault of other compilers: a division by a fused loop's extent of 0, and by a factor of 0.
TEST(Semantics, S50_EmptyExtentsWork) {
  ExpectRuns(R"(program f {
  var n: size
  var m: size
  placeholder A: int32[n, m]
  compute B[i in range(n), j in range(m)] = A[i, j] + 1
  compute C[i in range(n)] over [k in range(m)] = sum(B[i, k], axis=[k])
  args [A, C]
  schedule {
    B.i.j.fused = fuse(axes=(list<handle>("B.i", "B.j")), stage=B)
    B.o, B.x = split(axis=B.i.j.fused, factor=4)
    C.o, C.x = split(axis=C.k, factor=8)
  }
})",
             {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {3, 9}});
}

TEST(Semantics, S50_RankZeroWorks) {
  ExpectRuns(R"(program f {
  placeholder A: int32[]
  compute B[] = A[] * 2
  compute C[] over [k in range(4)] = sum(B[] + k, axis=[k])
  args [A, C]
  schedule {
    B.singleton = fuse(axes=(list<handle>()), stage=B)
  }
})");
}

}  // namespace
}  // namespace lathe::semantics
