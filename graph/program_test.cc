// Programs: functions, closures, recursion and data types, compiled and interpreted.
#include <cmath>

#include "driver/default_plugins.h"
#include "graph/build.h"
#include "graph/infer.h"
#include "graph/interpreter/interpreter.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/verify_graph.h"
#include "runtime/error_object.h"
#include "runtime/graph/vm/program_module.h"
#include "runtime/status.h"
#include "target/host_target.h"

namespace lathe::graph {
namespace {

using runtime::Tensor;
using runtime::Value;
using runtime::vm::DataIn;
using runtime::vm::Machine;

template <class T>
T ValueOrThrow(absl::StatusOr<T> value) {
  if (!value.ok()) runtime::ThrowStatus(value.status());
  return *std::move(value);
}

Tensor Floats(std::vector<float> values, std::vector<int64_t> shape) {
  return ValueOrThrow(
      Tensor::FromHost(values.data(), values.size() * 4, shape, DataType::Float(32)));
}
Tensor Scalar(float value) { return Floats({value}, {}); }
Tensor Int(int32_t value) {
  return ValueOrThrow(Tensor::FromHost(&value, 4, std::vector<int64_t>{}, DataType::Int(32)));
}
std::string TextOf(const Tensor& tensor) {
  std::string text = tensor.dtype().ToString() + "[";
  for (const int64_t extent : tensor.shape()) text += std::to_string(extent) + ",";
  text += "]";
  const auto* data = static_cast<const char*>(tensor.dl().data) + tensor.dl().byte_offset;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (tensor.dtype() == DataType::Float(32)) {
      // Levels may round differently.
      text += " " + std::to_string(std::round(reinterpret_cast<const float*>(data)[i] * 100) / 100);
    } else if (tensor.dtype() == DataType::Int(32)) {
      text += " " + std::to_string(reinterpret_cast<const int32_t*>(data)[i]);
    }
  }
  return text;
}
std::string TextOf(const GraphValue& value) {
  if (value.kind == GraphValue::Kind::kTensor) return TextOf(value.tensor);
  if (value.kind == GraphValue::Kind::kFunction) return "function";
  const bool is_data = value.kind == GraphValue::Kind::kData;
  std::string text = is_data ? value.data().constructor : "tuple";
  text += "(";
  for (const GraphValue& field : is_data ? value.data().fields : value.fields)
    text += TextOf(field) + "; ";
  return text + ")";
}
std::string TextOf(const Value& value) {
  if (value.Is<Tensor>()) return TextOf(value.As<Tensor>());
  std::string text = "tuple";
  std::vector<Value> fields;
  if (const auto* data = DataIn(value)) {
    if (!data->is_tuple()) text = data->constructor->name;
    fields = data->fields;
  } else if (value.Is<std::vector<Value>>()) {
    fields = value.As<std::vector<Value>>();
  } else {
    return "function";
  }
  text += "(";
  for (const Value& field : fields) text += TextOf(field) + "; ";
  return text + ")";
}

class Compiled {
 public:
  explicit Compiled(const std::string& text, int level = 3) {
    driver::UseDefaultPlugins();
    runtime::ThrowIfError(runtime::vm::RegisterVm());
    module = InferTypes(ir::ParseGraphModule(text));
    ir::VerifyGraph(module);
    GraphBuildOptions options;
    options.opt_level = level;
    code = ValueOrThrow(BuildProgramModule(module, {"main"}, target::HostTarget(), options, "p"));
    machine = std::make_unique<Machine>(ValueOrThrow(runtime::vm::FindProgram(code, "p")));
  }
  absl::StatusOr<Value> Run(const std::vector<Tensor>& args) {
    const std::vector<Value> values(args.begin(), args.end());
    return machine->Invoke("main", values);
  }
  ir::GraphModule module;
  runtime::Module code;
  std::unique_ptr<Machine> machine;
};

// `main` gives what the interpreter gives, at both ends of the levels.
void Check(const std::string& text, const std::vector<std::vector<Tensor>>& calls) {
  for (const int level : {0, 3}) {
    Compiled compiled(text, level);
    for (const std::vector<Tensor>& args : calls) {
      const GraphValue expected = Interpret(compiled.module, "main", {args.begin(), args.end()});
      EXPECT_EQ(TextOf(ValueOrThrow(compiled.Run(args))), TextOf(expected)) << "level " << level;
    }
  }
}

constexpr char kLists[] = R"(
type List { Nil, Cons(float32[], List) }
graph map(%f: fn(float32[]) -> float32[], %l: List) -> List {
  %0 = match %l {
    List.Nil => { return %l }
    List.Cons(%h, %t) => {
      %1 = %f(%h)
      %2 = @map(%f, %t)
      %3 = new List.Cons(%1, %2)
      return %3
    }
  }
  return %0
}
graph fold(%f: fn(float32[], float32[]) -> float32[], %z: float32[], %l: List) -> float32[] {
  %0 = match %l {
    List.Nil => { return %z }
    List.Cons(%h, %t) => {
      %1 = %f(%z, %h)
      %2 = @fold(%f, %1, %t)
      return %2
    }
  }
  return %0
}
graph count(%n: float32[], %l: List) -> List {
  %zero = zeros(shape=[], dtype="float32")
  %one = ones(shape=[], dtype="float32")
  %more = greater(%n, %zero)
  %0 = if %more {
    %1 = subtract(%n, %one)
    %2 = new List.Cons(%n, %l)
    %3 = @count(%1, %2)
    return %3
  } else { return %l }
  return %0
}
)";

