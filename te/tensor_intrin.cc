#include "te/tensor_intrin.h"

#include <map>
#include <mutex>
#include <unordered_set>

#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/structural.h"

namespace lathe::te {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

[[noreturn]] void InvalidIntrin(const std::string& name, std::string what, std::string expected,
                                std::string found) {
  throw Error(Diagnostic{.name = "tensor-intrin-invalid",
                         .message = "tensor intrinsic `" + name + "`: " + std::move(what),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = "declare a compute over placeholders, a buffer of the same shape "
                                 "and type for each, and statements on these buffers"});
}

const ComputeOp& ReferenceOf(const TensorIntrinNode& intrin) {
  const auto* op = As<ComputeOp>(intrin.op);
  if (op == nullptr) {
    InvalidIntrin(intrin.name, "its reference is no compute", "a compute over placeholders",
                  intrin.op ? NodeKindName(intrin.op->node_kind()) : "nothing");
  }
  return *op;
}

void CheckExtents(const TensorIntrinNode& intrin, const std::vector<Expr>& shape,
                  const std::string& of) {
  for (const Expr& extent : shape) {
    const int64_t* value = AsConstInt(extent);
    if (value != nullptr && *value > 0) continue;
    InvalidIntrin(intrin.name, "`" + of + "` has no constant shape",
                  "extents that are constants > 0",
                  value != nullptr ? std::to_string(*value) : "an expression");
  }
}

void CheckOperand(const TensorIntrinNode& intrin, const Tensor& tensor, const Buffer& buffer) {
  CheckExtents(intrin, tensor->shape(), tensor->name());
  if (buffer->dtype != tensor->dtype()) {
    InvalidIntrin(intrin.name, "the buffer of `" + tensor->name() + "` has another type",
                  tensor->dtype().ToString(), buffer->dtype.ToString());
  }
  bool same = buffer->shape.size() == tensor->shape().size();
  for (size_t d = 0; same && d < buffer->shape.size(); ++d) {
    const int64_t* extent = AsConstInt(buffer->shape[d]);
    same = extent != nullptr && *extent == *AsConstInt(tensor->shape()[d]);
  }
  if (!same) {
    InvalidIntrin(intrin.name, "the buffer of `" + tensor->name() + "` has another shape",
                  "the shape of the placeholder or output",
                  "rank " + std::to_string(buffer->shape.size()) + " or another extent");
  }
  const bool strides_fit =
      buffer->strides.empty() || buffer->strides.size() == buffer->shape.size();
  if (!strides_fit) {
    InvalidIntrin(intrin.name, "the buffer of `" + tensor->name() + "` has too many or few strides",
                  std::to_string(buffer->shape.size()), std::to_string(buffer->strides.size()));
  }
  for (const Expr& stride : buffer->strides) {
    if (AsConstInt(stride) != nullptr || As<VarNode>(stride) != nullptr) continue;
    InvalidIntrin(intrin.name, "a stride of `" + tensor->name() + "` is an expression",
                  "a constant or a variable", NodeKindName(stride->node_kind()));
  }
  if (buffer->elem_offset && As<VarNode>(buffer->elem_offset) == nullptr &&
      !IsZero(buffer->elem_offset)) {
    InvalidIntrin(intrin.name, "the offset of `" + tensor->name() + "` is an expression",
                  "a variable or none", NodeKindName(buffer->elem_offset->node_kind()));
  }
}

// Statements speak of the operands, the scalar parameters and what they define themselves.
void CheckStmt(const TensorIntrinNode& intrin, const Stmt& stmt) {
  std::unordered_set<const Node*> known;
  for (const Buffer& buffer : intrin.buffers) {
    known.insert(buffer.get());
    known.insert(buffer->data.get());
    for (const Expr& stride : buffer->strides) known.insert(stride.get());
    known.insert(buffer->elem_offset.get());
  }
  for (const Var& param : intrin.scalar_params) known.insert(param.get());
  PostOrder(stmt, [&](const Node& node) {
    if (const auto* decl = As<DeclBuffer>(&node)) known.insert(decl->buffer.get());
    if (const auto* allocate = As<Allocate>(&node)) known.insert(allocate->buffer.get());
    if (const auto* realize = As<Realize>(&node)) known.insert(realize->buffer.get());
  });
  auto use = [&](const Node* what, const std::string& name) {
    if (what == nullptr || known.count(what) != 0) return;
    InvalidIntrin(intrin.name, "its statements use `" + name + "`, which is not theirs",
                  "its buffers, their strides, and its scalar parameters", "`" + name + "`");
  };
  for (const Var& var : FreeVars(stmt)) use(var.get(), var->name);
  PostOrder(stmt, [&](const Node& node) {
    if (const auto* load = As<Load>(&node)) {
      const auto* buffer = As<BufferNode>(load->source);
      if (buffer == nullptr) {
        InvalidIntrin(intrin.name, "its statements read a tensor", "reads of its buffers",
                      "a load of a tensor");
      }
      use(buffer, buffer->name);
    } else if (const auto* store = As<Store>(&node)) {
      use(store->buffer.get(), store->buffer->name);
    } else if (const auto* call = As<Call>(&node)) {
      for (const NodeRef& arg : call->args) {
        if (const auto* buffer = As<BufferNode>(arg)) use(buffer, buffer->name);
      }
    }
  });
}

struct Registry {
  std::mutex mutex;
  std::vector<void (*)()> libraries;                                    // not called yet
  std::map<std::pair<std::string, std::string>, TensorIntrin> entries;  // {name, target}
};
Registry& TheRegistry() {
  static auto* const registry = new Registry;
  return *registry;
}

// Libraries register while nobody holds the registry; whoever asks meanwhile may not find them yet,
// so callers wait for each other.
void CallLibraries() {
  static auto* const calling = new std::recursive_mutex;
  const std::lock_guard<std::recursive_mutex> one_at_a_time(*calling);
  std::vector<void (*)()> libraries;
  {
    Registry& registry = TheRegistry();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    libraries.swap(registry.libraries);
  }
  for (void (*register_all)() : libraries) register_all();
}

[[noreturn]] void MismatchedCall(const std::string& name, std::string what, std::string expected,
                                 std::string found) {
  throw Error(Diagnostic{.name = "tensor-call-mismatch",
                         .message = "tensor compute `" + name + "`: " + std::move(what),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = "give one region per input of the intrinsic, of its shape where "
                                 "dimensions of extent 1 are left out"});
}

std::string ShapeText(const std::vector<Expr>& shape) {
  std::string text = "[";
  for (const Expr& extent : shape) {
    const int64_t* value = AsConstInt(extent);
    text += (text.size() == 1 ? "" : ", ") + (value != nullptr ? std::to_string(*value) : "?");
  }
  return text + "]";
}

std::vector<Expr> ExtentsOf(const std::vector<Range>& region) {
  std::vector<Expr> out;
  for (const Range& range : region) out.push_back(range->extent);
  return out;
}

}  // namespace

