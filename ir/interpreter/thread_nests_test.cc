// Loop nests of schedules, which threads run statement by statement, and kernels of random shape. A
// kernel without errors gives the results of its loop nest, in whatever order its threads run.

#include <numeric>
#include <random>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"
#include "ir/text/parser.h"

namespace lathe::ir {
namespace {

struct Outcome {
  std::string error = "no error";
  std::string text;
  std::vector<std::vector<float>> data;
};

// Runs on float32 tensors of these shapes, filled with 0, 1, ... 8, 0, ...
Outcome Execute(const std::string& text, const std::vector<std::vector<int64_t>>& shapes,
                uint64_t seed = 0) {
  Outcome out;
  const Module module = ParseModule(text);
  std::vector<InterpValue> args;
  for (const std::vector<int64_t>& shape : shapes) {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    out.data.emplace_back(static_cast<size_t>(count));
    for (size_t i = 0; i < out.data.back().size(); ++i)
      out.data.back()[i] = static_cast<float>(i % 9);
  }
  for (size_t k = 0; k < shapes.size(); ++k)
    args.emplace_back(InterpTensor::Of(out.data[k].data(), DataType::Float(32), shapes[k]));
  InterpretOptions options;
  options.interleaving = seed;
  try {
    Interpret(module, "f", args, options);
  } catch (const Error& error) {
    out.error = error.name();
    out.text = error.what();
  }
  return out;
}

// C = A x B in tiles of 8 x 8 by 8 x 8 threads. All threads load the tiles of A and B together.
std::string Matmul(bool kernel, const std::string& barrier) {
  return std::string("func f(A: float32[17, 21], B: float32[21, 10], C: float32[17, 10])") +
         (kernel ? " with {calling_convention = \"kernel\"}" : "") + R"( {
    thread("blockIdx.y") for by in range(3) {
    thread("blockIdx.x") for bx in range(2) {
      allocate As: float32[8, 8](scope="shared")
      allocate Bs: float32[8, 8](scope="shared")
      thread("threadIdx.y") for ty in range(8) {
      thread("threadIdx.x") for tx in range(8) {
        allocate acc: float32[1](scope="local")
        acc[0] = 0.0
        for ko in range(3) {
          thread("threadIdx.y") for r in range(8) {
            thread("threadIdx.x") for c in range(8) {
              As[r, c] = if_then_else(by * 8 + r < 17 and ko * 8 + c < 21,
                                      A[by * 8 + r, ko * 8 + c], 0.0)
              Bs[r, c] = if_then_else(ko * 8 + r < 21 and bx * 8 + c < 10,
                                      B[ko * 8 + r, bx * 8 + c], 0.0)
            }
          }
          )" +
         barrier + R"(
          for ki in range(8) { acc[0] = acc[0] + As[ty, ki] * Bs[ki, tx] }
          )" +
         barrier + R"(
        }
        if by * 8 + ty < 17 and bx * 8 + tx < 10 { C[by * 8 + ty, bx * 8 + tx] = acc[0] }
      }}
    }}
  })";
}

TEST(InterpretThreadNests, MatmulWithSharedTiles) {
  const std::vector<std::vector<int64_t>> shapes = {{17, 21}, {21, 10}, {17, 10}};
  std::vector<float> expected(170);
  const Outcome nest = Execute(Matmul(false, ""), shapes);
  ASSERT_EQ(nest.error, "no error") << nest.text;
  for (size_t i = 0; i < 17; ++i) {
    for (size_t j = 0; j < 10; ++j) {
      for (size_t k = 0; k < 21; ++k)
        expected[i * 10 + j] += nest.data[0][i * 21 + k] * nest.data[1][k * 10 + j];
    }
  }
  EXPECT_EQ(nest.data[2], expected);
  for (const uint64_t seed : {0, 1, 2}) {
    const Outcome kernel = Execute(Matmul(true, "barrier(\"shared\")"), shapes, seed);
    ASSERT_EQ(kernel.error, "no error") << kernel.text;
    EXPECT_EQ(kernel.data[2], expected);
    EXPECT_EQ(Execute(Matmul(true, ""), shapes, seed).error, "interpret-race");
  }
}

