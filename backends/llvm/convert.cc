#include "backends/llvm/convert.h"

#include <cmath>

#include "base/error.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"

namespace lathe::llvm_backend {
namespace {

using llvm::IRBuilderBase;
using llvm::Value;

// The layout of a small float. float8_e8m0fnu has neither sign nor mantissa and is handled
// separately.
struct Layout {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  enum Top { kIeee, kFn, kFnuz } top;
  int bits() const { return 1 + exponent_bits + mantissa_bits; }
  uint32_t magnitude_mask() const { return (1u << (exponent_bits + mantissa_bits)) - 1; }
  // The smallest magnitude bit pattern that is not a finite number.
  uint32_t limit() const {
    switch (top) {
      case kIeee:
        return ((1u << exponent_bits) - 1) << mantissa_bits;
      case kFn:
        return magnitude_mask();
      case kFnuz:
        return magnitude_mask() + 1;
    }
    return 0;
  }
};

Layout LayoutOf(DataType dtype) {
  switch (dtype.code()) {
    case kDLFloat:
      return {5, 10, 15, Layout::kIeee};
    case kDLBfloat:
      return {8, 7, 127, Layout::kIeee};
    case kDLFloat8_e3m4:
      return {3, 4, 3, Layout::kIeee};
    case kDLFloat8_e4m3:
      return {4, 3, 7, Layout::kIeee};
    case kDLFloat8_e4m3b11fnuz:
      return {4, 3, 11, Layout::kFnuz};
    case kDLFloat8_e4m3fn:
      return {4, 3, 7, Layout::kFn};
    case kDLFloat8_e4m3fnuz:
      return {4, 3, 8, Layout::kFnuz};
    case kDLFloat8_e5m2:
      return {5, 2, 15, Layout::kIeee};
    case kDLFloat8_e5m2fnuz:
      return {5, 2, 16, Layout::kFnuz};
    default:
      LATHE_CHECK(false) << "no small float: " << dtype.ToString();
  }
  return {};
}

// Builds integer arithmetic on 32-bit lanes.
class Lane32 {
 public:
  Lane32(IRBuilderBase& b, DataType like) : b_(b), like_(like) {}
  Value* C(uint32_t value) const {
    return IntConstant(b_.getContext(), Ints(), static_cast<int64_t>(value));
  }
  Value* F(double value) const { return FloatConstant(b_.getContext(), Float32Like(like_), value); }
  DataType Ints() const { return DataType(DLDataType{kDLUInt, 32, like_.dl().lanes}); }
  llvm::Type* IntType() const { return ValueType(b_.getContext(), Ints()); }
  llvm::Type* FloatType() const { return ValueType(b_.getContext(), Float32Like(like_)); }
  Value* Bits(Value* x) const { return b_.CreateBitCast(x, IntType()); }
  Value* Float(Value* x) const { return b_.CreateBitCast(x, FloatType()); }

