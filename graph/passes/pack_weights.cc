#include "base/planted_graphs.h"
#include "graph/passes/dot_products.h"
#include "graph/passes/other_forms.h"
#include "graph/passes/pass.h"
#include "graph/passes/shape_of.h"

namespace lathe::graph {
namespace {

using ir::Expr;
using ir::GraphVar;

// A product of packed weights has a result [..., panels, columns], which is the same memory as
// [..., panels x columns], without the padding of the last panel. Elementwise operators are made on
// the panels, so that they stay in the product's kernel.
struct Panels {
  GraphVar var;         // [..., panels, columns of a panel]
  int64_t columns = 0;  // of the plain result
  explicit operator bool() const { return static_cast<bool>(var); }
};

class Packing final : public FormMaker<Panels> {
 public:
  using FormMaker::FormMaker;

 private:
  Panels Begun(const ir::GraphCall& call) override {
    if (call.op != "matmul" && call.op != "nn.matmul" && call.op != "nn.batch_matmul") return {};
    return known_.Contains(call.args[1]) ? Product(call) : RunTimeProduct(call);
  }

  GraphVar Plain(const Panels& panels, const std::string& name) override {
    std::vector<Expr> flat = ShapeOf(panels.var);
    const int64_t padded = Number(flat.back()) * Number(flat.end()[-2]);
    flat.pop_back();
    flat.back() = Int64(padded);
    const int last = static_cast<int>(flat.size()) - 1;
    GraphVar plain =
        b_.Call("reshape", {panels.var}, {{"newshape", ShapeAttr(std::move(flat))}}, name);
    if (padded == panels.columns) return plain;
    return b_.Call(
        "strided_slice", {plain},
        {{"begin", IntsAttr({0})}, {"end", IntsAttr({panels.columns})}, {"axes", IntsAttr({last})}},
        name);
  }

  std::string NameOf(const std::string&) const override { return ""; }  // the plain value has it

  Panels Product(const ir::GraphCall& call) {
    const Attrs attrs(GetOp(call.op), call.attrs);
    GraphVar weight = call.args[1];
    if (attrs.Bool("transpose_a") || attrs.Bool("transpose_b") || ShapeOf(weight).size() != 2 ||
        ShapeOf(call.args[0]).size() < 2) {
      return {};
    }
    const int64_t k = Number(ShapeOf(weight)[0]), n = Number(ShapeOf(weight)[1]),
                  width = PanelColumns(context_);
    if (k == 0 || n == 0) return {};
    const int64_t waste = PanelWaste(n, context_);
    const bool by_dots = ByDotProducts(call, true, context_);
    if (waste < 0 || (!by_dots && !attrs.String("out_dtype").empty())) return {};
    const std::string name = weight->name;
    weight = PadLast(weight, waste);
    const GraphVar panels =
        b_.Call("layout_transform", {weight},
                {{"src_layout", StringAttr("IO")},
                 {"dst_layout", StringAttr("OI" + std::to_string(width) + "o")}},
                name);
    if (by_dots) return {DotProduct(call.args[0], panels), n};
    return {b_.Call("nn.contrib_dense_pack", {call.args[0], panels}), n};
  }

  // A product by dot products whose right operand is computed at run time.
  Panels RunTimeProduct(const ir::GraphCall& call) {
    if (!ByDotProducts(call, false, context_) ||
        Attrs(GetOp(call.op), call.attrs).Bool("transpose_b")) {
      return {};
    }
    const GraphVar panels = b_.Call("nn.contrib_dot_panels", {call.args[1]},
                                    {{"columns", IntAttr(PanelColumns(context_))},
                                     {"group", IntAttr(context_.bfloat16_group)}});
    return {b_.Call("nn.contrib_dense_dot", {call.args[0], panels},
                    {{"out_dtype", StringAttr("float32")}}),
            Number(ShapeOf(call.args[1]).back())};
  }

  // [panels, k, columns] -> [panels, k / g, columns, g].
  GraphVar DotProduct(const GraphVar& data, const GraphVar& panels) {
    const int64_t group = context_.bfloat16_group;
    std::vector<Expr> shape = ShapeOf(panels);
    shape[1] = Int64(Number(shape[1]) / group);
    shape.insert(shape.begin() + 2, Int64(group));
    const GraphVar grouped =
        b_.Call("reshape", {panels}, {{"newshape", ShapeAttr(std::move(shape))}});
    return b_.Call(
        "nn.contrib_dense_dot",
        {data, b_.Call("transpose", {grouped}, {{"axes", IntsAttr({0, 1, 3, 2})}}, panels->name)},
        {{"out_dtype", StringAttr("float32")}});
  }

  GraphVar PadLast(const GraphVar& var, int64_t by) {
    if (by == 0) return var;
    std::vector<int64_t> widths(2 * ShapeOf(var).size(), 0);
    widths.back() = by;
    return b_.Call("nn.pad", {var}, {{"pad_width", IntsAttr(std::move(widths))}}, var->name);
  }

  // [panels x columns] beside panels; null if that would cost a copy for each run.
  GraphVar Split(const GraphVar& var, const Panels& beside) {
    const Expr columns = ShapeOf(beside.var).back(), panels = ShapeOf(beside.var).end()[-2];
    const int64_t waste = Number(columns) * Number(panels) - beside.columns;
    if (waste != 0 && !known_.Contains(var) && ShapeOf(var).size() > 1) return nullptr;
    std::vector<Expr> shape = ShapeOf(var);
    shape.back() = panels;
    shape.push_back(columns);
    GraphVar split = b_.Call("reshape", {PadLast(var, waste)},
                             {{"newshape", ShapeAttr(std::move(shape))}}, var->name);
    if (!Planted(PlantedGraphBug::kPanelsWithoutBias)) return split;
    const int axis = static_cast<int>(ShapeOf(split).size()) - 2;
    return b_.Call("strided_slice", {split},
                   {{"begin", IntsAttr({0})}, {"end", IntsAttr({1})}, {"axes", IntsAttr({axis})}},
                   var->name);
  }

  bool IsChannels(const Panels& panels, int64_t axis) const override {
    // The plain value has a dimension less.
    return axis == -1 || axis == static_cast<int64_t>(ShapeOf(panels.var).size()) - 2;
  }
  GraphVar PerChannel(const GraphVar& vector, const Panels& panels) override {
    return Split(vector, panels);
  }

  GraphVar Operand(const GraphVar& arg, const Panels& leader) override {
    if (const Panels own = forms_.Of(arg)) return own.var;
    const std::vector<Expr>& shape = ShapeOf(arg);
    // One number for all stays; one for each row would have to be broadcast over two axes.
    if (shape.empty() || (shape.size() == 1 && ir::IsOne(shape[0]))) return arg;
    return Number(shape.back()) == leader.columns ? Split(arg, leader) : nullptr;
  }
};

}  // namespace

GraphFuncRef PackWeights(const GraphFuncRef& func, const ir::GraphModule& module,
                         const GraphPassContext& context) {
  if (context.vector_lanes < 2) return func;
  return RewriteInForms<Packing>(func, module, context);
}

}  // namespace lathe::graph
