// Compares compiled code with the interpreter, operation by operation.
#include <algorithm>

#include "base/error.h"
#include "driver/compile.h"
#include "driver/lower_device.h"
#include "ir/intrinsic.h"
#include "ir/walk.h"
#include "schedule/primitives/primitives.h"
#include "tools/plugin_test/programs.h"

namespace lathe::kit {
namespace {

using ir::Expr;
using te::At;
using te::Indices;

// Integers and floats, in the order in which they are tried.
const DataType kNumbers[] = {DataType::Float(32), DataType::Int(32),  DataType::Float(64),
                             DataType::Int(64),   DataType::Int(8),   DataType::UInt(8),
                             DataType::Int(16),   DataType::UInt(32), DataType::Float(16)};
const DataType kFloats[] = {DataType::Float(32), DataType::Float(64), DataType::Float(16)};
const DataType kIntegers[] = {DataType::Int(32), DataType::Int(64), DataType::Int(8),
                              DataType::UInt(8), DataType::UInt(32)};

// Does the machine have the type? Types that the manifest does not list for `*` are not tested. A
// machine that lists no types has all.
bool Has(const Subject& subject, DataType dtype) {
  return subject.targets[0].machine.Supports("arithmetic", dtype.ToString());
}

const std::vector<std::vector<int64_t>> kSizes = {{0}, {1}, {7}, {64}, {133}};

struct Operands {
  Expr a, b;
};

Program Elementwise(DataType in, const std::function<Expr(const Operands&)>& body) {
  Program program;
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, in, "A"), b = te::Placeholder({n}, in, "B");
  program.sizes = {n};
  program.inputs = {a, b};
  program.outputs = {te::Compute(
      {n}, [&](const Indices& i) { return body({At(a, {i[0]}), At(b, {i[0]})}); }, "C")};
  // An input that the body does not use is not passed.
  bool used = false;
  for (const Expr& value : static_cast<const ir::ComputeOp&>(*program.outputs[0]->op).body) {
    ir::PostOrder(value, [&](const ir::Node& node) {
      const auto* load = ir::As<ir::Load>(&node);
      const auto* tensor = load == nullptr ? nullptr : ir::As<ir::TensorNode>(load->source);
      used = used || (tensor != nullptr && tensor->op.same_as(b->op));
    });
  }
  if (!used) program.inputs = {a};
  return program;
}

// Adds one check of an operation. It tries all types that the machine has, each in its own
// function.
void AddOperation(Checks* checks, const std::string& name, std::vector<DataType> types, double ulps,
                  const std::function<Expr(const Operands&)>& body) {
  checks->push_back({"codegen", name, [types, ulps, body](const Subject& subject) -> absl::Status {
                       bool any = false;
                       for (DataType dtype : types) {
                         if (!Has(subject, dtype)) continue;
                         any = true;
                         const absl::Status status =
                             CheckProgram(subject, Elementwise(dtype, body), kSizes, ulps);
                         if (status.ok()) continue;
                         if (IsNotApplicable(status)) return status;
                         return Failed(dtype.ToString() + ": " + std::string(status.message()));
                       }
                       return any ? absl::OkStatus()
                                  : NotApplicable("the machine has none of its types");
                     }});
}

std::vector<DataType> Numbers() { return {std::begin(kNumbers), std::end(kNumbers)}; }
std::vector<DataType> Floats() { return {std::begin(kFloats), std::end(kFloats)}; }
std::vector<DataType> Integers() { return {std::begin(kIntegers), std::end(kIntegers)}; }

Expr As(DataType dtype, double value) {
  return dtype.is_float() ? ir::Const(value, dtype) : ir::Const(static_cast<int64_t>(value), dtype);
}
// `b`, but 3 where `b` is zero.
Expr Divisor(const Expr& b) {
  return ir::MakeSelect(ir::Equal(b, As(b->dtype, 0)), As(b->dtype, 3), b);
}
Expr ToNumber(const Expr& condition, DataType dtype) {
  return ir::MakeSelect(condition, As(dtype, 1), As(dtype, 0));
}

void AddArithmetic(Checks* checks) {
  AddOperation(checks, "add", Numbers(), 0, [](const Operands& o) { return o.a + o.b; });
  AddOperation(checks, "sub", Numbers(), 0, [](const Operands& o) { return o.a - o.b; });
  AddOperation(checks, "mul", Numbers(), 0, [](const Operands& o) { return o.a * o.b; });
  AddOperation(checks, "div-float", Floats(), 3,
               [](const Operands& o) { return o.a / Divisor(o.b); });
  AddOperation(checks, "div-integer", Integers(), 0,
               [](const Operands& o) { return ir::TruncDivide(o.a, Divisor(o.b)); });
  AddOperation(checks, "mod-integer", Integers(), 0,
               [](const Operands& o) { return ir::TruncModulo(o.a, Divisor(o.b)); });
  AddOperation(checks, "floordiv", Integers(), 0,
               [](const Operands& o) { return ir::FloorDivide(o.a, Divisor(o.b)); });
  AddOperation(checks, "floormod", Integers(), 0,
               [](const Operands& o) { return ir::FloorModulo(o.a, Divisor(o.b)); });
  AddOperation(checks, "floordiv-by-8", Integers(), 0, [](const Operands& o) {
    return ir::FloorDivide(o.a, As(o.a->dtype, 8)) + ir::FloorModulo(o.b, As(o.b->dtype, 8));
  });
  AddOperation(checks, "min", Numbers(), 0,
               [](const Operands& o) { return ir::MakeMin(o.a, o.b); });
  AddOperation(checks, "max", Numbers(), 0,
               [](const Operands& o) { return ir::MakeMax(o.a, o.b); });
  AddOperation(checks, "select", Numbers(), 0, [](const Operands& o) {
    return ir::MakeSelect(o.a > o.b, o.a, o.b * As(o.b->dtype, 2));
  });
}

void AddComparisons(Checks* checks) {
  AddOperation(checks, "equal", Numbers(), 0,
               [](const Operands& o) { return ToNumber(ir::Equal(o.a, o.b), o.a->dtype); });
  AddOperation(checks, "not-equal", Numbers(), 0,
               [](const Operands& o) { return ToNumber(ir::NotEqual(o.a, o.b), o.a->dtype); });
  AddOperation(checks, "less", Numbers(), 0,
               [](const Operands& o) { return ToNumber(o.a < o.b, o.a->dtype); });
  AddOperation(checks, "less-equal", Numbers(), 0,
               [](const Operands& o) { return ToNumber(o.a <= o.b, o.a->dtype); });
  AddOperation(checks, "greater", Numbers(), 0,
               [](const Operands& o) { return ToNumber(o.a > o.b, o.a->dtype); });
  AddOperation(checks, "greater-equal", Numbers(), 0,
               [](const Operands& o) { return ToNumber(o.a >= o.b, o.a->dtype); });
  AddOperation(checks, "and", Numbers(), 0, [](const Operands& o) {
    return ToNumber(ir::LogicalAnd(o.a > As(o.a->dtype, 0), o.b > As(o.b->dtype, 1)), o.a->dtype);
  });
  AddOperation(checks, "or", Numbers(), 0, [](const Operands& o) {
    return ToNumber(ir::LogicalOr(o.a > As(o.a->dtype, 2), o.b > As(o.b->dtype, 2)), o.a->dtype);
  });
  AddOperation(checks, "not", Numbers(), 0,
               [](const Operands& o) { return ToNumber(ir::LogicalNot(o.a > o.b), o.a->dtype); });
}

void AddBits(Checks* checks) {
  const auto binary = [](const char* op) {
    return [op](const Operands& o) { return ir::MakeCall(o.a->dtype, op, {o.a, o.b}); };
  };
  for (const char* op : {"bitwise_and", "bitwise_or", "bitwise_xor"})
    AddOperation(checks, op, Integers(), 0, binary(op));
  for (const char* op : {"shift_left", "shift_right"}) {
    AddOperation(checks, op, Integers(), 0, [op](const Operands& o) {
      const Expr by = ir::FloorModulo(o.b, As(o.b->dtype, 7));
      return ir::MakeCall(o.a->dtype, op,
                          {ir::MakeCall(o.a->dtype, "bitwise_and", {o.a, As(o.a->dtype, 7)}), by});
    });
  }
  AddOperation(checks, "bitwise_not", Integers(), 0,
               [](const Operands& o) { return ir::MakeCall(o.a->dtype, "bitwise_not", {o.a}); });
}

// `a`, moved to where the function is defined and numerically harmless.
Expr Domain(const std::string& name, const Expr& a) {
  const DataType t = a->dtype;
  const Expr positive = ir::MakeMax(a, ir::Const(0.0, t) - a) + ir::Const(0.25, t);
  for (const char* one : {"log", "log2", "log10", "sqrt", "rsqrt"})
    if (name == one) return positive;
  for (const char* one : {"asin", "acos", "atanh"})
    if (name == one) return a * ir::Const(0.125, t);
  if (name == "log1p") return positive;
  if (name == "acosh") return positive + ir::Const(1.0, t);
  return a;
}

void AddMath(Checks* checks) {
  for (const char* name :
       {"exp",   "exp2",  "exp10", "log",   "log2",      "log10", "log1p",   "expm1",
        "sqrt",  "rsqrt", "sin",   "cos",   "tan",       "tanh",  "sinh",    "cosh",
        "asin",  "acos",  "atan",  "asinh", "acosh",     "atanh", "sigmoid", "erf",
        "floor", "ceil",  "trunc", "round", "nearbyint", "abs"}) {
    if (ir::FindIntrinsic(name) == nullptr) continue;
    const bool exact = name == std::string("floor") || name == std::string("ceil") ||
                       name == std::string("trunc") || name == std::string("round") ||
                       name == std::string("nearbyint") || name == std::string("abs");
    AddOperation(
        checks, name, {DataType::Float(32), DataType::Float(64)}, exact ? 0 : 16,
        [name](const Operands& o) { return ir::MakeCall(o.a->dtype, name, {Domain(name, o.a)}); });
  }
  AddOperation(checks, "pow", {DataType::Float(32), DataType::Float(64)}, 32,
               [](const Operands& o) {
                 return ir::MakeCall(o.a->dtype, "pow",
                                     {Domain("sqrt", o.a), o.b * ir::Const(0.5, o.b->dtype)});
               });
}

void AddCasts(Checks* checks) {
  const DataType types[] = {DataType::Float(32), DataType::Float(64), DataType::Float(16),
                            DataType::Int(8),    DataType::UInt(8),   DataType::Int(32),
                            DataType::Int(64)};
  for (DataType from : types) {
    checks->push_back(
        {"codegen", "cast-from-" + from.ToString(), [=](const Subject& subject) -> absl::Status {
           if (!Has(subject, from)) return NotApplicable("the machine lacks the type");
           for (DataType to : types) {
             if (!Has(subject, to) || to == from) continue;
             // Converting negative floats to unsigned integers is left open by the contract.
             const bool open = from.is_float() && to.is_uint();
             const Program program = Elementwise(from, [&](const Operands& o) {
               return ir::MakeCast(to, open ? ir::MakeMax(o.a, ir::Const(0.0, from)) : o.a);
             });
             const absl::Status status = CheckProgram(subject, program, kSizes);
             if (IsNotApplicable(status)) return status;
             if (!status.ok())
               return Failed("to " + to.ToString() + ": " + std::string(status.message()));
           }
           return absl::OkStatus();
         }});
  }
}

DataType F32() { return DataType::Float(32); }

absl::Status SymbolicMatrix(const Subject& subject) {
  Program program;
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  const te::Tensor a = te::Placeholder({n, m}, F32(), "A");
  program.sizes = {n, m};
  program.inputs = {a};
  program.outputs = {
      te::Compute({m, n}, [&](const Indices& i) { return At(a, {i[1], i[0]}) + 1; }, "T")};
  return CheckProgram(subject, program, {{0, 3}, {1, 1}, {5, 7}, {33, 65}});
}

absl::Status Broadcast(const Subject& subject) {
  Program program;
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  const te::Tensor a = te::Placeholder({n}, F32(), "A"), b = te::Placeholder({m}, F32(), "B");
  program.sizes = {n, m};
  program.inputs = {a, b};
  program.outputs = {
      te::Compute({n, m}, [&](const Indices& i) { return At(a, {i[0]}) * At(b, {i[1]}); }, "C")};
  return CheckProgram(subject, program, {{1, 4}, {9, 31}, {40, 1}});
}

absl::Status Reduce(const Subject& subject, bool maximum) {
  Program program;
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  const te::Tensor a = te::Placeholder({n, m}, F32(), "A");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), m, "k");
  program.sizes = {n, m};
  program.inputs = {a};
  program.outputs = {te::Compute(
      {n},
      [&](const Indices& i) {
        const Expr value = At(a, {i[0], k->var});
        return maximum ? te::Max(value, {k}) : te::Sum(value, {k});
      },
      "R")};
  return CheckProgram(subject, program, {{3, 0}, {1, 1}, {5, 33}, {64, 10}});
}
absl::Status Sum(const Subject& subject) { return Reduce(subject, false); }
absl::Status Maximum(const Subject& subject) { return Reduce(subject, true); }

