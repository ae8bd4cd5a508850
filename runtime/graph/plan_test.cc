#include "runtime/graph/plan.h"

#include <functional>

#include "gtest/gtest.h"
#include "runtime/graph/size_expression.h"
#include "runtime/graph/sizes.h"
#include "runtime/graph/test_plans.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

using Kind = PlanSize::Kind;
using Memory = PlanTensor::Memory;

// One of each thing.
Plan Example() {
  PlanBuilder b("example");
  const int32_t n = b.Extent(0, 0), two = b.Constant(2), twice = b.Size(Kind::kMul, n, two);
  const int32_t x = b.Input("x", {n}), w = b.Weight("w", {two}, DigestOf("weights")),
                y = b.Arena({n}), z = b.Arena({twice}), folded = b.Alias(z, {two, n});
  b.Step("f", {x, y}, {{"n", n}});
  b.Step("g", {x, w, y, z}, {{"n", n}, {"two n", twice}});
  b.plan.outputs = {folded, y};
  return b.plan;
}

// Two tensors in one: {x, 4 x}, of 32 elements each.
Plan Joined() {
  PlanBuilder b("joined");
  const int32_t half = b.Constant(32), all = b.Constant(64), x = b.Input("x", {half}),
                whole = b.Arena({all}), first = b.Part(whole, {half}, 0),
                second = b.Part(whole, {half}, 128), y = b.Arena({all});
  b.Step("mix", {first, first, second}, {{"n", half}});
  b.Copy(x, first);
  std::swap(b.plan.steps[0], b.plan.steps[1]);
  b.Copy(whole, y);
  b.plan.outputs = {whole, second, y};
  return b.plan;
}

std::string NameOf(const absl::Status& status) { return std::string(StatusName(status)); }

TEST(Plan, RoundTrips) {
  for (const Plan& plan : {Example(), Joined(), PlanBuilder("").plan}) {
    const std::string bytes = EncodePlan(plan);
    const absl::StatusOr<Plan> read = DecodePlan(bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(EncodePlan(*read), bytes);
    EXPECT_EQ(read->name, plan.name);
    EXPECT_EQ(read->tensors.size(), plan.tensors.size());
  }
  EXPECT_EQ(DecodePlan(EncodePlan(Example()))->steps[1].size_names[1], "two n");
}

// Runtimes of older releases read plans that do not need what they do not know.
TEST(Plan, HasTheOldestVersionThatCanHoldIt) {
  EXPECT_EQ(EncodePlan(Example())[8], 2);
  EXPECT_EQ(EncodePlan(Joined())[8], 3);
}

TEST(Plan, EveryDamagedByteIsFound) {
  const std::string bytes = EncodePlan(Example());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const absl::Status status = DecodePlan(damaged).status();
      // Version 2 becomes 3, which is known.
      const bool unknown = i >= 8 && i < 12 && !(i == 8 && bit == 0);
      EXPECT_EQ(NameOf(status), unknown ? "plan-version" : "plan-corrupt") << i;
    }
    EXPECT_EQ(NameOf(DecodePlan(bytes.substr(0, i)).status()), "plan-corrupt") << i;
  }
  EXPECT_EQ(NameOf(DecodePlan(bytes + "x").status()), "plan-corrupt");
}

// With a digest that fits, each cut is still found.
TEST(Plan, CutsAreFoundBehindTheDigest) {
  const std::string bytes = EncodePlan(Example());
  for (size_t size = 12; size + 16 < bytes.size(); ++size) {
    std::string cut = bytes.substr(0, size);
    const Digest digest = DigestOf(cut);
    for (const uint64_t half : {digest.low, digest.high})
      for (int i = 0; i < 8; ++i) cut += static_cast<char>(half >> (8 * i));
    EXPECT_EQ(NameOf(DecodePlan(cut).status()), "plan-corrupt") << size;
  }
}

