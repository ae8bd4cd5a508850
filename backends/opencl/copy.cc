#include "backends/opencl/copy.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/opencl/device.h"
#include "backends/opencl/machine.h"
#include "plugins/sdk/value.h"

namespace lathe::opencl_backend {
namespace {

// One side of a copy, in bytes.
struct Side {
  Memory* memory = nullptr;  // null: host memory
  char* host = nullptr;
  int64_t offset = 0;
  std::vector<int64_t> strides;
};

// The dimensions of a copy, the longest strides first. Dimensions that are adjacent on both sides
// are merged.
struct Plan {
  std::vector<int64_t> extents;
  Side from, to;
  int64_t item = 1;  // bytes that are contiguous on both sides
};

std::vector<int64_t> StridesOf(const DLTensor& tensor) {
  std::vector<int64_t> strides(static_cast<size_t>(tensor.ndim));
  int64_t compact = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    strides[static_cast<size_t>(d)] = tensor.strides == nullptr ? compact : tensor.strides[d];
    compact *= tensor.shape[d];
  }
  return strides;
}

Side SideOf(const DLTensor& tensor, int64_t item) {
  Side side;
  side.offset = static_cast<int64_t>(tensor.byte_offset);
  if (sdk::OnHost(tensor)) {
    side.host = static_cast<char*>(tensor.data);
  } else {
    side.memory = &MemoryAt(tensor.data, "what is to be copied");
  }
  side.strides = StridesOf(tensor);
  for (int64_t& stride : side.strides) stride *= item;
  return side;
}

Plan MakePlan(const DLTensor& from, const DLTensor& to, int64_t item) {
  Plan plan{.from = SideOf(from, item), .to = SideOf(to, item), .item = item};
  std::vector<int64_t> a, b;
  for (int32_t d = 0; d < from.ndim; ++d) {
    if (from.shape[d] == 1) continue;
    const auto i = static_cast<size_t>(d);
    const int64_t extent = from.shape[d], x = plan.from.strides[i], y = plan.to.strides[i];
    // The previous dimension continues where this one ends: merge them.
    if (!plan.extents.empty() && a.back() == x * extent && b.back() == y * extent) {
      plan.extents.back() *= extent;
      a.back() = x;
      b.back() = y;
      continue;
    }
    plan.extents.push_back(extent);
    a.push_back(x);
    b.push_back(y);
  }
  if (!plan.extents.empty() && a.back() == item && b.back() == item) {
    plan.item *= plan.extents.back();
    plan.extents.pop_back();
    a.pop_back();
    b.pop_back();
  }
  plan.from.strides = std::move(a);
  plan.to.strides = std::move(b);
  return plan;
}

// Rows and slices in the form of the rectangular copies.
struct Pitches {
  size_t row, slice;
};
bool FitsRectangle(const Plan& plan, const Side& side, Pitches* pitches) {
  const size_t n = plan.extents.size();
  if (n == 0 || n > 2) return false;
  const int64_t row = side.strides[n - 1];
  const int64_t slice = n == 2 ? side.strides[0] : row * plan.extents[n - 1];
  if (row < plan.item || slice < row * plan.extents[n - 1] || slice % row != 0) return false;
  *pitches = {static_cast<size_t>(row), static_cast<size_t>(slice)};
  return true;
}

void CopyHost(const Plan& plan, const char* from, char* to) {
  std::vector<int64_t> at(plan.extents.size(), 0);
  for (;;) {
    std::memcpy(to, from, static_cast<size_t>(plan.item));
    size_t d = at.size();
    for (;;) {
      if (d == 0) return;
      --d;
      from += plan.from.strides[d];
      to += plan.to.strides[d];
      if (++at[d] < plan.extents[d]) break;
      from -= plan.from.strides[d] * plan.extents[d];
      to -= plan.to.strides[d] * plan.extents[d];
      at[d] = 0;
    }
  }
}

// The bytes [low, high) of a side, relative to its first element.
void SpanOf(const Plan& plan, const Side& side, int64_t* low, int64_t* high) {
  *low = 0;
  *high = plan.item;
  for (size_t d = 0; d < plan.extents.size(); ++d) {
    const int64_t reach = side.strides[d] * (plan.extents[d] - 1);
    (reach < 0 ? *low : *high) += reach;
  }
}

void Read(ClDevice& device, Queue& queue, const Memory& memory, int64_t offset, int64_t bytes,
          void* to) {
  device.Check(
      Cl().clEnqueueReadBuffer(queue.queue, memory.mem, CL_TRUE, static_cast<size_t>(offset),
                               static_cast<size_t>(bytes), to, 0, nullptr, nullptr),
      "reading memory");
}

void Write(ClDevice& device, Queue& queue, const Memory& memory, int64_t offset, int64_t bytes,
           const void* from) {
  device.Check(
      Cl().clEnqueueWriteBuffer(queue.queue, memory.mem, CL_TRUE, static_cast<size_t>(offset),
                                static_cast<size_t>(bytes), from, 0, nullptr, nullptr),
      "writing memory");
}

void CopyCompact(ClDevice& device, Queue& queue, const Plan& plan) {
  const Side &from = plan.from, &to = plan.to;
  if (from.memory == nullptr) {
    Write(device, queue, *to.memory, to.offset, plan.item, from.host + from.offset);
  } else if (to.memory == nullptr) {
    Read(device, queue, *from.memory, from.offset, plan.item, to.host + to.offset);
  } else {
    device.Check(
        Cl().clEnqueueCopyBuffer(queue.queue, from.memory->mem, to.memory->mem,
                                 static_cast<size_t>(from.offset), static_cast<size_t>(to.offset),
                                 static_cast<size_t>(plan.item), 0, nullptr, nullptr),
        "copying memory");
  }
}

void CopyRectangle(ClDevice& device, Queue& queue, const Plan& plan, Pitches a, Pitches b) {
  const size_t n = plan.extents.size();
  const size_t region[3] = {static_cast<size_t>(plan.item),
                            static_cast<size_t>(plan.extents[n - 1]),
                            n == 2 ? static_cast<size_t>(plan.extents[0]) : 1};
  const Side &from = plan.from, &to = plan.to;
  const size_t zero[3] = {0, 0, 0};
  const size_t from_at[3] = {static_cast<size_t>(from.offset), 0, 0};
  const size_t to_at[3] = {static_cast<size_t>(to.offset), 0, 0};
  cl_int code = CL_SUCCESS;
  if (from.memory == nullptr) {
    code = Cl().clEnqueueWriteBufferRect(queue.queue, to.memory->mem, CL_TRUE, to_at, zero, region,
                                         b.row, b.slice, a.row, a.slice, from.host + from.offset, 0,
                                         nullptr, nullptr);
  } else if (to.memory == nullptr) {
    code = Cl().clEnqueueReadBufferRect(queue.queue, from.memory->mem, CL_TRUE, from_at, zero,
                                        region, a.row, a.slice, b.row, b.slice, to.host + to.offset,
                                        0, nullptr, nullptr);
  } else {
    code =
        Cl().clEnqueueCopyBufferRect(queue.queue, from.memory->mem, to.memory->mem, from_at, to_at,
                                     region, a.row, a.slice, b.row, b.slice, 0, nullptr, nullptr);
  }
  device.Check(code, "copying memory");
}

// All other layouts: copies through the host, including the bytes between the elements.
void CopyStaged(ClDevice& device, Queue& queue, const Plan& plan) {
  std::vector<char> source, target;
  int64_t from_low = 0, from_high = 0, to_low = 0, to_high = 0;
  SpanOf(plan, plan.from, &from_low, &from_high);
  SpanOf(plan, plan.to, &to_low, &to_high);
  // Null if the side is on the device; replaced below.
  const char* from = plan.from.host == nullptr ? nullptr : plan.from.host + plan.from.offset;
  char* to = plan.to.host == nullptr ? nullptr : plan.to.host + plan.to.offset;
  if (plan.from.memory != nullptr) {
    source.resize(static_cast<size_t>(from_high - from_low));
    Read(device, queue, *plan.from.memory, plan.from.offset + from_low, from_high - from_low,
         source.data());
    from = source.data() - from_low;
  }
  if (plan.to.memory != nullptr) {
    target.resize(static_cast<size_t>(to_high - to_low));
    Read(device, queue, *plan.to.memory, plan.to.offset + to_low, to_high - to_low, target.data());
    to = target.data() - to_low;
  }
  CopyHost(plan, from, to);
  if (plan.to.memory != nullptr)
    Write(device, queue, *plan.to.memory, plan.to.offset + to_low, to_high - to_low, target.data());
}

// Copies between images and compact host memory.
void CopyImage(ClDevice& device, Queue& queue, const DLTensor& from, const DLTensor& to) {
  const auto refuse = [](const std::string& what) {
    throw sdk::Error(LATHE_UNIMPLEMENTED, "opencl-copy-unsupported", what);
  };
  if (!sdk::IsCompact(from) || !sdk::IsCompact(to)) refuse("copies of strided images");
  const bool reads = sdk::OnHost(to);
  if (!reads && !sdk::OnHost(from)) {
    std::vector<char> between(sdk::NumBytes(from));
    DLTensor host = from;
    host.data = between.data();
    host.byte_offset = 0;
    host.device = {kDLCPU, 0};
    CopyTensor(from, host, &queue);
    CopyTensor(host, to, &queue);
    return;
  }
  const DLTensor& on_device = reads ? from : to;
  Memory& memory = MemoryAt(on_device.data, "an image");
  int64_t rows = 1;
  for (int32_t d = 0; d + 1 < on_device.ndim; ++d) rows *= on_device.shape[d];
  const int64_t columns =
      on_device.ndim == 0 ? 1 : on_device.shape[on_device.ndim - 1] * on_device.dtype.lanes;
  EnsureImage(device, memory, rows, columns, on_device.dtype);
  const size_t origin[3] = {0, 0, 0};
  const size_t region[3] = {static_cast<size_t>(columns / 4), static_cast<size_t>(rows), 1};
  const std::lock_guard lock(queue.mutex);
  const cl_int code =
      reads ? Cl().clEnqueueReadImage(queue.queue, memory.mem, CL_TRUE, origin, region, 0, 0,
                                      sdk::DataOf(to), 0, nullptr, nullptr)
            : Cl().clEnqueueWriteImage(queue.queue, memory.mem, CL_TRUE, origin, region, 0, 0,
                                       sdk::DataOf(from), 0, nullptr, nullptr);
  device.Check(code, "copying an image");
}

}  // namespace

