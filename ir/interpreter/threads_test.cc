// Threads in the interpreter: barriers, shuffles, atomics, asynchronous copies, and each error that
// threads can make.

#include <functional>
#include <numeric>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"
#include "ir/text/parser.h"

namespace lathe::ir {
namespace {

constexpr uint64_t kSeeds[] = {0, 1, 2, 3, 77};

struct Outcome {
  std::vector<std::vector<float>> data;
  Diagnostic error{.name = "no error"};
  std::string Notes() const {
    std::string out;
    for (const std::string& note : error.notes) out += note + "\n";
    return out;
  }
};

// Runs the module's first function on float32 vectors of these lengths, filled with 0, 1, 2, ...
Outcome Execute(const std::string& text, const std::vector<size_t>& lengths, uint64_t seed = 0,
                InterpretOptions options = {}) {
  Outcome out;
  const Module module = ParseModule(text);
  std::vector<InterpValue> args;
  for (const size_t length : lengths) {
    out.data.emplace_back(length);
    std::iota(out.data.back().begin(), out.data.back().end(), 0.0f);
  }
  for (std::vector<float>& data : out.data) {
    args.emplace_back(
        InterpTensor::Of(data.data(), DataType::Float(32), {static_cast<int64_t>(data.size())}));
  }
  options.interleaving = seed;
  try {
    Interpret(module, module->functions[0]->name, args, options);
  } catch (const Error& error) {
    out.error = error.diagnostic();
  }
  return out;
}

std::string Kernel(const std::string& params, const std::string& body) {
  return "func f(" + params + ") with {calling_convention = \"kernel\"} {\n" + body + "\n}\n";
}

// A body for 64 threads of one block.
std::string Block64(const std::string& body) {
  return "thread(\"blockIdx.x\") for bx in range(1) {\n"
         "thread(\"threadIdx.x\") for tx in range(64) {\n" +
         body + "\n}\n}";
}

TEST(InterpretThreads, ABarrierOrdersSharedMemory) {
  const std::string text = Kernel("A: float32[64], B: float32[64]", Block64(R"(
      allocate S: float32[64](scope="shared")
      S[tx] = A[tx]
      barrier("shared")
      B[tx] = S[63 - tx]
  )"));
  for (const uint64_t seed : kSeeds) {
    const Outcome out = Execute(text, {64, 64}, seed);
    EXPECT_EQ(out.error.name, "no error") << out.error.message;
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(out.data[1][i], 63 - static_cast<float>(i));
  }
}

TEST(InterpretThreads, AMissingBarrierIsARace) {
  const std::string text = Kernel("A: float32[64], B: float32[64]", Block64(R"(
      allocate S: float32[64](scope="shared")
      S[tx] = A[tx]
      B[tx] = S[63 - tx]
  )"));
  for (const uint64_t seed : kSeeds) {
    const Outcome out = Execute(text, {64, 64}, seed);
    EXPECT_EQ(out.error.name, "interpret-race") << out.error.message;
    EXPECT_NE(out.Notes().find("S[tx] = A[tx]"), std::string::npos) << out.Notes();
    EXPECT_NE(out.Notes().find("S[63 - tx]"), std::string::npos) << out.Notes();
    EXPECT_NE(out.Notes().find("threadIdx.x = "), std::string::npos) << out.Notes();
  }
}

TEST(InterpretThreads, WritesOfOneValueDoNotRace) {
  const char* body = R"(
      allocate S: float32[1](scope="shared")
      S[0] = %
      barrier("shared")
      B[tx] = S[0]
  )";
  std::string same = body, different = body;
  same.replace(same.find('%'), 1, "5.0");
  different.replace(different.find('%'), 1, "B[tx]");
  EXPECT_EQ(Execute(Kernel("B: float32[64]", Block64(same)), {64}).error.name, "no error");
  EXPECT_EQ(Execute(Kernel("B: float32[64]", Block64(different)), {64}).error.name,
            "interpret-race");
}

TEST(InterpretThreads, BlocksAreNeverOrdered) {
  const Outcome out = Execute(Kernel("A: float32[8]", R"(
      thread("blockIdx.x") for bx in range(8) {
        if bx < 7 { A[bx] = A[bx + 1] }
      })"),
                              {8});
  EXPECT_EQ(out.error.name, "interpret-race");
  EXPECT_NE(out.error.message.find("different blocks"), std::string::npos);
}

TEST(InterpretThreads, AReadOfWhatNobodyWritesIsUninitialized) {
  const std::string text = Kernel("B: float32[64]", Block64(R"(
      allocate S: float32[64](scope="shared")
      if tx > 0 { S[tx] = 1.0 }
      barrier("shared")
      B[tx] = S[tx]
  )"));
  const Outcome out = Execute(text, {64});
  EXPECT_EQ(out.error.name, "interpret-uninitialized");
  EXPECT_NE(out.Notes().find("tx = 0"), std::string::npos) << out.Notes();
}

TEST(InterpretThreads, SharedMemoryHasBounds) {
  const Outcome out = Execute(Kernel("B: float32[64]", Block64(R"(
      allocate S: float32[64](scope="shared")
      S[tx + 1] = 1.0
      B[tx] = 0.0
  )")),
                              {64});
  EXPECT_EQ(out.error.name, "interpret-out-of-bounds");
  EXPECT_NE(out.Notes().find("tx = 63"), std::string::npos) << out.Notes();
}

TEST(InterpretThreads, LocalMemoryIsEachThreadsOwn) {
  const Outcome out = Execute(Kernel("B: float32[64]", R"(
      allocate L: float32[1](scope="local")
      thread("blockIdx.x") for bx in range(2) {
        thread("threadIdx.x") for tx in range(32) {
          L[0] = float32(tx) + 100.0 * float32(bx)
          barrier("shared")
          B[bx * 32 + tx] = L[0]
        }
      })"),
                              {64}, 5);
  EXPECT_EQ(out.error.name, "no error") << out.error.message;
  EXPECT_EQ(out.data[0][3], 3);
  EXPECT_EQ(out.data[0][40], 108);
}

TEST(InterpretThreads, DivergentBarrier) {
  for (const uint64_t seed : kSeeds) {
    const Outcome half = Execute(Kernel("B: float32[64]", Block64(R"(
      if tx < 32 { barrier("shared") }
      B[tx] = 0.0
    )")),
                                 {64}, seed);
    EXPECT_EQ(half.error.name, "interpret-divergent-barrier");
    EXPECT_NE(half.error.found.find("32"), std::string::npos) << half.error.found;
    EXPECT_NE(half.Notes().find("barrier(\"shared\")"), std::string::npos) << half.Notes();
    // Two barriers in two branches are not the same barrier.
    const Outcome two = Execute(Kernel("B: float32[64]", Block64(R"(
      if tx < 32 { barrier("shared") } else { barrier("shared") }
      B[tx] = 0.0
    )")),
                                {64}, seed);
    EXPECT_EQ(two.error.name, "interpret-divergent-barrier");
    EXPECT_NE(two.error.found.find("wait elsewhere"), std::string::npos) << two.error.found;
    // A loop that some threads leave earlier.
    const Outcome loop = Execute(Kernel("B: float32[64]", Block64(R"(
      for i in range(1 + tx % 2) { barrier("shared") }
      B[tx] = 0.0
    )")),
                                 {64}, seed);
    EXPECT_EQ(loop.error.name, "interpret-divergent-barrier");
  }
}

// -- Warps.

TEST(InterpretThreads, ReductionByShuffles) {
  const std::string text = Kernel("A: float32[64], B: float32[2]", Block64(R"(
      allocate x: float32[1](scope="local")
      x[0] = A[tx]
      for i in range(5) {
        x[0] = x[0] + warp_shuffle_down(4294967295u32, x[0], shift_right(16, i), 32)
      }
      if tx % 32 == 0 { B[tx // 32] = x[0] }
  )"));
  for (const uint64_t seed : kSeeds) {
    const Outcome out = Execute(text, {64, 2}, seed);
    EXPECT_EQ(out.error.name, "no error") << out.error.message << out.error.found;
    EXPECT_EQ(out.data[1], (std::vector<float>{496, 1520}));
  }
}

TEST(InterpretThreads, ShufflesBySegments) {
  auto source = [](const std::string& call) {
    const Outcome out = Execute(Kernel("A: float32[64], B: float32[64]",
                                       Block64("B[tx] = " + call + "(4294967295u32, A[tx], 1, 8)")),
                                {64, 64}, 9);
    EXPECT_EQ(out.error.name, "no error") << out.error.message;
    return out.data[1];
  };
  EXPECT_EQ(source("warp_shuffle")[13], 9);
  EXPECT_EQ(source("warp_shuffle_up")[13], 12);
  EXPECT_EQ(source("warp_shuffle_up")[16], 16);  // nothing below in its segment
  EXPECT_EQ(source("warp_shuffle_down")[13], 14);
  EXPECT_EQ(source("warp_shuffle_down")[15], 15);
  EXPECT_EQ(source("warp_shuffle_xor")[13], 12);
  EXPECT_EQ(source("warp_shuffle_xor")[45], 44);
}

TEST(InterpretThreads, MissingLanes) {
  auto name = [](const std::string& body) {
    return Execute(Kernel("B: float32[64]", Block64(body)), {64}).error.name;
  };
  EXPECT_EQ(name("if tx < 16 { B[tx] = warp_shuffle(4294967295u32, B[tx], 0, 32) }"),
            "interpret-missing-lanes");
  EXPECT_EQ(name("if tx < 16 { B[tx] = warp_shuffle(65535u32, B[tx], 0, 32) }"), "no error");
  // A lane outside of the mask: one that is read, and one that calls.
  EXPECT_EQ(name("if tx < 16 { B[tx] = warp_shuffle(65535u32, B[tx], 20, 32) }"),
            "interpret-missing-lanes");
  EXPECT_EQ(name("if tx < 16 { B[tx] = warp_shuffle(1u32, B[tx], 0, 32) }"),
            "interpret-missing-lanes");
  EXPECT_EQ(name("B[tx] = warp_shuffle_xor(4294967295u32, B[tx], 9, 8)"),
            "interpret-missing-lanes");
  // Wider than the target's warps.
  InterpretOptions small;
  small.warp_size = 16;
  EXPECT_EQ(
      Execute(Kernel("B: float32[64]", Block64("B[tx] = warp_shuffle(65535u32, B[tx], 0, 32)")),
              {64}, 0, small)
          .error.name,
      "interpret-missing-lanes");
}

TEST(InterpretThreads, ActiveMask) {
  const Outcome out = Execute(Kernel("B: float32[64]", Block64(R"(
      if tx % 32 < 3 { B[tx] = float32(warp_active_mask<uint32>()) }
  )")),
                              {64}, 4);
  EXPECT_EQ(out.error.name, "no error") << out.error.message;
  EXPECT_EQ(out.data[0][1], 7);
  EXPECT_EQ(out.data[0][34], 7);
  EXPECT_EQ(out.data[0][4], 4);
}

TEST(InterpretThreads, AWarpsBarrierOrdersTheWarpAlone) {
  const char* body = R"(
      allocate S: float32[64](scope="shared")
      S[tx] = B[tx]
      barrier("warp")
      B[tx] = S[%]
  )";
  std::string within = body, across = body;
  within.replace(within.find('%'), 1, "tx - tx % 32 + (tx + 1) % 32");
  across.replace(across.find('%'), 1, "63 - tx");
  const Outcome good = Execute(Kernel("B: float32[64]", Block64(within)), {64}, 3);
  EXPECT_EQ(good.error.name, "no error") << good.error.message;
  EXPECT_EQ(good.data[0][31], 0);
  EXPECT_EQ(Execute(Kernel("B: float32[64]", Block64(across)), {64}, 3).error.name,
            "interpret-race");
}

// -- Atomics.

TEST(InterpretThreads, AtomicsOfManyBlocks) {
  const std::string text = Kernel("A: float32[64], B: float32[4]", R"(
      thread("blockIdx.x") for bx in range(4) {
        thread("threadIdx.x") for tx in range(16) {
          atomic_add(B[0], A[bx * 16 + tx])
          atomic_max(B[1], A[bx * 16 + tx])
          atomic_min(B[2], -A[bx * 16 + tx])
          atomic_compare_exchange(B[3], 3.0, 9.0)
        }
      })");
  for (const uint64_t seed : kSeeds) {
    const Outcome out = Execute(text, {64, 4}, seed);
    EXPECT_EQ(out.error.name, "no error") << out.error.message;
    EXPECT_EQ(out.data[1], (std::vector<float>{2016, 63, -63, 9}));
  }
}

TEST(InterpretThreads, AtomicsAndPlainAccessesRace) {
  EXPECT_EQ(Execute(Kernel("B: float32[64]", Block64("atomic_add(B[0], 1.0)\nB[tx] = B[0]")), {64})
                .error.name,
            "interpret-race");
  EXPECT_EQ(Execute(Kernel("B: float32[64]", Block64("evaluate atomic_exchange(B[tx], 1.0)")), {64})
                .data[0][7],
            1);
}

// -- Asynchronous copies.

TEST(InterpretThreads, CopiesLandWhenWaitedFor) {
  auto run = [](const std::string& wait) {
    return Execute(Kernel("A: float32[64], B: float32[64]", Block64(R"(
      allocate S: float32[128](scope="shared")
      if tx % 4 == 0 { async_copy(S[tx], A[tx], 4) }
      async_commit()
      if tx % 4 == 0 { async_copy(S[64 + tx], A[tx], 4) }
      async_commit()
      )" + wait + R"(
      barrier("shared")
      B[tx] = S[63 - tx]
    )")),
                   {64, 64}, 6);
  };
  EXPECT_EQ(run("async_wait(0)").data[1][10], 53);
  EXPECT_EQ(run("async_wait(1)").data[1][10], 53);
  EXPECT_EQ(run("async_wait(2)").error.name, "interpret-uninitialized");
  EXPECT_EQ(run("").error.name, "interpret-uninitialized");
}

TEST(InterpretThreads, CopiesAreSeenByOthersAfterABarrier) {
  const Outcome out = Execute(Kernel("A: float32[64], B: float32[64]", Block64(R"(
      allocate S: float32[64](scope="shared")
      async_copy(S[tx], A[tx], 1)
      async_commit()
      async_wait(0)
      B[tx] = S[63 - tx]
  )")),
                              {64, 64});
  EXPECT_EQ(out.error.name, "interpret-race") << out.error.message;
}

// -- Barriers of the whole kernel.

TEST(InterpretThreads, AGlobalBarrierOrdersBlocks) {
  const char* body = R"(
      thread("blockIdx.x") for bx in range(4) {
        thread("threadIdx.x") for tx in range(8) {
          B[bx * 8 + tx] = A[bx * 8 + tx] * 2.0
          barrier("%")
          C[bx * 8 + tx] = B[31 - (bx * 8 + tx)]
        }
      })";
  std::string global = body, shared = body;
  global.replace(global.find('%'), 1, "global");
  shared.replace(shared.find('%'), 1, "shared");
  const std::string params = "A: float32[32], B: float32[32], C: float32[32]";
  for (const uint64_t seed : kSeeds) {
    const Outcome out = Execute(Kernel(params, global), {32, 32, 32}, seed);
    EXPECT_EQ(out.error.name, "no error") << out.error.message;
    EXPECT_EQ(out.data[2][5], 52);
  }
  EXPECT_EQ(Execute(Kernel(params, shared), {32, 32, 32}).error.name, "interpret-race");
}

// -- Launches.

std::string Launch(const std::string& extents) {
  return R"(
    func host(A: float32[64], B: float32[64]) {
      evaluate call_packed<int32>("f", A, B, 64, )" +
         extents + R"()
    }
    func f(a: handle, b: handle, n: int32) with {calling_convention = "kernel",
                                                  launch = "blockIdx.x threadIdx.x"} {
      decl_buffer A: float32[n] = a
      decl_buffer B: float32[n] = b
      thread("blockIdx.x") for bx in range((n + 15) // 16) {
        thread("threadIdx.x") for tx in range(16) {
          B[bx * 16 + tx] = A[bx * 16 + tx] + 1.0
        }
      }
    })";
}

TEST(InterpretThreads, Launches) {
  const Outcome out = Execute(Launch("4, 16, 0"), {64, 64}, 3);
  EXPECT_EQ(out.error.name, "no error") << out.error.message << out.error.found;
  EXPECT_EQ(out.data[1][50], 51);
  EXPECT_EQ(Execute(Launch("3, 16, 0"), {64, 64}).error.name, "interpret-launch");
  EXPECT_EQ(Execute(Launch("4, 8, 0"), {64, 64}).error.name, "interpret-launch");
}

TEST(InterpretThreads, ExtentsOfBlocksAreKnownBefore) {
  const Outcome out = Execute(Kernel("B: float32[64]", R"(
      for i in range(2) {
        thread("blockIdx.x") for bx in range(i + 1) { B[bx] = 0.0 }
      })"),
                              {64});
  EXPECT_EQ(out.error.name, "interpret-thread-extent");
  EXPECT_EQ(Execute(Kernel("B: float32[64]", R"(
      thread("threadIdx.x") for tx in range(8) {
        thread("threadIdx.x") for ty in range(16) { B[ty] = 0.0 }
      })"),
                    {64})
                .error.name,
            "interpret-thread-extent");
}

TEST(InterpretThreads, ThreadsCallPlainFunctionsOnly) {
  auto run = [](const std::string& body) {
    return Execute(R"(
      func f(B: float32[64]) with {calling_convention = "kernel"} {
        thread("threadIdx.x") for tx in range(4) { evaluate call_plain<int32>("g", tx) }
      }
      func g(i: int32) -> int32 {
        )" + body + R"(
        return(i)
      })",
                   {64})
        .error.name;
  };
  EXPECT_EQ(run(""), "no error");
  EXPECT_EQ(run("barrier(\"shared\")"), "interpret-thread-call");
  EXPECT_EQ(run("thread(\"threadIdx.x\") for t in range(4) { evaluate t }"),
            "interpret-thread-call");
}

TEST(InterpretThreads, OutsideOfThreadsThereIsOne) {
  const Outcome out = Execute(R"(
      func f(B: float32[64]) {
        barrier("shared")
        B[0] = float32(warp_active_mask<uint32>()) + warp_shuffle(1u32, B[5], 0, 1)
        async_copy(B[8], B[1], 3)
        async_commit()
        async_wait(0)
      })",
                              {64});
  EXPECT_EQ(out.error.name, "no error") << out.error.message;
  EXPECT_EQ(out.data[0][0], 6);
  EXPECT_EQ(out.data[0][10], 3);
}

}  // namespace
}  // namespace lathe::ir
