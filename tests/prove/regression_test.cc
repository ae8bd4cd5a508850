// Programs that failed in random runs, after shrinking.
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "lower/pipeline.h"
#include "schedule/primitives/primitives.h"
#include "schedule/trace.h"
#include "te/operation.h"
#include "tests/check/check_passes.h"
#include "tests/prove/check.h"

namespace lathe::prove {
namespace {

// Checks the program of the text with its trace: with the interpreter after each pass, and by the
// trace's round trip.
void ExpectProved(const char* text, std::vector<std::vector<int64_t>> sizes = {{}}) {
  const ir::Program program = ir::ParseProgram(text);
  const schedule::Loaded loaded = schedule::FromProgram(program);
  CheckOptions options;
  options.passes = true;
  options.sizes = std::move(sizes);
  const CheckResult result = CheckSchedule(loaded.schedule, loaded.args, program->vars, options);
  EXPECT_EQ(result.kind, CheckResult::kOk) << result.where << "\n" << result.detail;
}

// The arm that a Select does not choose read A0[-1] (S27).
TEST(Regression, SelectGuardsALoad) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A0: float32[n0]
  compute T0[i in range(n0 + 2)] = select(i - 1 >= 0 and i - 1 < n0, A0[i - 1], 1.0)
  compute T1[i in range(n0)] = T0[i] + T0[i + 1] + T0[i + 2]
  args [A0, T1]
})",
               {{0}, {1}, {5}});
}

// A data axis and a reduction axis with the same name: the trace referred to the wrong one.
TEST(Regression, AxesOfOneName) {
  auto k = te::ReduceAxis(ir::Int(0), ir::Int(5), "k"),
       k2 = te::ReduceAxis(ir::Int(0), ir::Int(3), "k");
  auto a = te::Placeholder({ir::Int(2), ir::Int(3), ir::Int(4), ir::Int(5), ir::Int(3)},
                           DataType::Int(32), "A");
  auto c = te::Compute(
      {ir::Int(2), ir::Int(3), ir::Int(4)},
      [&](const te::Indices& i) {
        return te::Sum(te::At(a, {i[0], i[1], i[2], k->var, k2->var}), {k, k2});
      },
      "C");
  auto s = schedule::CreateSchedule({c->op});
  auto cache = schedule::CacheWrite(s, c, "local")[0];
  auto [outer, inner] = schedule::Split(s[cache], k2, 2);
  schedule::Reorder(s[cache], {outer, schedule::AxisOf(cache, 2), k, inner});
  schedule::ComputeAt(s[cache], s[c], schedule::AxisOf(c, 1));
  CheckOptions options;
  options.sizes = {{}};
  const CheckResult result = CheckSchedule(s, {a, c}, {}, options);
  EXPECT_EQ(result.kind, CheckResult::kOk) << result.where << "\n" << result.detail;
}

// A copy of an input for two readers, one of which reads the other: the reader of the second one
// kept its old operation.
TEST(Regression, CacheReadOfReadersInAChain) {
  ExpectProved(R"(program f {
  placeholder A0: float32[6]
  compute T0[i in range(6)] = A0[i] + 1.0
  compute T1[i in range(6)] = T0[i] - A0[i]
  compute T2[i in range(6)] = T1[5 - i] - 2.0
  args [A0, T2]
  schedule {
    A0.global = cache_read(output=0, readers=(list<handle>("T0", "T1")), scope=global, stage=A0)
  }
})");
}

// A loop that runs lane by lane kept a vectorized loop inside.
TEST(Regression, VectorizedLoopWithinOneWithoutVectorForm) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A0: float32[n0, 3]
  placeholder A1: float32[3, 17]
  compute T0[i in range(n0), j in range(17)] over [k in range(3)] = sum(A0[i, k] * A1[k, j], axis=[k])
  args [A0, A1, T0]
  schedule {
    T0.global = cache_write(scope=global, stage=T0)
    T0.global.j.c.outer, T0.global.j.c.inner = split(axis=T0.global.j.c, nparts=2i64)
    T0.global.i.c.outer, T0.global.i.c.inner = split(axis=T0.global.i.c, factor=8i64)
    vectorize(axis=T0.global.i.c.inner)
    vectorize(axis=T0.global.j.c.outer)
  }
})",
               {{0}, {1}, {11}});
}