TEST(InterpretThreadNests, StatementsEndForAllThreads) {
  const Outcome out = Execute(R"(
    func f(A: float32[16], B: float32[16]) {
      thread("blockIdx.x") for bx in range(2) {
        realize S: float32[8](scope="shared") bounds [range(8)]
        thread("threadIdx.x") for tx in range(8) { S[tx] = A[bx * 8 + tx] }
        thread("threadIdx.x") for tx in range(8) {
          for i in range(3) { S[tx] = S[tx] + 1.0; B[bx * 8 + tx] = S[7 - tx] }
        }
      }
    })",
                              {{16}, {16}}, 4);
  EXPECT_EQ(out.error, "no error") << out.text;
  EXPECT_EQ(out.data[1][0], 7 + 3);
  EXPECT_EQ(out.data[1][15], 8 + 3);
}

TEST(InterpretThreadNests, OneStatementCanRace) {
  const Outcome out = Execute(R"(
    func f(A: float32[16]) {
      thread("threadIdx.x") for tx in range(8) { A[tx] = A[tx + 1] }
    })",
                              {{16}});
  EXPECT_EQ(out.error, "interpret-race");
}

TEST(InterpretThreadNests, LoopsOfOneTagAreOneAxis) {
  // A narrower nest inside, a wider nest inside, and nests side by side.
  const Outcome out = Execute(R"(
    func f(A: float32[16], B: float32[16], C: float32[16]) {
      thread("threadIdx.x") for tx in range(8) {
        realize S: float32[16](scope="shared") bounds [range(16)]
        thread("threadIdx.x") for t in range(16) { S[t] = A[t] * 2.0 }
        B[tx] = S[15 - tx]
        thread("threadIdx.x") for t in range(4) { C[t] = float32(t) + 10.0 * float32(tx) }
      }
    })",
                              {{16}, {16}, {16}}, 2);
  EXPECT_EQ(out.error, "no error") << out.text;
  EXPECT_EQ(out.data[1][1], 10);  // A[14] = 5
  EXPECT_EQ(out.data[1][9], 0);   // not written: 9 % 9
  EXPECT_EQ(out.data[2][3], 33);
  EXPECT_EQ(out.data[2][5], 5);
}

TEST(InterpretThreadNests, OutsideOfItsLoopsIndexZeroRuns) {
  const Outcome out = Execute(R"(
    func f(A: float32[16], B: float32[16]) {
      thread("blockIdx.x") for bx in range(2) {
        allocate L: float32[1](scope="local")
        thread("threadIdx.x") for tx in range(4) { A[bx * 4 + tx] = 1.0 }
        A[8 + bx] = A[8 + bx] + 1.0
        L[0] = 5.0
        thread("threadIdx.x") for tx in range(4) { B[bx * 4 + tx] = L[0] }
      }
    })",
                              {{16}, {16}}, 1);
  EXPECT_EQ(out.error, "no error") << out.text;
  EXPECT_EQ(out.data[0][8], 9);
  EXPECT_EQ(out.data[1][7], 5);
}

TEST(InterpretThreadNests, SharedMemoryIsStoredToOnce) {
  // No loop over threadIdx.y lies between S and its stores: one row of threads computes the sum.
  const Outcome out = Execute(R"(
    func f(A: float32[8, 5], B: float32[4, 8]) {
      thread("threadIdx.y") for ty in range(4) {
        thread("threadIdx.x") for tx in range(8) {
          realize S: float32[8](scope="shared") bounds [range(8)]
          thread("threadIdx.x") for t in range(8) {
            S[t] = 0.0
            for k in range(5) { S[t] = S[t] + A[t, k] }
          }
          B[ty, tx] = S[7 - tx]
        }
      }
    })",
                              {{8, 5}, {4, 8}}, 3);
  EXPECT_EQ(out.error, "no error") << out.text;
  EXPECT_EQ(out.data[1][7], 0 + 1 + 2 + 3 + 4);
  EXPECT_EQ(out.data[1][8 + 6], 5 + 6 + 7 + 8 + 0);
}

