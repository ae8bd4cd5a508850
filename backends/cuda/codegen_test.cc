// Kernels in text IR, down to machine code for every architecture.

#include "backends/cuda/codegen.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "backends/cuda/image.h"
#include "backends/cuda/machine_code.h"
#include "base/error.h"
#include "ir/binary.h"
#include "ir/text/parser.h"
#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

sdk::CodeGenerator& Generator() {
  static sdk::CodeGenerator& generator = *MakeCudaCodeGen().release();
  return generator;
}

std::string Compile(const std::string& text, const std::string& target,
                    lathe_output_kind output = LATHE_OUTPUT_MODULE) {
  const std::string ir = ir::EncodeModule(ir::ParseModule(text));
  const sdk::Target parsed = Generator().Canonical(sdk::ParseTarget(target));
  return Generator().Compile({.ir = ir, .target = parsed, .output = output}).output;
}

// One kernel over `A` and `B` of an element type, one block of 64 threads.
std::string Kernel(const std::string& type, const std::string& body,
                   const std::string& name = "f") {
  return "func " + name +
         "(A.p: handle, B.p: handle, n: size, x: int32) with {calling_convention = \"kernel\", "
         "launch = \"threadIdx.x\"} {\n decl_buffer A: " +
         type + "[n] = A.p\n decl_buffer B: " + type +
         "[n] = B.p\n thread(\"threadIdx.x\") for t in range(64) {\n" + body + "\n }\n}\n";
}

constexpr const char* kShuffled[] = {"float32", "float64", "int32",    "int64",        "uint8",
                                     "int16",   "float16", "bfloat16", "float8_e4m3fn"};
constexpr const char* kAtomic[] = {"float32", "float64", "int32",  "uint32",  "int64",
                                   "uint64",  "int8",    "uint16", "float16", "bfloat16"};
constexpr const char* kCounted[] = {"int8", "uint16", "int32", "uint64"};

// All code that is compiled for each architecture, in one module: most of the compile time goes
// into headers.
std::string AllKernels() {
  const auto doubled = [](const std::string& type, int lanes, const std::string& name,
                          const std::string& more = "") {
    const std::string n = std::to_string(lanes);
    return Kernel(type,
                  " let i: int32 = t * " + n + "\n let v: " + type + "x" + n + " = A[ramp(i, 1, " +
                      n + ")]\n B[ramp(i, 1, " + n + ")] = v * v" + more,
                  name);
  };
  std::string all = doubled("float32", 4, "wide") + doubled("float32", 8, "wider") +
                    doubled("int16", 3, "odd") + doubled("float16", 8, "halves", " + v") +
                    doubled("bfloat16", 8, "bfloat", " + v");
  for (const char* type : {"float8_e4m3fn", "float8_e5m2"})
    all += Kernel(type, " B[t] = A[t] * A[t]", std::string("times_") + type);
  all +=
      R"(func conversions(A.p: handle, B.p: handle, C.p: handle, D.p: handle) with {calling_convention = "kernel", launch = "threadIdx.x"} {
  decl_buffer A: float64[64] = A.p
  decl_buffer B: int64[64] = B.p
  decl_buffer C: float16[64] = C.p
  decl_buffer D: bfloat16[64] = D.p
  thread("threadIdx.x") for t in range(64) {
    C[t] = float16(A[t]) + float16(B[t])
    D[t] = bfloat16(A[t]) + bfloat16(C[t])
    B[t] = int64(D[t])
  }
}
func declared(A.p: handle, B.p: handle) with {calling_convention = "kernel", launch = "threadIdx.x"} {
  decl_buffer A: float32[256](align=16) = A.p
  decl_buffer B: float32[256](align=16) = B.p
  thread("threadIdx.x") for t in range(64) {
    B[ramp(t * 4, 1, 4)] = A[ramp(t * 4, 1, 4)]
  }
}
)";
  all += Kernel("float32", R"(
  allocate S: float32[64](scope="shared")
  S[t] = A[t]
  barrier("shared")
  B[t] = S[63 - t])",
                "shared");
  for (const char* type : kShuffled)
    all += Kernel(type, " B[t] = warp_shuffle_xor(4294967295u32, A[t], 16, 32)",
                  std::string("shuffle_") + type);
  all += Kernel("float32", R"(
  B[t] = warp_shuffle(4294967295u32, A[t], x, 32)
  B[t] = B[t] + warp_shuffle_up(4294967295u32, A[t], 1, 32)
  B[t] = B[t] + warp_shuffle_down(4294967295u32, A[t], 1, 16))",
                "shuffles");
  for (const char* type : kAtomic) {
    std::string body;
    for (const char* op : {"atomic_add", "atomic_min", "atomic_max", "atomic_exchange"})
      body += std::string(" ") + op + "(B[0], A[t])\n";
    all += Kernel(type, body + " A[t] = atomic_compare_exchange(B[1], A[t], A[t + 1])\n",
                  std::string("update_") + type);
  }
  all += Kernel("float32", " atomic_add(B[0], A[t])", "add");
  all += Kernel("float32", R"(
  allocate S: float32[256](scope="shared")
  async_copy(S[t * 4], A[t * 4], 4)
  async_commit()
  async_wait(0)
  barrier("shared")
  B[t] = S[255 - t])",
                "async");
  all += Kernel("float32", " B[t] = exp(A[t]) + rsqrt(A[t]) + tanh(A[t]) * pow(A[t], 3.0)", "math");
  for (const char* type : kCounted)
    all += Kernel(type, " B[t] = popcount(A[t]) + clz(A[t])", std::string("bits_") + type);
  return all;
}

