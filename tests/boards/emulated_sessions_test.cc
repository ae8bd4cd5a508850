// Sessions with a board: its static worker runs under the emulator, without a sysroot. A kernel
// that is compiled here is uploaded, loaded and run there.
//
// Arguments: the emulator, the board's worker, the file with the board's target string.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "graph/build.h"
#include "graph/networks/networks.h"
#include "gtest/gtest.h"
#include "runtime/graph/plan_module.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "schedule/schedule.h"
#include "target/host_target.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe {
namespace {

using runtime::Tensor;

std::string emulator, worker, target_file;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

target::Target BoardTarget() {
  driver::UseDefaultPlugins();
  std::string text = ReadAll(target_file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return target::ParseTarget(text);
}

struct Board : testing::Test {
  // With a secret, its connections are under TLS.
  void Start(std::optional<runtime::rpc::Secret> shared) {
    secret = shared;
    runtime::rpc::ServerOptions options;
    options.supervisor.machine = runtime::rpc::ThisMachine();
    options.supervisor.secret = secret;
    options.worker = {emulator, worker};
    server = *runtime::rpc::Server::Start(std::move(options));
  }
  Ref<runtime::rpc::RemoteSession> Open() const {
    runtime::rpc::ConnectOptions options;
    options.port = server->port();
    options.control.secret = secret;
    return *runtime::rpc::Connect(options);
  }
  std::unique_ptr<runtime::rpc::Server> server;
  std::optional<runtime::rpc::Secret> secret;
};

TEST_F(Board, AKernelCompiledHereRunsThere) {
  Start({});
  const target::Target target = BoardTarget();
  const te::Tensor a =
      te::Placeholder({ir::Const(int64_t{1000}, DataType::Int(32))}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {ir::Const(int64_t{1000}, DataType::Int(32))},
      [&](const te::Indices& i) { return te::At(a, {i[0]}) + ir::Const(1.0, DataType::Float(32)); },
      "B");
  const ir::Module loops = driver::Lower(schedule::CreateSchedule({b->op}), {a, b}, "add_one", {});
  const runtime::Module module = *driver::Build(loops, target, {});
  const std::string path = testing::TempDir() + "/lib.tar";
  ASSERT_TRUE(driver::ExportLibrary(module, path).ok());

  const Ref<runtime::rpc::RemoteSession> session = Open();
  ASSERT_TRUE(session->files().Upload("lib.tar", ReadAll(path)).ok());
  const absl::StatusOr<runtime::Module> loaded = session->LoadUploaded("lib.tar");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const runtime::Device cpu = session->device(kDLCPU);
  std::vector<float> in(1000, 41.0f), out(1000, 0.0f);
  const Tensor x =
      *Tensor::FromHost(in.data(), 4000, std::vector<int64_t>{1000}, DataType::Float(32), cpu);
  const Tensor y = *Tensor::Empty({1000}, DataType::Float(32), cpu);
  const runtime::Function add_one = *loaded->EntryFunction();
  add_one(x, y);
  ASSERT_TRUE(y.CopyToHost(out.data(), 4000).ok());
  EXPECT_EQ(out, std::vector<float>(1000, 42.0f));

  runtime::TimerOptions options;
  options.number = 3;
  options.repeat = 2;
  const std::vector<runtime::Value> args = {runtime::Value(x), runtime::Value(y)};
  EXPECT_EQ(session->Time(add_one, args, cpu, options, nullptr)->seconds.size(), 2u);

  // A shared object of Lathe's needs no linker of the board, either.
  const std::string shared = testing::TempDir() + "/lib.so";
  ASSERT_TRUE(driver::ExportLibrary(module, shared).ok());
  ASSERT_TRUE(session->files().Upload("lib.so", ReadAll(shared)).ok());
  const absl::StatusOr<runtime::Module> object = session->LoadUploaded("lib.so");
  ASSERT_TRUE(object.ok()) << object.status();
  const Tensor z = *Tensor::Empty({1000}, DataType::Float(32), cpu);
  (*object->EntryFunction())(x, z);
  ASSERT_TRUE(z.CopyToHost(out.data(), 4000).ok());
  EXPECT_EQ(out, std::vector<float>(1000, 42.0f));

  // A kernel for this machine is refused there by name, and the session goes on.
  const std::string wrong = testing::TempDir() + "/wrong.tar";
  ASSERT_TRUE(
      driver::ExportLibrary(*driver::Build(loops, target::ParseTarget("llvm"), {}), wrong).ok());
  ASSERT_TRUE(session->files().Upload("wrong.tar", ReadAll(wrong)).ok());
  EXPECT_EQ(runtime::StatusName(session->LoadUploaded("wrong.tar").status()), "artifact-machine");
  // Large tensors, in chunks.
  std::vector<char> big(5 << 20, 'x'), back(5 << 20);
  const Tensor there = *Tensor::FromHost(big.data(), big.size(), std::vector<int64_t>{5 << 20},
                                         DataType::Int(8), cpu);
  ASSERT_TRUE(there.CopyToHost(back.data(), back.size()).ok());
  EXPECT_EQ(back, big);
}

// The worker of a board runs networks, too.
TEST_F(Board, ANetworkRunsThereUnderTls) {
  Start(runtime::rpc::Secret{7});
  const target::Target target = BoardTarget();
  const auto build = [](const target::Target& machine) {
    Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
    module->functions.push_back(graph::Lstm(32, 2));
    return *graph::BuildGraphModule(ir::GraphModule(module), "main", machine, {.opt_level = 3},
                                    "main");
  };
  std::vector<float> in(5 * 2 * 32);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 255) / 128 - 1;
  const auto run = [&](const runtime::Module& module, const runtime::Device& device) {
    const Tensor x = *Tensor::FromHost(in.data(), 4 * in.size(), std::vector<int64_t>{5, 2, 32},
                                       DataType::Float(32), device);
    const Tensor y = (*module.GetFunction("main"))(x).As<Tensor>();
    std::vector<float> out(y.num_bytes() / 4);
    EXPECT_TRUE(y.CopyToHost(out.data(), y.num_bytes()).ok());
    return out;
  };
  const std::vector<float> expected = run(build(target::HostTarget()), runtime::Device{kDLCPU, 0});

  const std::string path = testing::TempDir() + "/lstm.tar";
  ASSERT_TRUE(driver::ExportLibrary(build(target), path).ok());
  const Ref<runtime::rpc::RemoteSession> session = Open();
  ASSERT_TRUE(session->files().Upload("lstm.tar", ReadAll(path)).ok());
  const absl::StatusOr<runtime::Module> loaded = session->LoadUploaded("lstm.tar");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const std::vector<float> found = run(*loaded, session->device(kDLCPU));
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
}

}  // namespace
}  // namespace lathe

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!lathe::runtime::graph::RegisterGraph().ok()) return 1;
  lathe::emulator = std::filesystem::absolute(argv[1]);
  lathe::worker = std::filesystem::absolute(argv[2]);
  lathe::target_file = argv[3];
  return RUN_ALL_TESTS();
}
