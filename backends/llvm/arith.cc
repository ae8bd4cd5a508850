#include "backends/llvm/arith.h"

#include "base/error.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

namespace lathe::llvm_backend {
namespace {

using ir::NodeKind;
using llvm::IRBuilderBase;
using llvm::Value;

// True for a constant divisor with which division cannot trap: no lane is 0 or -1.
bool IsSafeDivisor(Value* y) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(y);
  if (constant == nullptr) return false;
  if (constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  return number != nullptr && !number->isZero() && !number->isMinusOne();
}

// Returns y, with 1 in the lanes where x / y would trap.
Value* GuardDivisor(IRBuilderBase& b, DataType dtype, Value* x, Value* y) {
  if (IsSafeDivisor(y)) return y;
  auto& context = b.getContext();
  Value* bad = b.CreateICmpEQ(y, ZeroConstant(context, dtype));
  if (dtype.is_int()) {
    Value* smallest =
        IntConstant(context, dtype, static_cast<int64_t>(uint64_t{1} << (dtype.bits() - 1)));
    Value* overflow = b.CreateAnd(b.CreateICmpEQ(y, IntConstant(context, dtype, -1)),
                                  b.CreateICmpEQ(x, smallest));
    bad = b.CreateOr(bad, overflow);
  }
  return b.CreateSelect(bad, IntConstant(context, dtype, 1), y);
}

// The exponent if y is a constant power of two, the same in all lanes; otherwise -1.
int PowerOfTwo(Value* y) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(y);
  if (constant != nullptr && constant->getType()->isVectorTy())
    constant = constant->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  if (number == nullptr || number->isNegative() || !number->getValue().isPowerOf2()) return -1;
  return static_cast<int>(number->getValue().logBase2());
}

Value* IntDivision(IRBuilderBase& b, NodeKind kind, DataType dtype, Value* x, Value* y,
                   const ArithContext& c) {
  const bool floor = kind == NodeKind::kFloorDiv || kind == NodeKind::kFloorMod;
  const bool want_quotient = kind == NodeKind::kDiv || kind == NodeKind::kFloorDiv;
  auto& context = b.getContext();
  if (dtype.is_uint() || c.operands_nonnegative) {
    y = GuardDivisor(
        b, DataType(DLDataType{kDLUInt, static_cast<uint8_t>(dtype.bits()), dtype.dl().lanes}), x,
        y);
    return want_quotient ? b.CreateUDiv(x, y) : b.CreateURem(x, y);
  }
  if (const int shift = PowerOfTwo(y); floor && shift >= 0) {
    return want_quotient ? b.CreateAShr(x, IntConstant(context, dtype, shift))
                         : b.CreateAnd(x, b.CreateSub(y, IntConstant(context, dtype, 1)));
  }
  y = GuardDivisor(b, dtype, x, y);
  if (!floor) return want_quotient ? b.CreateSDiv(x, y) : b.CreateSRem(x, y);
  Value* remainder = b.CreateSRem(x, y);
  Value* zero = ZeroConstant(context, dtype);
  // The remainder's sign must be the divisor's.
  Value* wrong_sign;
  if (c.divisor_positive) {
    wrong_sign = b.CreateICmpSLT(remainder, zero);
  } else {
    wrong_sign = b.CreateAnd(b.CreateICmpNE(remainder, zero),
                             b.CreateICmpSLT(b.CreateXor(remainder, y), zero));
  }
  if (!want_quotient) return b.CreateSelect(wrong_sign, b.CreateAdd(remainder, y), remainder);
  Value* quotient = b.CreateSDiv(x, y);
  return b.CreateAdd(quotient, b.CreateSExt(wrong_sign, quotient->getType()));
}

Value* FloatMinMax(IRBuilderBase& b, bool max, Value* x, Value* y, bool hardware) {
  if (hardware) return max ? b.CreateMaxNum(x, y) : b.CreateMinNum(x, y);
  Value* better = max ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
  return b.CreateSelect(b.CreateOr(better, b.CreateFCmpUNO(y, y)), x, y);
}

Value* EmitFloat(IRBuilderBase& b, NodeKind kind, Value* x, Value* y, const ArithContext& c) {
  switch (kind) {
    case NodeKind::kAdd:
      return b.CreateFAdd(x, y);
    case NodeKind::kSub:
      return b.CreateFSub(x, y);
    case NodeKind::kMul:
      return b.CreateFMul(x, y);
    case NodeKind::kDiv:
      return b.CreateFDiv(x, y);
    case NodeKind::kFloorDiv:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, b.CreateFDiv(x, y));
    case NodeKind::kFloorMod: {
      Value* quotient = b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, b.CreateFDiv(x, y));
      return b.CreateFSub(x, b.CreateFMul(quotient, y));
    }
    case NodeKind::kMin:
      return FloatMinMax(b, false, x, y, c.hardware_minmax);
    case NodeKind::kMax:
      return FloatMinMax(b, true, x, y, c.hardware_minmax);
    case NodeKind::kEQ:
      return b.CreateFCmpOEQ(x, y);
    case NodeKind::kNE:
      return b.CreateFCmpUNE(x, y);
    case NodeKind::kLT:
      return b.CreateFCmpOLT(x, y);
    case NodeKind::kLE:
      return b.CreateFCmpOLE(x, y);
    case NodeKind::kGT:
      return b.CreateFCmpOGT(x, y);
    case NodeKind::kGE:
      return b.CreateFCmpOGE(x, y);
    default:
      LATHE_CHECK(false) << "no operation on floats: " << ir::NodeKindName(kind);
  }
  return nullptr;
}

