#include "driver/explain/explain.h"

#include <string>

#include "base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "schedule/trace.h"

namespace lathe::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Explanation ExplainText(const std::string& text, ExplainOptions options = {}) {
  const schedule::Loaded loaded = schedule::FromProgram(ir::ParseProgram(text, "test"));
  return Explain(loaded.schedule, loaded.args, loaded.name, options);
}

const ExplainedStage& StageOf(const Explanation& explanation, const std::string& name) {
  for (const ExplainedStage& stage : explanation.stages) {
    if (stage.name == name) return stage;
  }
  ADD_FAILURE() << "no stage " << name;
  return explanation.stages.front();
}

constexpr const char* kBlur = R"(
program blur {
  placeholder A: float32[66, 128]
  compute R[y in range(66), x in range(128)] = A[y, x] * 2.0
  compute B[y in range(64), x in range(128)] = R[y, x] + R[y + 1, x] + R[y + 2, x]
  args [A, B]
  schedule {
    B.y.outer, B.y.inner = split(axis=B.y, factor=4)
    compute_at(stage=R, axis=B.y.outer)
    parallel(axis=B.y.outer)
  }
})";

TEST(Explain, RegionsAndWhy) {
  const Explanation blur = ExplainText(kBlur);
  const ExplainedStage& r = StageOf(blur, "R");
  EXPECT_EQ(r.place, "at B.y.outer");
  EXPECT_THAT(r.fixed_loops, ElementsAre("B.y.outer"));
  ASSERT_EQ(r.axes.size(), 2u);
  EXPECT_EQ(r.axes[0].region, "[y.outer * 4, y.outer * 4 + 6), 6 long");
  EXPECT_EQ(r.axes[0].domain, "[0, 66)");
  EXPECT_FALSE(r.axes[0].whole);
  EXPECT_TRUE(r.axes[1].whole);
  ASSERT_EQ(r.needed_by.size(), 3u);
  EXPECT_EQ(r.needed_by[2].reader, "B");
  EXPECT_EQ(r.needed_by[2].element, "R[y + 2, x]");
  ASSERT_EQ(r.buffers.size(), 1u);
  EXPECT_EQ(r.buffers[0].shape, "[6, 128]");
  EXPECT_EQ(r.buffers[0].bytes.value, 6 * 128 * 4);
  EXPECT_EQ(r.executions.value, 16);
  EXPECT_EQ(r.points.value, 16 * 6 * 128);
  EXPECT_NEAR(r.recompute, 96.0 / 66, 1e-9);
  EXPECT_TRUE(r.guards.empty());
}

// What the iteration before has computed is not computed again: 6 rows, then 4 in each of 15.
TEST(Explain, RollingBuffersComputeNothingTwice) {
  std::string text = kBlur;
  text.replace(text.find("parallel(axis=B.y.outer)"), 24, "rolling_buffer(stage=R)");
  const Explanation blur = ExplainText(text);
  const ExplainedStage& r = StageOf(blur, "R");
  EXPECT_EQ(r.rolls,
            "6 elements along y in the first iteration of B.y.outer; later ones keep 2 and "
            "compute 4");
  EXPECT_EQ(r.executions.value, 16);
  EXPECT_EQ(r.points.value, 66 * 128);
  EXPECT_EQ(r.recompute, 1);
  EXPECT_EQ(r.iterations.value, 66 * 128);
  EXPECT_EQ(r.operations.value, 66 * 128);
  EXPECT_EQ(r.buffers[0].shape, "[6, 128]");
  ASSERT_EQ(r.levels.size(), 3u);  // y, x, the body
  // It reads and writes as many floats as it computes.
  EXPECT_EQ(r.levels[0].working_set.value, 2 * 4 * 4 * 128);
  EXPECT_EQ(r.levels[0].traffic.value, 2 * 4 * 66 * 128);
  EXPECT_EQ(r.levels[1].executions.value, 66);
  EXPECT_EQ(r.levels[2].traffic.value, 2 * 4 * 66 * 128);
  EXPECT_THAT(ToText(blur, false), Not(HasSubstr("recomputation")));
  EXPECT_THAT(ToHtml(blur), HasSubstr("keep 2 and compute 4"));
  EXPECT_EQ(StageOf(ExplainText(kBlur), "R").rolls, "");
}

