// Expressions without memory and calls.

#include <algorithm>
#include <numeric>

#include "backends/llvm/function_emitter.h"
#include "base/error.h"
#include "base/poll.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"

namespace lathe::llvm_backend {

using ir::As;
using ir::NodeKind;

namespace {

// How deep the search for facts about index expressions goes. Facts are hints, so giving up is
// sound.
constexpr int kFactDepth = 12;

}  // namespace

llvm::Value* FunctionEmitter::EmitExpr(const ir::ExprNode& node) {
  Poll();
  if (const ir::Operands operands = ir::BinaryOperands(&node))
    return EmitBinaryNode(node, operands);
  switch (node.node_kind()) {
    case NodeKind::kIntImm:
      return IntConstant(context_, node.dtype, static_cast<const ir::IntImm&>(node).value);
    case NodeKind::kFloatImm:
      return FloatConstant(context_, node.dtype, static_cast<const ir::FloatImm&>(node).value);
    case NodeKind::kCast: {
      const auto& cast = static_cast<const ir::Cast&>(node);
      return EmitCast(b_, Pop(), cast.value->dtype, cast.dtype, m_.traits().native);
    }
    case NodeKind::kNot:
      return b_.CreateNot(Pop());
    case NodeKind::kSelect:
      return EmitSelect(static_cast<const ir::Select&>(node));
    case NodeKind::kLoad: {
      const auto& load = static_cast<const ir::Load&>(node);
      const auto* buffer = As<ir::BufferNode>(load.source);
      if (buffer == nullptr)
        Unsupported("codegen-not-flat", "a load from a tensor reached the code generator");
      if (load.indices.size() > 1)
        Unsupported("codegen-not-flat", "a processor has no memory of several dimensions");
      const Access access = PopAccess(
          *buffer, load.dtype, load.indices.empty() ? ir::Expr() : load.indices[0], load.mask);
      if (uses_.back().raw)
        return ElementPointer(*buffer, access.base,
                              access.index ? access.index->dtype : DataType::Int(32));
      return EmitLoad(access);
    }
    case NodeKind::kRamp:
      if (uses_.back().raw) return nullptr;  // the access pops base and stride from the stack
      return EmitRamp(static_cast<const ir::Ramp&>(node));
    case NodeKind::kBroadcast:
      if (uses_.back().raw) return nullptr;
      return Splat(b_, Pop(), node.dtype);
    case NodeKind::kShuffle:
      return EmitShuffle(static_cast<const ir::Shuffle&>(node));
    case NodeKind::kLet:
      return Pop();
    case NodeKind::kCall:
      return EmitCall(static_cast<const ir::Call&>(node));
    default:
      Unsupported("codegen-not-flat",
                  std::string("a ") + ir::NodeKindName(node.node_kind()) +
                      " expression reached the code generator",
                  "lower the module to stage `flat` first");
  }
}

bool FunctionEmitter::IsNonNegative(const ir::Expr& expr, int depth) const {
  if (!expr || depth > kFactDepth) return false;
  if (expr->dtype.is_uint()) return true;
  if (!expr->dtype.is_int()) return false;
  if (const int64_t* value = ir::AsConstInt(expr)) return *value >= 0;
  if (const auto* var = As<ir::VarNode>(expr)) return var->is_size || nonnegative_.count(var) != 0;
  if (const auto* cast = As<ir::Cast>(expr)) {
    return cast->dtype.bits() > cast->value->dtype.bits() && IsNonNegative(cast->value, depth + 1);
  }
  const ir::Operands operands = ir::BinaryOperands(expr.get());
  if (!operands) return false;
  const auto both = [&] {
    return IsNonNegative(*operands.a, depth + 1) && IsNonNegative(*operands.b, depth + 1);
  };
  const int64_t* divisor = ir::AsConstInt(*operands.b);
  switch (expr->node_kind()) {
    // Data sums and products may wrap; index arithmetic does not.
    case NodeKind::kAdd:
    case NodeKind::kMul:
      return InIndexContext() && both();
    case NodeKind::kMin:
    case NodeKind::kDiv:
    case NodeKind::kMod:
    case NodeKind::kFloorDiv:
      return both();
    case NodeKind::kFloorMod:
      return divisor != nullptr && *divisor > 0;
    case NodeKind::kMax:
      return IsNonNegative(*operands.a, depth + 1) || IsNonNegative(*operands.b, depth + 1);
    default:
      return false;
  }
}

int64_t FunctionEmitter::KnownMultiple(const ir::Expr& expr, int depth) const {
  if (!expr || depth > kFactDepth) return 1;
  if (const int64_t* value = ir::AsConstInt(expr))
    return *value == INT64_MIN ? 1 : std::abs(*value);
  if (const auto* var = As<ir::VarNode>(expr)) {
    auto found = definitions_.find(var);
    return found == definitions_.end() ? 1 : KnownMultiple(found->second, depth + 1);
  }
  if (const auto* cast = As<ir::Cast>(expr)) {
    const bool exact =
        cast->value->dtype.is_integral() && cast->dtype.bits() >= cast->value->dtype.bits();
    return exact ? KnownMultiple(cast->value, depth + 1) : 1;
  }
  const ir::Operands operands = ir::BinaryOperands(expr.get());
  if (!operands) return 1;
  const int64_t a = KnownMultiple(*operands.a, depth + 1),
                b = KnownMultiple(*operands.b, depth + 1);
  switch (expr->node_kind()) {
    case NodeKind::kAdd:
    case NodeKind::kSub:
    case NodeKind::kMin:
    case NodeKind::kMax:
      return std::gcd(a, b);
    case NodeKind::kMul: {
      // Only powers of two matter for alignment. The product is limited to 2^31 so that it cannot
      // overflow.
      const int64_t x = std::min<int64_t>(a & -a, 1 << 30), y = std::min<int64_t>(b & -b, 1 << 30);
      return x * y;
    }
    case NodeKind::kMod:
    case NodeKind::kFloorMod:
      return std::gcd(a, b);
    default:
      return 1;
  }
}

ArithContext FunctionEmitter::ArithFor(const ir::ExprNode& node,
                                       const ir::Operands& operands) const {
  ArithContext context;
  context.native = m_.traits().native;
  context.hardware_minmax = m_.traits().hardware_minmax;
  context.index = InIndexContext();
  switch (node.node_kind()) {
    case NodeKind::kDiv:
    case NodeKind::kMod:
    case NodeKind::kFloorDiv:
    case NodeKind::kFloorMod: {
      const int64_t* divisor = ir::AsConstInt(*operands.b);
      context.divisor_positive = (divisor != nullptr && *divisor > 0) ||
                                 (divisor == nullptr && IsNonNegative(*operands.b));
      context.operands_nonnegative = context.divisor_positive && IsNonNegative(*operands.a);
      break;
    }
    default:
      break;
  }
  return context;
}

llvm::Value* FunctionEmitter::EmitBinaryNode(const ir::ExprNode& node,
                                             const ir::Operands& operands) {
  Value* y = Pop();
  Value* x = Pop();
  return EmitBinary(b_, node.node_kind(), (*operands.a)->dtype, x, y, ArithFor(node, operands));
}

llvm::Value* FunctionEmitter::EmitSelect(const ir::Select&) {
  Value* false_value = Pop();
  Value* true_value = Pop();
  return b_.CreateSelect(Pop(), true_value, false_value);
}

llvm::Value* FunctionEmitter::EmitRamp(const ir::Ramp& node) {
  Value* stride = Pop();
  Value* base = Pop();
  llvm::Type* type = ValueType(context_, node.dtype);
  Value* steps = b_.CreateMul(b_.CreateStepVector(type), Splat(b_, stride, node.dtype));
  return b_.CreateAdd(Splat(b_, base, node.dtype), steps);
}

llvm::Value* FunctionEmitter::EmitShuffle(const ir::Shuffle& node) {
  const size_t n = node.vectors.size();
  std::vector<Value*> vectors(n), flat;
  // The indices are constants; they were pushed after the vectors.
  for (size_t i = 0; i < node.indices.size(); ++i) Pop();
  for (size_t i = n; i-- > 0;) vectors[i] = Pop();
  std::vector<int> picks;
  for (const ir::Expr& index : node.indices)
    picks.push_back(static_cast<int>(*ir::AsConstInt(index)));
  if (n == 1 && vectors[0]->getType()->isVectorTy() && !node.dtype.is_scalar()) {
    return b_.CreateShuffleVector(vectors[0], picks);
  }
  if (n == 2 && vectors[0]->getType()->isVectorTy() &&
      vectors[0]->getType() == vectors[1]->getType() && !node.dtype.is_scalar()) {
    return b_.CreateShuffleVector(vectors[0], vectors[1], picks);
  }
  const bool alike = n > 2 && !node.dtype.is_scalar() && vectors[0]->getType()->isVectorTy() &&
                     std::all_of(vectors.begin(), vectors.end(), [&](Value* vector) {
                       return vector->getType() == vectors[0]->getType();
                     });
  if (alike) return b_.CreateShuffleVector(llvm::concatenateVectors(b_, vectors), picks);
  // Vectors of different types: lane by lane.
  auto lane_of = [&](int at) -> Value* {
    for (size_t i = 0; i < n; ++i) {
      const int lanes = node.vectors[i]->dtype.lanes();
      if (at < lanes) {
        return node.vectors[i]->dtype.is_scalar()
                   ? vectors[i]
                   : b_.CreateExtractElement(vectors[i], static_cast<uint64_t>(at));
      }
      at -= lanes;
    }
    LATHE_CHECK(false) << "a shuffle's index is out of range";
    return nullptr;
  };
  if (node.dtype.is_scalar()) return lane_of(picks[0]);
  Value* result = llvm::PoisonValue::get(ValueType(context_, node.dtype));
  for (size_t i = 0; i < picks.size(); ++i)
    result = b_.CreateInsertElement(result, lane_of(picks[i]), i);
  return result;
}

}  // namespace lathe::llvm_backend
