// Bounds and predicates: S1-S11, S46.
#include "gtest/gtest.h"
#include "tests/semantics/program.h"

namespace lathe::semantics {
namespace {

// Copies a vector of `extent` elements with the given steps.
std::string Copy(const std::string& extent, const std::string& steps) {
  return "program f {\n  var n: size\n  placeholder A: float32[" + extent +
         "]\n  compute C[i in range(" + extent + ")] = A[i] + 1.0\n  args [" +
         (extent.find('n') == std::string::npos ? "n, " : "") + "A, C]\n  schedule {\n" + steps +
         "\n  }\n}\n";
}

// A known fault of other compilers: a split that does not divide wrote past the end. A pass that
// took ceil(n / 4) * 4 for n had dropped the guard.
TEST(Semantics, S01_SplitThatDoesNotDivideIsGuarded) {
  const std::string uneven = Copy("10", "C.a, C.b = split(axis=C.i, factor=4)");
  EXPECT_TRUE(Has(Loops(uneven), "likely(")) << Loops(uneven);
  ExpectRuns(uneven, {{0}});
  EXPECT_FALSE(Has(Loops(Copy("12", "C.a, C.b = split(axis=C.i, factor=4)")), "likely("));
  const std::string symbolic = Copy("n", "C.a, C.b = split(axis=C.i, factor=4)");
  EXPECT_TRUE(Has(Loops(symbolic), "< n"));
  ExpectRuns(symbolic, {{0}, {1}, {4}, {9}});
}

TEST(Semantics, S01_TheGuardFlowsUpThroughFuse) {
  const std::string program = R"(program f {
  placeholder A: float32[3, 5]
  compute C[i in range(3), j in range(5)] = A[i, j] + 1.0
  args [A, C]
  schedule {
    C.i.j.fused = fuse(axes=(list<handle>("C.i", "C.j")), stage=C)
    C.a, C.b = split(axis=C.i.j.fused, factor=4)
  }
})";
  EXPECT_TRUE(Has(Loops(program), "< 15")) << Loops(program);
  ExpectRuns(program);
}

TEST(Semantics, S02_ARegionBeyondTheDomainIsGuardedOnBothSides) {
  const std::string program = R"(program f {
  placeholder A: float32[8]
  compute B[i in range(8)] = A[i] * 2.0
  compute C[i in range(8)] = if_then_else(i >= 1 and i < 7, B[i - 1] + B[i + 1], 0.0)
  args [A, C]
  schedule {
    C.i.outer, C.i.inner = split(axis=C.i, factor=3)
    compute_at(axis=C.i.outer, stage=B)
  }
})";
  const std::string loops = Loops(program);
  EXPECT_GE(Count(loops, "likely("), 2u) << loops;
  ExpectRuns(program);
}

TEST(Semantics, S03_BoundGuardsAreLikelyAndConditionsAreNot) {
  EXPECT_TRUE(Has(Loops(Copy("10", "C.a, C.b = split(axis=C.i, factor=4)")), "if likely("));
  const std::string where = R"(program f {
  placeholder A: float32[4, 6]
  compute C[i in range(4)] over [k in range(6)] = sum(A[i, k], axis=[k], where=k >= i)
  args [A, C]
})";
  EXPECT_TRUE(Has(Loops(where), "if ")) << Loops(where);
  EXPECT_FALSE(Has(Loops(where), "likely(")) << Loops(where);
}

// A known fault of other compilers: the initialisation had no guard, stored out of bounds and
// crashed.
TEST(Semantics, S04_TheInitialisationIsGuardedToo) {
  const std::string program = R"(program f {
  placeholder A: float32[10, 6]
  compute C[i in range(10)] over [k in range(6)] = sum(A[i, k], axis=[k])
  args [A, C]
  schedule {
    C.i.outer, C.i.inner = split(axis=C.i, factor=4)
    reorder(axes=(list<handle>("C.i.outer", "C.k", "C.i.inner")), stage=C)
  }
})";
  const std::string loops = Loops(program);
  EXPECT_EQ(Count(loops, "likely("), 2u) << loops;
  EXPECT_LT(Position(loops, "likely("), Position(loops, "= 0.0"));
  ExpectRuns(program);
}

TEST(Semantics, S05_InnerExtentsAreTightenedButNeverToNothing) {
  const std::string wide = Copy("10", "C.a, C.b = split(axis=C.i, factor=64)");
  EXPECT_FALSE(Has(Loops(wide), "likely(")) << Loops(wide);
  EXPECT_FALSE(Has(Loops(wide), "64")) << Loops(wide);
  // A factor of 0 would cause a division by zero.
  ExpectRuns(Copy("0", "C.a, C.b = split(axis=C.i, factor=64)"), {{0}});
  // A thread axis keeps its extent, because other stages share it.
  const std::string bound = Copy("10",
                                 "C.i.outer, C.i.inner = split(axis=C.i, factor=64)\n"
                                 "bind(axis=C.i.inner, thread=threadIdx.x)");
  EXPECT_TRUE(Has(Loops(bound), "64")) << Loops(bound);
}

TEST(Semantics, S06_LoopsCountFromZero) {
  const std::string program = R"(program f {
  placeholder A: float32[20]
  compute B[i in range(20)] = A[i] * 2.0
  compute C[i in range(4)] = B[i + 8]
  args [A, C]
})";
  EXPECT_EQ(Infer(program, "B").min, "8");
  EXPECT_EQ(Infer(program, "B").extent, "4");
  EXPECT_TRUE(Has(Loops(program), "A[i + 8]")) << Loops(program);
  ExpectRuns(program);
}

