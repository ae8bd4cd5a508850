// Targets, listings, other machines, diagnostics, determinism.

#include <thread>

#include "backends/llvm/machine.h"
#include "backends/llvm/test_kernel.h"
#include "base/error.h"
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

std::string Canonical(const std::string& text) {
  return CanonicalTarget(sdk::ParseTarget(text)).ToString();
}

KernelSpec AddSpec(int64_t n = 4096) {
  KernelSpec spec;
  const ir::Buffer a = ir::MakeBuffer("a", kF32, {Int(n)}), b = ir::MakeBuffer("b", kF32, {Int(n)}),
                   c = ir::MakeBuffer("c", kF32, {Int(n)});
  const ir::Var i = ir::MakeVar("i");
  spec.name = "add";
  spec.buffers = {a, b, c};
  spec.body = ir::MakeFor(
      i, Int(0), Int(n), ir::ForKind::kSerial,
      ir::MakeStore(c, ir::MakeLoad(a, {i}) * ir::MakeLoad(b, {i}) + ir::MakeLoad(c, {i}), {i}));
  return spec;
}

std::string Made(const std::string& target, Output output, const ir::Module& module) {
  return Compile(module, sdk::ParseTarget(target), {}, output).output;
}
std::string Made(const std::string& target, Output output) {
  return Made(target, output, MakeKernelModule(AddSpec()));
}

std::string ErrorOf(const std::function<void()>& body, std::string* text = nullptr) {
  try {
    body();
  } catch (const Error& error) {
    if (text != nullptr) *text = error.what();
    return error.name();
  }
  return "no error";
}

TEST(LlvmTarget, CanonicalFormsAreFixedPoints) {
  for (const char* text :
       {"llvm", "llvm -mcpu=native",
        "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512 -mattr=-avx512vl",
        "llvm -mtriple=aarch64-linux-gnu", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76",
        "llvm -mtriple=armv7-linux-gnueabihf", "llvm -mtriple=riscv64-linux-gnu",
        "llvm -target=riscv64-linux-gnu -opt-level=1"}) {
    const std::string once = Canonical(text);
    EXPECT_EQ(Canonical(once), once) << text;
  }
}

TEST(LlvmTarget, CanonicalFormsSpellOutWhatIsImplied) {
  const std::string skylake = Canonical("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512");
  EXPECT_THAT(skylake, HasSubstr("+avx512f"));
  EXPECT_THAT(skylake, HasSubstr("-vector-width=512"));
  EXPECT_THAT(Canonical("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell"),
              HasSubstr("-vector-width=256"));
  EXPECT_THAT(Canonical("llvm -mtriple=armv7-linux-gnueabihf"), HasSubstr("-mfloat-abi=hard"));
  EXPECT_THAT(Canonical("llvm -mtriple=armv7-linux-gnueabi"), HasSubstr("-mfloat-abi=softfp"));
  EXPECT_THAT(Canonical("llvm -mtriple=riscv64-linux-gnu"), HasSubstr("+d"));
  EXPECT_THAT(Canonical("llvm -model=x -keys=a"), HasSubstr("-model=x"));
}

TEST(LlvmTarget, UnknownNamesAreErrorsWithTheNearest) {
  std::string text;
  EXPECT_EQ(ErrorOf([] { Canonical("llvm -mtriple=x86_46-linux-gnu"); }, &text),
            "llvm-unknown-triple");
  EXPECT_THAT(text, HasSubstr("`x86_64`"));
  EXPECT_EQ(
      ErrorOf([] { Canonical("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx521"); }, &text),
      "llvm-unknown-cpu");
  EXPECT_THAT(text, HasSubstr("`skylake-avx512`"));
  EXPECT_EQ(ErrorOf([] { Canonical("llvm -mtriple=aarch64-linux-gnu -mcpu=native"); }),
            "llvm-unknown-cpu");
  EXPECT_EQ(
      ErrorOf([] { Canonical("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64 -mattr=+avx512q"); },
              &text),
      "llvm-unknown-feature");
  EXPECT_THAT(text, HasSubstr("`avx512"));
  EXPECT_EQ(ErrorOf([] { Canonical("llvm -mtriple=x86_64-linux-gnu -mattr=avx2"); }),
            "llvm-unknown-feature");
  EXPECT_EQ(ErrorOf([] { Canonical("llvm -opt-level=7"); }), "llvm-bad-option");
  EXPECT_EQ(ErrorOf([] { Canonical("llvm -vector-width=100"); }), "llvm-bad-option");
  EXPECT_EQ(ErrorOf([] { Canonical("llvm -mfloat-abi=firm"); }), "llvm-bad-option");
  EXPECT_EQ(ErrorOf([] { Canonical("llvm -mtriple=aarch64-linux-gnu -target=riscv64-linux-gnu"); }),
            "llvm-bad-option");
}

