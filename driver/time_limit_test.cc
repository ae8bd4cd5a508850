// What ends a compilation: its time limit, and the cancellation of its caller.
#include "driver/time_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "arith/analyzer.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "driver/on_threads.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using namespace std::chrono_literals;
using ir::Expr;
using ir::NodeKind;
using ir::Stmt;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

// Returns the name of the error that ends `work`; "" if none does.
template <class F>
std::string EndOf(F work) {
  try {
    work();
  } catch (const runtime::Interrupted& error) {
    return error.name();
  }
  return "";
}
// The same within a scope that is already cancelled.
template <class F>
std::string EndWhereCancelled(F work) {
  runtime::Cancellation stop;
  stop.Cancel();
  const runtime::CancelScope scope(stop);
  return EndOf(work);
}

// x0 + x1 * 3 + ...: 20000 nodes and more.
Expr LongSum() {
  Expr sum = ir::Int(0);
  for (int i = 0; i < 5000; ++i) sum = sum + Expr(ir::MakeVar("x")) * 3;
  return sum;
}

TEST(Interruption, EndsWalks) {
  const Expr sum = LongSum();
  EXPECT_EQ(EndWhereCancelled([&] { ir::PostOrder(sum, [](const ir::Node&) {}); }), "cancelled");
  EXPECT_EQ(EndWhereCancelled([&] { ir::FreeVars(ir::NodeRef(sum)); }), "cancelled");
  EXPECT_EQ(EndOf([&] { ir::FreeVars(ir::NodeRef(sum)); }), "");
}

TEST(Interruption, EndsRewriting) {
  const Expr sum = LongSum();
  const auto rewrite = [&] { ir::Rewrite(sum, [](const ir::Mul& mul) { return mul.a + mul.b; }); };
  EXPECT_EQ(EndWhereCancelled(rewrite), "cancelled");
  EXPECT_EQ(EndOf(rewrite), "");
}

TEST(Interruption, EndsComparing) {
  const Expr a = LongSum(), b = LongSum();
  EXPECT_EQ(EndWhereCancelled(
                [&] { static_cast<void>(ir::StructuralEqual(ir::NodeRef(a), ir::NodeRef(b))); }),
            "cancelled");
}

// 4000 nested choices. Assumptions for the innermost must not remain afterwards.
TEST(Interruption, EndsSimplifyingAndLeavesNothingAssumed) {
  const ir::Var n = ir::MakeVar("n");
  Expr nested = Expr(n);
  for (int i = 0; i < 4000; ++i)
    nested =
        ir::MakeCall(DataType::Int(32), "if_then_else", {Expr(n) < (i + 7), nested, Expr(n) * i});
  arith::Analyzer analyzer;
  EXPECT_EQ(EndWhereCancelled([&] { analyzer.Simplify(nested); }), "cancelled");
  EXPECT_FALSE(analyzer.CanProve(Expr(n) < 7)) << "of the outermost arm";
  EXPECT_FALSE(analyzer.CanProve(Expr(n) < 4006));
  // Interruption does not change the caller's scope.
  {
    const auto scope = analyzer.With(Expr(n) < 5);
    EXPECT_EQ(EndWhereCancelled([&] { analyzer.Simplify(nested); }), "cancelled");
    EXPECT_TRUE(analyzer.CanProve(Expr(n) < 5));
  }
  EXPECT_FALSE(analyzer.CanProve(Expr(n) < 5));
}

TEST(Interruption, EndsTheWorkOfAllThreads) {
  runtime::Cancellation stop;
  const runtime::CancelScope scope(stop);
  std::atomic<int> begun{0};
  const std::string end = EndOf([&] {
    OnThreads(1000, 4, [&](size_t) {
      if (++begun == 8) stop.Cancel();
      for (int i = 0; i < 20; ++i) {
        std::this_thread::sleep_for(1ms);
        PollNow();
      }
    });
  });
  EXPECT_EQ(end, "cancelled");
  EXPECT_LT(begun, 20);
}

// If one thread is interrupted, the others stop too. They look only at the caller's cancellation.
TEST(Interruption, OfOneThreadEndsTheOthers) {
  std::atomic<int> begun{0};
  const std::string end = EndOf([&] {
    OnThreads(1000, 4, [&](size_t i) {
      ++begun;
      if (i == 3) {
        const TimeLimit limit(1e-9);
        while (true) PollNow();
      }
      for (int k = 0; k < 1000; ++k) {
        std::this_thread::sleep_for(1ms);
        PollNow();
      }
    });
  });
  EXPECT_EQ(end, "compile-time-limit") << "what ended the first, not what it did to the others";
  EXPECT_LT(begun, 20);
}

