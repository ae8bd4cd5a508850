#include "graph/passes/dot_products.h"

#include <algorithm>

#include "graph/passes/shape_of.h"

namespace lathe::graph {
namespace {

// A right operand that is put into panels at run time must serve so many rows.
constexpr int64_t kLeastRows = 8;

constexpr int64_t kMostWaste = 5;  // 1 / 5 of the columns

}  // namespace

bool IsMatrixProduct(const std::string& op) {
  return op == "nn.dense" || op == "matmul" || op == "nn.matmul" || op == "nn.batch_matmul";
}

int64_t PanelWaste(int64_t n, const GraphPassContext& context) {
  const int64_t width = PanelColumns(context), waste = (width - n % width) % width;
  return waste * kMostWaste > n ? -1 : waste;
}

bool ByDotProducts(const ir::GraphCall& call, bool known, const GraphPassContext& context) {
  const bool dense = call.op == "nn.dense";
  if (!IsMatrixProduct(call.op)) return false;
  const Attrs attrs(GetOp(call.op), call.attrs);
  const std::vector<ir::Expr>&x = ShapeOf(call.args[0]), &w = ShapeOf(call.args[1]);
  const DataType narrow = DataType::BFloat16();
  if (context.bfloat16_group == 0 || context.vector_lanes < 2 || TypeOf(call.args[0]) != narrow ||
      TypeOf(call.args[1]) != narrow || attrs.String("out_dtype") != "float32" || x.size() < 2 ||
      w.size() < 2 || (!dense && attrs.Bool("transpose_a"))) {
    return false;
  }
  const int64_t k = Number(x.back()),
                n = Number(dense || attrs.Bool("transpose_b") ? w.end()[-2] : w.back());
  const bool sizes = std::ranges::all_of(x, [](const ir::Expr& d) { return Number(d) > 0; });
  if (!sizes || n == 0 || k % context.bfloat16_group != 0) return false;
  if (known) return w.size() == 2 && PanelWaste(n, context) >= 0;
  if (w.size() != x.size()) return false;
  for (size_t d = 0; d + 2 < x.size(); ++d) {
    if (Number(x[d]) != Number(w[d])) return false;
  }
  return Number(x.end()[-2]) >= kLeastRows && n % PanelColumns(context) == 0;
}

}  // namespace lathe::graph
