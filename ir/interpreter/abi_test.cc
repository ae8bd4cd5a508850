// The calling convention: packed functions, parallel bodies, runtime calls, functions of this
// module and of others.

#include <functional>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"

namespace lathe::ir {
namespace {

const DataType kI32 = DataType::Int(32), kI64 = DataType::Int(64), kF32 = DataType::Float(32),
               kF64 = DataType::Float(64), kHandle = DataType::Handle();

Diagnostic ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return Diagnostic{.name = "no error"};
}
std::string NameOfError(const std::function<void()>& action) { return ErrorOf(action).name; }

Stmt Do(const char* op, std::vector<NodeRef> args) {
  return MakeEvaluate(CallIntrinsic(op, std::move(args)));
}
Expr Get(DataType type, const char* op, std::vector<NodeRef> args) {
  return CallIntrinsic(type, op, std::move(args));
}
Stmt Return(Expr value) { return Do("return", {std::move(value)}); }

// Makes a function with the packed calling convention from its body over self, args, n and ret.
struct Packed {
  Var self = MakeVar("self", kHandle), args = MakeVar("args", kHandle), n = MakeVar("n"),
      ret = MakeVar("ret", kHandle);
  Func Make(const std::string& name, Stmt body) const {
    return MakeFunc(name, {self, args, n, ret}, std::move(body),
                    {{"calling_convention", String("packed")}}, kI32);
  }
  // Raises an error and fails.
  Stmt Fail(const char* name, const char* format, const Expr& values, int count) const {
    return MakeSeq(
        {MakeEvaluate(Get(kI32, "runtime_call",
                          {String("raise"), String(name), String(format), values, Int(count)})),
         Return(Get(kI32, "runtime_call", {String("take_error"), ret}))});
  }
};

TEST(InterpretPacked, ArgumentsAndResult) {
  const Packed p;
  const Expr a = Get(kI64, "arg_value", {p.args, Int(0)}),
             b = Get(kF64, "arg_value", {p.args, Int(1)});
  const Func func = p.Make(
      "f", MakeSeq({Do("value_set", {p.ret, Int(0), Int(LATHE_VALUE_FLOAT), MakeCast(kF64, a) * b}),
                    Return(Int(0))}));
  const std::vector<InterpValue> args = {InterpValue::Int(3), InterpValue::Float(2.5)};
  const InterpValue result = Interpret(func, args);
  EXPECT_EQ(result.kind, LATHE_VALUE_FLOAT);
  EXPECT_EQ(result.d, 7.5);
  const std::vector<InterpValue> wrong = {InterpValue::Float(3), InterpValue::Float(2.5)};
  EXPECT_EQ(NameOfError([&] { Interpret(func, wrong); }), "interpret-value-kind");
  const std::vector<InterpValue> few = {InterpValue::Int(3)};
  EXPECT_EQ(NameOfError([&] { Interpret(func, few); }), "interpret-out-of-bounds");
}

TEST(InterpretPacked, KindsAreSeen) {
  const Packed p;
  const Func func = p.Make(
      "f", MakeSeq({Do("value_set", {p.ret, Int(0), Int(LATHE_VALUE_INT),
                                     MakeCast(kI64, Get(kI32, "arg_kind", {p.args, Int(0)}))}),
                    Return(Int(0))}));
  float data = 0;
  for (const InterpValue& value :
       {InterpValue::Int(1), InterpValue::Float(1), InterpValue::Bool(true), InterpValue(),
        InterpValue::String("s"), InterpValue(InterpTensor::Of(&data, kF32, {}))}) {
    EXPECT_EQ(Interpret(func, std::vector<InterpValue>{value}).i, value.kind);
  }
}

TEST(InterpretPacked, TensorFields) {
  const Packed p;
  const Var tensor = MakeVar("tensor", kHandle), data = MakeVar("data", kHandle),
            shape = MakeVar("shape", kHandle), strides = MakeVar("strides", kHandle),
            extent = MakeVar("extent", kI64), i = MakeVar("i", kI64);
  Ref<BufferNode> view = Make<BufferNode>();
  view->name = "A";
  view->dtype = kF32;
  view->data = data;
  view->shape = {extent};
  const Buffer a = view;
  auto field = [&](DataType type, const char* name) {
    return Get(type, "tensor_field", {tensor, String(name)});
  };
  // Doubles every element of a compact rank-1 tensor; the number of dimensions, bits and null
  // strides in the result.
  const Stmt body = MakeLetStmt(
      tensor, Get(kHandle, "arg_value", {p.args, Int(0)}),
      MakeLetStmt(
          data, field(kHandle, "data"),
          MakeLetStmt(
              shape, field(kHandle, "shape"),
              MakeLetStmt(
                  strides, field(kHandle, "strides"),
                  MakeLetStmt(
                      extent, Get(kI64, "shape_at", {shape, Int(0)}),
                      MakeDeclBuffer(
                          a, data,
                          MakeSeq({MakeFor(i, Int(0, kI64), extent, ForKind::kSerial,
                                           MakeStore(a, MakeLoad(a, {i}) * Float(2), {i})),
                                   Do("value_set",
                                      {p.ret, Int(0), Int(LATHE_VALUE_INT),
                                       MakeCast(kI64, field(kI32, "ndim") * 1000 +
                                                          field(kI32, "dtype_bits") * 10 +
                                                          MakeCast(kI32, Get(DataType::Bool(),
                                                                             "pointer_is_null",
                                                                             {strides})))}),
                                   Return(Int(0))})))))));
  std::vector<float> values = {1, 2, 3};
  const Func func = p.Make("f", body);
  EXPECT_EQ(Interpret(func, std::vector<InterpValue>{InterpTensor::Of(values.data(), kF32, {3})}).i,
            1321);
  EXPECT_EQ(values, (std::vector<float>{2, 4, 6}));
  InterpValue null;
  null.kind = LATHE_VALUE_DLTENSOR;
  EXPECT_EQ(NameOfError([&] { Interpret(func, std::vector<InterpValue>{null}); }),
            "interpret-bad-handle");
  EXPECT_EQ(NameOfError([&] {
              Interpret(p.Make("g", MakeEvaluate(Get(kI32, "tensor_field",
                                                     {Get(kHandle, "arg_value", {p.args, Int(0)}),
                                                      String("colour")}))),
                        std::vector<InterpValue>{InterpTensor::Of(values.data(), kF32, {3})});
            }),
            "interpret-malformed");
}

TEST(InterpretPacked, RaisedErrorsArrive) {
  const Packed p;
  const Var values = MakeVar("values", kHandle);
  const Func func = p.Make(
      "f", MakeLetStmt(
               values, Get(kHandle, "stack_values", {Int(2)}),
               MakeSeq({Do("value_set", {values, Int(0), Int(LATHE_VALUE_INT), Int(7, kI64)}),
                        Do("value_set", {values, Int(1), Int(LATHE_VALUE_STRING), String("seven")}),
                        p.Fail("call-wrong-number", "{0} is {1}, not {5}", values, 2)})));
  const Diagnostic error = ErrorOf([&] { Interpret(func, {}); });
  EXPECT_EQ(error.name, "call-wrong-number");
  EXPECT_EQ(error.message, "7 is seven, not {5}");
  EXPECT_EQ(NameOfError([&] { Interpret(p.Make("g", Return(Int(-1))), {}); }),
            "interpret-failed-call");
}

TEST(InterpretPacked, RaiseShowsValuesOfAnyType) {
  const Packed p;
  const Stmt fail = Return(Get(kI32, "runtime_call", {String("take_error"), p.ret}));
  const auto error_of = [&](std::vector<Stmt> raises) {
    raises.push_back(fail);
    return ErrorOf([&] { Interpret(p.Make("f", MakeSeq(std::move(raises))), {}); });
  };
  const Expr half = Float(0.5, DataType::Float(16)), big = Int(200, DataType::UInt(8));
  const Stmt raise = Do(
      "raise", {String("test-raised"), String("{0} {1} {2} {3} {4:kind} {5:dtype}, not {6}"), half,
                big, Bool(true), String("text"), Int(65), Int(kDLFloat | 64 << 8 | 1 << 16)});
  const Diagnostic error = error_of({raise, Do("raise", {String("later"), String("ignored")})});
  EXPECT_EQ(error.name, "test-raised");
  EXPECT_EQ(error.message, "0.5 200 true text an unknown kind (65) float64, not {6}");
  EXPECT_EQ(error_of({}).name, "interpret-failed-call");
}

TEST(InterpretPacked, AssertionsWithoutANamePassOnWhatIsPending) {
  const Packed p;
  const Expr raise = Get(kI32, "runtime_call",
                         {String("raise"), String("test-raised"), String("why"),
                          CallIntrinsic("stack_values", {Int(0)}), Int(0)});
  EXPECT_EQ(
      NameOfError([&] { Interpret(p.Make("f", MakeAssert(Equal(raise, Int(0)), "", "")), {}); }),
      "test-raised");
}

// A module whose entry runs a parallel body over [0, n). The body writes its index times the first
// slot.
Module ParallelModule(const Buffer& out, const Expr& body_result) {
  const Var closure = MakeVar("closure", kHandle), begin = MakeVar("begin", kI64),
            end = MakeVar("end", kI64), i = MakeVar("i", kI64), data = MakeVar("data", kHandle),
            scale = MakeVar("scale");
  const Buffer view = MakeBuffer("view", kI32, {end});
  const Func body = MakeFunc(
      "body", {closure, begin, end},
      MakeLetStmt(data, Get(kHandle, "slot_load", {closure, Int(0)}),
                  MakeLetStmt(scale, Get(kI32, "slot_load", {closure, Int(1)}),
                              MakeDeclBuffer(
                                  view, data,
                                  MakeSeq({MakeFor(i, begin, end - begin, ForKind::kSerial,
                                                   MakeStore(view, MakeCast(kI32, i) * scale, {i})),
                                           Return(body_result)})))),
      {{"calling_convention", String("parallel_body")}}, kI32);
  const Var slots = MakeVar("slots", kHandle), n = MakeVar("n");
  const Func main = MakeFunc(
      "main", {out, n},
      MakeLetStmt(
          slots, Get(kHandle, "stack_slots", {Int(2)}),
          MakeSeq(
              {Do("slot_store", {slots, Int(0), out->data}), Do("slot_store", {slots, Int(1), n}),
               Return(Get(kI32, "runtime_call",
                          {String("parallel"), Get(kHandle, "function_address", {String("body")}),
                           slots, MakeCast(kI64, out->shape[0])}))})),
      {}, kI32);
  return MakeModule({main, body});
}

TEST(InterpretParallel, BodiesRunInParts) {
  for (const int parts : {1, 2, 3, 100}) {
    for (const int64_t extent : {0, 1, 7}) {
      const Buffer out = MakeBuffer("out", kI32, {MakeVar("extent")});
      std::vector<int32_t> data(static_cast<size_t>(extent) + 1, -1);
      InterpretOptions options;
      options.parallel_parts = parts;
      const std::vector<InterpValue> args = {InterpTensor::Of(data.data(), kI32, {extent}),
                                             InterpValue::Int(3)};
      EXPECT_EQ(Interpret(ParallelModule(out, Int(0)), "main", args, options).i, 0);
      for (int64_t i = 0; i < extent; ++i) EXPECT_EQ(data[static_cast<size_t>(i)], 3 * i);
      EXPECT_EQ(data.back(), -1);
    }
  }
  const Buffer out = MakeBuffer("out", kI32, {Int(6)});
  std::vector<int32_t> data(6, -1);
  const std::vector<InterpValue> args = {InterpTensor::Of(data.data(), kI32, {6}),
                                         InterpValue::Int(3)};
  EXPECT_EQ(Interpret(ParallelModule(out, Int(-1)), "main", args).i, -1)
      << "a part's failure is the region's";
  EXPECT_EQ(data[3], -1) << "later parts are skipped";
}

TEST(InterpretCalls, FunctionsOfTheModule) {
  const Var n = MakeVar("n"), m = MakeVar("m");
  const Func twice = MakeFunc("twice", {n}, Return(n * 2), {}, kI32);
  const Func main =
      MakeFunc("main", {m}, Return(Get(kI32, "call_plain", {String("twice"), m + 1})), {}, kI32);
  const Module module = MakeModule({twice, main});
  EXPECT_EQ(Interpret(module, "main", std::vector<InterpValue>{InterpValue::Int(4)}).i, 10);
  auto run = [&](Expr call) {
    return NameOfError([&] {
      Interpret(MakeModule({twice, MakeFunc("main", {}, MakeEvaluate(std::move(call)))}), "main",
                {});
    });
  };
  EXPECT_EQ(run(Get(kI32, "call_plain", {String("thrice"), Int(1)})), "interpret-unknown-function");
  EXPECT_EQ(run(Get(kI32, "call_plain", {String("twice")})), "interpret-argument");
  EXPECT_EQ(run(Get(kI32, "call_plain", {String("twice"), Float(1)})), "interpret-argument");
  EXPECT_EQ(run(Get(kI64, "call_plain", {String("twice"), Int(1)})), "interpret-malformed");
  EXPECT_EQ(run(Get(kHandle, "function_address", {String("none")})), "interpret-unknown-function");
}

TEST(InterpretCalls, RecursionEnds) {
  const Var n = MakeVar("n");
  const Func loop =
      MakeFunc("loop", {n}, Return(Get(kI32, "call_plain", {String("loop"), n + 1})), {}, kI32);
  EXPECT_EQ(NameOfError([&] { Interpret(loop, std::vector<InterpValue>{InterpValue::Int(0)}); }),
            "interpret-call-depth");
}

TEST(InterpretCalls, PackedFunctionsOfOthers) {
  const Buffer out = MakeBuffer("out", kI32, {Int(3)});
  const Expr call =
      Get(kI32, "call_packed", {String("test.fill"), out, Int(5), Float(0.5), String("now")});
  std::vector<int32_t> data(3, 0);
  InterpTensor tensor = InterpTensor::Of(data.data(), kI32, {3});
  tensor.initialized = false;
  const std::vector<InterpValue> args = {tensor};
  const Func func = MakeFunc(
      "f", {out}, MakeSeq({MakeEvaluate(call), Return(MakeLoad(out, {Int(2)}))}), {}, kI32);
  InterpretOptions options;
  options.call_packed = [](std::string_view name, std::span<const InterpValue> values) {
    EXPECT_EQ(name, "test.fill");
    EXPECT_EQ(values.size(), 4u);
    EXPECT_EQ(values[2].d, 0.5);
    EXPECT_EQ(values[3].s, "now");
    for (int64_t i = 0; i < values[0].tensor->shape[0]; ++i) {
      static_cast<int32_t*>(values[0].tensor->data)[i] = static_cast<int32_t>(values[1].i);
    }
    return InterpValue::Int(0);
  };
  EXPECT_EQ(Interpret(func, args, options).i, 5) << "what the callee wrote counts as written";
  EXPECT_EQ(NameOfError([&] { Interpret(func, args); }), "interpret-unknown-function");
  options.call_packed = [](std::string_view, std::span<const InterpValue>) -> InterpValue {
    throw Error(Diagnostic{.name = "test-failed", .message = "no"});
  };
  EXPECT_EQ(NameOfError([&] { Interpret(func, args, options); }), "test-failed");
}

TEST(InterpretCalls, PackedCallsThroughTheRuntime) {
  // As compiled code does it: values on the stack, a cache word, an error code.
  const Packed p;
  const Var values = MakeVar("values", kHandle), result = MakeVar("result", kHandle);
  const Expr call = Get(kI32, "runtime_call",
                        {String("call_packed"), String("test.add"),
                         CallIntrinsic("call_site_cache", {}), values, Int(2), result});
  const Stmt body = MakeLetStmt(
      values, Get(kHandle, "stack_values", {Int(2)}),
      MakeLetStmt(
          result, Get(kHandle, "stack_values", {Int(1)}),
          MakeSeq({Do("value_set", {values, Int(0), Int(LATHE_VALUE_INT),
                                    Get(kI64, "arg_value", {p.args, Int(0)})}),
                   Do("value_set", {values, Int(1), Int(LATHE_VALUE_FLOAT), Float(0.25, kF64)}),
                   MakeIf(NotEqual(call, Int(0)),
                          Return(Get(kI32, "runtime_call", {String("take_error"), p.ret}))),
                   Do("value_set", {p.ret, Int(0), Int(LATHE_VALUE_FLOAT),
                                    Get(kF64, "value_get", {result, Int(0)})}),
                   Return(Int(0))})));
  const Func func = p.Make("f", body);
  InterpretOptions options;
  options.call_packed = [](std::string_view, std::span<const InterpValue> args) -> InterpValue {
    if (args[0].i == 0) throw Error(Diagnostic{.name = "test-zero", .message = "zero"});
    return InterpValue::Float(static_cast<double>(args[0].i) + args[1].d);
  };
  EXPECT_EQ(Interpret(func, std::vector<InterpValue>{InterpValue::Int(2)}, options).d, 2.25);
  EXPECT_EQ(
      NameOfError([&] { Interpret(func, std::vector<InterpValue>{InterpValue::Int(0)}, options); }),
      "test-zero");
}

TEST(InterpretRuntime, WorkspaceAndUnknownEntries) {
  const Var w = MakeVar("w", kHandle);
  const Buffer tmp = MakeBuffer("tmp", kI32, {Int(4)});
  auto alloc = [](Expr bytes) {
    return Get(kHandle, "runtime_call",
               {String("workspace_alloc"), Int(1), Int(0), std::move(bytes), String("global")});
  };
  const Stmt free =
      MakeEvaluate(Get(kI32, "runtime_call", {String("workspace_free"), Int(1), Int(0), w}));
  const Stmt use = MakeDeclBuffer(
      tmp, w, MakeSeq({MakeStore(tmp, Int(5), {Int(3)}), Return(MakeLoad(tmp, {Int(3)}))}));
  EXPECT_EQ(Interpret(MakeFunc("f", {}, MakeLetStmt(w, alloc(Int(16, kI64)), use), {}, kI32), {}).i,
            5);
  EXPECT_EQ(NameOfError([&] {
              Interpret(MakeFunc("f", {}, MakeLetStmt(w, alloc(Int(15, kI64)), use), {}, kI32), {});
            }),
            "interpret-out-of-bounds");
  EXPECT_EQ(
      NameOfError([&] {
        Interpret(
            MakeFunc("f", {}, MakeLetStmt(w, alloc(Int(16, kI64)), MakeSeq({free, use})), {}, kI32),
            {});
      }),
      "interpret-bad-handle");
  EXPECT_EQ(NameOfError([&] {
              Interpret(MakeFunc("f", {}, MakeLetStmt(w, alloc(Int(-1, kI64)), use), {}, kI32), {});
            }),
            "interpret-memory-limit");
  EXPECT_EQ(
      NameOfError([&] {
        Interpret(
            MakeFunc("f", {}, Do("return", {Get(kI32, "runtime_call", {String("no_entry")})})), {});
      }),
      "interpret-unknown-function");
  EXPECT_EQ(NameOfError([&] {
              Interpret(
                  MakeFunc("f", {}, Do("return", {Get(kI32, "runtime_call", {String("raise")})})),
                  {});
            }),
            "interpret-malformed");
}

TEST(InterpretRuntime, CopiesTensors) {
  const Packed p;
  const Expr from = Get(kHandle, "arg_value", {p.args, Int(0)}),
             to = Get(kHandle, "arg_value", {p.args, Int(1)});
  const Func func =
      p.Make("f", MakeIf(NotEqual(Get(kI32, "runtime_call", {String("copy"), from, to}), Int(0)),
                         Return(Get(kI32, "runtime_call", {String("take_error"), p.ret})),
                         Return(Int(0))));
  std::vector<int32_t> a = {1, 2, 3, 4}, b(4, 0);
  InterpTensor transposed = InterpTensor::Of(a.data(), kI32, {2, 2});
  transposed.strides = {1, 2};
  Interpret(func, std::vector<InterpValue>{transposed, InterpTensor::Of(b.data(), kI32, {2, 2})});
  EXPECT_EQ(b, (std::vector<int32_t>{1, 3, 2, 4}));
  EXPECT_EQ(NameOfError([&] {
              Interpret(func, std::vector<InterpValue>{transposed,
                                                       InterpTensor::Of(b.data(), kI32, {4})});
            }),
            "copy-mismatch");
}

TEST(InterpretSlots, AreChecked) {
  auto slots = [](Expr index, DataType type) {
    const Var s = MakeVar("s", kHandle);
    return MakeFunc(
        "f", {},
        MakeLetStmt(
            s, Get(kHandle, "stack_slots", {Int(2)}),
            MakeSeq({Do("slot_store", {s, Int(0), Float(1.5)}),
                     Return(MakeCast(kF64, Get(type, "slot_load", {s, std::move(index)})))})),
        {}, kF64);
  };
  EXPECT_EQ(Interpret(slots(Int(0), kF32), {}).d, 1.5);
  EXPECT_EQ(NameOfError([&] { Interpret(slots(Int(1), kF32), {}); }), "interpret-uninitialized");
  EXPECT_EQ(NameOfError([&] { Interpret(slots(Int(2), kF32), {}); }), "interpret-out-of-bounds");
  EXPECT_EQ(NameOfError([&] { Interpret(slots(Int(-1), kF32), {}); }), "interpret-out-of-bounds");
}

TEST(InterpretExtern, SeesBuffersAndStrings) {
  const Buffer out = MakeBuffer("out", kI32, {Int(4)});
  std::vector<int32_t> data(4, 0);
  InterpretOptions options;
  options.call_extern = [](const ExternCall& call) {
    EXPECT_EQ(call.args[0].bytes, 16u);
    EXPECT_EQ(call.args[1].bytes, 8u);
    EXPECT_EQ(*call.args[2].text, "hello");
    static_cast<int32_t*>(call.args[1].data)[0] = 9;
    call.result[0].i = 1;
    return true;
  };
  const Expr address = CallIntrinsic("address_of", {MakeLoad(out, {Int(2)})});
  const Func func = MakeFunc(
      "f", {out}, Return(Get(kI32, "call_extern", {String("g"), out, address, String("hello")})),
      {}, kI32);
  EXPECT_EQ(
      Interpret(func, std::vector<InterpValue>{InterpTensor::Of(data.data(), kI32, {4})}, options)
          .i,
      1);
  EXPECT_EQ(data[2], 9);
}

TEST(InterpretCalls, OneInterpreterManyCalls) {
  const Var n = MakeVar("n");
  Interpreter interpreter(MakeModule({MakeFunc("f", {n}, Return(n + 1), {}, kI32)}));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(interpreter.Call("f", std::vector<InterpValue>{InterpValue::Int(i)}).i, i + 1);
  }
  EXPECT_GT(interpreter.steps(), 10u);
}

}  // namespace
}  // namespace lathe::ir
