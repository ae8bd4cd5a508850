// Kernel entries without checks, from every kind of artefact. They give the same results as the
// interpreter, use only the memory that they are given, and no other code can reach them.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "driver/build_module.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"
#include "ir/stmt.h"
#include "runtime/artifact/kernel_entry.h"
#include "runtime/raise.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "runtime/thread_pool.h"
#include "runtime/workspace.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe {
namespace {

using runtime::FindKernelEntry;
using runtime::KernelEntry;

constexpr int64_t kColumns = 6000, kRowBytes = kColumns * 4;  // too much for the stack

// C[i, j] = (2 X[i, j] + 1) * (2 X[i, last - j] + 1) * s + k. 2 X is in memory as a whole, 2 X + 1
// one row at a time. Rows are computed in parallel.
struct Rows {
  Rows() {
    const ir::Expr m = ir::Int(kColumns);
    x = te::Placeholder({n, m}, DataType::Float(32), "X");
    t = te::Compute(
        {n, m}, [&](const te::Indices& i) { return te::At(x, {i[0], i[1]}) * 2.0; }, "T");
    u = te::Compute(
        {n, m}, [&](const te::Indices& i) { return te::At(t, {i[0], i[1]}) + 1.0; }, "U");
    c = te::Compute(
        {n, m},
        [&](const te::Indices& i) {
          return te::At(u, {i[0], i[1]}) * te::At(u, {i[0], m - 1 - i[1]}) * ir::Expr(s) +
                 ir::MakeCast(DataType::Float(32), k);
        },
        "C");
    how = schedule::CreateSchedule({c->op});
    schedule::Parallel(how[c], schedule::AxisOf(c, 0));
    schedule::ComputeAt(how[u], how[c], schedule::AxisOf(c, 0));
  }
  driver::ProgramToCompile Program(const std::string& name, int64_t entries) const {
    driver::ProgramToCompile program{how, {x, s, k, c}, name, target::ParseTarget("llvm"), {}};
    program.context.Set("entries", entries);
    return program;
  }
  ir::Module Loops() const { return driver::Lower(how, {x, s, k, c}, "f", {}); }

  ir::Var n = ir::MakeSizeVar("n"), s = ir::MakeVar("s", DataType::Float(32)),
          k = ir::MakeVar("k", DataType::Int(32));
  te::Tensor x, t, u, c;
  schedule::Schedule how;
};

runtime::Module Built(const ir::Module& loops, int64_t entries) {
  lower::PassContext context;
  context.Set("entries", entries);
  return driver::Build(loops, target::ParseTarget("llvm"), context).value();
}

std::vector<float> Input(int64_t rows) {
  std::vector<float> x(static_cast<size_t>(rows * kColumns));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1009) / 8;
  return x;
}

std::vector<float> Expected(int64_t rows) {
  std::vector<float> x = Input(rows), c(x.size());
  const auto view = [&](std::vector<float>& data) {
    return ir::InterpTensor::Of(data.data(), DataType::Float(32), {rows, kColumns});
  };
  ir::Interpret(Rows().Loops(), "f",
                std::vector<ir::InterpValue>{view(x), ir::InterpValue::Float(0.5),
                                             ir::InterpValue::Int(-3), view(c)});
  return c;
}

// Allocates exactly this much, so that an instrumented build sees accesses outside of it.
struct Free {
  void operator()(void* data) const { std::free(data); }
};
std::unique_ptr<void, Free> Aligned(size_t bytes) {
  void* data = nullptr;
  EXPECT_EQ(posix_memalign(&data, 64, bytes), 0);
  std::memset(data, 0xa5, bytes);
  return std::unique_ptr<void, Free>(data);
}