Buffer IntrinBuffer(const Tensor& tensor, IntrinBufferOptions options) {
  Ref<BufferNode> buffer = Make<BufferNode>();
  buffer->name = tensor->name();
  buffer->dtype = tensor->dtype();
  buffer->data = MakeVar(buffer->name, DataType::Handle());
  buffer->shape = tensor->shape();
  buffer->strides = std::move(options.strides);
  buffer->scope = std::move(options.scope);
  buffer->alignment = options.alignment;
  buffer->offset_factor = options.offset_factor;
  return buffer;
}

void CheckTensorIntrin(const TensorIntrinNode& intrin) {
  const ComputeOp& op = ReferenceOf(intrin);
  const std::vector<Tensor> inputs = InputsOf(op);
  if (inputs.size() != intrin.inputs.size()) {
    InvalidIntrin(intrin.name, "its inputs are not those of its reference",
                  std::to_string(inputs.size()), std::to_string(intrin.inputs.size()));
  }
  if (intrin.buffers.size() != inputs.size() + op.body.size()) {
    InvalidIntrin(intrin.name, "it has another number of buffers than of inputs and outputs",
                  std::to_string(inputs.size() + op.body.size()),
                  std::to_string(intrin.buffers.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (As<PlaceholderOp>(intrin.inputs[i]->op) == nullptr) {
      InvalidIntrin(intrin.name, "its reference reads `" + intrin.inputs[i]->name() + "`",
                    "placeholders only", NodeKindName(intrin.inputs[i]->op->node_kind()));
    }
    CheckOperand(intrin, intrin.inputs[i], intrin.buffers[i]);
  }
  for (size_t k = 0; k < op.body.size(); ++k) {
    CheckOperand(intrin, OutputOf(intrin.op, static_cast<int64_t>(k)),
                 intrin.buffers[inputs.size() + k]);
  }
  for (const IterVar& axis : op.axis) CheckExtents(intrin, {axis->domain->extent}, axis->var->name);
  for (const IterVar& axis : op.reduce_axis) {
    CheckExtents(intrin, {axis->domain->extent}, axis->var->name);
    if (!IsZero(axis->domain->min)) {
      InvalidIntrin(intrin.name, "its reduction axis `" + axis->var->name + "` does not start at 0",
                    "0", "another start");
    }
  }
  const bool reduces = As<Reduce>(op.body[0]) != nullptr;
  const bool parts = intrin.reset && intrin.update;
  if (!intrin.body && !parts) {
    InvalidIntrin(intrin.name, "it does nothing",
                  reduces ? "a body, or a reset and an update" : "a body",
                  intrin.reset    ? "a reset alone"
                  : intrin.update ? "an update alone"
                                  : "nothing");
  }
  if (!reduces && (intrin.reset || intrin.update)) {
    InvalidIntrin(intrin.name, "it has a reset or an update, but its reference does not reduce",
                  "a body alone", "reset or update");
  }
  if (intrin.reset && !intrin.update) {
    InvalidIntrin(intrin.name, "it has a reset without an update", "both or a body alone",
                  "a reset");
  }
  for (const Stmt& stmt : {intrin.body, intrin.reset, intrin.update}) {
    if (stmt) CheckStmt(intrin, stmt);
  }
  std::unordered_set<const Node*> params;
  for (const Var& param : intrin.scalar_params) params.insert(param.get());
  for (const Var& var : FreeVars(intrin.op)) {
    if (params.count(var.get()) != 0) continue;
    InvalidIntrin(intrin.name, "its reference uses the variable `" + var->name + "`",
                  "its scalar parameters only", "`" + var->name + "`");
  }
}

TensorIntrin DeclTensorIntrin(std::string name, const Op& reference, const IntrinBody& body,
                              IntrinOptions options) {
  Ref<TensorIntrinNode> intrin = Make<TensorIntrinNode>();
  intrin->name = std::move(name);
  intrin->op = reference;
  const ComputeOp& op = ReferenceOf(*intrin);
  intrin->inputs = InputsOf(op);
  intrin->scalar_params = std::move(options.scalar_params);
  const size_t count = intrin->inputs.size() + op.body.size();
  if (!options.buffers.empty() && options.buffers.size() != count) {
    InvalidIntrin(intrin->name, "it has another number of buffers than of inputs and outputs",
                  std::to_string(count), std::to_string(options.buffers.size()));
  }
  options.buffers.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Tensor tensor =
        i < intrin->inputs.size()
            ? intrin->inputs[i]
            : OutputOf(reference, static_cast<int64_t>(i - intrin->inputs.size()));
    intrin->buffers.push_back(options.buffers[i] ? options.buffers[i] : IntrinBuffer(tensor));
  }
  const auto split = intrin->buffers.begin() + static_cast<std::ptrdiff_t>(intrin->inputs.size());
  IntrinStmts stmts = body({intrin->buffers.begin(), split}, {split, intrin->buffers.end()});
  intrin->body = std::move(stmts.body);
  intrin->reset = std::move(stmts.reset);
  intrin->update = std::move(stmts.update);
  CheckTensorIntrin(*intrin);
  return intrin;
}

void RegisterTensorIntrin(const TensorIntrin& intrin, std::string_view target) {
  CheckTensorIntrin(*intrin);
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  auto [it, added] =
      registry.entries.emplace(std::make_pair(intrin->name, std::string(target)), intrin);
  if (added || it->second.same_as(intrin)) return;
  throw Error(Diagnostic{.name = "tensor-intrin-exists",
                         .message = "there is a tensor intrinsic `" + intrin->name + "` already" +
                                    (target.empty() ? "" : " for " + std::string(target)),
                         .expected = "a name of its own",
                         .found = "`" + intrin->name + "`",
                         .help = "give it another name, or use the one that is there"});
}

void AddTensorIntrinLibrary(void (*register_all)()) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.libraries.push_back(register_all);
}

