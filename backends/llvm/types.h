// The LLVM types of the IR's element types.
//
// In registers: bool is i1; integers are iN; float32 and float64 are themselves; float16, bfloat16
// and float8 are their bit pattern (i16, i8), because every operation on them is computed in
// float32 (ir/expr.h) and convert.h does the conversions that the hardware lacks; a handle is a
// pointer. Lanes make vectors, scalable ones included. In memory: each element of less than a byte
// takes the low bits of one byte, and the other bits are 0; a vector element (int4x2, float32x3)
// takes DataType::bytes() bytes, without padding.
#pragma once

#include "base/dtype.h"

namespace llvm {
class Constant;
class ElementCount;
class IRBuilderBase;
class LLVMContext;
class Type;
class Value;
}  // namespace llvm

namespace lathe::llvm_backend {

llvm::Type* ValueType(llvm::LLVMContext& context, DataType dtype);
// The type of one scalar element.
llvm::Type* MemoryType(llvm::LLVMContext& context, DataType dtype);
// A vector type of `scalar` with the lanes of dtype; `scalar` itself for one lane.
llvm::Type* WithLanes(llvm::Type* scalar, DataType dtype);

// Constants with any number of lanes.
llvm::Constant* IntConstant(llvm::LLVMContext& context, DataType dtype, int64_t value);
llvm::Constant* FloatConstant(llvm::LLVMContext& context, DataType dtype, double value);
llvm::Constant* ZeroConstant(llvm::LLVMContext& context, DataType dtype);

// `scalar` in every lane of dtype; `scalar` itself for one lane.
llvm::Value* Splat(llvm::IRBuilderBase& b, llvm::Value* scalar, DataType dtype);

// True for the floats that are held as bit patterns.
inline bool IsSmallFloat(DataType dtype) { return dtype.is_float() && dtype.bits() < 32; }
inline DataType Float32Like(DataType dtype) {
  return DataType(DLDataType{kDLFloat, 32, dtype.dl().lanes});
}
inline bool SameLanes(DataType a, DataType b) { return a.dl().lanes == b.dl().lanes; }

}  // namespace lathe::llvm_backend
