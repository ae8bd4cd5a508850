// Kernels for vendors: the description of a kernel, and the arguments of a launch.
//
// A kernel is a function of calling convention "kernel". Its parameters are pointers, then scalars;
// a launch passes these, one extent for each thread axis, and the bytes of dynamic shared memory
// (S40; docs/design/device.md). `//plugins/sdk:ir` reads a Kernel from the IR (KernelOf).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plugins/sdk/bytes.h"
#include "plugins/sdk/value.h"

namespace lathe::sdk {

struct KernelParam {
  std::string name;
  DLDataType dtype = {kDLOpaqueHandle, 64, 1};  // of a scalar; a pointer is an opaque handle
  bool is_pointer() const { return dtype.code == kDLOpaqueHandle; }
};

struct Kernel {
  std::string name;
  std::vector<KernelParam> params;  // pointers, then scalars
  std::vector<std::string> launch;  // tags of its thread axes, in the order of a launch
  bool dynamic_shared = false;      // does it use dynamic shared memory?
};

// Writes a kernel's description in a plugin's own module format.
void WriteKernel(const Kernel& kernel, Writer* out);
// Throws `module-damaged`.
Kernel ReadKernel(Reader* in);

// The arguments of one launch. The object may be reused: then reading allocates nothing.
struct Launch {
  // By parameter: the pointer, or the scalar in its own type, in the low bytes. &values[i] is the
  // pointer that cuLaunchKernel and clSetKernelArg take for parameter i.
  std::vector<uint64_t> values;
  std::vector<int64_t> extents;  // by Kernel::launch
  // The extents of blockIdx and threadIdx, x, y, z; 1 if the kernel has no such axis.
  std::array<int64_t, 3> blocks = {1, 1, 1}, threads = {1, 1, 1};
  int64_t dynamic_shared_bytes = 0;
  // The device of the tensors among the arguments; -1 if there are only pointers, which are on the
  // device that the thread made current.
  int32_t device_id = -1;
  void* stream = nullptr;  // NULL: the default stream
};

// Reads the arguments of a call as a launch of `kernel`. A pointer parameter takes a pointer from
// the host's code, or a tensor (DLTENSOR, tensor object) on a device of kind `device_type`: its
// data pointer plus its byte offset. Throws, with the names of kernel and parameter:
// `kernel-wrong-count`, `kernel-wrong-argument` (a wrong kind, or a scalar that does not fit its
// type), `kernel-host-pointer` (a tensor on another device), `kernel-launch` (an extent below 1).
void ReadLaunch(const Kernel& kernel, const Args& args, int32_t device_type, Launch* launch);

}  // namespace lathe::sdk
