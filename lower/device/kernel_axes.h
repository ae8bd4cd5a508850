// What several passes over kernels ask: their thread axes, and whether threads meet in a statement.
// Internal to lower/.
#pragma once

#include <string>
#include <vector>

#include "arith/analyzer.h"
#include "ir/stmt.h"

namespace lathe::lower {

struct KernelAxis {
  std::string tag;
  ir::Expr extent;  // of the widest loop, in terms of what is known before the kernel starts
  DataType dtype;   // of an index
};

// All hardware axes (not vthread) of the loops in and including `kernel`: blocks first, threadIdx
// last, each kind by name; other tags between them by first appearance. Throws
// "thread-axis-extent".
std::vector<KernelAxis> AxesOfKernel(const ir::For& kernel, arith::Analyzer* analyzer);

// Is the loop bound to hardware, that is a thread loop other than a virtual one?
bool IsHardwareLoop(const ir::For& loop);

// Could a barrier be needed within `stmt`? Only where memory that threads share is both written and
// read, or is allocated, or something unknown happens.
bool MayNeedBarrier(const ir::Stmt& stmt);

// The buffer whose address an expression is: address_of(B[i]), access_ptr(B, ...). Null for others.
const ir::BufferNode* AddressedBuffer(const ir::Expr& address);

}  // namespace lathe::lower