TEST(Plan, EveryCheckHasItsText) {
  const std::vector<std::pair<std::string, std::function<void(Plan&)>>> cases = {
      {"device 0: the host is missing", [](Plan& p) { p.devices.clear(); }},
      {"device 0: the host is number 0, and no other one",
       [](Plan& p) { p.devices[0].kind = "cuda"; }},
      {"device 0: there is no such slot", [](Plan& p) { p.devices[0].slot = 1; }},
      {"device 1: the host is number 0, and no other one",
       [](Plan& p) { p.devices.push_back({"cpu", 1}); }},
      {"device 1: it has no kind", [](Plan& p) { p.devices.push_back({"", 0}); }},
      {"device 1: there is no such slot", [](Plan& p) { p.devices.push_back({"opencl", -1}); }},
      {"device 1: there is no such slot", [](Plan& p) { p.devices.push_back({"opencl", 1024}); }},
      {"device 2: another entry is the same device",
       [](Plan& p) { p.devices.insert(p.devices.end(), 2, {"opencl", 1}); }},
      {"tensor 2: there is no such device", [](Plan& p) { p.tensors[2].device = 1; }},
      {"tensor 2: there is no such device", [](Plan& p) { p.tensors[2].device = -1; }},
      {"tensor 4: it views a tensor on another device",
       [](Plan& p) {
         p.devices.push_back({"opencl", 0});
         p.tensors[4].device = 1;
       }},
      {"step 0: its buffers are on several devices",
       [](Plan& p) {
         p.devices.push_back({"opencl", 0});
         p.tensors[static_cast<size_t>(p.steps[0].buffers[0])].device = 1;
       }},
      {"size 0: there is no such input", [](Plan& p) { p.sizes[0].a = 1; }},
      {"size 0: there is no such input", [](Plan& p) { p.sizes[0].a = -1; }},
      {"size 0: the input has no such dimension", [](Plan& p) { p.sizes[0].b = 1; }},
      {"size 0: the input has no such dimension", [](Plan& p) { p.inputs[0].tensor = 99; }},
      {"size 2: it refers to a size that is not before it", [](Plan& p) { p.sizes[2].a = 2; }},
      {"size 1: its kind is unknown", [](Plan& p) { p.sizes[1].kind = static_cast<Kind>(99); }},
      {"tensor 2: its element type", [](Plan& p) { p.tensors[2].dtype = DataType::Void(); }},
      {"tensor 2: its element type",
       [](Plan& p) { p.tensors[2].dtype = DataType::Float(32).with_scalable_lanes(4); }},
      {"tensor 2: it has too many dimensions", [](Plan& p) { p.tensors[2].shape.resize(33, 1); }},
      {"tensor 2: there is no such size", [](Plan& p) { p.tensors[2].shape[0] = 3; }},
      {"tensor 2: its alignment is no power of two up to 64",
       [](Plan& p) { p.tensors[2].alignment = 48; }},
      {"tensor 2: its alignment is no power of two up to 64",
       [](Plan& p) { p.tensors[2].alignment = 128; }},
      {"tensor 1: an extent is negative, or its bytes do not fit 63 bits",
       [](Plan& p) { p.sizes[1].value = -1; }},
      {"tensor 1: an extent is negative, or its bytes do not fit 63 bits",
       [](Plan& p) { p.sizes[1].value = int64_t{1} << 62; }},
      {"tensor 0: it is not the tensor of its input", [](Plan& p) { p.tensors[0].index = 1; }},
      {"tensor 2: it is not the tensor of its input",
       [](Plan& p) { p.tensors[2].memory = Memory::kInput; }},
      {"tensor 1: it is not the tensor of its constant", [](Plan& p) { p.tensors[1].index = 7; }},
      {"tensor 4: it views a tensor that is not before it",
       [](Plan& p) { p.tensors[4].index = 4; }},
      {"tensor 5: it has other bytes than the tensor that it views",
       [](Plan& p) { p.tensors.push_back({"", DataType::Int(8), {1}, Memory::kAlias, 1, 0}); }},
      {"tensor 2: its kind of memory is unknown",
       [](Plan& p) { p.tensors[2].memory = static_cast<Memory>(99); }},
      {"input 0: its tensor is not of this input",
       [](Plan& p) { p.tensors[0].memory = Memory::kArena; }},
      {"input 1: there is no such tensor", [](Plan& p) { p.inputs.push_back({"y", 99}); }},
      {"input 0: it has no name", [](Plan& p) { p.inputs[0].name = ""; }},
      {"input 1: another input has its name",
       [](Plan& p) {
         p.inputs.push_back({"x", 5});
         p.tensors.push_back({"", DataType::Int(8), {0}, Memory::kInput, 1, 0});
       }},
      {"constant 1: there is no such tensor",
       [](Plan& p) { p.constants.push_back({"v", -1, {}}); }},
      {"constant 0: its tensor is not of this constant",
       [](Plan& p) { p.tensors[1].memory = Memory::kArena; }},
      {"constant 0: its shape depends on the inputs", [](Plan& p) { p.tensors[1].shape[0] = 0; }},
      {"constant 1: another constant has its name",
       [](Plan& p) {
         p.constants.push_back({"w", 5, {}});
         p.tensors.push_back({"", DataType::Int(8), {1}, Memory::kConstant, 1, 0});
       }},
      {"step 0: it does not say of each buffer whether it is written",
       [](Plan& p) { p.steps[0].writes.pop_back(); }},
      {"step 0: it does not name each size", [](Plan& p) { p.steps[0].size_names.pop_back(); }},
      {"step 0: there is no such size", [](Plan& p) { p.steps[0].sizes[0] = 3; }},
      {"step 0: there is no such tensor", [](Plan& p) { p.steps[0].buffers[0] = 5; }},
      {"step 0: whether a buffer is written is neither 0 nor 1",
       [](Plan& p) { p.steps[0].writes[0] = 2; }},
      {"step 0: it writes a tensor that is not in the arena",
       [](Plan& p) { p.steps[0].writes[0] = 1; }},
      {"step 0: it reads a tensor that no step before it writes",
       [](Plan& p) { p.steps[0].writes[1] = 0; }},
      {"output 0: there is no such tensor", [](Plan& p) { p.outputs[0] = 5; }},
      {"condition 0: there is no such size",
       [](Plan& p) { p.conditions = {{PlanCondition::Kind::kEqual, 0, 1000, "x"}}; }},
      {"condition 0: no step binds its sizes",
       [](Plan& p) {
         p.sizes.push_back({PlanSize::Kind::kRun});
         p.conditions = {
             {PlanCondition::Kind::kAtMost, 0, static_cast<int32_t>(p.sizes.size()) - 1, "x"}};
       }},
      {"output 0: no step writes it", [](Plan& p) { p.steps.pop_back(); }},
  };
  ASSERT_TRUE(CheckPlan(Example()).ok()) << CheckPlan(Example());
  for (const auto& [text, change] : cases) {
    Plan plan = Example();
    change(plan);
    const absl::Status status = CheckPlan(plan);
    EXPECT_EQ(NameOf(status), "plan-malformed") << text;
    EXPECT_EQ(StatusText(status), "the plan is not sound: " + text);
    // The reader checks, too, unless the bytes cannot even say this.
    if (plan.steps.empty() || (plan.steps[0].writes.size() == plan.steps[0].buffers.size() &&
                               plan.steps[0].size_names.size() == plan.steps[0].sizes.size())) {
      EXPECT_FALSE(DecodePlan(EncodePlan(plan)).ok()) << text;
    }
  }
}

