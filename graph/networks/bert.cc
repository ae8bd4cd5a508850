#include <cmath>

#include "graph/networks/networks.h"
#include "graph/networks/weights.h"

namespace lathe::graph {
namespace {

using ir::GraphVar;

class Encoder {
 public:
  Encoder(Builder* builder, const BertConfig& config, uint64_t seed)
      : b_(*builder),
        config_(config),
        weights_(builder, seed),
        n_(config.tokens > 0 ? Int64(config.tokens) : builder->Size("n")) {}

  GraphVar Run() {
    const GraphVar tokens = b_.Input("tokens", DataType::Int(32), {Int64(1), n_});
    const GraphVar mask = b_.Input("mask", DataType::Float(32), {Int64(1), n_});
    // 0 for tokens, -10000 for padding, for each head and query.
    const GraphVar one = Scalar(1), away = Scalar(-10000);
    const GraphVar bias = Reshape(b_.Call("multiply", {b_.Call("subtract", {one, mask}), away}),
                                  {Int64(1), Int64(1), n_});
    GraphVar x = Embeddings(tokens);
    for (int64_t i = 0; i < config_.layers; ++i) x = Layer(x, bias, "layer" + std::to_string(i));
    return Reshape(x, {Int64(1), n_, Int64(config_.hidden)});
  }

 private:
  GraphVar Scalar(float value) {
    return b_.Constant("", DataType::Float(32), {},
                       Blob::Copy(std::string_view(reinterpret_cast<const char*>(&value), 4)));
  }
  GraphVar Reshape(const GraphVar& x, std::vector<ir::Expr> shape) {
    return b_.Call("reshape", {x}, {{"newshape", ShapeAttr(std::move(shape))}});
  }
  GraphVar Weight(const std::string& name, std::vector<int64_t> shape) {
    const auto spread = static_cast<float>(std::sqrt(3.0 / static_cast<double>(shape.back())));
    return weights_.Make(name, shape, spread);
  }
  // x [n, in] -> [n, out].
  GraphVar Dense(const GraphVar& x, const std::string& name, int64_t in, int64_t out) {
    const GraphVar product = b_.Call("nn.dense", {x, Weight(name + ".weight", {out, in})});
    return b_.Call("nn.bias_add", {product, weights_.Make(name + ".bias", {out}, 0.02f)});
  }
  GraphVar Norm(const GraphVar& x, const std::string& name) {
    return b_.Call("nn.layer_norm",
                   {x, weights_.Make(name + ".gamma", {config_.hidden}, 0.1f, 1.0f),
                    weights_.Make(name + ".beta", {config_.hidden}, 0.1f)},
                   {{"epsilon", FloatAttr(1e-12)}});
  }

  // [n, hidden].
  GraphVar Embeddings(const GraphVar& tokens) {
    const int64_t hidden = config_.hidden;
    const GraphVar words =
        b_.Call("take",
                {weights_.Make("embeddings.word", {config_.vocabulary, hidden}, 0.05f),
                 Reshape(tokens, {n_})},
                {{"axis", IntAttr(0)}});
    const GraphVar places = b_.Call(
        "strided_slice", {weights_.Make("embeddings.position", {config_.positions, hidden}, 0.05f)},
        {{"begin", IntsAttr({0, 0})}, {"end", ShapeAttr({n_, Int64(hidden)})}});
    return Norm(b_.Call("add", {words, places}), "embeddings.norm");
  }

  // [n, hidden] -> [heads, n, hidden / heads].
  GraphVar Heads(const GraphVar& x) {
    const int64_t per_head = config_.hidden / config_.heads;
    return b_.Call("transpose", {Reshape(x, {n_, Int64(config_.heads), Int64(per_head)})},
                   {{"axes", IntsAttr({1, 0, 2})}});
  }

  GraphVar Attention(const GraphVar& x, const GraphVar& bias, const std::string& name) {
    const int64_t hidden = config_.hidden;
    const auto per_head = static_cast<double>(hidden / config_.heads);
    const GraphVar q = Heads(Dense(x, name + ".query", hidden, hidden));
    const GraphVar k = Heads(Dense(x, name + ".key", hidden, hidden));
    const GraphVar v = Heads(Dense(x, name + ".value", hidden, hidden));
    GraphVar scores = b_.Call("nn.batch_matmul", {q, k});  // k is transposed: [heads, n, n]
    scores = b_.Call("multiply", {scores, Scalar(static_cast<float>(1 / std::sqrt(per_head)))});
    const GraphVar weights = b_.Call("nn.softmax", {b_.Call("add", {scores, bias})});
    const GraphVar mixed =
        b_.Call("nn.batch_matmul", {weights, v}, {{"transpose_b", BoolAttr(false)}});
    const GraphVar rows = Reshape(b_.Call("transpose", {mixed}, {{"axes", IntsAttr({1, 0, 2})}}),
                                  {n_, Int64(hidden)});
    return Dense(rows, name + ".out", hidden, hidden);
  }

  GraphVar Layer(const GraphVar& x, const GraphVar& bias, const std::string& name) {
    const GraphVar attended = Norm(b_.Call("add", {Attention(x, bias, name + ".attention"), x}),
                                   name + ".attention.norm");
    const GraphVar inner = b_.Call(
        "nn.gelu", {Dense(attended, name + ".inner", config_.hidden, config_.intermediate)});
    const GraphVar outer = Dense(inner, name + ".outer", config_.intermediate, config_.hidden);
    return Norm(b_.Call("add", {outer, attended}), name + ".norm");
  }

  Builder& b_;
  const BertConfig config_;
  RandomWeights weights_;
  const ir::Expr n_;
};

}  // namespace

GraphFuncRef Bert(const BertConfig& config, uint64_t seed) {
  Builder builder("main");
  Encoder encoder(&builder, config, seed);
  return builder.Finish(encoder.Run());
}

}  // namespace lathe::graph
