#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/planted_graphs.h"
#include "graph/passes/pass.h"
#include "graph/passes/shape_of.h"
#include "graph/sizes.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::Expr;
using ir::GraphVar;

// One image [1, C, H, W] as a matrix for each group: [groups, C / groups, H * W].
struct Product {
  GraphVar var;
  int64_t groups = 0;
  std::vector<Expr> plain;  // the image's shape
  explicit operator bool() const { return static_cast<bool>(var); }
  int64_t channels() const { return *ir::AsConstInt(plain[1]); }
  bool IsOnePlace() const { return ir::IsOne(plain[2]) && ir::IsOne(plain[3]); }
};

class Products {
 public:
  explicit Products(Builder& builder) : b_(builder) {}

  // The image that a call makes, as a view of a product of matrices; null if there is no such form.
  GraphVar Rewritten(const ir::GraphCall& call, const std::string& name) {
    const OpDef& op = GetOp(call.op);
    name_ = name;
    Product product;
    if (call.op == "nn.conv2d") {
      product = Convolution(call);
    } else if (call.op == "nn.bias_add") {
      product = Bias(call);
    } else if (op.kind == OpKind::kElementwise && call.args.size() == 1) {
      product = ProductOf(call.args[0]);
      if (product) product.var = b_.Call(call.op, {product.var}, call.attrs, name_);
    } else if (op.kind == OpKind::kBroadcast && call.args.size() == 2 && call.attrs.empty() &&
               op.attrs.empty()) {
      product = Pointwise(call);
    }
    if (!product) return nullptr;
    const GraphVar plain = Reshaped(product.var, product.plain, name);
    products_.insert_or_assign(plain, product);
    return plain;
  }

 private:
  Product ProductOf(const GraphVar& plain) const {
    const auto at = products_.find(plain);
    return at == products_.end() ? Product() : at->second;
  }

  GraphVar Reshaped(const GraphVar& var, std::vector<Expr> shape, const std::string& name = "") {
    return b_.Call("reshape", {var}, {{"newshape", ShapeAttr(std::move(shape))}}, name);
  }

  Product Convolution(const ir::GraphCall& call) {
    const Attrs attrs(GetOp(call.op), call.attrs);
    const GraphVar &data = call.args[0], &weight = call.args[1];
    const int64_t groups = attrs.Int("groups"), filters = Number(weight, 0),
                  inputs = Number(weight, 1);
    const auto all = [&](const char* attr, int64_t value) {
      const std::vector<int64_t> values = attrs.Ints(attr);
      return std::ranges::count(values, value) == std::ssize(values);
    };
    const bool fits = attrs.String("data_layout") == "NCHW" &&
                      attrs.String("kernel_layout") == "OIHW" &&
                      attrs.String("out_dtype").empty() && groups > 1 && inputs > 1 &&
                      filters > 0 && Number(data, 0) == 1 && Number(weight, 2) == 1 &&
                      Number(weight, 3) == 1 && all("strides", 1) && all("padding", 0);
    if (!fits) return {};
    const std::vector<Expr>& from = ShapeOf(data);
    const Expr places = from[2] * from[3];
    const GraphVar left = Reshaped(weight, {Int64(groups), Int64(filters / groups), Int64(inputs)},
                                   weight->name),
                   right = Reshaped(data, {Int64(groups), Int64(inputs), places});
    return {b_.Call("matmul", {left, right}, {}, name_),
            groups,
            {from[0], Int64(filters), from[2], from[3]}};
  }

  // One number for each channel, as a column of each group's matrix.
  GraphVar PerChannel(const GraphVar& vector, const Product& product) {
    const int64_t of_group = product.channels() / product.groups;
    GraphVar columns =
        Reshaped(vector, {Int64(product.groups), Int64(of_group), Int64(1)}, vector->name);
    if (Planted(PlantedGraphBug::kGroupsAsOne)) {
      columns =
          b_.Call("strided_slice", {columns},
                  {{"begin", IntsAttr({0})}, {"end", IntsAttr({1})}, {"axes", IntsAttr({0})}});
    }
    return columns;
  }

  Product Bias(const ir::GraphCall& call) {
    Product product = ProductOf(call.args[0]);
    if (!product || Attrs(GetOp(call.op), call.attrs).Int("axis") != 1) return {};
    product.var = b_.Call("add", {product.var, PerChannel(call.args[1], product)}, {}, name_);
    return product;
  }

  // A binary operator of which at least one operand is a product: of the result's places, so not
  // one that is broadcast.
  Product Pointwise(const ir::GraphCall& call) {
    Product leader;
    for (const GraphVar& arg : call.args) {
      if (!leader || leader.IsOnePlace()) {
        if (const Product own = ProductOf(arg)) leader = own;
      }
    }
    if (!leader) return {};
    std::vector<GraphVar> args;
    for (const GraphVar& arg : call.args) {
      GraphVar operand = Operand(arg, leader);
      if (!operand) return {};
      args.push_back(std::move(operand));
    }
    leader.var = b_.Call(call.op, std::move(args), {}, name_);
    return leader;
  }

  // What stands for `arg` beside `leader`; null if nothing can.
  GraphVar Operand(const GraphVar& arg, const Product& leader) {
    if (const Product own = ProductOf(arg);
        own && own.groups == leader.groups && own.channels() == leader.channels() &&
        (own.IsOnePlace() || (SameExtent(own.plain[2], leader.plain[2]) &&
                              SameExtent(own.plain[3], leader.plain[3])))) {
      return own.var;
    }
    if (As<ir::TensorType>(arg->type) == nullptr) return nullptr;
    const std::vector<Expr>& shape = ShapeOf(arg);
    if (shape.empty()) return arg;
    if (shape.size() != 3 && shape.size() != 4) return nullptr;
    const size_t at = shape.size() - 3;  // the channels
    if (Number(arg, at) != leader.channels() || (at == 1 && Number(arg, 0) != 1)) return nullptr;
    if (Number(arg, at + 1) == 1 && Number(arg, at + 2) == 1) return PerChannel(arg, leader);
    const bool whole =
        SameExtent(shape[at + 1], leader.plain[2]) && SameExtent(shape[at + 2], leader.plain[3]);
    return whole ? Reshaped(arg, ShapeOf(leader.var)) : nullptr;
  }

  Builder& b_;
  std::string name_;  // of the result that is made now
  std::unordered_map<GraphVar, Product, RefHash, RefEqual> products_;  // by the image
};

}  // namespace

GraphFuncRef GroupProducts(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context) {
  std::optional<Products> products;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        // What is made outside of a block is visible in it, but not the other way round.
        if (builder.OpenBlocks() > 1) return nullptr;
        if (!products) products.emplace(builder);
        const auto* call = As<ir::GraphCall>(value);
        if (call == nullptr || !context.RunsOnHost(*call)) return nullptr;
        return products->Rewritten(*call, before.var->name);
      });
}

}  // namespace lathe::graph