absl::Status Matmul(const Subject& subject) {
  const Program program = MatmulProgram(subject);
  // Multiples of 1/16 below 2^10: sums are exact in any order, fused or not.
  return CheckProgram(subject, program, {{1, 1, 1}, {7, 5, 9}, {32, 33, 16}});
}

absl::Status RankZero(const Subject& subject) {
  if (driver::TakesKernels(TargetOf(subject)))
    return NotApplicable("a kernel needs an axis to bind");
  Program program;
  const te::Tensor a = te::Placeholder({ir::Int(5)}, F32(), "A");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(5), "k");
  program.inputs = {a};
  program.outputs = {
      te::Compute({}, [&](const Indices&) { return te::Sum(At(a, {k->var}), {k}); }, "R")};
  return CheckProgram(subject, program, {{}});
}

absl::Status Padding(const Subject& subject) {
  Program program;
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, F32(), "A");
  program.sizes = {n};
  program.inputs = {a};
  program.outputs = {te::Compute(
      {n + 4},
      [&](const Indices& i) {
        const Expr at = Expr(i[0]) - 2;
        return ir::IfThenElse(ir::LogicalAnd(at >= ir::Int(0), at < Expr(n)), At(a, {at}),
                              ir::Float(0));
      },
      "P")};
  return CheckProgram(subject, program, {{0}, {1}, {30}});
}

