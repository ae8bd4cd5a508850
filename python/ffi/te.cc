// Tensor expressions.
#include "te/layout_free.h"
#include "te/operation.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "ir/reducers.h"
#include "plugins/host/tensor_intrinsics.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"
#include "te/tensor_intrin.h"
#include "topi/cpu/dot_intrinsics.h"

namespace lathe::python {
namespace {

using ir::Expr;
using ir::IterVar;
using ir::Tensor;
using runtime::Function;
using runtime::Value;
using Exprs = std::vector<Expr>;
using Axes = std::vector<IterVar>;
using Tensors = std::vector<Tensor>;

// The result of a compute's function: one expression or a tuple of them.
Exprs Bodies(const Value& made, const std::string& name) {
  if (made.Is<Exprs>() && !made.is_none()) return made.As<Exprs>();
  if (!made.is_none() && !made.Is<std::string>() && made.Is<Expr>()) return {made.As<Expr>()};
  throw Error(
      Diagnostic{.name = "compute-body-type",
                 .message = "the function of compute `" + name + "` returns what is no expression",
                 .expected = "an expression, or a tuple of them for several outputs",
                 .found = made.ToString()});
}

te::ComputeOptions Options(const std::string& tag, const ir::Dict& attrs,
                           const std::vector<std::string>& axis_names) {
  te::ComputeOptions options;
  options.tag = tag;
  options.attrs = attrs;
  options.axis_names = axis_names;
  return options;
}

Value Compute(const Exprs& shape, const Function& body, const std::string& name,
              const std::string& tag, const ir::Dict& attrs,
              const std::vector<std::string>& axis_names) {
  bool is_tuple = false;
  const auto tensors = te::ComputeTuple(
      shape,
      [&](const te::Indices& indices) {
        std::vector<Value> args;
        for (const ir::Var& index : indices) args.emplace_back(index);
        const Value made = body(args);
        is_tuple = made.Is<Exprs>() && !made.is_none();
        return Bodies(made, name);
      },
      name, Options(tag, attrs, axis_names));
  if (!is_tuple) return tensors.at(0);
  return Tensors(tensors);
}

// The reductions of te by name, over one value.
Expr ReduceByName(const std::string& name, const Expr& value, const Axes& axis,
                  const Maybe<Expr>& condition, const Maybe<Expr>& start) {
  const Expr where = OrNull(condition), init = OrNull(start);
  if (name == "sum") return te::Sum(value, axis, where, init);
  if (name == "prod") return te::Prod(value, axis, where, init);
  if (name == "min") return te::Min(value, axis, where, init);
  if (name == "max") return te::Max(value, axis, where, init);
  if (name == "all") return te::All(value, axis, where, init);
  if (name == "any") return te::Any(value, axis, where, init);
  throw Error(Diagnostic{.name = "unknown-reduction",
                         .message = "there is no reduction `" + name + "`",
                         .expected = QuotedList(ir::ReducerNames())});
}

std::vector<ir::Buffer> Buffers(const Value& value) {
  if (value.is_none()) return {};
  return value.As<std::vector<ir::Buffer>>();
}

}  // namespace

void RegisterTe() {
  Def("te.placeholder", [](const Exprs& shape, DataType type, const std::string& name) {
    return te::Placeholder(shape, type, name);
  });
  Def("te.compute", Compute);
  Def("te.mark_layout_free", [](const ir::Op& compute, const Tensors& inputs) {
    return te::MarkLayoutFree(compute, inputs);
  });
  Def("te.load",
      [](const Tensor& tensor, const Exprs& indices) { return te::At(tensor, indices); });
  Def("te.reduce_axis", [](const Expr& min, const Expr& extent, const std::string& name) {
    return te::ReduceAxis(min, extent, name);
  });
  Def("te.reduce", ReduceByName);
  Def("te.arg_reduce", [](const std::string& name, const Expr& index, const Expr& value,
                          const Axes& axis, const Maybe<Expr>& where) {
    return name == "argmin" ? te::ArgMin(index, value, axis, OrNull(where))
                            : te::ArgMax(index, value, axis, OrNull(where));
  });
  Def("te.reducer", [](const std::string& name, const std::vector<DataType>& types,
                       const Function& combine, const Exprs& identity) {
    return te::CustomReducer(
        name, types,
        [&](const Exprs& lhs, const Exprs& rhs) {
          return Bodies(combine(Value(lhs), Value(rhs)), name);
        },
        identity);
  });
  Def("te.reduce_with", [](const ir::Reducer& reducer, const Exprs& values, const Axes& axis,
                           const Maybe<Expr>& where, const Exprs& init) {
    return te::ReduceWith(reducer, values, axis, OrNull(where), init);
  });
  Def("te.min_value", [](DataType type) { return te::MinValue(type); });
  Def("te.max_value", [](DataType type) { return te::MaxValue(type); });
  Def("te.scan",
      [](const Tensors& init, const Tensors& update, const Tensors& state, const Tensors& inputs,
         const std::string& name, const std::string& tag, const ir::Dict& attrs) {
        return te::Scan(init, update, state, inputs, name, tag, attrs);
      });
  Def("te.extern", [](const std::vector<Exprs>& shapes, const std::vector<DataType>& types,
                      const Tensors& inputs, const Function& body, const std::string& name,
                      const std::string& tag, const ir::Dict& attrs) {
    return te::Extern(
        shapes, types, inputs,
        [&](const std::vector<ir::Buffer>& ins, const std::vector<ir::Buffer>& outs) {
          const Value made = body(Value(ins), Value(outs));
          if (made.Is<ir::Stmt>() && !made.is_none()) return made.As<ir::Stmt>();
          return ir::MakeEvaluate(made.As<Expr>());
        },
        name, tag, attrs);
  });
  Def("te.constant",
      [](const std::string& bytes, const std::vector<int64_t>& shape, DataType type,
         const std::string& name) { return te::Constant(Blob::Copy(bytes), shape, type, name); });

  Def("te.output", [](const ir::Op& op, int64_t index) {
    if (index < 0 || index >= ir::NumOutputs(*op)) {
      throw Error(Diagnostic{
          .name = "operation-output-out-of-range",
          .message = "operation `" + op->name + "` has no output " + std::to_string(index),
          .expected = "less than " + std::to_string(ir::NumOutputs(*op))});
    }
    return ir::OutputOf(op, index);
  });
  Def("te.num_outputs", [](const ir::Op& op) { return ir::NumOutputs(*op); });
  Def("te.input_tensors", [](const ir::Op& op) { return ir::InputsOf(*op); });
  Def("te.tensor_shape", [](const Tensor& tensor) { return tensor->shape(); });
  Def("te.tensor_dtype", [](const Tensor& tensor) { return tensor->dtype(); });
  Def("te.tensor_name", [](const Tensor& tensor) { return tensor->name(); });
  Def("te.same_tensor", [](const Tensor& a, const Tensor& b) { return ir::SameTensor(a, b); });

  Def("te.intrin_buffer", [](const Tensor& tensor, const Exprs& strides, int64_t offset_factor,
                             int64_t alignment, const std::string& scope) {
    te::IntrinBufferOptions options;
    options.strides = strides;
    options.offset_factor = offset_factor;
    options.alignment = alignment;
    options.scope = scope;
    return te::IntrinBuffer(tensor, options);
  });
  // `body` returns one statement for the whole, or [body, reset, update].
  Def("te.decl_tensor_intrin",
      [](const std::string& name, const ir::Op& reference, const Function& body, const Any& buffers,
         const std::vector<ir::Var>& scalars) {
        te::IntrinOptions options;
        options.buffers = Buffers(buffers);
        options.scalar_params = scalars;
        return te::DeclTensorIntrin(
            name, reference,
            [&](const std::vector<ir::Buffer>& ins, const std::vector<ir::Buffer>& outs) {
              const Value made = body(Value(ins), Value(outs));
              te::IntrinStmts stmts;
              if (made.Is<std::vector<Value>>()) {
                const auto parts = made.As<std::vector<Value>>();
                if (!parts.empty()) stmts.body = OrNull(parts[0].As<Maybe<ir::Stmt>>());
                if (parts.size() > 1) stmts.reset = OrNull(parts[1].As<Maybe<ir::Stmt>>());
                if (parts.size() > 2) stmts.update = OrNull(parts[2].As<Maybe<ir::Stmt>>());
              } else {
                stmts.body = made.As<ir::Stmt>();
              }
              return stmts;
            },
            options);
      });
  te::AddTensorIntrinLibrary(topi::cpu::RegisterDotIntrins);
  Def("te.register_tensor_intrin", [](const te::TensorIntrin& intrin, const std::string& target) {
    te::RegisterTensorIntrin(intrin, target);
  });
  Def("te.get_tensor_intrin", [](const std::string& name, const std::string& target) {
    plugins::RegisterTensorIntrinsicsOf(target);
    return te::GetTensorIntrin(name, target);
  });
  Def("te.tensor_intrinsics", [](const std::string& target) {
    plugins::RegisterTensorIntrinsicsOf(target);
    return te::TensorIntrinNames(target);
  });
}

}  // namespace lathe::python
