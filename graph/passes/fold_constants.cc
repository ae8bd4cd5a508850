#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "graph/passes/pass.h"
#include "graph/uses.h"
#include "ir/walk.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

// Results up to this size are always folded; larger ones only if their operands are as large.
constexpr int64_t kSmallBytes = 1 << 16;

// The bytes of a tensor whose extents are all numbers; -1 for others.
int64_t BytesOf(const ir::NodeRef& type) {
  const auto* tensor = As<ir::TensorType>(type);
  if (tensor == nullptr) return -1;
  int64_t bytes = tensor->dtype.bytes();
  for (const ir::Expr& extent : tensor->shape) {
    const int64_t* constant = ir::AsConstInt(extent);
    if (constant == nullptr || __builtin_mul_overflow(bytes, *constant, &bytes)) return -1;
  }
  return bytes;
}

bool HasSizes(const ir::GraphCall& call) {
  for (const auto& [name, attr] : call.attrs) {
    if (!ir::FreeVars(attr).empty()) return true;
  }
  return false;
}

}  // namespace

GraphFuncRef FoldConstants(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context) {
  if (!context.evaluate) return func;
  // Which bindings can be computed now, and which of them the rest of the function reads.
  std::unordered_set<const ir::Node*> known, wanted;
  List<ir::GraphBinding> folded;
  std::vector<GraphVar> results;
  for (const Ref<const ir::GraphBinding>& binding : func->body->bindings) {
    const GraphVar& var = binding->var;
    if (As<ir::Constant>(binding->value) != nullptr) {
      known.insert(var.get());
      continue;
    }
    const auto* call = As<ir::GraphCall>(binding->value);
    if (call == nullptr || HasSizes(*call)) continue;
    int64_t operand_bytes = 0;
    bool all_known = true;
    for (const GraphVar& arg : call->args) {
      all_known &= known.contains(arg.get());
      operand_bytes += std::max<int64_t>(BytesOf(arg->type), 0);
    }
    const int64_t bytes = BytesOf(var->type);
    if (!all_known || bytes < 0 || bytes > std::max(kSmallBytes, 2 * operand_bytes)) continue;
    known.insert(var.get());
    folded.push_back(binding);
  }
  if (folded.empty()) return func;
  for (const Ref<const ir::GraphBinding>& binding : func->body->bindings) {
    if (known.contains(binding->var.get())) continue;
    ForEachUse(*binding->value, [&](const ir::GraphVarNode& var) { wanted.insert(&var); });
  }
  wanted.insert(func->body->result.get());

  // A function of the folded bindings and the constants that they read.
  Builder builder("constants");
  std::unordered_map<const ir::Node*, GraphVar> now;
  for (const Ref<const ir::GraphBinding>& binding : func->body->bindings) {
    if (!known.contains(binding->var.get())) continue;
    ir::NodeRef value = binding->value;
    if (const auto* call = As<ir::GraphCall>(value)) {
      Ref<ir::GraphCall> copy = CopyOf(*call);
      for (GraphVar& arg : copy->args) arg = now.at(arg.get());
      value = copy;
    }
    now[binding->var.get()] = builder.Emit(value, binding->var->name);
  }
  std::vector<GraphVar> fields;
  std::unordered_map<const ir::Node*, size_t> index;
  for (const Ref<const ir::GraphBinding>& binding : folded) {
    if (!wanted.contains(binding->var.get())) continue;
    index.emplace(binding->var.get(), fields.size());
    fields.push_back(now.at(binding->var.get()));
  }
  if (fields.empty()) return func;
  const List<ir::Constant> values = context.evaluate(builder.Finish(builder.Tuple(fields)));
  LATHE_CHECK(values.size() == fields.size()) << "not all constants were computed";
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef&, Builder& rewritten) -> GraphVar {
        const auto at = index.find(before.var.get());
        if (at == index.end()) return nullptr;
        return rewritten.Emit(values[at->second], before.var->name);
      });
}

}  // namespace lathe::graph
