// Programs without kernels: bytes, checks, and what the machine does with them.
#include "runtime/graph/vm/machine.h"

#include <chrono>
#include <functional>

#include "gtest/gtest.h"
#include "runtime/cancel.h"
#include "runtime/graph/test_plans.h"
#include "runtime/graph/vm/test_programs.h"
#include "runtime/init.h"
#include "runtime/status.h"

namespace lathe::runtime::vm {
namespace {

std::shared_ptr<const ProgramExecutable> Executable(const Program& program) {
  Initialize();
  return ProgramExecutable::Create(program, Module()).value();
}

Value Scalar(float number) {
  return Value(Tensor::FromHost(&number, 4, std::vector<int64_t>{}, DataType::Float(32)).value());
}
float FloatOf(const Value& value) {
  return *static_cast<const float*>(value.As<Tensor>().dl().data);
}

// A list with these elements, made as a caller would get it.
Value List(const std::shared_ptr<const ProgramExecutable>& executable, int count) {
  Value list;
  for (int i = -1; i < count; ++i) {
    Ref<DataValue> data = Make<DataValue>();
    data->constructor = executable->constructor(i < 0 ? 0 : 1);
    if (i >= 0) data->fields = {Scalar(static_cast<float>(i)), list};
    list = ValueOf(std::move(data));
  }
  return list;
}

absl::Status Call(Machine& machine, std::string_view name, std::vector<Value> args) {
  return machine.Invoke(name, args).status();
}

TEST(Machine, ACallAtTheEndTakesTheCallersPlace) {
  const auto executable = Executable(TestProgram());
  Machine machine(executable, {.max_call_depth = 2});
  const std::vector<Value> args{List(executable, 100000)};
  const Value result = machine.Invoke("main", args).value();
  EXPECT_EQ(FloatOf(DataIn(result)->fields[0]), 0);
  EXPECT_EQ(DataIn(result)->constructor->name, "List.Cons");
}

TEST(Machine, EndlessRecursionIsAnError) {
  Machine machine(Executable(TestProgram()));
  const absl::Status status = Call(machine, "endless", {Scalar(1)});
  EXPECT_EQ(StatusName(status), "graph-call-depth");
  EXPECT_NE(status.message().find("`@endless`"), std::string_view::npos);
  EXPECT_EQ(StatusName(Call(machine, "endless", {Scalar(1)})), "graph-call-depth");
}

TEST(Machine, ALoopWithoutEndCanBeCancelled) {
  Machine machine(Executable(TestProgram()));
  Cancellation cancellation;
  cancellation.SetDeadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(10));
  const CancelScope scope(cancellation);
  EXPECT_EQ(StatusName(Call(machine, "spin", {})), "deadline-exceeded");
}

TEST(Machine, ClosuresBelongToTheirProgram) {
  Machine machine(Executable(TestProgram()));
  const std::vector<Value> one{Scalar(1)};
  const Value closure = machine.Invoke("adder", one).value();
  const std::vector<Value> args{closure, Scalar(2)};
  const Value result = machine.Invoke("call", args).value();
  const auto pair = result.As<std::vector<Value>>();
  EXPECT_EQ(FloatOf(pair[0]) + 10 * FloatOf(pair[1]), 21);
  Machine other(Executable(TestProgram()));
  EXPECT_EQ(StatusName(Call(other, "call", {closure, Scalar(2)})), "graph-value-kind");
  EXPECT_EQ(StatusName(Call(machine, "call", {Scalar(1), Scalar(2)})), "graph-value-kind");
}

TEST(Machine, AClosureKeepsItsExecutable) {
  // So no later executable has its address.
  std::weak_ptr<const ProgramExecutable> alive;
  Value closure;
  {
    const auto executable = Executable(TestProgram());
    alive = executable;
    Machine machine(executable);
    const std::vector<Value> one{Scalar(1)};
    closure = machine.Invoke("adder", one).value();
  }
  EXPECT_FALSE(alive.expired());
  Machine other(Executable(TestProgram()));
  EXPECT_EQ(StatusName(Call(other, "call", {closure, Scalar(2)})), "graph-value-kind");
  closure = Value();
  EXPECT_TRUE(alive.expired());
}

TEST(Machine, ValuesOfAnotherKindAreRefused) {
  const auto executable = Executable(TestProgram());
  Machine machine(executable);
  EXPECT_EQ(StatusName(Call(machine, "main", {Scalar(1)})), "graph-value-kind");
  EXPECT_EQ(StatusName(Call(machine, "main", {Value(int64_t{3})})), "graph-value-kind");
  EXPECT_EQ(StatusName(Call(machine, "main", {})), "graph-argument-count");
  EXPECT_EQ(StatusName(Call(machine, "mine", {})), "graph-function-unknown");
  EXPECT_EQ(StatusName(machine.Run("endless")), "graph-input-missing");
  // A type of the same name with other constructors.
  Program program = TestProgram();
  program.types[0].constructors[1].name = "More";
  const auto changed = Executable(program);
  EXPECT_EQ(StatusName(Call(machine, "main", {List(changed, 1)})), "graph-value-kind");
  // The same type of another executable.
  EXPECT_TRUE(Call(machine, "main", {List(Executable(TestProgram()), 2)}).ok());
}

TEST(Machine, ResultsDoNotChangeWithTheCallersMemory) {
  Program program = TestProgram();
  program.functions.push_back({"same", 1, 1, {Make1(Op::kReturn, {0}, {})}});
  program.entries.push_back({7, {{"x", "float32[]"}}});
  Machine machine(Executable(program));
  const std::vector<Value> args{Scalar(1)};
  const Value result = machine.Invoke("same", args).value();
  *static_cast<float*>(args[0].As<Tensor>().dl().data) = 5;
  EXPECT_EQ(FloatOf(result), 1);
  ASSERT_TRUE(machine.SetInputs("same", args).ok());
  ASSERT_TRUE(machine.Run("same").ok());
  EXPECT_EQ(FloatOf(machine.outputs().at(0)), 5);
}

TEST(Program, BytesReadBackAndDamageIsFound) {
  const std::string bytes = EncodeProgram(TestProgram());
  EXPECT_EQ(EncodeProgram(DecodeProgram(bytes).value()), bytes);
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_FALSE(DecodeProgram(damaged).ok()) << at;
    EXPECT_FALSE(DecodeProgram(bytes.substr(0, at)).ok()) << at;
  }
  std::string other = bytes;
  other[8] = 77;
  EXPECT_EQ(StatusName(DecodeProgram(other).status()), "program-version");
  EXPECT_EQ(StatusName(DecodeProgram("LATHEPLN").status()), "program-corrupt");
}

