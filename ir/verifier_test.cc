#include "ir/verifier.h"

#include <functional>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"

namespace lathe::ir {
namespace {

const DataType kI32 = DataType::Int(32), kI64 = DataType::Int(64), kF32 = DataType::Float(32),
               kHandle = DataType::Handle();

Diagnostic ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return Diagnostic{.name = "sound"};
}
std::string Verdict(Stage stage, std::vector<NodeRef> params, Stmt body) {
  return ErrorOf([&] { VerifyFunc(MakeFunc("f", std::move(params), std::move(body)), stage); })
      .name;
}

struct Example {
  Buffer a = MakeBuffer("A", kI32, {Int(8)});
  Var i = MakeVar("i"), p = MakeVar("p", kHandle);
  Stmt store = MakeStore(a, i, {i});
  Stmt Loop(ForKind kind = ForKind::kSerial) const {
    return MakeFor(i, Int(0), Int(8), kind, store, kind == ForKind::kThread ? "threadIdx.x" : "");
  }
  Stmt View(Stmt body) const { return MakeDeclBuffer(a, p, std::move(body)); }
};

TEST(VerifierStages, LoopKinds) {
  const Example e;
  for (ForKind kind : {ForKind::kParallel, ForKind::kVectorized, ForKind::kUnrolled}) {
    EXPECT_EQ(Verdict(Stage::kScheduled, {e.a}, e.Loop(kind)), "sound");
    EXPECT_EQ(Verdict(Stage::kTile, {e.a}, e.Loop(kind)), "sound");
    EXPECT_EQ(Verdict(Stage::kFlat, {e.p}, e.View(e.Loop(kind))), "verify-stage");
  }
  for (ForKind kind : {ForKind::kSerial, ForKind::kThread}) {
    EXPECT_EQ(Verdict(Stage::kFlat, {e.p}, e.View(e.Loop(kind))), "sound");
  }
}

TEST(VerifierStages, RealizeEndsBeforeTile) {
  const Example e;
  const Stmt realize = MakeRealize(e.a, {MakeRange(Int(0), Int(8))}, e.Loop());
  EXPECT_EQ(Verdict(Stage::kScheduled, {}, realize), "sound");
  EXPECT_EQ(Verdict(Stage::kTile, {}, realize), "verify-stage");
  EXPECT_EQ(Verdict(Stage::kFlat, {}, realize), "verify-stage");
  EXPECT_EQ(Verdict(Stage::kTile, {}, MakeAllocate(e.a, e.Loop())), "sound");
}

TEST(VerifierStages, IntrinsicsAndAssertions) {
  const Expr packed = CallIntrinsic(kI32, "call_packed", {String("f")});
  EXPECT_EQ(Verdict(Stage::kTile, {}, MakeEvaluate(packed)), "sound");
  EXPECT_EQ(Verdict(Stage::kFlat, {}, MakeEvaluate(packed)), "verify-stage");
  const Expr slots = CallIntrinsic("stack_slots", {Int(2)});
  EXPECT_EQ(Verdict(Stage::kScheduled, {}, MakeEvaluate(slots)), "verify-stage");
  EXPECT_EQ(Verdict(Stage::kFlat, {}, MakeEvaluate(slots)), "sound");
  const Stmt check = MakeAssert(Bool(true), "never", "never");
  EXPECT_EQ(Verdict(Stage::kTile, {}, check), "sound");
  EXPECT_EQ(Verdict(Stage::kFlat, {}, check), "verify-stage");
  const Stmt raise = MakeEvaluate(CallIntrinsic("raise", {String("n"), String("{0}"), Int(1)}));
  EXPECT_EQ(Verdict(Stage::kScheduled, {}, raise), "verify-stage");
  EXPECT_EQ(Verdict(Stage::kTile, {}, raise), "sound");
  EXPECT_EQ(Verdict(Stage::kFlat, {}, raise), "sound");
  const Expr nameless = MakeCall(DataType::Void(), "raise", {String(""), String("m")});
  EXPECT_EQ(Verdict(Stage::kFlat, {}, MakeEvaluate(nameless)), "verify-call");
  EXPECT_FALSE(StageAllowsIntrinsic(Stage::kTe, "no_such_thing"));
  EXPECT_TRUE(StageAllowsIntrinsic(Stage::kFlat, "exp"));
}

TEST(VerifierStages, FlatBuffersHaveRankOne) {
  const Buffer square = MakeBuffer("S", kI32, {Int(2), Int(4)}), scalar = MakeBuffer("s", kI32, {});
  EXPECT_EQ(
      Verdict(Stage::kTile, {}, MakeAllocate(square, MakeStore(square, Int(1), {Int(0), Int(0)}))),
      "sound");
  EXPECT_EQ(
      Verdict(Stage::kFlat, {}, MakeAllocate(square, MakeStore(square, Int(1), {Int(0), Int(0)}))),
      "verify-rank");
  EXPECT_EQ(Verdict(Stage::kFlat, {}, MakeAllocate(scalar, MakeStore(scalar, Int(1), {}))),
            "verify-rank");
  const Buffer strided =
      CopyBuffer(MakeBuffer("T", kI32, {Int(4)}), [](BufferNode& b) { b.strides = {Int(2)}; });
  EXPECT_EQ(Verdict(Stage::kFlat, {}, MakeAllocate(strided, MakeStore(strided, Int(1), {Int(0)}))),
            "verify-rank");
  const Buffer image = CopyBuffer(square, [](BufferNode& b) {
    b.axis_separators = {Int(1)};
    b.data = MakeVar("image", DataType::Handle());
  });
  EXPECT_EQ(
      Verdict(Stage::kFlat, {}, MakeAllocate(image, MakeStore(image, Int(1), {Int(0), Int(0)}))),
      "sound");
}

TEST(VerifierScopes, DefinedBeforeUseAndOnce) {
  const Example e;
  EXPECT_EQ(Verdict(Stage::kTile, {e.a}, e.Loop()), "sound");
  EXPECT_EQ(Verdict(Stage::kTile, {}, e.Loop()), "verify-undefined") << "the buffer";
  EXPECT_EQ(Verdict(Stage::kTile, {e.a}, e.store), "verify-undefined") << "the variable";
  EXPECT_EQ(Verdict(Stage::kTile, {e.a}, MakeSeq({e.Loop(), e.store})), "verify-undefined")
      << "after its loop";
  EXPECT_EQ(Verdict(Stage::kTile, {e.a}, MakeSeq({e.Loop(), e.Loop()})), "verify-redefined");
  EXPECT_EQ(Verdict(Stage::kTile, {e.a, e.i}, e.Loop()), "verify-redefined");
  EXPECT_EQ(Verdict(Stage::kTile, {e.a, e.a}, Nop()), "verify-redefined");
  // A loop's variable is not visible in its own bounds.
  EXPECT_EQ(Verdict(Stage::kTile, {e.a}, MakeFor(e.i, Int(0), e.i, ForKind::kSerial, e.store)),
            "verify-undefined");
  // An expression that is sound within a scope is not sound outside of it.
  const Var x = MakeVar("x");
  const Expr shared = x * x + x;
  const Stmt inside = MakeLetStmt(x, Int(1), MakeSeq({MakeEvaluate(shared), MakeEvaluate(shared)}));
  EXPECT_EQ(Verdict(Stage::kTile, {}, inside), "sound");
  EXPECT_EQ(Verdict(Stage::kTile, {}, MakeSeq({inside, MakeEvaluate(shared)})), "verify-undefined");
  const Buffer view = MakeBuffer("V", kI32, {Int(2)});
  EXPECT_EQ(Verdict(Stage::kTile, {e.a},
                    MakeDeclBuffer(view, e.a->data, MakeStore(view, Int(1), {Int(0)}))),
            "sound");
  EXPECT_EQ(
      Verdict(Stage::kTile, {}, MakeDeclBuffer(view, e.a->data, MakeStore(view, Int(1), {Int(0)}))),
      "verify-undefined");
  EXPECT_EQ(Verdict(Stage::kTile, {e.a},
                    MakeDeclBuffer(CopyBuffer(e.a, [](BufferNode& b) { b.shape = {Int(4)}; }),
                                   e.a->data, Nop())),
            "sound")
      << "a view may carry the variable of its memory";
  EXPECT_EQ(Verdict(Stage::kTile, {},
                    MakeEvaluate(CallIntrinsic("access_ptr", {e.a, Int(0), Int(1), Int(1)}))),
            "verify-undefined");
}

TEST(VerifierScopes, SymbolicExtentsBindInParameters) {
  const Var n = MakeVar("n"), m = MakeVar("m");
  const Buffer a = MakeBuffer("A", kI32, {n}), b = MakeBuffer("B", kI32, {n + 1}),
               c = MakeBuffer("C", kI32, {m + 1});
  EXPECT_EQ(Verdict(Stage::kTile, {b, a}, MakeEvaluate(n)), "sound");
  EXPECT_EQ(Verdict(Stage::kTile, {a, n}, MakeEvaluate(n)), "sound");
  EXPECT_EQ(Verdict(Stage::kTile, {a, c}, Nop()), "verify-undefined");
}

TEST(VerifierNodes, FitTogether) {
  Ref<Add> add = Make<Add>();
  add->dtype = kI32;
  add->a = Int(1);
  add->b = Float(1);
  EXPECT_EQ(Verdict(Stage::kTile, {}, MakeEvaluate(add)), "verify-malformed");
  Ref<Add> half = Make<Add>();
  half->dtype = kI32;
  half->a = Int(1);
  EXPECT_EQ(Verdict(Stage::kTile, {}, MakeEvaluate(half)), "verify-malformed")
      << "an operand is missing";
  EXPECT_EQ(Verdict(Stage::kTile, {}, MakeEvaluate(String("loose"))), "verify-malformed");
  EXPECT_EQ(Verdict(Stage::kTile, {}, MakeAttr(nullptr, "note", String("fine"), Nop())), "sound");
  EXPECT_EQ(Verdict(Stage::kTile, {}, Stmt()), "verify-malformed") << "no body";
}

TEST(VerifierCalls, FitTheirIntrinsicAndFunction) {
  EXPECT_EQ(Verdict(Stage::kTile, {}, MakeEvaluate(MakeCall(kF32, "exp", {Int(1)}))),
            "verify-call");
  EXPECT_EQ(Verdict(Stage::kTile, {}, MakeEvaluate(MakeCall(kF32, "exq", {Float(1)}))),
            "verify-call");
  const Var n = MakeVar("n");
  const Func twice =
      MakeFunc("twice", {n}, MakeEvaluate(CallIntrinsic("return", {n * 2})), {}, kI32);
  auto verdict = [&](const Expr& call) {
    return ErrorOf([&] {
             VerifyModule(MakeModule({twice, MakeFunc("main", {}, MakeEvaluate(call))}),
                          Stage::kTile);
           })
        .name;
  };
  EXPECT_EQ(verdict(CallIntrinsic(kI32, "call_plain", {String("twice"), Int(1)})), "sound");
  EXPECT_EQ(verdict(CallIntrinsic(kI32, "call_plain", {String("twice")})), "verify-call");
  EXPECT_EQ(verdict(CallIntrinsic(kI64, "call_plain", {String("twice"), Int(1)})), "verify-call");
  EXPECT_EQ(verdict(CallIntrinsic(kI32, "call_plain", {String("thrice"), Int(1)})), "verify-call");
  EXPECT_EQ(verdict(CallIntrinsic("function_address", {String("none")})), "verify-call");
  EXPECT_EQ(verdict(CallIntrinsic("function_address", {String("main")})), "sound");
  EXPECT_EQ(Verdict(Stage::kTile, {}, MakeEvaluate(CallIntrinsic("return", {Int(1)}))),
            "verify-call")
      << "the function returns nothing";
}

TEST(VerifierFunctions, NamesAndSignatures) {
  const Func f = MakeFunc("f", {}, Nop());
  EXPECT_EQ(
      ErrorOf([&] { VerifyModule(MakeModule({f, MakeFunc("f", {}, Nop())}), Stage::kTile); }).name,
      "verify-function");
  EXPECT_EQ(ErrorOf([&] { VerifyFunc(MakeFunc("", {}, Nop()), Stage::kTile); }).name,
            "verify-function");
  auto with = [](const char* convention, std::vector<NodeRef> params) {
    return ErrorOf([&] {
             VerifyFunc(
                 MakeFunc("f", std::move(params), MakeEvaluate(CallIntrinsic("return", {Int(0)})),
                          {{"calling_convention", String(convention)}}, kI32),
                 Stage::kFlat);
           })
        .name;
  };
  auto handle = [] { return MakeVar("h", kHandle); };
  EXPECT_EQ(with("packed", {handle(), handle(), MakeVar("n"), handle()}), "sound");
  EXPECT_EQ(with("packed", {handle(), handle(), MakeVar("n", kI64), handle()}), "verify-function");
  EXPECT_EQ(with("parallel_body", {handle(), MakeVar("b", kI64), MakeVar("e", kI64)}), "sound");
  EXPECT_EQ(with("parallel_body", {handle()}), "verify-function");
  EXPECT_EQ(with("stdcall", {}), "verify-function");
  EXPECT_EQ(with("plain", {MakeBuffer("A", kI32, {Int(1)})}), "verify-function")
      << "a tensor parameter at flat";
}

TEST(VerifierMessages, ShowTheStatement) {
  const Example e;
  const Diagnostic error =
      ErrorOf([&] { VerifyFunc(MakeFunc("main", {e.a}, e.store), Stage::kTile); });
  EXPECT_NE(error.message.find("`i`"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("`main`"), std::string::npos) << error.message;
  ASSERT_EQ(error.notes.size(), 1u);
  EXPECT_NE(error.notes[0].find("A[i] = i"), std::string::npos) << error.notes[0];
}

// A program with one placeholder and one compute over `body`.
struct TeExample {
  Ref<PlaceholderOp> in = Make<PlaceholderOp>();
  Var i = MakeVar("i"), k = MakeVar("k");
  IterVar axis = MakeIterVar(MakeRange(Int(0), Int(4)), i, IterKind::kData);
  IterVar reduce_axis = MakeIterVar(MakeRange(Int(0), Int(3)), k, IterKind::kReduce);
  TeExample() {
    in->name = "A";
    in->shape = {Int(4)};
    in->dtype = kI32;
  }
  Expr Sum(Expr source) const {
    const Var x = MakeVar("x"), y = MakeVar("y");
    return MakeReduce(MakeReducer("sum", {x}, {y}, {x + y}, {Int(0)}), {std::move(source)},
                      {reduce_axis}, Bool(true), 0);
  }
  Op Compute(Expr body, bool reduces = false) const {
    Ref<ComputeOp> op = Make<ComputeOp>();
    op->name = "C";
    op->axis = {axis};
    if (reduces) op->reduce_axis = {reduce_axis};
    op->body = {std::move(body)};
    op->shape = {Int(4)};
    return op;
  }
  std::string Verdict(std::vector<Op> ops) const {
    Ref<ProgramNode> program = Make<ProgramNode>();
    program->name = "p";
    program->args = {OutputOf(in, 0)};
    program->ops = std::move(ops);
    return ErrorOf([&] { VerifyProgram(*program); }).name;
  }
};

TEST(VerifierPrograms, TensorsAndReductions) {
  const TeExample e;
  const Expr load = MakeLoad(OutputOf(e.in, 0), {e.i});
  EXPECT_EQ(e.Verdict({e.in, e.Compute(load + 1)}), "sound");
  EXPECT_EQ(e.Verdict({e.Compute(load + 1), e.in}), "verify-undefined")
      << "read before its operation";
  EXPECT_EQ(e.Verdict({e.in, e.Compute(e.Sum(load * e.k), true)}), "sound");
  EXPECT_EQ(e.Verdict({e.in, e.Compute(e.Sum(load) + 1, true)}), "verify-malformed") << "S14";
  EXPECT_EQ(e.Verdict({e.in, e.Compute(load * e.k)}), "verify-undefined");
  EXPECT_EQ(e.Verdict({}), "verify-undefined") << "an argument whose operation is missing";
  EXPECT_EQ(ErrorOf([&] {
              VerifyFunc(MakeFunc("f", {}, MakeEvaluate(e.Sum(Int(1)))), Stage::kScheduled);
            }).name,
            "verify-stage");
  EXPECT_EQ(
      ErrorOf([&] { VerifyFunc(MakeFunc("f", {e.i}, MakeEvaluate(load)), Stage::kTile); }).name,
      "verify-stage");
}

TEST(VerifierPrograms, OperandsOfATrace) {
  const TeExample e;
  auto verdict = [&](NodeRef operand) {
    Ref<StepNode> step = Make<StepNode>();
    step->primitive = "split";
    step->operands = {{"axis", String("C.i")}, {"operand", std::move(operand)}};
    Ref<ProgramNode> program = Make<ProgramNode>();
    program->name = "p";
    program->ops = {e.in};
    program->trace = {step};
    return ErrorOf([&] { VerifyProgram(*program); }).name;
  };
  auto list = [](std::vector<NodeRef> items) {
    return MakeCall(DataType::Handle(), "list", std::move(items));
  };
  EXPECT_EQ(verdict(Int(8)), "sound");
  EXPECT_EQ(verdict(list({})), "sound");
  EXPECT_EQ(verdict(list({String("C.i"), Int(2), String("C.j")})), "sound");
  EXPECT_EQ(verdict(list({String("C.i"), Float(2)})), "verify-trace");
  EXPECT_EQ(verdict(list({list({})})), "verify-trace");
  Ref<TensorIntrinNode> intrin = Make<TensorIntrinNode>();  // checked when the step is replayed
  intrin->scalar_params = {MakeVar("its_own")};
  EXPECT_EQ(verdict(intrin), "sound");
  EXPECT_EQ(verdict(Float(1.5)), "verify-trace");
  EXPECT_EQ(verdict(MakeVar("n") + 1), "verify-undefined");
  EXPECT_EQ(
      ErrorOf([&] { VerifyFunc(MakeFunc("f", {}, MakeEvaluate(list({}))), Stage::kTile); }).name,
      "verify-call")
      << "elsewhere it is no intrinsic";
}

TEST(VerifierShape, DeepAndSharedTrees) {
  const Var x = MakeVar("x");
  Expr deep = x, shared = x;
  for (int i = 0; i < 100000; ++i) deep = MakeBinary(NodeKind::kAdd, deep, x);
  for (int i = 0; i < 200; ++i) shared = MakeBinary(NodeKind::kAdd, shared, shared);
  EXPECT_EQ(Verdict(Stage::kTile, {x}, MakeEvaluate(deep + shared)), "sound");
  Stmt nest = MakeEvaluate(x);
  for (int i = 0; i < 100000; ++i) nest = MakeIf(x > Int(0), nest);
  EXPECT_EQ(Verdict(Stage::kTile, {x}, nest), "sound");
}

}  // namespace
}  // namespace lathe::ir
