#include "schedule/loop_nest.h"

#include <string>
#include <vector>

#include "arith/simplify_stmt.h"
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "schedule/primitives/primitives.h"
#include "schedule/trace.h"
#include "te/operation.h"
#include "te/test_programs.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::FloorDivide;
using ir::Int;
using ir::MakeSizeVar;
using ir::Var;

std::string Text(const Schedule& s, std::vector<NodeRef> args) {
  ir::PrintOptions options;
  options.short_form = true;
  return ir::ToText(arith::Simplify(LowerSchedule(s, args, "f")), options);
}

TEST(LoopNest, DefaultSchedule) {
  Gemm g(Int(32), Int(32), Int(32));
  Schedule s = CreateSchedule({g.c->op});
  EXPECT_EQ(Text(s, {g.a, g.b, g.c}),
            R"(func f(A: float32[32, 32], B: float32[32, 32], C: float32[32, 32]) {
  for i in range(32) {
    for j in range(32) {
      C[i, j] = 0.0
      for k in range(32) {
        C[i, j] = C[i, j] + A[i, k] * B[k, j]
      }
    }
  }
}
)");
}

// Callers pass what they have; what no stage reads is a parameter all the same.
TEST(LoopNest, PlaceholdersThatNoStageReads) {
  const Var n = MakeSizeVar("n");
  const Tensor a = Placeholder({n}, DataType::Float(32), "A"),
               unread = Placeholder({n, Int(3)}, DataType::Int(8), "A"),
               sized = Placeholder({MakeSizeVar("m")}, DataType::Float(64), "A");
  const Tensor b = Compute({n}, [&](const Indices& i) { return At(a, {i[0]}) + 1; }, "B");
  const Schedule s = CreateSchedule({b->op});
  const std::string text =
      R"(func f(A.1: int8[n, 3], A: float32[n], A.2: float64[m], B: float32[n]) {
  for i in range(n) {
    B[i] = A[i] + 1.0
  }
}
)";
  EXPECT_EQ(Text(s, {unread, a, sized, b}), text);
  // As a program, too.
  const ir::Program program = ToProgram(s, {unread, a, sized, b}, "f");
  const Loaded loaded = FromProgram(ir::ParseProgram(ir::ToText(program)));
  EXPECT_EQ(Text(loaded.schedule, loaded.args), text);
  // Computed tensors of other programs are still refused.
  const Tensor other = Compute({n}, [&](const Indices& i) { return At(a, {i[0]}) * 2; }, "C");
  try {
    Text(s, {a, other, b});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "schedule-unknown-operation");
  }
}

// A slice of a frame, read with constant strides, and columns of the caller's choice, written.
TEST(LoopNest, ArgumentsWithStrides) {
  const Var n = MakeSizeVar("n");
  const Tensor a = Placeholder({n, Int(4)}, DataType::Float(32), "A");
  const Tensor b =
      Compute({n, Int(4)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) + 1; }, "B");
  const Schedule s = CreateSchedule({b->op});
  const ir::Buffer frame =
      ir::CopyBuffer(ir::MakeBuffer("frame", a->dtype(), a->shape()), [](ir::BufferNode& copy) {
        copy.strides = {Int(6), Int(1)};
        copy.offset_factor = 2;
      });
  const ir::Buffer columns =
      ir::CopyBuffer(ir::MakeBuffer("columns", b->dtype(), b->shape()), [](ir::BufferNode& copy) {
        copy.strides = {ir::MakeVar("row"), ir::MakeVar("column")};
        copy.alignment = 16;
      });
  ir::PrintOptions options;
  options.short_form = true;
  const ir::Func func = LowerSchedule(s, {a, b}, "f", Claims::kTrusted, {{b, columns}, {a, frame}});
  const std::string text = ir::ToText(func, options);
  for (const char* param : {"A: float32[n, 4](strides=[6, 1], offset=A.offset, offset_factor=2)",
                            "B: float32[n, 4](strides=[row, column], align=16)"})
    EXPECT_NE(text.find(param), std::string::npos) << text;
  // Lowering again gives buffers of its own.
  const ir::Func again = LowerSchedule(s, {a, b}, "f", Claims::kTrusted, {{b, columns}});
  EXPECT_FALSE(func->params[1].same_as(again->params[1]));
}

