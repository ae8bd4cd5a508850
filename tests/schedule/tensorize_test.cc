#include "schedule/primitives/tensorize.h"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"
#include "ir/intrinsic.h"
#include "ir/text/parser.h"
#include "schedule/primitives/primitives.h"
#include "te/evaluator.h"
#include "te/tensor_intrin.h"
#include "tests/check/check_passes.h"
#include "tests/schedule/expect.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;
using ir::MakeSizeVar;
using ir::Stmt;
using ir::Var;

const DataType kF32 = DataType::Float(32);

// Loops over constant extents, in order.
Stmt Loops(const std::vector<int64_t>& extents,
           const std::function<Stmt(const std::vector<Expr>&)>& body) {
  std::vector<Var> vars;
  std::vector<Expr> index;
  for (size_t d = 0; d < extents.size(); ++d) {
    vars.push_back(ir::MakeVar("x" + std::to_string(d)));
    index.emplace_back(vars.back());
  }
  Stmt out = body(index);
  for (size_t d = extents.size(); d-- > 0;)
    out = ir::MakeFor(vars[d], Int(0), Int(extents[d]), ForKind::kSerial, out);
  return out;
}

enum Parts { kBody = 1, kReset = 2, kUpdate = 4 };

// c[i, j] += a[i, k] * b[k, j] on n x m x l blocks, in plain IR. Row strides are free.
struct Block {
  Block(int64_t n, int64_t m, int64_t l, int parts = kBody | kReset | kUpdate,
        IntrinBufferOptions rows = {}) {
    k = te::ReduceAxis(Int(0), Int(l), "k");
    a = Placeholder({Int(n), Int(l)}, kF32, "a");
    b = Placeholder({Int(l), Int(m)}, kF32, "b");
    c = Compute(
        {Int(n), Int(m)},
        [&](const Indices& i) { return Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k}); },
        "c");
    auto buffer = [&](const Tensor& t) {
      IntrinBufferOptions options = rows;
      if (options.strides.empty()) options.strides = {ir::MakeVar(t->name() + ".row"), Int(1)};
      return IntrinBuffer(t, options);
    };
    intrin = DeclTensorIntrin("block", c->op,
                              [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
                                auto reset = [&] {
                                  return Loops({n, m}, [&](const std::vector<Expr>& x) {
                                    return ir::MakeStore(out[0], ir::Float(0.0), {x[0], x[1]});
                                  });
                                };
                                auto update = [&] {
                                  return Loops({n, m, l}, [&](const std::vector<Expr>& x) {
                                    return ir::MakeStore(out[0],
                                                         ir::MakeLoad(out[0], {x[0], x[1]}) +
                                                             ir::MakeLoad(in[0], {x[0], x[2]}) *
                                                                 ir::MakeLoad(in[1], {x[2], x[1]}),
                                                         {x[0], x[1]});
                                  });
                                };
                                IntrinStmts stmts;
                                if ((parts & kBody) != 0)
                                  stmts.body = ir::MakeSeq({reset(), update()});
                                if ((parts & kReset) != 0) stmts.reset = reset();
                                if ((parts & kUpdate) != 0) stmts.update = update();
                                return stmts;
                              },
                              {.buffers = {buffer(a), buffer(b), buffer(c)}, .scalar_params = {}});
  }
  IterVar k;
  Tensor a, b, c;
  TensorIntrin intrin;
};

struct Gemm {
  Gemm(Expr n, Expr m, Expr l, bool swapped = false) {
    a = Placeholder({n, l}, kF32, "A");
    b = Placeholder({l, m}, kF32, "B");
    k = te::ReduceAxis(Int(0), l, "k");
    c = Compute(
        {n, m},
        [&](const Indices& i) {
          const Expr x = At(a, {i[0], k->var}), y = At(b, {k->var, i[1]});
          return Sum(swapped ? y * x : x * y, {k});
        },
        "C");
  }
  // Tiles by n x m x l and tensorizes the tile.
  void Schedule4(Schedule& s, int64_t n, int64_t m, int64_t l, const TensorIntrin& intrin) const {
    Tiles t = Tile(s[c], AxisOf(c, 0), AxisOf(c, 1), n, m);
    auto [ko, ki] = Split(s[c], k, l);
    Reorder(s[c], {t.x_outer, t.y_outer, ko, t.x_inner, t.y_inner, ki});
    Tensorize(s[c], t.x_inner, intrin);
  }
  Tensor a, b, c;
  IterVar k;
};

