// Candidates that do what they should, and evil ones, in worker processes of a server.
#include "tune/runner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "ir/text/parser.h"
#include "runtime/cancel.h"
#include "runtime/status.h"
#include "tune/testing.h"

namespace lathe::tune {
namespace {

using runtime::Tensor;
using std::chrono::steady_clock;

std::string worker_program;

std::string CodeOf(const std::string& body) {
  const ir::Module module =
      ir::ParseModule("func f(A: float32[64], B: float32[64]) {\n" + body + "}\n");
  static const target::Target target = target::ParseTarget("llvm");
  return *driver::Compile(module, target, plugins::OutputKind::kObject, {});
}

const char* const kDouble = "for i in range(64) {\n  B[i] = A[i] * 2.0\n}\n";

class RunnerTest : public testing::Test {
 protected:
  RunResult Run(Runner& runner, const std::string& code, float factor = 2) {
    std::vector<float> a(64), b(64);
    std::iota(a.begin(), a.end(), 0.0F);
    for (size_t i = 0; i < 64; ++i) b[i] = a[i] * factor;
    const RunArgument arguments[] = {
        {*Tensor::FromHost(a.data(), 256, std::vector<int64_t>{64}, DataType::Float(32))},
        {*Tensor::FromHost(b.data(), 256, std::vector<int64_t>{64}, DataType::Float(32)), true}};
    return runner.Run("elf", code, "f", arguments);
  }
  void Expect(const RunResult& result, FailureKind kind, const std::string& part) {
    EXPECT_TRUE(result.seconds.empty());
    ASSERT_TRUE(result.failure.has_value());
    EXPECT_EQ(NameOf(result.failure->kind), NameOf(kind)) << result.failure->message;
    EXPECT_NE(result.failure->message.find(part), std::string::npos) << result.failure->message;
  }

  TestDevices devices{worker_program};
  const RunOptions options{.timer = {.number = 3, .repeat = 4, .min_repeat_ms = 0.1}, .timeout = 5};
};

TEST_F(RunnerTest, MeasuresAndChecks) {
  Runner runner(devices.sessions(), kDLCPU, 0, options);
  const std::string code = CodeOf(kDouble);
  for (int i = 0; i < 3; ++i) {
    const RunResult result = Run(runner, code);
    ASSERT_FALSE(result.failure.has_value()) << result.failure->message;
    ASSERT_EQ(result.seconds.size(), 4u);
    for (const double seconds : result.seconds) EXPECT_GT(seconds, 0);
  }
  Expect(Run(runner, code, 3), FailureKind::kWrongAnswer,
         "[tune-wrong-answer] argument 1: element 1 is 2 instead of 3");
  EXPECT_EQ(devices.opened(), 1) << "none of these costs the session";
}

TEST_F(RunnerTest, EvilCandidates) {
  Runner runner(devices.sessions(), kDLCPU, 0, options);
  const std::string good = CodeOf(kDouble);
  const std::string doubles = kDouble;
  Expect(Run(runner, CodeOf(doubles + "call_packed<void>(\"test.crash\")\n")), FailureKind::kCrash,
         "signal 11");
  EXPECT_FALSE(Run(runner, good).failure.has_value());
  Expect(Run(runner, CodeOf(doubles + "call_packed<void>(\"test.exit\", 7)\n")),
         FailureKind::kCrash, "status 7");
  // Below and above its output, at a place that the compiler does not know.
  for (const char* where : {"-1", "+ 64"}) {
    const std::string sign(where, 1);
    Expect(Run(runner, CodeOf(doubles + "B[int32(A[0]) " + sign + " " + (where + 1) + "] = 7.0\n")),
           FailureKind::kWrongAnswer, "4 bytes around it changed");
  }
  Expect(Run(runner, CodeOf("B[0] = 1.0\n")), FailureKind::kWrongAnswer, "element 0 is 1");
  Expect(Run(runner, CodeOf("call_packed<void>(\"no.such.function\")\n")), FailureKind::kError,
         "no.such.function");
  Expect(Run(runner, "no object"), FailureKind::kBuild, "");
  EXPECT_FALSE(Run(runner, good).failure.has_value());
  Expect(runner.Run("elf", good, "g", {}), FailureKind::kBuild, "g");
  EXPECT_EQ(devices.opened(), 3) << "one at first, and one for each that ended its worker";
}

TEST_F(RunnerTest, OneThatDoesNotEnd) {
  RunOptions short_of_time = options;
  short_of_time.timeout = 0.5;
  Runner runner(devices.sessions(), kDLCPU, 0, short_of_time);
  const auto begun = steady_clock::now();
  Expect(Run(runner, CodeOf("call_packed<void>(\"test.hang\")\n")), FailureKind::kTimeout,
         "did not end within 0.5");
  EXPECT_LT(steady_clock::now() - begun, std::chrono::seconds(4));
  EXPECT_FALSE(Run(runner, CodeOf(kDouble)).failure.has_value()) << "the device is free again";
  // The caller's own interruption is not the candidate's.
  runtime::Cancellation stop;
  stop.SetDeadline(steady_clock::now() + std::chrono::milliseconds(100));
  const runtime::CancelScope scope(stop);
  EXPECT_THROW(Run(runner, CodeOf("call_packed<void>(\"test.hang\")\n")), runtime::Interrupted);
}

TEST_F(RunnerTest, ADeviceThatGoesAndComesBack) {
  Runner runner(devices.sessions(), kDLCPU, 0, options);
  const std::string code = CodeOf(kDouble);
  EXPECT_FALSE(Run(runner, code).failure.has_value());
  devices.Restart();
  EXPECT_FALSE(Run(runner, code).failure.has_value()) << "the candidate is tried again";
  Runner none(
      []() -> absl::StatusOr<Ref<runtime::Session>> {
        return runtime::MakeStatus(absl::StatusCode::kUnavailable, "rpc-unreachable", "no board");
      },
      kDLCPU, 0, options);
  Expect(Run(none, code), FailureKind::kDevice, "no board");
}

}  // namespace
}  // namespace lathe::tune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::tune::worker_program = argv[1];
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
