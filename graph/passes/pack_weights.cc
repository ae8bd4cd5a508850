#include <unordered_map>
#include <unordered_set>

#include "graph/passes/pass.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::Expr;
using ir::GraphVar;

const std::vector<Expr>& ShapeOf(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type).shape;
}
int64_t Number(const Expr& extent) {
  const int64_t* number = ir::AsConstInt(extent);
  return number == nullptr ? 0 : *number;
}

// The function that is built. A product of packed weights has a result [..., panels, columns],
// which is the same memory as [..., panels x columns]: its twin is a view. Elementwise operators
// are made on the panels, so that they stay in the product's kernel.
class Packing {
 public:
  Packing(Builder& builder, int lanes) : b_(builder), lanes_(lanes) {}

  void AddConstant(const GraphVar& var) { constants_.insert(var.get()); }

  // The result of the call, made of a twin in panels; null if it has none.
  GraphVar Rewritten(const ir::GraphCall& call, const std::string& name) {
    const OpDef& op = GetOp(call.op);
    GraphVar twin;
    if (call.op == "matmul" || call.op == "nn.matmul") {
      twin = Product(call);
    } else if (call.op == "nn.bias_add") {
      twin = Bias(call);
    } else if (op.kind == OpKind::kElementwise && call.args.size() == 1) {
      twin = TwinOf(call.args[0]);
      if (twin) twin = b_.Call(call.op, {twin}, call.attrs);
    } else if (op.kind == OpKind::kBroadcast && call.args.size() == 2 && op.attrs.empty()) {
      twin = Pointwise(call);
    }
    if (!twin) return nullptr;
    std::vector<Expr> flat = ShapeOf(twin);
    const Expr columns = flat.back();
    flat.pop_back();
    flat.back() = flat.back() * columns;
    GraphVar plain = b_.Call("reshape", {twin}, {{"newshape", ShapeAttr(std::move(flat))}}, name);
    twins_.insert_or_assign(plain, std::move(twin));
    return plain;
  }

 private:
  GraphVar TwinOf(const GraphVar& plain) const {
    const auto at = twins_.find(plain);
    return at == twins_.end() ? nullptr : at->second;
  }

  GraphVar Product(const ir::GraphCall& call) {
    const Attrs attrs(GetOp(call.op), call.attrs);
    const GraphVar& weight = call.args[1];
    if (!constants_.contains(weight.get()) || attrs.Bool("transpose_a") ||
        attrs.Bool("transpose_b") || !attrs.String("out_dtype").empty() ||
        ShapeOf(weight).size() != 2 || ShapeOf(call.args[0]).size() < 2) {
      return nullptr;
    }
    const int64_t k = Number(ShapeOf(weight)[0]), n = Number(ShapeOf(weight)[1]);
    // Two vectors of columns: as wide as register tiles are.
    const int64_t columns = 2 * lanes_;
    if (k == 0 || n == 0 || n % columns != 0) return nullptr;
    const GraphVar packed =
        b_.Call("transpose",
                {b_.Call("reshape", {weight}, {{"newshape", IntsAttr({k, n / columns, columns})}})},
                {{"axes", IntsAttr({1, 0, 2})}}, weight->name);
    return b_.Call("nn.contrib_dense_pack", {call.args[0], packed});
  }

  // [panels x columns] beside a twin.
  GraphVar Split(const GraphVar& var, const GraphVar& twin) {
    std::vector<Expr> shape = ShapeOf(var);
    const Expr columns = ShapeOf(twin).back(), panels = ShapeOf(twin).end()[-2];
    shape.back() = panels;
    shape.push_back(columns);
    return b_.Call("reshape", {var}, {{"newshape", ShapeAttr(std::move(shape))}}, var->name);
  }

  GraphVar Bias(const ir::GraphCall& call) {
    const GraphVar twin = TwinOf(call.args[0]);
    const int64_t axis = Attrs(GetOp(call.op), call.attrs).Int("axis");
    const auto last = static_cast<int64_t>(ShapeOf(call.args[0]).size()) - 1;
    if (!twin || (axis != -1 && axis != last)) return nullptr;
    return b_.Call("add", {twin, Split(call.args[1], twin)});
  }

  GraphVar Pointwise(const ir::GraphCall& call) {
    GraphVar leader;
    for (const GraphVar& arg : call.args) {
      if (!leader) leader = TwinOf(arg);
    }
    if (!leader) return nullptr;
    const int64_t n = Number(ShapeOf(leader).end()[-2]) * Number(ShapeOf(leader).back());
    std::vector<GraphVar> args;
    for (const GraphVar& arg : call.args) {
      GraphVar operand = TwinOf(arg);
      if (!operand) {
        const std::vector<Expr>& shape = ShapeOf(arg);
        // One number for all stays; one for each row would have to be broadcast over two axes.
        const bool is_scalar = shape.empty() || (shape.size() == 1 && ir::IsOne(shape[0]));
        if (!is_scalar && Number(shape.back()) != n) return nullptr;
        operand = is_scalar ? arg : Split(arg, leader);
      }
      args.push_back(std::move(operand));
    }
    return b_.Call(call.op, std::move(args), call.attrs);
  }

  Builder& b_;
  const int lanes_;
  std::unordered_set<const ir::Node*> constants_;
  std::unordered_map<GraphVar, GraphVar, RefHash, RefEqual> twins_;  // plain -> in panels
};

}  // namespace

GraphFuncRef PackWeights(const GraphFuncRef& func, const ir::GraphModule& module,
                         const GraphPassContext& context) {
  if (context.vector_lanes < 2) return func;
  std::optional<Packing> packing;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        // Twins made outside of a block are visible in it, but not the other way round.
        if (builder.OpenBlocks() > 1) return nullptr;
        if (!packing) packing.emplace(builder, context.vector_lanes);
        if (As<ir::Constant>(value) != nullptr) {
          const GraphVar var = builder.Emit(value, before.var->name);
          packing->AddConstant(var);
          return var;
        }
        const auto* call = As<ir::GraphCall>(value);
        return call == nullptr ? nullptr : packing->Rewritten(*call, before.var->name);
      });
}

}  // namespace lathe::graph
