#include <unordered_map>

#include "graph/passes/pass.h"
#include "graph/sizes.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::Expr;
using ir::GraphVar;

const std::vector<Expr>& ShapeOf(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type).shape;
}
// The extent of dimension d if it is a number, else 0.
int64_t Number(const GraphVar& var, size_t d) {
  const int64_t* extent = ir::AsConstInt(ShapeOf(var)[d]);
  return extent == nullptr ? 0 : *extent;
}

std::string Blocked(const std::string& plain, int64_t block) {
  return plain + std::to_string(block) + "c";
}

// The function that is built, with what is known of its tensors in blocked layout.
class Layouts {
 public:
  Layouts(Builder& builder, int lanes) : b_(builder), lanes_(lanes) {}

  // A blocked twin of the call's result if the call can be made in blocked layout: the plain result
  // that is made of it; else null.
  GraphVar Rewritten(const ir::GraphCall& call, const std::string& name) {
    const OpDef& op = GetOp(call.op);
    GraphVar twin;
    if (call.op == "nn.conv2d") {
      twin = Convolution(call);
    } else if (call.op.starts_with("nn.") && call.op.ends_with("pool2d")) {
      twin = Pool(call);
    } else if (call.op == "concatenate") {
      twin = Concatenation(call);
    } else if (call.op == "nn.bias_add") {
      twin = Bias(call);
    } else if (op.kind == OpKind::kElementwise && call.args.size() == 1) {
      twin = TwinOf(call.args[0]);
      if (twin) twin = b_.Call(call.op, {twin}, call.attrs);
    } else if (op.kind == OpKind::kBroadcast && call.args.size() == 2 && call.attrs.empty() &&
               op.attrs.empty()) {
      twin = Pointwise(call);
    }
    return twin ? Plain(twin, name) : nullptr;
  }

 private:
  GraphVar TwinOf(const GraphVar& plain) const {
    const auto at = twins_.find(plain);
    return at == twins_.end() ? nullptr : at->second;
  }
  static int64_t BlockOf(const GraphVar& twin) { return Number(twin, 4); }

  // Blocks in which a machine computes `channels` well: two vectors, one, a half or a quarter. 0 if
  // none divides them.
  int64_t BlockFor(int64_t channels) const {
    for (int64_t block = 2 * lanes_; block >= std::max(lanes_ / 4, 4); block /= 2) {
      if (channels > 0 && channels % block == 0) return block;
    }
    return 0;
  }

  // The plain tensor of a blocked one. If nobody reads it, it is dropped as dead code.
  GraphVar Plain(const GraphVar& twin, const std::string& name) {
    GraphVar plain;
    if (ir::IsOne(ShapeOf(twin)[2]) && ir::IsOne(ShapeOf(twin)[3])) {
      const Expr one = Int64(1);
      plain =
          b_.Call("reshape", {twin},
                  {{"newshape",
                    ShapeAttr({ShapeOf(twin)[0], ShapeOf(twin)[1] * ShapeOf(twin)[4], one, one})}},
                  name);
    } else {
      plain = b_.Call("layout_transform", {twin},
                      {{"src_layout", StringAttr(Blocked("NCHW", BlockOf(twin)))},
                       {"dst_layout", StringAttr("NCHW")}},
                      name);
    }
    twins_.insert_or_assign(plain, twin);
    return plain;
  }

  // `plain` in blocks of `block`.
  GraphVar InBlocks(const GraphVar& plain, int64_t block) {
    const GraphVar twin = TwinOf(plain);
    if (twin && BlockOf(twin) == block) return twin;
    const std::string from = twin ? Blocked("NCHW", BlockOf(twin)) : "NCHW";
    return b_.Call(
        "layout_transform", {twin ? twin : plain},
        {{"src_layout", StringAttr(from)}, {"dst_layout", StringAttr(Blocked("NCHW", block))}});
  }

  GraphVar Convolution(const ir::GraphCall& call) {
    const Attrs attrs(GetOp(call.op), call.attrs);
    const GraphVar &data = call.args[0], &weight = call.args[1];
    const auto& type = static_cast<const ir::TensorType&>(*data->type);
    if (attrs.String("data_layout") != "NCHW" || attrs.String("kernel_layout") != "OIHW" ||
        !attrs.String("out_dtype").empty() || type.dtype != DataType::Float(32)) {
      return nullptr;
    }
    const int64_t groups = attrs.Int("groups"), filters = Number(weight, 0),
                  channels = Number(data, 1), out_block = BlockFor(filters);
    if (out_block == 0 || channels == 0) return nullptr;
    ir::Dict window;
    for (const char* name : {"strides", "padding", "dilation"}) {
      window.emplace(name, IntsAttr(attrs.Ints(name)));
    }
    if (groups == channels && groups == filters && groups > 1) {
      const GraphVar twin = TwinOf(data);
      const int64_t block = twin ? BlockOf(twin) : out_block;
      // [C, 1, window] -> [C / c, window, c].
      const GraphVar kernel = b_.Call(
          "layout_transform", {b_.Call("squeeze", {weight}, {{"axis", IntsAttr({1})}})},
          {{"src_layout", StringAttr("CHW")}, {"dst_layout", StringAttr(Blocked("CHW", block))}},
          weight->name);
      return b_.Call("nn.contrib_depthwise_conv2d_nchwc", {InBlocks(data, block), kernel}, window);
    }
    if (groups != 1) return nullptr;
    const GraphVar twin = TwinOf(data);
    int64_t in_block = twin ? BlockOf(twin) : BlockFor(channels);
    // The few channels of a picture are one block.
    if (in_block == 0) in_block = channels <= lanes_ ? channels : 0;
    if (in_block == 0) return nullptr;
    const GraphVar kernel = b_.Call(
        "layout_transform", {weight},
        {{"src_layout", StringAttr("OIHW")},
         {"dst_layout",
          StringAttr("OIHW" + std::to_string(in_block) + "i" + std::to_string(out_block) + "o")}},
        weight->name);
    return b_.Call("nn.contrib_conv2d_nchwc", {InBlocks(data, in_block), kernel}, window);
  }

