#include "driver/relayout.h"

#include <gtest/gtest.h>

#include <vector>

#include "driver/default_plugins.h"
#include "runtime/status.h"
#include "schedule/primitives/transform_layout.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using runtime::Tensor;

// A of this shape, and a schedule that reads it.
struct Read {
  ir::Tensor a;
  schedule::Schedule s;
};
Read ReaderOf(const te::Shape& shape) {
  const ir::Tensor a = te::Placeholder(shape, DataType::Float(32), "A");
  const ir::Tensor b = te::Compute(
      shape, [&](const te::Indices& i) { return te::At(a, {i.begin(), i.end()}); }, "B");
  return {a, schedule::CreateSchedule({b->op})};
}

Tensor Numbers(const std::vector<int64_t>& shape) {
  Tensor made = *Tensor::Empty(shape, DataType::Float(32));
  for (int64_t i = 0; i < made.num_elements(); ++i)
    made.HostData<float>()[i] = static_cast<float>(i + 1);
  return made;
}

TEST(Relayout, BlocksWithARest) {
  const Read read = ReaderOf({ir::Int(2), ir::Int(5)});
  schedule::Schedule s = read.s;
  schedule::TransformLayout(s, read.a, std::vector<std::string>{"d1 // 4", "d0", "d1 % 4"});
  const auto made = InLayoutOf(s, read.a, Numbers({2, 5}));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(std::ranges::equal(made->shape(), std::vector<int64_t>{2, 2, 4}));
  const std::vector<float> wanted = {1, 2, 3, 4, 6, 7, 8, 9, 5, 0, 0, 0, 10, 0, 0, 0};
  EXPECT_EQ(std::vector<float>(made->HostData<float>(), made->HostData<float>() + 16), wanted);
}

TEST(Relayout, ArgumentsWithoutALayoutStay) {
  const Read read = ReaderOf({ir::Int(2), ir::Int(5)});
  const Tensor values = Numbers({2, 5});
  EXPECT_EQ(InLayoutOf(read.s, read.a, values)->HostData<float>(), values.HostData<float>());
}

TEST(Relayout, ValuesThatDoNotFit) {
  const Read read = ReaderOf({ir::Int(2), ir::Int(5)});
  schedule::Schedule s = read.s;
  schedule::TransformLayout(s, read.a, std::vector<std::string>{"d1", "d0"});
  EXPECT_EQ(runtime::StatusName(InLayoutOf(s, read.a, Numbers({5, 2})).status()),
            "relayout-values");
  EXPECT_EQ(runtime::StatusName(
                InLayoutOf(s, read.a, *Tensor::Empty({2, 5}, DataType::Int(32))).status()),
            "relayout-values");
  const ir::Var n = ir::MakeVar("n", DataType::Int(32));
  const Read any = ReaderOf({n});
  schedule::Schedule t = any.s;
  schedule::TransformLayout(t, any.a, std::vector<std::string>{"d0 // 4", "d0 % 4"});
  EXPECT_EQ(runtime::StatusName(InLayoutOf(t, any.a, Numbers({8})).status()), "relayout-values");
}

}  // namespace
}  // namespace lathe::driver

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