absl::Status TwoOutputs(const Subject& subject) {
  Program program;
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, F32(), "A");
  program.sizes = {n};
  program.inputs = {a};
  program.outputs = {te::Compute(
                         {n}, [&](const Indices& i) { return At(a, {i[0]}) + 1; }, "B"),
                     te::Compute({n}, [&](const Indices& i) { return At(a, {i[0]}) * 3; }, "C")};
  return CheckProgram(subject, program, kSizes);
}

absl::Status Gather(const Subject& subject) {
  if (!Has(subject, DataType::Int(32))) return NotApplicable("the machine lacks int32");
  Program program;
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, F32(), "A"),
                   at = te::Placeholder({n}, DataType::Int(32), "I");
  program.sizes = {n};
  program.inputs = {a, at};
  program.outputs = {te::Compute(
      {n}, [&](const Indices& i) { return At(a, {ir::FloorModulo(At(at, {i[0]}), n)}); }, "G")};
  return CheckProgram(subject, program, {{1}, {17}, {100}});
}

// Loops with a mark (parallel, vectorized, unrolled), if the host runs them rather than threads.
absl::Status Loops(const Subject& subject, void (*mark)(schedule::Schedule&, const te::Tensor&)) {
  if (driver::TakesKernels(TargetOf(subject)))
    return NotApplicable("its loops are bound to threads");
  Program program = ScaleProgram(subject);
  const te::Tensor b = program.outputs[0];
  program.schedule = [=](schedule::Schedule& s) { mark(s, b); };
  return CheckProgram(subject, program, kSizes);
}
absl::Status ParallelLoop(const Subject& subject) {
  return Loops(subject, [](schedule::Schedule& s, const te::Tensor& b) {
    schedule::Parallel(s[b], schedule::AxisOf(b, 0));
  });
}
absl::Status VectorLoop(const Subject& subject) {
  return Loops(subject, [](schedule::Schedule& s, const te::Tensor& b) {
    schedule::Vectorize(s[b], schedule::Split(s[b], schedule::AxisOf(b, 0), 8).second);
  });
}
absl::Status UnrolledLoop(const Subject& subject) {
  return Loops(subject, [](schedule::Schedule& s, const te::Tensor& b) {
    schedule::Unroll(s[b], schedule::Split(s[b], schedule::AxisOf(b, 0), 4).second);
  });
}

