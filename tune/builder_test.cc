#include "tune/builder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "driver/default_plugins.h"
#include "runtime/cancel.h"
#include "runtime/status.h"
#include "schedule/primitives/primitives.h"
#include "target/canonical.h"
#include "te/operation.h"
#include "tune/reference.h"

namespace lathe::tune {
namespace {

using runtime::StatusName;

target::Target Target() { return *target::CanonicalTarget(target::ParseTarget("llvm")); }

struct Sum {
  explicit Sum(int64_t n = 1 << 14) {
    a = te::Placeholder({ir::Int(n)}, DataType::Float(32), "A");
    b = te::Compute(
        {ir::Int(n)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + 1.0; }, "B");
    s = schedule::CreateSchedule({b->op});
  }
  driver::ProgramToCompile Program() const { return {s, {a, b}, "f", Target(), {}}; }
  te::Tensor a, b;
  schedule::Schedule s;
};

void Expect(const BuildResult& result, FailureKind kind) {
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(NameOf(result.failure->kind), NameOf(kind)) << result.failure->message;
  EXPECT_FALSE(result.failure->message.empty());
}

TEST(Builder, BuildsWithAndWithoutAProcessOfItsOwn) {
  std::string code;
  for (const bool isolate : {true, false}) {
    const BuildResult result = BuildCandidate(Sum().Program(), {.isolate = isolate});
    ASSERT_FALSE(result.failure.has_value()) << result.failure->message;
    EXPECT_GT(result.seconds, 0);
    EXPECT_EQ(result.code.module_kind, "elf");
    if (!isolate) EXPECT_EQ(result.code.bytes, code);
    code = result.code.bytes;
  }
}

TEST(Builder, FailuresAreOfAKind) {
  Expect(BuildCandidate(Sum().Program(), {.seconds = 1e-6}), FailureKind::kTimeout);
  // Threads of a GPU, on a processor.
  Sum threads;
  schedule::Stage& stage = threads.s[threads.b];
  schedule::Bind(stage, stage.leaf_axes[0], schedule::ThreadAxis("threadIdx.x"));
  Expect(BuildCandidate(threads.Program()), FailureKind::kSchedule);
  // The caller's own interruption is thrown.
  runtime::Cancellation stop;
  stop.Cancel();
  const runtime::CancelScope scope(stop);
  EXPECT_THROW(BuildCandidate(Sum().Program()), runtime::Interrupted);
}

// Half a million copies of a statement: refused long before the code generator sees them.
TEST(Builder, RefusesWhatIsTooLarge) {
  Sum sum(1 << 19);
  schedule::Stage& stage = sum.s[sum.b];
  schedule::Unroll(stage, schedule::Split(stage, stage.leaf_axes[0], int64_t{1} << 13).second);
  const BuildResult refused = BuildCandidate(sum.Program(), {.most_nodes = kMostNodes});
  Expect(refused, FailureKind::kTooLarge);
  EXPECT_GT(refused.nodes, kMostNodes);
  EXPECT_LT(refused.seconds, 2);
  const BuildResult small = BuildCandidate(Sum().Program(), {.most_nodes = kMostNodes});
  EXPECT_FALSE(small.failure.has_value());
  EXPECT_GT(small.nodes, 5u);
  EXPECT_EQ(BuildCandidate(Sum().Program(), {}).nodes, small.nodes);
  Expect(BuildCandidate(Sum().Program(), {.most_nodes = small.nodes - 1}), FailureKind::kTooLarge);
}

TEST(Reference, SaysWhatAProgramComputes) {
  const Sum sum(100);
  const std::vector<ir::NodeRef> args = {sum.b, sum.a};  // in any order
  const std::vector<RunArgument> made = *MakeArguments(args), again = *MakeArguments(args),
                                 other = *MakeArguments(args, 2);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_TRUE(made[0].output);
  EXPECT_FALSE(made[1].output);
  int differ = 0;
  for (int i = 0; i < 100; ++i) {
    const float a = made[1].tensor.HostData<const float>()[i];
    EXPECT_EQ(made[0].tensor.HostData<const float>()[i], a + 1);
    EXPECT_EQ(again[1].tensor.HostData<const float>()[i], a);
    EXPECT_GE(a, -1);
    EXPECT_LE(a, 1);
    differ += other[1].tensor.HostData<const float>()[i] == a ? 0 : 1;
  }
  EXPECT_GT(differ, 90);
  const te::Tensor any = te::Placeholder({ir::MakeVar("n")}, DataType::Float(32), "A");
  const std::vector<ir::NodeRef> symbolic = {any}, no_tensor = {ir::Int(1)};
  EXPECT_EQ(StatusName(MakeArguments(symbolic).status()), "tune-arguments");
  EXPECT_EQ(StatusName(MakeArguments(no_tensor).status()), "tune-arguments");
}

}  // namespace
}  // namespace lathe::tune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