TensorIntrin FindTensorIntrin(std::string_view name, std::string_view target) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  for (const std::string_view key : {target, std::string_view()}) {
    auto it = registry.entries.find({std::string(name), std::string(key)});
    if (it != registry.entries.end()) return it->second;
  }
  return nullptr;
}

std::vector<std::string> TensorIntrinNames(std::string_view target) {
  CallLibraries();
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  std::vector<std::string> names;
  for (const auto& [key, intrin] : registry.entries) {
    if (!key.second.empty() && key.second != target) continue;
    if (names.empty() || names.back() != key.first) names.push_back(key.first);
  }
  return names;
}

TensorIntrin GetTensorIntrin(std::string_view name, std::string_view target) {
  if (TensorIntrin intrin = FindTensorIntrin(name, target)) return intrin;
  const std::vector<std::string> names = TensorIntrinNames(target);
  if (TensorIntrin intrin = FindTensorIntrin(name, target)) return intrin;
  const std::vector<std::string> near = NearestNames(name, names);
  throw Error(Diagnostic{.name = "unknown-tensor-intrin",
                         .message = "there is no tensor intrinsic `" + std::string(name) + "`" +
                                    (target.empty() ? "" : " for " + std::string(target)),
                         .expected = "one of " + QuotedList(near.empty() ? names : near),
                         .found = "`" + std::string(name) + "`",
                         .help = "register it, or load the plugin that brings it"});
}