TEST(Tensorize, ResetAndUpdate) {
  const Gemm g(Int(8), Int(12), Int(8));
  const Block block(4, 4, 4);
  Schedule s = CreateSchedule({g.c->op});
  g.Schedule4(s, 4, 4, 4, block.intrin);
  EXPECT_EQ(LoopsOf(s, {g.a, g.b, g.c}),
            R"(func f(A: float32[8, 8], B: float32[8, 12], C: float32[8, 12]) {
  for i.outer in range(2) {
    for j.outer in range(3) {
      {
        decl_buffer c: float32[4, 4](strides=[12, 1]) = address_of(C[i.outer * 4, j.outer * 4])
        for x0 in range(4) {
          for x1 in range(4) {
            c[x0, x1] = 0.0
          }
        }
      }
      for k.outer in range(2) {
        decl_buffer a: float32[4, 4](strides=[8, 1]) = address_of(A[i.outer * 4, k.outer * 4])
        decl_buffer b: float32[4, 4](strides=[12, 1]) = address_of(B[k.outer * 4, j.outer * 4])
        decl_buffer c: float32[4, 4](strides=[12, 1]) = address_of(C[i.outer * 4, j.outer * 4])
        for x0 in range(4) {
          for x1 in range(4) {
            for x2 in range(4) {
              c[x0, x1] = c[x0, x1] + a[x0, x2] * b[x2, x1]
            }
          }
        }
      }
    }
  }
}
)");
  ExpectSameAnswers(s, {g.a, g.b, g.c});
}

TEST(Tensorize, BodyAloneForWholeReductions) {
  const Gemm g(Int(6), Int(10), Int(5));
  const Block block(3, 2, 5, kBody);
  Schedule s = CreateSchedule({g.c->op});
  g.Schedule4(s, 3, 2, 5, block.intrin);
  ExpectSameAnswers(s, {g.a, g.b, g.c});
}

// S20: reduction loops of extent 1 outside the intrinsic do not count as a reduction.
TEST(Tensorize, S20OuterReductionOfExtentOne) {
  const Gemm g(Int(8), Int(8), Int(4));
  for (const int parts : {int{kBody}, kReset | kUpdate, kBody | kReset | kUpdate}) {
    const Block block(4, 4, 4, parts);
    Schedule s = CreateSchedule({g.c->op});
    g.Schedule4(s, 4, 4, 4, block.intrin);
    ExpectSameAnswers(s, {g.a, g.b, g.c});
  }
}

TEST(Tensorize, BodyDoesTheFirstBlockWithoutAReset) {
  const Gemm g(Int(4), Int(4), Int(12));
  const Block block(2, 2, 4, kBody | kUpdate);
  Schedule s = CreateSchedule({g.c->op});
  g.Schedule4(s, 2, 2, 4, block.intrin);
  EXPECT_NE(LoopsOf(s, {g.a, g.b, g.c}).find("if k.outer == 0"), std::string::npos)
      << LoopsOf(s, {g.a, g.b, g.c});
  ExpectSameAnswers(s, {g.a, g.b, g.c});
}

TEST(Tensorize, OperandsInEitherOrder) {
  const Gemm g(Int(8), Int(8), Int(8), /*swapped=*/true);
  const Block block(4, 4, 4);
  Schedule s = CreateSchedule({g.c->op});
  g.Schedule4(s, 4, 4, 4, block.intrin);
  ExpectSameAnswers(s, {g.a, g.b, g.c});
}

// A symbolic number of rows: the guard stays outside, and the number of rows is a size.
TEST(Tensorize, SymbolicOuterExtents) {
  const Var n = MakeSizeVar("n");
  const Gemm g(n, Int(8), Int(8));
  const Block block(1, 4, 4);
  Schedule s = CreateSchedule({g.c->op});
  auto [io, ii] = Split(s[g.c], AxisOf(g.c, 0), 5);
  auto [jo, ji] = Split(s[g.c], AxisOf(g.c, 1), 4);
  auto [ko, ki] = Split(s[g.c], g.k, 4);
  Reorder(s[g.c], {io, ii, jo, ko, ji, ki});
  Tensorize(s[g.c], ji, block.intrin);
  ExpectSameAnswers(s, {g.a, g.b, g.c}, {n}, {{0}, {1}, {5}, {7}});
}

