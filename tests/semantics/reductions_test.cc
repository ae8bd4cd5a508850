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