// A known fault of other compilers: a tile of a fused loop that crosses from one row to the next
// got the columns of one row only.
TEST(Semantics, S07_FuseThenSplitWrapsRows) {
  const std::string program = R"(program f {
  placeholder A: int32[4, 5]
  compute B[i in range(4), j in range(5)] = A[i, j] * 2
  compute C[i in range(4), j in range(5)] = B[i, j] + 1
  args [A, C]
  schedule {
    C.i.j.fused = fuse(axes=(list<handle>("C.i", "C.j")), stage=C)
    C.outer, C.inner = split(axis=C.i.j.fused, factor=3)
    compute_at(axis=C.i.j.fused.outer, stage=B)
  }
})";
  EXPECT_EQ(Infer(program, "B", 1).extent, "5");
  ExpectRuns(program);
}

TEST(Semantics, S08_AnAttachmentFollowsItsAxis) {
  const std::string split = R"(program f {
  placeholder A: int32[12]
  compute B[i in range(12)] = A[i] * 2
  compute C[i in range(12)] = B[i] + 1
  args [A, C]
  schedule {
    compute_at(axis=C.i, stage=B)
    C.i.outer, C.i.inner = split(axis=C.i, factor=4)
  }
})";
  EXPECT_LT(Position(Loops(split), "for i.inner"), Position(Loops(split), "B["));
  ExpectRuns(split);
  const std::string fused = R"(program f {
  placeholder A: int32[3, 4]
  compute B[i in range(3), j in range(4)] = A[i, j] * 2
  compute C[i in range(3), j in range(4)] = B[i, j] + 1
  args [A, C]
  schedule {
    compute_at(axis=C.i, stage=B)
    C.i.j.fused = fuse(axes=(list<handle>("C.i", "C.j")), stage=C)
  }
})";
  EXPECT_LT(Position(Loops(fused), "for i.j.fused"), Position(Loops(fused), "realize B"));
  ExpectRuns(fused);
}

std::string Chain(const std::string& steps) {
  return R"(program f {
  placeholder A: int32[12]
  compute B[i in range(12)] = A[i] * 2
  compute C[i in range(12)] = B[i] + 1
  compute D[i in range(12)] = B[i] + C[i]
  args [A, D]
  schedule {
    )" + steps +
         "\n  }\n}\n";
}

TEST(Semantics, S09_AnIllegalAttachmentNamesBothStages) {
  // C comes before D: what D computes in its loop comes too late for C.
  const std::string refusal = Refusal(Chain("compute_at(axis=D.i, stage=B)"));
  EXPECT_TRUE(refusal.starts_with("schedule-illegal-attach")) << refusal;
  EXPECT_TRUE(Has(refusal, "`B`") && Has(refusal, "`C`") && Has(refusal, "`D`")) << refusal;
  EXPECT_TRUE(
      Refusal(Chain("compute_at(axis=C.i, stage=D)")).starts_with("schedule-attach-output"));
  EXPECT_EQ(Refusal(Chain("compute_at(axis=D.i, stage=B)\ncompute_at(axis=D.i, stage=C)")), "none");
}

TEST(Semantics, S09_WhatIsReadLaterIsKeptWhole) {
  const std::string program = Chain("compute_at(axis=C.i, stage=B)");
  EXPECT_TRUE(Has(Loops(program), "realize B: int32[12] bounds [range(12)]\n  realize C"))
      << Loops(program);
  ExpectRuns(program);
}

// C in tiles of 16; each tile is a block, each element a thread. B is computed at `at`.
std::string Tiled(const std::string& scope, const std::string& at) {
  return R"(program f {
  placeholder A: float32[64]
  compute B[i in range(64)] = A[i] * 2.0
  compute C[i in range(64)] = B[i] + 1.0
  args [A, C]
  schedule {
    C.i.outer, C.i.inner = split(axis=C.i, factor=16)
    bind(axis=C.i.outer, thread=blockIdx.x)
    bind(axis=C.i.inner, thread=threadIdx.x)
    )" + (scope.empty() ? "" : "set_scope(scope=" + scope + ", stage=B)\n") +
         (at.empty() ? "" : "compute_at(axis=C." + at + ", stage=B)\n") + "\n  }\n}\n";
}

TEST(Semantics, S10_TheScopeFollowsFromTheThreadsAround) {
  EXPECT_EQ(Infer(Tiled("", ""), "B").scope, "global");
  EXPECT_EQ(Infer(Tiled("", "i.outer"), "B").scope, "shared");
  EXPECT_EQ(Infer(Tiled("", "i.inner"), "B").scope, "local");
}

TEST(Semantics, S11_SharedMemoryCoversAllThreads) {
  EXPECT_EQ(Infer(Tiled("shared", "i.inner"), "B").extent, "16");
  EXPECT_EQ(Infer(Tiled("warp", "i.inner"), "B").extent, "16");
  EXPECT_EQ(Infer(Tiled("local", "i.inner"), "B").extent, "1");
}

TEST(Semantics, S46_SeveralReadersNeedTheUnion) {
  const std::string program = R"(program f {
  placeholder A: int32[20]
  compute B[i in range(20)] = A[i] * 2
  compute C[i in range(8)] = B[i]
  compute D[i in range(8)] = B[i + 5]
  args [A, C, D]
})";
  EXPECT_EQ(Infer(program, "B").extent, "13");
  ExpectRuns(program);
}

TEST(Semantics, S46_AnOutputThatNobodyReadsIsRealised) {
  ExpectRuns(R"(program f {
  placeholder A: int32[6]
  compute B[i in range(6)] = A[i] * 2, A[i] + 3
  compute C[i in range(6)] = B.v0[i] + 1
  args [A, C]
})");
}

}  // namespace
}  // namespace lathe::semantics
