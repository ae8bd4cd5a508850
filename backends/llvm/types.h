// How element types of the IR look in LLVM.
//
// In registers: bool is i1; integers are iN; float32 and float64 are themselves; float16, bfloat16
// and float8 are their bit pattern (i16, i8), because every operation on them is computed in
// float32 (ir/expr.h) and conversions without hardware are ours (convert.h); a handle is a pointer.
// Lanes make vectors, scalable ones included. In memory: elements of less than a byte stand one to
// a byte, in its low bits, the others 0; a vector element (int4x2, float32x3) takes
// DataType::bytes() bytes, without padding.
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
// Of one scalar element.
llvm::Type* MemoryType(llvm::LLVMContext& context, DataType dtype);
// `scalar` repeated for the lanes of dtype; itself for one lane.
llvm::Type* WithLanes(llvm::Type* scalar, DataType dtype);

// Constants of any lanes.
llvm::Constant* IntConstant(llvm::LLVMContext& context, DataType dtype, int64_t value);
llvm::Constant* FloatConstant(llvm::LLVMContext& context, DataType dtype, double value);
llvm::Constant* ZeroConstant(llvm::LLVMContext& context, DataType dtype);

// `scalar` in every lane of dtype; itself for one lane.
llvm::Value* Splat(llvm::IRBuilderBase& b, llvm::Value* scalar, DataType dtype);

// Floats held as bit patterns.
inline bool IsSmallFloat(DataType dtype) { return dtype.is_float() && dtype.bits() < 32; }
inline DataType Float32Like(DataType dtype) {
  return DataType(DLDataType{kDLFloat, 32, dtype.dl().lanes});
}
inline bool SameLanes(DataType a, DataType b) { return a.dl().lanes == b.dl().lanes; }

}  // namespace lathe::llvm_backend
