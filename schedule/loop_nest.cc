#include "schedule/loop_nest.h"

#include <algorithm>
#include <string>

#include "ir/constants.h"
#include "ir/imports.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/walk.h"
#include "schedule/arguments.h"
#include "schedule/kept_whole.h"
#include "schedule/nest_builder.h"
#include "schedule/normalize.h"
#include "schedule/primitives/pragma.h"
#include "te/operation.h"
#include "te/tensor_intrin.h"

namespace lathe::schedule {

using ir::Stmt;

namespace {

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

// Prefetches that Normalize drops.
void NotePrefetchesOfInlined(const Schedule& schedule, std::vector<UnusedHint>* unused) {
  for (const Ref<Stage>& stage : schedule->stages) {
    if (stage->attach == AttachKind::kInline) continue;
    for (const IterVar& leaf : stage->leaf_axes) {
      const LeafAttr* attr = stage->FindAttr(leaf);
      if (attr == nullptr) continue;
      for (const auto& [tensor, offset] : attr->prefetches) {
        if (schedule->Require(tensor->op).attach != AttachKind::kInline) continue;
        unused->push_back({"prefetch", leaf->var->name, stage->name,
                           "`" + tensor->name() + "` is inlined and has no memory"});
      }
    }
  }
}

// The numbers of the parameters that packed functions of extern operations write. Stores are
// visible in the code.
std::string WrittenByCalls(const Arguments& arguments) {
  std::string written;
  for (const auto& [tensor, buffer] : arguments.buffers) {
    const auto* op = ir::As<ir::ExternOp>(tensor->op);
    bool calls = false;
    if (op != nullptr && !te::IsConstant(*op)) {
      ir::ForEach<ir::Call>(
          op->body, [&](const ir::Call& call) { calls |= call.op == ir::intrinsic::kCallPacked; });
    }
    if (!calls) continue;
    const auto at = std::find_if(arguments.params.begin(), arguments.params.end(),
                                 [b = buffer.get()](const auto& param) {
                                   return param.get() == static_cast<const ir::Node*>(b);
                                 });
    written += (written.empty() ? "" : ",") + std::to_string(at - arguments.params.begin());
  }
  return written;
}

}  // namespace

Stmt MakeLoopNest(const Schedule& schedule, const Bounds& bounds, const TensorBuffers& arguments) {
  return NestBuilder(schedule, bounds, arguments, Claims::kTrusted).Run();
}

ir::Func LowerSchedule(const Schedule& schedule, const std::vector<NodeRef>& args, std::string name,
                       Claims claims, const TensorBuffers& binds, std::vector<UnusedHint>* unused) {
  const Schedule normal = Normalize(schedule);
  for (const Ref<Stage>& stage : normal->stages) {
    if (const auto* call = ir::As<ir::TensorComputeOp>(stage->op)) te::CheckTensorCompute(*call);
  }
  const Bounds bounds = InferBounds(normal);
  CheckKeptApart(*normal, bounds);
  Arguments arguments = MakeArguments(normal, args, binds);
  NestBuilder builder(normal, bounds, arguments.buffers, claims);
  const Stmt body = builder.Run();
  if (unused != nullptr) {
    *unused = builder.unused_hints();
    NotePrefetchesOfInlined(schedule, unused);
  }
  ir::Dict attrs;
  const std::string written = WrittenByCalls(arguments);
  if (!written.empty()) attrs[ir::func_attr::kWrites] = ir::String(written);
  for (size_t i = 0; i < builder.constants().size(); ++i)
    attrs[ir::ConstantKey(static_cast<int64_t>(i))] = builder.constants()[i];
  AddImports(normal, &attrs);
  return ir::MakeFunc(std::move(name), std::move(arguments.params), body, std::move(attrs));
}

}  // namespace lathe::schedule