// A stage computed at a loop of an extern operation disappeared.
TEST(Regression, AttachedToTheLoopOfAnExtern) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A0: float32[n0]
  op T0 = ExternOp(inputs=[A0], input_buffers=[A0_1: float32[n0](name="A0")], output_buffers=[T0_1: float32[n0](name="T0")], body=stmt {
    for x0 in range(n0) {
      T0_1[x0] = max(A0_1[x0], 1.0)
    }
  })
  args [A0, T0]
  schedule {
    A0.local = cache_read(output=0, readers=(list<handle>("T0")), scope=local, stage=A0)
    T0.singleton = fuse(axes=(list<handle>()), stage=T0)
    compute_at(axis=T0.singleton, stage=A0.local)
  }
})",
               {{0}, {1}, {5}});
}

// A group attached to a loop that rfactor moves was not moved along.
TEST(Regression, GroupAttachedToALoopThatRFactorMoves) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A0: float32[n0]
  compute T0[i in range(n0)] = A0[i] + 1.0
  compute T1[] over [r0 in range(3, extent=n0)] = sum(T0[r0 - 3], axis=[r0])
  args [A0, T1]
  schedule {
    group = create_group(include_inputs=1, inputs=(list<handle>()), outputs=(list<handle>("T0")))
    compute_at(axis=T1.r0, group=group)
    T1.r0.outer, T1.r0.inner = split(axis=T1.r0, factor=4i64)
    T1.rf = rfactor(axis=T1.r0.outer, factor_axis=-1i64)
    compute_at(axis=T1.r0.outer, stage=T1.rf)
  }
})",
               {{0}, {1}, {9}});
}

// A body inlined into an arm of a selection has its own if_then_else. That did not guard what the
// selection guards.
TEST(Regression, SelectGuardsWhatIsInlinedIntoIt) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A0: float16[0, n0]
  compute T0[i in range(0), j in range(n0)] = if_then_else(j - 1 >= 0, A0[i, j - 1], 0.0f16)
  compute T1[i in range(2), j in range(n0)] = select(i - 1 >= 0 and i - 1 < 0, T0[i - 1, j], 1.0f16)
  args [n0, A0, T1]
  schedule {
    compute_inline(stage=T0)
  }
})",
               {{0}, {1}, {3}});
}

// The region of a stage at the root was divided by an extent that inner loops had shown to be
// positive. Outside of them it may be 0.
TEST(Regression, RegionDividesByAnExtentOfLoopsThatDoNotRun) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A0: int16[17, n0]
  compute T0[i in range(17), j in range(n0)] = A0[i, j] + 1i16
  args [A0, T0]
  schedule {
    T0.global = cache_write(scope=global, stage=T0)
    T0.local = cache_write(scope=local, stage=T0)
    T0.local.1 = cache_write(scope=local, stage=T0)
    compute_at(axis=T0.local.1.j.c, stage=T0.local)
    T0.local.1.i.c.j.c.fused = fuse(axes=(list<handle>("T0.local.1.i.c", "T0.local.1.j.c")), stage=T0.local.1)
    T0.local.1.i.c.j.c.fused.outer, T0.local.1.i.c.j.c.fused.inner = split(axis=T0.local.1.i.c.j.c.fused, factor=2i64)
  }
})",
               {{0}, {1}, {5}});
}

