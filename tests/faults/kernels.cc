#include "tests/faults/kernels.h"

#include <cstdint>
#include <utility>

#include "driver/auto_build.h"
#include "ir/expr.h"
#include "runtime/error_object.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"
#include "topi/ops/rows.h"

namespace lathe::faults {
namespace {

using runtime::Tensor;

const DataType kFloat = DataType::Float(32);
constexpr int64_t kRows = 12, kColumns = 16;

target::Target Here() { return target::ParseTarget("llvm"); }

driver::ProgramToCompile Layer(const std::string& name) {
  const ir::Var n = ir::MakeSizeVar("n");
  const ir::Expr m = ir::Int(kColumns);
  const te::Tensor a = te::Placeholder({n, m}, kFloat, "A"),
                   b = te::Placeholder({m, m}, kFloat, "B");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), m, "k");
  const te::Tensor p = te::Compute(
      {n, m},
      [&](const te::Indices& i) {
        return te::Sum(te::At(a, {i[0], k->var}) * te::At(b, {k->var, i[1]}), {k});
      },
      "P");
  const te::Tensor c = te::Compute(
      {n, m},
      [&](const te::Indices& i) { return ir::MakeMax(te::At(p, {i[0], i[1]}), ir::Float(0.0)); },
      "C");
  schedule::Schedule how = schedule::CreateSchedule({c->op});
  const auto [outer, inner] = schedule::Split(how[c], schedule::AxisOf(c, 0), 4);
  schedule::ComputeAt(how[p], how[c], inner);
  schedule::Vectorize(how[c], schedule::Split(how[c], schedule::AxisOf(c, 1), 8).second);
  schedule::Parallel(how[c], outer);
  return {how, {a, b, c}, name, Here(), {}};
}

driver::ProgramToCompile Blur(const std::string& name) {
  const ir::Expr rows = ir::Int(kRows), columns = ir::Int(kColumns);
  const te::Tensor a = te::Placeholder({rows + 2, columns + 2}, kFloat, "A");
  const te::Tensor h = te::Compute(
      {rows + 2, columns},
      [&](const te::Indices& i) {
        return (te::At(a, {i[0], i[1]}) + te::At(a, {i[0], i[1] + 1}) +
                te::At(a, {i[0], i[1] + 2})) *
               ir::Float(0.25);
      },
      "H");
  const te::Tensor v = te::Compute(
      {rows, columns},
      [&](const te::Indices& i) {
        return (te::At(h, {i[0], i[1]}) + te::At(h, {i[0] + 1, i[1]}) +
                te::At(h, {i[0] + 2, i[1]})) *
               ir::Float(0.25);
      },
      "V");
  schedule::Schedule how = schedule::CreateSchedule({v->op});
  schedule::ComputeAt(how[h], how[v], schedule::AxisOf(v, 0));
  schedule::Parallel(how[v], schedule::AxisOf(v, 0));
  schedule::Vectorize(how[v], schedule::AxisOf(v, 1));
  return {how, {a, v}, name, Here(), {}};
}

driver::ProgramToCompile ByDefault(std::vector<ir::NodeRef> args, const std::string& name) {
  auto program = driver::AutoProgram(std::move(args), name, Here(), {}, nullptr);
  runtime::ThrowIfError(program.status());
  return *std::move(program);
}

driver::ProgramToCompile Softmax(const std::string& name) {
  const te::Tensor x = te::Placeholder({ir::Int(kRows), ir::Int(kColumns)}, kFloat, "X");
  return ByDefault({x, topi::ops::Softmax(x)}, name);
}

driver::ProgramToCompile ArgMax(const std::string& name) {
  const te::Tensor x = te::Placeholder({ir::Int(kRows), ir::Int(kColumns)}, kFloat, "X");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(kColumns), "k");
  const std::vector<te::Tensor> best = te::ComputeTuple(
      {ir::Int(kRows)},
      [&](const te::Indices& i) { return te::ArgMax(k->var, te::At(x, {i[0], k->var}), {k}); },
      "B");
  return ByDefault({x, best[0], best[1]}, name);
}

