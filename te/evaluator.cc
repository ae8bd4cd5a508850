#include "te/evaluator.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "ir/constants.h"
#include "ir/intrinsic.h"
#include "ir/rewrite.h"
#include "te/evaluator_impl.h"
#include "te/tensor_intrin.h"

namespace lathe::te {
namespace internal {

using namespace ir;  // NOLINT: the nodes' names, in this file only

void Fail(const char* name, std::string message, std::string expected, std::string found,
          std::string help) {
  throw Error(Diagnostic{.name = name,
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

Buffer AnyLayout(const std::string& name, DataType dtype, const std::vector<int64_t>& shape) {
  const DataType index = DataType::Int(64);
  Ref<BufferNode> buffer = Make<BufferNode>();
  buffer->name = name;
  buffer->dtype = dtype;
  buffer->data = MakeVar(name, DataType::Handle());
  for (const int64_t extent : shape) {
    buffer->shape.push_back(Int(extent, index));
    buffer->strides.push_back(MakeVar("stride", index));
  }
  buffer->elem_offset = MakeVar("offset", index);
  buffer->offset_factor = 1;
  return buffer;
}

void Evaluator::BindVar(const Expr& expr, int64_t value) {
  Var var = RefAs<VarNode>(expr);
  if (!var || vars_.contains(var.get())) return;
  vars_[var.get()] = InterpValue::Int(value);
  var_refs_[var.get()] = var;
}

void Evaluator::Bind(const std::vector<NodeRef>& args, std::span<const InterpValue> values) {
  if (args.size() != values.size()) {
    Fail("evaluate-argument", "the program is called with the wrong number of arguments",
         std::to_string(args.size()), std::to_string(values.size()));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string which = "argument " + std::to_string(i + 1);
    if (const Var var = RefAs<VarNode>(args[i])) {
      if (values[i].kind != LATHE_VALUE_INT && values[i].kind != LATHE_VALUE_FLOAT &&
          values[i].kind != LATHE_VALUE_BOOL) {
        Fail("evaluate-argument", which + " (`" + var->name + "`) is no number",
             var->dtype.ToString());
      }
      vars_[var.get()] = values[i];
      var_refs_[var.get()] = var;
    } else if (As<TensorNode>(args[i]) == nullptr) {
      Fail("evaluate-argument", which + " is neither a tensor nor a variable");
    }
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const Tensor tensor = RefAs<TensorNode>(args[i]);
    if (!tensor) continue;
    const std::string which = "argument " + std::to_string(i + 1) + " (`" + tensor->name() + "`)";
    if (values[i].kind != LATHE_VALUE_DLTENSOR || values[i].tensor == nullptr) {
      Fail("evaluate-argument", which + " is no tensor");
    }
    const InterpTensor& view = *values[i].tensor;
    if (view.dtype != tensor->dtype()) {
      Fail("evaluate-argument", which + " has the wrong element type", tensor->dtype().ToString(),
           view.dtype.ToString());
    }
    if (view.shape.size() != tensor->shape().size()) {
      Fail("evaluate-argument", which + " has the wrong rank",
           std::to_string(tensor->shape().size()), std::to_string(view.shape.size()));
    }
    if (!view.strides.empty() && view.strides.size() != view.shape.size()) {
      Fail("evaluate-argument", which + " has as many strides as no tensor has",
           std::to_string(view.shape.size()), std::to_string(view.strides.size()));
    }
    for (size_t d = 0; d < view.shape.size(); ++d) BindVar(tensor->shape()[d], view.shape[d]);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const Tensor tensor = RefAs<TensorNode>(args[i]);
    if (!tensor) continue;
    const std::vector<int64_t> shape = ShapeOf(*tensor->op, tensor->value_index);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] != values[i].tensor->shape[d]) {
        Fail("evaluate-argument",
             "argument " + std::to_string(i + 1) + " (`" + tensor->name() +
                 "`) has another extent " + std::to_string(d),
             std::to_string(shape[d]), std::to_string(values[i].tensor->shape[d]));
      }
    }
    const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    if (values[i].tensor->data == nullptr && !empty) {
      Fail("evaluate-argument",
           "argument " + std::to_string(i + 1) + " (`" + tensor->name() + "`) has no memory");
    }
    if (As<PlaceholderOp>(tensor->op) != nullptr) {
      auto storage = std::make_unique<Storage>();
      storage->view = *values[i].tensor;
      storage_[tensor] = std::move(storage);
    }
  }
}

// Calls the interpreter on a function with these parameters. The bound variables that the body uses
// become parameters too.
void Evaluator::CallOn(const std::string& name, std::vector<NodeRef> params,
                       std::vector<InterpValue> values, Stmt body, Dict attrs) {
  std::unordered_set<const Node*> by_buffer;
  for (const NodeRef& param : params) {
    if (const auto* buffer = As<BufferNode>(param)) {
      by_buffer.insert(buffer->data.get());
      for (const Expr& stride : buffer->strides) by_buffer.insert(stride.get());
    }
  }
  std::vector<NodeRef> all;
  std::vector<InterpValue> all_values;
  auto add = [&](const Var& var) {
    if (by_buffer.contains(var.get())) return;
    const auto found = vars_.find(var.get());
    if (found == vars_.end()) {
      Fail("evaluate-unbound", "the variable `" + var->name + "` has no value in `" + name + "`",
           "a variable that an argument's shape binds, or that is an argument", "",
           "pass it as an argument of the program");
    }
    by_buffer.insert(var.get());
    all.push_back(var);
    all_values.push_back(found->second);
  };
  for (const Var& var : FreeVars(body)) add(var);
  // Symbolic extents of an extern operation's buffers.
  for (const NodeRef& param : params) {
    if (const auto* buffer = As<BufferNode>(param)) {
      for (const Expr& extent : buffer->shape) {
        for (const Var& var : FreeVars(extent)) add(var);
      }
    }
  }
  all.insert(all.end(), params.begin(), params.end());
  all_values.insert(all_values.end(), std::make_move_iterator(values.begin()),
                    std::make_move_iterator(values.end()));
  InterpretOptions options = options_;
  if (!ConstantsIn(attrs).empty()) options.constants.clear();  // the function has its own
  Interpret(
      MakeFunc(name.empty() ? "evaluate" : name, std::move(all), std::move(body), std::move(attrs)),
      all_values, std::move(options));
}

InterpValue Evaluator::ValueOf(const Expr& expr) {
  if (const int64_t* value = AsConstInt(expr)) return InterpValue::Int(*value);
  int64_t result = 0;
  const Buffer out = MakeBuffer("value", DataType::Int(64), {});
  CallOn("extent", {out}, {InterpTensor::Of(&result, DataType::Int(64), {})},
         MakeStore(out, MakeCast(DataType::Int(64), expr), {}));
  return InterpValue::Int(result);
}

std::vector<int64_t> Evaluator::ShapeOf(const OpNode& op, int64_t output) {
  std::vector<int64_t> shape;
  for (const Expr& extent : OutputShape(op, output))
    shape.push_back(std::max<int64_t>(ValueOf(extent).i, 0));
  return shape;
}

Storage& Evaluator::StorageOf(const OpNode& op, int64_t output) {
  const auto found = storage_.find(OutputOf(Op(&op), output));
  if (found == storage_.end()) {
    Fail("evaluate-unbound", "the placeholder `" + op.name + "` has no value",
         "an argument for every placeholder", "", "pass it as an argument of the program");
  }
  return *found->second;
}

// New memory for an output, with no element marked as written.
Storage& Evaluator::Fresh(const OpNode& op, int64_t output) {
  auto storage = std::make_unique<Storage>();
  storage->view = InterpTensor::Of(nullptr, OutputType(op, output), ShapeOf(op, output));
  uint64_t bytes = static_cast<uint64_t>(storage->view.dtype.bytes());
  for (const int64_t extent : storage->view.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes) ||
        bytes > options_.memory_limit) {
      Fail("interpret-memory-limit", "`" + op.name + "` is too large to be evaluated",
           "at most " + std::to_string(options_.memory_limit) + " bytes");
    }
  }
  storage->bytes.resize(bytes);
  storage->written.assign(bytes, 0);
  storage->view.data = storage->bytes.data();
  storage->view.written = &storage->written;
  std::unique_ptr<Storage>& slot = storage_[OutputOf(Op(&op), output)];
  slot = std::move(storage);
  return *slot;
}