// Primitives got the stage's own list of loops as an argument, and changed it.
TEST(Regression, AxesGivenFromTheStagesOwnLeaves) {
  auto a = te::Placeholder({ir::Int(5), ir::Int(7)}, DataType::Int(32), "A");
  auto c = te::Compute(
      {ir::Int(5), ir::Int(7)}, [&](const te::Indices& i) { return te::At(a, {i[0], i[1]}); }, "C");
  auto s = schedule::CreateSchedule({c->op});
  schedule::Stage& stage = s[c];
  schedule::Tile(stage, stage.leaf_axes[0], stage.leaf_axes[1], 2, 3);
  schedule::Fuse(stage, stage.leaf_axes);
  EXPECT_EQ(stage.leaf_axes.size(), 1u);
  CheckOptions options;
  options.sizes = {{}};
  const CheckResult result = CheckSchedule(s, {a, c}, {}, options);
  EXPECT_EQ(result.kind, CheckResult::kOk) << result.where << "\n" << result.detail;
}

// Memory with a copy for each lane lost its allocation, if a statement inside has no vector form.
TEST(Regression, AllocationWithinAVectorizedLoop) {
  ExpectProved(R"(program f {
  var n0: size
  var n1: size
  placeholder A0: float32[5, n0, n1]
  placeholder A1: float32[1, 1]
  compute T0[i in range(5), j in range(n0), k in range(n1)] = if_then_else(A0[i, j, k] != A1[0, 0], A0[i, j, k], 2.0)
  args [A0, A1, T0]
  schedule {
    T0.i.outer, T0.i.inner = split(axis=T0.i, factor=4i64)
    A0.local = cache_read(output=0, readers=(list<handle>("T0")), scope=local, stage=A0)
    compute_at(axis=T0.i.outer, stage=A0.local)
    T0.j.outer, T0.j.inner = split(axis=T0.j, factor=2i64)
    vectorize(axis=T0.i.outer)
  }
})",
               {{3, 4}, {1, 1}, {0, 2}});
}

// The stage attached to was freed before the diagnostic used it.
TEST(Regression, AttachedToAnInlinedStage) {
  auto a = te::Placeholder({ir::Int(6)}, DataType::Int(32), "A");
  auto b =
      te::Compute({ir::Int(6)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + 1; }, "B");
  auto c =
      te::Compute({ir::Int(6)}, [&](const te::Indices& i) { return te::At(b, {i[0]}) * 2; }, "C");
  auto d =
      te::Compute({ir::Int(6)}, [&](const te::Indices& i) { return te::At(c, {i[0]}) - 1; }, "D");
  auto s = schedule::CreateSchedule({d->op});
  schedule::ComputeAt(s[b], s[c], schedule::AxisOf(c, 0));
  schedule::ComputeInline(s[c]);
  CheckOptions options;
  options.sizes = {{}};
  const CheckResult result = CheckSchedule(s, {a, d}, {}, options);
  EXPECT_EQ(result.kind, CheckResult::kRefused) << result.where << "\n" << result.detail;
  EXPECT_EQ(result.where, "schedule-illegal-attach");
}

// A fuse that was refused at its second pair changed the schedule, but the trace did not record it.
TEST(Regression, RefusedFuseChangesNothing) {
  auto k = te::ReduceAxis(ir::Int(0), ir::Int(4), "k");
  auto a = te::Placeholder({ir::Int(5), ir::Int(7), ir::Int(4)}, DataType::Int(32), "A");
  auto c = te::Compute(
      {ir::Int(5), ir::Int(7)},
      [&](const te::Indices& i) { return te::Sum(te::At(a, {i[0], i[1], k->var}), {k}); }, "C");
  auto s = schedule::CreateSchedule({c->op});
  EXPECT_THROW(schedule::Fuse(s[c], {schedule::AxisOf(c, 0), schedule::AxisOf(c, 1), k}), Error);
  EXPECT_EQ(s[c].leaf_axes.size(), 3u);
  EXPECT_EQ(s[c].all_axes.size(), 3u);
}

