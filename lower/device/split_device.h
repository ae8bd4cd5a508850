// Kernels become functions of their own, which the host launches.
//
//   func f(A: float32[n], B: float32[n]) {           func f(A: float32[n], B: float32[n]) {
//     for bx on blockIdx.x in range(n // 32):          if n // 32 > 0:
//       for tx on threadIdx.x in range(32):              call_packed("f_kernel0", A.data, B.data,
//         B[bx * 32 + tx] = A[bx * 32 + tx]   -->                    n, n // 32, 32, 0)
//   }                                                }
//                                                    func f_kernel0(A: handle, B: handle, n: int32)
//                                                        {calling_convention: "kernel",
//                                                         launch: "blockIdx.x threadIdx.x"} {
//                                                      decl_buffer A: float32[n] = A ...
//                                                      for bx ...
//                                                    }
//
// A kernel's parameters are the buffers it uses, as pointers, then the scalars (S40). The launch
// passes, after these, one extent for each tag that "launch" names, in that order, and last the
// bytes of dynamic shared memory. What lies around kernels stays on the host: loops launch them
// repeatedly, and so does work between them. Constants (AllocConst) go into the kernels that use
// them. A launch without threads is left out. Functions
// without thread loops stay as they are.
#pragma once

#include <string>
#include <vector>

#include "lower/pass.h"

namespace lathe::lower {

ir::Module SplitDevice(const ir::Module& module, const PassContext& context);

// Is it a kernel, made by SplitDevice?
bool IsKernel(const ir::Func& func);
// The tags of the kernel's thread axes, in the order in which a launch passes extents.
std::vector<std::string> LaunchTags(const ir::Func& kernel);
// The functions of a split module for the host, and those for the device; attributes are both's.
struct SplitModules {
  ir::Module host, device;
};
SplitModules Separate(const ir::Module& module);

}  // namespace lathe::lower
