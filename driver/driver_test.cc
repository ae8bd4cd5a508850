#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "plugins/host/target.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
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
  plugins::Target target() { return plugins::ParseTarget("llvm"); }
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
