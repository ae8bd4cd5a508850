// Primitives that say how loops run and how memory is laid out: pragma, storage_align, prefetch,
// set_store_predicate.
#include "base/error.h"
#include "driver/compile.h"
#include "gtest/gtest.h"
#include "ir/imports.h"
#include "ir/walk.h"
#include "lower/hint_notes.h"
#include "lower/pipeline.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "tests/schedule/expect.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;
using ir::MakeSizeVar;
using ir::Var;

const DataType kF32 = DataType::Float(32);

// C[i, j] = 2 * B[i, j], B[i, j] = A[i, j] + 1
struct Chain {
  Chain(Expr n, Expr m) {
    a = Placeholder({n, m}, kF32, "A");
    b = Compute({n, m}, [&](const Indices& i) { return At(a, {i[0], i[1]}) + 1; }, "B");
    c = Compute({n, m}, [&](const Indices& i) { return At(b, {i[0], i[1]}) * 2; }, "C");
  }
  std::vector<NodeRef> args() const { return {a, c}; }
  Tensor a, b, c;
};

// Returns the module after the pass of that name.
ir::Module After(const Schedule& s, const std::vector<NodeRef>& args, std::string_view pass) {
  ir::Module out;
  lower::PassContext context;
  context.after_pass = [&](const lower::Pass& p, const ir::Module&, const ir::Module& after,
                           double) {
    if (p.name == pass) out = after;
  };
  lower::RunPasses(ir::MakeModule({LowerSchedule(s, args, "f")}), lower::AllPasses(), context);
  return out;
}

template <class T>
int Count(const ir::Module& module) {
  int count = 0;
  for (const ir::Func& func : module->functions)
    ir::ForEach<T>(func->body, [&](const T&) { ++count; });
  return count;
}

// -- pragma

// S23: automatic unrolling by step limit, depth and extent.
TEST(Pragma, S23AutomaticUnrolling) {
  auto loops = [](const std::vector<std::pair<std::string, int64_t>>& pragmas) {
    const Tensor a = Placeholder({Int(2), Int(3), Int(4)}, kF32, "A");
    const Tensor b = Compute(
        {Int(2), Int(3), Int(4)}, [&](const Indices& i) { return At(a, {i[0], i[1], i[2]}) + 1; },
        "B");
    Schedule s = CreateSchedule({b->op});
    for (const auto& [key, value] : pragmas) Pragma(s[b], AxisOf(b, 0), key, value);
    ExpectSameAnswers(s, {a, b});
    return Count<ir::For>(After(s, {a, b}, "unroll"));
  };
  EXPECT_EQ(loops({}), 3);
  EXPECT_EQ(loops({{"auto_unroll_max_step", 3}}), 3);
  EXPECT_EQ(loops({{"auto_unroll_max_step", 4}}), 2);
  EXPECT_EQ(loops({{"auto_unroll_max_step", 12}}), 1);
  EXPECT_EQ(loops({{"auto_unroll_max_step", 24}}), 0);
  EXPECT_EQ(loops({{"auto_unroll_max_step", 24}, {"auto_unroll_max_depth", 1}}), 2);
  EXPECT_EQ(loops({{"auto_unroll_max_step", 24}, {"auto_unroll_max_extent", 3}}), 3);
  // Marked for the code generator, not copied.
  EXPECT_EQ(loops({{"auto_unroll_max_step", 24}, {"unroll_explicit", 0}}), 3);
}