std::vector<int> AlignDims(const std::vector<Expr>& region_extents,
                           const std::vector<Expr>& operand_shape, bool* fits) {
  std::vector<int> dims(operand_shape.size(), -1);
  *fits = false;
  size_t at = 0;
  for (size_t d = 0; d < operand_shape.size(); ++d) {
    if (IsOne(operand_shape[d])) continue;
    while (at < region_extents.size() && IsOne(region_extents[at])) ++at;
    if (at == region_extents.size()) return {};
    const int64_t* wanted = AsConstInt(operand_shape[d]);
    const int64_t* given = AsConstInt(region_extents[at]);
    if (wanted == nullptr || given == nullptr || *wanted != *given) return {};
    dims[d] = static_cast<int>(at++);
  }
  while (at < region_extents.size() && IsOne(region_extents[at])) ++at;
  *fits = at == region_extents.size();
  return *fits ? dims : std::vector<int>();
}

std::vector<Tensor> TensorCompute(const Shape& loops,
                                  const std::function<IntrinCall(const Indices&)>& call,
                                  std::string name, ComputeOptions options) {
  Ref<TensorComputeOp> op = Make<TensorComputeOp>();
  Indices indices;
  auto add_axis = [&](const Expr& extent, IterKind kind) {
    static constexpr const char* kNames[] = {"i", "j", "k", "l"};
    const size_t d = op->axis.size();
    std::string axis = d < options.axis_names.size() ? options.axis_names[d]
                       : d < 4                       ? kNames[d]
                                                     : "ax" + std::to_string(d);
    const Var var = MakeVar(std::move(axis), extent->dtype);
    op->axis.push_back(MakeIterVar(MakeRange(Const(0, extent->dtype), extent), var, kind));
    op->shape.push_back(extent);
    return var;
  };
  for (const Expr& extent : loops) indices.push_back(add_axis(extent, IterKind::kData));
  IntrinCall given = call(indices);
  if (!given.intrin) {
    MismatchedCall(name, "it calls nothing", "a tensor intrinsic", "none");
  }
  const ComputeOp& reference = ReferenceOf(*given.intrin);
  op->schedulable_ndim = static_cast<int64_t>(loops.size());
  for (const auto& [tensor, region] : given.inputs) {
    if (region.size() != tensor->shape().size()) {
      MismatchedCall(name, "the region of `" + tensor->name() + "`",
                     std::to_string(tensor->shape().size()) + " ranges",
                     std::to_string(region.size()));
    }
    op->inputs.push_back(tensor);
    op->input_regions.insert(op->input_regions.end(), region.begin(), region.end());
  }
  for (const Expr& extent : reference.shape) add_axis(extent, IterKind::kTensorized);
  op->name = std::move(name);
  op->tag = std::move(options.tag);
  op->attrs = std::move(options.attrs);
  op->reduce_axis = std::move(given.reduce_axis);
  op->intrin = given.intrin;
  op->scalar_inputs = std::move(given.scalars);
  CheckTensorCompute(*op);
  std::vector<Tensor> out;
  for (size_t k = 0; k < reference.body.size(); ++k)
    out.push_back(OutputOf(op, static_cast<int64_t>(k)));
  return out;
}

