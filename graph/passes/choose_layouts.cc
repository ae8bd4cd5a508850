#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/planted_graphs.h"
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

std::string Blocked(const std::string& letters, int64_t block) {
  return letters + std::to_string(block) + "c";
}

// A tensor of images in blocks, NCHW16c, whatever the order of the plain one.
struct Twin {
  GraphVar var;
  std::string plain;  // NCHW or NHWC
  explicit operator bool() const { return static_cast<bool>(var); }
  int64_t block() const { return Number(var, 4); }
  size_t channels_at() const { return plain.find('C'); }
  // Does `axis`, which may count from the end, hold the channels?
  bool IsChannels(int64_t axis) const {
    return axis + (axis < 0 ? 4 : 0) == static_cast<int64_t>(channels_at());
  }
};

// The function that is built, with what is known of its tensors in blocked layout.
class Layouts {
 public:
  Layouts(Builder& builder, const GraphPassContext& context)
      : b_(builder), lanes_(context.vector_lanes), context_(context) {}

  // A blocked twin of the call's result if the call can be made in blocked layout: the plain result
  // that is made of it; else null.
  GraphVar Rewritten(const ir::GraphCall& call, const std::string& name) {
    const OpDef& op = GetOp(call.op);
    Twin twin;
    name_ = name;
    if (call.op == "nn.conv2d") {
      twin = Convolution(call);
      Explain(call, twin, name);
    } else if (call.op.starts_with("nn.") && call.op.ends_with("pool2d")) {
      twin = Pool(call);
    } else if (call.op == "concatenate") {
      twin = Concatenation(call);
    } else if (call.op == "nn.bias_add") {
      twin = Bias(call);
    } else if (op.kind == OpKind::kElementwise && call.args.size() == 1) {
      twin = TwinOf(call.args[0]);
      if (twin) twin.var = b_.Call(call.op, {twin.var}, call.attrs, name_);
    } else if (op.kind == OpKind::kBroadcast && call.args.size() == 2 && call.attrs.empty() &&
               op.attrs.empty()) {
      twin = Pointwise(call);
    }
    return twin ? Plain(twin, name) : nullptr;
  }

 private:
  Twin TwinOf(const GraphVar& plain) const {
    const auto at = twins_.find(plain);
    return at == twins_.end() ? Twin() : at->second;
  }

  // Says which blocks a convolution has, and why not others.
  void Explain(const ir::GraphCall& call, const Twin& twin, const std::string& name) const {
    if (!context_.explain) return;
    const std::string kernel = Attrs(GetOp(call.op), call.attrs).String("kernel_layout");
    const size_t at = kernel.find('O');
    const int64_t filters = at < 4 ? Number(call.args[1], at) : 0, chosen = twin ? twin.block() : 0;
    std::string line = "nn.conv2d" + (name.empty() ? "" : " `" + name + "`") + ", " +
                       TypeText(call.args[0]->type) + " by " + TypeText(call.args[1]->type) + ": ";
    line += twin ? "blocks of " + std::to_string(chosen) : "the plain layout";
    std::string rejected;
    for (int64_t block = 2 * lanes_; block >= std::max(lanes_ / 4, 4); block /= 2) {
      if (block == chosen) break;
      const bool divides = filters > 0 && filters % block == 0;
      rejected += (rejected.empty() ? "; not " : ", ") + std::to_string(block) +
                  (divides ? " (groups, types or layouts do not allow blocks)"
                           : " (does not divide " + std::to_string(filters) + " filters)");
    }
    context_.explain(line + rejected);
  }

  // Blocks in which a machine computes `channels` well: two vectors, one, a half or a quarter. 0 if
  // none divides them.
  int64_t BlockFor(int64_t channels) const {
    for (int64_t block = 2 * lanes_; block >= std::max(lanes_ / 4, 4); block /= 2) {
      if (channels > 0 && channels % block == 0) return block;
    }
    return 0;
  }