  GraphVar Pool(const ir::GraphCall& call) {
    const GraphVar twin = TwinOf(call.args[0]);
    const Attrs attrs(GetOp(call.op), call.attrs);
    // Adaptive pools have no blocked form.
    if (!twin || call.op.find("adaptive") != std::string::npos ||
        call.op.find("lp_") != std::string::npos || attrs.String("layout") != "NCHW") {
      return nullptr;
    }
    ir::Dict blocked = call.attrs;
    blocked.insert_or_assign("layout", StringAttr(Blocked("NCHW", BlockOf(twin))));
    return b_.Call(call.op, {twin}, std::move(blocked));
  }

  GraphVar Concatenation(const ir::GraphCall& call) {
    const int64_t axis = Attrs(GetOp(call.op), call.attrs).Int("axis");
    const GraphVar first = TwinOf(call.args[0]);
    if (!first || (axis != 1 && axis != -3)) return nullptr;
    std::vector<GraphVar> twins;
    for (const GraphVar& arg : call.args) {
      const GraphVar twin = TwinOf(arg);
      if (!twin || BlockOf(twin) != BlockOf(first)) return nullptr;
      twins.push_back(twin);
    }
    return b_.Call(call.op, std::move(twins), {{"axis", IntAttr(1)}});
  }

  // [C] -> [C / c, 1, 1, c].
  GraphVar PerChannel(const GraphVar& vector, int64_t channels, int64_t block) {
    return b_.Call("reshape", {vector}, {{"newshape", IntsAttr({channels / block, 1, 1, block})}},
                   vector->name);
  }

  GraphVar Bias(const ir::GraphCall& call) {
    const GraphVar twin = TwinOf(call.args[0]);
    const int64_t axis = Attrs(GetOp(call.op), call.attrs).Int("axis");
    if (!twin || (axis != 1 && axis != -3)) return nullptr;
    return b_.Call("add", {twin, PerChannel(call.args[1], Number(call.args[1], 0), BlockOf(twin))});
  }

  // A binary operator of which at least one operand is in blocks.
  GraphVar Pointwise(const ir::GraphCall& call) {
    GraphVar leader;
    for (const GraphVar& arg : call.args) {
      const GraphVar twin = TwinOf(arg);
      if (twin && !leader) leader = arg;
    }
    if (!leader) return nullptr;
    const int64_t block = BlockOf(TwinOf(leader)), channels = Number(leader, 1);
    std::vector<GraphVar> args;
    for (const GraphVar& arg : call.args) {
      GraphVar operand = Operand(arg, channels, block);
      if (!operand) return nullptr;
      args.push_back(std::move(operand));
    }
    return b_.Call(call.op, std::move(args));
  }

  // What stands for `arg` beside a tensor of `channels` in blocks; null if nothing can.
  GraphVar Operand(const GraphVar& arg, int64_t channels, int64_t block) {
    if (As<ir::TensorType>(arg->type) == nullptr) return nullptr;
    const std::vector<Expr>& shape = ShapeOf(arg);
    size_t ones = 0;
    for (const Expr& extent : shape) ones += ir::IsOne(extent) ? 1 : 0;
    if (ones == shape.size()) {  // one number for all
      return shape.size() <= 1 ? arg : b_.Call("reshape", {arg}, {{"newshape", IntsAttr({1})}});
    }
    if (shape.size() == 4 && Number(arg, 1) == channels) return InBlocks(arg, block);
    const bool per_channel =
        shape.size() == 3 && Number(arg, 0) == channels && ones == 2 && channels != 1;
    return per_channel ? PerChannel(arg, channels, block) : nullptr;
  }

  Builder& b_;
  const int lanes_;
  std::unordered_map<GraphVar, GraphVar, RefHash, RefEqual> twins_;  // plain -> in blocks
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
        if (!layouts) layouts.emplace(builder, context.vector_lanes);
        const auto* call = As<ir::GraphCall>(value);
        return call == nullptr ? nullptr : layouts->Rewritten(*call, before.var->name);
      });
}

}  // namespace lathe::graph