void CheckTensorCompute(const TensorComputeOp& op) {
  if (!op.intrin) MismatchedCall(op.name, "it calls nothing", "a tensor intrinsic", "none");
  const TensorIntrinNode& intrin = *op.intrin;
  CheckTensorIntrin(intrin);
  const ComputeOp& reference = ReferenceOf(intrin);
  if (op.inputs.size() != intrin.inputs.size()) {
    MismatchedCall(op.name, "`" + intrin.name + "` is called with another number of inputs",
                   std::to_string(intrin.inputs.size()), std::to_string(op.inputs.size()));
  }
  size_t first = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Tensor& tensor = op.inputs[i];
    if (tensor->dtype() != intrin.inputs[i]->dtype()) {
      MismatchedCall(op.name, "input " + std::to_string(i) + " of `" + intrin.name + "`",
                     intrin.inputs[i]->dtype().ToString(), tensor->dtype().ToString());
    }
    const size_t rank = tensor->shape().size();
    std::vector<Expr> extents;
    for (size_t d = first; d < first + rank && d < op.input_regions.size(); ++d)
      extents.push_back(op.input_regions[d]->extent);
    first += rank;
    bool fits = false;
    AlignDims(extents, intrin.inputs[i]->shape(), &fits);
    if (!fits || extents.size() != rank) {
      MismatchedCall(op.name,
                     "the region of `" + tensor->name() + "` does not fit `" + intrin.name + "`",
                     ShapeText(intrin.inputs[i]->shape()), ShapeText(extents));
    }
  }
  if (first != op.input_regions.size()) {
    MismatchedCall(op.name, "the regions are not those of its inputs", std::to_string(first),
                   std::to_string(op.input_regions.size()));
  }
  if (op.scalar_inputs.size() != intrin.scalar_params.size()) {
    MismatchedCall(op.name, "`" + intrin.name + "` is called with another number of scalars",
                   std::to_string(intrin.scalar_params.size()),
                   std::to_string(op.scalar_inputs.size()));
  }
  for (size_t i = 0; i < op.scalar_inputs.size(); ++i) {
    if (op.scalar_inputs[i]->dtype != intrin.scalar_params[i]->dtype) {
      MismatchedCall(
          op.name, "scalar `" + intrin.scalar_params[i]->name + "` of `" + intrin.name + "`",
          intrin.scalar_params[i]->dtype.ToString(), op.scalar_inputs[i]->dtype.ToString());
    }
    PostOrder(op.scalar_inputs[i], [&](const Node& node) {
      if (node.node_kind() != NodeKind::kLoad) return;
      MismatchedCall(op.name, "a scalar of `" + intrin.name + "` reads a tensor",
                     "numbers, and variables of loops and sizes", "a load");
    });
  }
  if (!op.reduce_axis.empty() && As<Reduce>(reference.body[0]) == nullptr) {
    MismatchedCall(op.name, "`" + intrin.name + "` does not reduce", "no reduction axis",
                   std::to_string(op.reduce_axis.size()) + " reduction axes");
  }
  // Its axes: its own, then the intrinsic's, whole.
  bool axes_fit =
      op.schedulable_ndim >= 0 && op.shape.size() == op.axis.size() &&
      op.axis.size() == static_cast<size_t>(op.schedulable_ndim) + reference.axis.size();
  for (size_t d = 0; axes_fit && d < op.axis.size(); ++d) {
    const IterVar& axis = op.axis[d];
    const bool own = d < static_cast<size_t>(op.schedulable_ndim);
    axes_fit = axis->domain && IsZero(axis->domain->min) &&
               axis->iter_kind == (own ? IterKind::kData : IterKind::kTensorized);
    if (axes_fit && !own) {
      const Expr& wanted = reference.shape[d - static_cast<size_t>(op.schedulable_ndim)];
      axes_fit = StructuralEqual(MakeCast(wanted->dtype, axis->domain->extent), wanted) &&
                 StructuralEqual(MakeCast(wanted->dtype, op.shape[d]), wanted);
    }
  }
  if (!axes_fit) {
    MismatchedCall(op.name, "its axes are not its loops and then those of `" + intrin.name + "`",
                   ShapeText(reference.shape) + " at the end", ShapeText(op.shape));
  }
}

