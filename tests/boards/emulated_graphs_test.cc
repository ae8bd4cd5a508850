// Networks compiled for a board. The board's runtime runs them under its emulator, from every kind
// of file. The results must be those of the same networks compiled for this machine, which other
// tests compare with the interpreter.
//
// Arguments: the emulator, the board's run_artifact, the file with the board's target string.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "graph/build.h"
#include "graph/networks/networks.h"
#include "gtest/gtest.h"
#include "runtime/graph/plan_module.h"
#include "runtime/tensor.h"
#include "target/host_target.h"
#include "tools/lathe/npy.h"

namespace lathe {
namespace {

using runtime::Tensor;

struct CommandLine {
  std::string emulator, runner, target;
} command_line;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Tensor Filled(const std::vector<int64_t>& shape) {
  Tensor tensor = *Tensor::Empty(shape, DataType::Float(32));
  for (size_t i = 0; i < tensor.num_bytes() / 4; ++i)
    tensor.HostData<float>()[i] = static_cast<float>(i * 7919 % 255) / 128 - 1;
  return tensor;
}

runtime::Module Build(const graph::GraphFuncRef& network, const target::Target& target) {
  Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
  module->functions.push_back(network);
  return *graph::BuildGraphModule(ir::GraphModule(module), "main", target, {.opt_level = 3},
                                  "main");
}

Tensor OnThisMachine(const graph::GraphFuncRef& network, const Tensor& input) {
  runtime::graph::Context context(
      *runtime::graph::FindExecutable(Build(network, target::HostTarget()), "main"));
  EXPECT_TRUE(context.SetInput(0, input).ok());
  EXPECT_TRUE(context.Run().ok());
  return *context.GetOutput(0);
}

Tensor OnTheBoard(const std::string& artefact, const Tensor& input, const Tensor& output) {
  const std::string in = testing::TempDir() + "/in.npy", out = testing::TempDir() + "/out.npy";
  std::ofstream(in, std::ios::binary) << *cli::EncodeNpy(input);
  std::ofstream(out, std::ios::binary) << *cli::EncodeNpy(output);
  const std::string command = "'" + command_line.emulator + "' '" + command_line.runner + "' '" +
                              artefact + "' main '" + in + "' '" + out + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return *cli::DecodeNpy(ReadAll(out), out);
}

void Check(const graph::GraphFuncRef& network, const std::string& name,
           const std::vector<int64_t>& shape) {
  const Tensor input = Filled(shape), expected = OnThisMachine(network, input);
  const std::vector<int64_t> out(expected.shape().begin(), expected.shape().end());
  const runtime::Module module = Build(network, target::ParseTarget(command_line.target));
  for (const char* suffix : {".so", ".tar"}) {
    SCOPED_TRACE(name + suffix);
    const std::string path = testing::TempDir() + "/" + name + suffix;
    const absl::Status written = driver::ExportLibrary(module, path);
    ASSERT_TRUE(written.ok()) << written;
    const Tensor found = OnTheBoard(path, input, Filled(out));
    for (size_t i = 0; i < expected.num_bytes() / 4; ++i) {
      const float e = expected.HostData<float>()[i], f = found.HostData<float>()[i];
      // Vectors differ in length, and so does the order of sums.
      ASSERT_LE(std::fabs(e - f), 2e-3f * (1 + std::fabs(e)))
          << "at " << i << ": " << f << ", " << e;
    }
  }
}

TEST(EmulatedGraphs, ResNet18) { Check(graph::ResNet(18, 1, 64), "resnet18", {1, 3, 64, 64}); }

TEST(EmulatedGraphs, LstmOfAnyLength) { Check(graph::Lstm(32, 2), "lstm", {9, 2, 32}); }

}  // namespace
}  // namespace lathe

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc < 4) return 2;
  lathe::driver::UseDefaultPlugins();
  if (!lathe::runtime::graph::RegisterGraph().ok()) return 1;
  lathe::command_line = {argv[1], argv[2], lathe::ReadAll(argv[3])};
  std::string& target = lathe::command_line.target;
  while (!target.empty() && target.back() == '\n') target.pop_back();
  return RUN_ALL_TESTS();
}