// A size and a reduction axis with the same name: the program's text called the axis `k_1`, but the
// steps of its schedule did not.
TEST(Regression, ASizeAndAnAxisOfOneName) {
  const ir::Var size = ir::MakeSizeVar("k");
  auto k = te::ReduceAxis(ir::Int(0), size, "k");
  auto a = te::Placeholder({ir::Int(5), size}, DataType::Int(32), "A");
  auto c = te::Compute(
      {ir::Int(5)}, [&](const te::Indices& i) { return te::Sum(te::At(a, {i[0], k->var}), {k}); },
      "C");
  auto s = schedule::CreateSchedule({c->op});
  schedule::Reorder(s[c], {schedule::Split(s[c], k, 3).first, schedule::AxisOf(c, 0)});
  schedule::SetStorePredicate(s[c], schedule::AxisOf(c, 0)->var < 5);
  CheckOptions options;
  options.sizes = {{0}, {1}, {7}};
  const CheckResult result = CheckSchedule(s, {a, c}, {size}, options);
  EXPECT_EQ(result.kind, CheckResult::kOk) << result.where << "\n" << result.detail;
}

// Interprets before and after every pass, with these sizes in order of appearance.
void ExpectPassesKeep(const char* text, const std::vector<std::vector<int64_t>>& sizes) {
  for (const std::vector<int64_t>& at : sizes) {
    try {
      const ir::Module tile = lower::CheckPasses(ir::ParseModule(text), lower::TilePasses(), at, 7);
      lower::CheckPasses(tile, lower::FlatPasses(), at, 7);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

// S50. A fused loop reads the rows at its index divided by the inner extent. The region of a
// producer computed outside had this division even if the loop does not run.
TEST(Regression, S50_RegionUnderAFusedLoopOfExtentZero) {
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  auto a = te::Placeholder({n, m}, DataType::Int(32), "A");
  auto stage = [&](const te::Tensor& from, const char* name) {
    return te::Compute(
        {n, m}, [&](const te::Indices& i) { return te::At(from, {i[0], i[1]}) + 1; }, name);
  };
  auto b = stage(a, "B"), c = stage(b, "C"), d = stage(c, "D");
  auto s = schedule::CreateSchedule({d->op});
  const auto fused = schedule::Fuse(s[d], {schedule::AxisOf(d, 0), schedule::AxisOf(d, 1)});
  schedule::ComputeAt(s[c], s[d], schedule::Split(s[d], fused, 4).first);
  CheckOptions options;
  options.passes = true;
  options.sizes = {{0, 0}, {3, 0}, {0, 3}, {3, 5}};
  const CheckResult result = CheckSchedule(s, {a, d}, {n, m}, options);
  EXPECT_EQ(result.kind, CheckResult::kOk) << result.where << "\n" << result.detail;
}

// S50. A negative extent was requested from the workspace as a little less than 2^64.
TEST(Regression, S50_NegativeExtentsAllocateNothing) {
  ExpectPassesKeep(R"(
func f(C: int32[n: size]) {
  allocate S: int32[n - 3]
  for i in range(n - 3) { S[i] = i }
  for i in range(n - 3) { C[i] = S[i] + 1 }
})",
                   {{0}, {2}, {3}, {9}});
}

// S50. The place where a loop is cut depends on a division by a size. It was computed before the
// loop over that size was known to run.
TEST(Regression, S50_CutsOfLoopsDoNotDivideByASizeOfZero) {
  ExpectPassesKeep(R"(
func f(C: int32[n: size], m: size) {
  for i in range(n) {
    for j in range(m) { if likely(i * m + j < n) { C[i * m + j] = i } }
  }
})",
                   {{5, 0}, {0, 0}, {0, 3}, {5, 3}, {5, 9}});
}

// A part of a scan's memory got the strides of the whole state.
TEST(Regression, ATensorizedStageReadsAPartOfAScan) {
  ExpectProved(R"(given placeholder p0: int32[5]
given compute T1.intrin[i in range(5)] = 0 - p0[i] + p0[i]
given var p0.step0: int32
given var T1.intrin.step1: int32
given intrin T1.intrin_1 = TensorIntrin(name="T1.intrin", op=op T1.intrin, inputs=[p0], buffers=[p0_1: int32[5](name="p0", strides=[p0.step0], offset_factor=1), T1.intrin_2: int32[5](name="T1.intrin", strides=[T1.intrin.step1], offset_factor=1)], body=stmt {
  for i in range(5) {
    T1.intrin_2[i] = 0 - p0_1[i] + p0_1[i]
  }
})
program f {
  placeholder A0: int32[5, 1, 2]
  compute T0.init0[i in range(1), j in range(1), k in range(2)] = A0[i, j, k]
  placeholder T0.state0: int32[5, 1, 2]
  compute T0.middle0[i in range(5), j in range(1), k in range(2)] = max(T0.state0[i - 1, j, k], T0.state0[i - 1, j, k])
  compute T0.update0[i in range(5), j in range(1), k in range(2)] = max(min(T0.middle0[i, j, k] + A0[i, j, k], 64), -64)
  op T0 = ScanOp(scan_axis=T0.time in range(1, extent=4) ordered, spatial_axis=[T0.v0.ax1 in range(1) opaque, T0.v0.ax2 in range(2) opaque], init=[T0.init0], update=[T0.update0], state=[T0.state0])
  compute T1[i in range(5), j in range(1), k in range(2)] = 0 - T0[i, j, k] + T0[i, j, k]
  args [A0, T1]
  schedule {
    T1.i.outer, T1.i.inner = split(axis=T1.i, factor=5i64)
    reorder(axes=(list<handle>("T1.k", "T1.i.outer", "T1.j", "T1.i.inner")), stage=T1)
    tensorize(axis=T1.i.inner, intrin=(intrin T1.intrin_1))
    compute_at(axis=T1.j, stage=T0)
  }
})");
}

// The address of a prefetch became a vector.
TEST(Regression, PrefetchWithinVectors) {
  ExpectProved(R"(program f {
  var n0: size
  var n1: size
  placeholder A0: int64[n0, n1]
  compute T0[i in range(n0), j in range(n1)] = A0[i, j] * A0[i, j]
  compute T1[i in range(n0), j in range(n1)] = if_then_else(i + -1 >= 0 and i + -1 < n0, A0[i + -1, j], 0i64) + if_then_else(i + 1 >= 0 and i + 1 < n0, A0[i + 1, j], 0i64)
  args [A0, T0, T1]
  schedule {
    A0.local = cache_read(output=0, readers=(list<handle>("T0", "T1")), scope=local, stage=A0)
    T0.i.outer, T0.i.inner = split(axis=T0.i, factor=2i64)
    vectorize(axis=T0.i.inner)
    prefetch(axis=T0.j, offset=2, output=0, tensor=A0.local)
  }
})",
               {{4, 3}, {0, 3}, {1, 0}});
}