// A block shares the data that its threads need, with barriers.
absl::Status SharedMemory(const Subject& subject, const std::string& scope) {
  const target::Machine& machine = subject.targets[0].machine;
  if (machine.FindAxis("threadIdx.x") == nullptr || machine.FindMemory("shared") == nullptr)
    return NotApplicable("the machine has no blocks with shared memory");
  Program program;
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, F32(), "A");
  const te::Tensor twice =
      te::Compute({n}, [&](const Indices& i) { return At(a, {i[0]}) * 2; }, "D");
  const te::Tensor b = te::Compute(
      {n},
      [&](const Indices& i) {
        return At(twice, {i[0]}) + At(twice, {ir::MakeMax(Expr(i[0]) - 1, ir::Int(0))});
      },
      "B");
  program.sizes = {n};
  program.inputs = {a};
  program.outputs = {b};
  const int64_t per_block = ThreadsPerBlock(TargetOf(subject), 32);
  program.schedule = [=](schedule::Schedule& s) {
    auto [blocks, threads] = schedule::Split(s[b], schedule::AxisOf(b, 0), per_block);
    schedule::Bind(s[b], blocks, schedule::ThreadAxis("blockIdx.x"));
    schedule::Bind(s[b], threads, schedule::ThreadAxis("threadIdx.x"));
    schedule::ComputeAt(s[twice], s[b], blocks);
    schedule::SetScope(s[twice], scope);
    auto [more, own] = schedule::Split(s[twice], schedule::AxisOf(twice, 0), per_block);
    (void)more;
    schedule::Bind(s[twice], own, schedule::ThreadAxis("threadIdx.x"));
  };
  return CheckProgram(subject, program, kSizes);
}
absl::Status StaticShared(const Subject& subject) { return SharedMemory(subject, "shared"); }
absl::Status DynamicShared(const Subject& subject) { return SharedMemory(subject, "shared.dyn"); }

