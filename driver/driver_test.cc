#include <sys/mman.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/constants.h"
#include "ir/parser.h"
#include "ir/walk.h"
#include "lower/check_passes.h"
#include "lower/constants.h"
#include "lower/pipeline.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using ir::Float;
using ir::Int;
using ir::MakeSizeVar;
using runtime::Tensor;

struct VectorAdd {
  VectorAdd() {
    n = MakeSizeVar("n");
    a = te::Placeholder({n}, DataType::Float(32), "A");
    b = te::Placeholder({n}, DataType::Float(32), "B");
    c = te::Compute(
        {n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + te::At(b, {i[0]}); }, "C");
    s = schedule::CreateSchedule({c->op});
  }
  ir::Var n;
  te::Tensor a, b, c;
  schedule::Schedule s;
};

std::vector<Tensor> Arguments(int64_t n) {
  std::vector<Tensor> out;
  for (int t = 0; t < 3; ++t) {
    Tensor tensor = *Tensor::Empty({n}, DataType::Float(32));
    float* data = tensor.HostData<float>();
    for (int64_t i = 0; i < n; ++i) data[i] = t == 2 ? 0.0f : static_cast<float>(i * (t + 1));
    out.push_back(tensor);
  }
  return out;
}

void ExpectSum(const runtime::Module& module, int64_t n) {
  std::vector<Tensor> t = Arguments(n);
  auto function = module.GetFunction("vector_add");
  ASSERT_TRUE(function.ok()) << function.status();
  (*function)(t[0], t[1], t[2]);
  for (int64_t i = 0; i < n; ++i)
    ASSERT_EQ(t[2].HostData<float>()[i], static_cast<float>(3 * i)) << i;
}

class Driver : public testing::Test {
 protected:
  void SetUp() override { UseDefaultPlugins(); }
  target::Target target() { return target::ParseTarget("llvm"); }
};