// Fused outer loops, cached operands, and a producer attached outside the intrinsic.
TEST(Tensorize, CachesAndAttachment) {
  const Gemm g(Int(8), Int(8), Int(16));
  const Block block(4, 4, 4);
  Schedule s = CreateSchedule({g.c->op});
  const Tensor local = CacheWrite(s, g.c, "local")[0];
  const Tensor packed = CacheRead(s, g.b, "global", {local->op});
  Tiles t = Tile(s[g.c], AxisOf(g.c, 0), AxisOf(g.c, 1), 4, 4);
  IterVar f = Fuse(s[g.c], {t.x_outer, t.y_outer});
  ComputeAt(s[local], s[g.c], f);
  Stage& l = s[local];
  const auto* op = ir::As<ir::ComputeOp>(l.op);
  auto [ko, ki] = Split(l, op->reduce_axis[0], 4);
  Reorder(l, {ko, op->axis[0], op->axis[1], ki});
  Tensorize(l, op->axis[0], block.intrin);
  ComputeAt(s[packed], l, ko);
  ExpectSameAnswers(s, {g.a, g.b, g.c});
}

// A window: the inner loops move the offset at which the operand is read.
TEST(Tensorize, Windows) {
  const IterVar k = te::ReduceAxis(Int(0), Int(3), "k");
  const Tensor x = Placeholder({Int(18)}, kF32, "x"), w = Placeholder({Int(3)}, kF32, "w");
  const Tensor y = Compute(
      {Int(16)},
      [&](const Indices& i) { return Sum(At(x, {i[0] + k->var}) * At(w, {k->var}), {k}); }, "y");
  const IterVar r = te::ReduceAxis(Int(0), Int(3), "r");
  const Tensor px = Placeholder({Int(6)}, kF32, "px"), pw = Placeholder({Int(3)}, kF32, "pw");
  const Tensor py = Compute(
      {Int(4)},
      [&](const Indices& i) { return Sum(At(px, {i[0] + r->var}) * At(pw, {r->var}), {r}); }, "py");
  const TensorIntrin fir = DeclTensorIntrin(
      "fir", py->op, [](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
        Stmt body = ir::MakeSeq({Loops({4},
                                       [&](const std::vector<Expr>& v) {
                                         return ir::MakeStore(out[0], ir::Float(0.0), {v[0]});
                                       }),
                                 Loops({4, 3}, [&](const std::vector<Expr>& v) {
                                   return ir::MakeStore(out[0],
                                                        ir::MakeLoad(out[0], {v[0]}) +
                                                            ir::MakeLoad(in[0], {v[0] + v[1]}) *
                                                                ir::MakeLoad(in[1], {v[1]}),
                                                        {v[0]});
                                 })});
        return IntrinStmts{.body = body, .reset = {}, .update = {}};
      });
  Schedule s = CreateSchedule({y->op});
  auto [io, ii] = Split(s[y], AxisOf(y, 0), 4);
  Tensorize(s[y], ii, fir);
  ExpectSameAnswers(s, {x, w, y});
}

