#include "lower/intrinsics.h"

#include <cmath>
#include <set>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"
#include "ir/intrinsic.h"
#include "ir/module.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "lower/pipeline.h"

namespace lathe::lower {
namespace {

using ir::Expr;
using ir::Int;

// out[i] = function(in[i]) for four elements.
ir::Module Apply(const std::string& function, DataType dtype) {
  ir::Buffer in = ir::MakeBuffer("in", dtype, {Int(4)}),
             out = ir::MakeBuffer("out", dtype, {Int(4)});
  ir::Var i = ir::MakeVar("i");
  const ir::Stmt body =
      ir::MakeStore(out, ir::CallIntrinsic(function, {ir::MakeLoad(in, {i})}), {i});
  return ir::MakeModule(
      {ir::MakeFunc("f", {in, out}, ir::MakeFor(i, Int(0), Int(4), ir::ForKind::kSerial, body))});
}

PassContext For(std::vector<std::string> keys) {
  PassContext context;
  context.target_keys = std::move(keys);
  return context;
}

std::set<std::string> Calls(const ir::Module& module) {
  std::set<std::string> names;
  ir::ForEach<ir::Call>(module, [&](const ir::Call& call) { names.insert(call.op); });
  return names;
}

std::string NameOfError(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& e) {
    return e.diagnostic().name;
  }
  return "";
}

TEST(Intrinsics, MathOfCpusIsArithmeticOfTheSameValue) {
  for (const char* name : {"exp", "exp2", "log", "log2", "log10", "tanh", "sigmoid", "erf"}) {
    const ir::Module before = Apply(name, DataType::Float(32)),
                     after = LowerIntrinsics(before, For({"cpu"}));
    EXPECT_EQ(Calls(after).count(name), 0u) << ir::ToText(after);
    float in[4] = {0.25f, 1.0f, 3.5f, 7.0f}, exact[4] = {}, got[4] = {};
    for (auto [module, out] : {std::pair(before, exact), std::pair(after, got)}) {
      const ir::InterpValue args[] = {ir::InterpTensor::Of(in, DataType::Float(32), {4}),
                                      ir::InterpTensor::Of(out, DataType::Float(32), {4})};
      ir::Interpret(module, "f", args);
    }
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(got[i], exact[i], std::abs(exact[i]) * 0x1p-22) << name << " of " << in[i];
  }
}

TEST(Intrinsics, NarrowFloatsGoThroughFloat32AndFloat64Stays) {
  const ir::Module half = LowerIntrinsics(Apply("tanh", DataType::Float(16)), For({"cpu"}));
  EXPECT_EQ(Calls(half).count("tanh"), 0u);
  EXPECT_NE(ir::ToText(half).find("float32"), std::string::npos);
  const ir::Module wide = Apply("tanh", DataType::Float(64));
  EXPECT_EQ(Calls(LowerIntrinsics(wide, For({"cpu"}))).count("tanh"), 1u);
}

TEST(Intrinsics, OtherTargetsKeepTheCall) {
  EXPECT_EQ(Calls(LowerIntrinsics(Apply("exp", DataType::Float(32)), For({"acme"}))).count("exp"),
            1u);
}

TEST(Intrinsics, FirstKeyAndHighestLevelWinAndNullPassesOn) {
  const auto call_of = [](const char* name) {
    return [name](const ir::Call& call) { return ir::CallIntrinsic(name, {call.arg(0)}); };
  };
  RegisterIntrinsicRule("sin", "first", 0, call_of("cos"));
  RegisterIntrinsicRule("sin", "first", 5, call_of("tan"));
  RegisterIntrinsicRule("sin", "first", 9, [](const ir::Call&) { return Expr(); });
  RegisterIntrinsicRule("sin", "second", 100, call_of("atan"));
  RegisterIntrinsicRule("sin", "default", 0, call_of("sinh"));
  const ir::Module module = Apply("sin", DataType::Float(32));
  EXPECT_EQ(Calls(LowerIntrinsics(module, For({"first", "second"}))), std::set<std::string>{"tan"});
  EXPECT_EQ(Calls(LowerIntrinsics(module, For({"second", "first"}))),
            std::set<std::string>{"atan"});
  EXPECT_EQ(Calls(LowerIntrinsics(module, For({"third"}))), std::set<std::string>{"sinh"});
}

TEST(Intrinsics, BadRulesAreRefused) {
  const auto rule = [](const ir::Call&) { return Int(1); };
  RegisterIntrinsicRule("cosh", "bad", 1, rule);
  EXPECT_EQ(NameOfError([&] { RegisterIntrinsicRule("cosh", "bad", 1, rule); }),
            "intrinsic-rule-exists");
  EXPECT_EQ(NameOfError([&] { RegisterIntrinsicRule("no_such", "bad", 1, rule); }),
            "unknown-intrinsic");
  EXPECT_EQ(NameOfError([&] { LowerIntrinsics(Apply("cosh", DataType::Float(32)), For({"bad"})); }),
            "intrinsic-rule-type");
}

}  // namespace
}  // namespace lathe::lower