uint16_t ElfMachine(const std::string& object) {
  return static_cast<uint16_t>(static_cast<uint8_t>(object[18]) | static_cast<uint8_t>(object[19])
                                                                      << 8);
}

TEST(LlvmOutput, ObjectsForEveryMachine) {
  struct Case {
    const char* target;
    uint16_t machine;
  };
  for (const Case& c :
       {Case{"llvm -mtriple=x86_64-linux-gnu", 62}, Case{"llvm -mtriple=aarch64-linux-gnu", 183},
        Case{"llvm -mtriple=armv7-linux-gnueabihf", 40},
        Case{"llvm -mtriple=riscv64-linux-gnu", 243}}) {
    const std::string object = Made(c.target, Output::kObject);
    ASSERT_EQ(object.substr(0, 4), "\177ELF") << c.target;
    EXPECT_EQ(object[16], 1) << "relocatable";
    EXPECT_EQ(ElfMachine(object), c.machine) << c.target;
    EXPECT_THAT(object, HasSubstr("lathe_artifact_v1"));
  }
}

TEST(LlvmOutput, AssemblyUsesTheMachine) {
  const std::string x86 =
      Made("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512", Output::kAssembly);
  EXPECT_THAT(x86, HasSubstr("vfmadd"));
  EXPECT_THAT(x86, HasSubstr("zmm"));
  const std::string narrow = Made(
      "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512 -vector-width=256", Output::kAssembly);
  EXPECT_THAT(narrow, HasSubstr("ymm"));
  EXPECT_THAT(narrow, Not(HasSubstr("zmm")));
  const std::string baseline =
      Made("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64", Output::kAssembly);
  EXPECT_THAT(baseline, HasSubstr("mulps"));
  EXPECT_THAT(Made("llvm -mtriple=aarch64-linux-gnu", Output::kAssembly), HasSubstr("fmla\tv"));
  EXPECT_THAT(Made("llvm -mtriple=armv7-linux-gnueabihf -mattr=+neon,+vfp4", Output::kAssembly),
              HasSubstr("vfma.f32"));
  EXPECT_THAT(Made("llvm -mtriple=riscv64-linux-gnu", Output::kAssembly), HasSubstr("fmadd.s"));
}

TEST(LlvmOutput, OneExportedSymbolAndNoFastMath) {
  const std::string text =
      Made("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512", Output::kPlainIr);
  EXPECT_THAT(text, HasSubstr("@lathe_artifact_v1 = constant"));
  EXPECT_THAT(text, HasSubstr("define internal i32 @lathe.add"));
  EXPECT_THAT(text, HasSubstr("fmul contract float"));
  EXPECT_THAT(text, HasSubstr("!alias.scope"));
  for (const char* flag : {" fast ", " reassoc ", " nnan ", " arcp "})
    EXPECT_THAT(text, Not(HasSubstr(flag)));
}

TEST(LlvmOutput, ReassociationIsAMarkOnAStatement) {
  KernelSpec spec = AddSpec();
  spec.body = ir::MakeAttr(nullptr, "reassociate", Int(1), spec.body);
  EXPECT_THAT(Made("llvm", Output::kPlainIr, MakeKernelModule(spec)),
              HasSubstr("fadd reassoc contract float"));
}

// Only for whole vectors and for memory from outside. The loop checks the alignment at run time.
// All stores are in memory when the statement ends.
TEST(LlvmOutput, NontemporalStoresGoPastTheCaches) {
  KernelSpec spec;
  const ir::Buffer a = ir::MakeBuffer("a", kF32, {Int(4096)}),
                   c = ir::MakeBuffer("c", kF32, {Int(4096)}),
                   own = ir::MakeBuffer("own", kF32, {Int(32)});
  const ir::Var i = ir::MakeVar("i");
  spec.name = "copy";
  spec.buffers = {a, c};
  const Expr row = ir::MakeRamp(Expr(i) * 16, Int(1), 16),
             within = ir::MakeRamp(Int(0), Int(1), 16), shift = ir::FloorModulo(i, Int(16));
  spec.body = ir::MakeFor(
      i, Int(0), Int(256), ir::ForKind::kSerial,
      ir::MakeAllocate(
          own, ir::MakeSeq(
                   {ir::MakeStore(own, ir::MakeLoad(a, {row}), {within}),
                    ir::MakeStore(own, ir::MakeLoad(a, {row}), {ir::MakeRamp(Int(16), Int(1), 16)}),
                    ir::MakeStore(c, ir::MakeLoad(own, {ir::MakeRamp(shift, Int(1), 16)}), {row}),
                    ir::MakeStore(c, ir::MakeLoad(own, {shift}), {Expr(i) * 16})})));
  // Vectors of 64 bytes, whatever this machine has: a row is one store.
  const std::string usual = Made("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4", Output::kPlainIr,
                                 MakeKernelModule(spec));
  EXPECT_EQ(CountOf(usual, "nontemporal"), 0);
  spec.body = ir::MakeAttr(nullptr, "nontemporal", Int(1), spec.body);
  const ir::Module module = MakeKernelModule(spec);
  const std::string plain =
      Made("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4", Output::kPlainIr, module);
  EXPECT_EQ(CountOf(plain, ", !nontemporal"), 1) << plain;
  EXPECT_EQ(CountOf(plain, "call void @llvm.x86.sse.sfence"), 1);
  const auto assembly = [&](const char* target) { return Made(target, Output::kAssembly, module); };
  const std::string wide = assembly("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4"),
                    middle = assembly("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3"),
                    narrow = assembly("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64");
  EXPECT_THAT(wide, ::testing::ContainsRegex("vmovntps\t%zmm"));
  EXPECT_THAT(middle, ::testing::ContainsRegex("vmovntps\t%ymm"));
  EXPECT_THAT(narrow, ::testing::ContainsRegex("movntps\t%xmm"));
  for (const std::string& text : {wide, middle, narrow}) EXPECT_EQ(CountOf(text, "\tsfence"), 1);
  const std::string arm = assembly("llvm -mtriple=aarch64-linux-gnu");
  EXPECT_THAT(arm, HasSubstr("stp\tq"));  // no such stores of this length: ordinary ones
}

