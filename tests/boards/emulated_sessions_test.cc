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
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "schedule/schedule.h"
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

struct Board : testing::Test {
  Board() {
    runtime::rpc::ServerOptions options;
    options.supervisor.machine = runtime::rpc::ThisMachine();
    options.worker = {emulator, worker};
    server = *runtime::rpc::Server::Start(std::move(options));
  }
  Ref<runtime::rpc::RemoteSession> Open() const {
    runtime::rpc::ConnectOptions options;
    options.port = server->port();
    return *runtime::rpc::Connect(options);
  }
  std::unique_ptr<runtime::rpc::Server> server;
};

TEST_F(Board, AKernelCompiledHereRunsThere) {
  driver::UseDefaultPlugins();
  std::string target = ReadAll(target_file);
  while (!target.empty() && target.back() == '\n') target.pop_back();
  const te::Tensor a =
      te::Placeholder({ir::Const(int64_t{1000}, DataType::Int(32))}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {ir::Const(int64_t{1000}, DataType::Int(32))},
      [&](const te::Indices& i) { return te::At(a, {i[0]}) + ir::Const(1.0, DataType::Float(32)); },
      "B");
  const ir::Module loops = driver::Lower(schedule::CreateSchedule({b->op}), {a, b}, "add_one", {});
  const runtime::Module module = *driver::Build(loops, target::ParseTarget(target), {});
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

}  // namespace
}  // namespace lathe

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::emulator = std::filesystem::absolute(argv[1]);
  lathe::worker = std::filesystem::absolute(argv[2]);
  lathe::target_file = argv[3];
  return RUN_ALL_TESTS();
}