class CudaCode : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { UsePinnedToolkit(); }

  void SetUp() override {
    static std::map<std::string, Made>& all = *new std::map<std::string, Made>;
    Made& made = all[GetParam()];
    if (made.code.empty()) {
      const Image image = ReadImage(Compile(AllKernels(), "cuda -arch=" + std::string(GetParam())));
      made = {image.source, Disassemble(image.code), ReadResources(image.log)};
    }
    made_ = &made;
  }
  bool Before(int arch) const { return std::stoi(std::string(GetParam()).substr(3)) < arch; }
  const std::string& source() const { return made_->source; }
  const std::string& Code(const std::string& kernel) const { return made_->code.at(kernel); }
  int Count(const std::string& kernel, std::string_view start) const {
    return CountInstructions(Code(kernel), start);
  }
  const std::map<std::string, Resources>& resources() const { return made_->resources; }

 private:
  struct Made {
    std::string source;
    std::map<std::string, std::string> code;
    std::map<std::string, Resources> resources;
  };
  const Made* made_ = nullptr;
};

TEST_P(CudaCode, NothingIsSpilled) {
  EXPECT_GE(resources().size(), 37u);
  for (const auto& [name, used] : resources()) {
    EXPECT_EQ(used.spilled_bytes, 0) << name;
    EXPECT_EQ(used.stack_bytes, 0) << name;
    EXPECT_GT(used.registers, 0) << name;
    EXPECT_LE(used.registers, 64) << name;
  }
}

// If the compiler does not know an address's alignment, the kernel checks it at run time.
TEST_P(CudaCode, WideLoadsAndStores) {
  EXPECT_EQ(Count("declared", "LDG.E.128"), 1) << Code("declared");
  EXPECT_EQ(Count("declared", "STG.E.128"), 1) << Code("declared");
  EXPECT_EQ(Count("declared", "LDG.E"), 1) << Code("declared");
  EXPECT_EQ(Count("wide", "LDG.E.128"), 1) << Code("wide");
  EXPECT_EQ(Count("wide", "STG.E.128"), 1) << Code("wide");
  EXPECT_EQ(Count("wide", "LDG.E"), 1 + 4) << Code("wide");
  EXPECT_EQ(Count("wider", "LDG.E.128"), 2) << Code("wider");
  EXPECT_EQ(Count("odd", "LDG.E.U16"), 3) << Code("odd");
}

TEST_P(CudaCode, HalfIsComputedInPairs) {
  EXPECT_GE(Count("halves", "HFMA2"), 4) << Code("halves");
  EXPECT_EQ(Count("halves", "LDG.E.128"), 1) << Code("halves");
  EXPECT_EQ(Count("bfloat", "LDG.E.128"), 1) << Code("bfloat");
  if (!Before(90)) {
    EXPECT_GE(Count("bfloat", "HFMA2.BF16") + Count("bfloat", "HFMA2.MMA.BF16"), 4)
        << Code("bfloat");
  }
}

TEST_P(CudaCode, Float8IsConvertedByInstructionsThatThereAre) {
  EXPECT_NE(source().find("__NV_NOSAT"), std::string::npos);
  for (const char* type : {"float8_e4m3fn", "float8_e5m2"}) {
    if (!Before(89)) {
      EXPECT_GE(Count(std::string("times_") + type, "F2FP"), 1) << type;
    }
  }
}

