// double_buffer and pipeline: what later iterations need is computed in advance.
#include <algorithm>

#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/walk.h"
#include "lower/pipeline.h"
#include "lower/software_pipeline.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "tests/check/check_passes.h"
#include "tests/schedule/expect.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;
using ir::MakeSizeVar;
using ir::Var;

const DataType kF32 = DataType::Float(32);

// C[i, j] = sum over k of B[i, k] * W[k, j], with caches of B and W computed in the loop over k.
struct Tiled {
  explicit Tiled(Expr l) {
    a = Placeholder({Int(4), l}, kF32, "A");
    w = Placeholder({l, Int(6)}, kF32, "W");
    k = te::ReduceAxis(Int(0), l, "k");
    c = Compute(
        {Int(4), Int(6)},
        [&](const Indices& i) { return Sum(At(a, {i[0], k->var}) * At(w, {k->var, i[1]}), {k}); },
        "C");
    s = CreateSchedule({c->op});
    ca = CacheRead(s, a, "local", {c->op});
    cw = CacheRead(s, w, "local", {c->op});
    auto [outer, inner] = Split(s[c], k, 2);
    ko = outer;
    Reorder(s[c], {ko, AxisOf(c, 0), AxisOf(c, 1), inner});
    ComputeAt(s[ca], s[c], ko);
    ComputeAt(s[cw], s[c], ko);
  }
  std::vector<NodeRef> args() const { return {a, w, c}; }
  Tensor a, w, c, ca, cw;
  IterVar k, ko;
  Schedule s;
};

std::string PassText(const Schedule& s, const std::vector<NodeRef>& args, std::string_view pass) {
  std::string out;
  lower::PassContext context;
  context.after_pass = [&](const lower::Pass& p, const ir::Module&, const ir::Module& after,
                           double) {
    if (p.name == pass) out = ir::ToText(after, {.short_form = true});
  };
  lower::RunPasses(ir::MakeModule({LowerSchedule(s, args, "f")}), lower::TilePasses(), context);
  return out;
}

// S24: the halves alternate within the loop.
TEST(DoubleBuffer, S24WithinALoop) {
  Tiled g(Int(10));
  DoubleBuffer(g.s[g.cw]);
  ExpectSameAnswers(g.s, g.args());
  const std::string text = PassText(g.s, g.args(), "simplify");
  EXPECT_NE(text.find("W.local: float32[2, 2, 6]"), std::string::npos) << text;
  EXPECT_NE(text.find("A.local: float32[4, 2]"), std::string::npos) << text;
  EXPECT_NE(text.find("k.outer.steady in range(4)"), std::string::npos) << text;
}

TEST(DoubleBuffer, AnyNumberOfIterations) {
  const Var l = MakeSizeVar("l");
  Tiled g(l);
  DoubleBuffer(g.s[g.ca]);
  DoubleBuffer(g.s[g.cw]);
  ExpectSameAnswers(g.s, g.args(), {l}, {{0}, {1}, {2}, {3}, {8}, {11}});
}

TEST(DoubleBuffer, ChainsOfProducers) {
  for (const bool both : {false, true}) {
    const Tensor a = Placeholder({Int(12), Int(4)}, kF32, "A");
    const Tensor b =
        Compute({Int(12), Int(4)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) + 1; }, "B");
    const Tensor c =
        Compute({Int(12), Int(4)}, [&](const Indices& i) { return At(b, {i[0], i[1]}) * 2; }, "C");
    const Tensor d =
        Compute({Int(12), Int(4)}, [&](const Indices& i) { return At(c, {i[0], i[1]}) + 3; }, "D");
    Schedule s = CreateSchedule({d->op});
    auto [io, ii] = Split(s[d], AxisOf(d, 0), 3);
    ComputeAt(s[b], s[d], io);
    ComputeAt(s[c], s[d], io);
    DoubleBuffer(s[c]);
    if (both) {
      DoubleBuffer(s[b]);
      ExpectSameAnswers(s, {a, d});
    } else {
      // C would be computed before the B that it reads.
      EXPECT_EQ(ErrorOf([&] { PassText(s, {a, d}, "simplify"); }).name(), "pipeline-refused");
    }
  }
}

TEST(DoubleBuffer, Refused) {
  Tiled g(Int(10));
  EXPECT_EQ(ErrorOf([&] { DoubleBuffer(g.s[g.c]); }).name(), "schedule-double-buffer-refused");
  EXPECT_EQ(ErrorOf([&] { DoubleBuffer(g.s[g.a]); }).name(), "schedule-double-buffer-refused");
  DoubleBuffer(g.s[g.cw]);
  ComputeRoot(g.s[g.cw]);
  EXPECT_EQ(ErrorOf([&] { LowerSchedule(g.s, g.args(), "f"); }).name(), "pipeline-refused");
  // Iterations that do not run one after the other.
  const Tensor a = Placeholder({Int(8)}, kF32, "A");
  const Tensor b = Compute({Int(8)}, [&](const Indices& i) { return At(a, {i[0]}) + 1; }, "B");
  const Tensor c = Compute({Int(8)}, [&](const Indices& i) { return At(b, {i[0]}) * 2; }, "C");
  Schedule s = CreateSchedule({c->op});
  ComputeAt(s[b], s[c], AxisOf(c, 0));
  DoubleBuffer(s[b]);
  Parallel(s[c], AxisOf(c, 0));
  EXPECT_EQ(ErrorOf([&] { LowerSchedule(s, {a, c}, "f"); }).name(), "pipeline-refused");
}