TEST(Program, MapAndFoldOverAList) {
  Check(std::string(kLists) + R"(
graph main(%n: float32[], %k: float32[]) -> (float32[], List) {
  %nil = new List.Nil()
  %l = @count(%n, %nil)
  %scale = graph(%a: float32[]) { %0 = multiply(%a, %k) return %0 }
  %add = graph(%a: float32[], %b: float32[]) { %0 = add(%a, %b) return %0 }
  %m = @map(%scale, %l)
  %z = zeros(shape=[], dtype="float32")
  %s = @fold(%add, %z, %m)
  %r = (%s, %m)
  return %r
})",
        {{Scalar(4), Scalar(10)}, {Scalar(0), Scalar(1)}});
}

TEST(Program, SizesTravelIntoClosuresAndArms) {
  Check(
      R"(
graph adder(%k: float32[n]) -> fn(float32[n]) -> float32[n] {
  %0 = graph(%a: float32[n]) { %1 = add(%a, %k) %2 = reshape(%1, newshape=[n, 1]) %3 = reshape(%2, newshape=[n]) return %3 }
  return %0
}
graph twice(%f: fn(float32[m]) -> float32[m], %x: float32[m]) -> float32[m] {
  %0 = %f(%x)
  %1 = %f(%0)
  return %1
}
graph pick(%c: bool[], %f: fn(float32[m]) -> float32[m], %x: float32[m]) -> float32[m] {
  %0 = if %c { %1 = @pick(%c, %f, %x) return %1 } else { %2 = %f(%x) return %2 }
  return %0
}
graph main(%x: float32[n], %y: float32[2 * n]) -> (float32[n], float32[2 * n]) {
  %f = @adder(%x)
  %0 = @twice(%f, %x)
  %zeros = zeros(shape=[n], dtype="float32")
  %sum = sum(%zeros)
  %zero = zeros(shape=[], dtype="float32")
  %c = less(%zero, %sum)
  %1 = @pick(%c, %f, %0)
  %2 = exp(%y)
  %r = (%1, %2)
  return %r
})",
      {{Floats({1, 2}, {2}), Floats({0, 1, 2, 3}, {4})}, {Floats({3}, {1}), Floats({0, 1}, {2})}});
  // Tuples are arguments, too.
  Compiled compiled(R"(
graph main(%p: (float32[n], float32[2 * n])) -> (float32[n], float32[2 * n]) {
  %x = %p.0
  %y = %p.1
  %0 = add(%x, %x)
  %1 = add(%y, %y)
  %r = (%0, %1)
  return %r
})");
  std::vector<Value> pair{Value(Floats({1, 2}, {2})), Value(Floats({1, 2, 3, 4}, {4}))};
  const std::vector<Value> args{Value(pair)};
  EXPECT_EQ(
      TextOf(ValueOrThrow(compiled.machine->Invoke("main", args))),
      "tuple(float32[2,] 2.000000 4.000000; float32[4,] 2.000000 4.000000 6.000000 8.000000; )");
  pair[1] = Value(Floats({1, 2, 3}, {3}));
  const std::vector<Value> wrong{Value(pair)};
  EXPECT_EQ(runtime::StatusName(compiled.machine->Invoke("main", wrong).status()),
            "graph-shape-mismatch");
}