TEST_P(CudaCode, ConversionsRoundOnce) {
  for (const char* function :
       {"__double2half(", "__ll2half_rn(", "__double2bfloat16(", "__float2bfloat16_rn("})
    EXPECT_NE(source().find(function), std::string::npos) << function;
}

TEST_P(CudaCode, BarriersAndSharedMemory) {
  EXPECT_EQ(Count("shared", "BAR.SYNC"), 1) << Code("shared");
  EXPECT_EQ(Count("shared", "STS"), 1) << Code("shared");
  EXPECT_EQ(Count("shared", "LDS"), 1) << Code("shared");
  EXPECT_GE(resources().at("shared").shared_bytes, 256);
}

TEST_P(CudaCode, ShufflesOfAllTypes) {
  for (const char* type : kShuffled) {
    const std::string kernel = std::string("shuffle_") + type;
    EXPECT_GE(Count(kernel, "SHFL.BFLY"), 1) << Code(kernel);
  }
  for (const char* kind : {"SHFL.IDX", "SHFL.UP", "SHFL.DOWN"})
    EXPECT_EQ(Count("shuffles", kind), 1) << Code("shuffles");
}

TEST_P(CudaCode, AtomicsOfAllTypes) {
  for (const char* type : kAtomic) {
    const std::string kernel = std::string("update_") + type;
    EXPECT_GE(Count(kernel, "ATOM") + Count(kernel, "RED"), 5) << Code(kernel);
  }
  EXPECT_EQ(Count("add", "ATOM") + Count("add", "RED"), 1) << Code("add");
}

TEST_P(CudaCode, AsynchronousCopiesWhereThereAreSome) {
  const int count = Before(80) ? 0 : 1;
  EXPECT_EQ(Count("async", "LDGSTS.E.BYPASS.128"), count) << Code("async");
  EXPECT_EQ(Count("async", "LDGDEPBAR"), count) << Code("async");
}

TEST_P(CudaCode, FunctionsAndBits) {
  EXPECT_GE(Count("math", "MUFU.EX2"), 1) << Code("math");
  EXPECT_GE(Count("math", "MUFU.RSQ"), 1) << Code("math");
  for (const char* type : kCounted) {
    const std::string kernel = std::string("bits_") + type;
    EXPECT_GE(Count(kernel, "POPC"), 1) << Code(kernel);
  }
}

INSTANTIATE_TEST_SUITE_P(Archs, CudaCode, testing::ValuesIn(kArchs),
                         [](const auto& info) { return std::string(info.param); });

class CudaCodeGen : public testing::Test {
 protected:
  static void SetUpTestSuite() { UsePinnedToolkit(); }
};

std::string NameOf(const std::string& text, const std::string& target,
                   std::string* what = nullptr) {
  try {
    Compile(text, target);
  } catch (const sdk::Error& error) {
    if (what != nullptr) *what = std::string(error.what()) + "\n" + error.notes();
    return error.name();
  } catch (const lathe::Error& error) {
    if (what != nullptr) *what = error.what();
    return error.name();
  }
  return "";
}

TEST_F(CudaCodeGen, OutputsAreSourceAndPtxToo) {
  const std::string text = Kernel("float32", " B[t] = A[t] + 1.0");
  const std::string source = Compile(text, "cuda -arch=sm_80", LATHE_OUTPUT_SOURCE);
  EXPECT_NE(source.find("extern \"C\" __global__ void __launch_bounds__(64) f("), std::string::npos)
      << source;
  const std::string ptx = Compile(text, "cuda -arch=sm_80", LATHE_OUTPUT_ASSEMBLY);
  EXPECT_NE(ptx.find(".target sm_80"), std::string::npos) << ptx;
  const Image image = ReadImage(Compile(text, "cuda -arch=sm_90a -code=ptx"));
  EXPECT_TRUE(image.is_ptx);
  EXPECT_NE(image.code.find(".target sm_90a"), std::string::npos) << image.code;
  // Equal requests, equal bytes.
  EXPECT_TRUE(Compile(text, "cuda -arch=sm_80") == Compile(text, "cuda -arch=sm_80"));
}

