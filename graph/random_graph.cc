#include "graph/random_graph.h"

#include <random>
#include <unordered_set>

#include "ir/structural.h"

namespace lathe::graph {
namespace {

using ir::Expr;
using ir::GraphVar;

class Generator {
 public:
  Generator(uint64_t seed, const RandomGraphOptions& options)
      : options_(options), random_(seed), b_("main"), n_(b_.Size("n")) {}

  GraphFuncRef Run() {
    const int inputs = Between(1, 3);
    for (int i = 0; i < inputs; ++i) {
      std::vector<Expr> shape = RandomShape();
      // The first input binds the size.
      if (i == 0 && shape.empty()) shape.push_back(n_);
      if (i == 0) shape[0] = n_;
      pool_.push_back(b_.Input("x" + std::to_string(i), DataType::Float(32), shape));
    }
    const int operators = Between(options_.least_operators, options_.most_operators);
    for (int i = 0; i < operators; ++i) Step(0);
    // Everything nobody has read is a result, so nothing is dead from the start.
    std::vector<GraphVar> results;
    for (const GraphVar& var : pool_) {
      if (!read_.contains(var.get())) results.push_back(var);
    }
    if (results.empty()) results.push_back(pool_.back());
    return b_.Finish(results.size() == 1 ? results[0] : b_.Tuple(results));
  }

 private:
  int Between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool Chance(int percent) { return Between(1, 100) <= percent; }

  std::vector<Expr> RandomShape() {
    std::vector<Expr> shape;
    const int rank = Between(0, 4);
    for (int i = 0; i < rank; ++i) {
      shape.push_back(i == 0 && Chance(50) ? n_ : Int64(Between(1, 5)));
    }
    return shape;
  }
  static const std::vector<Expr>& ShapeOf(const GraphVar& var) {
    return static_cast<const ir::TensorType&>(*var->type).shape;
  }
  static bool IsTensor(const GraphVar& var) {
    const auto* type = ir::As<ir::TensorType>(var->type);
    return type != nullptr && type->dtype == DataType::Float(32);
  }
  static bool IsStatic(const GraphVar& var) {
    for (const Expr& extent : ShapeOf(var)) {
      if (ir::AsConstInt(extent) == nullptr) return false;
    }
    return true;
  }
  static int64_t Number(const Expr& extent) { return *ir::AsConstInt(extent); }

  GraphVar Any() {
    // Newer values more often, so that chains become long.
    const int last = static_cast<int>(pool_.size()) - 1;
    const int at = Chance(60) ? Between(std::max(0, last - 2), last) : Between(0, last);
    return pool_[static_cast<size_t>(at)];
  }
  GraphVar Read(const GraphVar& var) {
    read_.insert(var.get());
    return var;
  }
  GraphVar Constant(const std::vector<int64_t>& shape) {
    size_t count = 1;
    for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(Between(-8, 8)) / 8;
    return b_.Constant("c" + std::to_string(constants_++), DataType::Float(32), shape,
                       Blob::Copy({reinterpret_cast<const char*>(values.data()), count * 4}));
  }
  void Keep(GraphVar var) { pool_.push_back(std::move(var)); }