 private:
  IRBuilderBase& b_;
  DataType like_;
};

double PowerOfTwo(int exponent) { return std::ldexp(1.0, exponent); }

Value* WidenSmall(IRBuilderBase& b, Value* value, DataType from) {
  const Layout f = LayoutOf(from);
  const Lane32 lane(b, from);
  Value* bits = b.CreateZExt(value, lane.IntType());
  Value* magnitude = b.CreateAnd(bits, lane.C(f.magnitude_mask()));
  Value* sign =
      b.CreateShl(b.CreateLShr(bits, lane.C(static_cast<uint32_t>(f.bits() - 1))), lane.C(31));
  // Normal numbers: shift the fields into place and change the bias.
  Value* moved = b.CreateShl(magnitude, lane.C(static_cast<uint32_t>(23 - f.mantissa_bits)));
  Value* normal = b.CreateAdd(moved, lane.C(static_cast<uint32_t>((127 - f.bias) << 23)));
  // Subnormal numbers: an integer times the smallest step; exact in float32.
  Value* step = lane.F(PowerOfTwo(1 - f.bias - f.mantissa_bits));
  Value* small = lane.Bits(b.CreateFMul(b.CreateUIToFP(magnitude, lane.FloatType()), step));
  Value* is_small = b.CreateICmpULT(magnitude, lane.C(1u << f.mantissa_bits));
  Value* result = b.CreateSelect(is_small, small, normal);
  if (f.top == Layout::kIeee) {
    Value* special = b.CreateOr(moved, lane.C(0x7f800000));
    result = b.CreateSelect(b.CreateICmpUGE(magnitude, lane.C(f.limit())), special, result);
  } else if (f.top == Layout::kFn) {
    result =
        b.CreateSelect(b.CreateICmpEQ(magnitude, lane.C(f.limit())), lane.C(0x7fc00000), result);
  }
  result = b.CreateOr(result, sign);
  if (f.top == Layout::kFnuz) {
    Value* nan = b.CreateICmpEQ(bits, lane.C(1u << (f.bits() - 1)));
    result = b.CreateSelect(nan, lane.C(0x7fc00000), result);
  }
  return lane.Float(result);
}

// bfloat16 has float32's exponents, so rounding the lower half away is all: a carry goes into the
// exponent, and beyond the largest number into infinity.
Value* NarrowBfloat16(IRBuilderBase& b, Value* value, DataType to) {
  const Lane32 lane(b, to);
  Value* bits = lane.Bits(value);
  Value* upper = b.CreateLShr(bits, lane.C(16));
  Value* odd = b.CreateAnd(upper, lane.C(1));
  Value* rounded = b.CreateLShr(b.CreateAdd(b.CreateAdd(bits, lane.C(0x7fff)), odd), lane.C(16));
  Value* nan = b.CreateOr(b.CreateAnd(upper, lane.C(0x8000)), lane.C(0x7fc0));
  Value* result = b.CreateSelect(b.CreateFCmpUNO(value, value), nan, rounded);
  return b.CreateTrunc(result, ValueType(b.getContext(), to));
}

Value* NarrowSmall(IRBuilderBase& b, Value* value, DataType to) {
  const Layout f = LayoutOf(to);
  const Lane32 lane(b, to);
  Value* bits = lane.Bits(value);
  Value* magnitude = b.CreateAnd(bits, lane.C(0x7fffffff));
  Value* sign =
      b.CreateShl(b.CreateLShr(bits, lane.C(31)), lane.C(static_cast<uint32_t>(f.bits() - 1)));
  // Normal results: change the bias, then round the dropped bits to nearest even. A carry goes into
  // the exponent.
  const auto dropped = static_cast<uint32_t>(23 - f.mantissa_bits);
  Value* rebased = b.CreateSub(magnitude, lane.C(static_cast<uint32_t>((127 - f.bias) << 23)));
  Value* odd = b.CreateAnd(b.CreateLShr(rebased, lane.C(dropped)), lane.C(1));
  Value* normal = b.CreateLShr(
      b.CreateAdd(b.CreateAdd(rebased, lane.C((1u << (dropped - 1)) - 1)), odd), lane.C(dropped));
  // Subnormal results: adding 2^23 steps leaves the rounded number of steps in the low bits.
  Value* anchor = lane.F(PowerOfTwo(1 - f.bias - f.mantissa_bits + 23));
  Value* small =
      b.CreateSub(lane.Bits(b.CreateFAdd(lane.Float(magnitude), anchor)), lane.Bits(anchor));
  Value* smallest_normal = lane.C(static_cast<uint32_t>((127 + 1 - f.bias) << 23));
  Value* result = b.CreateSelect(b.CreateICmpULT(magnitude, smallest_normal), small, normal);
  const uint32_t nan = f.top == Layout::kFnuz ? 1u << (f.bits() - 1)
                       : f.top == Layout::kFn ? f.magnitude_mask()
                                              : f.limit() | (1u << (f.mantissa_bits - 1));
  const uint32_t overflow = f.top == Layout::kIeee ? f.limit() : nan;
  Value* over = b.CreateICmpUGE(result, lane.C(f.limit()));
  result = b.CreateSelect(over, lane.C(overflow), result);
  result = b.CreateSelect(b.CreateICmpUGT(magnitude, lane.C(0x7f800000)), lane.C(nan), result);
  if (f.top == Layout::kFnuz) {
    // There is no negative zero; a NaN has its sign already.
    Value* unsigned_result =
        b.CreateOr(b.CreateICmpEQ(result, lane.C(0)), b.CreateICmpEQ(result, lane.C(nan)));
    sign = b.CreateSelect(unsigned_result, lane.C(0), sign);
  }
  result = b.CreateOr(result, sign);
  return b.CreateTrunc(result, ValueType(b.getContext(), to));
}

Value* WidenPower(IRBuilderBase& b, Value* value, DataType from) {
  const Lane32 lane(b, from);
  Value* bits = b.CreateZExt(value, lane.IntType());
  Value* power = b.CreateShl(bits, lane.C(23));  // 255 becomes infinity here and is replaced below
  power = b.CreateSelect(b.CreateICmpEQ(bits, lane.C(0)), lane.C(0x00400000),
                         power);  // 2^-127 is subnormal
  return lane.Float(b.CreateSelect(b.CreateICmpEQ(bits, lane.C(255)), lane.C(0x7fc00000), power));
}

Value* NarrowPower(IRBuilderBase& b, Value* value, DataType to) {
  const Lane32 lane(b, to);
  Value* bits = lane.Bits(value);
  // The nearest power of two; a mantissa of exactly one half goes to the even exponent field.
  Value* field = b.CreateLShr(bits, lane.C(23));
  Value* mantissa = b.CreateAnd(bits, lane.C(0x7fffff));
  Value* half = lane.C(0x400000);
  Value* tie_up = b.CreateAnd(b.CreateICmpEQ(mantissa, half),
                              b.CreateICmpEQ(b.CreateAnd(field, lane.C(1)), lane.C(1)));
  Value* up = b.CreateOr(b.CreateICmpUGT(mantissa, half), tie_up);
  Value* rounded = b.CreateAdd(field, b.CreateZExt(up, lane.IntType()));
  // Float32's subnormals lie below 2^-126: 2^-127 is 0x400000, and the midpoint to 2^-126 is
  // 0x600000, a tie whose even exponent field is 0.
  Value* tiny = b.CreateSelect(b.CreateICmpUGT(bits, lane.C(0x600000)), lane.C(1), lane.C(0));
  rounded = b.CreateSelect(b.CreateICmpULT(bits, lane.C(0x00800000)), tiny, rounded);
  Value* no_number =
      b.CreateOr(b.CreateICmpUGT(rounded, lane.C(254)), b.CreateICmpUGT(bits, lane.C(0x80000000)));
  rounded = b.CreateSelect(no_number, lane.C(255), rounded);
  rounded = b.CreateSelect(b.CreateICmpEQ(bits, lane.C(0x80000000)), lane.C(0), rounded);
  return b.CreateTrunc(rounded, ValueType(b.getContext(), to));
}

// float64 to float32, rounded to odd: a second rounding to fewer bits then gives the same result as
// one single rounding.
Value* NarrowToOdd(IRBuilderBase& b, Value* value, DataType from) {
  const Lane32 lane(b, from);
  Value* nearest = b.CreateFPTrunc(value, lane.FloatType());
  Value* back = b.CreateFPExt(nearest, value->getType());
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  Value* back_magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back);
  Value* away = b.CreateFCmpOGT(back_magnitude, magnitude);
  Value* inexact = b.CreateFCmpONE(back, value);
  Value* bits = lane.Bits(nearest);
  bits = b.CreateSub(bits, b.CreateZExt(away, lane.IntType()));
  bits = b.CreateOr(bits, b.CreateZExt(inexact, lane.IntType()));
  return lane.Float(bits);
}

llvm::Type* HalfType(IRBuilderBase& b, DataType like) { return WithLanes(b.getHalfTy(), like); }

DataType Like(DataType scalar, DataType lanes) {
  return DataType(DLDataType{static_cast<uint8_t>(scalar.code()),
                             static_cast<uint8_t>(scalar.bits()), lanes.dl().lanes});
}

Value* FloatToFloat(IRBuilderBase& b, Value* value, DataType from, DataType to,
                    NativeConversions native) {
  if (from == to) return value;
  if (IsSmallFloat(from)) {
    value = WidenToFloat32(b, value, from, native);
    from = Float32Like(from);
  }
  if (!IsSmallFloat(to)) return b.CreateFPCast(value, ValueType(b.getContext(), to));
  if (from.bits() == 64) value = NarrowToOdd(b, value, from);
  return NarrowFromFloat32(b, value, to, native);
}

}  // namespace