  // The plain tensor of a blocked one. If nobody reads it, it is dropped as dead code.
  GraphVar Plain(const Twin& twin, const std::string& name) {
    const std::vector<Expr>& shape = ShapeOf(twin.var);
    GraphVar plain;
    if (ir::IsOne(shape[2]) && ir::IsOne(shape[3])) {
      std::vector<Expr> whole(4, Int64(1));
      whole[0] = shape[0];
      whole[twin.channels_at()] = shape[1] * shape[4];
      plain = b_.Call("reshape", {twin.var}, {{"newshape", ShapeAttr(std::move(whole))}}, name);
    } else {
      plain = b_.Call("layout_transform", {twin.var},
                      {{"src_layout", StringAttr(Blocked("NCHW", twin.block()))},
                       {"dst_layout", StringAttr(twin.plain)}},
                      name);
    }
    twins_.insert_or_assign(plain, twin);
    return plain;
  }

  // `var`, which has the order `plain`, in blocks of `block`.
  GraphVar InBlocks(const GraphVar& var, const std::string& plain, int64_t block) {
    const Twin twin = TwinOf(var);
    const bool usable = twin && twin.plain == plain;
    if (usable && (twin.block() == block || Planted(PlantedGraphBug::kResidualInOwnBlocks)))
      return twin.var;
    const std::string from = usable ? Blocked("NCHW", twin.block()) : plain;
    return b_.Call(
        "layout_transform", {usable ? twin.var : var},
        {{"src_layout", StringAttr(from)}, {"dst_layout", StringAttr(Blocked("NCHW", block))}});
  }

  Twin Convolution(const ir::GraphCall& call) {
    const Attrs attrs(GetOp(call.op), call.attrs);
    const GraphVar &data = call.args[0], &weight = call.args[1];
    const auto& type = static_cast<const ir::TensorType&>(*data->type);
    const std::string plain = attrs.String("data_layout"), kernel = attrs.String("kernel_layout");
    if ((plain != "NCHW" && plain != "NHWC") ||
        !std::ranges::is_permutation(kernel, std::string_view("OIHW")) ||
        !attrs.String("out_dtype").empty() || type.dtype != DataType::Float(32)) {
      return {};
    }
    const int64_t groups = attrs.Int("groups"), filters = Number(weight, kernel.find('O')),
                  channels = Number(data, plain.find('C')), out_block = BlockFor(filters);
    if (out_block == 0 || channels == 0) return {};
    Twin twin = TwinOf(data);
    if (twin.plain != plain) twin = {};
    if (groups == channels && groups == filters && groups > 1) {
      const int64_t block = twin ? twin.block() : out_block;
      return {b_.Call("nn.contrib_depthwise_conv2d_nchwc",
                      {InBlocks(data, plain, block), DepthwiseKernel(weight, kernel, block)},
                      WindowOf(attrs), name_),
              plain};
    }
    if (groups != 1) return {};
    int64_t in_block = twin ? twin.block() : BlockFor(channels);
    // The few channels of a picture are one block.
    if (in_block == 0) in_block = channels <= lanes_ ? channels : 0;
    if (in_block == 0) return {};
    const GraphVar filter = b_.Call(
        "layout_transform", {weight},
        {{"src_layout", StringAttr(kernel)},
         {"dst_layout",
          StringAttr("OIHW" + std::to_string(in_block) + "i" + std::to_string(out_block) + "o")}},
        weight->name);
    return {b_.Call("nn.contrib_conv2d_nchwc", {InBlocks(data, plain, in_block), filter},
                    WindowOf(attrs), name_),
            plain};
  }

  static ir::Dict WindowOf(const Attrs& attrs) {
    ir::Dict window;
    for (const char* name : {"strides", "padding", "dilation"}) {
      std::vector<int64_t> values = attrs.Ints(name);
      const bool mirrored = Planted(PlantedGraphBug::kBlockedPaddingReversed) && values.size() == 4;
      if (mirrored) std::rotate(values.begin(), values.begin() + 2, values.end());
      window.emplace(name, IntsAttr(std::move(values)));
    }
    return window;
  }

  // [C, 1, window] -> [C / c, window, c].
  GraphVar DepthwiseKernel(const GraphVar& weight, std::string kernel, int64_t block) {
    const auto inputs = static_cast<int64_t>(kernel.find('I'));
    const GraphVar flat = b_.Call("squeeze", {weight}, {{"axis", IntsAttr({inputs})}});
    std::erase(kernel, 'I');
    kernel[kernel.find('O')] = 'C';
    return b_.Call(
        "layout_transform", {flat},
        {{"src_layout", StringAttr(kernel)}, {"dst_layout", StringAttr(Blocked("CHW", block))}},
        weight->name);
  }