absl::Status ThreadReduction(const Subject& subject) {
  const target::Machine& machine = subject.targets[0].machine;
  if (machine.FindAxis("threadIdx.x") == nullptr || machine.FindMemory("shared") == nullptr)
    return NotApplicable("the machine has no blocks with shared memory");
  Program program;
  const ir::Var n = ir::MakeSizeVar("n");
  const int64_t threads = ThreadsPerBlock(TargetOf(subject), 64);
  const te::Tensor a = te::Placeholder({n, ir::Int(threads)}, F32(), "A");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(threads), "k");
  const te::Tensor r =
      te::Compute({n}, [&](const Indices& i) { return te::Sum(At(a, {i[0], k->var}), {k}); }, "R");
  program.sizes = {n};
  program.inputs = {a};
  program.outputs = {r};
  program.schedule = [=](schedule::Schedule& s) {
    schedule::Bind(s[r], schedule::AxisOf(r, 0), schedule::ThreadAxis("blockIdx.x"));
    schedule::Bind(s[r], schedule::ReduceAxisOf(r, 0), schedule::ThreadAxis("threadIdx.x"));
  };
  return CheckProgram(subject, program, {{1}, {9}});
}

absl::Status Constants(const Subject& subject) {
  std::vector<float> table(7);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i) / 4;
  Program program;
  const te::Tensor t = te::Constant(
      Blob::Copy({reinterpret_cast<const char*>(table.data()), table.size() * 4}), {7}, F32(), "T");
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, F32(), "A");
  program.sizes = {n};
  program.inputs = {a};
  program.outputs = {te::Compute(
      {n},
      [&](const Indices& i) { return At(a, {i[0]}) + At(t, {ir::FloorModulo(Expr(i[0]), 7)}); },
      "C")};
  return CheckProgram(subject, program, kSizes);
}

