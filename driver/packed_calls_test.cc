// call_packed in compiled code and in the interpreter: which arguments a registered function gets,
// and what happens to its result and its error.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "ir/interpreter/interpreter.h"
#include "ir/intrinsic.h"
#include "ir/text/parser.h"
#include "lower/packed_calls.h"
#include "lower/pipeline.h"
#include "runtime/registry.h"
#include "runtime/tensor.h"
#include "schedule/schedule.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using ir::Int;
using ir::String;
using runtime::Args;
using runtime::Function;
using runtime::Tensor;
using runtime::Value;

const DataType kF32 = DataType::Float(32);

class PackedCalls : public testing::Test {
 protected:
  void SetUp() override { UseDefaultPlugins(); }
  void TearDown() override {
    for (const std::string& name : registered_) runtime::RemoveGlobal(name);
  }

  template <class F>
  void Register(const std::string& name, F body) {
    ASSERT_TRUE(runtime::RegisterGlobal(name, Function::From(body, name)).ok());
    registered_.push_back(name);
  }

  static runtime::Module BuildHere(const ir::Module& module) {
    lower::PassContext context;
    context.verify = true;
    auto built = Build(module, target::ParseTarget("llvm"), context);
    EXPECT_TRUE(built.ok()) << built.status();
    return *built;
  }

  // Returns the error's text; "no error" if there is none.
  template <class... A>
  static std::string Failure(const runtime::Module& module, const A&... args) {
    auto result = (*module.GetFunction("f")).TryCall(args...);
    return result.ok() ? "no error" : std::string(result.status().message());
  }

  std::vector<std::string> registered_;
};

Tensor Filled(std::initializer_list<int64_t> shape) {
  Tensor tensor = *Tensor::Empty(shape, kF32);
  for (int64_t i = 0; i < tensor.num_elements(); ++i)
    tensor.HostData<float>()[i] = static_cast<float>(i);
  return tensor;
}

// An operation whose body is a call, as users of libraries write it.
TEST_F(PackedCalls, ExternOperationCallsARegisteredFunction) {
  struct Seen {
    std::vector<int64_t> shape;
    int64_t extent = 0;
    double factor = 0;
    std::string mode;
    bool flag = false;
  };
  Seen seen;
  Register("packed_test.scale", [&seen](const Args& args, Value*) {
    const DLTensor* in = args[0].As<const DLTensor*>();
    const DLTensor* out = args[1].As<const DLTensor*>();
    seen = {{in->shape, in->shape + in->ndim},
            args[2].As<int64_t>(),
            args[3].As<double>(),
            args[4].As<std::string>(),
            args[5].As<bool>()};
    EXPECT_EQ(DataType(in->dtype), kF32);
    EXPECT_EQ(in->device.device_type, kDLCPU);
    EXPECT_EQ(in->device.device_id, 0);
    EXPECT_EQ(in->strides, nullptr);
    const auto* from =
        reinterpret_cast<const float*>(static_cast<char*>(in->data) + in->byte_offset);
    auto* to = reinterpret_cast<float*>(static_cast<char*>(out->data) + out->byte_offset);
    for (int64_t i = 0; i < in->shape[0] * in->shape[1]; ++i)
      to[i] = from[i] * static_cast<float>(seen.factor);
  });
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n, Int(3)}, kF32, "A");
  // The operations before and after it are compiled loops.
  const te::Tensor b = te::Compute(
      {n, Int(3)}, [&](const te::Indices& i) { return te::At(a, {i[0], i[1]}) + 1; }, "B");
  const te::Tensor c = te::Extern(
      {{n, Int(3)}}, {kF32}, {b},
      [&](const auto& in, const auto& out) {
        return ir::MakeEvaluate(
            ir::CallIntrinsic(DataType::Void(), "call_packed",
                              {String("packed_test.scale"), in[0], out[0], n * 2, ir::Float(0.5),
                               String("twice"), ir::Bool(true)}));
      },
      "C")[0];
  const te::Tensor d = te::Compute(
      {n, Int(3)}, [&](const te::Indices& i) { return te::At(c, {i[0], i[1]}) - 2; }, "D");
  const ir::Module lowered = Lower(schedule::CreateSchedule({d->op}), {a, d}, "f", {});
  const runtime::Module module = BuildHere(lowered);
  for (const int64_t size : {4, 0, 1}) {
    const Tensor x = Filled({size, 3}), y = Filled({size, 3});
    EXPECT_EQ(Failure(module, x, y), "no error");
    EXPECT_EQ(seen.shape, (std::vector<int64_t>{size, 3}));
    EXPECT_EQ(seen.extent, size * 2);
    EXPECT_EQ(seen.factor, 0.5);
    EXPECT_EQ(seen.mode, "twice");
    EXPECT_TRUE(seen.flag);
    for (int64_t i = 0; i < size * 3; ++i)
      EXPECT_EQ(y.HostData<float>()[i], (static_cast<float>(i) + 1) / 2 - 2) << i;
  }
}