// A stage that is computed within a rolling one follows it; loops of a split axis count whole.
TEST(Explain, StagesWithinRollingBuffers) {
  const Explanation nested = ExplainText(R"(
program nested {
  placeholder A: float32[66, 16]
  compute P[y in range(66), x in range(16)] = A[y, x] * 2.0
  compute R[y in range(66), x in range(16)] = P[y, x] + 1.0
  compute B[y in range(64), x in range(16)] = R[y, x] + R[y + 2, x]
  args [A, B]
  schedule {
    B.y.outer, B.y.inner = split(axis=B.y, factor=4)
    compute_at(stage=R, axis=B.y.outer)
    compute_at(stage=P, axis=R.y)
    rolling_buffer(stage=R)
  }
})");
  EXPECT_EQ(StageOf(nested, "R").recompute, 1);
  EXPECT_EQ(StageOf(nested, "P").executions.value, 66);
  EXPECT_EQ(StageOf(nested, "P").recompute, 1);
  const Explanation split = ExplainText(R"(
program split {
  placeholder A: float32[66, 16]
  compute R[y in range(66), x in range(16)] = A[y, x] * 2.0
  compute B[y in range(64), x in range(16)] = R[y, x] + R[y + 2, x]
  args [A, B]
  schedule {
    B.y.outer, B.y.inner = split(axis=B.y, factor=4)
    compute_at(stage=R, axis=B.y.outer)
    R.y.outer, R.y.inner = split(axis=R.y, factor=2)
    rolling_buffer(stage=R)
  }
})");
  EXPECT_EQ(StageOf(split, "R").points.value, 66 * 16);
  EXPECT_EQ(StageOf(split, "R").iterations.value, 96 * 16);
}

TEST(Explain, TrafficOfEveryLevel) {
  const Explanation product = ExplainText(R"(
program product {
  placeholder A: float32[64, 32]
  placeholder B: float32[32, 16]
  compute C[i in range(64), j in range(16)] over [k in range(32)] = sum(A[i, k] * B[k, j], axis=[k])
  args [A, B, C]
})");
  const ExplainedStage& c = StageOf(product, "C");
  EXPECT_EQ(c.kind, "reduction");
  EXPECT_EQ(c.operations.value, 2 * 64 * 32 * 16);
  ASSERT_EQ(c.levels.size(), 4u);  // i, j, k, the body
  EXPECT_EQ(c.levels[0].working_set.value, 4 * (64 * 32 + 32 * 16 + 64 * 16));
  EXPECT_EQ(c.levels[1].executions.value, 64);
  EXPECT_EQ(c.levels[1].working_set.value, 4 * (32 + 32 * 16 + 16));
  EXPECT_EQ(c.levels[1].traffic.value, 64 * 4 * (32 + 32 * 16 + 16));
  EXPECT_EQ(c.levels[3].working_set.value, 12);
  EXPECT_NEAR(c.levels[3].intensity, 2.0 / 12, 1e-9);
}

TEST(Explain, AGuardOfKnownSizesSaysWhatIsCut) {
  const auto reason = [](const std::string& size, const ExplainOptions& options) {
    const Explanation cut = ExplainText("program cut {\n  var n: size\n  placeholder A: float32[" +
                                            size + "]\n  compute B[i in range(" + size +
                                            R"()] = A[i] + 1.0
  args [A, B]
  schedule { B.i.outer, B.i.inner = split(axis=B.i, factor=8) }
})",
                                        options);
    return StageOf(cut, "B").guards.at(0).reason;
  };
  EXPECT_EQ(reason("500", {}),
            "`i` has 500 iterations and is split into (63) x (8), which covers 504: the last block "
            "is cut");
  EXPECT_THAT(reason("n", {.sizes = {{"n", 500}}}), HasSubstr("covers 504: the last block is cut"));
  EXPECT_THAT(reason("n", {.sizes = {{"n", 504}}}),
              HasSubstr("as many for these sizes, but not proved for others"));
  EXPECT_THAT(reason("n", {}), HasSubstr("not proved to be as many: the last block may be cut"));
}

TEST(Explain, GuardsAndWhatRemainsOfThem) {
  // 10 by 4 leaves a last block of 2. The loops are not cut unless that is asked for.
  const Explanation cut = ExplainText(R"(
program cut {
  var n: size
  placeholder A: float32[n]
  compute B[i in range(n)] = A[i] + 1.0
  args [A, B]
  schedule { B.i.outer, B.i.inner = split(axis=B.i, factor=4) }
})");
  const ExplainedStage& b = StageOf(cut, "B");
  ASSERT_EQ(b.guards.size(), 1u);
  EXPECT_EQ(b.guards[0].condition, "i.outer * 4 + i.inner < n");
  EXPECT_THAT(b.guards[0].loops, ElementsAre("i.outer", "i.inner", "n"));
  EXPECT_THAT(b.guards[0].reason, HasSubstr("`i` has n iterations"));
  EXPECT_EQ(b.guarded_bodies > 0, b.guards[0].remains);
  EXPECT_LE(b.guarded_bodies, b.bodies);
  EXPECT_GE(b.bodies, 1);
}