  Twin Pool(const ir::GraphCall& call) {
    const Twin twin = TwinOf(call.args[0]);
    const Attrs attrs(GetOp(call.op), call.attrs);
    // Adaptive pools have no blocked form.
    if (!twin || call.op.find("adaptive") != std::string::npos ||
        call.op.find("lp_") != std::string::npos || attrs.String("layout") != twin.plain) {
      return {};
    }
    ir::Dict blocked = call.attrs;
    blocked.insert_or_assign("layout", StringAttr(Blocked("NCHW", twin.block())));
    return {b_.Call(call.op, {twin.var}, std::move(blocked), name_), twin.plain};
  }

  Twin Concatenation(const ir::GraphCall& call) {
    const Twin first = TwinOf(call.args[0]);
    if (!first || !first.IsChannels(Attrs(GetOp(call.op), call.attrs).Int("axis"))) return {};
    std::vector<GraphVar> twins;
    for (const GraphVar& arg : call.args) {
      const Twin twin = TwinOf(arg);
      if (!twin || twin.block() != first.block() || twin.plain != first.plain) return {};
      twins.push_back(twin.var);
    }
    return {b_.Call(call.op, std::move(twins), {{"axis", IntAttr(1)}}, name_), first.plain};
  }

  // [C] -> [C / c, 1, 1, c].
  GraphVar PerChannel(const GraphVar& vector, int64_t channels, int64_t block) {
    return b_.Call("reshape", {vector}, {{"newshape", IntsAttr({channels / block, 1, 1, block})}},
                   vector->name);
  }

  Twin Bias(const ir::GraphCall& call) {
    const Twin twin = TwinOf(call.args[0]);
    if (!twin || !twin.IsChannels(Attrs(GetOp(call.op), call.attrs).Int("axis"))) return {};
    const GraphVar bias = PerChannel(call.args[1], Number(call.args[1], 0), twin.block());
    return {b_.Call("add", {twin.var, bias}, {}, name_), twin.plain};
  }

  // A binary operator of which at least one operand is in blocks.
  Twin Pointwise(const ir::GraphCall& call) {
    Twin leader;
    for (const GraphVar& arg : call.args) {
      if (!leader) leader = TwinOf(arg);
    }
    if (!leader) return {};
    std::vector<GraphVar> args;
    for (const GraphVar& arg : call.args) {
      GraphVar operand = Operand(arg, leader);
      if (!operand) return {};
      args.push_back(std::move(operand));
    }
    return {b_.Call(call.op, std::move(args), {}, name_), leader.plain};
  }

  // What stands for `arg` beside `leader`; null if nothing can.
  GraphVar Operand(const GraphVar& arg, const Twin& leader) {
    if (As<ir::TensorType>(arg->type) == nullptr) return nullptr;
    const int64_t block = leader.block(), channels = Number(leader.var, 1) * block;
    const std::vector<Expr>& shape = ShapeOf(arg);
    size_t ones = 0;
    for (const Expr& extent : shape) ones += ir::IsOne(extent) ? 1 : 0;
    if (ones == shape.size()) {  // one number for all
      return shape.size() <= 1 ? arg : b_.Call("reshape", {arg}, {{"newshape", IntsAttr({1})}});
    }
    // Operands of fewer dimensions have the last ones: C, H, W or H, W, C.
    const size_t at = leader.channels_at() + shape.size() - 4, rank = shape.size();
    if (rank > 4 || leader.channels_at() + rank < 4 || Number(arg, at) != channels) return nullptr;
    if (rank == 4) return InBlocks(arg, leader.plain, block);
    return ones + 1 == rank && channels != 1 ? PerChannel(arg, channels, block) : nullptr;
  }

  Builder& b_;
  const int lanes_;
  const GraphPassContext& context_;
  std::string name_;  // of the result that is made now: its twin has it, too
  std::unordered_map<GraphVar, Twin, RefHash, RefEqual> twins_;  // plain -> in blocks
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
        const auto* call = As<ir::GraphCall>(value);
        if (call == nullptr || !context.RunsOnHost(*call)) return nullptr;
        return layouts->Rewritten(*call, before.var->name);
      });
}

}  // namespace lathe::graph