TEST(LoopNest, BuffersThatDoNotFitTheirTensors) {
  const Tensor a = Placeholder({Int(2), Int(4)}, DataType::Float(32), "A");
  const Tensor other = Placeholder({Int(2), Int(4)}, DataType::Float(32), "other");
  const Tensor b =
      Compute({Int(2), Int(4)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) + 1; }, "B");
  const Tensor c =
      Compute({Int(2), Int(4)}, [&](const Indices& i) { return At(b, {i[0], i[1]}) + 1; }, "C");
  auto buffer = [](const std::vector<Expr>& shape, const std::vector<Expr>& strides = {},
                   DataType type = DataType::Float(32), const char* scope = "") {
    return ir::CopyBuffer(ir::MakeBuffer("buffer", type, shape, scope),
                          [&](ir::BufferNode& copy) { copy.strides = strides; });
  };
  const std::vector<Expr> shape = a->shape();
  const ir::Buffer image =
      ir::CopyBuffer(buffer(shape), [](ir::BufferNode& copy) { copy.axis_separators = {Int(1)}; });
  const std::pair<TensorBuffers, const char*> cases[] = {
      {{{a, buffer({Int(4), Int(2)})}}, "has another shape"},
      {{{a, buffer({Int(2)})}}, "has another shape"},
      {{{a, buffer(shape, {}, DataType::Int(32))}}, "has another element type"},
      {{{a, buffer(shape, {}, DataType::Float(32), "shared")}}, "has a memory scope of its own"},
      {{{a, buffer(shape, {Int(1)})}}, "is malformed"},
      {{{a, buffer(shape, {Int(-4), Int(1)})}}, "has a negative stride"},
      {{{a, image}}, "is in memory of several dimensions"},
      {{{a, buffer(shape)}, {a, buffer(shape)}}, "is not the only one"},
      {{{b, buffer(shape)}}, "has no argument"},
      {{{c, buffer(shape, {Int(4), Int(0)})}}, "has all elements of dimension 1 in one place"},
  };
  const Schedule s = CreateSchedule({c->op});
  for (const auto& [binds, says] : cases) {
    try {
      LowerSchedule(s, {a, c}, "f", Claims::kTrusted, binds);
      ADD_FAILURE() << says;
    } catch (const Error& e) {
      EXPECT_EQ(e.name(), "schedule-binds") << e.what();
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    }
  }
  try {
    LowerSchedule(s, {a, c}, "f", Claims::kTrusted, {{other, buffer(shape)}});
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.name(), "schedule-unknown-operation") << e.what();
  }
}

TEST(LoopNest, TiledGemm) {
  Gemm g(Int(100), Int(100), Int(64));
  Schedule s = CreateSchedule({g.c->op});
  Tiles t = Tile(s[g.c], AxisOf(g.c, 0), AxisOf(g.c, 1), 8, 16);
  auto [ko, ki] = Split(s[g.c], g.k, 4);
  Reorder(s[g.c], {t.x_outer, t.y_outer, ko, t.x_inner, ki, t.y_inner});
  Vectorize(s[g.c], t.y_inner);
  EXPECT_EQ(Text(s, {g.a, g.b, g.c}),
            R"(func f(A: float32[100, 64], B: float32[64, 100], C: float32[100, 100]) {
  for i.outer in range(13) {
    for j.outer in range(7) {
      for i.inner in range(8) {
        if likely(i.outer * 8 + i.inner < 100) {
          vectorized for j.inner in range(16) {
            if likely(j.outer * 16 + j.inner < 100) {
              C[i.outer * 8 + i.inner, j.outer * 16 + j.inner] = 0.0
            }
          }
        }
      }
      for k.outer in range(16) {
        for i.inner in range(8) {
          if likely(i.outer * 8 + i.inner < 100) {
            for k.inner in range(4) {
              vectorized for j.inner in range(16) {
                if likely(j.outer * 16 + j.inner < 100) {
                  C[i.outer * 8 + i.inner, j.outer * 16 + j.inner] = C[i.outer * 8 + i.inner, j.outer * 16 + j.inner] + A[i.outer * 8 + i.inner, k.outer * 4 + k.inner] * B[k.outer * 4 + k.inner, j.outer * 16 + j.inner]
                }
              }
            }
          }
        }
      }
    }
  }
}
)");
}