TEST(Explain, SizesMakeNumbers) {
  const std::string text = R"(
program double {
  var n: size
  placeholder A: float32[n, 8]
  compute B[i in range(n), j in range(8)] = A[i, j] + A[i, j]
  args [A, B]
})";
  const Explanation symbolic = ExplainText(text);
  EXPECT_FALSE(StageOf(symbolic, "B").operations.known);
  EXPECT_THAT(StageOf(symbolic, "B").operations.text, HasSubstr("n"));
  const Explanation known = ExplainText(text, {.sizes = {{"n", 100}}});
  EXPECT_EQ(StageOf(known, "B").operations.value, 800);
  try {
    ExplainText(text, {.sizes = {{"m", 100}}});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "explain-unknown-size");
    EXPECT_THAT(error.what(), HasSubstr("`n`"));
  }
}

// Amounts of symbolic sizes are multiplied out.
TEST(Explain, SymbolicAmounts) {
  const Explanation e = ExplainText(R"(
program product {
  var n: size
  var m: size
  placeholder A: float32[n, n]
  placeholder B: float32[n, m + 1]
  compute C[i in range(n), j in range(m + 1)] over [k in range(n)] = sum(A[i, k] * B[k, j], axis=[k])
  args [A, B, C]
})");
  const ExplainedStage& c = StageOf(e, "C");
  EXPECT_EQ(c.iterations.text, "m * n * n + n * n");
  EXPECT_EQ(c.operations.text, "m * n * n * 2 + n * n * 2");
  EXPECT_EQ(c.levels[0].touches[0].bytes.text, "m * n * 4 + n * 4");
  EXPECT_EQ(c.levels[0].intensity, 0);  // depends on n
  EXPECT_NEAR(c.levels.back().intensity, 2.0 / 12, 1e-9);
}

TEST(Explain, InlinedStagesSayWhere) {
  const Explanation e = ExplainText(R"(
program inlined {
  placeholder A: float32[8]
  compute B[i in range(8)] = A[i] * 2.0
  compute C[i in range(8)] = B[i] + 1.0
  args [A, C]
  schedule { compute_inline(stage=B) }
})");
  EXPECT_EQ(StageOf(e, "B").kind, "inlined");
  EXPECT_EQ(StageOf(e, "B").place, "inlined into C");
  EXPECT_THAT(StageOf(e, "C").reads, ElementsAre("A"));
}

TEST(Explain, Renderings) {
  const Explanation blur = ExplainText(kBlur);
  const std::string text = ToText(blur, false);
  EXPECT_THAT(text, HasSubstr("R  compute, at B.y.outer"));
  EXPECT_THAT(text, HasSubstr("recomputation"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(ToText(blur, true), HasSubstr("\033["));

  const runtime::Json json = ToJson(blur);
  const auto again = runtime::Json::Parse(json.Dump(2));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->Find("stages")->items().size(), 3u);
  EXPECT_EQ(again->Find("stages")->items()[1].Find("name")->string(), "R");

  // Nothing is cut, however long the names are.
  const std::string name(150, 'k');
  std::string longer = kBlur;
  for (size_t at; (at = longer.find(" R[")) != std::string::npos;)
    longer.replace(at, 3, " " + name + "[");
  longer.replace(longer.find("stage=R"), 7, "stage=" + name);
  const Explanation wide = ExplainText(longer);
  EXPECT_THAT(ToText(wide, false), HasSubstr("B reads " + name + "[y + 2, x]"));
  const std::string wide_page = ToHtml(wide);
  EXPECT_THAT(wide_page, HasSubstr("href=\"#stage-" + name + "\""));
  EXPECT_THAT(wide_page, HasSubstr(">" + name + "</text>"));
  EXPECT_THAT(wide_page, Not(HasSubstr("\u2026")));

  const std::string html = ToHtml(blur);
  EXPECT_THAT(html, HasSubstr("<!doctype html>"));
  EXPECT_THAT(html, HasSubstr("id=\"stage-R\""));
  EXPECT_THAT(html, Not(HasSubstr("http")));  // loads nothing from other places
}

}  // namespace
}  // namespace lathe::driver