Value* EmitInt(IRBuilderBase& b, NodeKind kind, DataType dtype, Value* x, Value* y,
               const ArithContext& c) {
  const bool is_signed = dtype.is_int();
  const bool no_wrap = c.index && is_signed;
  switch (kind) {
    case NodeKind::kAdd:
      return b.CreateAdd(x, y, "", false, no_wrap);
    case NodeKind::kSub:
      return b.CreateSub(x, y, "", false, no_wrap);
    case NodeKind::kMul:
      return b.CreateMul(x, y, "", false, no_wrap);
    case NodeKind::kDiv:
    case NodeKind::kMod:
    case NodeKind::kFloorDiv:
    case NodeKind::kFloorMod:
      return IntDivision(b, kind, dtype, x, y, c);
    case NodeKind::kMin:
      return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x,
                                     y);
    case NodeKind::kMax:
      return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x,
                                     y);
    case NodeKind::kEQ:
      return b.CreateICmpEQ(x, y);
    case NodeKind::kNE:
      return b.CreateICmpNE(x, y);
    case NodeKind::kLT:
      return is_signed ? b.CreateICmpSLT(x, y) : b.CreateICmpULT(x, y);
    case NodeKind::kLE:
      return is_signed ? b.CreateICmpSLE(x, y) : b.CreateICmpULE(x, y);
    case NodeKind::kGT:
      return is_signed ? b.CreateICmpSGT(x, y) : b.CreateICmpUGT(x, y);
    case NodeKind::kGE:
      return is_signed ? b.CreateICmpSGE(x, y) : b.CreateICmpUGE(x, y);
    case NodeKind::kAnd:
      return b.CreateAnd(x, y);
    case NodeKind::kOr:
      return b.CreateOr(x, y);
    default:
      LATHE_CHECK(false) << "no operation on integers: " << ir::NodeKindName(kind);
  }
  return nullptr;
}

}  // namespace

Value* EmitBinary(IRBuilderBase& b, NodeKind kind, DataType dtype, Value* x, Value* y,
                  const ArithContext& context) {
  if (!dtype.is_float()) return EmitInt(b, kind, dtype, x, y, context);
  if (!IsSmallFloat(dtype)) return EmitFloat(b, kind, x, y, context);
  Value* result = EmitFloat(b, kind, WidenToFloat32(b, x, dtype, context.native),
                            WidenToFloat32(b, y, dtype, context.native), context);
  return kind >= NodeKind::kEQ ? result : NarrowFromFloat32(b, result, dtype, context.native);
}

}  // namespace lathe::llvm_backend
