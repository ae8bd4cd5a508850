// Reductions, inlining, scans: S12-S15, S47-S49.
#include "base/error.h"
#include "gtest/gtest.h"
#include "te/operation.h"
#include "tests/semantics/program.h"

namespace lathe::semantics {
namespace {

std::string RowSums(const std::string& body, const std::string& steps) {
  return R"(program f {
  placeholder A: int32[5, 7]
  compute B[i in range(5), j in range(7)] = A[i, j] * 2
  compute C[i in range(5)] over [k in range(7)] = )" +
         body + "\n  compute D[i in range(5)] = C[i] + 1\n  args [A, D]\n  schedule {\n" + steps +
         "\n  }\n}\n";
}

TEST(Semantics, S12_TheInitialisationComesBeforeTheFirstReductionLoop) {
  const std::string program =
      RowSums("sum(B[i, k], axis=[k])", "reorder(axes=(list<handle>(\"C.k\", \"C.i\")), stage=C)");
  const std::string loops = Loops(program);
  const size_t init = Position(loops, "C[i] = 0");
  EXPECT_LT(init, Position(loops, "for k in range(7)")) << loops;
  // Only data loops surround the initialisation.
  EXPECT_EQ(Count(loops, "for k in range(7)"), 1u) << loops;
  ExpectRuns(program);
}

TEST(Semantics, S13_AnExplicitInitialValueReplacesTheIdentity) {
  const std::string program = RowSums("sum(B[i, k], axis=[k], init=[3])", "");
  EXPECT_TRUE(Has(Loops(program), "C[i] = 3")) << Loops(program);
  ExpectRuns(program);
}

// A known fault of other compilers: a row whose condition never held kept the old memory contents.
TEST(Semantics, S13_TheConditionGuardsTheUpdateOnly) {
  const std::string program = RowSums("sum(B[i, k], axis=[k], where=k < i)", "");
  const std::string loops = Loops(program);
  EXPECT_LT(Position(loops, "C[i] = 0"), Position(loops, "if k < i")) << loops;
  ExpectRuns(program);
}

TEST(Semantics, S13_TheConditionStandsBeforeTheLoopsThatDoNotChangeIt) {
  auto blocks = [](const std::string& where, const std::string& steps) {
    return "program f {\n  placeholder A: int32[8, 32]\n"
           "  compute B[i in range(8), j in range(32)] = A[i, j] * 2\n"
           "  compute C[i in range(8)] over [ko in range(8), ki in range(4)] = "
           "sum(B[i, ko * 4 + ki], axis=[ko, ki], where=" +
           where + ")\n  args [A, C]\n  schedule {\n" + steps + "\n  }\n}\n";
  };
  const std::string plain = blocks("ko <= i and A[i, ki] > 0", "");
  EXPECT_LT(Position(Loops(plain), "if ko <= i"), Position(Loops(plain), "for ki")) << Loops(plain);
  EXPECT_GT(Position(Loops(plain), "A[i, ki] > 0"), Position(Loops(plain), "for ki"));
  ExpectRuns(plain);
  // What only this iteration reads is not computed, either.
  const std::string attached = blocks("ko <= i", "compute_at(axis=C.ko, stage=B)");
  EXPECT_LT(Position(Loops(attached), "if ko <= i"), Position(Loops(attached), "B[i"))
      << Loops(attached);
  ExpectRuns(attached);
  // A division may be by 0 where the reduction has no iterations.
  const std::string divided = blocks("ko // (i - 8) < 0", "");
  EXPECT_GT(Position(Loops(divided), "// (i"), Position(Loops(divided), "for ki"))
      << Loops(divided);
  ExpectRuns(divided);
}

TEST(Semantics, S14_MembersOfATupleReadOldValues) {
  const std::string program = R"(program f {
  placeholder A: float32[4, 9]
  compute C[i in range(4)] over [k in range(9)] = argmax(k, A[i, k], axis=[k])
  args [A, C.v0, C.v1]
})";
  const std::string loops = Loops(program);
  EXPECT_LT(Position(loops, "let C.old0"), Position(loops, "C.v1[i] = select")) << loops;
  ExpectRuns(program);
}

TEST(Semantics, S14_ReductionsStandOnlyAtTheTop) {
  const ir::Tensor a = te::Placeholder({ir::Int(4)}, DataType::Int(32), "A");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(4), "k");
  std::string name;
  try {
    te::Compute({}, [&](const te::Indices&) { return te::Sum(te::At(a, {k->var}), {k}) + 1; });
  } catch (const Error& error) {
    name = error.name();
  }
  EXPECT_EQ(name, "reduction-not-at-top");
}