// The loops of a prefetch in what is computed ahead were the same objects in every copy.
TEST(Regression, PrefetchesOfWhatIsComputedAhead) {
  ExpectProved(R"(program f {
  placeholder A0: float32[0, 0, 0]
  compute T0[i in range(0), j in range(0)] over [r2 in range(0)] = prod(max(min(A0[i, j, r2], 2.0), -2.0), axis=[r2])
  placeholder A1: float32[2]
  compute T1[i in range(0), j in range(0)] over [k in range(2)] = sum(if_then_else(i + k - 1 >= 0 and i + k - 1 < 0, T0[i + k - 1, j], 0.0) * A1[k], axis=[k])
  args [A0, A1, T1]
  schedule {
    A0.local = cache_read(output=0, readers=(list<handle>("T0")), scope=local, stage=A0)
    compute_at(axis=T0.i, stage=A0.local)
    pipeline(async=1, axis=T0.i, stages=3)
    prefetch(axis=A0.local.i, offset=0, output=0, tensor=A0)
  }
})",
               {{}});
}

// The region for both readers was computed as if the loops of both ran: too small where one has no
// iterations.
TEST(Regression, S50_AReaderWithoutIterationsDoesNotNarrowTheOthersNeed) {
  ExpectProved(R"(program f {
  var n0: size
  var n1: size
  placeholder A0: float16[n0, 3]
  compute T0[i in range(n0), j in range(3)] = A0[i, j] * 2.0f16
  placeholder A2: float16[n1]
  compute T1[i in range(n0), j in range(2)] over [k in range(n1)] = sum(if_then_else(j * 2 + k - 1 >= 0 and j * 2 + k - 1 < 3, T0[i, j * 2 + k - 1], 0.0f16) * A2[k], axis=[k])
  placeholder A3: float16[1]
  compute T2[i in range(n0), j in range(2)] over [k in range(1)] = sum(if_then_else(j * 2 + k - 1 >= 0 and j * 2 + k - 1 < 3, T0[i, j * 2 + k - 1], 0.0f16) * A3[k], axis=[k])
  args [A0, A2, A3, T1, T2]
})",
               {{1, 0}, {2, 3}});
}

