// Kernels become separate functions, which the host launches.
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
// A kernel's parameters are the buffers it uses, as pointers, then the scalars (S40). After these
// the launch passes one extent for each tag in "launch", in that order, and last the bytes of
// dynamic shared memory. Code around kernels stays on the host, such as loops that launch them
// repeatedly and work between them. A launch without threads is skipped. Functions without thread
// loops are unchanged.
//
// Small constants (AllocConst) become part of the kernels that use them. A constant of more than
// kMaxConstantInCode bytes stays on the host, and a kernel gets the address of its copy on the
// device (LATHE_DEVICE_CONSTANT in abi/kernel.h):
//
//   let W.device = call_packed<handle>("lathe.device_constant", W.data, 16384i64)
//   call_packed("f_kernel0", A.data, W.device, ...)
#pragma once

#include <string>
#include <vector>

#include "lower/pass.h"

namespace lathe::lower {

ir::Module SplitDevice(const ir::Module& module, const PassContext& context);

// True if SplitDevice made the function as a kernel.
bool IsKernel(const ir::Func& func);
// The tags of the kernel's thread axes, in the order in which a launch passes extents.
std::vector<std::string> LaunchTags(const ir::Func& kernel);
// The functions of a split module for the host, and those for the device; both keep the attributes.
struct SplitModules {
  ir::Module host, device;
};
SplitModules Separate(const ir::Module& module);

}  // namespace lathe::lower