// Sums of parts of rows: C[i] = sum of A[i, k + 3] for k in [0, i].
std::string Triangle(const std::string& steps, const std::string& range = "range(i + 1)",
                     const std::string& reader = "C[i] + 1") {
  return "program f {\n  placeholder A: int32[12, 26]\n  compute C[i in range(12)] over [k in " +
         range + "] = sum(A[i, k + 3], axis=[k])\n  compute D[i in range(12)] = " + reader +
         "\n  args [A, D]\n  schedule {\n" + steps + "\n  }\n}\n";
}

// A known fault of other compilers: the extent was taken as it was written, where the loop's
// variable was another number than the position in the tensor.
TEST(Semantics, S52_AReductionsRangeMayDependOnDataAxes) {
  const char* kAttached = "compute_at(axis=D.i, stage=C)";
  EXPECT_TRUE(Has(Loops(Triangle(kAttached)), "in range(i + 1)")) << Loops(Triangle(kAttached));
  for (const std::string range : {"range(i + 1)", "range(i, 12)", "range(i - 3, i + i)"}) {
    for (const char* steps :
         {"", kAttached, "C.i.outer, C.i.inner = split(axis=C.i, factor=5)",
          "C.k.outer, C.k.inner = split(axis=C.k, factor=4)", "vectorize(axis=C.i)",
          "parallel(axis=C.i)", "C.local = cache_write(scope=\"local\", stage=C)",
          "D.i.outer, D.i.inner = split(axis=D.i, factor=5)\n"
          "compute_at(axis=D.i.outer, stage=C)"}) {
      SCOPED_TRACE(range + steps);
      ExpectRuns(Triangle(steps, range));
    }
  }
}

TEST(Semantics, S52_ItsReadersNeedOnlyWhatItReads) {
  const std::string program = R"(program f {
  placeholder A: int32[12, 24]
  compute B[i in range(12), j in range(24)] = A[i, j] * 2
  compute C[i in range(12)] over [k in range(i + 1)] = sum(B[i, k], axis=[k])
  args [A, C]
  schedule {
    compute_at(axis=C.i, stage=B)
  }
})";
  EXPECT_EQ(Infer(program, "B", 1).extent, "i + 1");
  ExpectRuns(program);
}

TEST(Semantics, S52_ALaterReductionAxisMayDependOnAnEarlierOne) {
  for (const char* steps :
       {"", "compute_at(axis=D.i, stage=C)", "C.k.outer, C.k.inner = split(axis=C.k, factor=4)",
        "C.j.outer, C.j.inner = split(axis=C.j, factor=4)"}) {
    SCOPED_TRACE(steps);
    ExpectRuns(R"(program f {
  placeholder A: int32[12, 24]
  compute C[i in range(12)] over [k in range(i + 1), j in range(k, i + 3)] = sum(A[k, j], axis=[k, j])
  compute D[i in range(12)] = C[11 - i]
  args [A, D]
  schedule {
)" + std::string(steps) +
               "\n}\n}");
  }
}

TEST(Semantics, S52_WhatNeedsRangesOfOneExtentIsRefused) {
  EXPECT_TRUE(Refusal(Triangle("reorder(axes=(list<handle>(\"C.k\", \"C.i\")), stage=C)"))
                  .starts_with("schedule-dependent-order"));
  EXPECT_TRUE(Refusal(Triangle("C.rf = rfactor(axis=C.k, factor_axis=0)"))
                  .starts_with("schedule-rfactor-dependent"));
  EXPECT_TRUE(Refusal(Triangle("", "range(A[i, 0])")).starts_with("reduction-domain"));
  EXPECT_TRUE(Refusal(R"(program f {
  placeholder A: int32[12, 24]
  compute C[i in range(12)] over [k in range(12), j in range(k + 1)] = sum(A[i, j], axis=[k, j])
  args [A, C]
  schedule {
    C.fused = fuse(axes=(list<handle>("C.k", "C.j")), stage=C)
  }
})")
                  .starts_with("schedule-dependent-fuse"));
}

// Data axes that are named like a reduction axis get another name. A range would still speak of the
// old one.
TEST(Semantics, S52_ARangeDoesNotDependOnAnAxisOfTheSameName) {
  const ir::Tensor a = te::Placeholder({ir::Int(4), ir::Int(4)}, DataType::Int(32), "A");
  std::string name;
  try {
    te::Compute({ir::Int(4)},
                [&](const te::Indices& i) {
                  const ir::IterVar j = te::ReduceAxis(ir::Int(0), i[0] + 1, "j");
                  return te::Sum(te::At(a, {i[0], j->var}), {j});
                },
                "C", {.axis_names = {"j"}});
  } catch (const Error& error) {
    name = error.name();
  }
  EXPECT_EQ(name, "reduction-domain-name");
}

