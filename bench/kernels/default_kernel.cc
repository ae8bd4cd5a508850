#include "bench/kernels/default_kernel.h"

#include "topi/cpu/auto/auto_schedule.h"

namespace lathe::bench {
namespace {

using topi::cpu::Kernel;

// C = A B, in its plain form.
std::vector<te::Tensor> PlainProduct(const Kernel& kernel) {
  const te::Shape a_shape = kernel.args[0]->shape(), b_shape = kernel.args[1]->shape(),
                  c_shape = kernel.args[2]->shape();
  const DataType dtype = kernel.args[0]->dtype();
  const te::Tensor a = te::Placeholder(a_shape, dtype, "A"),
                   b = te::Placeholder(b_shape, dtype, "B");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), a_shape.back(), "k");
  const te::Tensor c = te::Compute(
      c_shape,
      [&](const te::Indices& i) {
        if (i.size() == 2)
          return te::Sum(te::At(a, {i[0], k->var}) * te::At(b, {k->var, i[1]}), {k});
        return te::Sum(te::At(a, {i[0], i[1], k->var}) * te::At(b, {i[0], k->var, i[2]}), {k});
      },
      "C");
  return {a, b, c};
}

}  // namespace

bool HasDefault(const Case& of) {
  return of.operation_kind == "float32" || of.operation_kind == "memory";
}

double DefaultLimit(const Case& of) {
  return of.name.rfind("conv", 0) == 0 || of.name.rfind("depthwise", 0) == 0 ? 3 : 2;
}

Kernel DefaultKernel(const Case& of, const Kernel& hand, const target::Machine& machine) {
  const std::vector<te::Tensor> args =
      of.name.rfind("gemm_", 0) == 0 ? PlainProduct(hand) : hand.args;
  std::vector<ir::Op> outputs;
  for (const te::Tensor& arg : args) {
    if (ir::As<ir::PlaceholderOp>(arg->op) != nullptr) continue;
    bool known = false;
    for (const ir::Op& op : outputs) known = known || op.same_as(arg->op);
    if (!known) outputs.push_back(arg->op);
  }
  return {topi::cpu::AutoSchedule(outputs, machine), args};
}

}  // namespace lathe::bench
