// Arithmetic and comparisons of the IR, lane by lane, with the meaning that ir/expr.h states.
#pragma once

#include "backends/llvm/convert.h"
#include "ir/node.h"

namespace lathe::llvm_backend {

// Facts about the place where an operation stands.
struct ArithContext {
  NativeConversions native;
  bool hardware_minmax = true;  // minnum and maxnum are instructions, not library calls
  bool index = false;           // index arithmetic: never overflows (S28, S29)
  bool divisor_positive = false;
  bool operands_nonnegative = false;
};

// Emits a binary node of `kind` over operands of type `dtype`. Integer division never traps:
// division by zero gives an unspecified value.
llvm::Value* EmitBinary(llvm::IRBuilderBase& b, ir::NodeKind kind, DataType dtype, llvm::Value* x,
                        llvm::Value* y, const ArithContext& context);

}  // namespace lathe::llvm_backend