// B[i] = A[i] * A[i * 7 % 64] + 1, unrolled: large code for a small program.
struct Program {
  schedule::Schedule schedule;
  std::vector<ir::NodeRef> args;
};
Program Unrolled(int64_t extent) {
  const te::Tensor a = te::Placeholder({ir::Int(extent)}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {ir::Int(extent)},
      [&](const te::Indices& i) {
        return te::At(a, {i[0]}) * te::At(a, {ir::FloorModulo(i[0] * 7, 64)}) +
               ir::Float(1, DataType::Float(32));
      },
      "B");
  Program out;
  out.schedule = schedule::CreateSchedule({b->op});
  schedule::Unroll(out.schedule[b], schedule::AxisOf(b, 0));
  out.args = {a, b};
  return out;
}

TEST(TimeLimit, OfALoweringSaysWhereItWas) {
  UseDefaultPlugins();
  const Program program = Unrolled(1 << 16);
  const ir::Module module = Lower(program.schedule, program.args, "f", {});
  const target::Target target = target::ParseTarget("llvm");
  lower::PassContext context;
  context.time_limit = 0.05;
  const auto begun = Clock::now();
  try {
    LowerForTarget(module, target, context);
    FAIL() << "was done in " << (Clock::now() - begun) / 1ms << " ms";
  } catch (const runtime::CallError& error) {
    EXPECT_EQ(error.name(), "compile-time-limit");
    EXPECT_EQ(error.code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_THAT(error.what(), HasSubstr("longer than its time limit of 0.05 s"));
    EXPECT_THAT(error.what(), HasSubstr("it was at pass `"));
    EXPECT_THAT(error.what(), HasSubstr("--time-limit"));
  }
  EXPECT_LT(Clock::now() - begun, 3s) << "for machines with other work";
}

TEST(TimeLimit, OfCompilingEndsTheCodeGenerator) {
  UseDefaultPlugins();
  const Program program = Unrolled(1000);
  const ir::Module module = Lower(program.schedule, program.args, "f", {});
  const target::Target target = target::ParseTarget("llvm");
  // Loads LLVM, and measures how long compilation takes.
  const auto before = Clock::now();
  ASSERT_TRUE(Compile(module, target, plugins::OutputKind::kObject, {}).ok());
  const auto whole = Clock::now() - before;
  // Limits of up to half of that time, until a compilation ends within its limit. LLVM takes most
  // of the time.
  bool within_llvm = false;
  for (int tenth = 1; tenth < 10; ++tenth) {
    lower::PassContext context;
    context.time_limit = std::chrono::duration<double>(whole).count() * tenth / 20;
    try {
      if (Compile(module, target, plugins::OutputKind::kObject, context).ok()) break;
      FAIL() << "what ends it is thrown";
    } catch (const runtime::CallError& error) {
      EXPECT_EQ(error.name(), "compile-time-limit");
      within_llvm =
          within_llvm ||
          std::string(error.what()).find("the code generator for `llvm`") != std::string::npos;
    }
  }
  EXPECT_TRUE(within_llvm);
  // Nothing remains from the interrupted compilations.
  EXPECT_TRUE(Compile(module, target, plugins::OutputKind::kObject, {}).ok());
}

TEST(TimeLimit, OfSeveralCallsIsOne) {
  const Program program = Unrolled(64);
  lower::PassContext context;
  context.time_limit = 1;
  context.time_begun = Clock::now() - 2s;
  EXPECT_EQ(EndOf([&] { Lower(program.schedule, program.args, "f", context); }),
            "compile-time-limit");
  context.time_begun = {};
  EXPECT_EQ(EndOf([&] { Lower(program.schedule, program.args, "f", context); }), "");
}

TEST(TimeLimit, IsNoPartOfWhatIsCompiled) {
  lower::PassContext context;
  const std::string before = context.Fingerprint();
  context.time_limit = 5;
  EXPECT_EQ(context.Fingerprint(), before);
}

TEST(TimeLimit, IsANumber) {
  try {
    const TimeLimit limit(std::nan(""));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "compile-time-limit-value");
  }
}

}  // namespace
}  // namespace lathe::driver
