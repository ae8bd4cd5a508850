#include "driver/bisect/bisect.h"

#include <cstring>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/rewrite.h"
#include "ir/text/parser.h"
#include "lower/pipeline.h"

namespace lathe::driver {
namespace {

constexpr const char* kProgram = R"(
program scaled {
  var n: size
  placeholder A: float32[n, 10]
  compute B[i in range(n), j in range(10)] = A[i, j] * 3.0 + 1.0
  compute C[i in range(n)] over [k in range(10)] = sum(B[i, k], axis=[k])
  args [A, C, n]
  schedule {
    C.i.outer, C.i.inner = split(axis=C.i, factor=4)
    vectorize(axis=B.j)
  }
})";

struct Fixture {
  Fixture() {
    program = schedule::FromProgram(ir::ParseProgram(kProgram));
    target.kind = "llvm";
    target.keys = {"cpu"};
    constexpr int64_t kRows = 7;
    arguments.arguments.resize(3);
    arguments.arguments[0] = {"A", {}, DataType::Float(32), {kRows, 10}, {}};
    arguments.arguments[0].bytes.resize(kRows * 10 * 4);
    for (size_t i = 0; i < kRows * 10; ++i) {
      const auto value = static_cast<float>(i % 7);
      std::memcpy(arguments.arguments[0].bytes.data() + 4 * i, &value, 4);
    }
    arguments.arguments[1] = {"C", {}, DataType::Float(32), {kRows}, std::vector<char>(kRows * 4)};
    arguments.arguments[2] = {"n", ir::InterpValue::Int(kRows), DataType::Void(), {}, {}};
  }
  BisectReport Run(std::vector<lower::Pass> flat) const {
    BisectPipelines pipelines = AllPipelines();
    pipelines.flat = flat;
    return Bisect(program, arguments, pipelines, target);
  }
  static std::vector<lower::Pass> Flat() {
    return {lower::FlatPasses().begin(), lower::FlatPasses().end()};
  }
  schedule::Loaded program;
  target::Target target;
  BisectArguments arguments;
};

// A broken pass: every product of float32 becomes a sum.
ir::Module Break(const ir::Module& module, const lower::PassContext&) {
  return lower::MapFunctions(module, [](const ir::Func& func) {
    return ir::WithBody(func, ir::Rewrite(func->body, [](const ir::Mul& mul) -> ir::NodeRef {
                          if (!mul.dtype.is_float()) return ir::NodeRef(&mul);
                          return mul.a + mul.b;
                        }));
  });
}

// A broken pass: loops run one iteration too many.
ir::Module Overrun(const ir::Module& module, const lower::PassContext&) {
  return lower::MapFunctions(module, [](const ir::Func& func) {
    return ir::WithBody(func, ir::Rewrite(func->body, [](const ir::For& loop) -> ir::NodeRef {
                          return ir::MakeFor(loop.var, loop.min, loop.extent + 1, loop.for_kind,
                                             loop.body);
                        }));
  });
}

ir::Module Throw(const ir::Module&, const lower::PassContext&) {
  throw Error(Diagnostic{.name = "intrinsic-invalid", .message = "this pass gives up"});
}

std::vector<std::string> Names(const BisectReport& report) {
  std::vector<std::string> out;
  for (const BisectStage& stage : report.stages) out.push_back(stage.name);
  return out;
}

TEST(Bisect, NothingIsWrong) {
  const BisectReport report = Fixture().Run(Fixture::Flat());
  EXPECT_FALSE(report.changed) << report.what << report.after;
  ASSERT_EQ(report.stages.size(), 2 + lower::TilePasses().size() + lower::TargetPasses().size() +
                                      lower::FlatPasses().size());
  EXPECT_EQ(report.stages[0].name, "definition");
  EXPECT_EQ(report.stages[1].name, "schedule");
  EXPECT_EQ(report.stages[1].state, BisectStage::kSame);
  float first = 0;
  std::memcpy(&first, report.expected.arguments[1].bytes.data(), 4);
  EXPECT_EQ(first, 3 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 0 + 1 + 2) + 10);
}

TEST(Bisect, NamesThePassAndTheStatement) {
  std::vector<lower::Pass> flat = Fixture::Flat();
  flat.insert(flat.begin() + 3, {"break", "", Break, ir::Stage::kTile});
  const BisectReport report = Fixture().Run(flat);
  ASSERT_TRUE(report.changed);
  EXPECT_EQ(report.stages.back().name, "break");
  EXPECT_EQ(report.stages.back().state, BisectStage::kChanged);
  EXPECT_NE(report.what.find("C[0] is "), std::string::npos) << report.what;
  EXPECT_NE(report.what.find("7 of 7 elements differ"), std::string::npos) << report.what;
  // Shows one store, not the function around it.
  EXPECT_NE(report.before.find("* 3"), std::string::npos) << report.before;
  EXPECT_EQ(report.before.find("func"), std::string::npos) << report.before;
  EXPECT_EQ(report.after.find("* 3"), std::string::npos) << report.after;
}