TEST(Plan, EveryCheckOfPartsHasItsText) {
  // Tensors 0: x, 1: the whole, 2 and 3: its parts, 4: y. Steps: x to 2, 2 to 3, 1 to 4.
  const std::vector<std::pair<std::string, std::function<void(Plan&)>>> cases = {
      {"tensor 2: it is a part of a tensor that is not before it",
       [](Plan& p) { p.tensors[2].index = 2; }},
      {"tensor 2: it is a part of a tensor that is not in the arena",
       [](Plan& p) { p.tensors[2].index = 0; }},
      {"tensor 2: it is a part, and not on the host",
       [](Plan& p) {
         p.devices.push_back({"opencl", 0});
         p.tensors[2].device = 1;
       }},
      {"tensor 2: it is a part, and its place is not known",
       [](Plan& p) { p.sizes[1] = {Kind::kExtent, 0, 0, 0}; }},
      {"tensor 3: it does not begin where the part before it ends",
       [](Plan& p) { p.tensors[3].offset = 64; }},
      {"tensor 3: it does not begin where the part before it ends",
       [](Plan& p) { p.tensors[3].offset = 132; }},
      {"tensor 3: it ends behind the tensor of which it is a part",
       [](Plan& p) { p.tensors[3].dtype = DataType::Float(64); }},
      {"step 2: it reads a tensor that no step before it writes",
       [](Plan& p) { p.steps.erase(p.steps.begin() + 1); }},
      {"step 1: it reads a tensor that no step before it writes",
       [](Plan& p) { p.steps.erase(p.steps.begin()); }},
  };
  ASSERT_TRUE(CheckPlan(Joined()).ok()) << CheckPlan(Joined());
  for (const auto& [text, change] : cases) {
    Plan plan = Joined();
    change(plan);
    const absl::Status status = CheckPlan(plan);
    if (text.starts_with("step")) {
      EXPECT_NE(StatusText(status).find(text.substr(8)), std::string::npos) << status;
    } else {
      EXPECT_EQ(StatusText(status), "the plan is not sound: " + text);
    }
    EXPECT_FALSE(DecodePlan(EncodePlan(plan)).ok()) << text;
  }
  // Parts of a part, and a whole that one step writes.
  Plan nested = Joined();
  nested.tensors.push_back({"", DataType::Float(32), {0}, Memory::kPart, 3, 0});
  nested.steps[1].buffers[2] = 5;
  EXPECT_TRUE(CheckPlan(nested).ok()) << CheckPlan(nested);
  Plan at_once = Joined();
  at_once.steps = {at_once.steps[2], at_once.steps[2]};
  at_once.tensors[4].memory = Memory::kInput;
  at_once.tensors[4].index = 1;
  at_once.inputs.push_back({"y", 4});
  at_once.steps[0].buffers = {4, 1};
  at_once.steps[1].buffers = {2, 3};
  at_once.outputs = {1};
  EXPECT_TRUE(CheckPlan(at_once).ok()) << CheckPlan(at_once);
}