TEST(Program, ALoopThatBuildsAList) {
  Check(std::string(kLists) + R"(
graph main(%rounds: int32[], %x: float32[]) -> (int32[], List) {
  %zero = zeros(shape=[], dtype="int32")
  %one = ones(shape=[], dtype="int32")
  %nil = new List.Nil()
  %0 = loop (%i = %zero, %l = %nil, %y = %x) while {
    %1 = less(%i, %rounds)
    return %1
  } do {
    %2 = add(%i, %one)
    %z = add(%y, %x)
    %3 = new List.Cons(%z, %l)
    %4 = (%2, %3, %z)
    return %4
  }
  %5 = %0.0
  %6 = %0.1
  %7 = (%5, %6)
  return %7
})",
        {{Int(3), Scalar(2)}, {Int(0), Scalar(2)}});
}

TEST(Program, ATreeWithWeights) {
  Check(R"(
type Tree { Leaf(float32[1, 2]), Node(Tree, Tree) }
graph encode(%t: Tree, %w: float32[2, 2]) -> float32[1, 2] {
  %0 = match %t {
    Tree.Leaf(%x) => { return %x }
    Tree.Node(%l, %r) => {
      %a = @encode(%l, %w)
      %b = @encode(%r, %w)
      %s = add(%a, %b)
      %d = nn.dense(%s, %w)
      %v = tanh(%d)
      return %v
    }
  }
  return %0
}
graph main(%x: float32[1, 2], %w: float32[2, 2]) -> float32[1, 2] {
  %a = new Tree.Leaf(%x)
  %y = exp(%x)
  %b = new Tree.Leaf(%y)
  %c = new Tree.Node(%a, %b)
  %d = new Tree.Node(%c, %c)
  %e = @encode(%d, %w)
  return %e
})",
        {{Floats({0.5F, -1}, {1, 2}), Floats({1, 0.5F, -0.5F, 2}, {2, 2})}});
}

TEST(Program, FunctionsInDataTypes) {
  Check(R"(
type Chain { Done, Then(fn(float32[3]) -> float32[3], Chain) }
graph run(%s: Chain, %x: float32[3]) -> float32[3] {
  %0 = match %s {
    Chain.Done => { return %x }
    Chain.Then(%f, %rest) => {
      %1 = %f(%x)
      %2 = @run(%rest, %1)
      return %2
    }
  }
  return %0
}
graph main(%x: float32[3]) -> float32[3] {
  %done = new Chain.Done()
  %f = graph(%a: float32[3]) { %0 = exp(%a) return %0 }
  %g = graph(%a: float32[3]) { %0 = add(%a, %x) return %0 }
  %1 = new Chain.Then(%f, %done)
  %2 = new Chain.Then(%g, %1)
  %3 = @run(%2, %x)
  return %3
})",
        {{Floats({0, 0.5F, 1}, {3})}});
}

