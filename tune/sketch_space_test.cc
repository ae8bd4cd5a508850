#include "tune/sketch_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "driver/build_module.h"
#include "driver/default_plugins.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "schedule/trace.h"
#include "target/host_target.h"
#include "tune/reference.h"

namespace lathe::tune {
namespace {

constexpr const char* kProduct = R"(program product {
  placeholder A: float32[40, 56]
  placeholder B: float32[56, 48]
  compute C[i in range(40), j in range(48)] over [k in range(56)] = sum(A[i, k] * B[k, j], axis=[k])
  args [A, B, C]
})";

// Padding, a convolution, a bias and a rectifier: inlining, tiles and fusion.
constexpr const char* kConvolution = R"(program convolution {
  placeholder X: float32[2, 8, 10, 11]
  placeholder W: float32[12, 8, 3, 3]
  placeholder B: float32[12]
  compute padded[n in range(2), c in range(8), y in range(12), x in range(13)] =
    select(y >= 1 and y < 11 and x >= 1 and x < 12, X[n, c, max(min(y - 1, 9), 0), max(min(x - 1, 10), 0)], 0.0)
  compute conv[n in range(2), o in range(12), y in range(10), x in range(11)]
    over [c in range(8), r in range(3), s in range(3)] =
    sum(padded[n, c, y + r, x + s] * W[o, c, r, s], axis=[c, r, s])
  compute biased[n in range(2), o in range(12), y in range(10), x in range(11)] = conv[n, o, y, x] + B[o]
  compute relu[n in range(2), o in range(12), y in range(10), x in range(11)] = max(biased[n, o, y, x], 0.0)
  args [X, W, B, relu]
})";

constexpr const char* kSoftmax = R"(program softmax {
  placeholder X: float32[6, 50]
  compute largest[i in range(6)] over [k in range(50)] = max(X[i, k], axis=[k])
  compute e[i in range(6), j in range(50)] = exp(X[i, j] - largest[i])
  compute total[i in range(6)] over [k in range(50)] = sum(e[i, k], axis=[k])
  compute Y[i in range(6), j in range(50)] = e[i, j] / total[i]
  args [X, Y]
})";

// Reductions to a number, and without use of elements again; two outputs.
constexpr const char* kSums = R"(program sums {
  placeholder X: float32[3, 7, 100]
  compute rows[i in range(3), j in range(7)] over [k in range(100)] = sum(X[i, j, k], axis=[k])
  compute all[] over [a in range(3), b in range(7)] = sum(rows[a, b], axis=[a, b])
  args [X, all, rows]
})";

// Two products one after the other, and a transposed result.
constexpr const char* kChain = R"(program chain {
  placeholder A: float32[9, 20]
  placeholder B: float32[20, 24]
  placeholder C: float32[24, 10]
  compute first[i in range(9), j in range(24)] over [k in range(20)] = sum(A[i, k] * B[k, j], axis=[k])
  compute second[i in range(9), j in range(10)] over [k in range(24)] =
    sum(max(first[i, k], 0.0) * C[k, j], axis=[k])
  compute transposed[j in range(10), i in range(9)] = second[i, j] * 2.0
  args [A, B, C, transposed]
})";

std::vector<ir::NodeRef> ArgsOf(const char* text) {
  return schedule::FromProgram(ir::ParseProgram(text)).args;
}

absl::StatusOr<ScheduleSpace> SpaceOf(const std::vector<ir::NodeRef>& args) {
  return MakeSketchSpace(args, "f", target::HostTarget(), {}, nullptr);
}

std::string TextOf(const driver::ProgramToCompile& program) {
  return ir::ToText(schedule::ToProgram(program.schedule, program.args, program.name));
}

// "" or what is wrong with what a schedule computes.
std::string Wrong(const driver::ProgramToCompile& program,
                  const std::vector<RunArgument>& arguments) {
  const absl::StatusOr<runtime::Module> built = driver::BuildProgram(program, nullptr);
  if (!built.ok()) return std::string(built.status().message());
  std::vector<runtime::Tensor> tensors;
  std::vector<runtime::Value> values;
  std::vector<lathe_value> call;
  for (const RunArgument& argument : arguments) {
    tensors.push_back(*argument.tensor.Clone());
    if (argument.output)
      std::fill_n(tensors.back().HostData<float>(), tensors.back().num_elements(), -7.0f);
    values.emplace_back(tensors.back());
  }
  for (const runtime::Value& value : values) call.push_back(value.c());
  const auto ran = (*built)
                       .GetFunction(program.name)
                       ->TryCallPacked(call.data(), static_cast<int32_t>(call.size()));
  if (!ran.ok()) return std::string(ran.status().message());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const float* const wanted = arguments[i].tensor.HostData<const float>();
    for (int64_t j = 0; j < tensors[i].num_elements(); ++j) {
      const double away = std::fabs(tensors[i].HostData<float>()[j] - wanted[j]);
      if (away > 1e-3 * std::max(1.0, std::fabs(static_cast<double>(wanted[j]))))
        return "element " + std::to_string(j) + " of argument " + std::to_string(i);
    }
  }
  return "";
}

TEST(SketchSpace, EveryPointIsRight) {
  for (const char* const text : {kProduct, kConvolution, kSoftmax, kSums, kChain}) {
    const std::vector<ir::NodeRef> args = ArgsOf(text);
    const auto made = SpaceOf(args);
    ASSERT_TRUE(made.ok()) << text << made.status();
    const std::vector<RunArgument> arguments = *MakeArguments(args);
    EXPECT_EQ(Wrong(made->make(made->otherwise), arguments), "") << text;
    Space::Random random(1);
    std::set<std::string> distinct;
    for (int i = 0; i < 60; ++i) {
      const Point point = *made->space.Draw(random);
      const driver::ProgramToCompile candidate = made->make(point);
      distinct.insert(TextOf(candidate));
      ASSERT_EQ(Wrong(candidate, arguments), "") << text << made->space.ConfigOf(point).Dump();
    }
    EXPECT_GE(distinct.size(), 20u) << text;
  }
}

TEST(SketchSpace, HasManyPrograms) {
  const ScheduleSpace made = *SpaceOf(ArgsOf(kProduct));
  Space::Random random(1);
  std::set<std::string> distinct;
  for (int i = 0; i < 300; ++i) distinct.insert(TextOf(made.make(*made.space.Draw(random))));
  EXPECT_GE(distinct.size(), 100u);
}

// The operators between a reduction and its last reader go into the tiles.
TEST(SketchSpace, FusesWhatReadsATile) {
  const ScheduleSpace made = *SpaceOf(ArgsOf(kConvolution));
  const schedule::Schedule s = made.make(made.otherwise).schedule;
  EXPECT_EQ(s->FindByName("biased")->attach, schedule::AttachKind::kInline);
  const schedule::Stage& conv = *s->FindByName("conv");
  EXPECT_EQ(conv.attach, schedule::AttachKind::kScope);
  EXPECT_EQ(conv.attach_stage, s->FindByName("relu"));
}

TEST(SketchSpace, WhatItRefuses) {
  EXPECT_EQ(runtime::StatusName(
                MakeSketchSpace(ArgsOf(kProduct), "f", target::ParseTarget("opencl"), {}, nullptr)
                    .status()),
            "tune-sketch-target");
  EXPECT_EQ(runtime::StatusName(SpaceOf(ArgsOf(R"(program any {
    var n: size
    placeholder X: float32[n]
    compute Y[i in range(n)] = X[i] + 1.0
    args [n, X, Y]
  })"))
                                    .status()),
            "tune-no-knobs");
}

}  // namespace
}  // namespace lathe::tune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
