// Kernels through nvcc from pinned packages, with the pinned clang as the host's compiler.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/cuda/codegen.h"
#include "backends/cuda/image.h"
#include "backends/cuda/machine_code.h"
#include "ir/binary.h"
#include "ir/text/parser.h"
#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

namespace fs = std::filesystem;

// The toolkit's programs and headers are in separate trees; the host compiler finds only the pinned
// headers.
class Nvcc : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const fs::path folder = fs::path(getenv("TEST_TMPDIR")), here = fs::current_path() / "external";
    const fs::path clang = here / "clang",
                   sysroot = here / "sysroot_amd64/usr/x86_64-linux-gnu/include";
    const fs::path wrapper = folder / "host/clang++";
    fs::create_directories(wrapper.parent_path());
    std::ofstream(wrapper) << "#!/bin/sh\nexec " << (clang / "usr/lib/llvm-19/bin/clang++").string()
                           << " -nostdlibinc -isystem " << (sysroot / "c++/12").string()
                           << " -isystem " << (sysroot / "c++/12/x86_64-linux-gnu").string()
                           << " -isystem " << sysroot.string() << " \"$@\"\n";
    fs::permissions(wrapper, fs::perms::owner_all);
    const std::string libraries = (clang / "usr/lib/x86_64-linux-gnu").string() + ":" +
                                  (clang / "usr/lib/llvm-19/lib").string();
    setenv("LD_LIBRARY_PATH", libraries.c_str(), 1);
    setenv("NVCC_CCBIN", wrapper.c_str(), 1);
    const std::string headers = "-I" + (here / "cuda/site/nvidia/cu13/include").string();
    setenv("NVCC_APPEND_FLAGS", headers.c_str(), 1);
    setenv("LATHE_CUDA_HOME", (here / "cuda_nvcc/site/nvidia/cu13").c_str(), 1);
  }
};

constexpr const char* kKernel =
    R"(func f(A.p: handle, B.p: handle, n: size) with {calling_convention = "kernel", launch = "threadIdx.x"} {
  decl_buffer A: float16[n] = A.p
  decl_buffer B: float16[n] = B.p
  thread("threadIdx.x") for t in range(64) {
    B[t] = A[t] * A[t])";

std::string Compile(const std::string& text, const std::string& target,
                    lathe_output_kind output = LATHE_OUTPUT_MODULE) {
  const auto generator = MakeCudaCodeGen();
  const std::string ir = ir::EncodeModule(ir::ParseModule(text + "\n }\n}\n"));
  const sdk::Target parsed = generator->Canonical(sdk::ParseTarget(target));
  return generator->Compile({.ir = ir, .target = parsed, .output = output}).output;
}

TEST_F(Nvcc, CompilesToMachineCodeAndPtx) {
  for (const char* arch : {"sm_80", "sm_90a"}) {
    const Image image =
        ReadImage(Compile(kKernel, "cuda -compiler=nvcc -arch=" + std::string(arch)));
    const std::string code = Disassemble(image.code).at("f");
    EXPECT_GE(CountInstructions(code, "HMUL2"), 1) << code;
    EXPECT_GT(ReadResources(image.log).at("f").registers, 0) << image.log;
  }
  const std::string ptx =
      Compile(kKernel, "cuda -compiler=nvcc -arch=sm_80", LATHE_OUTPUT_ASSEMBLY);
  EXPECT_NE(ptx.find(".target sm_80"), ptx.npos) << ptx;
}

std::string NameOf(const std::string& text, std::string* what) {
  try {
    Compile(text, "cuda -compiler=nvcc -arch=sm_80");
  } catch (const sdk::Error& error) {
    *what = std::string(error.what()) + "\n" + error.notes();
    return error.name();
  }
  return "";
}

TEST_F(Nvcc, WhatDoesNotCompileShowsLogAndLine) {
  std::string what;
  const std::string text =
      std::string(kKernel) + "\n B[t] = call_pure_extern<float16>(\"no_such_function\", A[t])";
  EXPECT_EQ(NameOf(text, &what), "cuda-compile-failed");
  EXPECT_NE(what.find("identifier \"no_such_function\" is undefined"), what.npos) << what;
  EXPECT_NE(what.find("no_such_function(A_p["), what.npos) << what;
}

TEST_F(Nvcc, WhereThereIsNoneThatIsSaid) {
  const std::string home = getenv("LATHE_CUDA_HOME");
  setenv("LATHE_CUDA_HOME", "/nowhere", 1);
  std::string what;
  EXPECT_EQ(NameOf(kKernel, &what), "cuda-no-compiler");
  EXPECT_NE(what.find("nvcc"), what.npos) << what;
  EXPECT_NE(what.find("/nowhere/bin"), what.npos) << what;
  // No program is taken from the current folder.
  setenv("LATHE_CUDA_HOME", "nowhere", 1);
  EXPECT_EQ(NameOf(kKernel, &what), "cuda-path-relative");
  EXPECT_NE(what.find("LATHE_CUDA_HOME is `nowhere`"), what.npos) << what;
  setenv("LATHE_CUDA_HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace lathe::cuda
