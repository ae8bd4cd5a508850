// Misuse of expressions, schedules, passes and calls: each gives its own diagnostic.
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"
#include "ir/text/parser.h"
#include "lower/pipeline.h"
#include "schedule/canonical_trace.h"
#include "schedule/loop_nest.h"
#include "schedule/primitives/primitives.h"
#include "schedule/trace.h"
#include "te/operation.h"
#include "tests/check/check_passes.h"

namespace lathe {
namespace {

using ir::InterpTensor;
using ir::InterpValue;

Diagnostic ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return Diagnostic{.name = "none"};
}

ir::Module LowerFully(const ir::Module& module, const lower::PassContext& context = {}) {
  return lower::RunPasses(lower::RunPasses(module, lower::TilePasses(), context),
                          lower::FlatPasses(), context);
}

ir::Module LowerProgram(const std::string& text) {
  const schedule::Loaded loaded = schedule::FromProgram(ir::ParseProgram(text, "test.lathe"));
  return LowerFully(
      ir::MakeModule({schedule::LowerSchedule(loaded.schedule, loaded.args, loaded.name)}));
}

std::string WithSchedule(const std::string& steps) {
  return R"(program p {
  var n: size
  placeholder A: float32[n, 64]
  compute B[i in range(n), j in range(64)] = A[i, j] * 2.0
  compute C[i in range(n), j in range(64)] = B[i, j] + 1.0
  compute W[i in range(4096)] = A[0, 0]
  compute S[i in range(n)] over [k in range(64)] = sum(C[i, k], axis=[k])
  args [A, S, W]
  schedule {
    )" + steps +
         "\n  }\n}\n";
}

TEST(ScheduleErrors, EachIllegalStepHasItsName) {
  const std::pair<const char*, const char*> cases[] = {
      {"split(axis=C.z, factor=4)", "trace-unknown-axis"},
      {"splitt(axis=C.i, factor=4)", "trace-unknown-primitive"},
      {"compute_root(stage=Q)", "trace-unknown-stage"},
      {"split(axis=C.i, factor=\"four\")", "trace-bad-operand"},
      {"split(axis=C.i, factor=0)", "schedule-bad-factor"},
      {"C.i.outer, C.i.inner = split(axis=C.i, factor=4) vectorize(axis=C.i)",
       "schedule-not-a-leaf"},
      {"vectorize(axis=C.j) parallel(axis=C.j)", "schedule-axis-annotated"},
      {"parallel(axis=S.k)", "schedule-annotate-reduction"},
      {"fuse(stage=C, axes=(list<handle>(\"C.j\", \"C.i\")))", "schedule-fuse-not-adjacent"},
      {"fuse(stage=S, axes=(list<handle>(\"S.i\", \"S.k\")))", "schedule-fuse-kinds"},
      {"reorder(stage=C, axes=(list<handle>(\"C.i\", \"C.i\")))", "schedule-duplicate-axis"},
      {"compute_at(stage=S, axis=C.i)", "schedule-attach-output"},
      {"compute_at(stage=C, axis=C.i)", "schedule-attach-self"},
      {"compute_at(stage=B, axis=S.k)", "schedule-illegal-attach"},
      {"compute_at(stage=B, axis=C.i) compute_at(stage=C, axis=B.i)", "schedule-attach-cycle"},
      // The cycle is further down: B is attached correctly, the stage that reads it is not.
      {"C.l = cache_write(stage=C, scope=\"l\") compute_at(stage=C.l, axis=C.i) "
       "compute_at(stage=C, axis=C.l.i.c) compute_at(stage=B, axis=S.i)",
       "schedule-attach-cycle"},
      {"B.l = cache_read(stage=B, output=0, scope=\"local\", readers=(list<handle>(\"S\")))",
       "schedule-cache-no-reader"},
      {"vectorize(axis=C.j) C.l = cache_write(stage=C, scope=\"local\")",
       "schedule-cache-write-refused"},
      {"bind(axis=C.i, thread=\"threadIdx.x\", extent=4)", "schedule-bind-extent"},
      {"vectorize(axis=C.i)", "schedule-vectorize-extent"},
      {"vectorize(axis=W.i)", "vectorize-extent"},
      {"unroll(axis=C.i)", "unroll-extent"},
  };
  for (const auto& [steps, name] : cases) {
    const Diagnostic error = ErrorOf([&] { LowerProgram(WithSchedule(steps)); });
    EXPECT_EQ(error.name, name) << steps << "\n" << error.ToString();
    EXPECT_FALSE(error.expected.empty()) << name;
    EXPECT_FALSE(error.help.empty()) << name;
  }
  EXPECT_EQ(ErrorOf([&] { LowerProgram(WithSchedule("compute_inline(stage=B)")); }).name, "none");
}

TEST(ScheduleErrors, ProgramsAsAWhole) {
  EXPECT_EQ(ErrorOf([] { LowerProgram("program p { placeholder A: float32[4] args [A] }"); }).name,
            "program-without-output");
  EXPECT_EQ(
      ErrorOf([] {
        LowerProgram(
            "program p { placeholder A: float32[4] compute B[i in range(4)] = A[i] args [B] }");
      }).name,
      "schedule-arguments");
  EXPECT_EQ(ErrorOf([] {
              LowerProgram(
                  "program p { var n: size placeholder A: float32[4] compute B[i in range(4)] = "
                  "A[i] * float32(n) args [A, B] }");
            }).name,
            "call-unbound-variable");
}

TEST(ScheduleErrors, TracesOfOtherPrograms) {
  const auto program = [](const std::string& extent) {
    return ir::ParseProgram("program p { placeholder A: float32[8] compute B[i in range(" + extent +
                            ")] = A[i] args [A, B] }");
  };
  const ir::Program recorded = schedule::CanonicalWithTrace(program("8"));
  const Diagnostic error = ErrorOf([&] { schedule::TraceFor(program("4"), recorded); });
  EXPECT_EQ(error.name, "trace-of-another-program");
  EXPECT_NE(error.found.find("extent: value: 4 against 8"), std::string::npos) << error.found;
  EXPECT_EQ(ErrorOf([&] { schedule::TraceFor(program("8"), recorded); }).name, "none");
}

TEST(ScheduleErrors, StagesOfOtherSchedules) {
  const te::Tensor a = te::Placeholder({ir::Int(4)}, DataType::Float(32), "A");
  auto copy = [&](const te::Tensor& t, const char* name) {
    return te::Compute({ir::Int(4)}, [&](const te::Indices& i) { return te::At(t, {i[0]}); }, name);
  };
  const te::Tensor b = copy(a, "B"), c = copy(b, "C"), d = copy(a, "D");
  schedule::Schedule s = schedule::CreateSchedule({c->op}),
                     other = schedule::CreateSchedule({d->op});
  EXPECT_EQ(ErrorOf([&] { (void)s[d]; }).name, "schedule-unknown-operation");
  EXPECT_EQ(ErrorOf([&] { schedule::ComputeAt(s[b], other[d], schedule::AxisOf(d, 0)); }).name,
            "schedule-foreign-axis");
  EXPECT_EQ(
      ErrorOf([&] { schedule::Bind(s[c], schedule::AxisOf(c, 0), schedule::AxisOf(c, 0)); }).name,
      "schedule-bind-not-a-thread");
}

TEST(ScheduleErrors, ExternReadersCannotTakeAnInlinedBody) {
  const te::Tensor a = te::Placeholder({ir::Int(4)}, DataType::Float(32), "A");
  const te::Tensor b =
      te::Compute({ir::Int(4)}, [&](const te::Indices& i) { return te::At(a, {i[0]}); }, "B");
  const te::Tensor e =
      te::Extern({{ir::Int(4)}}, {DataType::Float(32)}, {b},
                 [](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
                   return ir::MakeStore(out[0], ir::MakeLoad(in[0], {ir::Int(0)}), {ir::Int(0)});
                 })[0];
  schedule::Schedule s = schedule::CreateSchedule({e->op});
  schedule::ComputeInline(s[b]);
  EXPECT_EQ(ErrorOf([&] { schedule::LowerSchedule(s, {a, e}, "f"); }).name,
            "schedule-inline-refused");
}

TEST(ScheduleErrors, TensorComputesWhosePartsDoNotFit) {
  const te::Tensor a = te::Placeholder({ir::Int(4)}, DataType::Float(32), "A");
  const te::Tensor b =
      te::Compute({ir::Int(4)}, [&](const te::Indices& i) { return te::At(a, {i[0]}); }, "B");
  Ref<ir::TensorIntrinNode> intrin = Make<ir::TensorIntrinNode>();
  intrin->name = "copy";
  intrin->op = b->op;
  intrin->inputs = {a};
  intrin->buffers = {ir::MakeBuffer("a", DataType::Float(32), {ir::Int(4)}),
                     ir::MakeBuffer("b", DataType::Float(32), {ir::Int(4)})};
  Ref<ir::TensorComputeOp> op = Make<ir::TensorComputeOp>();
  op->name = "T";
  op->intrin = intrin;
  op->inputs = {a};
  op->input_regions = {ir::MakeRange(ir::Int(0), ir::Int(4))};
  op->axis = ir::As<ir::ComputeOp>(b->op)->axis;
  op->shape = {ir::Int(4)};
  const ir::Op tensorized(op.get());
  const Diagnostic error = ErrorOf([&] {
    schedule::LowerSchedule(schedule::CreateSchedule({tensorized}),
                            {a, ir::OutputOf(tensorized, 0)}, "f");
  });
  EXPECT_EQ(error.name, "tensor-intrin-invalid") << error.ToString();  // it does nothing
  intrin->body = ir::Nop();
  const Diagnostic call = ErrorOf([&] {
    schedule::LowerSchedule(schedule::CreateSchedule({tensorized}),
                            {a, ir::OutputOf(tensorized, 0)}, "f");
  });
  EXPECT_EQ(call.name, "tensor-call-mismatch") << call.ToString();  // no loops and no block
}

TEST(ExpressionErrors, TensorsAndTheirBodies) {
  const ir::Expr four = ir::Int(4);
  const te::Tensor a = te::Placeholder({four, four}, DataType::Float(32), "A");
  const te::Tensor row = te::Placeholder({four}, DataType::Float(32), "R");
  const te::IterVar k = te::ReduceAxis(ir::Int(0), four, "k");
  auto sum = [&](const te::Indices& i) { return te::Sum(te::At(a, {i[0], k->var}), {k}); };
  const std::pair<const char*, std::function<void()>> cases[] = {
      {"shape-not-integer", [&] { te::Placeholder({ir::Float(1.5)}); }},
      {"shape-negative", [&] { te::Placeholder({ir::Int(-1)}); }},
      {"compute-without-value",
       [&] {
         te::ComputeTuple({four}, [](const te::Indices&) { return std::vector<ir::Expr>(); });
       }},
      {"index-count", [&] { te::At(a, {ir::Int(0)}); }},
      {"index-not-integer", [&] { te::At(row, {ir::Float(1.0)}); }},
      {"reduction-not-at-top",
       [&] { te::Compute({four}, [&](const te::Indices& i) { return sum(i) + 1.0; }); }},
      {"reduction-tuple-mismatch",
       [&] {
         te::ComputeTuple(
             {four}, [&](const te::Indices& i) { return std::vector<ir::Expr>{sum(i), sum(i)}; });
       }},
      {"not-a-reduce-axis",
       [&] {
         te::Sum(te::At(row, {ir::Int(0)}),
                 {schedule::AxisOf(
                     te::Compute({four}, [&](const te::Indices& i) { return te::At(row, {i[0]}); }),
                     0)});
       }},
      {"scan-mismatch", [&] { te::Scan({row}, {row, row}, {row}); }},
      {"extern-outputs", [&] { te::Extern({{four}}, {}, {row}, nullptr); }},
  };
  for (const auto& [name, action] : cases) {
    const Diagnostic error = ErrorOf(action);
    EXPECT_EQ(error.name, name) << error.ToString();
  }
}

TEST(PassErrors, OptionsCancellingAndChangedResults) {
  lower::PassContext context;
  EXPECT_EQ(ErrorOf([&] { context.Set("unroll.max_step", 3); }).name, "unknown-pass-option");
  const ir::Module module =
      ir::ParseModule("func f(A: float32[4]) { for i in range(4) { A[i] = 1.0 } }");
  context.cancelled = [] { return true; };
  EXPECT_EQ(ErrorOf([&] { LowerFully(module, context); }).name, "compile-cancelled");
  const lower::Pass wrong[] = {{"wrong", "stores something else",
                                [](const ir::Module&, const lower::PassContext&) {
                                  return ir::ParseModule(
                                      "func f(A: float32[4]) { for i in range(4) { A[i] = 2.0 } }");
                                },
                                ir::Stage::kTile}};
  const Diagnostic error = ErrorOf([&] { lower::CheckPasses(module, wrong, {}, 1); });
  EXPECT_EQ(error.name, "pass-changed-result");
  EXPECT_NE(error.ToString().find("wrong"), std::string::npos);
}

// Calls the packed form of the function in `text` with tagged values, as compiled code is called.
std::string CallError(const std::string& text, const std::vector<InterpValue>& args) {
  const ir::Module module = LowerFully(ir::ParseModule(text));
  return ErrorOf([&] { ir::Interpret(module, "f", args); }).name;
}

TEST(CallErrors, EveryMismatchHasItsName) {
  alignas(64) float memory[64] = {};
  auto view = [&](DataType dtype, std::vector<int64_t> shape) {
    return InterpTensor::Of(memory, dtype, std::move(shape));
  };
  const std::string plain =
      "func f(A: float32[n: size, 4], B: float32[n, 4]) { for i in range(n) { B[i, 0] = A[i, 0] } "
      "}";
  const InterpTensor good = view(DataType::Float(32), {2, 4});
  EXPECT_EQ(CallError(plain, {good, good}), "none");
  EXPECT_EQ(CallError(plain, {good}), "call-argument-count");
  EXPECT_EQ(CallError(plain, {good, view(DataType::Float(32), {8})}), "call-argument-rank");
  EXPECT_EQ(CallError(plain, {good, view(DataType::Float(32), {3, 4})}), "call-argument-shape");
  InterpTensor transposed = good;
  transposed.strides = {1, 2};
  EXPECT_EQ(CallError(plain, {good, transposed}), "call-argument-strides");
  InterpTensor no_memory = good;
  no_memory.data = nullptr;
  EXPECT_EQ(CallError(plain, {good, no_memory}), "call-argument-null");
  const std::string wide = "func f(A: float32[n: size, m: size]) { if n < m { A[0, 0] = 1.0 } }";
  EXPECT_EQ(CallError(wide, {view(DataType::Float(32), {int64_t{1} << 40, 0})}),
            "call-argument-range");
  const std::string with_offset = "func f(A: float32[4](offset=0, offset_factor=4)) { A[0] = 1.0 }";
  InterpTensor shifted = view(DataType::Float(32), {4});
  shifted.byte_offset = 8;
  EXPECT_EQ(CallError(with_offset, {shifted}), "call-argument-offset");
}

}  // namespace
}  // namespace lathe