  void Step(int depth) {
    const GraphVar x = Any();
    const std::vector<Expr>& shape = ShapeOf(x);
    const auto rank = static_cast<int>(shape.size());
    switch (Between(0, options_.control_flow && depth == 0 ? 12 : 10)) {
      case 0:
      case 1: {
        static const char* const kUnary[] = {"nn.relu", "tanh",  "sigmoid", "negative", "abs",
                                             "nn.gelu", "floor", "cos",     "sin",      "erf"};
        return Keep(b_.Call(kUnary[Between(0, 9)], {Read(x)}));
      }
      case 2:
      case 3: {
        static const char* const kBinary[] = {"add", "subtract", "maximum", "minimum"};
        const GraphVar y = Partner(x);
        return Keep(b_.Call(kBinary[Between(0, 3)], {Read(x), Read(y)}));
      }
      case 4: {  // a product whose elements stay small
        const GraphVar y = b_.Call("tanh", {Read(Partner(x))});
        return Keep(b_.Call("multiply", {Read(x), y}));
      }
      case 5: {
        if (rank == 0) return;
        std::vector<int64_t> axes;
        for (int i = 0; i < rank; ++i) axes.push_back(i);
        std::shuffle(axes.begin(), axes.end(), random_);
        return Keep(b_.Call("transpose", {Read(x)}, {{"axes", IntsAttr(axes)}}));
      }
      case 6: {  // a view, there and perhaps back
        std::vector<Expr> flat{Int64(1)};
        for (const Expr& extent : shape) flat[0] = flat[0] * extent;
        return Keep(b_.Call("reshape", {Read(x)}, {{"newshape", ShapeAttr(flat)}}));
      }
      case 7: {
        if (rank == 0) return;
        static const char* const kReduce[] = {"mean", "max", "min"};
        return Keep(b_.Call(
            kReduce[Between(0, 2)], {Read(x)},
            {{"axis", IntsAttr({Between(0, rank - 1)})}, {"keepdims", BoolAttr(Chance(50))}}));
      }
      case 8: {
        if (rank == 0) return;
        return Keep(b_.Call("nn.softmax", {Read(x)}, {{"axis", IntAttr(rank - 1)}}));
      }
      case 9: {
        if (rank != 2 || ir::AsConstInt(shape[1]) == nullptr) return;
        const int64_t in = Number(shape[1]);
        if (in > 16) return;
        GraphVar y = b_.Call("nn.dense", {Read(x), Constant({Between(1, 6), in})});
        return Keep(b_.Call("tanh", {y}));
      }
      case 10: {
        if (rank != 4 || ir::AsConstInt(shape[1]) == nullptr || !IsStatic(x)) return;
        const int64_t out = Between(1, 4);
        GraphVar y = b_.Call("nn.conv2d", {Read(x), Constant({out, Number(shape[1]), 3, 3})},
                             {{"padding", IntsAttr({1, 1})}});
        if (Chance(50)) y = b_.Call("nn.bias_add", {y, Constant({out})});
        if (Chance(50)) y = b_.Call("multiply", {y, Constant({out, 1, 1})});
        return Keep(b_.Call("tanh", {y}));
      }
      case 11:
        return Keep(If(x));
      case 12:
        return Keep(CalledTwice(x));
      default:
        return;
    }
  }

  // An if over a condition that depends on the data.
  GraphVar If(const GraphVar& x) {
    const GraphVar sum = b_.Call("sum", {Read(x)});
    const GraphVar zero = Constant({});
    const GraphVar condition = b_.Call("less", {sum, zero});
    Ref<ir::GraphIf> node = Make<ir::GraphIf>();
    node->condition = condition;
    node->then_block = Nested(x, "tanh");
    node->else_block = Nested(x, "negative");
    return b_.Emit(node);
  }

  // A closure that is called twice.
  GraphVar CalledTwice(const GraphVar& x) {
    Ref<ir::GraphFunc> func = Make<ir::GraphFunc>();
    func->params.push_back(ir::MakeGraphVar("p", x->type));
    b_.OpenBlock();
    const GraphVar result = b_.Call("add", {b_.Call("tanh", {func->params[0]}), Read(x)});
    func->body = b_.CloseBlock(result);
    func->result_type = result->type;
    const GraphVar closure = b_.Emit(func, "f");
    Ref<ir::GraphInvoke> first = Make<ir::GraphInvoke>();
    first->callee = closure;
    first->args = {x};
    Ref<ir::GraphInvoke> second = CopyOf(*first);
    second->args = {b_.Emit(first)};
    if (!SameType(second->args[0]->type, x->type)) return second->args[0];
    return b_.Emit(second);
  }

  GraphBlockRef Nested(const GraphVar& x, const std::string& op) {
    b_.OpenBlock();
    const GraphVar y = b_.Call(op, {Read(x)});
    return b_.CloseBlock(b_.Call("add", {y, x}));
  }

  // Something that broadcasts with x.
  GraphVar Partner(const GraphVar& x) {
    if (Chance(40)) {
      for (size_t i = pool_.size(); i-- > 0;) {
        if (!pool_[i].same_as(x) && SameType(pool_[i]->type, x->type)) return pool_[i];
      }
    }
    const std::vector<Expr>& shape = ShapeOf(x);
    if (shape.empty() || ir::AsConstInt(shape.back()) == nullptr || Chance(20)) return Constant({});
    return Constant({Chance(50) ? Number(shape.back()) : 1});
  }

  const RandomGraphOptions options_;
  std::mt19937_64 random_;
  Builder b_;
  const Expr n_;
  std::vector<GraphVar> pool_;  // tensors of float32
  std::unordered_set<const ir::Node*> read_;
  int constants_ = 0;
};

}  // namespace

GraphFuncRef RandomGraph(uint64_t seed, const RandomGraphOptions& options) {
  return Generator(seed, options).Run();
}

}  // namespace lathe::graph