TEST(LoopNest, CacheWriteAndAttach) {
  Gemm g(Int(64), Int(64), Int(64));
  Schedule s = CreateSchedule({g.c->op});
  Tensor cc = CacheWrite(s, g.c, "local")[0];
  Tensor pb = CacheRead(s, g.b, "global", {cc->op});
  Tiles t = Tile(s[g.c], AxisOf(g.c, 0), AxisOf(g.c, 1), 8, 16);
  ComputeAt(s[cc], s[g.c], t.y_outer);
  ComputeAt(s[pb], s[g.c], t.y_outer);
  const std::string text = Text(s, {g.a, g.b, g.c});
  // Both copies are realized within the tile's loops, and only over the tile's region.
  EXPECT_NE(
      text.find(
          "realize B.global: float32[64, 64] bounds [range(64), range(j.outer * 16, extent=16)]"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("realize C.local: float32[64, 64](scope=\"local\") bounds "
                      "[range(i.outer * 8, extent=8), range(j.outer * 16, extent=16)]"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("likely"), std::string::npos) << text;
}

TEST(LoopNest, StencilSymbolic) {
  Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n + 2}, DataType::Float(32), "A");
  Tensor b = Compute({n + 2}, [&](const Indices& i) { return At(a, {i[0]}) * ir::Float(2); }, "B");
  Tensor c = Compute(
      {n}, [&](const Indices& i) { return At(b, {i[0]}) + At(b, {i[0] + 1}) + At(b, {i[0] + 2}); },
      "C");
  Schedule s = CreateSchedule({c->op});
  auto [io, ii] = Split(s[c], AxisOf(c, 0), 8);
  ComputeAt(s[b], s[c], io);
  Parallel(s[c], io);
  EXPECT_EQ(Text(s, {a, c}), R"(func f(A: float32[n + 2], C: float32[n]) {
  parallel for i.outer in range((n + 7) // 8) {
    realize B: float32[n + 2] bounds [range(i.outer * 8, extent=10)]
    for i in range(10) {
      if likely(i + i.outer * 8 < n + 2) {
        B[i + i.outer * 8] = A[i + i.outer * 8] * 2.0
      }
    }
    for i.inner in range(8) {
      if likely(i.outer * 8 + i.inner < n) {
        C[i.outer * 8 + i.inner] = B[i.outer * 8 + i.inner] + B[i.outer * 8 + i.inner + 1] + B[i.outer * 8 + i.inner + 2]
      }
    }
  }
}
)");
}

TEST(LoopNest, ScanRuns) {
  Expr m = Int(10), n = Int(4);
  Tensor x = Placeholder({m, n}, DataType::Float(32), "X");
  Tensor state = Placeholder({m, n}, DataType::Float(32), "state");
  Tensor init =
      Compute({Int(1), n}, [&](const Indices& i) { return At(x, {Int(0), i[1]}); }, "init");
  Tensor mid = Compute(
      {m, n}, [&](const Indices& i) { return At(state, {i[0] - 1, i[1]}) * ir::Float(2); }, "mid");
  Tensor update = Compute(
      {m, n}, [&](const Indices& i) { return At(mid, {i[0], i[1]}) + At(x, {i[0], i[1]}); },
      "update");
  Tensor y = Scan({init}, {update}, {state}, {x}, "Y")[0];
  Schedule s = CreateSchedule({y->op});
  EXPECT_EQ(Text(s, {x, y}), R"(func f(X: float32[10, 4], Y: float32[10, 4]) {
  for j in range(4) {
    Y[0, j] = X[0, j]
  }
  for Y.time in range(9) {
    realize mid: float32[10, 4] bounds [range(Y.time + 1, extent=1), range(4)]
    for j in range(4) {
      mid[Y.time + 1, j] = Y[Y.time, j] * 2.0
    }
    for j in range(4) {
      Y[Y.time + 1, j] = mid[Y.time + 1, j] + X[Y.time + 1, j]
    }
  }
}
)");
}

}  // namespace
}  // namespace lathe::schedule
