// Queries about the graph (schedule/queries.h).
#include "gtest/gtest.h"
#include "schedule/bounds.h"
#include "schedule/normalize.h"
#include "schedule/primitives/primitives.h"
#include "schedule/queries.h"
#include "te/operation.h"
#include "tests/check/check_schedule.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;
using List = std::vector<std::string>;

List Names(const std::vector<Op>& ops) {
  List out;
  for (const Op& op : ops) out.push_back(op->name);
  return out;
}

struct Diamond {
  Diamond() {
    auto step = [](const Tensor& a, const Tensor& b, const char* name) {
      return Compute(
          {Int(4)}, [&](const Indices& i) { return At(a, {i[0]}) + At(b, {i[0]}); }, name);
    };
    x = Placeholder({Int(4)}, DataType::Int(32), "X");
    a = step(x, x, "A");
    b = step(a, x, "B");
    c = step(a, a, "C");
    d = step(c, b, "D");
  }
  Tensor x, a, b, c, d;
};

TEST(Queries, PostOrderReadAndFeedGraphs) {
  Diamond p;
  EXPECT_EQ(Names(PostOrder({p.d->op})), (List{"X", "A", "C", "B", "D"}));
  EXPECT_EQ(Names(PostOrder({p.b->op, p.c->op, p.b->op})), (List{"X", "A", "B", "C"}));
  const ReadGraph reads = MakeReadGraph({p.d->op});
  ASSERT_EQ(reads.size(), 5u);
  EXPECT_EQ(reads[1].second.size(), 1u) << "each input once";
  EXPECT_TRUE(ir::SameTensor(reads[4].second[0], p.c));
  const FeedGraph feeds = MakeFeedGraph(reads);
  EXPECT_EQ(Names(feeds.at(p.x)), (List{"A", "B"}));
  EXPECT_EQ(Names(feeds.at(p.a)), (List{"C", "B"}));
  EXPECT_EQ(feeds.count(p.d), 0u);
}

TEST(Queries, LoopsAroundAStage) {
  Diamond p;
  Schedule s = CreateSchedule({p.d->op});
  auto [io, ii] = Split(s[p.d], AxisOf(p.d, 0), 2);
  ComputeAt(s[p.c], s[p.d], ii);
  ComputeInline(s[p.b]);
  ComputeInline(s[p.a]);
  const Schedule normal = Normalize(s);
  List path;
  for (const LoopRef& loop : AttachPath(*normal->FindByName("C")))
    path.push_back(loop.stage->name + "." + loop.leaf->var->name);
  EXPECT_EQ(path, (List{"D.i.inner", "D.i.outer"})) << "innermost first";
}

TEST(Queries, BodyOfAScan) {
  Diamond p;
  Tensor state = Placeholder({Int(5), Int(4)}, DataType::Int(32), "state");
  Tensor init = Compute({Int(1), Int(4)}, [&](const Indices& i) { return At(p.d, {i[1]}); }, "I");
  Tensor mid =
      Compute({Int(5), Int(4)}, [&](const Indices& i) { return At(state, {i[0] - 1, i[1]}); }, "M");
  Tensor update = Compute(
      {Int(5), Int(4)}, [&](const Indices& i) { return At(mid, {i[0], i[1]}) + At(p.c, {i[1]}); },
      "U");
  Tensor y = Scan({init}, {update}, {state}, {}, "Y")[0];
  EXPECT_EQ(Names(ScanBody(static_cast<const ir::ScanOp&>(*y->op))), (List{"M", "U"}));
}

TEST(Queries, WhatAStageComputes) {
  Diamond p;
  Tensor z = Compute({Int(2)}, [&](const Indices& i) { return At(p.d, {i[0] + 1}); }, "Z");
  Schedule s = CreateSchedule({z->op});
  ComputeAt(s[p.d], s[z], AxisOf(z, 0));
  const Schedule normal = Normalize(s);
  const Bounds bounds = InferBounds(normal);
  const std::vector<Range> c = ComputedRegion(*normal->FindByName("C"), bounds, 0);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_TRUE(ir::IsConstInt(c[0]->min, 1));
  EXPECT_TRUE(ir::IsConstInt(c[0]->extent, 2));
  const std::vector<Range> d = ComputedRegion(*normal->FindByName("D"), bounds, 0);
  EXPECT_TRUE(ir::IsConstInt(d[0]->extent, 1));
  const std::vector<Range> x = ComputedRegion(*normal->FindByName("X"), bounds, 0);
  EXPECT_TRUE(ir::IsConstInt(x[0]->extent, 4)) << "inputs are there as a whole";
}

}  // namespace
}  // namespace lathe::schedule
