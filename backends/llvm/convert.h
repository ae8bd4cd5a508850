// Conversions between numbers, as ir/expr.h states them, lane by lane.
#pragma once

#include "backends/llvm/types.h"

namespace lathe::llvm_backend {

// Conversions that the machine has instructions for. The others become integer arithmetic here,
// never a library call.
struct NativeConversions {
  bool float16 = false;
};

// A float16, bfloat16 or float8 value as float32; exact.
llvm::Value* WidenToFloat32(llvm::IRBuilderBase& b, llvm::Value* value, DataType from,
                            NativeConversions native);
// float32 to float16, bfloat16 or float8, rounded to nearest, ties to even. For values beyond the
// range see base/float_formats.h.
llvm::Value* NarrowFromFloat32(llvm::IRBuilderBase& b, llvm::Value* value, DataType to,
                               NativeConversions native);

// Converts any number or bool to any other, and handles from and to integers. A float that is out
// of the integer's range gives an unspecified value.
llvm::Value* EmitCast(llvm::IRBuilderBase& b, llvm::Value* value, DataType from, DataType to,
                      NativeConversions native);

}  // namespace lathe::llvm_backend