// Scalars of the intrinsic get the stage's expressions; several outputs; extern calls in bodies.
TEST(Tensorize, ScalarsAndExternCalls) {
  const Var alpha = ir::MakeVar("alpha", kF32);
  const Tensor p = Placeholder({Int(8)}, kF32, "p");
  const Tensor q =
      Compute({Int(8)}, [&](const Indices& i) { return At(p, {i[0]}) * Expr(alpha); }, "q");
  const TensorIntrin scale = DeclTensorIntrin(
      "scale", q->op,
      [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
        const Expr pointer_in = ir::CallIntrinsic("access_ptr", {in[0], Int(0), Int(8), Int(1)});
        const Expr pointer_out = ir::CallIntrinsic("access_ptr", {out[0], Int(0), Int(8), Int(2)});
        return IntrinStmts{.body = ir::MakeEvaluate(ir::CallIntrinsic(
                               DataType::Int(32), "call_extern",
                               {ir::String("scale8"), pointer_in, pointer_out, Expr(alpha)})),
                           .reset = {},
                           .update = {}};
      },
      {.buffers = {}, .scalar_params = {alpha}});
  const Tensor x = Placeholder({Int(3), Int(16)}, kF32, "X"), f = Placeholder({Int(3)}, kF32, "F");
  const Tensor y = Compute(
      {Int(3), Int(16)}, [&](const Indices& i) { return At(f, {i[0]}) * At(x, {i[0], i[1]}); },
      "Y");
  Schedule s = CreateSchedule({y->op});
  auto [jo, ji] = Split(s[y], AxisOf(y, 1), 8);
  Tensorize(s[y], ji, scale);
  const std::vector<NodeRef> args = {x, f, y};
  const ir::Func func = LowerSchedule(s, args, "f");
  lower::TestArguments expected = lower::MakeArguments(func, {}, 3);
  lower::TestArguments found = lower::MakeArguments(func, {}, 3);
  Evaluate(args, expected.values);
  ir::InterpretOptions options;
  int calls = 0;
  options.call_extern = [&](const ir::ExternCall& call) {
    if (call.name != "scale8") return false;
    EXPECT_GE(call.args[0].bytes, 32u);
    EXPECT_GE(call.args[1].bytes, 32u);
    float in[8], out[8];
    std::memcpy(in, call.args[0].data, sizeof in);
    for (int i = 0; i < 8; ++i) out[i] = in[i] * static_cast<float>(call.args[2].lanes[0].d);
    std::memcpy(call.args[1].data, out, sizeof out);
    ++calls;
    return true;
  };
  options.check_initialized = false;  // the interpreter does not see what the callee writes
  ir::Interpret(func, found.values, options);
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(expected.memory, found.memory);
}

TEST(Tensorize, TensorComputeIsScheduledAndRun) {
  const Block block(2, 4, 4);
  const Tensor a = Placeholder({Int(6), Int(8)}, kF32, "A");
  const Tensor twice =
      Compute({Int(6), Int(8)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) * 2; }, "T");
  const Tensor b = Placeholder({Int(8), Int(4)}, kF32, "B");
  const IterVar ko = te::ReduceAxis(Int(0), Int(2), "ko");
  const Tensor c = TensorCompute(
      {Int(3)},
      [&](const Indices& i) {
        const ir::Range rows = ir::MakeRange(i[0] * 2, Int(2)),
                        steps = ir::MakeRange(ko->var * 4, Int(4)),
                        columns = ir::MakeRange(Int(0), Int(4));
        return IntrinCall{block.intrin, {{twice, {rows, steps}}, {b, {steps, columns}}}, {}, {ko}};
      },
      "C")[0];
  const Tensor d = Compute(
      {Int(3), Int(2), Int(4)}, [&](const Indices& i) { return At(c, {i[0], i[1], i[2]}) + 1; },
      "D");
  Schedule s = CreateSchedule({d->op});
  ExpectSameAnswers(s, {a, b, d});
  // The producer is computed within the loops of the calls.
  s = CreateSchedule({d->op});
  ComputeAt(s[twice], s[c], s[c].leaf_axes[1]);
  ComputeAt(s[c], s[d], AxisOf(d, 0));
  ExpectSameAnswers(s, {a, b, d});
}

// -- Requests that are refused.

std::string Refused(const Gemm& g, const std::function<void(Schedule&)>& action,
                    std::string* text = nullptr) {
  Schedule s = CreateSchedule({g.c->op});
  const Error error = ErrorOf([&] {
    action(s);
    LowerSchedule(s, {g.a, g.b, g.c}, "f");
  });
  if (text != nullptr) *text = error.what();
  return error.name();
}

