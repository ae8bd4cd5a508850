#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "graph/passes/blocked_convolutions.h"
#include "graph/passes/blocked_twins.h"
#include "graph/passes/other_forms.h"
#include "graph/passes/pass.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::Expr;
using ir::GraphVar;

// May the operator be computed in channels beyond the last, too, whatever is in them? A division of
// integers may not: there may be zeros.
bool TakesAnything(std::string_view op) {
  static constexpr std::string_view kOps[] = {
      "abs",      "add",  "cast",    "clip",     "maximum", "minimum",       "multiply",
      "negative", "rint", "nn.relu", "subtract", "sigmoid", "nn.leaky_relu", "tanh"};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

class Layouts final : public FormMaker<Twin> {
 public:
  Layouts(Builder& builder, const GraphPassContext& context)
      : FormMaker(builder, context),
        twins_(builder, forms_, context.vector_lanes),
        convolutions_(builder, twins_, known_, context) {}

  // Finds what is read in blocks: by convolutions and pools, through what keeps the form.
  void Begin(const ir::GraphFunc& func) override {
    const auto& bindings = func.body->bindings;
    for (size_t i = bindings.size(); i-- > 0;) {
      const auto* call = As<ir::GraphCall>(bindings[i]->value);
      if (call == nullptr) continue;
      const OpKind kind = GetOp(call->op).kind;
      const bool takes = IsConvolution(*call) || IsPool(*call);
      const bool keeps = kind == OpKind::kElementwise || kind == OpKind::kBroadcast ||
                         call->op == "concatenate" || call->op == "qnn.fixed_point_multiply";
      if (takes) read_in_blocks_.insert(call->args[0].get());
      if (IsConvolution(*call)) AddSummed(*call);
      if (!keeps || !read_in_blocks_.contains(bindings[i]->var.get())) continue;
      for (const GraphVar& arg : call->args) read_in_blocks_.insert(arg.get());
    }
  }

 private:
  static bool IsConvolution(const ir::GraphCall& call) {
    return call.op == "nn.conv2d" || call.op == "qnn.conv2d";
  }
  static bool IsPool(const ir::GraphCall& call) {
    return call.op.starts_with("nn.") && call.op.ends_with("pool2d");
  }

  Twin Begun(const ir::GraphCall& call) override {
    if (call.op == "nn.conv2d" && StaysInPlanes(call)) return {};
    if (IsConvolution(call)) return convolutions_.Rewritten(call, name_);
    if (IsPool(call)) return Pool(call);
    if (call.op == "concatenate") return Concatenation(call);
    if (call.op == "qnn.fixed_point_multiply") return FixedPoint(call);
    return {};
  }

  // A depthwise convolution between values in planes: with rows that fill vectors it takes half of
  // the time of the two changes of layout, which its blocks would need.
  bool StaysInPlanes(const ir::GraphCall& call) const {
    constexpr int64_t kFewestColumns = 12;
    const Attrs attrs(GetOp(call.op), call.attrs);
    const GraphVar &data = call.args[0], &weight = call.args[1];
    const auto all_are = [&](const char* attr, int64_t value) {
      const std::vector<int64_t> values = attrs.Ints(attr);
      return std::ranges::count(values, value) == std::ssize(values);
    };
    const int64_t groups = attrs.Int("groups"), columns = Number(data, 3),
                  lanes = context_.vector_lanes;
    const bool fits = attrs.String("data_layout") == "NCHW" &&
                      attrs.String("kernel_layout") == "OIHW" && groups > 1 &&
                      groups == Number(data, 1) && groups == Number(weight, 0) &&
                      Number(weight, 2) == 3 && Number(weight, 3) == 3 && all_are("strides", 1) &&
                      all_are("dilation", 1) && columns >= kFewestColumns &&
                      4 * columns >= 3 * RoundUp(columns, lanes);
    if (!fits || forms_.Of(data) || read_in_blocks_.contains(before_.get())) return false;
    if (context_.explain) {
      context_.explain(call.op + (name_.empty() ? "" : " `" + name_ + "`") +
                       ": the plain layout; neither what it reads nor what reads it is in blocks");
    }
    return true;
  }

  Twin Pool(const ir::GraphCall& call) {
    const Twin twin = forms_.Of(call.args[0]);
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
    const Twin first = forms_.Of(call.args[0]);
    if (!first || !first.IsChannels(Attrs(GetOp(call.op), call.attrs).Int("axis"))) return {};
    std::vector<GraphVar> twins;
    int64_t channels = 0;
    for (const GraphVar& arg : call.args) {
      const Twin twin = forms_.Of(arg);
      if (!twin || twin.block() != first.block() || twin.plain != first.plain) return {};
      // Only behind the last one there may be more.
      if (channels % first.block() != 0) return {};
      channels += twin.channels;
      twins.push_back(twin.var);
    }
    return {b_.Call(call.op, std::move(twins), {{"axis", IntAttr(1)}}, name_), first.plain,
            channels};
  }

  // The factors of sums of integers, one for all or one for each channel.
  Twin FixedPoint(const ir::GraphCall& call) {
    Twin twin = forms_.Of(call.args[0]);
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

  GraphVar Plain(const Twin& twin, const std::string& name) override {
    return twins_.Plain(twin, name);
  }
  bool IsChannels(const Twin& twin, int64_t axis) const override { return twin.IsChannels(axis); }
  GraphVar PerChannel(const GraphVar& vector, const Twin& twin) override {
    return twins_.PerChannel(vector, twin);
  }
  // A call of two operands with a device of its own reads the plain values.
  bool Follows(const ir::GraphCall& call, const Twin& twin) const override {
    return (call.args.size() == 1 || call.attrs.empty()) &&
           (!twin.IsPadded() || TakesAnything(call.op) ||
            (call.op == "divide" && ShapeOf(call.args[1]).empty() &&
             TypeOf(call.args[1]).is_float()));
  }

  // Notes that the convolution adds up channels of what it reads.
  void AddSummed(const ir::GraphCall& conv) {
    const Attrs attrs(GetOp(conv.op), conv.attrs);
    if (attrs.Int("groups") != 1 || TypeOf(conv.args[1]) != DataType::Float(32)) return;
    const std::string kernel = attrs.String("kernel_layout");
    const auto window_is = [&](char letter) {
      const size_t at = kernel.find(letter);
      return at != std::string::npos && Number(conv.args[1], at) == 3;
    };
    const bool by_winograd = context_.opt_level >= 3 && window_is('H') && window_is('W');
    bool& all = summed_[conv.args[0].get()];
    all = all || by_winograd;
  }

  // Channels beyond the last have weights of zero where a convolution adds them up. But zero times
  // an infinite number is NaN, and they may hold such numbers: the sums of zeros times infinite
  // inputs, or what an operand made of them. So they become zeros before that. Where there is one
  // block, convolutions leave them out, but for Winograd's algorithm.
  void Finish(Twin* twin) override {
    const auto at = summed_.find(before_.get());
    if (at == summed_.end() || !twin->IsPadded() || !TypeOf(twin->var).is_float()) return;
    if (twin->padded_channels() == twin->block() && !at->second) return;
    const GraphVar is_real =
        b_.Call("ones", {}, {{"shape", IntsAttr({twin->channels})}, {"dtype", StringAttr("bool")}});
    twin->var = b_.Call(
        "where", {twins_.PerChannel(is_real, *twin), twin->var, b_.Scalar(0, TypeOf(twin->var))},
        {}, name_);
  }

  GraphVar Operand(const GraphVar& arg, const Twin& leader) override {
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

  Twins twins_;
  BlockedConvolutions convolutions_;
  std::unordered_set<const ir::Node*> read_in_blocks_;  // of the function before
  // What convolutions add up the channels of, in the function before; true: maybe by Winograd's
  // algorithm.
  std::unordered_map<const ir::Node*, bool> summed_;
};

}  // namespace

GraphFuncRef ChooseLayouts(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context) {
  if (context.vector_lanes < 4) return func;
  return RewriteInForms<Layouts>(func, module, context);
}

}  // namespace lathe::graph