TEST(Program, UnsoundProgramsAreRefused) {
  const auto refuses = [](const std::function<void(Program&)>& change) {
    Program program = TestProgram();
    change(program);
    const absl::Status status = CheckProgram(program);
    EXPECT_EQ(StatusName(status), "program-malformed") << status;
    EXPECT_EQ(StatusName(DecodeProgram(EncodeProgram(program)).status()), "program-malformed");
  };
  const auto code = [](Program& p, size_t function, size_t at) -> Instruction& {
    return p.functions[function].code[at];
  };
  refuses([&](Program& p) { code(p, 0, 0).results = {9}; });
  refuses([&](Program& p) { code(p, 0, 0).index = 5; });
  refuses([&](Program& p) { code(p, 0, 1).args = {0}; });
  refuses([&](Program& p) { code(p, 0, 1).index = -1; });
  refuses([&](Program& p) { code(p, 0, 2).drops = {-1}; });
  refuses([&](Program& p) { code(p, 1, 0).targets = {1}; });
  refuses([&](Program& p) { code(p, 1, 0).targets = {1, 70}; });
  refuses([&](Program& p) { code(p, 1, 4).args = {2}; });
  refuses([&](Program& p) { p.functions[0].code.pop_back(); });
  refuses([&](Program& p) { p.functions[0].code.clear(); });
  refuses([&](Program& p) { p.functions[0].params = 9; });
  refuses([&](Program& p) { p.functions[0].registers = kMostRegisters + 1; });
  refuses([&](Program& p) { p.functions[1].name = "main"; });
  refuses([&](Program& p) { p.entries[0].function = 40; });
  refuses([&](Program& p) { p.entries[0].params.clear(); });
  refuses([&](Program& p) { p.entries[1].function = 0; });
  refuses([&](Program& p) { p.types[0].constructors[1].fields = -1; });
  refuses([&](Program& p) { p.types.push_back(p.types[0]); });
  refuses([&](Program& p) { code(p, 0, 0) = Make1(Op::kRun, {}, {}, 0); });
  refuses([&](Program& p) { code(p, 6, 0).targets = {}; });
}

TEST(Program, PlansRunOnTensors) {
  Program program;
  program.name = "copy";
  graph::PlanBuilder b("p");
  const int32_t n = b.Extent(0, 0);
  const int32_t x = b.Input("x", {n}), y = b.Arena({n});
  b.Copy(x, y);
  b.plan.outputs = {y, x};
  program.plans.push_back(b.plan);
  program.functions = {{"main",
                        1,
                        4,
                        {Make1(Op::kRun, {0}, {1, 2}, 0, {}, {0}), Make1(Op::kTuple, {1, 2}, {3}),
                         Make1(Op::kReturn, {3}, {})}}};
  program.entries = {{0, {{"x", "float32[n]"}}}};
  Machine machine(Executable(program));
  std::vector<Value> results;
  for (const int64_t size : {3, 1, 0}) {
    const std::vector<float> data(static_cast<size_t>(size), 2.5F);
    const std::vector<Value> args{
        Value(Tensor::FromHost(data.data(), data.size() * 4, std::vector<int64_t>{size},
                               DataType::Float(32))
                  .value())};
    results.push_back(machine.Invoke("main", args).value());
  }
  // Results of earlier calls stay.
  const auto first = results[0].As<std::vector<Value>>();
  EXPECT_EQ(FloatOf(first[0]), 2.5F);
  EXPECT_EQ(first[1].As<Tensor>().shape(0), 3);
  EXPECT_EQ(StatusName(Call(machine, "main", {Scalar(1)})), "graph-input-mismatch");
}

}  // namespace
}  // namespace lathe::runtime::vm