TEST(Pipeline, PrologueSteadyEpilogue) {
  Tiled g(Int(12));
  Pipeline(g.s[g.c], g.ko, 3);
  ExpectSameAnswers(g.s, g.args());
  const std::string text = PassText(g.s, g.args(), "simplify");
  for (const char* part :
       {"A.local: float32[3, 4, 2]", "W.local: float32[3, 2, 6]", "k.outer.ahead in range(2)",
        "k.outer.steady in range(4)", "k.outer.last in range(2)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Pipeline, AnyNumberOfIterationsAndStages) {
  for (const int64_t stages : {2, 3, 5}) {
    const Var l = MakeSizeVar("l");
    Tiled g(l);
    Pipeline(g.s[g.c], g.ko, stages);
    ExpectSameAnswers(g.s, g.args(), {l}, {{0}, {1}, {2}, {5}, {7}, {16}});
  }
}

TEST(Pipeline, WithDoubleBufferOfFewerStages) {
  Tiled g(Int(14));
  DoubleBuffer(g.s[g.ca]);
  Pipeline(g.s[g.c], g.ko, 4);  // the greater number applies to both
  ExpectSameAnswers(g.s, g.args());
}

// On the host, a copy is complete as soon as it starts.
TEST(Pipeline, AsynchronousCopies) {
  for (const int64_t stages : {2, 4}) {
    const Var l = MakeSizeVar("l");
    Tiled g(l);
    Pipeline(g.s[g.c], g.ko, stages, /*async=*/true);
    const std::string text = PassText(g.s, g.args(), "simplify");
    for (const std::string& part :
         {std::string("async_copy("), std::string("async_commit()"),
          "async_wait(" + std::to_string(stages - 2) + ")", std::string("async_wait(0)")})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    ExpectSameAnswers(g.s, g.args(), {l}, {{0}, {1}, {2}, {3}, {9}});
  }
}

TEST(Pipeline, Refused) {
  Tiled g(Int(12));
  EXPECT_EQ(ErrorOf([&] { Pipeline(g.s[g.c], g.ko, 1); }).name(), "schedule-pipeline-stages");
  EXPECT_EQ(ErrorOf([&] { Pipeline(g.s[g.c], g.ko, 17); }).name(), "schedule-pipeline-stages");
  EXPECT_EQ(ErrorOf([&] { Pipeline(g.s[g.c], g.k, 2); }).name(), "schedule-not-a-leaf");
  // No stage is computed at that loop.
  Pipeline(g.s[g.c], AxisOf(g.c, 0), 2);
  EXPECT_EQ(ErrorOf([&] { LowerSchedule(g.s, g.args(), "f"); }).name(), "pipeline-refused");
  // A producer that computes something is no copy.
  const Tensor a = Placeholder({Int(8), Int(4)}, kF32, "A");
  const Tensor b =
      Compute({Int(8), Int(4)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) + 1; }, "B");
  const Tensor c =
      Compute({Int(8), Int(4)}, [&](const Indices& i) { return At(b, {i[0], i[1]}) * 2; }, "C");
  Schedule s = CreateSchedule({c->op});
  ComputeAt(s[b], s[c], AxisOf(c, 0));
  Pipeline(s[c], AxisOf(c, 0), 2, /*async=*/true);
  EXPECT_EQ(ErrorOf([&] { PassText(s, {a, c}, "simplify"); }).name(), "pipeline-refused");
}

// Marks set by hand, for producers that a schedule would not make.
TEST(SoftwarePipeline, RefusesWhatIsNotIndependent) {
  auto name = [](const std::string& body) {
    const ir::Func func = ir::ParseFunc(
        "func f(A: float32[8], C: float32[8]) {\n"
        "  for i in range(8) {\n    allocate B: float32[1]\n" +
        body + "  }\n}\n");
    return ErrorOf([&] { lower::SoftwarePipeline(ir::MakeModule({func}), {}); }).name();
  };
  const std::string produce =
      "    {\n      attr \"pipeline_producer\" = 2\n      B[0] = A[i]\n    }\n";
  EXPECT_EQ(name(produce + "    C[i] = B[0]\n"), "none");
  EXPECT_EQ(name(produce + "    C[i] = B[0]\n    A[i] = 1.0\n"), "pipeline-refused");
  EXPECT_EQ(name(produce + "    B[0] = B[0] + 1.0\n    C[i] = B[0]\n"), "pipeline-refused");
  EXPECT_EQ(
      name("    {\n      attr \"pipeline_producer\" = 2\n      B[0] = A[i]\n      C[i] = 1.0\n"
           "    }\n    C[i] = B[0]\n"),
      "pipeline-refused");
  EXPECT_EQ(name("    if i < 4 {\n" + produce + "    }\n    C[i] = B[0]\n"), "pipeline-refused");
}

}  // namespace
}  // namespace lathe::schedule