// The pragma import_c: CUDA C++ before the kernels.
TEST_F(CudaCodeGen, ImportedSourcesAreCompiled) {
  const std::string kernel =
      Kernel("float32", " B[t] = call_pure_extern<float32>(\"halve\", A[t])");
  const auto importing = [&](const std::string& source) {
    return "module with {\"import_c.0\" = \"" + source + "\"}\n" + kernel;
  };
  const std::string good = importing("__device__ float halve(float x) { return x * 0.5f; }");
  const std::string ptx = Compile(good, "cuda -arch=sm_80", LATHE_OUTPUT_ASSEMBLY);
  EXPECT_NE(ptx.find("0f3F000000"), std::string::npos) << ptx;
  std::string what;
  EXPECT_EQ(
      NameOf(importing("__device__ float halve(float x) { return y; }"), "cuda -arch=sm_80", &what),
      "cuda-compile-failed");
  EXPECT_NE(what.find("\"y\" is undefined"), std::string::npos) << what;
}

TEST_F(CudaCodeGen, AttributesReachTheCompiler) {
  const std::string text = Kernel("float32", " B[t] = A[t] / exp(A[t])");
  const auto code = [&](const std::string& more) {
    return Disassemble(ReadImage(Compile(text, "cuda -arch=sm_80 " + more)).code).at("f");
  };
  EXPECT_LT(code("-fast-math=1").size(), code("").size());
  std::string wide = " ";
  for (int i = 0; i < 64; ++i)
    wide += "let v" + std::to_string(i) + ": float32 = A[t + " + std::to_string(i * 64) + "]\n ";
  std::string sum = "0.0";
  for (int i = 0; i < 64; ++i) sum += " + v" + std::to_string(i) + " * v" + std::to_string(63 - i);
  const std::string many = Kernel("float32", wide + "barrier(\"shared\")\n B[t] = " + sum);
  const Image few = ReadImage(Compile(many, "cuda -arch=sm_80 -max-registers=32"));
  EXPECT_LE(ReadResources(few.log).at("f").registers, 32) << few.log;
}

TEST_F(CudaCodeGen, WhatDoesNotCompileShowsLogAndLine) {
  std::string what;
  const std::string text =
      Kernel("float32", " B[t] = call_pure_extern<float32>(\"no_such_function\", A[t])");
  EXPECT_EQ(NameOf(text, "cuda -arch=sm_80", &what), "cuda-compile-failed");
  EXPECT_NE(what.find("identifier \"no_such_function\" is undefined"), std::string::npos) << what;
  EXPECT_NE(what.find("kernels.cu:"), std::string::npos) << what;
  EXPECT_NE(what.find("no_such_function(A_p["), std::string::npos) << what;
}

TEST_F(CudaCodeGen, WhatCannotBeIsSaid) {
  const std::string plain = Kernel("float32", " B[t] = A[t]");
  EXPECT_EQ(NameOf(plain, "cuda -arch=sm_30"), "cuda-bad-arch");
  EXPECT_EQ(NameOf(plain, "cuda -arch=volta"), "cuda-bad-arch");
  EXPECT_EQ(NameOf(plain, "cuda -arch=sm_80a"), "cuda-bad-arch");
  EXPECT_EQ(NameOf(plain, "cuda -arch=sm_"), "cuda-bad-arch");
  std::string what;
  EXPECT_EQ(NameOf(Kernel("float32", R"(
  allocate S: float32[16384](scope="shared")
  S[t] = A[t]
  barrier("shared")
  B[t] = S[63 - t])"),
                   "cuda -arch=sm_90", &what),
            "cuda-static-shared");
  EXPECT_NE(what.find("65536"), std::string::npos) << what;
  const std::string grid = Kernel("float32", " A[t] = B[t]\n barrier(\"global\")\n B[t] = A[t]");
  EXPECT_EQ(NameOf(grid, "cuda -arch=sm_80"), "c-source-unsupported");
  const sdk::Target target = Generator().Canonical(sdk::ParseTarget("cuda -arch=sm_80"));
  EXPECT_EQ(Generator().Check(ir::EncodeModule(ir::ParseModule(plain)), target), "");
  EXPECT_NE(Generator().Check(ir::EncodeModule(ir::ParseModule(grid)), target), "");
}