// The code generator gets a note that stores bypass the caches. If the loop is parallel, each
// thread's part has a note of its own.
TEST(Pragma, NontemporalReachesTheCodeGenerator) {
  const auto notes = [](bool parallel, int64_t value) {
    const Chain g(Int(40), Int(64));
    Schedule s = CreateSchedule({g.c->op});
    ComputeAt(s[g.b], s[g.c], AxisOf(g.c, 0));
    for (const Tensor& t : {g.b, g.c}) Vectorize(s[t], Split(s[t], AxisOf(t, 1), 16).second);
    if (parallel) Parallel(s[g.c], AxisOf(g.c, 0));
    Pragma(s[g.c], AxisOf(g.c, 0), "nontemporal", value);
    ExpectSameAnswers(s, g.args());
    const ir::Module module = After(s, g.args(), "cse");
    int count = 0;
    for (const ir::Func& func : module->functions) {
      ir::ForEach<ir::Attr>(func->body,
                            [&](const ir::Attr& attr) { count += attr.key == "nontemporal"; });
    }
    return count;
  };
  EXPECT_EQ(notes(false, 1), 1);
  EXPECT_EQ(notes(true, 1), 1);
  EXPECT_EQ(notes(false, 0), 0);
}

TEST(Pragma, HoldsForTheNestAlone) {
  const Chain g(Int(4), Int(4));
  Schedule s = CreateSchedule({g.c->op});
  Pragma(s[g.b], AxisOf(g.b, 1), "auto_unroll_max_step", 8);
  ExpectSameAnswers(s, g.args());
  EXPECT_EQ(Count<ir::For>(After(s, g.args(), "unroll")), 3);
}

TEST(Pragma, MarkedLoopsCarryTheMarkToTheCodeGenerator) {
  const Chain g(Int(4), Int(4));
  Schedule s = CreateSchedule({g.c->op});
  ComputeInline(s[g.b]);
  Pragma(s[g.c], AxisOf(g.c, 1), "auto_unroll_max_step", 8);
  Pragma(s[g.c], AxisOf(g.c, 1), "unroll_explicit", 0);
  int marked = 0;
  const ir::Module lowered = After(s, g.args(), "intrinsics");
  for (const ir::Func& func : lowered->functions) {
    ir::ForEach<ir::For>(func->body,
                         [&](const ir::For& loop) { marked += loop.annotations.count("unroll"); });
  }
  EXPECT_EQ(marked, 1);
  ExpectSameAnswers(s, g.args());
}

// S21: constant loops are cut only when asked.
TEST(Pragma, S21ConstantLoopsAreCutWhenAsked) {
  for (const bool hint : {false, true}) {
    const Chain g(Int(10), Int(10));
    Schedule s = CreateSchedule({g.c->op});
    ComputeInline(s[g.b]);
    auto [io, ii] = Split(s[g.c], AxisOf(g.c, 0), 4);
    if (hint) Pragma(s[g.c], io, "loop_partition_hint");
    ExpectSameAnswers(s, g.args());
    EXPECT_EQ(Count<ir::For>(After(s, g.args(), "simplify_pieces")) > 3, hint);
  }
}

TEST(Pragma, Refused) {
  const Chain g(Int(4), Int(4));
  Schedule s = CreateSchedule({g.c->op});
  const IterVar i = AxisOf(g.c, 0);
  const Error error = ErrorOf([&] { Pragma(s[g.c], i, "auto_unroll_max_steps", 4); });
  EXPECT_EQ(error.name(), "unknown-pragma");
  EXPECT_NE(std::string(error.what()).find("`auto_unroll_max_step`"), std::string::npos);
  EXPECT_EQ(ErrorOf([&] { Pragma(s[g.c], i, "parallel_barrier_when_finish"); }).name(),
            "unknown-pragma");
  EXPECT_EQ(ErrorOf([&] { Pragma(s[g.c], i, "auto_unroll_max_step", -1); }).name(), "pragma-value");
  EXPECT_EQ(ErrorOf([&] { Pragma(s[g.c], i, "unroll_explicit", 2); }).name(), "pragma-value");
  EXPECT_EQ(ErrorOf([&] { Pragma(s[g.c], AxisOf(g.b, 0), "unroll_explicit"); }).name(),
            "schedule-not-a-leaf");
  // An annotation of a loop is not lost with the loop.
  Pragma(s[g.c], i, "loop_partition_hint");
  EXPECT_EQ(ErrorOf([&] { Split(s[g.c], i, 2); }).name(), "schedule-axis-annotated");
  EXPECT_EQ(ErrorOf([&] { Fuse(s[g.c], {i, AxisOf(g.c, 1)}); }).name(), "schedule-axis-annotated");
}

