// Kernels that failed in random runs, after shrinking. Each is checked before and after every pass.
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "schedule/trace.h"
#include "tests/check/check_passes.h"
#include "tests/prove/check.h"

namespace lathe::prove {
namespace {

CheckResult Checked(const char* text) {
  const ir::Program program = ir::ParseProgram(text);
  const schedule::Loaded loaded = schedule::FromProgram(program);
  CheckOptions options;
  options.kernels = true;
  for (int64_t size : {5, 0, 1, 2}) options.sizes.emplace_back(program->vars.size(), size);
  return CheckSchedule(loaded.schedule, loaded.args, program->vars, options);
}

// Runs the passes up to barriers only, interpreted before and after each pass. Small programs leave
// loops unbound, which would become host code and be refused.
void ExpectProved(const char* text) {
  const ir::Program program = ir::ParseProgram(text);
  const schedule::Loaded loaded = schedule::FromProgram(program);
  const ir::Func func = schedule::LowerSchedule(loaded.schedule, loaded.args, "f");
  std::vector<lower::Pass> passes(lower::TilePasses().begin(), lower::TilePasses().end());
  for (const lower::Pass& pass : lower::DevicePasses()) {
    const std::string name = pass.name;
    if (name == "split_device") break;
    if (name != "verify_memory" && name != "warp_memory") passes.push_back(pass);
  }
  for (int64_t size : {5, 0, 1, 2}) {
    try {
      lower::CheckPasses(ir::MakeModule({func}), passes,
                         std::vector<int64_t>(program->vars.size(), size), 3);
    } catch (const std::exception& e) {
      ADD_FAILURE() << "size " << size << ": " << e.what();
    }
  }
}

void ExpectRefused(const char* text, const std::string& name) {
  const CheckResult result = Checked(text);
  EXPECT_EQ(result.kind, CheckResult::kRefused) << result.where << "\n" << result.detail;
  EXPECT_EQ(result.where, name);
}

// Threads that a nested loop adds have no iteration of the narrower loop around it.
TEST(KernelRegression, ThreadsBeyondANarrowerLoopAround) {
  ExpectProved(R"(program f {
  placeholder A0: float8_e5m2[1, 1]
  compute T0[i in range(1)] over [r0 in range(1)] = prod(max(min(A0[r0, i], 2.0_float8_e5m2), -2.0_float8_e5m2), axis=[r0])
  args [A0, T0]
  schedule {
    A0.shared = cache_read(output=0, readers=(list<handle>("T0")), scope=shared, stage=A0)
    T0.i.outer, T0.i.inner = split(axis=T0.i, factor=2i64)
    bind(axis=T0.i.inner, thread=threadIdx.x)
    compute_at(axis=T0.i.inner, stage=A0.shared)
    A0.shared.i.j.fused = fuse(axes=(list<handle>("A0.shared.i", "A0.shared.j")), stage=A0.shared)
    A0.shared.i.j.fused.outer, A0.shared.i.j.fused.inner = split(axis=A0.shared.i.j.fused, factor=4i64)
    bind(axis=A0.shared.i.j.fused.inner, thread=threadIdx.x)
  }
})");
}

// The size of a copied buffer still referred to a virtual thread that no longer enclosed it.
TEST(KernelRegression, VirtualThreadsNeedMemoryOfDifferentSizes) {
  ExpectProved(R"(program f {
  var n0: size
  var n1: size
  placeholder A0: uint64[1, n0, n1]
  placeholder A1: int32[n0]
  compute T0[i in range(1), j in range(n0), k in range(n1)] = A0[i, max(min(A1[j], n0 - 1), 0), k]
  compute T1[i in range(1), j in range(n0), k in range(n1 + 2)] = select(k - 1 >= 0 and k - 1 < n1, T0[i, j, k - 1], 1u64)
  compute T2[i in range(1), j in range(n0), k in range(n1)] = T1[i, j, k] + T1[i, j, k + 2]
  compute T3[i in range(1), j in range(n0), k in range(n1)] = if_then_else(j + -1 >= 0 and j + -1 < n0, T2[i, j + -1, k], 0u64) + if_then_else(j + 2 >= 0 and j + 2 < n0, T2[i, j + 2, k], 0u64)
  args [A0, A1, T3]
  schedule {
    T3.i.j.fused.k.fused = fuse(axes=(list<handle>("T3.i", "T3.j", "T3.k")), stage=T3)
    T2.i.j.fused.k.fused = fuse(axes=(list<handle>("T2.i", "T2.j", "T2.k")), stage=T2)
    T2.i.j.fused.k.fused.outer, T2.i.j.fused.k.fused.inner = split(axis=T2.i.j.fused.k.fused, factor=8i64)
    T2.i.j.fused.k.fused.inner.outer, T2.i.j.fused.k.fused.inner.inner = split(axis=T2.i.j.fused.k.fused.inner, nparts=2i64)
    bind(axis=T2.i.j.fused.k.fused.inner.outer, thread=vthread)
    compute_at(axis=T2.i.j.fused.k.fused.inner.outer, stage=T1)
  }
})");
}