// The tensors that must exist before the operation is computed. A scan computes its body itself.
std::vector<Tensor> Evaluator::NeedsOf(const OpNode& op) {
  const auto* scan = As<ScanOp>(&op);
  return scan != nullptr ? PartsOf(*scan).outside : InputsOf(op);
}

// The operations that `outputs` need, producers first. Operations in `given`, and what only they
// need, are left out.
std::vector<Op> Evaluator::InOrder(const std::vector<Tensor>& outputs, const TensorSet& given) {
  std::vector<Op> order;
  std::unordered_set<const OpNode*> seen;
  struct Frame {
    Op op;
    std::vector<Tensor> inputs;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  auto enter = [&](const Op& op) {
    if (given.contains(op.get()) || !seen.insert(op.get()).second) return;
    stack.push_back({op, NeedsOf(*op), 0});
  };
  for (const Tensor& output : outputs) {
    enter(output->op);
    while (!stack.empty()) {
      if (stack.back().next < stack.back().inputs.size()) {
        const Op input = stack.back().inputs[stack.back().next++]->op;
        enter(input);
      } else {
        order.push_back(stack.back().op);
        stack.pop_back();
      }
    }
  }
  return order;
}

void Evaluator::EvaluateOp(const Op& op) {
  switch (op->node_kind()) {
    case NodeKind::kPlaceholderOp:
      StorageOf(*op, 0);
      return;
    case NodeKind::kComputeOp:
      return EvaluateCompute(static_cast<const ComputeOp&>(*op), *op);
    case NodeKind::kTensorComputeOp: {
      const Op meaning = ReferenceCompute(static_cast<const TensorComputeOp&>(*op));
      return EvaluateCompute(static_cast<const ComputeOp&>(*meaning), *op);
    }
    case NodeKind::kExternOp:
      return EvaluateExtern(static_cast<const ExternOp&>(*op));
    case NodeKind::kScanOp:
      return EvaluateScan(static_cast<const ScanOp&>(*op));
    default:
      Fail("evaluate-unsupported", "`" + op->name + "` is no operation that can be evaluated",
           "a placeholder, compute, scan, extern or tensor compute", NodeKindName(op->node_kind()));
  }
}

namespace {

// for reduce axes: if condition: accumulators = combine(accumulators, sources)
Stmt ReductionOf(const Reduce& reduce, const std::vector<Buffer>& accumulators) {
  const Reducer& reducer = reduce.reducer;
  const size_t n = reduce.sources.size();
  std::vector<Stmt> steps;
  std::vector<Var> results;
  for (size_t k = 0; k < n; ++k) {
    results.push_back(MakeVar("result", reduce.sources[k]->dtype));
    steps.push_back(MakeStore(accumulators[k], results[k], {}));
  }
  // All results are computed from the old values, then stored.
  Stmt update = MakeSeq(std::move(steps));
  for (size_t k = n; k-- > 0;) update = MakeLetStmt(results[k], reducer->result[k], update);
  for (size_t k = n; k-- > 0;) {
    update = MakeLetStmt(reducer->rhs[k], reduce.sources[k], update);
    update = MakeLetStmt(reducer->lhs[k], MakeLoad(accumulators[k], {}), update);
  }
  update = MakeIf(reduce.condition, update);
  for (size_t d = reduce.axis.size(); d-- > 0;) {
    const IterVar& axis = reduce.axis[d];
    update = MakeFor(axis->var, MakeCast(axis->var->dtype, axis->domain->min),
                     MakeCast(axis->var->dtype, axis->domain->extent), ForKind::kSerial, update);
  }
  return update;
}

}  // namespace

void Evaluator::EvaluateCompute(const ComputeOp& op, const OpNode& of) {
  std::vector<NodeRef> params;
  std::vector<InterpValue> values;
  std::unordered_map<Tensor, Buffer, TensorHash, TensorEqual> buffers;
  for (const Tensor& input : InputsOf(op)) {
    const Storage& storage = StorageOf(*input->op, input->value_index);
    const Buffer buffer = AnyLayout(input->name(), input->dtype(), storage.view.shape);
    buffers[input] = buffer;
    params.push_back(buffer);
    values.emplace_back(storage.view);
  }
  std::vector<Buffer> outputs;
  for (size_t k = 0; k < op.body.size(); ++k) {
    Storage& storage = Fresh(of, static_cast<int64_t>(k));
    outputs.push_back(AnyLayout(op.name, storage.view.dtype, storage.view.shape));
    params.push_back(outputs.back());
    values.emplace_back(storage.view);
  }
  std::vector<Expr> index;
  for (const IterVar& axis : op.axis) index.push_back(axis->var);
  Stmt body;
  std::vector<Stmt> stores;
  if (const auto* reduce = As<Reduce>(op.body[0])) {
    std::vector<Buffer> accumulators;
    std::vector<Stmt> steps;
    for (size_t k = 0; k < reduce->sources.size(); ++k) {
      accumulators.push_back(MakeBuffer("accumulator", reduce->sources[k]->dtype, {}));
      steps.push_back(
          MakeStore(accumulators[k],
                    reduce->init.empty() ? reduce->reducer->identity[k] : reduce->init[k], {}));
    }
    steps.push_back(ReductionOf(*reduce, accumulators));
    for (size_t k = 0; k < op.body.size(); ++k) {
      const auto* member = As<Reduce>(op.body[k]);
      if (member == nullptr) {
        Fail("evaluate-unsupported", "`" + op.name + "` mixes reductions with other values");
      }
      steps.push_back(MakeStore(
          outputs[k], MakeLoad(accumulators[static_cast<size_t>(member->value_index)], {}), index));
    }
    body = MakeSeq(std::move(steps));
    for (const Buffer& accumulator : accumulators) body = MakeAllocate(accumulator, body);
  } else {
    for (size_t k = 0; k < op.body.size(); ++k)
      stores.push_back(MakeStore(outputs[k], op.body[k], index));
    body = MakeSeq(std::move(stores));
  }
  for (size_t d = op.axis.size(); d-- > 0;) {
    const IterVar& axis = op.axis[d];
    body = MakeFor(axis->var, MakeCast(axis->var->dtype, axis->domain->min),
                   MakeCast(axis->var->dtype, axis->domain->extent), ForKind::kSerial, body);
  }
  body = Rewrite(body, [&](const Load& load) -> Expr {
    const Tensor tensor = RefAs<TensorNode>(load.source);
    return tensor ? MakeLoad(buffers.at(tensor), load.indices, load.mask) : Expr();
  });
  CallOn(op.name, std::move(params), std::move(values), body);
}

void Evaluator::EvaluateExtern(const ExternOp& op) {
  std::vector<NodeRef> params;
  std::vector<InterpValue> values;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const Storage& storage = StorageOf(*op.inputs[k]->op, op.inputs[k]->value_index);
    params.push_back(op.input_buffers[k]);
    values.emplace_back(storage.view);
  }
  for (size_t k = 0; k < op.output_buffers.size(); ++k) {
    params.push_back(op.output_buffers[k]);
    values.emplace_back(Fresh(op, static_cast<int64_t>(k)).view);
  }
  Dict constants;
  const std::vector<ir::ConstantRef> table = ir::ConstantsIn(op.attrs);
  for (size_t i = 0; i < table.size(); ++i)
    constants[ir::ConstantKey(static_cast<int64_t>(i))] = table[i];
  CallOn(op.name, std::move(params), std::move(values), op.body, std::move(constants));
}

