// Schedules for the target cuda, compiled to machine code for every architecture.

#include <gtest/gtest.h>

#include <cstdlib>

#include "backends/cuda/image.h"
#include "backends/cuda/machine_code.h"
#include "base/error.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "driver/lower_device.h"
#include "ir/binary.h"
#include "plugins/host/codegen.h"
#include "plugins/host/tensor_intrinsics.h"
#include "runtime/status.h"
#include "target/target.h"
#include "tests/cuda/kernels.h"

namespace lathe {
namespace {

using cuda::CountInstructions;

target::Target Target(const std::string& arch, const std::string& more = "") {
  return target::ParseTarget("cuda -arch=" + arch + more);
}

struct Made {
  std::string source, code;
  cuda::Resources resources;
};

std::string ErrorOf(const Case& test, const target::Target& target, std::string* what = nullptr) {
  try {
    const auto made = driver::Compile(driver::Lower(test.schedule, test.args, test.name, {}),
                                      target, plugins::OutputKind::kSource, {});
    return made.ok() ? "" : std::string(made.status().message());
  } catch (const Error& error) {
    if (what != nullptr) *what = error.what();
    return error.name();
  }
}

class MachineCode : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    setenv("LATHE_CUDA_DRIVER", "none", 1);  // nothing here needs a device
    setenv("LATHE_CACHE_DIR", getenv("TEST_TMPDIR"), 1);
    cuda::UsePinnedToolkit();
    driver::UseDefaultPlugins();
    const target::Target target = Target("sm_80");
    plugins::RegisterTensorIntrinsics(*target.schema, target.plugin);
  }

  int arch() const { return std::stoi(std::string(GetParam()).substr(3)); }

  // Compiles the case. The test fails if registers are spilled.
  Made Make(const Case& test, bool disassemble = true) const {
    const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
    auto codegen =
        plugins::CodeGen::For(Target(GetParam()), ir::kBinaryVersion, ir::kBinaryVersion);
    Made made;
    EXPECT_TRUE(codegen.ok()) << codegen.status();
    if (!codegen.ok()) return made;
    const driver::DeviceModules modules =
        driver::LowerForDevice(loops, codegen->target(), target::ParseTarget("llvm"), {});
    auto kernels = codegen->Compile({.ir = ir::EncodeModule(modules.device)});
    EXPECT_TRUE(kernels.ok()) << kernels.status();
    if (!kernels.ok()) return made;
    const cuda::Image image = cuda::ReadImage(kernels->bytes);
    const std::string& symbol = image.symbols.at(0);
    made = {image.source, disassemble ? cuda::Disassemble(image.code).at(symbol) : "",
            cuda::ReadResources(image.log).at(symbol)};
    EXPECT_EQ(made.resources.spilled_bytes, 0) << test.name << "\n" << image.source;
    EXPECT_EQ(made.resources.stack_bytes, 0) << test.name << "\n" << image.source;
    return made;
  }
};