void CopyTensor(const DLTensor& from, const DLTensor& to, void* stream) {
  if (sdk::NumElements(from) == 0) return;
  const DLTensor& on_device = sdk::OnHost(from) ? to : from;
  ClDevice& device = DeviceOf(on_device.device.device_id);
  device.CheckAlive();
  Queue& queue = *device.Or(stream);
  const auto is_image = [](const DLTensor& tensor) {
    return !sdk::OnHost(tensor) && MemoryAt(tensor.data, "what is to be copied").is_image;
  };
  if (is_image(from) || is_image(to)) return CopyImage(device, queue, from, to);
  const int64_t bits = int64_t{from.dtype.bits} * from.dtype.lanes;
  const bool compact = sdk::IsCompact(from) && sdk::IsCompact(to);
  if (bits % 8 != 0 && !compact)
    throw sdk::Error(LATHE_UNIMPLEMENTED, "opencl-copy-unsupported",
                     "copies of strided tensors whose elements are no whole bytes");
  Plan plan;
  if (compact) {
    plan = {.from = SideOf(from, 1),
            .to = SideOf(to, 1),
            .item = static_cast<int64_t>(sdk::NumBytes(from))};
  } else {
    plan = MakePlan(from, to, bits / 8);
  }
  // Two devices have two contexts, so the copy goes through the host.
  if (!sdk::OnHost(from) && !sdk::OnHost(to) && from.device.device_id != to.device.device_id) {
    ClDevice& other = DeviceOf(to.device.device_id);
    std::vector<char> between(sdk::NumBytes(from));
    DLTensor host = from;
    host.data = between.data();
    host.byte_offset = 0;
    host.strides = nullptr;
    host.device = {kDLCPU, 0};
    CopyTensor(from, host, stream);
    return CopyTensor(host, to, other.default_queue());
  }
  const std::lock_guard lock(queue.mutex);
  Pitches a{}, b{};
  if (plan.extents.empty()) {
    CopyCompact(device, queue, plan);
  } else if (FitsRectangle(plan, plan.from, &a) && FitsRectangle(plan, plan.to, &b)) {
    CopyRectangle(device, queue, plan, a, b);
  } else {
    CopyStaged(device, queue, plan);
  }
}

}  // namespace lathe::opencl_backend