TEST(Program, TensorsGrowInARecursion) {
  Check(R"(
graph grow(%i: int32[], %x: float32[n]) -> float32[] {
  %zero = zeros(shape=[], dtype="int32")
  %one = ones(shape=[], dtype="int32")
  %more = greater(%i, %zero)
  %0 = if %more {
    %1 = subtract(%i, %one)
    %2 = (%x, %x)
    %3 = %2.0
    %4 = %2.1
    %5 = concatenate(%3, %4, axis=0)
    %6 = @grow(%1, %5)
    return %6
  } else {
    %7 = sum(%x)
    return %7
  }
  return %0
}
graph main(%i: int32[], %x: float32[n]) -> float32[] {
  %0 = @grow(%i, %x)
  return %0
})",
        {{Int(4), Floats({1, 2}, {2})}, {Int(0), Floats({1, 2, 3}, {3})}});
}

TEST(Program, RecursionAtTheEndNeedsNoDepth) {
  Compiled compiled(R"(
graph down(%i: int32[]) -> int32[] {
  %zero = zeros(shape=[], dtype="int32")
  %one = ones(shape=[], dtype="int32")
  %more = greater(%i, %zero)
  %0 = if %more {
    %1 = subtract(%i, %one)
    %2 = @down(%1)
    return %2
  } else { return %i }
  return %0
}
graph main(%i: int32[]) -> int32[] {
  %0 = @down(%i)
  return %0
})");
  EXPECT_EQ(TextOf(ValueOrThrow(compiled.Run({Int(150000)}))), "int32[] 0");
}

TEST(Program, RecursionWithoutEndNamesTheFunction) {
  Compiled compiled(R"(
graph endless(%x: float32[]) -> float32[] {
  %0 = @endless(%x)
  %1 = add(%0, %x)
  return %1
}
graph main(%x: float32[]) -> float32[] {
  %0 = @endless(%x)
  return %0
})");
  const absl::Status status = compiled.Run({Scalar(1)}).status();
  EXPECT_EQ(runtime::StatusName(status), "graph-call-depth");
  EXPECT_NE(status.message().find("`@endless`"), std::string_view::npos) << status;
  // The machine can be used again.
  EXPECT_FALSE(compiled.Run({Scalar(1)}).ok());
}

TEST(Program, WrongArgumentsAreRefused) {
  Compiled compiled(std::string(kLists) + R"(
graph main(%n: float32[]) -> List {
  %nil = new List.Nil()
  %l = @count(%n, %nil)
  return %l
})");
  EXPECT_EQ(runtime::StatusName(compiled.Run({}).status()), "graph-argument-count");
  EXPECT_EQ(runtime::StatusName(compiled.Run({Floats({1, 2}, {2})}).status()),
            "graph-input-mismatch");
  EXPECT_EQ(runtime::StatusName(compiled.Run({Int(1)}).status()), "graph-input-mismatch");
  EXPECT_EQ(runtime::StatusName(compiled.machine->Invoke("mian", {}).status()),
            "graph-function-unknown");
  const Value list = ValueOrThrow(compiled.Run({Scalar(2)}));
  const std::vector<Value> args{list};
  EXPECT_EQ(runtime::StatusName(compiled.machine->Invoke("main", args).status()),
            "graph-value-kind");
}

TEST(Program, BytesReadBack) {
  Compiled compiled(std::string(kLists) + R"(
graph main(%n: float32[]) -> List {
  %nil = new List.Nil()
  %l = @count(%n, %nil)
  return %l
})");
  const runtime::vm::Program& program = compiled.machine->executable().program();
  const std::string bytes = EncodeProgram(program);
  const runtime::vm::Program read = ValueOrThrow(runtime::vm::DecodeProgram(bytes));
  EXPECT_EQ(EncodeProgram(read), bytes);
  EXPECT_EQ(ProgramText(read), ProgramText(program));
  EXPECT_NE(ProgramText(program).find("construct List.Cons"), std::string::npos)
      << ProgramText(program);
}

}  // namespace
}  // namespace lathe::graph
