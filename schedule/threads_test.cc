// Schedules with thread axes: scopes, regions, extents, reductions over threads.

#include <string>
#include <vector>

#include "arith/simplify_stmt.h"
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "schedule/loop_nest.h"
#include "schedule/normalize.h"
#include "schedule/primitives/primitives.h"
#include "schedule/trace.h"
#include "te/operation.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;
using ir::MakeSizeVar;

std::string Text(const Schedule& s, std::vector<NodeRef> args) {
  ir::PrintOptions options;
  options.short_form = true;
  return ir::ToText(arith::Simplify(LowerSchedule(s, args, "f")), options);
}

template <class F>
std::string NameOfError(F run) {
  try {
    run();
  } catch (const Error& e) {
    return std::string(e.name());
  }
  return "no error";
}

// B[i] = P[i] + P[i + 1], P[i] = A[i] * 2.
struct Chain {
  explicit Chain(const Expr& n) {
    a = Placeholder({n + 1}, DataType::Float(32), "A");
    p = Compute({n + 1}, [&](const Indices& i) { return At(a, {i[0]}) * 2; }, "P");
    b = Compute({n}, [&](const Indices& i) { return At(p, {i[0]}) + At(p, {i[0] + 1}); }, "B");
  }
  Tensor a, p, b;
};

struct BoundChain : Chain {
  explicit BoundChain(const Expr& n) : Chain(n), s(CreateSchedule({b->op})) {
    std::tie(outer, inner) = Split(s[b], AxisOf(b, 0), 32);
    Bind(s[b], outer, ThreadAxis("blockIdx.x"));
    Bind(s[b], inner, ThreadAxis("threadIdx.x"));
  }
  Schedule s;
  IterVar outer, inner;
};

TEST(Threads, S10_ScopeFollowsFromTheThreadsAround) {
  BoundChain c(Int(64));
  EXPECT_EQ(StorageScope(*Normalize(c.s)->FindByName("P")), "global");
  ComputeAt(c.s[c.p], c.s[c.b], c.outer);
  EXPECT_EQ(StorageScope(*Normalize(c.s)->FindByName("P")), "shared");
  ComputeAt(c.s[c.p], c.s[c.b], c.inner);
  EXPECT_EQ(StorageScope(*Normalize(c.s)->FindByName("P")), "local");
  c.s[c.p].scope = "shared";
  EXPECT_EQ(StorageScope(*Normalize(c.s)->FindByName("P")), "shared");
}

// Values that a block's threads share lie in shared memory; values of one thread lie in its own.
TEST(Threads, S11_ThreadsAreRelaxedInMemoryTheyShare) {
  for (const auto& [scope, region] : std::vector<std::pair<std::string, std::string>>{
           {"shared", "range(i.outer * 32, extent=33)"},
           {"warp", "range(i.outer * 32, extent=33)"},
           {"local", "range(i.outer * 32 + i.inner, extent=2)"},
           {"global", "range(65)"}}) {
    BoundChain c(Int(64));
    ComputeAt(c.s[c.p], c.s[c.b], c.inner);
    c.s[c.p].scope = scope;
    const std::string text = Text(c.s, {c.a, c.b});
    EXPECT_NE(text.find("bounds [" + region + "]"), std::string::npos) << scope << "\n" << text;
  }
}

TEST(Threads, S11_WarpMemoryIsPrivateAcrossTheOtherAxes) {
  Tensor a = Placeholder({Int(8), Int(32)}, DataType::Float(32), "A");
  Tensor p =
      Compute({Int(8), Int(32)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) * 2; }, "P");
  Tensor b = Compute(
      {Int(8), Int(32)}, [&](const Indices& i) { return At(p, {i[0], Int(31) - i[1]}); }, "B");
  Schedule s = CreateSchedule({b->op});
  Bind(s[b], AxisOf(b, 0), ThreadAxis("threadIdx.y"));
  Bind(s[b], AxisOf(b, 1), ThreadAxis("threadIdx.x"));
  ComputeAt(s[p], s[b], AxisOf(b, 1));
  s[p].scope = "warp";
  const std::string text = Text(s, {a, b});
  EXPECT_NE(text.find("bounds [range(i, extent=1), range(32)]"), std::string::npos) << text;
}

