#include "tests/faults/kernels.h"

#include <cstdint>
#include <utility>

#include "driver/auto_build.h"
#include "driver/lower_device.h"
#include "ir/expr.h"
#include "runtime/device.h"
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

bool HasThreads(const std::string& target) {
  return driver::TakesKernels(target::ParseTarget(target));
}

driver::ProgramToCompile ByDefault(std::vector<ir::NodeRef> args, const std::string& name,
                                   const std::string& target) {
  auto program =
      driver::AutoProgram(std::move(args), name, target::ParseTarget(target), {}, nullptr);
  runtime::ThrowIfError(program.status());
  return *std::move(program);
}

driver::ProgramToCompile Layer(const std::string& name, const std::string& target) {
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
  if (HasThreads(target)) return ByDefault({a, b, c}, name, target);
  schedule::Schedule how = schedule::CreateSchedule({c->op});
  const auto [outer, inner] = schedule::Split(how[c], schedule::AxisOf(c, 0), 4);
  schedule::ComputeAt(how[p], how[c], inner);
  schedule::Vectorize(how[c], schedule::Split(how[c], schedule::AxisOf(c, 1), 8).second);
  schedule::Parallel(how[c], outer);
  return {how, {a, b, c}, name, target::ParseTarget(target), {}};
}

driver::ProgramToCompile Blur(const std::string& name, const std::string& target) {
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
  if (HasThreads(target)) return ByDefault({a, v}, name, target);
  schedule::Schedule how = schedule::CreateSchedule({v->op});
  schedule::ComputeAt(how[h], how[v], schedule::AxisOf(v, 0));
  schedule::Parallel(how[v], schedule::AxisOf(v, 0));
  schedule::Vectorize(how[v], schedule::AxisOf(v, 1));
  return {how, {a, v}, name, target::ParseTarget(target), {}};
}

driver::ProgramToCompile Softmax(const std::string& name, const std::string& target) {
  const te::Tensor x = te::Placeholder({ir::Int(kRows), ir::Int(kColumns)}, kFloat, "X");
  return ByDefault({x, topi::ops::Softmax(x)}, name, target);
}

driver::ProgramToCompile ArgMax(const std::string& name, const std::string& target) {
  const te::Tensor x = te::Placeholder({ir::Int(kRows), ir::Int(kColumns)}, kFloat, "X");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(kColumns), "k");
  const std::vector<te::Tensor> best = te::ComputeTuple(
      {ir::Int(kRows)},
      [&](const te::Indices& i) { return te::ArgMax(k->var, te::At(x, {i[0], k->var}), {k}); },
      "B");
  return ByDefault({x, best[0], best[1]}, name, target);
}

driver::ProgramToCompile Scan(const std::string& name, const std::string& target) {
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
  return {schedule::CreateSchedule({sums->op}), {x, sums}, name, target::ParseTarget(target), {}};
}

driver::ProgramToCompile Sums(const std::string& name, const std::string& target) {
  const te::Tensor x = te::Placeholder({ir::Int(kRows), ir::Int(kColumns)}, kFloat, "X");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(kColumns), "k");
  const te::Tensor sum = te::Compute(
      {ir::Int(kRows)},
      [&](const te::Indices& i) { return te::Sum(te::At(x, {i[0], k->var}), {k}); }, "S");
  schedule::Schedule how = schedule::CreateSchedule({sum->op});
  const te::Tensor row = schedule::CacheRead(how, x, "shared", {sum->op});
  const ir::IterVar i = schedule::AxisOf(sum, 0), threads = schedule::ThreadAxis("threadIdx.x");
  schedule::Bind(how[sum], i, schedule::ThreadAxis("blockIdx.x"));
  const ir::IterVar lane = schedule::Split(how[sum], k, 8).second;
  schedule::Bind(how[sum], lane, threads);
  schedule::ComputeAt(how[row], how[sum], i);
  const ir::IterVar filling = schedule::Split(how[row], schedule::AxisOf(row, 1), 8).second;
  schedule::Bind(how[row], filling, threads);
  return {how, {x, sum}, name, target::ParseTarget(target), {}};
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
    case Kernel::kSums:
      return {{matrix}, {{kRows}, true}};
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
    case Kernel::kSums:
      return "sums";
  }
  return "";
}

std::vector<Kernel> KernelsOf(const std::string& target) {
  return {Kernel::kLayer, Kernel::kSoftmax, Kernel::kBlur, Kernel::kArgMax,
          HasThreads(target) ? Kernel::kSums : Kernel::kScan};
}

driver::ProgramToCompile Written(Kernel kernel, const std::string& name,
                                 const std::string& target) {
  switch (kernel) {
    case Kernel::kLayer:
      return Layer(name, target);
    case Kernel::kSoftmax:
      return Softmax(name, target);
    case Kernel::kBlur:
      return Blur(name, target);
    case Kernel::kArgMax:
      return ArgMax(name, target);
    case Kernel::kSums:
      return Sums(name, target);
    case Kernel::kScan:
      break;
  }
  return Scan(name, target);
}

std::string Computed(Kernel kernel, const runtime::Module& module, const std::string& name,
                     const std::string& target) {
  const runtime::Device device = HasThreads(target)
                                     ? runtime::Device::Parse(target.substr(0, target.find(' ')))
                                     : runtime::Device::Cpu();
  const std::vector<Argument> arguments = Arguments(kernel);
  std::vector<Tensor> tensors;
  std::vector<lathe_value> values;
  for (const Argument& argument : arguments) {
    uint64_t elements = 1;
    for (const int64_t extent : argument.shape) elements *= static_cast<uint64_t>(extent);
    std::vector<float> numbers(elements);
    for (uint64_t i = 0; i < elements && !argument.output; ++i)
      numbers[i] = static_cast<float>(i * i % 23) / 4 - 2;
    auto tensor =
        Tensor::FromHost(numbers.data(), elements * 4, argument.shape, argument.dtype, device);
    runtime::ThrowIfError(tensor.status());
    tensors.push_back(*std::move(tensor));
    values.push_back(runtime::ValueTraits<Tensor>::Borrow(tensors.back()));
  }
  auto function = module.GetFunction(name);
  runtime::ThrowIfError(function.status());
  function->CallPacked(values.data(), static_cast<int32_t>(values.size()));
  std::string bytes;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!arguments[i].output) continue;
    std::string result(tensors[i].num_bytes(), '\0');
    runtime::ThrowIfError(tensors[i].CopyToHost(result.data(), result.size()));
    bytes += result;
  }
  return bytes;
}

}  // namespace lathe::faults