// Fewer threads than the block has stored something private, and all threads of the block read it.
TEST(KernelRegression, MemoryOfFewerThreadsIsReadByThoseAlone) {
  ExpectProved(R"(program f {
  placeholder A0: int32[0, 3]
  compute T0[i in range(3)] over [r0 in range(0)] = max(A0[r0, i], axis=[r0])
  compute T1[i in range(3)] = select(max(min(T0[i], 64), -64) < i, i, max(min(T0[i], 64), -64))
  compute T2[] over [r0 in range(3)] = min(T1[r0], axis=[r0], where=r0 % 2 == 0)
  args [A0, T2]
  schedule {
    T1.local = cache_read(output=0, readers=(list<handle>("T2")), scope=local, stage=T1)
    T2.r0.outer, T2.r0.inner = split(axis=T2.r0, factor=3i64)
    bind(axis=T2.r0.inner, thread=threadIdx.x)
    compute_at(axis=T2.r0.inner, stage=T1.local)
    T1.local.i.outer, T1.local.i.inner = split(axis=T1.local.i, factor=8i64)
    compute_at(axis=T1.local.i.outer, stage=T1)
    set_scope(scope=shared, stage=T1)
    T1.i.outer, T1.i.inner = split(axis=T1.i, factor=8i64)
    bind(axis=T1.i.inner, thread=threadIdx.x)
    T0.i.outer, T0.i.inner = split(axis=T0.i, factor=3i64)
    bind(axis=T0.i.outer, thread=blockIdx.x)
  }
})");
}

// A region over a loop whose extent depends on an outer loop, which varies too.
TEST(KernelRegression, LoopsFurtherOutVaryAsWell) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A: int32[4, n0]
  compute T[i in range(4), j in range(n0)] = A[i, j] * 2
  compute B[i in range(n0), j in range(4)] = T[j, i] - T[j, n0 - 1 - i]
  args [A, B]
  schedule {
    T.shared = cache_read(output=0, readers=(list<handle>("B")), scope=shared, stage=T)
    T.local = cache_write(scope=local, stage=T)
    B.i.j.fused = fuse(axes=(list<handle>("B.i", "B.j")), stage=B)
    B.i.j.fused.outer, B.i.j.fused.inner = split(axis=B.i.j.fused, factor=3i64)
    bind(axis=B.i.j.fused.inner, thread=threadIdx.x)
    compute_at(axis=B.i.j.fused.inner, stage=T.shared)
    T.shared.i.j.fused = fuse(axes=(list<handle>("T.shared.i", "T.shared.j")), stage=T.shared)
    T.shared.i.j.fused.outer, T.shared.i.j.fused.inner = split(axis=T.shared.i.j.fused, factor=8i64)
    compute_at(axis=T.shared.i.j.fused.outer, stage=T)
  }
})");
}