// If a thread axis derives from a split, the split's factor stays, so that all stages agree on the
// axis. Other systems reduced it for short tensors, and launched a kernel with too few threads.
TEST(Threads, S5_SplitOfAThreadAxisIsNotTightened) {
  Chain c(Int(7));
  Schedule s = CreateSchedule({c.b->op});
  auto [outer, inner] = Split(s[c.b], AxisOf(c.b, 0), 32);
  Bind(s[c.b], inner, ThreadAxis("threadIdx.x"));
  Bind(s[c.b], outer, ThreadAxis("blockIdx.x"));
  ComputeInline(s[c.p]);
  const std::string text = Text(s, {c.a, c.b});
  EXPECT_NE(text.find("thread(\"threadIdx.x\") for i.inner in range(32)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("if likely(i.inner < 7)"), std::string::npos) << text;
}

TEST(Threads, S5_OtherSplitsAre) {
  Chain c(Int(7));
  Schedule s = CreateSchedule({c.b->op});
  Split(s[c.b], AxisOf(c.b, 0), 32);
  ComputeInline(s[c.p]);
  EXPECT_EQ(Text(s, {c.a, c.b}).find("likely"), std::string::npos);
}

// A thread axis counts from 0, even if its region does not.
TEST(Threads, S6_BoundAxesAreRebased) {
  BoundChain c(Int(64));
  ComputeAt(c.s[c.p], c.s[c.b], c.outer);
  Bind(c.s[c.p], AxisOf(c.p, 0), ThreadAxis("threadIdx.x"));
  const std::string text = Text(c.s, {c.a, c.b});
  EXPECT_NE(text.find("thread(\"threadIdx.x\") for i in range(33)"), std::string::npos) << text;
  EXPECT_NE(text.find("P[i + i.outer * 32] ="), std::string::npos) << text;
}

// Each thread computes its own two elements. The axis is not bound again, which would leave all but
// two threads idle. The buffer does not grow to the block's size.
TEST(Threads, S45_PrivateStageWithinItsThreadIsAPlainLoop) {
  BoundChain c(Int(64));
  ComputeAt(c.s[c.p], c.s[c.b], c.inner);
  Bind(c.s[c.p], AxisOf(c.p, 0), ThreadAxis("threadIdx.x", Int(32)));
  const std::string text = Text(c.s, {c.a, c.b});
  EXPECT_NE(text.find("bounds [range(i.outer * 32 + i.inner, extent=2)]"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n      for i in range(2) {"), std::string::npos) << text;
}

TEST(Threads, SeveralStagesFillSharedMemoryTogether) {
  BoundChain c(Int(70));
  Tensor cache = CacheRead(c.s, c.a, "shared", {c.p->op});
  ComputeAt(c.s[c.p], c.s[c.b], c.inner);
  ComputeAt(c.s[cache], c.s[c.b], c.outer);
  auto [o, t] = Split(c.s[cache], c.s[cache].leaf_axes[0], 32);
  (void)o;
  Bind(c.s[cache], t, ThreadAxis("threadIdx.x"));
  EXPECT_EQ(Text(c.s, {c.a, c.b}), R"(func f(A: float32[71], B: float32[70]) {
  thread("blockIdx.x") for i.outer in range(3) {
    realize A.shared: float32[71](scope="shared") bounds [range(i.outer * 32, extent=33)]
    for i.outer_1 in range(2) {
      thread("threadIdx.x") for i.inner in range(32) {
        if likely(i.outer_1 * 32 + i.inner < 33) and likely(i.outer_1 * 32 + i.inner + i.outer * 32 < 71) {
          A.shared[i.outer_1 * 32 + i.inner + i.outer * 32] = A[i.outer_1 * 32 + i.inner + i.outer * 32]
        }
      }
    }
    thread("threadIdx.x") for i.inner in range(32) {
      realize P: float32[71](scope="local") bounds [range(i.outer * 32 + i.inner, extent=2)]
      for i in range(2) {
        if likely(i + (i.outer * 32 + i.inner) < 71) {
          P[i + (i.outer * 32 + i.inner)] = A.shared[i + (i.outer * 32 + i.inner)] * 2.0
        }
      }
      if likely(i.outer * 32 + i.inner < 70) {
        B[i.outer * 32 + i.inner] = P[i.outer * 32 + i.inner] + P[i.outer * 32 + i.inner + 1]
      }
    }
  }
}
)");
}

struct RowSum {
  explicit RowSum(Expr init = {}) {
    a = Placeholder({Int(4), Int(50)}, DataType::Float(32), "A");
    k = te::ReduceAxis(Int(0), Int(50), "k");
    b = Compute(
        {Int(4)},
        [&](const Indices& i) { return Sum(At(a, {i[0], k->var}), {k}, {}, init ? init : Expr()); },
        "B");
    s = CreateSchedule({b->op});
  }
  Tensor a, b;
  IterVar k;
  Schedule s;
};

// Lanes out of range keep the identity. The write-back does not depend on whether this thread's
// last element was in range (S17).
TEST(Threads, S17_LanesOutOfRangeKeepTheIdentity) {
  RowSum r;
  auto [io, ii] = Split(r.s[r.b], AxisOf(r.b, 0), 3);
  (void)io, (void)ii;
  auto [ko, ki] = Split(r.s[r.b], r.k, 32);
  (void)ko;
  Bind(r.s[r.b], ki, ThreadAxis("threadIdx.x"));
  EXPECT_EQ(Text(r.s, {r.a, r.b}), R"(func f(A: float32[4, 50], B: float32[4]) {
  for i.outer in range(2) {
    for i.inner in range(3) {
      attr "cross_thread_reduction" = 1
      if likely(i.outer * 3 + i.inner < 4) {
        B[i.outer * 3 + i.inner] = 0.0
      }
      thread("threadIdx.x") for k.inner in range(32) {
        realize B.part: float32[1](scope="local") bounds [range(1)]
        B.part[0] = 0.0
        if likely(i.outer * 3 + i.inner < 4) {
          for k.outer in range(2) {
            if likely(k.outer * 32 + k.inner < 50) {
              B.part[0] = B.part[0] + A[i.outer * 3 + i.inner, k.outer * 32 + k.inner]
            }
          }
        }
        if likely(i.outer * 3 + i.inner < 4) {
          attr "cross_thread_combine" = 1
          B[i.outer * 3 + i.inner] = B[i.outer * 3 + i.inner] + B.part[0]
        }
      }
    }
  }
}
)");
}

TEST(Threads, S16_WhatAReductionOverThreadsCannotBe) {
  {
    RowSum r(ir::Float(1));
    Bind(r.s[r.b], r.k, ThreadAxis("threadIdx.x"));
    EXPECT_EQ(NameOfError([&] { Text(r.s, {r.a, r.b}); }), "schedule-allreduce-init");
  }
  {
    RowSum r;
    Bind(r.s[r.b], r.k, ThreadAxis("threadIdx.x"));
    Reorder(r.s[r.b], {r.k, AxisOf(r.b, 0)});
    EXPECT_EQ(NameOfError([&] { Text(r.s, {r.a, r.b}); }), "schedule-allreduce-order");
  }
}

TEST(Threads, ReductionIntoMemoryOfOneThread) {
  RowSum r;
  Tensor c = Compute({Int(4)}, [&](const Indices& i) { return At(r.b, {i[0]}) + 1; }, "C");
  Schedule s = CreateSchedule({c->op});
  Bind(s[c], AxisOf(c, 0), ThreadAxis("threadIdx.y"));
  ComputeAt(s[r.b], s[c], AxisOf(c, 0));
  Bind(s[r.b], r.k, ThreadAxis("threadIdx.x"));
  EXPECT_EQ(NameOfError([&] { Text(s, {r.a, c}); }), "schedule-allreduce-scope");
  s[r.b].scope = "shared";
  EXPECT_EQ(NameOfError([&] { Text(s, {r.a, c}); }), "no error");
}

TEST(Threads, S47_BlocksDoNotReduce) {
  RowSum r;
  EXPECT_EQ(NameOfError([&] { Bind(r.s[r.b], r.k, ThreadAxis("blockIdx.x")); }),
            "schedule-annotate-reduction");
  EXPECT_EQ(NameOfError([&] { Bind(r.s[r.b], r.k, ThreadAxis("vthread")); }),
            "schedule-annotate-reduction");
}

TEST(Threads, EnvThreadsAreCheckedAndRecorded) {
  Chain c(Int(8));
  Schedule s = CreateSchedule({c.b->op});
  const IterVar tx = ThreadAxis("threadIdx.x", Int(8));
  EXPECT_EQ(NameOfError([&] { EnvThreads(s[c.a], {tx}); }), "schedule-env-threads");
  EXPECT_EQ(NameOfError([&] { EnvThreads(s[c.b], {AxisOf(c.b, 0)}); }), "schedule-env-threads");
  EXPECT_EQ(NameOfError([&] { EnvThreads(s[c.b], {ThreadAxis("threadIdx.x")}); }),
            "schedule-env-threads");
  EXPECT_EQ(NameOfError([&] { EnvThreads(s[c.b], {tx, tx}); }), "schedule-env-threads");
  Bind(s[c.b], AxisOf(c.b, 0), ThreadAxis("threadIdx.y"));
  EXPECT_EQ(NameOfError([&] { EnvThreads(s[c.b], {ThreadAxis("threadIdx.y", Int(2))}); }),
            "schedule-env-threads");
  EnvThreads(s[c.b], {ThreadAxis("blockIdx.x", Int(1)), tx});
  const std::string text = Text(s, {c.a, c.b});
  EXPECT_NE(text.find("thread(\"blockIdx.x\") for B.blockIdx.x in range(1)"), std::string::npos)
      << text;
  const Program program = ToProgram(s, {c.a, c.b}, "f");
  const Loaded loaded = FromProgram(program);
  EXPECT_EQ(Text(loaded.schedule, loaded.args), text);
}

}  // namespace
}  // namespace lathe::schedule