absl::Status Deterministic(const Subject& subject) {
  UsePlugin(subject);
  const target::Target target = target::ParseTarget(TargetName(subject));
  const ir::Module loops = LoopsFor(target, ScaleProgram(subject));
  const auto first = driver::Compile(loops, target, plugins::OutputKind::kModule, {});
  if (!first.ok()) return first.status();
  for (int i = 0; i < 3; ++i) {
    const auto again = driver::Compile(loops, target, plugins::OutputKind::kModule, {});
    if (!again.ok()) return again.status();
    KIT_RETURN_IF_ERROR(Require(*again == *first, "the same program gave other bytes"));
  }
  return absl::OkStatus();
}

// The code generator makes every output that the manifest promises.
absl::Status Outputs(const Subject& subject) {
  UsePlugin(subject);
  const target::Target target = target::ParseTarget(TargetName(subject));
  const ir::Module loops = LoopsFor(target, ScaleProgram(subject));
  for (const std::string& name : subject.targets[0].outputs) {
    plugins::OutputKind kind = plugins::OutputKind::kModule;
    if (!plugins::OutputKindFromName(name, &kind)) return Failed("output `" + name + "`");
    const auto made = driver::Compile(loops, target, kind, {});
    if (!made.ok()) return Failed(name + ": " + std::string(made.status().message()));
    KIT_RETURN_IF_ERROR(Require(!made->empty(), name + " is empty"));
  }
  return absl::OkStatus();
}

}  // namespace

void AddCodegenChecks(const Subject& subject, Checks* checks) {
  if (subject.targets.empty()) return;
  AddArithmetic(checks);
  AddComparisons(checks);
  AddBits(checks);
  AddMath(checks);
  AddCasts(checks);
  checks->push_back({"codegen", "symbolic-matrix", SymbolicMatrix});
  checks->push_back({"codegen", "broadcast", Broadcast});
  checks->push_back({"codegen", "reduce-sum", Sum});
  checks->push_back({"codegen", "reduce-max", Maximum});
  checks->push_back({"codegen", "matmul", Matmul});
  checks->push_back({"codegen", "rank-0", RankZero});
  checks->push_back({"codegen", "padding", Padding});
  checks->push_back({"codegen", "two-outputs", TwoOutputs});
  checks->push_back({"codegen", "gather", Gather});
  checks->push_back({"codegen", "loop-parallel", ParallelLoop});
  checks->push_back({"codegen", "loop-vectorized", VectorLoop});
  checks->push_back({"codegen", "loop-unrolled", UnrolledLoop});
  checks->push_back({"codegen", "shared-memory", StaticShared});
  checks->push_back({"codegen", "shared-memory-dynamic", DynamicShared});
  checks->push_back({"codegen", "reduction-over-threads", ThreadReduction});
  checks->push_back({"codegen", "constants", Constants});
  checks->push_back({"codegen", "deterministic", Deterministic});
  checks->push_back({"codegen", "outputs", Outputs});
}

}  // namespace lathe::kit