TEST_F(Driver, BuildsAndRunsHere) {
  VectorAdd v;
  auto [io, ii] = schedule::Split(v.s[v.c], schedule::AxisOf(v.c, 0), 64);
  schedule::Vectorize(v.s[v.c], schedule::Split(v.s[v.c], ii, 16).second);
  schedule::Parallel(v.s[v.c], io);
  auto module = Build(Lower(v.s, {v.a, v.b, v.c}, "vector_add", {}), target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  for (int64_t n : {0, 1, 63, 64, 65, 10000}) ExpectSum(*module, n);
}

TEST_F(Driver, ExportedFilesLoadAgain) {
  VectorAdd v;
  auto module = Build(Lower(v.s, {v.a, v.b, v.c}, "vector_add", {}), target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/vector_add" + suffix;
    const absl::Status saved = ExportLibrary(*module, path);
    ASSERT_TRUE(saved.ok()) << saved;
    auto loaded = runtime::LoadModuleFile(path);
    ASSERT_TRUE(loaded.ok()) << suffix << loaded.status();
    ExpectSum(*loaded, 100);
  }
  EXPECT_FALSE(ExportLibrary(*module, "x.zip").ok());
  EXPECT_FALSE(ExportLibrary(*module, "/nonexistent/x.o").ok());
}

TEST_F(Driver, AnObjectHasNoModulesThatWereAddedLater) {
  VectorAdd v;
  const ir::Module loops = Lower(v.s, {v.a, v.b, v.c}, "vector_add", {});
  auto module = Build(loops, target(), {}), other = Build(loops, target(), {});
  ASSERT_TRUE(module.ok() && other.ok());
  module->Import(*other);
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/importing.so";
  const absl::Status refused = ExportLibrary(*module, path);
  EXPECT_EQ(runtime::StatusName(refused), "export-imports") << refused;
  // A module file has them.
  const auto saved = module->Serialize();
  ASSERT_TRUE(saved.ok()) << saved.status();
  const auto parts = runtime::ReadParts(*saved + "what follows in a file");
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_EQ(parts->size(), 2u);
  const auto loaded = runtime::Module::Deserialize(*saved);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ((*loaded)->imports().size(), 1u);
}

// Data that is known when a program is compiled: in the code, once, read where it is used.
TEST_F(Driver, ConstantsTravelInTheCode) {
  std::vector<float> table(64 * 3);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i) / 4;
  const std::string bytes(reinterpret_cast<const char*>(table.data()), table.size() * 4);
  const te::Tensor t = te::Constant(Blob::Copy(bytes), {64, 3}, DataType::Float(32), "T"),
                   same = te::Constant(Blob::Copy(bytes), {64, 3}, DataType::Float(32), "S");
  const ir::Var n = MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n, Int(3)}, DataType::Float(32), "A");
  const te::Tensor c = te::Compute(
      {n, Int(3)},
      [&](const te::Indices& i) {
        const ir::Expr row = ir::FloorModulo(ir::Expr(i[0]), 64);
        return te::At(a, {i[0], i[1]}) * te::At(t, {row, i[1]}) + te::At(same, {row, Int(0)});
      },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  schedule::Parallel(s[c], schedule::AxisOf(c, 0));
  const ir::Module lowered = Lower(s, {a, c}, "f", {});
  EXPECT_EQ(ir::ConstantsIn(lowered->functions[0]->attrs).size(), 1u);
  int allocations = 0;
  ir::ForEach<ir::Allocate>(lowered, [&](const ir::Allocate&) { ++allocations; });
  EXPECT_EQ(allocations, 0);
  auto expect = [&](const runtime::Module& module) {
    const Tensor x = *Tensor::Empty({100, 3}, DataType::Float(32)),
                 y = *Tensor::Empty({100, 3}, DataType::Float(32));
    for (int64_t i = 0; i < 300; ++i) x.HostData<float>()[i] = static_cast<float>(i % 7);
    auto function = module.GetFunction("f");
    ASSERT_TRUE(function.ok()) << function.status();
    (*function)(x, y);
    for (int64_t i = 0; i < 300; ++i) {
      const auto row = static_cast<size_t>(i / 3 % 64), column = static_cast<size_t>(i % 3);
      ASSERT_EQ(y.HostData<float>()[i],
                x.HostData<float>()[i] * table[row * 3 + column] + table[row * 3])
          << i;
    }
  };
  auto module = Build(lowered, target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  expect(*module);
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/constants" + suffix;
    const absl::Status saved = ExportLibrary(*module, path);
    ASSERT_TRUE(saved.ok()) << saved;
    auto loaded = runtime::LoadModuleFile(path);
    ASSERT_TRUE(loaded.ok()) << suffix << loaded.status();
    expect(*loaded);
  }
  // The interpreter takes them from the module, before and after every pass.
  try {
    lower::CheckPasses(lowered, lower::FlatPasses(), {100}, 3);
    const ir::Module gathered = lower::GatherConstants(lowered);
    EXPECT_EQ(lower::SeparateConstants(gathered).constants.size(), 1u);
    EXPECT_TRUE(lower::GatherConstants(gathered).same_as(gathered));
    lower::CheckPasses(gathered, lower::FlatPasses(), {100}, 3);
  } catch (const Error& error) {
    FAIL() << error.what();
  }
}

