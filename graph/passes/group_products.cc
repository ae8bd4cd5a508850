#include <algorithm>

#include "base/planted_graphs.h"
#include "graph/passes/other_forms.h"
#include "graph/passes/pass.h"
#include "graph/passes/shape_of.h"
#include "graph/sizes.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::Expr;
using ir::GraphVar;

// Images [N, C, H, W] as a matrix for each group: [N, groups, C / groups, H * W], of one image
// without the N.
struct Product {
  GraphVar var;
  int64_t groups = 0;
  std::vector<Expr> plain;  // the image's shape
  explicit operator bool() const { return static_cast<bool>(var); }
  int64_t images() const { return *ir::AsConstInt(plain[0]); }
  int64_t channels() const { return *ir::AsConstInt(plain[1]); }
  bool IsOnePlace() const { return ir::IsOne(plain[2]) && ir::IsOne(plain[3]); }
};

class Products final : public FormMaker<Product> {
 public:
  using FormMaker::FormMaker;

 private:
  Product Begun(const ir::GraphCall& call) override {
    return call.op == "nn.conv2d" ? Convolution(call) : Product();
  }

  GraphVar Plain(const Product& product, const std::string& name) override {
    return Reshaped(product.var, product.plain, name);
  }

  GraphVar Reshaped(const GraphVar& var, std::vector<Expr> shape, const std::string& name = "") {
    return b_.Call("reshape", {var}, {{"newshape", ShapeAttr(std::move(shape))}}, name);
  }

  static std::vector<Expr> Shape(int64_t images, int64_t groups, int64_t of_group, Expr places) {
    std::vector<Expr> shape{Int64(groups), Int64(of_group), std::move(places)};
    if (images != 1) shape.insert(shape.begin(), Int64(images));
    return shape;
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
                      filters > 0 && Number(data, 0) > 0 && Number(weight, 2) == 1 &&
                      Number(weight, 3) == 1 && all("strides", 1) && all("padding", 0);
    if (!fits) return {};
    const std::vector<Expr>& from = ShapeOf(data);
    const Expr places = from[2] * from[3];
    const GraphVar left = Reshaped(weight, {Int64(groups), Int64(filters / groups), Int64(inputs)},
                                   weight->name),
                   right = Reshaped(data, Shape(Number(data, 0), groups, inputs, places));
    return {b_.Call("matmul", {left, right}, {}, name_),
            groups,
            {from[0], Int64(filters), from[2], from[3]}};
  }

  // One number for each channel, as a column of each group's matrix.
  GraphVar PerChannel(const GraphVar& vector, const Product& product) override {
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

  bool IsChannels(const Product&, int64_t axis) const override { return axis == 1; }
  // A call of two operands with a device of its own reads the plain values.
  bool Follows(const ir::GraphCall& call, const Product&) const override {
    return call.args.size() == 1 || call.attrs.empty();
  }
  // The result has the places of the one that is not broadcast.
  bool Leads(const Product& product) const override { return !product.IsOnePlace(); }

  GraphVar Operand(const GraphVar& arg, const Product& leader) override {
    if (const Product own = forms_.Of(arg);
        own && own.groups == leader.groups && own.channels() == leader.channels() &&
        (own.images() == 1 || own.images() == leader.images()) &&
        (own.IsOnePlace() || (SameExtent(own.plain[2], leader.plain[2]) &&
                              SameExtent(own.plain[3], leader.plain[3])))) {
      return own.var;
    }
    if (As<ir::TensorType>(arg->type) == nullptr) return nullptr;
    const std::vector<Expr>& shape = ShapeOf(arg);
    if (shape.empty()) return arg;
    if (shape.size() != 3 && shape.size() != 4) return nullptr;
    const size_t at = shape.size() - 3;  // the channels
    const int64_t images = at == 0 ? 1 : Number(arg, 0);
    if (Number(arg, at) != leader.channels() || (images != 1 && images != leader.images()))
      return nullptr;
    const bool one_place = Number(arg, at + 1) == 1 && Number(arg, at + 2) == 1;
    if (one_place && images == 1) return PerChannel(arg, leader);
    const bool whole =
        SameExtent(shape[at + 1], leader.plain[2]) && SameExtent(shape[at + 2], leader.plain[3]);
    if (!one_place && !whole) return nullptr;
    return Reshaped(arg, Shape(images, leader.groups, leader.channels() / leader.groups,
                               shape[at + 1] * shape[at + 2]));
  }
};

}  // namespace

GraphFuncRef GroupProducts(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context) {
  return RewriteInForms<Products>(func, module, context);
}

}  // namespace lathe::graph
