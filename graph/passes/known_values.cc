#include "graph/passes/known_values.h"

#include <algorithm>

#include "ir/walk.h"

namespace lathe::graph {
namespace {

// Results up to this size are always known; larger ones only if they are at most this many times as
// large as their operands: int8 weights that a network reads as float32 are still computed once.
constexpr int64_t kSmallBytes = 1 << 16, kMostGrowth = 4;

bool HasSizes(const ir::GraphCall& call) {
  for (const auto& [name, attr] : call.attrs) {
    if (!ir::FreeVars(attr).empty()) return true;
  }
  return false;
}

}  // namespace

int64_t BytesOf(const ir::NodeRef& type) {
  const auto* tensor = ir::As<ir::TensorType>(type);
  if (tensor == nullptr) return -1;
  int64_t bytes = tensor->dtype.bytes();
  for (const ir::Expr& extent : tensor->shape) {
    const int64_t* constant = ir::AsConstInt(extent);
    if (constant == nullptr || __builtin_mul_overflow(bytes, *constant, &bytes)) return -1;
  }
  return bytes;
}

bool KnownValues::Add(const ir::GraphVar& var, const ir::Node& value) {
  if (value.node_kind() != ir::NodeKind::kConstant) {
    const auto* call = ir::As<ir::GraphCall>(&value);
    if (call == nullptr || HasSizes(*call) || GetOp(call->op).is_external) return false;
    int64_t operand_bytes = 0;
    for (const ir::GraphVar& arg : call->args) {
      if (!Contains(arg)) return false;
      operand_bytes += std::max<int64_t>(BytesOf(arg->type), 0);
    }
    const int64_t bytes = BytesOf(var->type);
    if (bytes < 0 || bytes > std::max(kSmallBytes, kMostGrowth * operand_bytes)) return false;
  }
  known_.insert(var.get());
  return true;
}

}  // namespace lathe::graph
