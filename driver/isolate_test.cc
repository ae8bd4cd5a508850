// Compiling in a separate process gives the same result as compiling in this one.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "driver/build_module.h"
#include "driver/default_plugins.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using Clock = std::chrono::steady_clock;
using plugins::OutputKind;

// B[i] = A[i] * factor.
ir::Module Scaling(const std::string& name, float factor) {
  const te::Tensor a = te::Placeholder({ir::Int(64)}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {ir::Int(64)},
      [&](const te::Indices& i) {
        return te::At(a, {i[0]}) * ir::Float(factor, DataType::Float(32));
      },
      "B");
  return Lower(schedule::CreateSchedule({b->op}), {a, b}, name, {});
}

lower::PassContext Isolated() {
  lower::PassContext context;
  context.isolate = true;
  return context;
}

TEST(Isolate, GivesTheSameBytes) {
  UseDefaultPlugins();
  const ir::Module module = Scaling("scale", 3);
  const target::Target target = target::ParseTarget("llvm");
  for (const OutputKind output : {OutputKind::kObject, OutputKind::kAssembly, OutputKind::kIr}) {
    const absl::StatusOr<std::string> here = Compile(module, target, output, {});
    const auto begun = Clock::now();
    const absl::StatusOr<std::string> again = Compile(module, target, output, {});
    const auto between = Clock::now();
    const absl::StatusOr<std::string> there = Compile(module, target, output, Isolated());
    ASSERT_TRUE(here.ok()) << here.status();
    ASSERT_TRUE(there.ok()) << there.status();
    EXPECT_EQ(*there, *here);
    const std::chrono::duration<double, std::milli> direct = between - begun,
                                                    isolated = Clock::now() - between;
    std::printf("%s: %.1f ms here, %.1f ms in a process of its own\n",
                plugins::OutputKindName(output), direct.count(), isolated.count());
  }
}

TEST(Isolate, PartsAreCompiledAtOnceAndRun) {
  UseDefaultPlugins();
  std::vector<ir::Func> functions;
  for (int i = 0; i < 6; ++i) {
    const ir::Module one = Scaling("scale" + std::to_string(i), static_cast<float>(i));
    functions.push_back(one->functions[0]);
  }
  const ir::Module module = ir::MakeModule(functions);
  const target::Target target = target::ParseTarget("llvm");
  const absl::StatusOr<Compiled> here =
      CompileParts(module, target, OutputKind::kObject, {}, {.threads = 3});
  const absl::StatusOr<Compiled> there =
      CompileParts(module, target, OutputKind::kObject, Isolated(), {.threads = 3});
  ASSERT_TRUE(here.ok()) << here.status();
  ASSERT_TRUE(there.ok()) << there.status();
  EXPECT_EQ(there->bytes, here->bytes);
  const absl::StatusOr<runtime::Module> built =
      BuildModule(module, target, Isolated(), {.threads = 3});
  ASSERT_TRUE(built.ok()) << built.status();
  std::vector<float> ones(64, 1.0f);
  const int64_t shape[] = {64};
  const runtime::Tensor in =
      *runtime::Tensor::FromHost(ones.data(), 256, shape, DataType::Float(32));
  const runtime::Tensor out = *runtime::Tensor::Empty({64}, DataType::Float(32));
  for (int i = 0; i < 6; ++i) {
    built->GetFunction("scale" + std::to_string(i)).value()(in, out);
    EXPECT_EQ(out.HostData<float>()[63], static_cast<float>(i));
  }
}

TEST(Isolate, IsNoPartOfWhatIsCompiled) {
  EXPECT_EQ(Isolated().Fingerprint(), lower::PassContext().Fingerprint());
}

}  // namespace
}  // namespace lathe::driver