// Only TMA and wgmma may access the memory of wgmma's operands.
TEST_F(CudaCodeGen, OperandsOfWgmmaAreNobodyElses) {
  const auto kernel = [](const std::string& fill, const std::string& use = "",
                         const std::string& scope = "shared") {
    return R"(func f(A.p: handle, B.p: handle) with {calling_convention = "kernel", launch = "threadIdx.x"} {
  decl_buffer A: float16[8192] = A.p
  decl_buffer B: float32[8192] = B.p
  thread("threadIdx.x") for t in range(128) {
    allocate S: float16[8192](scope=")" +
           scope + R"(", align=1024)
    allocate C: float32[32](scope="local")
    )" + fill +
           R"(
    async_commit()
    async_wait(0)
    barrier("shared")
    evaluate call_extern<void>("lathe_wgmma_f16_n64", access_ptr(C, 0, 32, 3), access_ptr(S, 0, 576, 1), access_ptr(S, 4096, 3712, 1))
    )" + use +
           R"(
    B[t] = C[0]
  }
}
)";
  };
  const std::string rows =
      "for i in range(128) {\n if t == 0 {\n async_copy(S[i * 64], A[i * 64], 64)\n }\n }";
  EXPECT_EQ(NameOf(kernel(rows), "cuda -arch=sm_90a"), "");
  const std::string source = Compile(kernel(rows), "cuda -arch=sm_90a", LATHE_OUTPUT_SOURCE);
  EXPECT_NE(source.find("if (t == 0) {\n    lathe_tma_map0_rows128("), source.npos) << source;
  EXPECT_NE(source.find("const __grid_constant__ lathe_tensor_map lathe_map0"), source.npos);
  std::string what;
  const std::pair<std::string, const char*> refused[] = {
      {kernel(rows, "B[t] = float32(S[t])"), "used in another way"},
      {kernel("S[t] = A[t]"), "used in another way"},
      {kernel(""), "nothing fills"},
      {kernel("for i in range(128) {\n async_copy(S[i * 32], A[i * 64], 64)\n }"), "whole rows"},
      {kernel("for i in range(128) {\n async_copy(S[i * 64], A[i * 64], 32)\n }"), "whole rows"},
      {kernel("for i in range(64) {\n async_copy(S[i * 64], A[i * i], 64)\n }"), "whole rows"},
      {kernel(rows, "", "global"), "memory"},
  };
  for (const auto& [text, reason] : refused) {
    EXPECT_EQ(NameOf(text, "cuda -arch=sm_90a", &what), "cuda-tensor-memory") << what << text;
    EXPECT_NE(what.find(reason), what.npos) << what;
  }
}

TEST_F(CudaCodeGen, AMissingCompilerIsSaid) {
  const auto compile = [] {
    setenv("LATHE_CUDA_HOME", "/nowhere", 1);
    std::string what;
    const std::string name = NameOf(Kernel("float32", " B[t] = A[t]"), "cuda -arch=sm_80", &what);
    std::fputs((name + ": " + what).c_str(), stderr);
    std::exit(0);
  };
  // In a process that has not opened it.
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(compile(), testing::ExitedWithCode(0), "cuda-no-compiler: .*/nowhere");
}

TEST_F(CudaCodeGen, TheTargetsLimitsAreTheArchitectures) {
  const auto shared = [](const std::string& target) {
    return Generator().Canonical(sdk::ParseTarget(target)).GetInt("max_shared_memory_per_block", 0);
  };
  EXPECT_EQ(shared("cuda -arch=sm_75"), 65536);
  EXPECT_EQ(shared("cuda -arch=sm_86"), 101376);
  EXPECT_EQ(shared("cuda -arch=sm_90a"), 232448);
  EXPECT_EQ(shared("cuda -arch=sm_90a -max_shared_memory_per_block=1000"), 1000);
}

TEST_F(CudaCodeGen, TheTargetsMatrixUnitsAreTheArchitectures) {
  const auto units = [](const std::string& target) {
    return Generator().Canonical(sdk::ParseTarget(target)).Get("mattr");
  };
  EXPECT_EQ(units("cuda -arch=sm_75"), "");
  EXPECT_EQ(units("cuda -arch=sm_90"), "+mma");
  EXPECT_EQ(units("cuda -arch=sm_90a"), "+mma,+tma,+wgmma");
  EXPECT_EQ(units("cuda -arch=sm_90a -mattr=-mma"), "-mma");
}

TEST_F(CudaCodeGen, ImagesAreCheckedForDamage) {
  const std::string bytes = Compile(Kernel("float32", " B[t] = A[t]"), "cuda -arch=sm_80");
  EXPECT_EQ(ReadImage(bytes).kernels.at(0).name, "f");
  const auto name = [](const std::string& damaged) -> std::string {
    try {
      ReadImage(damaged);
    } catch (const sdk::Error& error) {
      return error.name();
    }
    return "";
  };
  for (size_t at = 0; at < bytes.size(); at += 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_EQ(name(damaged), "module-damaged") << at;
    EXPECT_EQ(name(bytes.substr(0, at)), "module-damaged") << at;
  }
  EXPECT_EQ(name(bytes + "x"), "module-damaged");
}

}  // namespace
}  // namespace lathe::cuda