TEST(Pragma, ImportsAreTheFunctions) {
  const Chain g(Int(4), Int(4));
  Schedule s = CreateSchedule({g.c->op});
  ComputeAt(s[g.b], s[g.c], AxisOf(g.c, 0));
  Pragma(s[g.b], AxisOf(g.b, 1), "import_c", "int one();");
  Pragma(s[g.c], AxisOf(g.c, 0), "import_c", "int two();");
  Pragma(s[g.c], AxisOf(g.c, 1), "import_c", "int one();");
  const ir::Func func = LowerSchedule(s, g.args(), "f");
  EXPECT_EQ(ir::ImportsOf(func->attrs, "c"),
            (std::vector<std::string>{"int one();", "int two();"}));
  // The loops do not hold the imported source, and compute the same as before.
  ir::ForEach<ir::For>(func->body,
                       [](const ir::For& loop) { EXPECT_TRUE(loop.annotations.empty()); });
  const IterVar i = AxisOf(g.c, 0);
  EXPECT_EQ(ErrorOf([&] { Pragma(s[g.c], i, "import_c", 1); }).name(), "pragma-value");
  EXPECT_EQ(ErrorOf([&] { Pragma(s[g.c], i, "unroll_explicit", "1"); }).name(), "pragma-value");
  EXPECT_EQ(ErrorOf([&] { Pragma(s[g.c], i, "import_", "int x;"); }).name(), "unknown-pragma");
}

// -- storage_align

TEST(StorageAlign, RowsLieApart) {
  const Chain g(Int(4), Int(16));
  Schedule s = CreateSchedule({g.c->op});
  StorageAlign(s[g.b], AxisOf(g.b, 0), 16, 1);
  EXPECT_NE(ir::ToText(LowerSchedule(s, g.args(), "f")).find("strides=[17i64, 1i64]"),
            std::string::npos)
      << ir::ToText(LowerSchedule(s, g.args(), "f"));
  ExpectSameAnswers(s, g.args());
}

TEST(StorageAlign, RegionsAndSizes) {
  const Var n = MakeSizeVar("n"), m = MakeSizeVar("m");
  const Chain g(n, m);
  Schedule s = CreateSchedule({g.c->op});
  auto [io, ii] = Split(s[g.c], AxisOf(g.c, 0), 3);
  ComputeAt(s[g.b], s[g.c], io);
  StorageAlign(s[g.b], AxisOf(g.b, 0), 8, 0);
  StorageAlign(s[g.b], AxisOf(g.b, 1), 2, 1);
  ExpectSameAnswers(s, g.args(), {n, m}, {{0, 0}, {1, 1}, {7, 5}, {3, 8}});
}

// Memory without elements has no size, whatever its strides are.
TEST(StorageAlign, Empty) {
  const Tensor x = Placeholder({Int(0), Int(1)}, kF32, "X");
  const Tensor twice =
      Compute({Int(0), Int(1)}, [&](const Indices& i) { return At(x, {i[0], i[1]}) * 2; }, "twice");
  const ir::IterVar k = ReduceAxis(Int(0), Int(0), "k");
  const Tensor least = Compute(
      {Int(1)}, [&](const Indices& i) { return Min(At(twice, {k->var, i[0]}), {k}); }, "least");
  Schedule s = CreateSchedule({least->op});
  StorageAlign(s[twice], AxisOf(twice, 0), 4, 3);
  const std::string flat = ir::ToText(After(s, {x, least}, "flatten"));
  EXPECT_NE(flat.find("allocate twice: float32[0i64]"), std::string::npos) << flat;
  ExpectSameAnswers(s, {x, least});
}

