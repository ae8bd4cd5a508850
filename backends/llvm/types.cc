#include "backends/llvm/types.h"

#include "base/error.h"
#include "base/float_formats.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"

namespace lathe::llvm_backend {
namespace {

llvm::ElementCount Lanes(DataType dtype) {
  return llvm::ElementCount::get(static_cast<unsigned>(dtype.lanes()), dtype.is_scalable());
}

llvm::Type* ScalarType(llvm::LLVMContext& context, DataType dtype) {
  if (dtype.is_void()) return llvm::Type::getVoidTy(context);
  if (dtype.code() == kDLOpaqueHandle) return llvm::PointerType::getUnqual(context);
  if (dtype.is_bool()) return llvm::Type::getInt1Ty(context);
  if (dtype.code() == kDLFloat && dtype.bits() == 32) return llvm::Type::getFloatTy(context);
  if (dtype.code() == kDLFloat && dtype.bits() == 64) return llvm::Type::getDoubleTy(context);
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(dtype.bits()));
}

llvm::Constant* Repeat(llvm::Constant* scalar, DataType dtype) {
  return dtype.is_scalar() ? scalar : llvm::ConstantVector::getSplat(Lanes(dtype), scalar);
}

}  // namespace

llvm::Type* WithLanes(llvm::Type* scalar, DataType dtype) {
  return dtype.is_scalar() || dtype.is_void() ? scalar
                                              : llvm::VectorType::get(scalar, Lanes(dtype));
}

llvm::Type* ValueType(llvm::LLVMContext& context, DataType dtype) {
  return WithLanes(ScalarType(context, dtype), dtype);
}

llvm::Type* MemoryType(llvm::LLVMContext& context, DataType dtype) {
  const DataType element = dtype.element_of();
  if (element.is_bool() || element.bits() < 8) return llvm::Type::getInt8Ty(context);
  return ScalarType(context, element);
}

llvm::Constant* IntConstant(llvm::LLVMContext& context, DataType dtype, int64_t value) {
  llvm::Type* type = ScalarType(context, dtype.element_of());
  return Repeat(llvm::ConstantInt::get(context, llvm::APInt(type->getIntegerBitWidth(),
                                                            static_cast<uint64_t>(value), true)),
                dtype);
}

llvm::Constant* FloatConstant(llvm::LLVMContext& context, DataType dtype, double value) {
  if (IsSmallFloat(dtype)) {
    const DataType scalar = dtype.element_of();
    return IntConstant(context, dtype, static_cast<int64_t>(EncodeFloat(value, scalar)));
  }
  // Converts the bits, so that a NaN keeps its payload and sign.
  llvm::Type* type = ScalarType(context, dtype.element_of());
  const uint64_t bits = EncodeFloat(value, dtype.element_of());
  const llvm::APInt pattern(static_cast<unsigned>(dtype.bits()), bits);
  return Repeat(llvm::ConstantFP::get(context, llvm::APFloat(type->getFltSemantics(), pattern)),
                dtype);
}

llvm::Constant* ZeroConstant(llvm::LLVMContext& context, DataType dtype) {
  return llvm::Constant::getNullValue(ValueType(context, dtype));
}

llvm::Value* Splat(llvm::IRBuilderBase& b, llvm::Value* scalar, DataType dtype) {
  return dtype.is_scalar() ? scalar : b.CreateVectorSplat(Lanes(dtype), scalar);
}

}  // namespace lathe::llvm_backend