TEST(InterpretThreadNests, LocalMemoryIsNotShared) {
  const Outcome out = Execute(R"(
    func f(B: float32[8]) {
      thread("blockIdx.x") for bx in range(1) {
        realize L: float32[8](scope="local") bounds [range(8)]
        thread("threadIdx.x") for tx in range(8) { L[tx] = 1.0 }
        thread("threadIdx.x") for tx in range(8) { B[tx] = L[7 - tx] }
      }
    })",
                              {{8}});
  EXPECT_EQ(out.error, "interpret-uninitialized");
}

TEST(InterpretThreadNests, MemoryOfEachThreadIsThereForWiderLoopsWithin) {
  // M depends on an index that only two threads have, through a let that the other threads do not
  // need either.
  const Outcome out = Execute(R"(
    func f(A: float32[8], B: float32[8], C: float32[8]) {
      thread("threadIdx.x") for tx in range(2) {
        realize L: float32[1](scope="local") bounds [range(1)]
        realize M: float32[1](scope="local") bounds [range(1)]
        L[0] = 1.0
        let old: float32 = L[0]
        L[0] = old + 1.0
        M[0] = A[tx]
        let own: float32 = M[0]
        M[0] = own + 1.0
        thread("threadIdx.x") for t in range(8) { B[t] = L[0] }
        C[tx] = M[0]
      }
    })",
                              {{8}, {8}, {8}}, 5);
  EXPECT_EQ(out.error, "no error") << out.text;
  EXPECT_EQ(out.data[1], std::vector<float>(8, 2));
  EXPECT_EQ(out.data[2][1], 2);
}

TEST(InterpretThreadNests, BarriersOfNestsMayDiverge) {
  const Outcome out = Execute(R"(
    func f(B: float32[8]) {
      thread("threadIdx.x") for tx in range(8) {
        if tx < 4 { barrier("shared") }
        B[tx] = 1.0
      }
    })",
                              {{8}});
  EXPECT_EQ(out.error, "interpret-divergent-barrier");
  EXPECT_EQ(Execute(R"(
    func f(B: float32[8]) {
      thread("threadIdx.x") for tx in range(8) {
        barrier("shared")
        B[tx] = warp_shuffle_xor(255u32, B[tx], 1, 8)
      }
    })",
                    {{8}})
                .data[0][6],
            7);
}

TEST(InterpretThreadNests, VirtualThreadsAreLoops) {
  const Outcome out = Execute(R"(
    func f(B: float32[8]) {
      thread("vthread") for v in range(2) {
        thread("vthread") for w in range(2) {
          allocate L: float32[1](scope="local")
          thread("threadIdx.x") for tx in range(2) { L[0] = 1.0; B[v * 4 + w * 2 + tx] = L[0] }
        }
      }
    })",
                              {{8}});
  EXPECT_EQ(out.error, "no error") << out.text;
  EXPECT_EQ(out.data[0], std::vector<float>(8, 1));
}

TEST(InterpretThreadNests, NoBlocksNoWork) {
  const Outcome out = Execute(R"(
    func f(A: float32[n: size], B: float32[4]) {
      thread("blockIdx.x") for bx in range(n) {
        thread("threadIdx.x") for tx in range(n) { B[tx] = 7.0 }
      }
    })",
                              {{0}, {4}});
  EXPECT_EQ(out.error, "no error") << out.text;
  EXPECT_EQ(out.data[1], (std::vector<float>{0, 1, 2, 3}));
}

// -- Random kernels.

class RandomKernel {
 public:
  explicit RandomKernel(uint32_t seed) : random_(seed) {}