TEST(StorageAlign, Refused) {
  const Chain g(Int(4), Int(4));
  Schedule s = CreateSchedule({g.c->op});
  auto name = [&](const Tensor& t, const IterVar& axis, int64_t factor, int64_t offset) {
    return ErrorOf([&] { StorageAlign(s[t], axis, factor, offset); }).name();
  };
  const char* refused = "schedule-storage-align-refused";
  EXPECT_EQ(name(g.c, AxisOf(g.c, 0), 8, 0), refused);
  EXPECT_EQ(name(g.a, AxisOf(g.c, 0), 8, 0), refused);
  EXPECT_EQ(name(g.b, AxisOf(g.c, 0), 8, 0), refused);
  EXPECT_EQ(name(g.b, AxisOf(g.b, 0), 0, 0), refused);
  EXPECT_EQ(name(g.b, AxisOf(g.b, 0), 8, 8), refused);
  EXPECT_EQ(name(g.b, AxisOf(g.b, 0), 8, 7), "none");
}

// -- prefetch

TEST(Prefetch, RegionOfALaterIteration) {
  const Chain g(Int(8), Int(40));
  Schedule s = CreateSchedule({g.c->op});
  ComputeInline(s[g.b]);
  // The stage must read the tensor itself. C reads A only after lowering, because B is inlined.
  EXPECT_EQ(ErrorOf([&] { Prefetch(s[g.c], g.a, AxisOf(g.c, 0), 2); }).name(),
            "schedule-prefetch-refused");
  const Tensor d =
      Compute({Int(8), Int(40)}, [&](const Indices& i) { return At(g.a, {i[0], i[1]}) * 3; }, "D");
  s = CreateSchedule({d->op});
  Prefetch(s[d], g.a, AxisOf(d, 0), 2);
  const std::string loops = LoopsOf(s, {g.a, d});
  EXPECT_NE(loops.find("prefetch A bounds [range(min(i + 2, 8)"), std::string::npos) << loops;
  ExpectSameAnswers(s, {g.a, d});
  // 40 elements of 4 bytes: three lines.
  const ir::Module flat = After(s, {g.a, d}, "flatten");
  EXPECT_EQ(Count<ir::Prefetch>(flat), 1);
  EXPECT_EQ(Count<ir::For>(flat), 4);
}

TEST(Prefetch, RealizedBuffersAndSizes) {
  const Var n = MakeSizeVar("n");
  const Chain g(n, Int(7));
  Schedule s = CreateSchedule({g.c->op});
  auto [io, ii] = Split(s[g.c], AxisOf(g.c, 0), 4);
  ComputeAt(s[g.b], s[g.c], io);
  Prefetch(s[g.c], g.b, ii, 1);
  ExpectSameAnswers(s, g.args(), {n}, {{0}, {1}, {9}});
}

// The address to prefetch depends on elements that the loop itself computes, so nothing is
// prefetched.
TEST(Prefetch, WhatTheLoopComputesCannotSay) {
  const Tensor a = Placeholder({Int(10)}, kF32, "A"),
               at = Placeholder({Int(6)}, DataType::Int(32), "At");
  const Tensor c = Compute(
      {Int(6)},
      [&](const Indices& i) {
        return At(a, {ir::MakeMax(ir::MakeMin(At(at, {i[0]}), Int(9)), Int(0))});
      },
      "C");
  for (const bool within : {true, false}) {
    SCOPED_TRACE(within);
    Schedule s = CreateSchedule({c->op});
    const Tensor copy = CacheRead(s, at, "local", {c->op});
    if (within) ComputeAt(s[copy], s[c], AxisOf(c, 0));
    Prefetch(s[c], a, AxisOf(c, 0), 0);
    EXPECT_EQ(Count<ir::Prefetch>(After(s, {a, at, c}, "flatten")), within ? 0 : 1);
    ExpectSameAnswers(s, {a, at, c});
  }
}

// The extents of a fused loop are divisors. They are 0 if the loop does not run.
TEST(Prefetch, NothingIsDividedByEmptyLoops) {
  const Var n = MakeSizeVar("n"), m = MakeSizeVar("m");
  const Tensor a = Placeholder({n, m}, kF32, "A");
  const Tensor c = Compute({n, m}, [&](const Indices& i) { return At(a, {i[0], i[1]}) * 3; }, "C");
  Schedule s = CreateSchedule({c->op});
  auto [io, ii] = Split(s[c], AxisOf(c, 0), 5);
  Fuse(s[c], {ii, AxisOf(c, 1)});
  Prefetch(s[c], a, io, 1);
  EXPECT_EQ(Count<ir::Prefetch>(After(s, {a, c}, "flatten")), 1);
  ExpectSameAnswers(s, {a, c}, {n, m}, {{1, 0}, {0, 0}, {0, 3}, {12, 7}});
}

