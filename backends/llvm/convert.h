// Conversions between numbers, as ir/expr.h states them, lane by lane.
#pragma once

#include "backends/llvm/types.h"

namespace lathe::llvm_backend {

// What the machine converts by itself; the rest is integer arithmetic here, never a library call.
struct NativeConversions {
  bool float16 = false;
};

// A float16, bfloat16 or float8 value as float32: exact.
llvm::Value* WidenToFloat32(llvm::IRBuilderBase& b, llvm::Value* value, DataType from,
                            NativeConversions native);
// float32 to float16, bfloat16 or float8: nearest, ties to even; beyond the range what
// base/float_formats.h says.
llvm::Value* NarrowFromFloat32(llvm::IRBuilderBase& b, llvm::Value* value, DataType to,
                               NativeConversions native);

// Any number or bool to any other; handles from and to integers. Float to integer out of range
// gives some value.
llvm::Value* EmitCast(llvm::IRBuilderBase& b, llvm::Value* value, DataType from, DataType to,
                      NativeConversions native);

}  // namespace lathe::llvm_backend