// Architectures between these get the same source, apart from what the other tests look at.
class CasesInMachineCode : public MachineCode {};
INSTANTIATE_TEST_SUITE_P(Archs, CasesInMachineCode,
                         testing::Values("sm_75", "sm_80", "sm_90a", "sm_100"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(CasesInMachineCode, EveryCaseWithoutSpills) {
  for (const Case& test : AllCases()) {
    // Too much shared memory for sm_75, or an element type that its tensor cores do not take.
    if (arch() == 75 && (test.name == "gemm_big" || test.name.find("bf16") != test.name.npos))
      continue;
    SCOPED_TRACE(test.name);
    const Made made = Make(test, /*disassemble=*/false);
    EXPECT_GT(made.resources.registers, 0);
    // Few enough registers that two blocks of 128 threads fit on a core.
    EXPECT_LE(made.resources.registers, test.name == "tiled" ? 255 : 128) << made.source;
  }
}

TEST_P(MachineCode, VectorsAreLoadedAtOnce) {
  const Made made = Make(Elementwise("f", DataType::Float(32), 4, 4096));
  EXPECT_EQ(CountInstructions(made.code, "LDG.E.128"), 2) << made.source << made.code;
  EXPECT_EQ(CountInstructions(made.code, "STG.E.128"), 1) << made.code;
  EXPECT_EQ(CountInstructions(made.code, "FFMA"), 4) << made.code;
}

TEST_P(MachineCode, HalfIsComputedInPairs) {
  const Made made = Make(Elementwise("f", DataType::Float(16), 8, 4096));
  EXPECT_EQ(CountInstructions(made.code, "LDG.E.128"), 2) << made.source << made.code;
  EXPECT_GE(CountInstructions(made.code, "HFMA2"), 4) << made.code;
}

TEST_P(MachineCode, GemmReadsItsTilesFromSharedMemory) {
  GemmOptions options;
  options.n = 1024;
  options.threads = 16;
  options.per_thread = 4;
  const Made made = Make(Gemm("f", options));
  EXPECT_GE(CountInstructions(made.code, "BAR.SYNC"), 2) << made.source << made.code;
  EXPECT_GE(CountInstructions(made.code, "LDS"), 16) << made.code;
  EXPECT_GE(CountInstructions(made.code, "FFMA"), 16 * 8) << made.code;
  EXPECT_EQ(made.resources.shared_bytes / 4096, 1) << made.source;  // two tiles of 64 x 8 floats
}

TEST_P(MachineCode, ThreadsReduceByShuffles) {
  const Made made = Make(RowSums(64, 1024));
  EXPECT_GE(CountInstructions(made.code, "SHFL"), 5) << made.source << made.code;
  EXPECT_GE(CountInstructions(made.code, "BAR.SYNC"), 1) << made.code;
}

TEST_P(MachineCode, Int8ProductsComeFourAtOnce) {
  const Made made = Make(Int8Gemm(64));
  EXPECT_GE(CountInstructions(made.code, "IDP.4A.S8.S8"), 1) << made.source << made.code;
}

TEST_P(MachineCode, TensorCoresByTensorize) {
  const Made half = Make(MmaGemm("f", DataType::Float(16), 128, 4));
  // One for each step of k, or two of half the size. The compiler unrolls the loop.
  EXPECT_GE(CountInstructions(half.code, arch() < 80 ? "HMMA.1688.F32" : "HMMA.16816.F32"),
            arch() < 80 ? 2 : 1)
      << half.source << half.code;
  EXPECT_GE(CountInstructions(half.code, "BAR.SYNC"), 2) << half.source;
  EXPECT_GE(CountInstructions(half.code, "LDSM.16.M88.4"), 1) << half.code;   // ldmatrix, of a
  EXPECT_GE(CountInstructions(half.code, "LDSM.16.MT88.2"), 1) << half.code;  // and of b
  if (arch() < 80) return;
  const Made bfloat = Make(MmaGemm("f", DataType::BFloat16(), 128, 4));
  EXPECT_GE(CountInstructions(bfloat.code, "HMMA.16816.F32.BF16"), 1) << bfloat.code;
}

// Operands are loaded once for all products of a warp's tile. The operands of the next step are
// loaded while this step computes.
TEST_P(MachineCode, TilesLoadTheirOperandsOnce) {
  if (arch() < 80) return;  // there two instructions replace one: EveryCaseWithoutSpills
  MmaTileOptions options;
  options.n = 256;
  options.step = 64;
  options.stages = 2;
  const Made made = Make(MmaTileGemm("f", options));
  EXPECT_NE(made.source.find("lathe_mma_f16_m64n64<true, true>("), std::string::npos);
  const int products = CountInstructions(made.code, "HMMA.16816.F32");
  EXPECT_GE(products, 4 * 32) << made.code;
  EXPECT_EQ(CountInstructions(made.code, "LDSM.16.M88.4"), products / 8) << made.code;
  EXPECT_EQ(CountInstructions(made.code, "LDSM.16.MT88.4"), products / 8) << made.code;
  EXPECT_LE(made.resources.registers, 255) << made.source;
}

TEST_P(MachineCode, PipelinesCopyAsynchronously) {
  if (arch() < 80) return;  // there the same schedule copies synchronously: EveryCaseWithoutSpills
  GemmOptions options;
  options.n = 256;
  options.stages = 3;
  const Made made = Make(Gemm("f", options));
  EXPECT_GE(CountInstructions(made.code, "LDGSTS.E"), 4) << made.source << made.code;
  EXPECT_GE(CountInstructions(made.code, "LDGDEPBAR"), 2) << made.code;
  EXPECT_GE(CountInstructions(made.code, "DEPBAR.LE"), 2) << made.code;
  const Made mma = Make(MmaGemm("f", DataType::Float(16), 128, 2, 3));
  EXPECT_GE(CountInstructions(mma.code, "LDGSTS.E"), 2) << mma.source << mma.code;
  EXPECT_GE(CountInstructions(mma.code, "HMMA.16816.F32"), 1) << mma.code;
}

TEST_P(MachineCode, WgmmaReadsWhatTmaBrings) {
  WgmmaOptions options;
  options.m = options.n = 1024;
  options.k = 512;
  options.groups = 2;
  options.columns = 128;
  options.stages = 4;
  if (std::string(GetParam()) != "sm_90a") {  // wgmma exists on this architecture only
    options.columns = 64;
    options.groups = 1;
    options.stages = 2;
    const std::string what = ErrorOf(WgmmaGemm("f", options), Target(GetParam()));
    EXPECT_NE(what.find("no wgmma in code for " + std::string(GetParam())), what.npos) << what;
    EXPECT_NE(what.find("cuda -arch=sm_90a"), what.npos) << what;
    return;
  }
  for (const DataType type : {DataType::Float(16), DataType::BFloat16()}) {
    options.type = type;
    const Made made = Make(WgmmaGemm("f", options));
    const char* wgmma = type.is_bfloat16() ? "HGMMA.64x128x16.F32.BF16" : "HGMMA.64x128x16.F32";
    EXPECT_GE(CountInstructions(made.code, wgmma), 4) << made.source << made.code;
    EXPECT_GE(CountInstructions(made.code, "UTMALDG.2D"), 2) << made.code;
    EXPECT_GE(CountInstructions(made.code, "SYNCS"), 3) << made.code;  // mbarriers
    // The products of one step run while the next begins.
    EXPECT_NE(made.source.find("lathe_wgmma_wait<1>();"), std::string::npos) << made.source;
    EXPECT_EQ(made.source.find("lathe_wgmma_f16_n128("), made.source.rfind("lathe_wgmma_f16_n128("))
        << "called nowhere";
    EXPECT_EQ(CountInstructions(made.code, "LDGSTS"), 0) << made.code;
    EXPECT_EQ(CountInstructions(made.code, "LDS"), 0) << made.code;  // operands stay where they are
    EXPECT_LE(made.resources.registers, 128) << made.source;
  }
  for (const int64_t columns : {64, 256}) {
    options.columns = columns;
    options.groups = 1;
    const Made made = Make(WgmmaGemm("f", options));
    EXPECT_GE(CountInstructions(made.code, "HGMMA.64x" + std::to_string(columns) + "x16"), 4)
        << made.code;
  }
}

INSTANTIATE_TEST_SUITE_P(Archs, MachineCode, testing::ValuesIn(cuda::kArchs),
                         [](const auto& info) { return std::string(info.param); });

// S44: what the device cannot run is refused before anything is compiled. The error names the limit
// and the value.
TEST_F(MachineCode, LimitsAreThoseOfTheTarget) {
  GemmOptions big;
  big.shared = "shared.dyn";
  big.step = 512;
  big.n = 512;
  const Case test = Gemm("f", big);  // 128 KiB of shared memory
  std::string what;
  EXPECT_EQ(ErrorOf(test, Target("sm_75"), &what), "device-limit");
  EXPECT_NE(what.find("65536"), std::string::npos) << what;
  EXPECT_NE(what.find("131072"), std::string::npos) << what;
  EXPECT_EQ(ErrorOf(test, Target("sm_86")), "device-limit");
  EXPECT_EQ(ErrorOf(test, Target("sm_80")), "");
  EXPECT_EQ(ErrorOf(test, Target("sm_80", " -max_shared_memory_per_block=65536")), "device-limit");
  GemmOptions many;
  many.threads = 64;
  many.per_thread = 1;
  many.n = 64;
  EXPECT_EQ(ErrorOf(Gemm("f", many), Target("sm_80"), &what), "device-limit");
  EXPECT_NE(what.find("4096"), std::string::npos) << what;
  EXPECT_EQ(ErrorOf(Gemm("f", {}), Target("sm_80", " -max_threads_per_block=32")), "device-limit");
}

// Asynchronous copies need one barrier for each step of k, in the loop and in its last steps.
TEST_F(MachineCode, PipelinesMeetOnceAStep) {
  const Case test = TiledGemm("f", {.n = 1024});
  const auto source = driver::Compile(driver::Lower(test.schedule, test.args, test.name, {}),
                                      Target("sm_80"), plugins::OutputKind::kSource, {});
  ASSERT_TRUE(source.ok()) << source.status();
  size_t barriers = 0;
  for (size_t at = source->find("__syncthreads"); at != source->npos;
       at = source->find("__syncthreads", at + 1))
    ++barriers;
  EXPECT_EQ(barriers, 2u) << *source;
}

TEST_F(MachineCode, UnknownAttributesAreNamed) {
  try {
    Target("sm_80", " -archs=sm_90");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.name()), "target-unknown-attribute");
    EXPECT_NE(std::string(error.what()).find("`arch`"), std::string::npos) << error.what();
  }
}

TEST_F(MachineCode, WithoutADeviceTheTargetNamesItsArchitecture) {
  const Case test = Gemm("f", {});
  const auto made = driver::Compile(driver::Lower(test.schedule, test.args, "f", {}),
                                    target::ParseTarget("cuda"), plugins::OutputKind::kSource, {});
  EXPECT_EQ(runtime::StatusName(made.status()), "cuda-no-arch");
  EXPECT_NE(made.status().message().find("cuda -arch=sm_80"), std::string::npos) << made.status();
}

}  // namespace
}  // namespace lathe