driver::ProgramToCompile Scan(const std::string& name) {
  const ir::Expr rows = ir::Int(kRows), columns = ir::Int(kColumns);
  const te::Tensor x = te::Placeholder({rows, columns}, kFloat, "X");
  const te::Tensor state = te::Placeholder({rows, columns}, kFloat, "S");
  const te::Tensor first = te::Compute(
      {ir::Int(1), columns}, [&](const te::Indices& i) { return te::At(x, {ir::Int(0), i[1]}); },
      "first");
  const te::Tensor next = te::Compute(
      {rows, columns},
      [&](const te::Indices& i) {
        return te::At(state, {i[0] - 1, i[1]}) + te::At(x, {i[0], i[1]});
      },
      "next");
  const te::Tensor sums = te::Scan({first}, {next}, {state}, {x})[0];
  return {schedule::CreateSchedule({sums->op}), {x, sums}, name, Here(), {}};
}

struct Argument {
  std::vector<int64_t> shape;
  bool output = false;
  DataType dtype = kFloat;
};

std::vector<Argument> Arguments(Kernel kernel) {
  const std::vector<int64_t> matrix = {kRows, kColumns};
  switch (kernel) {
    case Kernel::kLayer:
      return {{matrix}, {{kColumns, kColumns}}, {matrix, true}};
    case Kernel::kBlur:
      return {{{kRows + 2, kColumns + 2}}, {matrix, true}};
    case Kernel::kArgMax:
      return {{matrix}, {{kRows}, true, DataType::Int(32)}, {{kRows}, true}};
    case Kernel::kSoftmax:
    case Kernel::kScan:
      return {{matrix}, {matrix, true}};
  }
  return {};
}

}  // namespace

const char* NameOf(Kernel kernel) {
  switch (kernel) {
    case Kernel::kLayer:
      return "layer";
    case Kernel::kSoftmax:
      return "softmax";
    case Kernel::kBlur:
      return "blur";
    case Kernel::kArgMax:
      return "argmax";
    case Kernel::kScan:
      return "scan";
  }
  return "";
}

driver::ProgramToCompile Written(Kernel kernel, const std::string& name) {
  switch (kernel) {
    case Kernel::kLayer:
      return Layer(name);
    case Kernel::kSoftmax:
      return Softmax(name);
    case Kernel::kBlur:
      return Blur(name);
    case Kernel::kArgMax:
      return ArgMax(name);
    case Kernel::kScan:
      break;
  }
  return Scan(name);
}

std::string Computed(Kernel kernel, const runtime::Module& module, const std::string& name) {
  const std::vector<Argument> arguments = Arguments(kernel);
  std::vector<Tensor> tensors;
  std::vector<lathe_value> values;
  for (const Argument& argument : arguments) {
    auto tensor = Tensor::Empty(argument.shape, argument.dtype);
    runtime::ThrowIfError(tensor.status());
    const uint64_t elements = tensor->num_bytes() / 4;
    for (uint64_t i = 0; i < elements && !argument.output; ++i)
      tensor->HostData<float>()[i] = static_cast<float>(i * i % 23) / 4 - 2;
    tensors.push_back(*std::move(tensor));
    values.push_back(runtime::ValueTraits<Tensor>::Borrow(tensors.back()));
  }
  auto function = module.GetFunction(name);
  runtime::ThrowIfError(function.status());
  function->CallPacked(values.data(), static_cast<int32_t>(values.size()));
  std::string bytes;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (arguments[i].output)
      bytes.append(reinterpret_cast<const char*>(tensors[i].HostData<float>()),
                   tensors[i].num_bytes());
  }
  return bytes;
}

}  // namespace lathe::faults