// As an argument it is filled, with the values of the table.
TEST_F(Driver, ConstantAsAnArgumentIsFilled) {
  const te::Tensor t = te::Constant(Blob::Copy("abcd"), {2, 2}, DataType::Int(8), "T");
  const te::Tensor c =
      te::Compute({Int(2)}, [&](const te::Indices& i) { return te::At(t, {i[0], Int(1)}); }, "C");
  auto module =
      Build(Lower(schedule::CreateSchedule({c->op, t->op}), {t, c}, "f", {}), target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const Tensor x = *Tensor::Empty({2, 2}, DataType::Int(8)),
               y = *Tensor::Empty({2}, DataType::Int(8));
  (*module->GetFunction("f"))(x, y);
  EXPECT_EQ(std::string(x.HostData<char>(), 4), "abcd");
  EXPECT_EQ(std::string(y.HostData<char>(), 2), "bd");
}

TEST_F(Driver, ConstantsThatTheCodeDoesNotHoldAreAnError) {
  const ir::Module module = ir::ParseModule(R"(
func f(C: int32[2]) { allocate_const T: int32[2] index 1; C[0] = T[0] })");
  EXPECT_TRUE(CheckConstantsHeld(module, {false, true}).ok());
  const absl::Status left = CheckConstantsHeld(module, {true, false});
  EXPECT_NE(left.message().find("constant-not-held"), std::string::npos) << left;
  EXPECT_FALSE(CheckConstantsHeld(module, {true}).ok());
}

// S29: more elements than int32 counts; elsewhere such an index wraps and reads before the tensor.
// The memory is reserved, and two of its pages are touched.
TEST_F(Driver, S29_TensorsOfMoreThan2To31Elements) {
  const ir::Module tile = ir::ParseModule(R"(
func f(A: uint8[65536, 65537], C: uint8[4], i: int32, j: int32) {
  C[0] = A[i, j]
  for k in range(2) { C[k + 1] = A[65535, 65535 + k] }
  C[3] = A[2, 3]
})");
  auto module = Build(tile, target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  constexpr size_t kRows = 65536, kColumns = 65537;
  void* memory = mmap(nullptr, kRows * kColumns, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED) << "4 GB of addresses";
  auto* bytes = static_cast<uint8_t*>(memory);
  bytes[kRows * kColumns - 1] = 7;
  bytes[kRows * kColumns - 2] = 6;
  bytes[2 * kColumns + 3] = 5;
  const int64_t shape[] = {65536, 65537};
  const Tensor a = Tensor::Wrap(
                   memory, 0, shape, {}, DataType::UInt(8), runtime::Device::Cpu(), [](void*) {},
                   nullptr),
               c = *Tensor::Empty({4}, DataType::UInt(8));
  (*module->GetFunction("f"))(a, c, 65535, 65536);
  const uint8_t* found = c.HostData<uint8_t>();
  EXPECT_EQ(found[0], 7);
  EXPECT_EQ(found[1], 6);
  EXPECT_EQ(found[2], 7);
  EXPECT_EQ(found[3], 5);
  munmap(memory, kRows * kColumns);
}

TEST_F(Driver, MisuseOfACallIsExplained) {
  VectorAdd v;
  auto module = Build(Lower(v.s, {v.a, v.b, v.c}, "vector_add", {}), target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  runtime::Function f = *module->GetFunction("vector_add");
  auto failure = [&](auto... args) -> std::string {
    auto result = f.TryCall(args...);
    return result.ok() ? "no error" : std::string(result.status().message());
  };
  Tensor good = *Tensor::Empty({4}, DataType::Float(32));
  Tensor other = *Tensor::Empty({5}, DataType::Float(32));
  Tensor wrong = *Tensor::Empty({4}, DataType::Float(64));
  Tensor flat = *Tensor::Empty({2, 2}, DataType::Float(32));
  EXPECT_NE(failure(good, good).find("call-argument-count"), std::string::npos)
      << failure(good, good);
  EXPECT_NE(failure(good, wrong, good).find("float64"), std::string::npos)
      << failure(good, wrong, good);
  EXPECT_NE(failure(good, flat, good).find("call-argument-rank"), std::string::npos);
  EXPECT_NE(failure(good, other, good).find("call-argument-shape"), std::string::npos);
  EXPECT_NE(failure(good, 3, good).find("call-argument-kind"), std::string::npos);
  EXPECT_NE(failure(good, nullptr, good).find("call-argument-null"), std::string::npos);
  EXPECT_NE(failure(good, wrong, good).find("`B`"), std::string::npos);
}

}  // namespace
}  // namespace lathe::driver