// Loops of a stage attached within a reduction over threads were mistaken for the reduction's own.
TEST(KernelRegression, AttachedThreadsAreNoneOfTheReductions) {
  ExpectProved(R"(program f {
  placeholder A0: uint8[1]
  placeholder A1: uint8[1]
  compute T0[i in range(1)] over [k in range(1)] = sum(if_then_else(i + k - 1 >= 0 and i + k - 1 < 1, A0[i + k - 1], 0u8) * A1[k], axis=[k])
  args [A0, A1, T0]
  schedule {
    A1.shared = cache_read(output=0, readers=(list<handle>("T0")), scope=shared, stage=A1)
    bind(axis=T0.k, thread=threadIdx.x)
    compute_at(axis=T0.k, stage=A1.shared)
    A1.shared.i.outer, A1.shared.i.inner = split(axis=A1.shared.i, factor=2i64)
    bind(axis=A1.shared.i.inner, thread=threadIdx.x)
  }
})");
}

// In a kernel for a reduction over no elements, no thread stored the identity.
TEST(KernelRegression, AReductionOfNothingIsStored) {
  ExpectProved(R"(program f {
  placeholder T0: float64[1, 0, 17]
  compute T1[i in range(1), j in range(17)] over [r1 in range(0)] = prod(T0[i, r1, j], axis=[r1])
  compute T2[i in range(1), j in range(17)] = T1[i, j] - T1[i, j]
  args [T0, T2]
  schedule {
    T1.warp = cache_read(output=0, readers=(list<handle>("T2")), scope=warp, stage=T1)
    T2.j.outer, T2.j.inner = split(axis=T2.j, factor=4i64)
    reorder(axes=(list<handle>("T2.i", "T2.j.inner", "T2.j.outer")), stage=T2)
    bind(axis=T2.i, thread=blockIdx.x)
    compute_at(axis=T2.j.inner, stage=T1.warp)
    T1.warp.j.outer, T1.warp.j.inner = split(axis=T1.warp.j, factor=4i64)
    bind(axis=T1.warp.j.inner, thread=threadIdx.x)
    T1.i.j.fused = fuse(axes=(list<handle>("T1.i", "T1.j")), stage=T1)
    bind(axis=T1.i.j.fused, thread=blockIdx.x)
    bind(axis=T1.r1, thread=threadIdx.x)
  }
})");
}

// Private values of threads were stored only by the threads of the narrower loop.
TEST(KernelRegression, NestedThreadsReadWhatOuterOnesHave) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A0: int16[n0, 1, 1]
  compute T0[i in range(n0 + 2), j in range(1), k in range(1)] = if_then_else(i - 1 >= 0 and i - 1 < n0, A0[i - 1, j, k], 1i16)
  compute T1[i in range(n0), j in range(1), k in range(1)] = T0[i, j, k] + T0[i + 2, j, k]
  args [A0, T1]
  schedule {
    T0.shared = cache_read(output=0, readers=(list<handle>("T1")), scope=shared, stage=T0)
    T1.i.j.fused.k.fused = fuse(axes=(list<handle>("T1.i", "T1.j", "T1.k")), stage=T1)
    T1.i.j.fused.k.fused.outer, T1.i.j.fused.k.fused.inner = split(axis=T1.i.j.fused.k.fused, factor=2i64)
    bind(axis=T1.i.j.fused.k.fused.inner, thread=threadIdx.x)
    compute_at(axis=T1.i.j.fused.k.fused.inner, stage=T0.shared)
    T0.shared.i.j.fused.k.fused = fuse(axes=(list<handle>("T0.shared.i", "T0.shared.j", "T0.shared.k")), stage=T0.shared)
    T0.shared.i.j.fused.k.fused.outer, T0.shared.i.j.fused.k.fused.inner = split(axis=T0.shared.i.j.fused.k.fused, factor=4i64)
    bind(axis=T0.shared.i.j.fused.k.fused.inner, thread=threadIdx.x)
    compute_at(axis=T0.shared.i.j.fused.k.fused.outer, stage=T0)
  }
})");
}