std::vector<float> Call(const KernelEntry& entry, int64_t rows, int32_t threads) {
  EXPECT_EQ(entry.metadata->entry_buffers, (std::vector<std::string>{"X", "C"}));
  EXPECT_EQ(entry.metadata->entry_sizes, (std::vector<std::string>{"n", "s", "k"}));
  EXPECT_EQ(entry.metadata->workspace, "n * 24000");
  EXPECT_EQ(entry.metadata->thread_workspace, std::to_string(kRowBytes));
  std::vector<float> x = Input(rows), c(x.size());
  void* const buffers[] = {x.data(), c.data()};
  const int64_t sizes[] = {rows, std::bit_cast<int64_t>(0.5), -3};
  const auto workspace = Aligned(static_cast<size_t>((rows + threads) * kRowBytes));
  EXPECT_EQ(entry.call(buffers, sizes, workspace.get(), threads), 0);
  return c;
}

class Entries : public testing::Test {
 protected:
  void SetUp() override {
    driver::UseDefaultPlugins();
    runtime::SetNumThreads(3);
  }
  void TearDown() override { runtime::SetWorkspaceLimit(0); }
  static void Check(const runtime::Module& module, const char* name = "f") {
    const absl::StatusOr<KernelEntry> entry = FindKernelEntry(module, name);
    ASSERT_TRUE(entry.ok()) << entry.status();
    EXPECT_EQ(Call(*entry, 7, 2), Expected(7));
  }
};

TEST_F(Entries, ComputeWhatTheInterpreterDoes) {
  const runtime::Module module = Built(Rows().Loops(), 2);
  const KernelEntry entry = FindKernelEntry(module, "f").value();
  for (const int64_t rows : {1, 2, 40}) {
    const std::vector<float> expected = Expected(rows);
    for (const int32_t threads : {1, 2, 3}) EXPECT_EQ(Call(entry, rows, threads), expected);
  }
  EXPECT_EQ(Call(entry, 0, 1), std::vector<float>());
}

TEST_F(Entries, TakeNothingFromTheRuntime) {
  const runtime::Module module = Built(Rows().Loops(), 3);
  runtime::SetWorkspaceLimit(1);
  Check(module);
  // The entry with checks would refuse.
  const auto tensor = [] { return *runtime::Tensor::Empty({7, kColumns}, DataType::Float(32)); };
  EXPECT_EQ(runtime::StatusName(
                module.GetFunction("f").value().TryCall(tensor(), 0.5, -3, tensor()).status()),
            "workspace-limit");
}

TEST_F(Entries, SeveralThreadsCallOne) {
  const runtime::Module module = Built(Rows().Loops(), 2);
  const KernelEntry entry = FindKernelEntry(module, "f").value();
  const std::vector<float> expected = Expected(20);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int time = 0; time < 5; ++time) EXPECT_EQ(Call(entry, 20, 3), expected);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_F(Entries, OfEveryKindOfFile) {
  const runtime::Module module = Built(Rows().Loops(), 2);
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = testing::TempDir() + "/entries" + suffix;
    ASSERT_TRUE(driver::ExportLibrary(module, path).ok());
    const auto loaded = runtime::LoadModuleFile(path);
    ASSERT_TRUE(loaded.ok()) << suffix << loaded.status();
    Check(*loaded);
  }
}

TEST_F(Entries, OfEachPart) {
  const Rows rows;
  const std::vector<driver::ProgramToCompile> programs = {rows.Program("f", 2),
                                                          rows.Program("g", 3)};
  const auto module = driver::BuildTogether(programs, {});
  ASSERT_TRUE(module.ok()) << module.status();
  Check(*module, "f");
  Check(*module, "g");
  EXPECT_EQ((*module)->FunctionNames(), std::vector<std::string>{"g"});
}