TEST(Prefetch, Refused) {
  const Chain g(Int(8), Int(8));
  Schedule s = CreateSchedule({g.c->op});
  const char* refused = "schedule-prefetch-refused";
  EXPECT_EQ(ErrorOf([&] { Prefetch(s[g.c], g.a, AxisOf(g.c, 0), 1); }).name(), refused);
  EXPECT_EQ(ErrorOf([&] { Prefetch(s[g.c], g.b, AxisOf(g.c, 0), ir::Float(1.0)); }).name(),
            refused);
  EXPECT_EQ(ErrorOf([&] { Prefetch(s[g.a], g.b, AxisOf(g.c, 0), 1); }).name(),
            "schedule-not-a-leaf");
  // A tensor that is computed within the loop, and a loop of vectors.
  Prefetch(s[g.c], g.b, AxisOf(g.c, 0), 1);
  ComputeAt(s[g.b], s[g.c], AxisOf(g.c, 0));
  EXPECT_EQ(ErrorOf([&] { LowerSchedule(s, g.args(), "f"); }).name(), refused);
  s = CreateSchedule({g.c->op});
  Prefetch(s[g.c], g.b, AxisOf(g.c, 1), 1);
  Vectorize(s[g.c], AxisOf(g.c, 1));
  EXPECT_EQ(ErrorOf([&] { LowerSchedule(s, g.args(), "f"); }).name(), refused);
}

// -- Notes about hints without effect

std::vector<std::string> NotesOf(const Schedule& s, const std::vector<NodeRef>& args) {
  std::vector<std::string> notes;
  lower::PassContext context;
  context.note = [&](const Diagnostic& note) {
    EXPECT_EQ(note.name, "hint-without-effect");
    notes.push_back(note.message);
    const std::string text = lower::NoteText(note);
    EXPECT_TRUE(text.starts_with("note[hint-without-effect]: `")) << text;
  };
  driver::Lower(s, args, "f", context);
  return notes;
}
using Notes = std::vector<std::string>;

TEST(HintNotes, PrefetchesThatAreLeftOut) {
  const Chain g(Int(6), Int(8));
  Schedule s = CreateSchedule({g.c->op});
  Prefetch(s[g.c], g.b, AxisOf(g.c, 0), 1);
  EXPECT_EQ(NotesOf(s, g.args()), Notes());
  ComputeInline(s[g.b]);
  EXPECT_EQ(NotesOf(s, g.args()),
            Notes{"`prefetch` at loop `i` of stage `C` has no effect: `B` is inlined and has no "
                  "memory"});
}

TEST(HintNotes, UnrollingThatFindsNoLoop) {
  const Var n = MakeSizeVar("n");
  const Chain g(n, n);
  Schedule s = CreateSchedule({g.c->op});
  ComputeInline(s[g.b]);
  Pragma(s[g.c], AxisOf(g.c, 0), "auto_unroll_max_step", 8);
  const std::string at = "`auto_unroll_max_step` at loop `i` of stage `C` has no effect: ";
  EXPECT_EQ(NotesOf(s, g.args()), Notes{at + "no serial loop in it has a constant extent"});
  auto [outer, inner] = Split(s[g.c], AxisOf(g.c, 1), 16);
  EXPECT_EQ(NotesOf(s, g.args()),
            Notes{at + "each serial loop in it has more iterations than statements may be made"});
  Pragma(s[g.c], AxisOf(g.c, 0), "auto_unroll_max_step", 16);
  EXPECT_EQ(NotesOf(s, g.args()), Notes());
}

