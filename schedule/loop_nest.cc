#include "schedule/loop_nest.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/error.h"
#include "ir/constants.h"
#include "ir/imports.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/walk.h"
#include "schedule/nest_builder.h"
#include "schedule/normalize.h"
#include "schedule/primitives/pragma.h"
#include "te/operation.h"
#include "te/tensor_intrin.h"

namespace lathe::schedule {

using ir::Buffer;
using ir::Stmt;

namespace {

[[noreturn]] void BadArguments(std::string message, std::string expected, std::string found) {
  throw Error(Diagnostic{.name = "schedule-arguments",
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = "pass every placeholder and every output once, and the variables "
                                 "of symbolic shapes only where the caller gives them"});
}

// The import_LANGUAGE pragmas of loops become attributes of the function.
void AddImports(const Schedule& schedule, ir::Dict* attrs) {
  for (const Ref<Stage>& stage : schedule->stages) {
    for (const IterVar& leaf : stage->leaf_axes) {
      const LeafAttr* attr = stage->FindAttr(leaf);
      if (attr == nullptr) continue;
      for (const auto& [key, source] : attr->annotations) {
        if (IsImportPragma(key))
          ir::AddImport(attrs, {ImportedLanguage(key), ir::As<ir::StringImm>(source)->value});
      }
    }
  }
}

}  // namespace

Stmt MakeLoopNest(const Schedule& schedule, const Bounds& bounds, const TensorBuffers& arguments) {
  return NestBuilder(schedule, bounds, arguments, Claims::kTrusted).Run();
}

ir::Func LowerSchedule(const Schedule& schedule, const std::vector<NodeRef>& args, std::string name,
                       Claims claims) {
  const Schedule normal = Normalize(schedule);
  for (const Ref<Stage>& stage : normal->stages) {
    if (const auto* call = ir::As<ir::TensorComputeOp>(stage->op)) te::CheckTensorCompute(*call);
  }
  const Bounds bounds = InferBounds(normal);
  TensorBuffers buffers;
  std::vector<NodeRef> params;
  std::unordered_set<Tensor, ir::TensorHash, ir::TensorEqual> seen;
  for (const NodeRef& arg : args) {
    if (ir::As<ir::VarNode>(arg) != nullptr) {
      params.push_back(arg);
      continue;
    }
    const Tensor given = ir::RefAs<ir::TensorNode>(arg);
    if (!given)
      BadArguments("an argument is neither a tensor nor a variable", "tensors and variables",
                   arg ? ir::NodeKindName(arg->node_kind()) : "nothing");
    Stage& stage = normal->Require(given->op);
    const Tensor tensor = ir::OutputOf(stage.op, given->value_index);
    if (!seen.insert(tensor).second)
      BadArguments("tensor `" + tensor->name() + "` is an argument twice", "each tensor once",
                   "`" + tensor->name() + "` again");
    const bool one = ir::NumOutputs(*stage.op) == 1;
    std::vector<Expr> shape = tensor->shape();
    std::vector<Expr> separators;
    if (auto it = stage.layouts.find(tensor->value_index); it != stage.layouts.end()) {
      shape = PhysicalShape(it->second, shape).value();
      for (int64_t at : it->second.separators) separators.push_back(ir::Int(at));
    }
    Buffer buffer =
        ir::MakeBuffer(one ? stage.name : stage.name + ".v" + std::to_string(tensor->value_index),
                       tensor->dtype(), std::move(shape));
    if (!separators.empty()) {
      buffer = ir::CopyBuffer(
          buffer, [&](ir::BufferNode& copy) { copy.axis_separators = std::move(separators); });
    }
    buffers.emplace_back(tensor, buffer);
    params.push_back(buffer);
  }
  for (const Ref<Stage>& stage : normal->stages) {
    if (!stage->is_output) continue;
    for (int64_t k = 0; k < ir::NumOutputs(*stage->op); ++k) {
      const Tensor tensor = ir::OutputOf(stage->op, k);
      if (seen.count(tensor) == 0)
        BadArguments("output `" + tensor->name() + "` is not among the arguments",
                     "every output of the schedule", "no argument for it");
    }
  }
  NestBuilder builder(normal, bounds, buffers, claims);
  const Stmt body = builder.Run();
  ir::Dict attrs;
  // Stores are visible in the code; writes by packed functions must be listed.
  std::string written;
  for (const auto& [tensor, buffer] : buffers) {
    const auto* op = ir::As<ir::ExternOp>(tensor->op);
    bool calls = false;
    if (op != nullptr && !te::IsConstant(*op)) {
      ir::ForEach<ir::Call>(
          op->body, [&](const ir::Call& call) { calls |= call.op == ir::intrinsic::kCallPacked; });
    }
    if (!calls) continue;
    const auto at =
        std::find_if(params.begin(), params.end(), [b = buffer.get()](const auto& param) {
          return param.get() == static_cast<const ir::Node*>(b);
        });
    written += (written.empty() ? "" : ",") + std::to_string(at - params.begin());
  }
  if (!written.empty()) attrs[ir::func_attr::kWrites] = ir::String(written);
  for (size_t i = 0; i < builder.constants().size(); ++i)
    attrs[ir::ConstantKey(static_cast<int64_t>(i))] = builder.constants()[i];
  AddImports(normal, &attrs);
  return ir::MakeFunc(std::move(name), std::move(params), body, std::move(attrs));
}

}  // namespace lathe::schedule