Op ReferenceCompute(const TensorComputeOp& op) {
  CheckTensorCompute(op);
  const TensorIntrinNode& intrin = *op.intrin;
  const ComputeOp& reference = ReferenceOf(intrin);
  Ref<ComputeOp> out = Make<ComputeOp>();
  out->name = op.name;
  out->tag = op.tag;
  out->attrs = op.attrs;
  out->axis = op.axis;
  out->shape = op.shape;
  out->reduce_axis = op.reduce_axis;
  VarMap values;
  for (size_t d = 0; d < reference.axis.size(); ++d) {
    const Var& from = reference.axis[d]->var;
    values[from] =
        MakeCast(from->dtype, op.axis[static_cast<size_t>(op.schedulable_ndim) + d]->var);
  }
  for (const IterVar& axis : reference.reduce_axis) {
    const IterVar fresh =
        MakeIterVar(axis->domain, MakeVar(axis->var->name, axis->var->dtype), axis->iter_kind);
    values[axis->var] = fresh->var;
    out->reduce_axis.push_back(fresh);
  }
  for (size_t p = 0; p < intrin.scalar_params.size(); ++p)
    values[intrin.scalar_params[p]] = op.scalar_inputs[p];

  auto rewritten = [&](const Expr& value) {
    const Expr with_regions = Rewrite(value, [&](const Load& load) -> Expr {
      const Tensor tensor = RefAs<TensorNode>(load.source);
      size_t first = 0;
      for (size_t i = 0; tensor && i < intrin.inputs.size(); ++i) {
        const size_t rank = op.inputs[i]->shape().size();
        if (SameTensor(tensor, intrin.inputs[i])) {
          const std::vector<Range> region(
              op.input_regions.begin() + static_cast<std::ptrdiff_t>(first),
              op.input_regions.begin() + static_cast<std::ptrdiff_t>(first + rank));
          bool fits = false;
          const std::vector<int> dims = AlignDims(ExtentsOf(region), tensor->shape(), &fits);
          LATHE_CHECK(fits) << "a region of `" << op.name << "` does not fit its intrinsic";
          std::vector<Expr> index;
          for (const Range& range : region) index.push_back(range->min);
          for (size_t d = 0; d < dims.size(); ++d) {
            if (dims[d] >= 0) {
              Expr& at = index[static_cast<size_t>(dims[d])];
              at = at + load.indices[d];
            }
          }
          return MakeLoad(op.inputs[i], std::move(index));
        }
        first += rank;
      }
      return nullptr;
    });
    return Substitute(with_regions, values);
  };
  for (const Expr& value : reference.body) {
    const auto* reduce = As<Reduce>(value);
    if (reduce == nullptr) {
      out->body.push_back(rewritten(value));
      continue;
    }
    std::vector<Expr> sources, init;
    for (const Expr& source : reduce->sources) sources.push_back(rewritten(source));
    for (const Expr& start : reduce->init) init.push_back(rewritten(start));
    out->body.push_back(MakeReduce(reduce->reducer, std::move(sources), out->reduce_axis,
                                   rewritten(reduce->condition), reduce->value_index,
                                   std::move(init)));
  }
  return out;
}

}  // namespace lathe::te