TEST(Sizes, RoundDown) {
  EXPECT_EQ(ApplySize(Kind::kFloorDiv, -7, 2), -4);
  EXPECT_EQ(ApplySize(Kind::kFloorMod, -7, 2), 1);
  EXPECT_EQ(ApplySize(Kind::kFloorDiv, 7, 0), std::nullopt);
  EXPECT_EQ(ApplySize(Kind::kFloorMod, 7, -1), std::nullopt);
  EXPECT_EQ(ApplySize(Kind::kMul, int64_t{1} << 62, 2), std::nullopt);
  EXPECT_EQ(ApplySize(Kind::kAdd, INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(ApplySize(Kind::kSub, INT64_MIN, 1), std::nullopt);
  EXPECT_EQ(ApplySize(Kind::kMin, 3, 4), 3);
  EXPECT_EQ(ApplySize(Kind::kMax, 3, 4), 4);
}

TEST(SizeExpression, ReadsWhatMetadataStates) {
  const std::string names[] = {"n", "m.outer", "two words"};
  const int64_t values[] = {17, 5, 2};
  const auto value = [&](const char* text) {
    const auto expression = SizeExpression::Parse(text, names);
    EXPECT_TRUE(expression.ok()) << expression.status();
    return expression->Evaluate(values);
  };
  EXPECT_EQ(value("64"), 64);
  EXPECT_EQ(value("n * 24000"), 408000);
  EXPECT_EQ(value("(n + 15) // 16 * 64"), 128);
  EXPECT_EQ(value("n - m.outer - `two words`"), 10);
  EXPECT_EQ(value("-n % m.outer + 1i64"), 4);
  EXPECT_EQ(value("min(n, 3) + max(int64(n), truncdiv(n, 4)) + truncmod(n, 4)"), 21);
  EXPECT_EQ(value("n // (m.outer - 5)"), std::nullopt);
  EXPECT_EQ(value("9223372036854775807 + n"), std::nullopt);
  for (const std::string& text : std::vector<std::string>{
           "", "k", "n +", "(n", "n n", "min(n)", "f(n)", "`n", "1.5", "99999999999999999999",
           std::string(100, '('), std::string(100, '-') + "n"}) {
    EXPECT_EQ(NameOf(SizeExpression::Parse(text, names).status()), "size-expression-invalid")
        << text;
  }
}

}  // namespace
}  // namespace lathe::runtime::graph
