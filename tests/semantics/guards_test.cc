// Thirteen schedules whose innermost loops check no conditions: at the contract stage `tile`, the
// body that runs for everything except the edges has no condition.
#include "gtest/gtest.h"
#include "tests/semantics/program.h"

namespace lathe::semantics {
namespace {

// Expects a store `store` in `text` without a condition around it: some store is directly in its
// loop, with no `likely` between it and the loop's head.
void ExpectBareInnerLoop(const std::string& program, const std::string& loop,
                         const std::string& store,
                         const std::vector<std::vector<int64_t>>& sizes = {{}}) {
  const std::string text = Tile(program);
  bool bare = false;
  for (size_t at = text.find("for " + loop); at != std::string::npos;
       at = text.find("for " + loop, at + 1)) {
    const size_t line = text.find('\n', at);
    const size_t next = text.find_first_not_of(' ', line + 1);
    bare = bare || text.compare(next, store.size(), store) == 0;
  }
  EXPECT_TRUE(bare) << "no bare loop `" << loop << "` around `" << store << "` in\n" << text;
  ExpectRuns(program, sizes);
}

std::string Program(const std::string& operations, const std::string& args,
                    const std::string& steps, const std::string& vars = "") {
  return "program f {\n" + vars + operations + "\n  args [" + args + "]\n  schedule {\n" + steps +
         "\n  }\n}\n";
}

const std::string kVector = "  placeholder A: float32[n]\n  compute C[i in range(n)] = A[i] + 1.0";
const std::string kSize = "  var n: size\n";

TEST(BareInnerLoop, SplitWithItsRemainderPartitioned) {
  ExpectBareInnerLoop(Program(kVector, "A, C", "C.o, C.x = split(axis=C.i, factor=8)", kSize),
                      "i.inner", "C[", {{0}, {5}, {8}, {19}});
}

TEST(BareInnerLoop, SplitIntoParts) {
  ExpectBareInnerLoop(Program("  placeholder A: float32[24]\n"
                              "  compute C[i in range(24)] = A[i] + 1.0",
                              "A, C", "C.o, C.x = split(axis=C.i, nparts=4)"),
                      "i.inner", "C[");
}

TEST(BareInnerLoop, FuseThenSplit) {
  ExpectBareInnerLoop(Program("  placeholder A: float32[n, 6]\n"
                              "  compute C[i in range(n), j in range(6)] = A[i, j] + 1.0",
                              "A, C",
                              "C.f = fuse(axes=(list<handle>(\"C.i\", \"C.j\")), stage=C)\n"
                              "C.o, C.x = split(axis=C.i.j.fused, factor=4)",
                              kSize),
                      "i.j.fused.inner", "C[", {{0}, {1}, {5}});
}

TEST(BareInnerLoop, VectorOfASymbolicArray) {
  ExpectBareInnerLoop(
      Program(kVector, "A, C", "C.o, C.x = split(axis=C.i, factor=8)\nvectorize(axis=C.i.inner)",
              kSize),
      "i.inner", "C[", {{0}, {7}, {8}, {25}});
}

TEST(BareInnerLoop, VectorOfAnOddConstant) {
  ExpectBareInnerLoop(
      Program("  placeholder A: float32[29]\n"
              "  compute C[i in range(29)] = A[i] + 1.0",
              "A, C", "C.o, C.x = split(axis=C.i, factor=8)\nvectorize(axis=C.i.inner)"),
      "i.inner", "C[");
}

TEST(BareInnerLoop, ParallelOuterLoop) {
  ExpectBareInnerLoop(
      Program(kVector, "A, C", "C.o, C.x = split(axis=C.i, factor=8)\nparallel(axis=C.i.outer)",
              kSize),
      "i.inner", "C[", {{0}, {7}, {16}, {25}});
}

TEST(BareInnerLoop, TiledMatmulOfSymbolicSize) {
  ExpectBareInnerLoop(
      Program("  placeholder A: float32[n, n]\n  placeholder B: float32[n, n]\n"
              "  compute C[i in range(n), j in range(n)] over [k in range(n)] = "
              "sum(A[i, k] * B[k, j], axis=[k])",
              "A, B, C",
              "C.io, C.ii = split(axis=C.i, factor=4)\nC.jo, C.ji = split(axis=C.j, factor=8)\n"
              "reorder(axes=(list<handle>(\"C.i.outer\", \"C.j.outer\", \"C.k\", \"C.i.inner\", "
              "\"C.j.inner\")), stage=C)",
              kSize),
      "j.inner", "C[", {{0}, {3}, {8}, {13}});
}

TEST(BareInnerLoop, TiledMatmulOfOddSize) {
  ExpectBareInnerLoop(
      Program("  placeholder A: float32[13, 11]\n  placeholder B: float32[11, 19]\n"
              "  compute C[i in range(13), j in range(19)] over [k in range(11)] = "
              "sum(A[i, k] * B[k, j], axis=[k])",
              "A, B, C",
              "C.io, C.ii = split(axis=C.i, factor=4)\nC.jo, C.ji = split(axis=C.j, factor=8)\n"
              "C.ko, C.ki = split(axis=C.k, factor=4)\n"
              "reorder(axes=(list<handle>(\"C.i.outer\", \"C.j.outer\", \"C.k.outer\", "
              "\"C.i.inner\", \"C.k.inner\", \"C.j.inner\")), stage=C)\n"
              "vectorize(axis=C.j.inner)"),
      "j.inner", "C[");
}

TEST(BareInnerLoop, ReductionSplitByADivisor) {
  ExpectBareInnerLoop(Program("  placeholder A: float32[n, 32]\n"
                              "  compute C[i in range(n)] over [k in range(32)] = "
                              "sum(A[i, k], axis=[k])",
                              "A, C", "C.o, C.x = split(axis=C.k, factor=8)", kSize),
                      "k.inner", "C[", {{0}, {3}});
}

TEST(BareInnerLoop, ConvolutionOverAPaddedCopy) {
  ExpectBareInnerLoop(
      Program("  placeholder A: float32[n]\n  placeholder W: float32[3]\n"
              "  compute P[i in range(n + 2)] = if_then_else(i >= 1 and i < n + 1, A[i - 1], 0.0)\n"
              "  compute C[i in range(n)] over [k in range(3)] = sum(P[i + k] * W[k], axis=[k])",
              "A, W, C", "C.o, C.x = split(axis=C.i, factor=8)", kSize),
      "k in", "C[", {{0}, {1}, {8}, {19}});
}

TEST(BareInnerLoop, ComputeAtATileWithoutHalo) {
  ExpectBareInnerLoop(
      Program("  placeholder A: float32[32]\n  compute B[i in range(32)] = A[i] * 2.0\n"
              "  compute C[i in range(32)] = B[i] + 1.0",
              "A, C", "C.o, C.x = split(axis=C.i, factor=8)\ncompute_at(axis=C.i.outer, stage=B)"),
      "i in range(8)", "B[");
}

TEST(BareInnerLoop, ComputeAtUnderAFusedAxis) {
  ExpectBareInnerLoop(Program("  placeholder A: float32[6, 8]\n"
                              "  compute B[i in range(6), j in range(8)] = A[i, j] * 2.0\n"
                              "  compute C[i in range(6), j in range(8)] = B[i, j] + 1.0",
                              "A, C",
                              "C.jo, C.ji = split(axis=C.j, factor=4)\n"
                              "C.f = fuse(axes=(list<handle>(\"C.i\", \"C.j.outer\")), stage=C)\n"
                              "compute_at(axis=C.i.j.outer.fused, stage=B)"),
                      "j.inner", "C[");
}

TEST(BareInnerLoop, StencilComputedAtTheRowsThatNeedIt) {
  ExpectBareInnerLoop(
      Program("  placeholder A: float32[n + 2, 16]\n"
              "  compute B[i in range(n + 2), j in range(16)] = A[i, j] * 2.0\n"
              "  compute C[i in range(n), j in range(16)] = B[i, j] + B[i + 1, j] + B[i + 2, j]",
              "A, C", "compute_at(axis=C.i, stage=B)", kSize),
      "j in range(16)", "B[", {{0}, {1}, {5}});
}

}  // namespace
}  // namespace lathe::semantics
