// Threads and devices: S16-S19, S25, S40, S43-S45.
#include <memory>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "lower/device/split_device.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "schedule/trace.h"
#include "tests/check/check_device.h"

namespace lathe::semantics {
namespace {

// Interprets the program as kernels after every pass, with each thread run separately. Returns what
// is wrong (races, divergent barriers, other values), or "". A refusal is returned by its name.
std::string Problem(const std::string& program, const std::vector<int64_t>& sizes = {},
                    const lower::PassContext& context = {}, ir::Module* split = nullptr) {
  try {
    const schedule::Loaded loaded = schedule::FromProgram(ir::ParseProgram(program));
    return lower::CheckDevice(loaded.schedule, loaded.args, sizes, context, split);
  } catch (const Error& error) {
    const Diagnostic& d = error.diagnostic();
    return d.name + ": " + d.message + " " + d.expected + " " + d.found;
  }
}

// Row sums, scheduled with the given steps.
std::string RowSums(const std::string& columns, const std::string& steps,
                    const std::string& init = "") {
  return "program f {\n  placeholder A: int32[6, " + columns +
         "]\n  compute C[i in range(6)] over [k in range(" + columns +
         ")] = sum(A[i, k], axis=[k]" + init + ")\n  args [A, C]\n  schedule {\n" + steps +
         "\n  }\n}\n";
}

TEST(Semantics, S16_WhatAReductionOverThreadsCannotBe) {
  EXPECT_TRUE(Problem(RowSums("8",
                              "reorder(axes=(list<handle>(\"C.k\", \"C.i\")), stage=C)\n"
                              "bind(axis=C.k, thread=threadIdx.x)"))
                  .starts_with("schedule-allreduce-order"));
  EXPECT_TRUE(Problem(RowSums("8", "bind(axis=C.k, thread=threadIdx.x)", ", init=[3]"))
                  .starts_with("schedule-allreduce-init"));
}

// A known fault of other compilers: lanes beyond the extent added the old contents of their
// registers.
TEST(Semantics, S17_LanesOutOfRangeTakeTheIdentity) {
  EXPECT_EQ(Problem(RowSums("10",
                            "C.o, C.x = split(axis=C.k, factor=4)\n"
                            "bind(axis=C.i, thread=blockIdx.x)\n"
                            "bind(axis=C.k.inner, thread=threadIdx.x)")),
            "");
}

TEST(Semantics, S18_AReductionsMemoryIsReusedOnlyAfterABarrier) {
  // The rows are a loop within the kernel. Each row reuses the memory of the reduction tree.
  EXPECT_EQ(Problem(RowSums("8",
                            "C.o, C.x = split(axis=C.i, factor=3)\n"
                            "bind(axis=C.i.outer, thread=blockIdx.x)\n"
                            "bind(axis=C.k, thread=threadIdx.x)")),
            "");
}

TEST(Semantics, S19_ExtentsThatAreNoPowerOfTwoWork) {
  for (const char* columns : {"1", "2", "3", "5", "6", "7", "12", "13"}) {
    EXPECT_EQ(Problem(RowSums(columns,
                              "bind(axis=C.i, thread=blockIdx.x)\n"
                              "bind(axis=C.k, thread=threadIdx.x)")),
              "")
        << columns;
  }
}

// A tile that all threads fill and all threads read, again in every iteration of a loop.
std::string Staged() {
  return R"(program f {
  placeholder A: int32[4, 16]
  compute B[i in range(4), j in range(16)] = A[i, j] * 2
  compute C[i in range(4), j in range(16)] = B[i, 15 - j] + 1
  args [A, C]
  schedule {
    bind(axis=C.j, thread=threadIdx.x)
    set_scope(scope=shared, stage=B)
    compute_at(axis=C.i, stage=B)
    bind(axis=B.j, thread=threadIdx.x)
    C.singleton = fuse(axes=(list<handle>()), stage=C)
    bind(axis=C.singleton, thread=blockIdx.x)
  }
})";
}

// A known fault of other compilers: a loop was analysed only once, and its second iteration
// overwrote data that others still read.
TEST(Semantics, S25_HazardsBetweenIterationsGetABarrier) { EXPECT_EQ(Problem(Staged()), ""); }

TEST(Semantics, S40_KernelsTakePointersThenScalarsAndLaunchesEndWithSharedMemory) {
  ir::Module split;
  EXPECT_EQ(Problem(R"(program f {
  var n: size
  var m: size
  placeholder A: int32[n, m]
  compute C[i in range(n), j in range(m)] = A[i, j] + 1
  args [A, C]
  schedule {
    bind(axis=C.i, thread=blockIdx.x)
    C.o, C.x = split(axis=C.j, factor=4)
    bind(axis=C.j.inner, thread=threadIdx.x)
  }
})",
                    {3, 6}, {}, &split),
            "");
  const lower::SplitModules parts = lower::Separate(split);
  ASSERT_EQ(parts.device->functions.size(), 1u);
  const ir::Func& kernel = parts.device->functions[0];
  bool scalars = false;
  for (const ir::NodeRef& param : kernel->params) {
    const bool pointer = ir::As<ir::VarNode>(param)->dtype.is_handle();
    EXPECT_FALSE(pointer && scalars) << "a pointer behind a scalar";
    scalars = scalars || !pointer;
  }
  EXPECT_TRUE(scalars);
  EXPECT_EQ(lower::LaunchTags(kernel), (std::vector<std::string>{"blockIdx.x", "threadIdx.x"}));
}

// A known fault of other compilers: a private buffer became as large as the whole block needs.
TEST(Semantics, S45_PrivateMemoryHoldsOneThreadsPart) {
  ir::Module split;
  EXPECT_EQ(Problem(R"(program f {
  placeholder A: int32[64]
  compute B[i in range(64)] = A[i] * 2
  compute C[i in range(64)] = B[i] + 1
  args [A, C]
  schedule {
    C.o, C.x = split(axis=C.i, factor=16)
    bind(axis=C.i.outer, thread=blockIdx.x)
    bind(axis=C.i.inner, thread=threadIdx.x)
    set_scope(scope=local, stage=B)
    compute_at(axis=C.i.outer, stage=B)
    bind(axis=B.i, thread=threadIdx.x)
  }
})",
                    {}, {}, &split),
            "");
  EXPECT_NE(ir::ToText(split).find("B: int32[1]"), std::string::npos) << ir::ToText(split);
}

TEST(Semantics, S43_AnUnboundLoopOverDeviceMemoryAsksWhetherItWasForgotten) {
  const std::string problem = Problem(RowSums("8", ""));
  EXPECT_TRUE(problem.starts_with("unbound-device-loop")) << problem;
  EXPECT_NE(problem.find("did you forget to bind?"), std::string::npos) << problem;
}

TEST(Semantics, S44_AKernelBeyondTheDeviceIsRefusedByItsLimit) {
  auto machine = std::make_shared<target::Machine>();
  machine->axes = {{"blockIdx.x", 0}, {"threadIdx.x", 0}};
  machine->memory = {{.scope = "shared"}};
  machine->limits = {{"max_threads_per_block", 8}};
  lower::PassContext context;
  context.device = machine;
  const std::string problem = Problem(Staged(), {}, context);
  EXPECT_TRUE(problem.starts_with("device-limit")) << problem;
  EXPECT_NE(problem.find("max_threads_per_block"), std::string::npos) << problem;
  EXPECT_NE(problem.find("16"), std::string::npos) << problem;
}

}  // namespace
}  // namespace lathe::semantics