TEST(TensorizeRefused, ShowsBothSidesAndTheFirstDifference) {
  const Gemm g(Int(8), Int(8), Int(8));
  const Tensor other = Compute(
      {Int(8), Int(8)},
      [&](const Indices& i) {
        return Sum(At(g.a, {i[0], g.k->var}) * At(g.b, {i[1], g.k->var}), {g.k});
      },
      "D");
  const Block block(4, 4, 4);
  Schedule s = CreateSchedule({other->op});
  Tiles t = Tile(s[other], AxisOf(other, 0), AxisOf(other, 1), 4, 4);
  auto [ko, ki] = Split(s[other], g.k, 4);
  Reorder(s[other], {t.x_outer, t.y_outer, ko, t.x_inner, t.y_inner, ki});
  Tensorize(s[other], t.x_inner, block.intrin);
  const Error error = ErrorOf([&] { LowerSchedule(s, {g.a, g.b, other}, "f"); });
  EXPECT_EQ(error.name(), "schedule-tensorize-mismatch");
  const std::string text = error.what();
  for (const char* part : {"sum(", "b[k, j]", "B[j.outer * 4 + j, k.outer * 4 + k]"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

// int8 times int8, where the instruction takes uint8 times int8.
TEST(TensorizeRefused, NamesElementTypesThatDiffer) {
  auto dot = [](const Tensor& a, const Tensor& b, int64_t n, int64_t l, const char* name) {
    const IterVar k = te::ReduceAxis(Int(0), Int(l), "k");
    return Compute(
        {Int(n)},
        [&](const Indices& i) {
          return Sum(ir::MakeCast(DataType::Int(32), At(a, {k->var})) *
                         ir::MakeCast(DataType::Int(32), At(b, {i[0], k->var})),
                     {k});
        },
        name);
  };
  const Tensor a = Placeholder({Int(4)}, DataType::UInt(8), "a"),
               b = Placeholder({Int(16), Int(4)}, DataType::Int(8), "b");
  const TensorIntrin intrin =
      DeclTensorIntrin("dot4", dot(a, b, 16, 4, "c")->op,
                       [](const std::vector<Buffer>&, const std::vector<Buffer>&) {
                         return IntrinStmts{.body = ir::Nop(), .reset = {}, .update = {}};
                       });
  const Tensor x = Placeholder({Int(4)}, DataType::Int(8), "X"),
               y = Placeholder({Int(16), Int(4)}, DataType::Int(8), "Y");
  const Tensor z = dot(x, y, 16, 4, "Z");
  Schedule s = CreateSchedule({z->op});
  Tensorize(s[z], AxisOf(z, 0), intrin);
  const Error error = ErrorOf([&] { LowerSchedule(s, {x, y, z}, "f"); });
  EXPECT_EQ(error.name(), "schedule-tensorize-mismatch");
  const std::string text = error.what();
  for (const char* part :
       {"the element type differs", "expected: `a[k]` of type uint8", "found: `X[k]` of type int8",
        "give the stage a value of type uint8 here, or use an intrinsic that takes int8"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(TensorizeRefused, OtherShapesAndOperations) {
  const Gemm g(Int(8), Int(8), Int(8));
  const Block block(4, 4, 4), wide(4, 8, 4);
  auto with = [&](const TensorIntrin& intrin) {
    return Refused(g, [&](Schedule& s) { g.Schedule4(s, 4, 4, 4, intrin); });
  };
  EXPECT_EQ(with(block.intrin), "none");
  EXPECT_EQ(with(wide.intrin), "schedule-tensorize-mismatch");
  // A different operation, and a different reducer.
  const IterVar k = te::ReduceAxis(Int(0), Int(4), "k");
  auto declare = [&](const std::function<Expr(Expr, Expr)>& combine) {
    const Tensor c = Compute({Int(4), Int(4)}, [&](const Indices& i) {
      return combine(At(block.a, {i[0], k->var}), At(block.b, {k->var, i[1]}));
    });
    return DeclTensorIntrin("other", c->op,
                            [](const std::vector<Buffer>&, const std::vector<Buffer>&) {
                              return IntrinStmts{.body = ir::Nop(), .reset = {}, .update = {}};
                            });
  };
  EXPECT_EQ(with(declare([&](Expr a, Expr b) { return Sum(a + b, {k}); })),
            "schedule-tensorize-mismatch");
  EXPECT_EQ(with(declare([&](Expr a, Expr b) { return Max(a * b, {k}); })),
            "schedule-tensorize-mismatch");
  EXPECT_EQ(with(declare([&](Expr a, Expr b) { return Sum(a * b, {k}, k->var < 3); })),
            "schedule-tensorize-mismatch");
  EXPECT_EQ(with(declare([&](Expr a, Expr b) { return Sum(a * b, {k}, {}, ir::Float(1.0)); })),
            "schedule-tensorize-mismatch");
}

// S20: inside a tensorized loop there may be no threads, no other annotations, no guards and no
// attached stages. It must be a block of the axes.
TEST(TensorizeRefused, S20WhatLiesWithin) {
  const Gemm g(Int(8), Int(8), Int(8)), odd(Int(10), Int(8), Int(8)), deep(Int(8), Int(8), Int(10));
  const Block block(4, 4, 4);
  const char* illegal = "schedule-tensorize-illegal";
  auto annotated = [&](const std::function<void(Stage&, const IterVar&)>& change) {
    return Refused(g, [&](Schedule& s) {
      g.Schedule4(s, 4, 4, 4, block.intrin);
      change(s[g.c], s[g.c].leaf_axes[4]);
    });
  };
  EXPECT_EQ(
      annotated([](Stage& s, const IterVar& axis) { Bind(s, axis, ThreadAxis("threadIdx.x")); }),
      illegal);
  EXPECT_EQ(annotated([](Stage& s, const IterVar& axis) { Vectorize(s, axis); }), illegal);
  EXPECT_EQ(annotated([](Stage& s, const IterVar& axis) { Unroll(s, axis); }), illegal);
  EXPECT_EQ(annotated([](Stage& s, const IterVar&) { Vectorize(s, s.leaf_axes[3]); }),
            "schedule-axis-annotated");
  EXPECT_EQ(annotated([](Stage& s, const IterVar&) { Split(s, s.leaf_axes[3], 2); }),
            "schedule-axis-annotated");
  std::string text;
  EXPECT_EQ(
      Refused(odd, [&](Schedule& s) { odd.Schedule4(s, 4, 4, 4, block.intrin); }, &text), illegal);
  EXPECT_NE(text.find("i.outer * 4 + i.inner < 10"), std::string::npos) << text;
  EXPECT_EQ(Refused(deep, [&](Schedule& s) { deep.Schedule4(s, 4, 4, 4, block.intrin); }), illegal);
  // Two tensorized loops, and a loop order whose inner part is no block.
  EXPECT_EQ(Refused(g,
                    [&](Schedule& s) {
                      g.Schedule4(s, 4, 4, 4, block.intrin);
                      Tensorize(s[g.c], s[g.c].leaf_axes[4], block.intrin);
                    }),
            illegal);
  EXPECT_EQ(Refused(g,
                    [&](Schedule& s) {
                      auto [ko, ki] = Split(s[g.c], g.k, 2);
                      Reorder(s[g.c], {ki, AxisOf(g.c, 0), AxisOf(g.c, 1), ko});
                      Tensorize(s[g.c], AxisOf(g.c, 0), block.intrin);
                    }),
            illegal);
  // A stage computed inside.
  EXPECT_EQ(Refused(g,
                    [&](Schedule& s) {
                      const Tensor packed = CacheRead(s, g.a, "global", {g.c->op});
                      g.Schedule4(s, 4, 4, 4, block.intrin);
                      ComputeAt(s[packed], s[g.c], s[g.c].leaf_axes[4]);
                    }),
            illegal);
  // Symbolic inner extents.
  const Var n = MakeSizeVar("n");
  const Gemm open(n, Int(4), Int(4));
  EXPECT_EQ(
      Refused(open, [&](Schedule& s) { Tensorize(s[open.c], AxisOf(open.c, 0), block.intrin); }),
      illegal);
  // Not a compute stage.
  EXPECT_EQ(ErrorOf([&] {
              Schedule s = CreateSchedule({g.c->op});
              Tensorize(s[g.a], AxisOf(g.c, 0), block.intrin);
            }).name(),
            "schedule-not-a-leaf");
}

TEST(TensorizeRefused, PartsThatTheIntrinsicLacks) {
  const Gemm g(Int(8), Int(8), Int(8));
  const Var l = MakeSizeVar("l");
  const Gemm open(Int(8), Int(8), l * 4);
  auto with = [&](const Gemm& gemm, int parts) {
    return Refused(gemm,
                   [&](Schedule& s) { gemm.Schedule4(s, 4, 4, 4, Block(4, 4, 4, parts).intrin); });
  };
  EXPECT_EQ(with(g, kBody), "schedule-tensorize-illegal");
  EXPECT_EQ(with(g, kBody | kUpdate), "none");
  EXPECT_EQ(with(open, kBody | kUpdate), "schedule-tensorize-illegal");  // may not run
  EXPECT_EQ(with(open, kReset | kUpdate), "none");
}

TEST(TensorizeRefused, Memory) {
  const Gemm g(Int(8), Int(8), Int(8));
  const char* memory = "schedule-tensorize-memory";
  auto with = [&](IntrinBufferOptions rows) {
    const Block block(4, 4, 4, kReset | kUpdate, std::move(rows));
    return Refused(g, [&](Schedule& s) { g.Schedule4(s, 4, 4, 4, block.intrin); });
  };
  EXPECT_EQ(with({.strides = {Int(8), Int(1)}}), "none");
  EXPECT_EQ(with({.strides = {Int(4), Int(1)}}), memory);  // the intrinsic wants compact blocks
  EXPECT_EQ(with({.strides = {Int(8), Int(8)}}), memory);
  const Var same = ir::MakeVar("same");
  EXPECT_EQ(with({.strides = {same, Int(1)}}), "none");
  EXPECT_EQ(with({.strides = {same, same}}), memory);
  EXPECT_EQ(with({.offset_factor = 4}), "none");
  EXPECT_EQ(with({.offset_factor = 3}), memory);
  EXPECT_EQ(with({.offset_factor = 0}), memory);
  EXPECT_EQ(with({.alignment = 16}), memory);  // arguments promise only their elements' (S34)
  EXPECT_EQ(with({.scope = "global"}), "none");
  EXPECT_EQ(with({.scope = "shared"}), memory);

  // A cache of its own satisfies the intrinsic: it is aligned, has that scope, and is compact.
  const Block block(
      4, 4, 4, kReset | kUpdate,
      {.strides = {Int(4), Int(1)}, .offset_factor = 0, .alignment = 16, .scope = "local"});
  Schedule s = CreateSchedule({g.c->op});
  const Tensor c = CacheWrite(s, g.c, "local")[0];
  const Tensor a = CacheRead(s, g.a, "local", {c->op}), b = CacheRead(s, g.b, "local", {c->op});
  Tiles t = Tile(s[g.c], AxisOf(g.c, 0), AxisOf(g.c, 1), 4, 4);
  ComputeAt(s[c], s[g.c], t.y_outer);
  const auto* op = ir::As<ir::ComputeOp>(s[c].op);
  auto [ko, ki] = Split(s[c], op->reduce_axis[0], 4);
  Reorder(s[c], {ko, op->axis[0], op->axis[1], ki});
  Tensorize(s[c], op->axis[0], block.intrin);
  ComputeAt(s[a], s[c], ko);
  ComputeAt(s[b], s[c], ko);
  ExpectSameAnswers(s, {g.a, g.b, g.c});
}

TEST(Tensorize, RegisteredIntrinsicsAreNamedInTheTrace) {
  const Gemm g(Int(8), Int(8), Int(8));
  const Block block(4, 4, 4);
  Ref<ir::Node> copy = ir::CloneNode(*block.intrin);
  static_cast<ir::TensorIntrinNode&>(*copy).name = "tensorize_test.block";
  const auto named = ir::RefAs<ir::TensorIntrinNode>(NodeRef(copy));
  RegisterTensorIntrin(named);
  Schedule s = CreateSchedule({g.c->op});
  g.Schedule4(s, 4, 4, 4, named);
  const std::string text = ir::ToText(ToProgram(s, {g.a, g.b, g.c}, "p"));
  EXPECT_NE(text.find("tensorize(axis=C.i.inner, intrin=tensorize_test.block)"), std::string::npos)
      << text;
  ExpectSameAnswers(s, {g.a, g.b, g.c});
  // An intrinsic for one target: the step names the target.
  RegisterTensorIntrin(block.intrin, "acme");
  Schedule other = CreateSchedule({g.c->op});
  Tiles t = Tile(other[g.c], AxisOf(g.c, 0), AxisOf(g.c, 1), 4, 4);
  auto [ko, ki] = Split(other[g.c], g.k, 4);
  Reorder(other[g.c], {t.x_outer, t.y_outer, ko, t.x_inner, t.y_inner, ki});
  Tensorize(other[g.c], t.x_inner, block.intrin, "acme");
  EXPECT_NE(ir::ToText(ToProgram(other, {g.a, g.b, g.c}, "p"))
                .find("tensorize(axis=C.i.inner, intrin=block, target=acme)"),
            std::string::npos);
  ExpectSameAnswers(other, {g.a, g.b, g.c});
  std::string wrong = text;
  wrong.replace(wrong.find("intrin=tensorize_test.block"), 27, "intrin=tensorize_test.block5");
  EXPECT_EQ(ErrorOf([&] { FromProgram(ir::ParseProgram(wrong)); }).name(), "unknown-tensor-intrin");
}

}  // namespace
}  // namespace lathe::schedule