// A view with strides and an offset. The number that the function returns is used as a value.
const char kStrided[] = R"(
func f(s: int64, o: int64, A: float32[2, 3](strides=[s, 1], offset=o, offset_factor=1), C: int32[2]) {
  C[0] = call_packed<int32>("packed_test.look", A, 7u8) * 10
  C[1] = 5
})";

TEST_F(PackedCalls, StridesOffsetAndResult) {
  Register("packed_test.look", [](const DLTensor* t, int64_t number) -> int64_t {
    EXPECT_EQ(number, 7);
    EXPECT_EQ(t->ndim, 2);
    EXPECT_EQ(t->shape[0], 2);
    EXPECT_EQ(t->shape[1], 3);
    EXPECT_EQ(t->strides[0], 8);
    EXPECT_EQ(t->strides[1], 1);
    EXPECT_EQ(t->byte_offset, 8u);
    const auto* data = reinterpret_cast<const float*>(static_cast<char*>(t->data) + t->byte_offset);
    return static_cast<int64_t>(data[t->strides[0]]);
  });
  const runtime::Module module = BuildHere(ir::ParseModule(kStrided));
  Tensor memory = Filled({16});
  const int64_t shape[] = {2, 3}, strides[] = {8, 1};
  const Tensor view = Tensor::Wrap(
      memory.HostData<float>(), 8, shape, strides, kF32, runtime::Device::Cpu(), [](void*) {},
      nullptr);
  Tensor out = *Tensor::Empty({2}, DataType::Int(32));
  EXPECT_EQ(Failure(module, int64_t{8}, int64_t{2}, view, out), "no error");
  EXPECT_EQ(out.HostData<int32_t>()[0], 100);
  EXPECT_EQ(out.HostData<int32_t>()[1], 5);
}