// All threads of an environment accumulated into one element.
TEST(KernelRegression, OneThreadOfAnEnvironmentStores) {
  ExpectProved(R"(program f {
  placeholder A: int32[6]
  compute T[] over [r in range(6)] = sum(A[r], axis=[r])
  args [A, T]
  schedule {
    env_threads(extents=(list<handle>(1, 4)), stage=T, threads=(list<handle>("blockIdx.x", "threadIdx.x")))
  }
})");
}

// A shared cache that no loop divides: one thread fills it, from memory that is the same for all
// threads.
TEST(KernelRegression, OneThreadAccumulatesWhatNoLoopDivides) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder A0: int32[1]
  placeholder A2: int32[1, n0]
  compute T1[i in range(n0)] over [k in range(1)] = sum(A0[k] * A2[k, i], axis=[k])
  args [A0, A2, T1]
  schedule {
    A2.local = cache_read(output=0, readers=(list<handle>("T1")), scope=local, stage=A2)
    T1.shared = cache_write(scope=shared, stage=T1)
    T1.i.outer, T1.i.inner = split(axis=T1.i, factor=2i64)
    bind(axis=T1.i.inner, thread=threadIdx.x)
    compute_at(axis=T1.i.inner, stage=T1.shared)
    compute_at(axis=T1.shared.i.c, stage=A2.local)
  }
})");
}

// A thread read for a loop of no iterations, because it would read the same in each of them.
TEST(KernelRegression, ALoopOverThreadsWithoutIterationsReadsNothing) {
  ExpectProved(R"(program f {
  var n0: size
  placeholder T0: float32[1, n0]
  compute T1[i in range(1), j in range(n0)] = min(T0[i, j], T0[i, j])
  compute T2[i in range(1)] over [r1 in range(min(i, n0))] = sum(T1[i, r1], axis=[r1])
  args [n0, T0, T2]
  schedule {
    T2.r1.outer, T2.r1.inner = split(axis=T2.r1, factor=2i64)
    bind(axis=T2.r1.outer, thread=threadIdx.x)
  }
})");
}

// A thread's private memory that all threads fill together and one of them reads.
TEST(KernelRegression, MemoryOfEachThreadIsNotReadByOthers) {
  ExpectRefused(R"(program f {
  placeholder A0: int32[6]
  compute T0[i in range(6)] = A0[i] * 2
  compute T1[] over [r in range(6)] = sum(T0[r], axis=[r])
  args [A0, T1]
  schedule {
    T1.singleton = fuse(axes=(list<handle>()), stage=T1)
    bind(axis=T1.singleton, thread=blockIdx.x)
    compute_at(axis=T1.singleton, stage=T0)
    set_scope(scope=local, stage=T0)
    T0.i.outer, T0.i.inner = split(axis=T0.i, factor=2i64)
    bind(axis=T0.i.inner, thread=threadIdx.x)
  }
})",
                "private-memory-shared");
}

// Shuffles stood in the arms of a choice, and lanes take different arms.
TEST(KernelRegression, S18_LanesShuffleBeforeTheyChoose) {
  const CheckResult result = Checked(R"(program f {
  placeholder A0: float32[1, 4]
  compute T1[i in range(1), j in range(4)] = if_then_else(A0[i, 3 - j] * 2.0 != 2.0, A0[i, 3 - j] * 2.0, 2.0)
  args [A0, T1]
  schedule {
    A0.warp = cache_read(output=0, readers=(list<handle>("T1")), scope=warp, stage=A0)
    T1.j.outer, T1.j.inner = split(axis=T1.j, factor=4i64)
    bind(axis=T1.j.inner, thread=threadIdx.x)
    compute_at(axis=T1.j.inner, stage=A0.warp)
    A0.warp.j.outer, A0.warp.j.inner = split(axis=A0.warp.j, factor=4i64)
    bind(axis=A0.warp.j.inner, thread=threadIdx.x)
  }
})");
  EXPECT_EQ(result.kind, CheckResult::kOk) << result.where << "\n" << result.detail;
}

}  // namespace
}  // namespace lathe::prove
