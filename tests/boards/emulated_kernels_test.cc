// Kernels that the LLVM plugin makes for a board. The board's runtime runs them under its emulator.
// Their results must equal those of te's evaluator on this machine.
//
// Arguments: the emulator, the board's run_artifact, the file with the board's target string, then
// program files.
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/tensor_op.h"
#include "ir/text/parser.h"
#include "runtime/tensor.h"
#include "schedule/trace.h"
#include "target/target.h"
#include "te/evaluator.h"
#include "tools/lathe/npy.h"

namespace lathe {
namespace {

struct CommandLine {
  std::string emulator, runner, target;
  std::vector<std::string> programs;
} command_line;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Makes every tensor of the program, filled with small integers. Symbolic extents are 37.
std::vector<runtime::Tensor> MakeTensors(const std::vector<ir::NodeRef>& args) {
  std::vector<runtime::Tensor> out;
  for (const ir::NodeRef& arg : args) {
    const auto* tensor = ir::As<ir::TensorNode>(arg);
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (const ir::Expr& extent : tensor->shape()) {
      const int64_t* known = ir::AsConstInt(extent);
      shape.push_back(known != nullptr ? *known : 37);
      count *= shape.back();
    }
    runtime::Tensor value = *runtime::Tensor::Empty(shape, tensor->dtype());
    const DataType type = tensor->dtype();
    for (int64_t i = 0; i < count; ++i) {
      const int number = static_cast<int>((i * 7 + 3) % 11) - 5;
      if (type == DataType::Float(32)) {
        value.HostData<float>()[i] = static_cast<float>(number);
      } else if (type == DataType::Float(64)) {
        value.HostData<double>()[i] = number;
      } else if (type == DataType::Int(32)) {
        value.HostData<int32_t>()[i] = number;
      } else {
        value.HostData<int8_t>()[i] = static_cast<int8_t>(number);
      }
    }
    out.push_back(std::move(value));
  }
  return out;
}

std::vector<runtime::Tensor> Expected(const std::vector<ir::NodeRef>& args) {
  const std::vector<runtime::Tensor> tensors = MakeTensors(args);
  std::vector<ir::InterpValue> values;
  for (const runtime::Tensor& tensor : tensors) {
    const DLTensor& view = tensor.dl();
    values.emplace_back(
        ir::InterpTensor::Of(view.data, tensor.dtype(), {view.shape, view.shape + view.ndim}));
  }
  te::Evaluate(args, values);
  return tensors;
}

// Runs the function under the emulator, on copies of fresh tensors.
std::vector<runtime::Tensor> OnTheBoard(const std::string& artefact, const std::string& function,
                                        const std::vector<ir::NodeRef>& args) {
  const std::string folder = ::testing::TempDir() + "/" + function;
  std::filesystem::create_directories(folder);
  std::string command = "'" + command_line.emulator + "' '" + command_line.runner + "' '" +
                        artefact + "' " + function;
  std::vector<std::string> files;
  for (const runtime::Tensor& tensor : MakeTensors(args)) {
    files.push_back(folder + "/" + std::to_string(files.size()) + ".npy");
    std::ofstream(files.back(), std::ios::binary) << *cli::EncodeNpy(tensor);
    command += " '" + files.back() + "'";
  }
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<runtime::Tensor> out;
  for (const std::string& file : files) out.push_back(*cli::DecodeNpy(ReadAll(file), file));
  return out;
}

void ExpectEqual(const runtime::Tensor& found, const runtime::Tensor& expected,
                 const std::string& what) {
  const DLTensor& view = expected.dl();
  int64_t count = 1;
  for (int d = 0; d < view.ndim; ++d) count *= view.shape[d];
  ASSERT_GT(count, 0);
  if (expected.dtype() == DataType::Float(32)) {
    for (int64_t i = 0; i < count; ++i) {
      const float e = expected.HostData<float>()[i], f = found.HostData<float>()[i];
      // Sums of small integers are exact; exponentials are within a few units of the last place.
      const float bound = e == std::floor(e) ? 0 : 1e-5f * std::fabs(e);
      ASSERT_LE(std::fabs(e - f), bound) << what << " at " << i << ": " << f << " is not " << e;
    }
    return;
  }
  const size_t bytes = static_cast<size_t>(count) * static_cast<size_t>(expected.dtype().bytes());
  ASSERT_EQ(std::string(static_cast<const char*>(found.dl().data), bytes),
            std::string(static_cast<const char*>(view.data), bytes))
      << what;
}

void CheckProgram(const std::string& text, const std::string& name) {
  const schedule::Loaded loaded = schedule::FromProgram(ir::ParseProgram(text, name));
  const target::Target target = target::ParseTarget(command_line.target);
  const auto object = driver::Compile(driver::Lower(loaded.schedule, loaded.args, loaded.name, {}),
                                      target, plugins::OutputKind::kObject, {});
  ASSERT_TRUE(object.ok()) << object.status();
  const std::vector<runtime::Tensor> expected = Expected(loaded.args);
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = ::testing::TempDir() + "/" + loaded.name + suffix;
    const absl::Status written = driver::ExportObject(*object, path);
    ASSERT_TRUE(written.ok()) << written;
    const std::vector<runtime::Tensor> found = OnTheBoard(path, loaded.name, loaded.args);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      ExpectEqual(found[i], expected[i], loaded.name + suffix + " argument " + std::to_string(i));
  }
}

TEST(EmulatedKernels, ExamplePrograms) {
  ASSERT_FALSE(command_line.programs.empty());
  for (const std::string& program : command_line.programs) {
    SCOPED_TRACE(program);
    CheckProgram(ReadAll(program), program);
  }
}

TEST(EmulatedKernels, IntegersAndDoubles) {
  CheckProgram(R"(
program int_dot {
  placeholder A: int8[19, 50]
  placeholder B: int8[50]
  compute C[i in range(19)] over [k in range(50)] = sum(int32(A[i, k]) * int32(B[k]), axis=[k])
  args [A, B, C]
  schedule {
    C.i.outer, C.i.inner = split(axis=C.i, factor=4)
    vectorize(axis=C.i.inner)
  }
})",
               "int_dot");
  CheckProgram(R"(
program axpy {
  placeholder X: float64[101]
  placeholder Y: float64[101]
  compute Z[i in range(101)] = 2.0f64 * X[i] + Y[i]
  args [X, Y, Z]
  schedule {
    Z.i.outer, Z.i.inner = split(axis=Z.i, factor=8)
    vectorize(axis=Z.i.inner)
    parallel(axis=Z.i.outer)
  }
})",
               "axpy");
}

}  // namespace
}  // namespace lathe

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc < 5) return 2;
  lathe::driver::UseDefaultPlugins();
  lathe::command_line = {argv[1], argv[2], lathe::ReadAll(argv[3]), {argv + 4, argv + argc}};
  std::string& target = lathe::command_line.target;
  while (!target.empty() && target.back() == '\n') target.pop_back();
  return RUN_ALL_TESTS();
}