// The interpreter runs the lowered module like compiled code.
TEST_F(PackedCalls, InterpreterAgreesAfterEveryPass) {
  ir::Module module = ir::ParseModule(kStrided);
  int calls = 0;
  ir::InterpretOptions options;
  options.call_packed = [&](std::string_view name, std::span<const ir::InterpValue> args) {
    ++calls;
    EXPECT_EQ(name, "packed_test.look");
    const ir::InterpTensor& t = *args[0].tensor;
    EXPECT_EQ(t.shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(t.strides, (std::vector<int64_t>{8, 1}));
    EXPECT_EQ(t.dtype, kF32);
    EXPECT_EQ(args[1].i, 7);
    const auto* data =
        reinterpret_cast<const float*>(static_cast<const char*>(t.data) + t.byte_offset);
    return ir::InterpValue::Int(static_cast<int64_t>(data[t.strides[0]]));
  };
  std::vector<float> memory(16);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  auto run = [&](const ir::Module& at) {
    ir::InterpTensor view = ir::InterpTensor::Of(memory.data(), kF32, {2, 3});
    view.strides = {8, 1};
    view.byte_offset = 8;
    std::vector<int32_t> out(2);
    ir::Interpret(
        at, "f",
        std::vector<ir::InterpValue>{ir::InterpValue::Int(8), ir::InterpValue::Int(2), view,
                                     ir::InterpTensor::Of(out.data(), DataType::Int(32), {2})},
        options);
    EXPECT_EQ(out, (std::vector<int32_t>{100, 5}));
  };
  run(module);
  lower::PassContext context;
  context.verify = true;
  int passes = 1;
  context.after_pass = [&](const lower::Pass&, const ir::Module&, const ir::Module& after, double) {
    ++passes;
    run(after);
  };
  lower::RunPasses(module, lower::FlatPasses(), context);
  EXPECT_EQ(calls, passes);
}

TEST_F(PackedCalls, ErrorsOfTheCalleeReachTheCaller) {
  Register("packed_test.fail", [](int64_t code) -> absl::Status {
    return absl::FailedPreconditionError("the answer is not " + std::to_string(code));
  });
  // Large enough for the workspace, which must be given back, and within a parallel loop.
  const runtime::Module module = BuildHere(ir::ParseModule(R"(
func f(C: int32[100000], n: int32) {
  allocate T: int32[100000]
  for i in range(100000) { T[i] = i }
  if n > 0 { parallel for j in range(4) { evaluate call_packed<void>("packed_test.fail", n + j - j) } }
  else { evaluate call_packed<void>("packed_test.fail", n) }
  for i in range(100000) { C[i] = T[i] }
})"));
  const Tensor out = *Tensor::Empty({100000}, DataType::Int(32));
  for (int repeat = 0; repeat < 50; ++repeat) {
    for (const int64_t code : {0, 43}) {
      const std::string failure = Failure(module, out, code);
      EXPECT_NE(failure.find("the answer is not " + std::to_string(code)), std::string::npos)
          << failure;
    }
  }
}

TEST_F(PackedCalls, UnknownFunctionsAndUnusableResultsAreNamed) {
  const runtime::Module unknown = BuildHere(ir::ParseModule(
      "func f(n: int32) { evaluate call_packed<void>(\"packed_test.nowhere\", n) }"));
  const std::string failure = Failure(unknown, 1);
  EXPECT_NE(failure.find("packed_test.nowhere"), std::string::npos) << failure;
  EXPECT_NE(failure.find("registry-not-found"), std::string::npos) << failure;

  const runtime::Module module = BuildHere(ir::ParseModule(R"(
func f(C: int8[1], D: float32[1], kind: int32) {
  if kind == 0 { C[0] = call_packed<int8>("packed_test.give") }
  else if kind == 1 { D[0] = call_packed<float32>("packed_test.give") }
  else { evaluate call_packed<void>("packed_test.give") }
})"));
  const Tensor c = *Tensor::Empty({1}, DataType::Int(8)), d = *Tensor::Empty({1}, kF32);
  Value give;
  Register("packed_test.give", [&give](const Args&, Value* result) { *result = give; });
  auto call = [&](Value value, int64_t kind) {
    give = std::move(value);
    return Failure(module, c, d, kind);
  };
  EXPECT_EQ(call(Value(int64_t{-128}), 0), "no error");
  EXPECT_EQ(c.HostData<int8_t>()[0], -128);
  EXPECT_EQ(call(Value(2.5), 1), "no error");
  EXPECT_EQ(d.HostData<float>()[0], 2.5f);
  EXPECT_EQ(call(Value(int64_t{3}), 1), "no error");
  EXPECT_EQ(d.HostData<float>()[0], 3.0f);
  const std::string range = call(Value(int64_t{128}), 0);
  EXPECT_NE(range.find("packed-call-result"), std::string::npos) << range;
  EXPECT_NE(range.find("128"), std::string::npos) << range;
  EXPECT_NE(call(Value(2.5), 0).find("packed-call-result"), std::string::npos);
  EXPECT_NE(call(Value(2.5), 0).find("found: a float"), std::string::npos) << call(Value(2.5), 0);
  EXPECT_NE(call(Value(), 1).find("packed-call-result"), std::string::npos);
  // Objects are released.
  const Tensor object = Filled({4});
  EXPECT_NE(call(Value(object), 1).find("packed-call-result"), std::string::npos);
  EXPECT_EQ(call(Value(object), 2), "no error");
  give = Value();
  EXPECT_EQ(object.get()->object.refs, 1u);
}

// A host function launches a kernel through the same call, before and after lowering.
TEST_F(PackedCalls, KernelLaunchesInTheInterpreter) {
  const ir::Module module = ir::ParseModule(R"(
func main(A: float32[8], B: float32[8], scale: float32) {
  evaluate call_packed<int32>("twice", A, B, scale, 2, 4, 0)
}
func twice(a: handle, b: handle, scale: float32) with {calling_convention = "kernel", launch = "blockIdx.x threadIdx.x"} {
  decl_buffer A: float32[8] = a
  decl_buffer B: float32[8] = b
  thread("blockIdx.x") for i in range(2) { thread("threadIdx.x") for j in range(4) {
    B[i * 4 + j] = A[i * 4 + j] * scale
  } }
})");
  auto run = [](const ir::Module& at) {
    std::vector<float> x = {0, 1, 2, 3, 4, 5, 6, 7}, y(8);
    ir::Interpret(at, "main",
                  std::vector<ir::InterpValue>{ir::InterpTensor::Of(x.data(), kF32, {8}),
                                               ir::InterpTensor::Of(y.data(), kF32, {8}),
                                               ir::InterpValue::Float(2.5)});
    for (size_t i = 0; i < 8; ++i) EXPECT_EQ(y[i], x[i] * 2.5f);
  };
  run(module);
  run(lower::LowerPackedCalls(module, {}));
}

std::string Refusal(const char* text) {
  try {
    lower::RunPasses(ir::ParseModule(text), lower::FlatPasses(), {});
    return "no error";
  } catch (const Error& error) {
    return error.name();
  }
}

TEST_F(PackedCalls, CallsThatCannotBeAreRefused) {
  EXPECT_EQ(Refusal("func f(C: int32[1], n: int32) { C[0] = if_then_else(n > 0, "
                    "call_packed<int32>(\"g\", n), 0) }"),
            "packed-call-position");
  EXPECT_EQ(Refusal("func f(C: int32[1], n: int32) { C[0] = let x: int32 = n in "
                    "call_packed<int32>(\"g\", x) }"),
            "packed-call-position");
  EXPECT_EQ(Refusal("func f(C: int32[1], n: int32) { while call_packed<int32>(\"g\", n) > 0 { "
                    "C[0] = 1 } }"),
            "packed-call-position");
  EXPECT_EQ(Refusal("func f(C: int32[1], n: int32) { "
                    "evaluate call_packed<void>(\"g\", broadcast(n, 4)) }"),
            "packed-call-argument");
}

}  // namespace
}  // namespace lathe::driver