void Evaluator::Run(const std::vector<NodeRef>& args, std::span<const InterpValue> values) {
  Bind(args, values);
  std::vector<Tensor> outputs;
  for (const NodeRef& arg : args) {
    const Tensor tensor = RefAs<TensorNode>(arg);
    if (tensor && As<PlaceholderOp>(tensor->op) == nullptr) outputs.push_back(tensor);
  }
  for (const Op& op : InOrder(outputs, {})) EvaluateOp(op);
  for (size_t i = 0; i < args.size(); ++i) {
    const Tensor tensor = RefAs<TensorNode>(args[i]);
    if (tensor && As<PlaceholderOp>(tensor->op) == nullptr) {
      StoreResult(StorageOf(*tensor->op, tensor->value_index), *values[i].tensor);
    }
  }
}

// Copies the result into the caller's memory, which may have any layout. Elements that were never
// written keep their old values.
void Evaluator::StoreResult(const Storage& from, const InterpTensor& to) const {
  const auto width = static_cast<size_t>(to.dtype.bytes());
  const size_t count = width == 0 ? 0 : from.bytes.size() / width;
  for (size_t e = 0; e < count; ++e) {
    if (from.written[e * width] == 0) continue;
    int64_t offset = 0, compact = 1;
    auto rest = static_cast<int64_t>(e);
    for (size_t d = to.shape.size(); d-- > 0;) {
      offset += rest % to.shape[d] * (to.strides.empty() ? compact : to.strides[d]);
      rest /= to.shape[d];
      compact *= to.shape[d];
    }
    std::memcpy(
        static_cast<uint8_t*>(to.data) + to.byte_offset + offset * static_cast<int64_t>(width),
        from.bytes.data() + e * width, width);
  }
}

}  // namespace internal

void Evaluate(const std::vector<ir::NodeRef>& args, std::span<const ir::InterpValue> values,
              ir::InterpretOptions options) {
  internal::Evaluator(std::move(options)).Run(args, values);
}

}  // namespace lathe::te
