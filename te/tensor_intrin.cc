#include "te/tensor_intrin.h"

#include <map>
#include <mutex>
#include <unordered_set>

#include "base/error.h"
#include "ir/rewrite.h"

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

// Statements may use only the operands, the scalar parameters, and what they define themselves.
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

// Libraries register while the registry's mutex is free. A thread that looks up a name meanwhile
// may not find it yet, so callers of this function wait for each other.
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

const ComputeOp& ReferenceOf(const TensorIntrinNode& intrin) {
  const auto* op = As<ComputeOp>(intrin.op);
  if (op == nullptr) {
    InvalidIntrin(intrin.name, "its reference is no compute", "a compute over placeholders",
                  intrin.op ? NodeKindName(intrin.op->node_kind()) : "nothing");
  }
  return *op;
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

TensorIntrin FindOrRegisterTensorIntrin(std::string_view name, std::string_view target,
                                        const std::function<TensorIntrin()>& declare) {
  static auto* const declaring = new std::mutex;
  const std::lock_guard<std::mutex> one_at_a_time(*declaring);
  if (TensorIntrin known = FindTensorIntrin(name, target)) return known;
  const TensorIntrin made = declare();
  LATHE_CHECK(made->name == name) << "`" << made->name << "` was declared for `" << name << "`";
  RegisterTensorIntrin(made, target);
  return made;
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
  throw Error(Diagnostic{.name = "unknown-tensor-intrin",
                         .message = "there is no tensor intrinsic `" + std::string(name) + "`" +
                                    (target.empty() ? "" : " for " + std::string(target)),
                         .expected = NearOrAll(name, names),
                         .found = "`" + std::string(name) + "`",
                         .help = "register it, or load the plugin that brings it"});
}

}  // namespace lathe::te