TEST_F(Entries, AreNoFunctions) {
  const runtime::Module unchecked = Built(Rows().Loops(), 2), both = Built(Rows().Loops(), 3),
                        checked = Built(Rows().Loops(), 1);
  EXPECT_EQ(unchecked->FunctionNames(), std::vector<std::string>());
  EXPECT_EQ(runtime::StatusName(unchecked.GetFunction("f").status()), "module-no-function");
  EXPECT_EQ(runtime::StatusName(unchecked.GetFunction("f.unchecked").status()),
            "module-no-function");
  EXPECT_EQ(both->FunctionNames(), std::vector<std::string>{"f"});
  EXPECT_EQ(runtime::StatusName(both.GetFunction("f").value().TryCall(1).status()),
            "call-argument-count");
  Check(both);
  EXPECT_EQ(runtime::StatusName(FindKernelEntry(checked, "f").status()), "entry-not-found");
  EXPECT_EQ(runtime::StatusName(FindKernelEntry(both, "g").status()), "entry-not-found");
}

// The kernel asserts that A[0] is less than n.
ir::Module Asking(ir::ForKind kind) {
  const ir::Var n = ir::MakeSizeVar("n"), i = ir::MakeVar("i", DataType::Int(32));
  const ir::Buffer a = ir::MakeBuffer("A", DataType::Int(32), {n});
  const ir::Stmt asks =
      ir::MakeAssert(ir::MakeLoad(a, {i}) < ir::Expr(n), "too-large",
                     "an element is too large\n  found: {0}", {ir::MakeLoad(a, {i})});
  return ir::MakeModule(
      {ir::MakeFunc("f", {a}, ir::MakeFor(i, ir::Int(0), n, kind, asks), {}, DataType::Void())});
}

TEST_F(Entries, RaiseWhatTheKernelAsks) {
  for (const ir::ForKind kind : {ir::ForKind::kSerial, ir::ForKind::kParallel}) {
    const runtime::Module module = Built(Asking(kind), 2);
    const KernelEntry entry = FindKernelEntry(module, "f").value();
    std::vector<int32_t> data(100, 0);
    void* const buffers[] = {data.data()};
    const int64_t sizes[] = {100};
    EXPECT_EQ(entry.call(buffers, sizes, nullptr, 3), 0);
    data[77] = 100;
    EXPECT_NE(entry.call(buffers, sizes, nullptr, 3), 0);
    EXPECT_EQ(std::string(runtime::TakePendingError().get()->name), "too-large");
    EXPECT_FALSE(runtime::HasPendingError());
  }
}

std::string ErrorOf(const ir::Module& loops, int64_t entries) {
  try {
    Built(loops, entries);
  } catch (const Error& error) {
    return error.name();
  }
  return "";
}

TEST_F(Entries, OfDevicesThereAreNone) {
  lower::PassContext context;
  context.Set("entries", 3);
  try {
    driver::Build(Rows().Loops(), target::ParseTarget("opencl"), context).IgnoreError();
    ADD_FAILURE() << "compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "entries-unsupported");
  }
}

TEST_F(Entries, WithWorkspaceOfUnknownSizeAreRefused) {
  const ir::Buffer a = ir::MakeBuffer("A", DataType::Float(32), {ir::Int(8)});
  const ir::Var i = ir::MakeVar("i", DataType::Int(32));
  const ir::Buffer t = ir::MakeBuffer("T", DataType::Float(32), {ir::Expr(i) * 8000});
  const ir::Stmt body = ir::MakeSeq({ir::MakeStore(t, ir::Float(1.0), {ir::Int(0)}),
                                     ir::MakeStore(a, ir::MakeLoad(t, {ir::Int(0)}), {i})});
  const ir::Stmt loop =
      ir::MakeFor(i, ir::Int(1), ir::Int(7), ir::ForKind::kSerial, ir::MakeAllocate(t, body));
  const ir::Module module = ir::MakeModule({ir::MakeFunc("f", {a}, loop, {}, DataType::Void())});
  EXPECT_EQ(ErrorOf(module, 1), "");
  EXPECT_EQ(ErrorOf(module, 2), "entries-workspace");
  EXPECT_EQ(ErrorOf(module, 4), "entries-invalid");
  EXPECT_EQ(ErrorOf(module, 0), "entries-invalid");
}

}  // namespace
}  // namespace lathe
