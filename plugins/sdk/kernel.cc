#include "plugins/sdk/kernel.h"

#include <cstring>

#include "base/dtype.h"
#include "base/float_formats.h"
#include "base/message.h"

namespace lathe::sdk {
namespace {

[[noreturn]] void Wrong(const char* name, const Kernel& kernel, const std::string& what) {
  throw Error(LATHE_INVALID_ARGUMENT, name, "kernel `" + kernel.name + "`: " + what);
}

const DLTensor* TensorIn(const lathe_value& value) {
  if (value.kind == LATHE_VALUE_DLTENSOR) return value.v_dltensor;
  if (value.kind != LATHE_VALUE_OBJECT || value.v_object == nullptr ||
      value.v_object->kind != LATHE_OBJECT_TENSOR)
    return nullptr;
  return &reinterpret_cast<const lathe_tensor*>(value.v_object)->dl;
}

uint64_t ReadPointer(const Kernel& kernel, const KernelParam& param, const lathe_value& value,
                     int32_t device_type, int32_t* device_id) {
  if (value.kind == LATHE_VALUE_POINTER) return reinterpret_cast<uintptr_t>(value.v_pointer);
  if (value.kind == LATHE_VALUE_NONE) return 0;
  const DLTensor* tensor = TensorIn(value);
  if (tensor == nullptr) {
    Wrong("kernel-wrong-argument", kernel,
          "`" + param.name + "` is a pointer; " + ValueKindText(value.kind) + " was passed");
  }
  if (static_cast<int32_t>(tensor->device.device_type) != device_type) {
    Wrong("kernel-host-pointer", kernel,
          "the tensor for `" + param.name + "` is " +
              (OnHost(*tensor) ? "in the host's memory"
                               : "on a device of kind " +
                                     std::to_string(static_cast<int>(tensor->device.device_type))) +
              "; the kernel only reaches that of its device, kind " + std::to_string(device_type) +
              ": copy it there");
  }
  *device_id = tensor->device.device_id;
  return reinterpret_cast<uintptr_t>(DataOf(*tensor));
}

uint64_t ReadScalar(const Kernel& kernel, const KernelParam& param, const lathe_value& value) {
  const DataType dtype(param.dtype);
  const bool number = value.kind == LATHE_VALUE_INT || value.kind == LATHE_VALUE_BOOL;
  if (dtype.is_float() && (number || value.kind == LATHE_VALUE_FLOAT)) {
    return EncodeFloat(number ? static_cast<double>(value.v_int) : value.v_float, dtype);
  }
  if (!number || dtype.is_float()) {
    Wrong("kernel-wrong-argument", kernel,
          "`" + param.name + "` is of type " + dtype.ToString() + "; " + ValueKindText(value.kind) +
              " was passed");
  }
  if (dtype.is_bool()) return value.v_int != 0 ? 1 : 0;
  const int bits = dtype.bits();
  const auto raw = static_cast<uint64_t>(value.v_int);
  if (bits >= 64) return raw;
  const int64_t high = (int64_t{1} << (bits - (dtype.is_int() ? 1 : 0))) - 1;
  if (value.v_int > high || value.v_int < (dtype.is_int() ? -high - 1 : 0)) {
    Wrong(
        "kernel-wrong-argument", kernel,
        std::to_string(value.v_int) + " for `" + param.name + "` does not fit " + dtype.ToString());
  }
  return raw & ((uint64_t{1} << bits) - 1);
}

// The place for the extent of blockIdx.x ... threadIdx.z; NULL for other axes.
int64_t* Extent(const std::string& tag, Launch* launch) {
  const bool block = tag.starts_with("blockIdx."), thread = tag.starts_with("threadIdx.");
  if ((!block && !thread) || tag.size() != (block ? 10u : 11u)) return nullptr;
  const int dimension = tag.back() - 'x';
  if (dimension < 0 || dimension > 2) return nullptr;
  return &(block ? launch->blocks : launch->threads)[static_cast<size_t>(dimension)];
}

}  // namespace

void WriteKernel(const Kernel& kernel, Writer* out) {
  out->Text(kernel.name);
  out->Int(static_cast<int64_t>(kernel.params.size()));
  for (const KernelParam& param : kernel.params) {
    out->Text(param.name);
    out->Int(param.dtype.code);
    out->Int(param.dtype.bits);
    out->Int(param.dtype.lanes);
  }
  out->Int(static_cast<int64_t>(kernel.launch.size()));
  for (const std::string& tag : kernel.launch) out->Text(tag);
  out->Int(kernel.dynamic_shared ? 1 : 0);
}

Kernel ReadKernel(Reader* in) {
  Kernel kernel;
  kernel.name = in->Text();
  // A count that is too large ends at the end of the bytes.
  for (int64_t i = in->Int(); i > 0; --i) {
    KernelParam& param = kernel.params.emplace_back();
    param.name = in->Text();
    param.dtype.code = static_cast<uint8_t>(in->Int());
    param.dtype.bits = static_cast<uint8_t>(in->Int());
    param.dtype.lanes = static_cast<uint16_t>(in->Int());
  }
  for (int64_t i = in->Int(); i > 0; --i) kernel.launch.push_back(in->Text());
  kernel.dynamic_shared = in->Int() != 0;
  return kernel;
}

void ReadLaunch(const Kernel& kernel, const Args& args, int32_t device_type, Launch* launch) {
  const size_t wanted = kernel.params.size() + kernel.launch.size() + 1;
  if (static_cast<size_t>(args.size()) != wanted) {
    Wrong("kernel-wrong-count", kernel,
          "a launch passes " + std::to_string(kernel.params.size()) + " arguments, " +
              std::to_string(kernel.launch.size()) +
              " extents and the bytes of dynamic shared memory, " + std::to_string(wanted) +
              " values in all; " + std::to_string(args.size()) + " were passed");
  }
  launch->values.clear();
  launch->extents.clear();
  launch->blocks = launch->threads = {1, 1, 1};
  launch->device_id = -1;
  launch->stream = args.stream();
  int32_t at = 0;
  for (const KernelParam& param : kernel.params) {
    const lathe_value& value = args[at++];
    launch->values.push_back(
        param.is_pointer() ? ReadPointer(kernel, param, value, device_type, &launch->device_id)
                           : ReadScalar(kernel, param, value));
  }
  for (const std::string& tag : kernel.launch) {
    const int64_t extent = args.Int(at++);
    if (extent < 1)
      Wrong("kernel-launch", kernel,
            "the extent of `" + tag + "` is " + std::to_string(extent) + "; it must be 1 or more");
    launch->extents.push_back(extent);
    if (int64_t* place = Extent(tag, launch)) *place = extent;
  }
  launch->dynamic_shared_bytes = args.Int(at);
  if (launch->dynamic_shared_bytes < 0)
    Wrong("kernel-launch", kernel, "a negative number of bytes of dynamic shared memory");
}

}  // namespace lathe::sdk