  std::string Text(bool kernel) const {
    return std::string("func f(A: float32[") + std::to_string(threads_) + "], B: float32[" +
           std::to_string(threads_) + "])" +
           (kernel ? " with {calling_convention = \"kernel\"}" : "") +
           " {\nthread(\"blockIdx.x\") for bx in range(1) {\n"
           "thread(\"threadIdx.x\") for tx in range(" +
           std::to_string(threads_) + ") {\n" + "allocate S: float32[" + std::to_string(threads_) +
           "](scope=\"shared\")\n" + "allocate T: float32[" + std::to_string(threads_) +
           "](scope=\"shared\")\n" +
           "allocate L: float32[1](scope=\"local\")\n"
           "L[0] = A[tx]\n" +
           body_ + "B[tx] = L[0]\n}\n}\n}\n";
  }
  int64_t threads() const { return threads_; }

  void Make() {
    threads_ = 2 + Below(70);
    // Writes all of shared memory first, so that most kernels read initialized memory.
    body_ = "S[tx] = A[tx]\nT[tx] = 0.0\n";
    MaybeBarrier();
    const int count = 2 + Below(5);
    for (int i = 0; i < count; ++i) {
      if (Below(4) == 0) {
        body_ += "for i in range(" + std::to_string(1 + Below(3)) + ") {\n";
        Statement();
        Statement();
        MaybeBarrier();
        body_ += "}\n";
      } else {
        Statement();
      }
    }
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  std::string Place() {
    const std::string n = std::to_string(threads_);
    // Mostly permutations, and sometimes elements that several threads access.
    std::string index = "tx";
    if (Below(3) == 0) index = "(tx + " + std::to_string(Below(5)) + ") % " + n;
    if (Below(4) == 0) index = n + " - 1 - tx";
    if (Below(12) == 0) index = "tx // 2";
    return std::string(Below(2) == 0 ? "S[" : "T[") + index + "]";
  }
  void MaybeBarrier() {
    if (Below(12) != 0) body_ += "barrier(\"shared\")\n";
  }
  void Statement() {
    switch (Below(5)) {
      case 0:
        body_ += "L[0] = L[0] + " + Place() + "\n";
        break;
      case 1:
        body_ += "L[0] = " + Place() + " - L[0]\n";
        break;
      case 2:
        body_ += "if tx < " + std::to_string(Below(40)) + " { " + Place() + " = L[0] }\n";
        break;
      case 3:
        body_ += "atomic_add(" + Place() + ", L[0])\n";
        break;
      default:
        body_ += Place() + " = L[0] + 1.0\n";
    }
    MaybeBarrier();
  }

  std::mt19937 random_;
  int threads_ = 2;
  std::string body_;
};

TEST(InterpretThreadNests, RandomKernelsAreRightOrErrors) {
  int right = 0, races = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    RandomKernel random(seed);
    random.Make();
    const std::vector<std::vector<int64_t>> shapes = {{random.threads()}, {random.threads()}};
    const Outcome nest = Execute(random.Text(false), shapes, seed);
    Outcome first;
    for (const uint64_t interleaving : {uint64_t{0}, uint64_t{seed}, uint64_t{seed} + 1000}) {
      const Outcome kernel = Execute(random.Text(true), shapes, interleaving);
      if (interleaving == 0) first = kernel;
      ASSERT_EQ(kernel.error, first.error) << kernel.text << random.Text(true);
      if (kernel.error == "no error") {
        ASSERT_EQ(nest.error, "no error") << nest.text << random.Text(true);
        ASSERT_EQ(kernel.data, nest.data) << random.Text(true);
      } else {
        ASSERT_EQ(kernel.error, "interpret-race") << kernel.text << random.Text(true);
      }
    }
    ++(first.error == "no error" ? right : races);
  }
  std::printf("kernels without an error: %d, with a race: %d\n", right, races);
  EXPECT_GE(right, 60);
  EXPECT_GE(races, 60);
}

}  // namespace
}  // namespace lathe::ir