// The guard of what is computed in front of a loop without iterations was left out.
TEST(Regression, S50_APartIsGuardedWhereLoopsFurtherInDoNotRun) {
  ExpectProved(R"(program f {
  var n: size
  placeholder A: int32[4, n + 2]
  compute B[i in range(4), j in range(n + 2)] = A[i, j] * 2
  compute C[i in range(4)] over [k in range(n)] = sum(B[i, k] + B[i, 2], axis=[k])
  args [n, A, C]
  schedule {
    compute_at(axis=C.i, stage=B)
  }
})",
               {{0}, {1}, {5}});
}

// A parallel loop that only prefetches a tensor did not get its address.
TEST(Regression, AParallelLoopThatOnlyPrefetches) {
  ExpectProved(R"(program f {
  placeholder A0: float16[2i64, 1i64]
  compute T0[i in range(2i64), j in range(1i64)] = A0[i, j] + A0[i, j]
  compute T1[i in range(2i64)] over [r1 in range(1i64)] = argmin(r1, T0[i, r1], axis=[r1], where=r1 >= 1i64)
  args [A0, T1.v0, T1.v1]
  schedule {
    T0.j.outer, T0.j.inner = split(axis=T0.j, factor=5i64)
    compute_at(axis=T1.i, stage=T0)
    parallel(axis=T1.i)
    prefetch(axis=T0.j.outer, offset=5, output=0, tensor=A0)
  }
})",
               {{}});
}

// One lane's store used the scalar that had become a vector around it.
TEST(Regression, AVectorOfArgMaxOverSymbolicExtents) {
  ExpectProved(R"(program f {
  var n1: size
  var n2: size
  var n0: size
  placeholder T1: float16[n1, n2, n0]
  compute T2[i in range(n2)] over [r0 in range(n1), r2 in range(n0)] = argmax(r0 * 32 + r2, T1[r0, i, r2], axis=[r0, r2])
  args [n0, n1, n2, T1, T2.v0, T2.v1]
  schedule {
    T2.i.outer, T2.i.inner = split(axis=T2.i, factor=2i64)
    vectorize(axis=T2.i.inner)
  }
})",
               {{3, 4, 5}});
}

// A predicate on a reduction's loops stayed after rfactor had moved the loops.
TEST(Regression, RFactorOfWhatAPredicateSpeaksOf) {
  const ir::Program program = ir::ParseProgram(R"(program f {
  placeholder A: float32[8, 8]
  compute T[i in range(8)] over [k in range(8)] = sum(A[i, k], axis=[k])
  args [A, T]
  schedule {
    set_store_predicate(predicate="k * (k + 1) % 2 == 0", stage=T)
    T.rf = rfactor(axis=T.k, factor_axis=0i64)
  }
})");
  try {
    schedule::FromProgram(program);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.name(), "schedule-predicate-refused");
  }
}

