// Lathe's own LLVM passes: interleave.h, minmax.h, overlap.h. Their effect is tested in the IR for
// a processor with AVX-512. That they do not change results is tested by running the code: for
// AVX-512 if this processor has it, and for this machine's processor.
#include <cmath>
#include <cstdio>

#include "backends/llvm/test_kernel.h"
#include "base/poll.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"

namespace lathe::llvm_backend {
namespace {

using ir::Expr;
using ir::Int;
using ::testing::HasSubstr;
using ::testing::Not;

const DataType kF32 = DataType::Float(32);
constexpr int kLanes = 16;
constexpr const char* kAvx512 = "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 -vector-width=512";

std::string IrOf(const KernelSpec& spec) {
  return Compile(MakeKernelModule(spec), sdk::ParseTarget(kAvx512), {}, Output::kIr).output;
}

void ExpectSameHere(const KernelSpec& spec, const std::vector<Data>& buffers) {
  ExpectSame(spec, buffers, "llvm");
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return ExpectSame(spec, buffers, kAvx512);
#endif
  std::printf("NOT RUN for AVX-512, which this processor lacks; run for the processor as it is\n");
}

Data Ascending(int64_t elements) {
  Data data(kF32, elements);
  for (int64_t i = 0; i < elements; ++i) data.Set(i, static_cast<double>((i * 37) % 101 - 50));
  return data;
}

ir::Buffer Floats(const char* name, int64_t elements) {
  return ir::MakeBuffer(name, kF32, {Int(elements)});
}
Expr Lanes(const Expr& base) { return ir::MakeRamp(base, Int(1), kLanes); }

// for i in range(rounds): `vectors` statements, of vector i * vectors + v
KernelSpec Unrolled(std::vector<ir::Buffer> buffers, int64_t rounds, int vectors,
                    const std::function<ir::Stmt(const Expr& element)>& statement) {
  KernelSpec spec;
  spec.buffers = std::move(buffers);
  const ir::Var i = ir::MakeVar("i");
  std::vector<ir::Stmt> stmts;
  for (int v = 0; v < vectors; ++v)
    stmts.push_back(statement(Expr(i) * (vectors * kLanes) + v * kLanes));
  spec.body =
      ir::MakeFor(i, Int(0), Int(rounds), ir::ForKind::kSerial, ir::MakeSeq(std::move(stmts)));
  return spec;
}

Expr Neighbours(const ir::Buffer& x, const Expr& element) {
  return ir::MakeLoad(x, {Lanes(element)}) + ir::MakeLoad(x, {Lanes(element + 1)}) +
         ir::MakeLoad(x, {Lanes(element + 2)});
}

// A chain of 24 steps, each of which needs the one before. Exact on small integers.
Expr Chain(Expr x) {
  for (int step = 0; step < 12; ++step) {
    const Expr turned = ir::MakeBroadcast(ir::Float(step), kLanes) - x;
    x = ir::MakeSelect(turned > x, turned, x - ir::MakeBroadcast(ir::Float(3), kLanes));
  }
  return x;
}

TEST(LlvmPasses, OverlappingLoadsAreOneForEachLine) {
  const ir::Buffer x = Floats("x", 514), y = Floats("y", 512);
  const KernelSpec spec = Unrolled({x, y}, 8, 4, [&](const Expr& element) {
    return ir::MakeStore(y, Neighbours(x, element), {Lanes(element)});
  });
  const std::string text = IrOf(spec);
  EXPECT_EQ(CountOf(text, "load <16 x float>"), 5) << text;  // at 0, 16, 32, 48 and 50
  EXPECT_EQ(CountOf(text, "shufflevector <16 x float>"), 7) << text;
  ExpectSameHere(spec, {Ascending(514), Data(kF32, 512)});
}

TEST(LlvmPasses, OverlappingLoadsSeeWhatIsStoredBetween) {
  const ir::Buffer a = Floats("a", 600);
  for (const int ahead : {1, 2, 7, 16, 18, 40, 64}) {
    SCOPED_TRACE(ahead);
    const KernelSpec spec = Unrolled({a}, 8, 4, [&](const Expr& element) {
      return ir::MakeStore(a, Neighbours(a, element) * ir::MakeBroadcast(ir::Float(0.25), kLanes),
                           {Lanes(element + ahead)});
    });
    ExpectSameHere(spec, {Ascending(600)});
  }
}

TEST(LlvmPasses, ChainsAdvanceTogether) {
  const ir::Buffer x = Floats("x", 512), y = Floats("y", 512);
  const KernelSpec spec = Unrolled({x, y}, 8, 4, [&](const Expr& element) {
    return ir::MakeStore(y, Chain(ir::MakeLoad(x, {Lanes(element)})), {Lanes(element)});
  });
  const std::string text = IrOf(spec);
  ASSERT_EQ(CountOf(text, "store <16 x float>"), 4) << text;
  EXPECT_LT(text.rfind("load <16 x float>"), text.find("store <16 x float>")) << text;
  ExpectSameHere(spec, {Ascending(512), Data(kF32, 512)});
}

TEST(LlvmPasses, ChainsThatReadEachOthersResultsStayInOrder) {
  const ir::Buffer a = Floats("a", 700);
  for (const int ahead : {1, 15, 16, 24, 64, 100}) {
    SCOPED_TRACE(ahead);
    const KernelSpec spec = Unrolled({a}, 8, 4, [&](const Expr& element) {
      return ir::MakeStore(a, Chain(ir::MakeLoad(a, {Lanes(element)})), {Lanes(element + ahead)});
    });
    ExpectSameHere(spec, {Ascending(700)});
  }
}

// y = the maximum of acc and each vector of x
KernelSpec Largest(double first) {
  const ir::Buffer x = Floats("x", 512), y = Floats("y", kLanes), acc = Floats("acc", kLanes);
  KernelSpec spec;
  spec.buffers = {x, y};
  const ir::Var i = ir::MakeVar("i");
  const Expr all = Lanes(Int(0));
  const ir::Stmt step = ir::MakeStore(
      acc, ir::MakeMax(ir::MakeLoad(acc, {all}), ir::MakeLoad(x, {Lanes(Expr(i) * kLanes)})),
      {all});
  spec.body = ir::MakeAllocate(
      acc, ir::MakeSeq({ir::MakeStore(acc, ir::MakeBroadcast(ir::Float(first), kLanes), {all}),
                        ir::MakeFor(i, Int(0), Int(512 / kLanes), ir::ForKind::kSerial, step),
                        ir::MakeStore(y, ir::MakeLoad(acc, {all}), {all})}));
  return spec;
}

Data WithNaNs(int64_t elements) {
  Data data = Ascending(elements);
  for (int64_t i = 0; i < elements; i += 7) data.Set(i, NAN);
  return data;
}

TEST(LlvmPasses, TheLargestIsOneInstructionWhereOneIsANumber) {
  const KernelSpec spec = Largest(-INFINITY);
  EXPECT_THAT(IrOf(spec), Not(HasSubstr("maxnum.v16f32(<16 x float> %")));
  ExpectSameHere(spec, {WithNaNs(512), Data(kF32, kLanes)});
}

TEST(LlvmPasses, TheLargestDropsNaNsOnEitherSide) {
  const KernelSpec spec = Largest(NAN);
  EXPECT_THAT(IrOf(spec), HasSubstr("maxnum.v16f32(<16 x float> %"));
  ExpectSameHere(spec, {WithNaNs(512), Data(kF32, kLanes)});
}

// Asked between LLVM's passes. Throws from the `looks`-th time on.
int looks = 0;
struct Ended {};
void LookOut() {
  if (--looks <= 0) throw Ended();
}

// Two functions, so that one comes after the other.
ir::Module TwoFunctions() {
  const ir::Buffer a = Floats("a", 1024), b = Floats("b", 1024);
  KernelSpec spec = Unrolled({a, b}, 8, 8, [&](const Expr& at) {
    return ir::MakeStore(b, ir::MakeLoad(a, {Lanes(at)}), {Lanes(at)});
  });
  KernelSpec other = spec;
  other.name = "other";
  const ir::Buffer c = Floats("c", 1024), d = Floats("d", 1024);
  other.buffers = {c, d};
  const ir::Var i = ir::MakeVar("i");
  other.body = ir::MakeFor(i, Int(0), Int(1024), ir::ForKind::kSerial,
                           ir::MakeStore(d, ir::MakeLoad(c, {i}) * ir::MakeLoad(c, {i}), {i}));
  return MakeKernelModule(spec, {MakeKernel(other)});
}

// Wherever it is stopped, LLVM stays usable: nothing crashes, and the next compilation works as
// usual.
TEST(Stop, AtEveryLook) {
  const ir::Module module = TwoFunctions();
  for (const char* target : {"llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3",
                             "llvm -mtriple=x86_64-linux-gnu -opt-level=0",
                             "llvm -mtriple=aarch64-linux-gnu -opt-level=1"}) {
    const auto compile = [&] {
      return Compile(module, sdk::ParseTarget(target), {}, Output::kObject).output;
    };
    const std::string expected = compile();
    int ended = 0;
    SetPoll(LookOut);
    for (int at = 1;; ++at) {
      looks = at;
      try {
        const std::string whole = compile();
        SetPoll(nullptr);
        EXPECT_EQ(whole, expected);
        break;
      } catch (const Ended&) {
        ++ended;
      }
    }
    EXPECT_GT(ended, 40) << "looks in " << target;
    EXPECT_EQ(compile(), expected);
  }
}

}  // namespace
}  // namespace lathe::llvm_backend
