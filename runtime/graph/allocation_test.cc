// A run allocates nothing. A program of its own, because it replaces the global operator new.
#include <atomic>
#include <cstdlib>
#include <new>

#include "gtest/gtest.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/graph/executor.h"
#include "runtime/graph/test_kernels.h"
#include "runtime/graph/test_plans.h"
#include "runtime/init.h"

namespace {
std::atomic<int> allocations{0};
}  // namespace

void* operator new(size_t bytes) {
  ++allocations;
  void* data = std::malloc(bytes);
  if (data == nullptr) std::abort();
  return data;
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, size_t) noexcept { std::free(data); }

namespace lathe::runtime::graph {
namespace {

TEST(Allocation, RunsAllocateNothing) {
  Initialize();
  PlanBuilder b;
  const int32_t n = b.Extent(0, 0), x = b.Input("x", {n}), y = b.Arena({n}), z = b.Arena({n}),
                condition = b.Arena({}, DataType::Bool()), one = b.Constant(1),
                s = b.Input("s", {one});
  b.Step("mix", {x, x, y}, {{"n", n}});
  b.Step("below", {s, s, condition});
  b.If(condition, [&] { b.Copy(y, z); }, [&] { b.Step("mix", {y, x, z}, {{"n", n}}); });
  b.plan.outputs = {z, z, x};
  Context context(
      Executable::Create(b.plan, StaticArtifact(&lathe_graph_test_kernels).value()).value());
  const Tensor tensor = Tensor::Empty({8}, DataType::Float(32)).value();
  ASSERT_TRUE(context.SetInput(0, tensor).ok());
  ASSERT_TRUE(context.SetInput(1, Tensor::Empty({1}, DataType::Float(32)).value()).ok());
  ASSERT_TRUE(context.Run().ok());
  const int before = allocations;
  EXPECT_GT(before, 0);
  bool good = true;
  for (int i = 0; i < 10; ++i) good = good && context.Run().ok();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(good);
}

}  // namespace
}  // namespace lathe::runtime::graph