TEST(LlvmOutput, BitcodeAndTimes) {
  EXPECT_EQ(Made("llvm", Output::kBitcode).substr(0, 2), "BC");
  const Compilation made =
      Compile(MakeKernelModule(AddSpec()), sdk::ParseTarget("llvm"), {}, Output::kObject);
  ASSERT_EQ(made.times.List().size(), 4u);
  EXPECT_EQ(made.times.List()[2].stage, "optimize");
  EXPECT_GT(made.times.emit, 0);
}

// The special instructions of a processor are available by LLVM's names.
TEST(LlvmOutput, IntrinsicsByName) {
  KernelSpec spec;
  const DataType i32x16 = DataType::Int(32, 16);
  const ir::Buffer a = ir::MakeBuffer("a", DataType::Int(32), {Int(16)}),
                   b = ir::MakeBuffer("b", DataType::Int(32), {Int(16)}),
                   c = ir::MakeBuffer("c", DataType::Int(32), {Int(16)});
  const Expr at = ir::MakeRamp(Int(0), Int(1), 16);
  spec.buffers = {a, b, c};
  spec.body =
      ir::MakeStore(c,
                    Intrin(i32x16, "llvm_intrinsic",
                           {ir::String("llvm.x86.avx512.vpdpbusd.512"), ir::MakeLoad(c, {at}),
                            ir::MakeLoad(a, {at}), ir::MakeLoad(b, {at})}),
                    {at});
  EXPECT_THAT(Made("llvm -mtriple=x86_64-linux-gnu -mcpu=cascadelake", Output::kAssembly,
                   MakeKernelModule(spec)),
              HasSubstr("vpdpbusd"));

  const DataType bf32 = DataType::BFloat16(32), f16 = DataType::Float(32, 16);
  const ir::Buffer x = ir::MakeBuffer("x", DataType::BFloat16(), {Int(32)}),
                   y = ir::MakeBuffer("y", kF32, {Int(16)});
  const Expr wide = ir::MakeLoad(x, {ir::MakeRamp(Int(0), Int(1), 32)});
  ASSERT_EQ(wide->dtype, bf32);
  spec.buffers = {x, y};
  spec.body = ir::MakeStore(
      y,
      Intrin(f16, "llvm_intrinsic",
             {ir::String("llvm.x86.avx512bf16.dpbf16ps.512"), ir::MakeLoad(y, {at}), wide, wide}),
      {at});
  EXPECT_THAT(Made("llvm -mtriple=x86_64-linux-gnu -mcpu=cooperlake", Output::kAssembly,
                   MakeKernelModule(spec)),
              HasSubstr("vdpbf16ps"));
  // Overloaded intrinsics are selected by the types of the arguments.
  spec.body = ir::MakeStore(
      y, Intrin(f16, "llvm_intrinsic", {ir::String("llvm.fabs"), ir::MakeLoad(y, {at})}), {at});
  EXPECT_THAT(Made("llvm", Output::kPlainIr, MakeKernelModule(spec)),
              HasSubstr("llvm.fabs.v16f32"));
}

TEST(LlvmOutput, EqualRequestsGiveEqualBytesOnAnyThread) {
  const std::string target = "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512";
  const std::string first = Made(target, Output::kObject);
  std::vector<std::string> others(4);
  std::vector<std::thread> threads;
  for (std::string& other : others)
    threads.emplace_back([&] { other = Made(target, Output::kObject); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& other : others) EXPECT_TRUE(other == first);
}

}  // namespace
}  // namespace lathe::llvm_backend
