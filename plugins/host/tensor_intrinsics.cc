#include "plugins/host/tensor_intrinsics.h"

#include <mutex>
#include <set>

#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "plugins/host/intrinsics.h"
#include "target/target.h"

namespace lathe::plugins {
namespace {

using ir::Buffer;
using ir::Func;
using ir::NodeRef;
using ir::Stmt;
using ir::Tensor;
using ir::Var;

// The functions of a declared body (te/tensor_intrin.h).
constexpr char kBody[] = "body";
constexpr char kReset[] = "reset";
constexpr char kUpdate[] = "update";

[[noreturn]] void FailIntrin(const target::TensorIntrinsic& declared, const std::string& plugin,
                             std::string what, std::string expected, std::string found) {
  throw Error(Diagnostic{.name = "manifest-tensor-intrin",
                         .message = "tensor intrinsic `" + declared.name + "` of plugin " + plugin +
                                    ": " + std::move(what),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = "see plugins/host/tensor_intrinsics.h for the two texts"});
}

// The statement of a function, with the intrinsic's buffers and scalars for its parameters.
Stmt OnOperands(const Func& func, const std::vector<Buffer>& buffers,
                const std::vector<Var>& scalars) {
  ir::VarMap values;
  Stmt body = func->body;
  for (size_t i = 0; i < func->params.size(); ++i) {
    if (const Var var = ir::RefAs<ir::VarNode>(func->params[i])) {
      values[var] = scalars[i - buffers.size()];
      continue;
    }
    const Buffer own = ir::RefAs<ir::BufferNode>(func->params[i]);
    values[own->data] = buffers[i]->data;
    for (size_t d = 0; d < own->strides.size(); ++d) {
      if (const Var stride = ir::RefAs<ir::VarNode>(own->strides[d]))
        values[stride] = buffers[i]->strides[d];
    }
    body = ir::ReplaceBuffer(body, own, buffers[i]);
  }
  return ir::Refresh(ir::Substitute(body, values));
}

}  // namespace

te::TensorIntrin ReadTensorIntrinsic(const target::TensorIntrinsic& declared,
                                     const std::string& plugin) {
  const std::string file = plugin + ":" + declared.name;
  const ir::Program pattern = ir::ParseProgram(declared.pattern, file);
  const ir::Module module = ir::ParseModule(declared.body, file);
  std::vector<Tensor> tensors;
  std::vector<Var> scalars;
  ir::Op reference;
  for (const NodeRef& arg : pattern->args) {
    if (const Var var = ir::RefAs<ir::VarNode>(arg)) {
      scalars.push_back(var);
      continue;
    }
    const Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
    if (!scalars.empty())
      FailIntrin(declared, plugin, "its arguments are out of order", "variables after all tensors",
                 "`" + tensor->name() + "` behind a variable");
    tensors.push_back(tensor);
    if (tensor->op->node_kind() == ir::NodeKind::kPlaceholderOp) continue;
    if (reference && !reference.same_as(tensor->op))
      FailIntrin(declared, plugin, "its pattern has two computes", "one compute over placeholders",
                 "`" + reference->name + "` and `" + tensor->op->name + "`");
    reference = tensor->op;
  }
  if (!reference)
    FailIntrin(declared, plugin, "its pattern computes nothing", "a compute among the arguments",
               "placeholders alone");
  std::vector<Tensor> wanted = ir::InputsOf(*reference);
  for (int64_t k = 0; k < ir::NumOutputs(*reference); ++k)
    wanted.push_back(ir::OutputOf(reference, k));
  bool ordered = wanted.size() == tensors.size();
  for (size_t i = 0; ordered && i < wanted.size(); ++i)
    ordered = ir::SameTensor(wanted[i], tensors[i]);
  if (!ordered) {
    std::vector<std::string> expected, found;
    for (const Tensor& tensor : wanted) expected.push_back(tensor->name());
    for (const Tensor& tensor : tensors) found.push_back(tensor->name());
    FailIntrin(declared, plugin, "its pattern's arguments", QuotedList(expected) + " in this order",
               QuotedList(found));
  }

  std::vector<Buffer> buffers;
  te::IntrinStmts stmts;
  for (const Func& func : module->functions) {
    Stmt* stmt = func->name == kBody     ? &stmts.body
                 : func->name == kReset  ? &stmts.reset
                 : func->name == kUpdate ? &stmts.update
                                         : nullptr;
    if (stmt == nullptr)
      FailIntrin(declared, plugin, "its body has a function of another name",
                 "`body`, `reset` or `update`", "`" + func->name + "`");
    if (func->params.size() != tensors.size() + scalars.size())
      FailIntrin(declared, plugin, "function `" + func->name + "` has another number of parameters",
                 std::to_string(tensors.size() + scalars.size()),
                 std::to_string(func->params.size()));
    const bool first = buffers.empty();
    for (size_t i = 0; i < func->params.size(); ++i) {
      const Buffer buffer = ir::RefAs<ir::BufferNode>(func->params[i]);
      if (static_cast<bool>(buffer) != (i < tensors.size()))
        FailIntrin(declared, plugin, "parameter " + std::to_string(i) + " of `" + func->name + "`",
                   i < tensors.size() ? "a buffer" : "a variable",
                   buffer ? "a buffer" : "a variable");
      if (!buffer) continue;
      if (first) {
        buffers.push_back(buffer);
      } else if (!ir::StructuralEqual(buffers[i], buffer, /*map_free=*/true)) {
        FailIntrin(declared, plugin, "its functions differ in buffer `" + buffer->name + "`",
                   "the same buffer in all", ir::StructuralDifference(buffers[i], buffer, true));
      }
    }
    *stmt = OnOperands(func, buffers, scalars);
  }
  return te::DeclTensorIntrin(
      declared.name, reference,
      [&](const std::vector<Buffer>&, const std::vector<Buffer>&) { return stmts; },
      {.buffers = buffers, .scalar_params = scalars});
}

void RegisterTensorIntrinsics(const target::TargetSchema& schema, const std::string& plugin) {
  static auto* const mutex = new std::mutex;
  static auto* const done = new std::set<std::string>;
  const std::lock_guard<std::mutex> lock(*mutex);
  if (done->count(schema.kind) != 0) return;
  RegisterIntrinsics(schema, plugin);  // bodies may call them
  for (const target::TensorIntrinsic& declared : schema.machine.tensor_intrinsics)
    te::RegisterTensorIntrin(ReadTensorIntrinsic(declared, plugin), schema.kind);
  done->insert(schema.kind);
}

void RegisterTensorIntrinsicsOf(std::string_view kind) {
  for (const target::KnownTarget& known : target::KnownTargets()) {
    if (known.schema->kind == kind) RegisterTensorIntrinsics(*known.schema, known.plugin);
  }
}

}  // namespace lathe::plugins
