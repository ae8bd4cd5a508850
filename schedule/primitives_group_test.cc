// Groups (S9) and automatic inlining.
#include "gtest/gtest.h"
#include "schedule/primitives/primitives.h"
#include "schedule/trace.h"
#include "te/operation.h"
#include "te/tags.h"
#include "tests/check/check_schedule.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;

// X -> P -> Q -> R -> Z, and Q -> Z.
struct Chain {
  Chain() {
    auto step = [](const Tensor& in, const char* name, int64_t shift) {
      return Compute({Int(12)}, [&](const Indices& i) { return At(in, {i[0]}) + shift; }, name);
    };
    x = Placeholder({Int(12)}, DataType::Int(32), "X");
    p = step(x, "P", 1);
    q = step(p, "Q", 2);
    r = step(q, "R", 3);
    z = Compute(
        {Int(9)}, [&](const Indices& i) { return At(r, {i[0] + 2}) * At(q, {i[0] + 3}); }, "Z");
  }
  Tensor x, p, q, r, z;
};

std::vector<std::string> Names(const std::vector<Stage*>& stages) {
  std::vector<std::string> out;
  for (const Stage* stage : stages) out.push_back(stage->name);
  return out;
}
using List = std::vector<std::string>;

TEST(Group, IsComputedTogether) {
  Chain c;
  Schedule s = CreateSchedule({c.z->op});
  Group& group = CreateGroup(s, {c.r}, {c.p});
  EXPECT_EQ(Names(StagesOf(group)), (List{"Q", "R"}));
  auto [io, ii] = Split(s[c.z], AxisOf(c.z, 0), 3);
  ComputeAt(group, s[c.z], io);
  EXPECT_EQ(LoopsOf(s, {c.x, c.z}), R"(func f(X: int32[12], Z: int32[9]) {
  realize P: int32[12] bounds [range(2, extent=10)]
  for i in range(10) {
    P[i + 2] = X[i + 2] + 1
  }
  for i.outer in range(3) {
    realize Q: int32[12] bounds [range(i.outer * 3 + 2, extent=4)]
    for i in range(4) {
      Q[i + (i.outer * 3 + 2)] = P[i + (i.outer * 3 + 2)] + 2
    }
    realize R: int32[12] bounds [range(i.outer * 3 + 2, extent=3)]
    for i in range(3) {
      R[i + (i.outer * 3 + 2)] = Q[i + (i.outer * 3 + 2)] + 3
    }
    for i.inner in range(3) {
      Z[i.outer * 3 + i.inner] = R[i.outer * 3 + i.inner + 2] * Q[i.outer * 3 + i.inner + 3]
    }
  }
}
)");
  EXPECT_EQ(WhatIsWrong(s, {c.x, c.z}), "");
  ComputeRoot(group);
  EXPECT_EQ(WhatIsWrong(s, {c.x, c.z}), "");
}

TEST(Group, WhatItHolds) {
  Chain c;
  Schedule s = CreateSchedule({c.z->op});
  EXPECT_EQ(Names(StagesOf(CreateGroup(s, {c.r}, {c.q}, true))), (List{"Q", "R"}));
  Schedule t = CreateSchedule({c.z->op});
  EXPECT_EQ(Names(StagesOf(CreateGroup(t, {c.r}, {}))), (List{"P", "Q", "R"}));
  Schedule u = CreateSchedule({c.z->op});
  EXPECT_EQ(Names(StagesOf(CreateGroup(u, {c.r, c.q}, {c.x}, true))), (List{"P", "Q", "R"}));
}

TEST(Group, NestsAndHoldsWhatPrimitivesMake) {
  Chain c;
  Schedule s = CreateSchedule({c.z->op});
  Group& inner = CreateGroup(s, {c.q}, {c.x});
  Group& outer = CreateGroup(s, {c.r}, {c.x});
  EXPECT_EQ(inner.parent, &outer);
  EXPECT_EQ(Names(StagesOf(outer)), (List{"P", "Q", "R"}));
  Tensor cache = CacheWrite(s, c.r, "local")[0];
  EXPECT_EQ(s[cache].group, &outer);
  ComputeAt(s[cache], s[c.r], AxisOf(c.r, 0));
  ComputeAt(outer, s[c.z], AxisOf(c.z, 0));
  EXPECT_EQ(WhatIsWrong(s, {c.x, c.z}), "");
  Schedule copy = CopySchedule(s);
  EXPECT_EQ(LoopsOf(copy, {c.x, c.z}), LoopsOf(s, {c.x, c.z}));
  // Z reads Q and lies outside of R's loop.
  ComputeAt(inner, s[c.r], AxisOf(c.r, 0));
  EXPECT_EQ(ErrorName([&] { LoopsOf(s, {c.x, c.z}); }), "schedule-illegal-attach");
}

