#include <algorithm>
#include <optional>
#include <string_view>

#include "graph/passes/blocked_convolutions.h"
#include "graph/passes/blocked_twins.h"
#include "graph/passes/pass.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::Expr;
using ir::GraphVar;

// Does the operator make finite values of the finite ones in channels beyond the last?
bool StaysFinite(std::string_view op) {
  static constexpr std::string_view kOps[] = {
      "abs",      "add",  "cast",    "clip",     "maximum", "minimum",       "multiply",
      "negative", "rint", "nn.relu", "subtract", "sigmoid", "nn.leaky_relu", "tanh"};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

// The function that is built, with what is known of its tensors in blocked layout.
class Layouts {
 public:
  Layouts(Builder& builder, const GraphPassContext& context)
      : b_(builder),
        twins_(builder, context.vector_lanes),
        convolutions_(builder, twins_, known_, context),
        context_(context) {}

  GraphVar Rewritten(const ir::NodeRef& value, const std::string& name) {
    const auto* call = As<ir::GraphCall>(value);
    const bool fits = call != nullptr && context_.RunsOnHost(*call);
    GraphVar plain = fits ? OfCall(*call, name) : nullptr;
    if (plain) return plain;
    plain = b_.Emit(value, name);
    known_.Add(plain, *value);
    return plain;
  }

 private:
  // A blocked twin of the call's result if the call can be made in blocked layout: the plain result
  // that is made of it; else null.
  GraphVar OfCall(const ir::GraphCall& call, const std::string& name) {
    const OpDef& op = GetOp(call.op);
    Twin twin;
    name_ = name;
    if (call.op == "nn.conv2d" || call.op == "qnn.conv2d") {
      twin = convolutions_.Rewritten(call, name);
    } else if (call.op.starts_with("nn.") && call.op.ends_with("pool2d")) {
      twin = Pool(call);
    } else if (call.op == "concatenate") {
      twin = Concatenation(call);
    } else if (call.op == "nn.bias_add") {
      twin = Bias(call);
    } else if (call.op == "qnn.fixed_point_multiply") {
      twin = FixedPoint(call);
    } else if (op.kind == OpKind::kElementwise && call.args.size() == 1) {
      twin = twins_.Of(call.args[0]);
      if (twin && twin.IsPadded() && !StaysFinite(call.op)) twin = {};
      if (twin) twin.var = b_.Call(call.op, {twin.var}, call.attrs, name_);
    } else if (op.kind == OpKind::kBroadcast && call.args.size() == 2 && call.attrs.empty() &&
               op.attrs.empty()) {
      twin = Pointwise(call);
    }
    return twin ? twins_.Plain(twin, name) : nullptr;
  }

  Twin Pool(const ir::GraphCall& call) {
    const Twin twin = twins_.Of(call.args[0]);
    const Attrs attrs(GetOp(call.op), call.attrs);
    // Adaptive pools have no blocked form.
    if (!twin || call.op.find("adaptive") != std::string::npos ||
        call.op.find("lp_") != std::string::npos || attrs.String("layout") != twin.plain) {
      return {};
    }
    ir::Dict blocked = call.attrs;
    blocked.insert_or_assign("layout", StringAttr(Blocked("NCHW", twin.block())));
    return {b_.Call(call.op, {twin.var}, std::move(blocked), name_), twin.plain, twin.channels};
  }

  Twin Concatenation(const ir::GraphCall& call) {
    const Twin first = twins_.Of(call.args[0]);
    if (!first || !first.IsChannels(Attrs(GetOp(call.op), call.attrs).Int("axis"))) return {};
    std::vector<GraphVar> twins;
    int64_t channels = 0;
    for (const GraphVar& arg : call.args) {
      const Twin twin = twins_.Of(arg);
      if (!twin || twin.block() != first.block() || twin.plain != first.plain) return {};
      // Only behind the last one there may be more.
      if (channels % first.block() != 0) return {};
      channels += twin.channels;
      twins.push_back(twin.var);
    }
    return {b_.Call(call.op, std::move(twins), {{"axis", IntAttr(1)}}, name_), first.plain,
            channels};
  }

  Twin Bias(const ir::GraphCall& call) {
    const Twin twin = twins_.Of(call.args[0]);
    if (!twin || !twin.IsChannels(Attrs(GetOp(call.op), call.attrs).Int("axis"))) return {};
    return {b_.Call("add", {twin.var, twins_.PerChannel(call.args[1], twin)}, {}, name_),
            twin.plain, twin.channels};
  }

  // The factors of sums of integers, one for all or one for each channel.
  Twin FixedPoint(const ir::GraphCall& call) {
    Twin twin = twins_.Of(call.args[0]);
    if (!twin) return {};
    ir::Dict attrs = call.attrs;
    std::vector<GraphVar> args{twin.var};
    for (const size_t i : {1, 2}) {
      const size_t rank = ShapeOf(call.args[i]).size();
      if (rank > 1 ||
          (rank == 1 && !twin.IsChannels(Attrs(GetOp(call.op), call.attrs).Int("axis")))) {
        return {};
      }
      args.push_back(rank == 0 ? call.args[i] : twins_.PerChannel(call.args[i], twin));
    }
    attrs.erase("axis");
    twin.var = b_.Call(call.op, std::move(args), std::move(attrs), name_);
    return twin;
  }

  // A binary operator of which at least one operand is in blocks.
  Twin Pointwise(const ir::GraphCall& call) {
    Twin leader;
    for (const GraphVar& arg : call.args) {
      if (!leader) leader = twins_.Of(arg);
    }
    if (!leader || (leader.IsPadded() && !StaysFinite(call.op))) return {};
    std::vector<GraphVar> args;
    for (const GraphVar& arg : call.args) {
      GraphVar operand = Operand(arg, leader);
      if (!operand) return {};
      args.push_back(std::move(operand));
    }
    return {b_.Call(call.op, std::move(args), {}, name_), leader.plain, leader.channels};
  }

  // What stands for `arg` beside `leader`; null if nothing can.
  GraphVar Operand(const GraphVar& arg, const Twin& leader) {
    if (As<ir::TensorType>(arg->type) == nullptr) return nullptr;
    const int64_t block = leader.block(), channels = leader.channels;
    const std::vector<Expr>& shape = ShapeOf(arg);
    if (shape.size() > 4) return nullptr;  // the result has more dimensions than the image
    size_t ones = 0;
    for (const Expr& extent : shape) ones += ir::IsOne(extent) ? 1 : 0;
    if (ones == shape.size()) {  // one number for all
      return shape.size() <= 1 ? arg : b_.Call("reshape", {arg}, {{"newshape", IntsAttr({1})}});
    }
    // Operands of fewer dimensions have the last ones: C, H, W or H, W, C.
    const size_t at = leader.channels_at() + shape.size() - 4, rank = shape.size();
    if (leader.channels_at() + rank < 4 || Number(arg, at) != channels) return nullptr;
    if (rank == 4) return twins_.InBlocks(arg, leader.plain, block);
    return ones + 1 == rank && channels != 1 ? twins_.PerChannel(arg, leader) : nullptr;
  }

  Builder& b_;
  Twins twins_;
  KnownValues known_;
  BlockedConvolutions convolutions_;
  const GraphPassContext& context_;
  std::string name_;  // of the result that is made now: its twin has it, too
};

}  // namespace

GraphFuncRef ChooseLayouts(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context) {
  if (context.vector_lanes < 4) return func;
  std::optional<Layouts> layouts;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        // Twins made outside of a block are visible in it, but not the other way round.
        if (builder.OpenBlocks() > 1) return nullptr;
        if (!layouts) layouts.emplace(builder, context);
        return layouts->Rewritten(value, before.var->name);
      });
}

}  // namespace lathe::graph
