// AArch64's instructions for dot products and for products of small matrices, and matrix products
// made of them. The board's runtime runs them under its emulator.
//
// Arguments: the emulator, the board's run_raw.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "target/canonical.h"
#include "target/machine_of.h"
#include "target/target.h"
#include "tests/topi/dot_kernels.h"
#include "topi/cpu/dot_gemm.h"
#include "topi/cpu/dot_intrinsics.h"

namespace lathe::topi::cpu {

std::string emulator, runner;

namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

constexpr const char* kBoard = "llvm -mtriple=aarch64-linux-gnu";

void ExpectRightOnTheBoard(const Kernel& kernel, const std::string& target_text,
                           const std::string& expected) {
  const target::Target target = target::ParseTarget(target_text);
  const auto object = driver::Compile(
      driver::Lower(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "f", {}), target,
      plugins::OutputKind::kObject, {});
  ASSERT_TRUE(object.ok()) << object.status();
  const std::string folder = ::testing::TempDir() + "/dots";
  std::filesystem::create_directories(folder);
  const absl::Status written = driver::ExportObject(*object, folder + "/f.o");
  ASSERT_TRUE(written.ok()) << written;
  std::string command = "'" + emulator + "' '" + runner + "' '" + folder + "/f.o' f";
  const Arguments arguments(kernel);
  std::string file;
  for (const runtime::Tensor& tensor : arguments.tensors()) {
    file = folder + "/" + tensor.dtype().ToString() + std::to_string(command.size());
    std::ofstream(file, std::ios::binary)
        .write(static_cast<const char*>(tensor.dl().data),
               tensor.num_elements() * tensor.dtype().bytes());
    command += " " + tensor.dtype().ToString();
    for (int d = 0; d < tensor.dl().ndim; ++d)
      command += "," + std::to_string(tensor.dl().shape[d]);
    command += "='" + file + "'";
  }
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_TRUE(ReadAll(file) == expected);
}

TEST(EmulatedDots, EachIntrinsic) {
  for (const DotRow& row : AArch64DotRows()) {
    SCOPED_TRACE(row.name);
    const Kernel kernel =
        OfIntrin(row.a, row.b, row.sum, row.rows, row.columns, row.depth, DotIntrin(row));
    ExpectRightOnTheBoard(kernel, std::string(kBoard) + " -mattr=+" + row.features,
                          Evaluated(kernel));
    std::printf("run under the emulator: %s\n", row.name);
  }
}

TEST(EmulatedDots, Products) {
  for (const char* features : {"", " -mattr=+dotprod", " -mattr=+dotprod,+i8mm,+bf16"}) {
    const std::string text = std::string(kBoard) + features;
    SCOPED_TRACE(text);
    const target::Target target = *target::CanonicalTarget(target::ParseTarget(text));
    const target::Machine machine = target::MachineOf(target);
    for (const GemmShape& shape : {GemmShape{13, 37, 7}, GemmShape{70, 99, 103}}) {
      for (const Kernel& kernel : KernelsOf(shape, machine))
        ExpectRightOnTheBoard(kernel, text, Multiplied(kernel));
    }
  }
}

}  // namespace
}  // namespace lathe::topi::cpu

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 3) return 2;
  lathe::topi::cpu::emulator = argv[1];
  lathe::topi::cpu::runner = argv[2];
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
