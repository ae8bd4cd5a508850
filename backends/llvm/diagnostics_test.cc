// Every diagnostic of the code generator, provoked.

#include "backends/llvm/test_kernel.h"
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"

namespace lathe::llvm_backend {
namespace {

using ir::Expr;
using ir::Int;
using ir::Stmt;

const DataType kF32 = DataType::Float(32), kI32 = DataType::Int(32), kVoid = DataType::Void();

std::string NameOf(const ir::Module& module, const std::string& target = "llvm") {
  try {
    Compile(module, sdk::ParseTarget(target), {}, Output::kObject);
  } catch (const Error& error) {
    EXPECT_FALSE(error.diagnostic().message.empty());
    return error.name();
  }
  return "no error";
}

ir::Buffer Buf(const char* name, DataType dtype = kF32, int64_t n = 64) {
  return ir::MakeBuffer(name, dtype, {Int(n)});
}

std::string NameOf(const std::vector<ir::Buffer>& buffers, const Stmt& body,
                   const std::string& target = "llvm") {
  KernelSpec spec;
  spec.buffers = buffers;
  spec.body = body;
  return NameOf(MakeKernelModule(spec), target);
}
std::string NameOf(const Expr& call) { return NameOf({}, ir::MakeEvaluate(call)); }

TEST(LlvmDiagnostics, WhatIsNotFlat) {
  const ir::Buffer a = Buf("a"), square = ir::MakeBuffer("square", kF32, {Int(4), Int(4)});
  const ir::Var i = ir::MakeVar("i");
  const Stmt store = ir::MakeStore(a, ir::Float(0), {i});
  for (const ir::ForKind kind :
       {ir::ForKind::kParallel, ir::ForKind::kVectorized, ir::ForKind::kUnrolled}) {
    EXPECT_EQ(NameOf({a}, ir::MakeFor(i, Int(0), Int(4), kind, store)), "codegen-not-flat");
  }
  EXPECT_EQ(NameOf({a}, ir::MakeAssert(ir::Bool(false), "x", "y")), "codegen-not-flat");
  EXPECT_EQ(NameOf({square}, ir::MakeStore(square, ir::Float(0), {Int(0), Int(0)})),
            "codegen-not-flat");
  EXPECT_EQ(NameOf(ir::MakeModule({ir::MakeFunc("f", {ir::NodeRef(a)}, ir::Nop())})),
            "codegen-buffer-parameter");
}

TEST(LlvmDiagnostics, NestsTooDeepForLlvm) {
  const ir::Buffer a = Buf("a");
  Stmt nest = ir::MakeStore(a, ir::Float(0), {Int(0)});
  for (int depth = 0; depth < 101; ++depth)
    nest = ir::MakeFor(ir::MakeVar("i"), Int(0), Int(2), ir::ForKind::kSerial, nest);
  EXPECT_EQ(NameOf({a}, nest), "codegen-loop-depth");
}

// The arms of choices are emitted for each use: 2^21 of them would be emitted.
TEST(LlvmDiagnostics, WhatIsTooLargeWithoutSharing) {
  const ir::Buffer a = Buf("a");
  const Expr x = ir::MakeLoad(a, {Int(0)});
  Expr value = x;
  for (int i = 0; i < 21; ++i) value = ir::IfThenElse(x > ir::Float(i), value, value * x);
  EXPECT_EQ(NameOf({a}, ir::MakeStore(a, value, {Int(1)})), "tree-too-large");
}

TEST(LlvmDiagnostics, NamesThatNothingDefines) {
  const ir::Buffer a = Buf("a"), stranger = Buf("stranger");
  EXPECT_EQ(NameOf({a}, ir::MakeStore(a, ir::Float(0), {ir::MakeVar("nowhere")})),
            "codegen-unbound-variable");
  EXPECT_EQ(NameOf({a}, ir::MakeStore(stranger, ir::Float(0), {Int(0)})),
            "codegen-unbound-variable");
  EXPECT_EQ(NameOf(Intrin(kI32, "call_plain", {ir::String("nowhere")})),
            "codegen-unknown-function");
  EXPECT_EQ(NameOf(Intrin(DataType::Handle(), "function_address", {ir::String("nowhere")})),
            "codegen-unknown-function");
  EXPECT_EQ(NameOf(Intrin(kI32, "nonesuch", {})), "codegen-unknown-intrinsic");
  EXPECT_EQ(NameOf({a}, ir::MakeAllocConst(Buf("constant"), 3, ir::Nop())),
            "codegen-missing-constant");
}

TEST(LlvmDiagnostics, CallsThatDoNotFit) {
  const auto runtime = [](std::vector<ir::NodeRef> args) {
    return Intrin(kI32, "runtime_call", std::move(args));
  };
  EXPECT_EQ(NameOf(runtime({ir::String("nonesuch")})), "codegen-bad-call");
  EXPECT_EQ(NameOf(runtime({ir::String("set_device"), Int(1)})), "codegen-bad-call");
  EXPECT_EQ(NameOf(runtime({ir::String("set_device"), Int(1), ir::String("x")})),
            "codegen-bad-call");
  EXPECT_EQ(NameOf(Intrin(kI32, "call_plain", {ir::String("kernel"), Int(1)})), "codegen-bad-call");
  EXPECT_EQ(NameOf(Intrin(kVoid, "return", {ir::Float(1)})), "codegen-bad-call");
  EXPECT_EQ(NameOf(Intrin(DataType::Handle(), "stack_slots",
                          {ir::MakeLet(ir::MakeVar("n"), Int(1), Int(-1))})),
            "codegen-bad-call");
  std::vector<ir::NodeRef> raised = {ir::String("n"), ir::String("m")};
  EXPECT_EQ(NameOf(Intrin(kVoid, "raise", {raised[0]})), "codegen-bad-call");
  EXPECT_EQ(NameOf(Intrin(kVoid, "raise", {raised[0], Int(1)})), "codegen-bad-call");
  EXPECT_EQ(
      NameOf(Intrin(kVoid, "raise", {raised[0], raised[1], ir::MakeBroadcast(ir::Float(1), 4)})),
      "codegen-bad-call");
  raised.resize(11, Int(1));
  EXPECT_EQ(NameOf(Intrin(kVoid, "raise", raised)), "codegen-bad-call");
  const Stmt both = ir::MakeSeq(
      {ir::MakeEvaluate(Intrin(kI32, "call_extern", {ir::String("abs"), Int(1)})),
       ir::MakeEvaluate(Intrin(kF32, "call_extern", {ir::String("abs"), ir::Float(1)}))});
  EXPECT_EQ(NameOf({}, both), "codegen-extern-mismatch");
}

TEST(LlvmDiagnostics, Intrinsics) {
  const auto by_name = [](const char* name, Expr arg) {
    return Intrin(arg->dtype, "llvm_intrinsic", {ir::String(name), arg});
  };
  EXPECT_EQ(NameOf(by_name("llvm.nonesuch", ir::Float(1))), "codegen-unknown-intrinsic");
  EXPECT_EQ(NameOf(by_name("llvm.aarch64.neon.frecpe.v4f32", ir::Float(1))),
            "codegen-foreign-intrinsic");
  EXPECT_EQ(NameOf(by_name("llvm.ctpop", ir::Float(1))), "codegen-intrinsic-types");
  EXPECT_EQ(NameOf(by_name("llvm.x86.sse.rcp.ps", ir::Float(1))), "codegen-intrinsic-types");
}

// LLVM's fatal errors do not unwind, so the objects of that compilation are never freed. The leak
// checker, if there is one, is switched off for it.
extern "C" __attribute__((weak)) void __lsan_disable();
extern "C" __attribute__((weak)) void __lsan_enable();
struct LeakOfLlvm {
  LeakOfLlvm() {
    if (__lsan_disable != nullptr) __lsan_disable();
  }
  ~LeakOfLlvm() {
    if (__lsan_enable != nullptr) __lsan_enable();
  }
};

TEST(LlvmDiagnostics, AnIntrinsicOfAnotherProcessorNamesTheFeature) {
  const ir::Buffer a = Buf("a", kI32, 16);
  const auto dot = [&](int lanes) {
    const Expr at = ir::MakeRamp(Int(0), Int(1), lanes), x = ir::MakeLoad(a, {at});
    const std::string name = "llvm.x86.avx512.vpdpbusd." + std::to_string(32 * lanes);
    return ir::MakeStore(a, Intrin(x->dtype, "llvm_intrinsic", {ir::String(name), x, x, x}), {at});
  };
  const std::string x86 = "llvm -mtriple=x86_64-linux-gnu ";
  EXPECT_EQ(NameOf({a}, dot(16), x86 + "-mcpu=skylake-avx512"), "llvm-missing-feature");
  EXPECT_EQ(NameOf({a}, dot(16), x86 + "-mcpu=skylake-avx512 -mattr=+avx512vnni"), "no error");
  EXPECT_EQ(NameOf({a}, dot(8), x86 + "-mcpu=skylake"), "llvm-missing-feature");
  EXPECT_EQ(NameOf({a}, dot(8), x86 + "-mcpu=cascadelake"), "no error");
  EXPECT_EQ(NameOf({a}, dot(8), x86 + "-mcpu=alderlake"), "no error");  // by AVX-VNNI
  const auto tiles =
      ir::MakeEvaluate(Intrin(DataType::Void(), "llvm_intrinsic_with_effects",
                              {ir::String("llvm.x86.tilezero"), ir::Int(0, DataType::Int(8))}));
  EXPECT_EQ(NameOf({}, tiles, x86 + "-mcpu=sapphirerapids"), "no error");
  EXPECT_EQ(NameOf({}, tiles, x86 + "-mcpu=sapphirerapids -mattr=-amx-tile"),
            "llvm-missing-feature");
}

// LLVM refuses an intrinsic that the processor lacks; the process continues and compiles again.
TEST(LlvmDiagnostics, LlvmRefusesWithoutEndingTheProcess) {
  const ir::Buffer a = Buf("a", kI32, 16);
  const Expr at = ir::MakeRamp(Int(0), Int(1), 16), x = ir::MakeLoad(a, {at});
  const Stmt store = ir::MakeStore(
      a, Intrin(x->dtype, "llvm_intrinsic", {ir::String("llvm.x86.avx512.vpdpwssd.512"), x, x, x}),
      {at});
  const std::string old = "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v2",
                    recent = "llvm -mtriple=x86_64-linux-gnu -mcpu=cascadelake";
  {
    LeakOfLlvm leak;
    EXPECT_EQ(NameOf({a}, store, old), "llvm-refused");
  }
  EXPECT_EQ(NameOf({a}, store, recent), "no error");
}

TEST(LlvmDiagnostics, Memory) {
  const ir::Buffer a = Buf("a"), large = Buf("large", kF32, 1 << 20),
                   quads = Buf("quads", DataType::Float(32, 4), 8),
                   packed = Buf("packed", DataType::Int(4, 2), 8);
  EXPECT_EQ(NameOf({a}, ir::MakeAllocate(large, ir::Nop())), "codegen-large-allocation");
  const ir::Buffer dynamic =
      ir::MakeBuffer("dynamic", kF32, {ir::MakeCast(kI32, ir::MakeLoad(a, {Int(0)}))});
  EXPECT_EQ(NameOf({a}, ir::MakeAllocate(dynamic, ir::Nop())), "codegen-large-allocation");
  const Expr strided = ir::MakeRamp(Int(0), Int(2), 2);
  EXPECT_EQ(NameOf({quads}, ir::MakeStore(quads, ir::MakeLoad(quads, {strided}),
                                          {ir::MakeRamp(Int(0), Int(1), 2)})),
            "codegen-vector-elements");
  EXPECT_EQ(
      NameOf({quads}, ir::MakeStore(quads, ir::MakeLoad(quads, {ir::MakeRamp(Int(0), Int(1), 2)}),
                                    {strided})),
      "codegen-vector-elements");
  const Expr mask = ir::MakeBroadcast(ir::MakeLoad(a, {Int(0)}) > ir::Float(0), 2);
  EXPECT_EQ(
      NameOf({a, packed}, ir::MakeStore(packed, ir::MakeLoad(packed, {Int(0)}, mask), {Int(1)})),
      "codegen-packed-access");

  KernelSpec spec;
  spec.buffers = {a};
  const ir::Buffer constant = Buf("constant");
  spec.body =
      ir::MakeAllocConst(constant, 0, ir::MakeStore(a, ir::MakeLoad(constant, {Int(0)}), {Int(0)}));
  int64_t shape = int64_t{1} << 40;
  char nothing = 0;
  DLTensor tensor{&nothing, {kDLCPU, 0}, 1, kF32.dl(), &shape, nullptr, 0};
  const DLTensor* table[] = {&tensor};
  try {
    Compile(MakeKernelModule(spec), sdk::ParseTarget("llvm"), {table}, Output::kObject);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "codegen-large-constant");
  }
}

TEST(LlvmDiagnostics, ScalableVectorsHaveNoLibraryCalls) {
  const ir::Buffer a = Buf("a");
  Ref<ir::Ramp> ramp = Make<ir::Ramp>();
  ramp->dtype = kI32.with_scalable_lanes(4);
  ramp->base = Int(0);
  ramp->stride = Int(1);
  const Expr x = ir::MakeLoad(a, {ramp});
  EXPECT_EQ(NameOf({a}, ir::MakeStore(a, ir::Sin(x), {ramp}),
                   "llvm -mtriple=aarch64-linux-gnu -mattr=+sve"),
            "codegen-scalable-library");
  EXPECT_EQ(
      NameOf({a}, ir::MakeStore(a, x + x, {ramp}), "llvm -mtriple=aarch64-linux-gnu -mattr=+sve"),
      "no error");
  EXPECT_EQ(NameOf({a}, ir::MakeStore(a, x + x, {ramp}), "llvm -mtriple=x86_64-linux-gnu"),
            "codegen-scalable-vectors");
}

TEST(LlvmDiagnostics, CheckSaysWhyWithoutCompiling) {
  const sdk::Target target = sdk::ParseTarget("llvm");
  KernelSpec spec;
  const ir::Buffer a = Buf("a"), constant = Buf("constant");
  spec.buffers = {a};
  // Constants are not there yet when a module is checked.
  spec.body =
      ir::MakeAllocConst(constant, 7, ir::MakeStore(a, ir::MakeLoad(constant, {Int(0)}), {Int(0)}));
  EXPECT_EQ(Check(MakeKernelModule(spec), target), "");
  spec.body = ir::MakeEvaluate(Intrin(kI32, "nonesuch", {}));
  EXPECT_NE(Check(MakeKernelModule(spec), target).find("nonesuch"), std::string::npos);
}

}  // namespace
}  // namespace lathe::llvm_backend
