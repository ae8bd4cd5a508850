#include <algorithm>
#include <unordered_set>

#include "base/planted_graphs.h"
#include "graph/passes/pass.h"
#include "graph/uses.h"
#include "ir/walk.h"

namespace lathe::graph {
namespace {

using ir::As;
// Variables that are read, and sizes that types and attributes mention.
using Read = std::unordered_set<const ir::Node*>;

GraphBlockRef Live(const GraphBlockRef& block, Read* read);

// Replaces a block by its live part; says whether that is another block.
bool MakeLive(GraphBlockRef* block, Read* read) {
  GraphBlockRef live = Live(*block, read);
  const bool changed = !live.same_as(*block);
  *block = std::move(live);
  return changed;
}

// `value` without dead code in its blocks; itself if there is none. Notes what the blocks read.
ir::NodeRef LiveWithin(const ir::NodeRef& value, Read* read) {
  if (const auto* node = As<ir::GraphIf>(value)) {
    Ref<ir::GraphIf> out = CopyOf(*node);
    const bool first = MakeLive(&out->then_block, read), second = MakeLive(&out->else_block, read);
    return first || second ? ir::NodeRef(out) : value;
  }
  if (const auto* loop = As<ir::GraphLoop>(value)) {
    Ref<ir::GraphLoop> out = CopyOf(*loop);
    const bool first = MakeLive(&out->condition, read), second = MakeLive(&out->body, read);
    return first || second ? ir::NodeRef(out) : value;
  }
  if (const auto* func = As<ir::GraphFunc>(value)) {
    Ref<ir::GraphFunc> out = CopyOf(*func);
    return MakeLive(&out->body, read) ? ir::NodeRef(out) : value;
  }
  if (const auto* match = As<ir::GraphMatch>(value)) {
    Ref<ir::GraphMatch> out = CopyOf(*match);
    bool changed = false;
    for (Ref<const ir::GraphCase>& one : out->cases) {
      Ref<ir::GraphCase> live = CopyOf(*one);
      if (!MakeLive(&live->block, read)) continue;
      one = live;
      changed = true;
    }
    return changed ? ir::NodeRef(out) : value;
  }
  return value;
}

void NoteSizes(const ir::NodeRef& node, Read* read) {
  ir::PostOrder(node, [&](const ir::Node& part) {
    if (As<ir::VarNode>(&part) != nullptr) read->insert(&part);
  });
}

// The block itself if all of it is live. Blocks nest at most kMaxBlockDepth deep.
GraphBlockRef Live(const GraphBlockRef& block, Read* read) {
  read->insert(block->result.get());
  List<ir::GraphBinding> kept;
  bool changed = false;
  const List<ir::GraphBinding>& bindings = block->bindings;
  for (size_t i = bindings.size(); i-- > 0;) {
    const ir::GraphBinding& binding = *bindings[i];
    const bool makes_size = std::ranges::any_of(
        binding.sizes, [&](const ir::Var& size) { return read->contains(size.get()); });
    if (!read->contains(binding.var.get()) && !makes_size) {
      changed = true;
      continue;
    }
    const ir::NodeRef value = LiveWithin(binding.value, read);
    const bool has_blocks = !value.same_as(binding.value) || As<ir::GraphIf>(value) != nullptr ||
                            As<ir::GraphLoop>(value) != nullptr;
    if (!has_blocks || !Planted(PlantedGraphBug::kDeadIfOnlyBlocksRead)) {
      ForEachUse(*value, [&](const ir::GraphVarNode& var) { read->insert(&var); });
    }
    NoteSizes(binding.var->type, read);
    NoteSizes(value, read);
    changed |= !value.same_as(binding.value);
    kept.push_back(value.same_as(binding.value) ? bindings[i]
                                                : ir::Bind(binding.var, value, binding.sizes));
  }
  if (!changed) return block;
  std::reverse(kept.begin(), kept.end());
  return ir::MakeGraphBlock(std::move(kept), block->result);
}

}  // namespace

GraphFuncRef DropDeadCode(const GraphFuncRef& func, const ir::GraphModule&,
                          const GraphPassContext&) {
  Read read;
  const GraphBlockRef body = Live(func->body, &read);
  if (body.same_as(func->body)) return func;
  Ref<ir::GraphFunc> out = CopyOf(*func);
  out->body = body;
  return out;
}

}  // namespace lathe::graph