// One loop of a sequence remained and was counted twice, so memory of other data was overwritten.
TEST(Regression, UnrollingLeavesOneLoopOfASequence) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A0: int64[n0, 4, 7, 0]
  compute T0[i in range(n0), j in range(4), k in range(0)] over [r2 in range(7)] = argmax(r2, A0[i, j, r2, k], axis=[r2], where=r2 % 2 == 0)
  placeholder A1: int64[1, n0, 1]
  compute T1[i in range(4), j in range(n0), k in range(0)] = min(max(min(T0.v1[n0 - 1 - j, i, k], 64i64), -64i64), A1[0, j, 0])
  args [A0, A1, T1]
  schedule {
    A1.local = cache_read(output=0, readers=(list<handle>("T1")), scope=local, stage=A1)
    T0.r2.outer, T0.r2.inner = split(axis=T0.r2, factor=16i64)
    T0.rf = rfactor(axis=T0.r2.inner, factor_axis=1i64)
    compute_at(axis=T0.j, stage=T0.rf)
    pipeline(async=0, axis=T0.j, stages=4)
    compute_at(axis=T1.j, stage=A1.local)
    reorder(axes=(list<handle>("T0.r2.inner", "T0.i", "T0.k", "T0.j")), stage=T0)
    compute_root(stage=T0)
    T0.rf.i.outer, T0.rf.i.inner = split(axis=T0.rf.i, factor=4i64)
    vectorize(axis=T0.rf.i.inner)
    A1.local.k.outer, A1.local.k.inner = split(axis=A1.local.k, factor=4i64)
    vectorize(axis=A1.local.k.inner)
    parallel(axis=T0.rf.i.outer)
    pragma(axis=T0.r2.inner, key=auto_unroll_max_step, value=32)
    pragma(axis=T0.r2.inner, key=auto_unroll_max_depth, value=1)
  }
})",
               {{3}, {0}, {1}});
}

// A copy that reads what another copy of the same step fills started before that copy had landed.
TEST(Regression, AsynchronousCopiesDoNotFollowEachOther) {
  const ir::Program program = ir::ParseProgram(R"(program f {
  placeholder A: int32[8]
  compute T[i in range(8)] = A[i] + 1
  args [A, T]
  schedule {
    A.global = cache_read(output=0, readers=(list<handle>("T")), scope=global, stage=A)
    A.global.global = cache_read(output=0, readers=(list<handle>("T")), scope=global, stage=A.global)
    compute_at(axis=T.i, stage=A.global.global)
    compute_at(axis=T.i, stage=A.global)
    pipeline(async=1, axis=T.i, stages=2)
  }
})");
  const schedule::Loaded loaded = schedule::FromProgram(program);
  CheckOptions options;
  options.passes = true;
  options.sizes = {{}};
  const CheckResult result = CheckSchedule(loaded.schedule, loaded.args, program->vars, options);
  EXPECT_EQ(result.kind, CheckResult::kRefused) << result.detail;
  EXPECT_EQ(result.where, "pipeline-refused");
}

// Neighbours of a vectorized copy lay `factor` elements apart in memory. One asynchronous copy of
// two elements filled only the first.
TEST(Regression, AsyncCopyIntoSpacedElements) {
  ExpectProved(R"(program f {
  placeholder A: float32[1, 2]
  compute M[i in range(1)] over [k in range(2)] = max(A[i, k], axis=[k])
  args [A, M]
  schedule {
    A.global = cache_read(output=0, readers=(list<handle>("M")), scope=global, stage=A)
    compute_at(axis=M.i, stage=A.global)
    pipeline(async=1, axis=M.i, stages=3)
    storage_align(axis=A.global.j, factor=16, offset=11)
    vectorize(axis=A.global.j)
  }
})");
}

// The address to prefetch two iterations ahead was read from an element beyond the end.
TEST(Regression, PrefetchThroughAnIndexBeyondTheEnd) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A0: bool[n0, 2]
  placeholder A1: int32[n0]
  compute T0[i in range(n0), j in range(2)] = A0[max(min(A1[i], n0 - 1), 0), j]
  args [A0, A1, T0]
  schedule {
    T0.i.j.fused = fuse(axes=(list<handle>("T0.i", "T0.j")), stage=T0)
    prefetch(axis=T0.i.j.fused, offset=2, output=0, tensor=A0)
  }
})",
               {{1}, {0}, {5}});
}

}  // namespace
}  // namespace lathe::prove
