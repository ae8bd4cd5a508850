// Questions that several passes over kernels ask: the thread axes, and whether a statement may need
// a barrier. Internal to lower/.
#pragma once

#include <string>
#include <vector>

#include "arith/analyzer.h"
#include "ir/stmt.h"

namespace lathe::lower {

struct KernelAxis {
  std::string tag;
  ir::Expr extent;  // of the widest loop, in terms of values known before the launch
  DataType dtype;   // of an index
};

// All hardware axes (not vthread) of the loops in and including `kernel`: blocks first, threadIdx
// last, each kind by name; other tags between them by first appearance. Throws
// "thread-axis-extent".
std::vector<KernelAxis> AxesOfKernel(const ir::For& kernel, arith::Analyzer* analyzer);

// True if the loop is bound to a hardware axis, that is, if it is a thread loop but not a virtual
// one.
bool IsHardwareLoop(const ir::For& loop);

// True if a barrier may be needed within `stmt`: it both writes and reads memory that threads
// share, or allocates such memory, or has a call with unknown effects.
bool MayNeedBarrier(const ir::Stmt& stmt);

// The buffer whose address an expression is: address_of(B[i]), access_ptr(B, ...). Null for others.
const ir::BufferNode* AddressedBuffer(const ir::Expr& address);

}  // namespace lathe::lower
