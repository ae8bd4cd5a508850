#include "backends/cuda/copy.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "backends/cuda/context.h"
#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

// A caller may use another code than kDLCUDA for these devices, so every code but those of host
// memory counts.
bool OnDevice(const DLTensor& tensor) {
  return tensor.device.device_type != kDLCPU && tensor.device.device_type != kDLCUDAHost;
}

// One dimension of both tensors; strides in bytes.
struct Dimension {
  int64_t extent, from, to;
};

// The shape of a copy: runs of `bytes` bytes, repeated over the dimensions, innermost last.
struct Shape {
  uint64_t bytes = 0;
  std::vector<Dimension> dimensions;
};

// Joins dimensions that are contiguous in both tensors.
Shape ShapeOf(const DLTensor& from, const DLTensor& to) {
  Shape shape;
  shape.bytes = (static_cast<uint64_t>(from.dtype.bits) * from.dtype.lanes + 7) / 8;
  const auto item = static_cast<int64_t>(shape.bytes);
  std::vector<Dimension> inner_first;
  int64_t compact = item;
  for (int d = from.ndim - 1; d >= 0; --d) {
    const int64_t extent = from.shape[d];
    const Dimension next = {extent, from.strides == nullptr ? compact : from.strides[d] * item,
                            to.strides == nullptr ? compact : to.strides[d] * item};
    compact *= extent;
    if (extent == 1) continue;
    if (inner_first.empty() && next.from == static_cast<int64_t>(shape.bytes) &&
        next.to == next.from) {
      shape.bytes *= static_cast<uint64_t>(extent);
    } else if (!inner_first.empty() &&
               next.from == inner_first.back().from * inner_first.back().extent &&
               next.to == inner_first.back().to * inner_first.back().extent) {
      inner_first.back().extent *= extent;
    } else {
      inner_first.push_back(next);
    }
  }
  shape.dimensions.assign(inner_first.rbegin(), inner_first.rend());
  return shape;
}

class Copier {
 public:
  Copier(Context& context, const DLTensor& from, const DLTensor& to, CUstream stream)
      : context_(context), driver_(context.driver()), from_(from), to_(to), stream_(stream) {}

  void Run() {
    const Shape shape = ShapeOf(from_, to_);
    Walk(shape, 0, reinterpret_cast<CUdeviceptr>(sdk::DataOf(from_)),
         reinterpret_cast<CUdeviceptr>(sdk::DataOf(to_)));
  }

 private:
  // True for rows `stride` bytes apart that the driver's two-dimensional copy accepts.
  static bool IsPitch(int64_t stride, uint64_t bytes) {
    return stride >= static_cast<int64_t>(bytes) && stride <= std::numeric_limits<int32_t>::max();
  }

  void Walk(const Shape& shape, size_t d, CUdeviceptr from, CUdeviceptr to) {
    if (d == shape.dimensions.size()) return Row(from, to, shape.bytes);
    const Dimension& dimension = shape.dimensions[d];
    if (d + 1 == shape.dimensions.size() && IsPitch(dimension.from, shape.bytes) &&
        IsPitch(dimension.to, shape.bytes))
      return Rows(from, to, shape.bytes, dimension);
    for (int64_t i = 0; i < dimension.extent; ++i)
      Walk(shape, d + 1, from + static_cast<CUdeviceptr>(i * dimension.from),
           to + static_cast<CUdeviceptr>(i * dimension.to));
  }

  void Row(CUdeviceptr from, CUdeviceptr to, uint64_t bytes) {
    CUresult result;
    if (!OnDevice(from_)) {
      result = driver_.cuMemcpyHtoDAsync(to, reinterpret_cast<const void*>(from), bytes, stream_);
    } else if (!OnDevice(to_)) {
      result = driver_.cuMemcpyDtoHAsync(reinterpret_cast<void*>(to), from, bytes, stream_);
    } else {
      result = driver_.cuMemcpyDtoDAsync(to, from, bytes, stream_);
    }
    context_.Check(result, "copying");
  }

  void Rows(CUdeviceptr from, CUdeviceptr to, uint64_t bytes, const Dimension& rows) {
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = OnDevice(from_) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    copy.srcDevice = OnDevice(from_) ? from : 0;
    copy.srcHost = OnDevice(from_) ? nullptr : reinterpret_cast<const void*>(from);
    copy.srcPitch = static_cast<size_t>(rows.from);
    copy.dstMemoryType = OnDevice(to_) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    copy.dstDevice = OnDevice(to_) ? to : 0;
    copy.dstHost = OnDevice(to_) ? nullptr : reinterpret_cast<void*>(to);
    copy.dstPitch = static_cast<size_t>(rows.to);
    copy.WidthInBytes = bytes;
    copy.Height = static_cast<size_t>(rows.extent);
    context_.Check(driver_.cuMemcpy2DAsync(&copy, stream_), "copying");
  }

  Context& context_;
  const Driver& driver_;
  const DLTensor& from_;
  const DLTensor& to_;
  const CUstream stream_;
};

// `stream` belongs to the other device, so the copy waits for the work queued on the source's
// default stream.
void CopyBetweenDevices(const DLTensor& from, const DLTensor& to, CUstream stream) {
  const Shape shape = ShapeOf(from, to);
  if (!shape.dimensions.empty())
    throw sdk::Error(LATHE_UNIMPLEMENTED, "device-unsupported",
                     "this device does not copy strided tensors to another one");
  Context& source = Context::Of(from.device.device_id);
  Context& target = Context::Of(to.device.device_id);
  const Driver& driver = source.driver();
  source.MakeCurrent();
  CUevent ready = nullptr;
  source.Check(driver.cuEventCreate(&ready, CU_EVENT_DISABLE_TIMING), "making an event");
  CUresult result = driver.cuEventRecord(ready, nullptr);
  target.MakeCurrent();
  if (result == CUDA_SUCCESS) result = driver.cuStreamWaitEvent(stream, ready, 0);
  if (result == CUDA_SUCCESS) {
    result = driver.cuMemcpyPeerAsync(
        reinterpret_cast<CUdeviceptr>(sdk::DataOf(to)), target.handle(),
        reinterpret_cast<CUdeviceptr>(sdk::DataOf(from)), source.handle(), shape.bytes, stream);
  }
  driver.cuEventDestroy(ready);  // the driver keeps it until it is reached
  target.Check(result, "copying from cuda:" + std::to_string(from.device.device_id));
}

}  // namespace

void CopyTensor(const DLTensor& from, const DLTensor& to, CUstream stream) {
  if (sdk::NumElements(from) == 0) return;
  const DLTensor& side = OnDevice(to) ? to : from;
  if (!OnDevice(side))
    throw sdk::Error(LATHE_INVALID_ARGUMENT, "cuda-error", "a copy without a side on cuda");
  if (OnDevice(from) && OnDevice(to) && from.device.device_id != to.device.device_id)
    return CopyBetweenDevices(from, to, stream);
  Context& context = Context::Of(side.device.device_id);
  context.MakeCurrent();
  Copier(context, from, to, stream).Run();
  // Otherwise the device could still read or write page-locked host memory.
  if (!OnDevice(from) || !OnDevice(to))
    context.CheckWaited(context.driver().cuStreamSynchronize(stream), stream, "copying");
}

}  // namespace lathe::cuda
