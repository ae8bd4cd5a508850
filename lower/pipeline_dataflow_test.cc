// The primitives that rewrite dataflow, through every pass of both pipelines.
#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "lower/flatten.h"
#include "lower/pipeline.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "tests/check/check_pipeline.h"

namespace lathe::lower {
namespace {

using namespace schedule;  // NOLINT: tests read better
using namespace te;        // NOLINT
using ir::FloorDivide;
using ir::FloorModulo;
using ir::Int;
using ir::Var;

struct Stencil {
  explicit Stencil(Expr n) {
    x = Placeholder({n + 2, Int(8)}, DataType::Int(32), "X");
    b = Compute({n + 2, Int(8)}, [&](const Indices& i) { return At(x, {i[0], i[1]}) * 2; }, "B");
    c = Compute(
        {n, Int(8)},
        [&](const Indices& i) {
          return At(b, {i[0], i[1]}) + At(b, {i[0] + 1, i[1]}) * 3 + At(b, {i[0] + 2, i[1]});
        },
        "C");
  }
  Tensor x, b, c;
};

TEST(Dataflow, RFactorVectorized) {
  Var n = ir::MakeSizeVar("n");
  Tensor a = Placeholder({Int(5), n}, DataType::Float(32), "A");
  IterVar k = te::ReduceAxis(Int(0), n, "k");
  Tensor c =
      Compute({Int(5)}, [&](const Indices& i) { return Sum(At(a, {i[0], k->var}), {k}); }, "C");
  Schedule s = CreateSchedule({c->op});
  auto [ko, ki] = Split(s[c], k, 8);
  Tensor rf = RFactor(s, c, ki, -1)[0];
  ComputeAt(s[rf], s[c], AxisOf(c, 0));
  Reorder(s[rf], {ko, AxisOf(rf, 1)});
  Vectorize(s[rf], AxisOf(rf, 1));
  for (int64_t size : {0, 1, 8, 21}) CheckPipeline(s, {a, c}, {size});
}

TEST(Dataflow, RollingBufferVectorized) {
  Var n = ir::MakeSizeVar("n");
  Stencil p(n);
  Schedule s = CreateSchedule({p.c->op});
  auto [io, ii] = Split(s[p.c], AxisOf(p.c, 0), 4);
  ComputeAt(s[p.b], s[p.c], io);
  RollingBuffer(s[p.b]);
  Vectorize(s[p.b], AxisOf(p.b, 1));
  Vectorize(s[p.c], AxisOf(p.c, 1));
  for (int64_t size : {0, 1, 4, 11}) CheckPipeline(s, {p.x, p.c}, {size});
}

TEST(Dataflow, LayoutInTiles) {
  Stencil p(Int(21));
  Schedule s = CreateSchedule({p.c->op});
  TransformLayout(s, p.b, [](const std::vector<Var>& d) {
    return std::vector<Expr>{FloorDivide(d[0], Int(4)), d[1], FloorModulo(d[0], Int(4))};
  });
  auto [io, ii] = Split(s[p.c], AxisOf(p.c, 0), 4);
  ComputeAt(s[p.b], s[p.c], io);
  Vectorize(s[p.c], AxisOf(p.c, 1));
  CheckPipeline(s, {p.x, p.c});
}

TEST(Dataflow, SeparatorsMakeMemoryOfSeveralDimensions) {
  for (const char* scope : {"texture", "global"}) {
    Stencil p(Int(21));
    Schedule s = CreateSchedule({p.c->op});
    TransformLayout(s, p.b,
                    [](const std::vector<Var>& d) {
                      return std::vector<Expr>{FloorDivide(d[0], Int(4)), d[1],
                                               FloorModulo(d[0], Int(4))};
                    },
                    {1});
    SetScope(s[p.b], scope);
    Vectorize(s[p.b], AxisOf(p.b, 1));
    const ir::Module module = CheckPipeline(s, {p.x, p.c});
    size_t rank = 0;
    ir::PostOrder(module->functions[0], [&](const ir::Node& node) {
      const auto* buffer = ir::As<ir::BufferNode>(&node);
      if (buffer != nullptr && buffer->name == "B") rank = buffer->shape.size();
    });
    EXPECT_EQ(rank, std::string(scope) == "texture" ? 2u : 1u) << ir::ToText(module);
  }
}

TEST(Dataflow, GroupsAndCaches) {
  Stencil p(Int(13));
  Tensor z =
      Compute({Int(13), Int(8)}, [&](const Indices& i) { return At(p.c, {i[0], i[1]}) - 1; }, "Z");
  Schedule s = CreateSchedule({z->op});
  CacheRead(s, std::vector<Tensor>{p.x, p.b}, "local", {});
  Group& group = CreateGroup(s, {p.c}, {p.x});
  auto [io, ii] = Split(s[z], AxisOf(z, 0), 4);
  ComputeAt(group, s[z], io);
  Parallel(s[z], io);
  CheckPipeline(s, {p.x, z});
}

TEST(Dataflow, ScanWithItsOwnSchedules) {
  Expr m = Int(9), n = Int(13);
  Tensor x = Placeholder({m, n}, DataType::Int(32), "X");
  Tensor state = Placeholder({m, n}, DataType::Int(32), "state");
  Tensor init = Compute({Int(1), n}, [&](const Indices& i) { return At(x, {i[0], i[1]}); }, "init");
  Tensor mid =
      Compute({m, n}, [&](const Indices& i) { return At(state, {i[0] - 1, i[1]}) * 2; }, "mid");
  Tensor update = Compute(
      {m, n}, [&](const Indices& i) { return At(mid, {i[0], i[1]}) + At(x, {i[0], i[1]}); },
      "update");
  Tensor y = Scan({init}, {update}, {state}, {x}, "Y")[0];
  Tensor z = Compute({Int(6)}, [&](const Indices& i) { return At(y, {Int(8), i[0] + 2}); }, "Z");
  Schedule s = CreateSchedule({z->op});
  auto [to, ti] = Split(s[y], static_cast<const ir::ScanOp&>(*y->op).scan_axis, 3);
  auto [uo, ui] = Split(s[update], AxisOf(update, 1), 4);
  ComputeAt(s[mid], s[update], uo);
  Vectorize(s[update], ui);
  Parallel(s[update], uo);
  CheckPipeline(s, {x, z});
}

}  // namespace
}  // namespace lathe::lower