TEST(Bisect, AFailureIsAChange) {
  std::vector<lower::Pass> flat = Fixture::Flat();
  flat.insert(flat.begin() + 2, {"overrun", "", Overrun, ir::Stage::kTile});
  const BisectReport overrun = Fixture().Run(flat);
  ASSERT_TRUE(overrun.changed);
  EXPECT_EQ(overrun.stages.back().name, "overrun");
  EXPECT_EQ(overrun.stages.back().state, BisectStage::kFailed);
  EXPECT_NE(overrun.what.find("interpret-out-of-bounds"), std::string::npos) << overrun.what;
  flat = Fixture::Flat();
  flat.insert(flat.begin() + 1, {"throw", "", Throw, ir::Stage::kTile});
  const BisectReport thrown = Fixture().Run(flat);
  ASSERT_TRUE(thrown.changed);
  EXPECT_EQ(Names(thrown).back(), "throw");
  EXPECT_NE(thrown.what.find("this pass gives up"), std::string::npos) << thrown.what;
}

ir::Module DropBarriers(const ir::Module& module, const lower::PassContext&) {
  return lower::MapFunctions(module, [](const ir::Func& func) {
    return ir::WithBody(func, ir::Rewrite(func->body, [](const ir::Evaluate& stmt) -> ir::NodeRef {
                          const auto* call = ir::As<ir::Call>(stmt.value);
                          if (call == nullptr || call->op != "barrier") return ir::NodeRef(&stmt);
                          return ir::Nop();
                        }));
  });
}

TEST(Bisect, KernelsToo) {
  constexpr const char* kThreads = R"(
program reversed {
  placeholder A: float32[7, 10]
  compute S[i in range(7), j in range(10)] = A[i, j] * 2.0
  compute C[i in range(7), j in range(10)] = S[i, 9 - j]
  args [A, C]
  schedule {
    bind(axis=C.i, thread="blockIdx.x")
    bind(axis=C.j, thread="threadIdx.x")
    compute_at(stage=S, consumer=C, axis=C.i)
    bind(axis=S.j, thread="threadIdx.x")
  }
})";
  Fixture fixture;
  fixture.program = schedule::FromProgram(ir::ParseProgram(kThreads));
  fixture.arguments.arguments.resize(2);
  fixture.arguments.arguments[1] = {
      "C", {}, DataType::Float(32), {7, 10}, std::vector<char>(7 * 10 * 4)};
  EXPECT_TRUE(HasThreads(fixture.program));
  EXPECT_FALSE(HasThreads(Fixture().program));
  const BisectPipelines all = AllPipelines();
  const BisectReport good = Bisect(fixture.program, fixture.arguments, all, fixture.target);
  EXPECT_FALSE(good.changed) << good.stages.back().name << good.what << good.after;
  EXPECT_EQ(good.stages.size(), 2 + all.tile.size() + all.device.size() + all.kernel.size());
  // Without its barriers the kernel races.
  std::vector<lower::Pass> kernel(all.kernel.begin(), all.kernel.end());
  kernel.insert(kernel.begin(), {"drop_barriers", "", DropBarriers, ir::Stage::kTile});
  BisectPipelines bad = all;
  bad.kernel = kernel;
  const BisectReport report = Bisect(fixture.program, fixture.arguments, bad, fixture.target);
  ASSERT_TRUE(report.changed);
  EXPECT_EQ(report.stages.back().name, "drop_barriers");
  EXPECT_NE(report.what.find("interpret-race"), std::string::npos) << report.what;
  EXPECT_NE(report.before.find("barrier"), std::string::npos) << report.before;
}

TEST(Bisect, TheProgramsOwnErrorsAreThrown) {
  Fixture fixture;
  fixture.arguments.arguments[1].shape = {3};  // not n
  fixture.arguments.arguments[1].bytes.resize(12);
  EXPECT_THROW(fixture.Run(Fixture::Flat()), Error);
}

BisectArguments One(DataType type, std::vector<double> values) {
  BisectArguments out;
  out.arguments.push_back({"X", {}, type, {static_cast<int64_t>(values.size())}, {}});
  for (const double value : values) {
    const auto single = static_cast<float>(value);
    const auto whole = type.is_float() ? 0 : static_cast<int32_t>(value);
    const char* bytes = type.is_float() ? reinterpret_cast<const char*>(&single)
                                        : reinterpret_cast<const char*>(&whole);
    out.arguments[0].bytes.insert(out.arguments[0].bytes.end(), bytes, bytes + 4);
  }
  return out;
}

TEST(Bisect, Compare) {
  const DataType f32 = DataType::Float(32), i32 = DataType::Int(32);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Compare(One(f32, {1, 1000}), One(f32, {1.0001, 1000}), {}), "");
  EXPECT_NE(Compare(One(f32, {1, 1000}), One(f32, {1.5, 1000}), {}), "");
  EXPECT_EQ(Compare(One(f32, {1, 1000}), One(f32, {1.5, 1000}), {.relative = 1e-3}), "");
  EXPECT_NE(Compare(One(f32, {1, 1000}), One(f32, {1.0001, 1000}), {.relative = 0}), "");
  EXPECT_EQ(Compare(One(i32, {5, -6, 7}), One(i32, {5, 6, 8}), {}),
            "X[1] is 6, expected -6; 2 of 3 elements differ");
  EXPECT_EQ(Compare(One(f32, {nan, 0}), One(f32, {nan, -0.0}), {}), "");
  EXPECT_NE(Compare(One(f32, {nan, 0}), One(f32, {1, 0}), {}), "");
}

}  // namespace
}  // namespace lathe::driver