TEST(HintNotes, PartitionsThatCutNothing) {
  const Chain g(Int(64), Int(64));
  Schedule s = CreateSchedule({g.c->op});
  ComputeInline(s[g.b]);
  auto [outer, inner] = Split(s[g.c], AxisOf(g.c, 1), 16);
  Pragma(s[g.c], outer, "loop_partition_hint");
  const Notes notes = NotesOf(s, g.args());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("`loop_partition_hint` at loop `j.outer` of stage `C`"),
            std::string::npos)
      << notes[0];
}

// -- set_store_predicate

// S3, S51: a condition of the user, not marked likely. Here it only leaves out a second store.
TEST(StorePredicate, S3NotLikely) {
  const Chain g(Int(6), Int(8));
  Schedule s = CreateSchedule({g.c->op});
  auto [io, ii] = Split(s[g.c], AxisOf(g.c, 0), 4);
  SetStorePredicate(s[g.c], AxisOf(g.c, 0)->var < 6);  // true whenever the guard is
  const std::string loops = ir::ToText(LowerSchedule(s, g.args(), "f"));
  EXPECT_NE(loops.find("if i.outer * 4 + i.inner < 6"), std::string::npos) << loops;
  EXPECT_NE(loops.find("if likely(i.outer * 4 + i.inner < 6)"), std::string::npos) << loops;
  ExpectSameAnswers(s, g.args());
}

TEST(StorePredicate, ReductionsAndDerivedAxes) {
  const Tensor a = Placeholder({Int(6), Int(8)}, kF32, "A");
  const IterVar k = te::ReduceAxis(Int(0), Int(8), "k");
  const Tensor c =
      Compute({Int(6)}, [&](const Indices& i) { return Sum(At(a, {i[0], k->var}), {k}); }, "C");
  Schedule s = CreateSchedule({c->op});
  auto [ko, ki] = Split(s[c], k, 4);
  SetStorePredicate(s[c], ki->var >= 0);
  ExpectSameAnswers(s, {a, c});
  // This predicate really leaves stores out.
  SetStorePredicate(s[c], ki->var < 2);
  const std::string loops = ir::ToText(LowerSchedule(s, {a, c}, "f"));
  EXPECT_NE(loops.find("if k.inner < 2"), std::string::npos) << loops;
}

TEST(StorePredicate, Refused) {
  const Chain g(Int(4), Int(4));
  Schedule s = CreateSchedule({g.c->op});
  const char* refused = "schedule-predicate-refused";
  auto name = [&](const Tensor& t, const Expr& e) {
    return ErrorOf([&] { SetStorePredicate(s[t], e); }).name();
  };
  const Var i = AxisOf(g.c, 0)->var;
  EXPECT_EQ(name(g.c, Expr(i)), refused);
  EXPECT_EQ(name(g.a, i < 2), refused);
  EXPECT_EQ(name(g.b, i < 2), refused);
  EXPECT_EQ(name(g.c, At(g.a, {i, i}) < ir::Float(1.0)), refused);
  EXPECT_EQ(name(g.c, i < 4), "none");
  // A cross-thread reduction decides itself which threads store.
  const IterVar k = te::ReduceAxis(Int(0), Int(4), "k");
  const Tensor sum =
      Compute({Int(4)}, [&](const Indices& j) { return Sum(At(g.a, {j[0], k->var}), {k}); }, "S");
  s = CreateSchedule({sum->op});
  Bind(s[sum], AxisOf(sum, 0), ThreadAxis("blockIdx.x"));
  Bind(s[sum], k, ThreadAxis("threadIdx.x"));
  EXPECT_EQ(name(sum, k->var < 1), "none");
  EXPECT_EQ(ErrorOf([&] { LowerSchedule(s, {g.a, sum}, "f"); }).name(), refused);
  // That it is the first one is no other choice.
  EXPECT_EQ(name(sum, ir::Equal(k->var, Int(0))), "none");
  EXPECT_EQ(ErrorOf([&] { LowerSchedule(s, {g.a, sum}, "f"); }).name(), "none");
}

}  // namespace
}  // namespace lathe::schedule