Value* WidenToFloat32(IRBuilderBase& b, Value* value, DataType from, NativeConversions native) {
  const Lane32 lane(b, from);
  if (from.is_bfloat16()) {
    return lane.Float(b.CreateShl(b.CreateZExt(value, lane.IntType()), lane.C(16)));
  }
  if (from.code() == kDLFloat && native.float16) {
    return b.CreateFPExt(b.CreateBitCast(value, HalfType(b, from)), lane.FloatType());
  }
  if (from.code() == kDLFloat8_e8m0fnu) return WidenPower(b, value, from);
  return WidenSmall(b, value, from);
}

Value* NarrowFromFloat32(IRBuilderBase& b, Value* value, DataType to, NativeConversions native) {
  if (to.code() == kDLFloat && native.float16) {
    return b.CreateBitCast(b.CreateFPTrunc(value, HalfType(b, to)), ValueType(b.getContext(), to));
  }
  if (to.is_bfloat16()) return NarrowBfloat16(b, value, to);
  if (to.code() == kDLFloat8_e8m0fnu) return NarrowPower(b, value, to);
  return NarrowSmall(b, value, to);
}

Value* EmitCast(IRBuilderBase& b, Value* value, DataType from, DataType to,
                NativeConversions native) {
  if (from == to) return value;
  llvm::Type* type = ValueType(b.getContext(), to);
  const bool from_int = from.is_integral() || from.is_bool(), to_int = to.is_integral();
  if (from.is_handle() || to.is_handle()) {
    if (from.is_handle() && to.is_handle()) return value;
    if (to.is_bool()) return b.CreateIsNotNull(value);
    if (from.is_handle()) return b.CreatePtrToInt(value, type);
    return b.CreateIntToPtr(EmitCast(b, value, from, Like(DataType::UInt(64), from), native), type);
  }
  if (to.is_bool()) {
    if (from_int) return b.CreateICmpNE(value, ZeroConstant(b.getContext(), from));
    if (IsSmallFloat(from)) {
      value = WidenToFloat32(b, value, from, native);
      from = Float32Like(from);
    }
    return b.CreateFCmpUNE(value, ZeroConstant(b.getContext(), from));
  }
  if (from_int && to_int) {
    return b.CreateIntCast(value, type, from.is_int());
  }
  if (from_int) {
    // Conversions to small floats go through float32, as all their arithmetic does.
    const DataType direct = IsSmallFloat(to) ? Float32Like(from) : to;
    llvm::Type* float_type = ValueType(b.getContext(), direct);
    Value* result =
        from.is_int() ? b.CreateSIToFP(value, float_type) : b.CreateUIToFP(value, float_type);
    return FloatToFloat(b, result, direct, to, native);
  }
  if (IsSmallFloat(from)) {
    value = WidenToFloat32(b, value, from, native);
    from = Float32Like(from);
  }
  if (!to_int) return FloatToFloat(b, value, from, to, native);
  // LLVM gives poison for a value out of range. Freezing makes it an unspecified value, as
  // ir/expr.h promises.
  Value* result = to.is_int() ? b.CreateFPToSI(value, type) : b.CreateFPToUI(value, type);
  return llvm::isa<llvm::Constant>(result) ? result : b.CreateFreeze(result);
}

}  // namespace lathe::llvm_backend