TEST(Group, S9_AttachStaysWithinTheGroup) {
  Chain c;
  Schedule s = CreateSchedule({c.z->op});
  Group& group = CreateGroup(s, {c.r}, {c.p});
  EXPECT_EQ(ErrorName([&] { ComputeAt(s[c.q], s[c.z], AxisOf(c.z, 0)); }), "schedule-group-attach");
  EXPECT_EQ(ErrorName([&] { ComputeAt(group, s[c.r], AxisOf(c.r, 0)); }), "schedule-attach-self");
  EXPECT_EQ(ErrorName([&] { ComputeAt(group, s[c.z], AxisOf(c.r, 0)); }), "schedule-not-a-leaf");
  Schedule other = CreateSchedule({c.z->op});
  EXPECT_EQ(ErrorName([&] { ComputeAt(group, other[c.z], AxisOf(c.z, 0)); }),
            "schedule-foreign-axis");
  EXPECT_EQ(ErrorName([&] { CreateGroup(s, {c.q}, {c.x}); }), "schedule-group-overlap");
  EXPECT_EQ(ErrorName([&] { CreateGroup(s, {c.p}, {c.q}); }), "schedule-group-empty");
  EXPECT_EQ(ErrorName([&] { CreateGroup(s, {}, {}); }), "schedule-group-empty");
  Group& inner = CreateGroup(s, {c.q}, {c.p});
  EXPECT_EQ(inner.parent, &group);
  EXPECT_EQ(ErrorName([&] { ComputeAt(inner, s[c.z], AxisOf(c.z, 0)); }), "schedule-group-attach");
  EXPECT_EQ(WhatIsWrong(s, {c.x, c.z}), "") << "refused steps change nothing";

  Schedule t = CreateSchedule({c.z->op});
  Group& with_output = CreateGroup(t, {c.z}, {c.q});
  EXPECT_EQ(ErrorName([&] { ComputeAt(with_output, t[c.q], AxisOf(c.q, 0)); }),
            "schedule-attach-output");
  ComputeAt(t[c.p], t[c.q], AxisOf(c.q, 0));
  EXPECT_EQ(ErrorName([&] { CreateGroup(t, {c.p}, {}); }), "schedule-group-attach");
}

TEST(Group, TracesNameGroups) {
  Chain c;
  Schedule s = CreateSchedule({c.z->op});
  Ref<ir::StepNode> step = Make<ir::StepNode>();
  step->primitive = "compute_root";
  step->operands = {{"group", ir::String("group")}};
  EXPECT_EQ(ErrorName([&] { Replay(s, {step}); }), "trace-unknown-group");
}

TEST(AutoInline, ByTag) {
  Tensor x = Placeholder({Int(4), Int(6)}, DataType::Float(32), "X");
  Tensor y = Placeholder({Int(6)}, DataType::Float(32), "Y");
  auto tagged = [](std::string_view tag) { return ComputeOptions{.tag = std::string(tag)}; };
  const Shape shape = {Int(4), Int(6)};
  Tensor a = Compute(
      shape, [&](const Indices& i) { return At(x, {i[0], i[1]}) + 1; }, "A", tagged(kElementwise));
  Tensor b = Compute(
      shape, [&](const Indices& i) { return At(a, {i[0], i[1]}) * At(y, {i[1]}); }, "B",
      tagged(kBroadcast));
  Tensor c = Compute(
      {Int(6), Int(4)}, [&](const Indices& i) { return At(b, {i[1], i[0]}); }, "C",
      tagged(kInjective));
  IterVar k = te::ReduceAxis(Int(0), Int(4), "k");
  Tensor d = Compute(
      {Int(6)}, [&](const Indices& i) { return Sum(At(c, {i[0], k->var}), {k}); }, "D",
      tagged(kElementwise));  // a wrong tag: reductions stay
  Tensor e = Compute(
      {Int(6)}, [&](const Indices& i) { return At(d, {i[0]}) * 2; }, "E", tagged(kElementwise));
  auto inlined = [&](std::vector<Stage*> (*inline_all)(Schedule&)) {
    Schedule s = CreateSchedule({e->op});
    List names = Names(inline_all(s));
    EXPECT_EQ(s->trace.size(), names.size());
    EXPECT_EQ(WhatIsWrong(s, {x, y, e}), "");
    return names;
  };
  EXPECT_EQ(inlined(AutoInlineElementwise), (List{"A"}));
  EXPECT_EQ(inlined(AutoInlineBroadcast), (List{"A", "B"}));
  EXPECT_EQ(inlined(AutoInlineInjective), (List{"A", "B", "C"}));
  Schedule s = CreateSchedule({e->op});
  Tensor copy = CacheRead(s, a, "local", {b->op});
  ComputeAt(s[copy], s[b], AxisOf(b, 0));
  EXPECT_EQ(Names(AutoInlineInjective(s)), (List{"A", "C"})) << "a copy is computed at a loop of B";
  EXPECT_EQ(WhatIsWrong(s, {x, y, e}), "");
}

}  // namespace
}  // namespace lathe::schedule