// A known fault of other compilers: nothing checked this in the text form. Lowering took a part of
// a reduction for the whole, or a value of one reduction for a value of another.
TEST(Semantics, S14_PartsOfAReductionAreNotScheduled) {
  for (const char* bodies :
       {"argmax(k, A[i, k], axis=[k], index=0)", "argmax(k, A[i, k], axis=[k], index=1)",
        "argmax(k, A[i, k], axis=[k], index=0), argmin(k, A[i, k], axis=[k], index=1)",
        "argmax(k, A[i, k], axis=[k], index=1), argmax(k, A[i, k], axis=[k], index=0)"}) {
    const std::string program =
        "program f {\n  placeholder A: float32[4, 9]\n"
        "  compute C[i in range(4)] over [k in range(9)] = " +
        std::string(bodies) + "\n  compute D[i in range(4)] = " +
        (std::string_view(bodies).find("), ") == std::string_view::npos ? "C[i]" : "C.v0[i]") +
        "\n  args [A, D]\n}";
    EXPECT_TRUE(Refusal(program).starts_with("reduction-tuple-mismatch")) << Refusal(program);
  }
}

TEST(Semantics, S15_RFactorHonoursItsPosition) {
  for (const char* position : {"0", "1", "-1"}) {
    const std::string program =
        RowSums("sum(B[i, k], axis=[k], where=k != i)",
                std::string("C.k.outer, C.k.inner = split(axis=C.k, factor=3)\n"
                            "C.rf = rfactor(axis=C.k.inner, factor_axis=") +
                    position + "i64)");
    const size_t at = std::string(position) == "0" ? 0 : 1;
    EXPECT_EQ(Infer(program, "C.rf", at).extent, "3") << position;
    ExpectRuns(program);
  }
  EXPECT_TRUE(Refusal(RowSums("sum(B[i, k], axis=[k])", "C.rf = rfactor(axis=C.i, factor_axis=0)"))
                  .starts_with("schedule-rfactor-not-a-reduction"));
}

// A known fault of other compilers: a parallel loop over a reduction axis was an unreported race.
TEST(Semantics, S47_ReductionLoopsDoNotRunAtOnce) {
  for (const char* step :
       {"parallel(axis=C.k)", "vectorize(axis=C.k)", "bind(axis=C.k, thread=blockIdx.x)"}) {
    const std::string refusal = Refusal(RowSums("sum(B[i, k], axis=[k])", step));
    EXPECT_TRUE(refusal.starts_with("schedule-annotate-reduction")) << step << ": " << refusal;
  }
}

TEST(Semantics, S48_OnlyPlainStagesAreInlined) {
  const std::string sum = "sum(B[i, k], axis=[k])";
  EXPECT_FALSE(Has(Loops(RowSums(sum, "compute_inline(stage=B)")), "realize B"));
  ExpectRuns(RowSums(sum, "compute_inline(stage=B)"));
  for (const char* stage : {"A", "C", "D"}) {
    const std::string refusal =
        Refusal(RowSums(sum, std::string("compute_inline(stage=") + stage + ")"));
    EXPECT_TRUE(refusal.starts_with("schedule-inline-refused")) << refusal;
    EXPECT_TRUE(Has(refusal, std::string("`") + stage + "`")) << refusal;
  }
}

std::string RunningSums(const std::string& steps) {
  return R"(program f {
  var n: size
  placeholder X: int32[5, n]
  compute first[i in range(2), j in range(n)] = X[i, j]
  placeholder state: int32[5, n]
  compute middle[i in range(5), j in range(n)] = state[i - 1, j] + state[i - 2, j]
  compute next[i in range(5), j in range(n)] = middle[i, j] + X[i, j]
  op sums = ScanOp(scan_axis=sums.time in range(2, extent=3) ordered, spatial_axis=[sums.v0.ax1 in range(n) opaque], init=[first], update=[next], state=[state], inputs=[X])
  args [X, sums]
  schedule {
    )" + steps +
         "\n  }\n}\n";
}

TEST(Semantics, S49_TheStateOfAScanIsItsOutput) {
  const std::string loops = Loops(RunningSums(""));
  EXPECT_FALSE(Has(loops, "realize next")) << loops;
  EXPECT_FALSE(Has(loops, "realize first")) << loops;
  EXPECT_LT(Position(loops, "X[i, j]"), Position(loops, "for sums.time")) << loops;
  ExpectRuns(RunningSums(""), {{0}, {1}, {4}});
}

TEST(Semantics, S49_NothingIsComputedAcrossTheUpdate) {
  EXPECT_NE(Refusal(RunningSums("compute_at(axis=first.i, stage=next)")), "none");
}

}  // namespace
}  // namespace lathe::semantics
