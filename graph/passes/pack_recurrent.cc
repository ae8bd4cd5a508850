#include <array>
#include <string>

#include "graph/builder.h"
#include "graph/passes/known_values.h"
#include "graph/passes/pass.h"
#include "graph/passes/shape_of.h"

namespace lathe::graph {
namespace {

using ir::GraphVar;

constexpr std::array<const char*, 3> kRecurrent{"nn.rnn", "nn.gru", "nn.lstm"};
constexpr size_t kWeight = 1, kRecurrence = 2;

class Packing {
 public:
  Packing(Builder& builder, const GraphPassContext& context) : b_(builder), context_(context) {}

  GraphVar Emit(const ir::NodeRef& value, const std::string& name) {
    const auto* call = ir::As<ir::GraphCall>(value);
    if (call != nullptr && context_.RunsOnHost(*call)) {
      if (GraphVar packed = Packed(*call, name)) return packed;
    }
    const GraphVar same = b_.Emit(value, name);
    known_.Add(same, *value);
    return same;
  }

 private:
  // The call with its weights in panels; null if they stay in rows.
  GraphVar Packed(const ir::GraphCall& call, const std::string& name) {
    const bool recurrent =
        std::any_of(kRecurrent.begin(), kRecurrent.end(), [&](auto* op) { return call.op == op; });
    if (!recurrent || Attrs(GetOp(call.op), call.attrs).Int("panel") != 0) return nullptr;
    std::vector<GraphVar> args = call.args;
    if (!known_.Contains(args[kWeight]) || !known_.Contains(args[kRecurrence])) return nullptr;
    // Two vectors of columns, as wide as register tiles are, or one.
    const int64_t hidden = Number(args[kRecurrence], 2);
    int64_t width = 2 * context_.vector_lanes;
    if (hidden % width != 0) width = context_.vector_lanes;
    if (hidden == 0 || hidden % width != 0) return nullptr;
    for (const size_t i : {kWeight, kRecurrence}) {
      args[i] = b_.Call("layout_transform", {args[i]},
                        {{"src_layout", StringAttr("GOI")},
                         {"dst_layout", StringAttr("GOI" + std::to_string(width) + "o")}},
                        args[i]->name);
    }
    ir::Dict attrs = call.attrs;
    attrs.insert_or_assign("panel", IntAttr(width));
    return b_.Call(call.op, std::move(args), std::move(attrs), name);
  }

  Builder& b_;
  const GraphPassContext& context_;
  KnownValues known_;
};

}  // namespace

GraphFuncRef PackRecurrent(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context) {
  if (context.vector_lanes < 2) return func;
  std::optional<Packing> packing;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        // What is made outside of a block is visible in it, but not the other way round.
        if (builder.OpenBlocks() > 1) return nullptr;
        if (!packing) packing.emplace(builder, context);
        return packing->Emit(value, before.var->name);
      });
}

}  // namespace lathe::graph
