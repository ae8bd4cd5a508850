// Copies between tensors of any device and layout.

#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "runtime/session_table.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/strided_copy.h"
#include "runtime/tensor.h"
#include "runtime/tensor_object.h"

namespace lathe::runtime {
namespace {

using internal::ValidateTensor;

bool OnHost(const DLTensor& tensor) { return Device::FromPacked(tensor.device).is_host(); }

// The range of bytes of a view, relative to its first element.
struct Span {
  int64_t low = 0;   // <= 0
  int64_t high = 0;  // one past the last
};
Span SpanOf(const DLTensor& tensor) {
  const int64_t bytes = DataType(tensor.dtype).bytes();
  if (tensor.strides == nullptr) return {0, NumElements(tensor) * bytes};
  Span span{0, bytes};
  for (int i = 0; i < tensor.ndim; ++i) {
    const int64_t reach = (tensor.shape[i] - 1) * tensor.strides[i] * bytes;
    (reach < 0 ? span.low : span.high) += reach;
  }
  return span;
}

// The bytes of a range as a rank 1 tensor of uint8.
struct Flat {
  Flat(const DLTensor& of, const Span& span) : extent(span.high - span.low) {
    view = of;
    view.ndim = 1;
    view.dtype = {kDLUInt, 8, 1};
    view.shape = &extent;
    view.strides = nullptr;
    view.byte_offset = of.byte_offset + static_cast<uint64_t>(span.low);
  }
  Flat(const Flat&) = delete;
  int64_t extent;
  DLTensor view;
};

DLTensor HostView(const DLTensor& like, char* data, bool compact) {
  DLTensor view = like;
  view.data = data;
  view.byte_offset = 0;
  view.device = Device::Cpu().packed();
  if (compact) view.strides = nullptr;
  return view;
}

absl::Status CopyOnDevice(const DeviceRef& devices, const DLTensor& from, const DLTensor& to) {
  const DLTensor& side = OnHost(to) ? from : to;
  return devices->Copy(from, to, CurrentStreamHandle(Device::FromPacked(side.device)));
}

// Reads the elements of any view into compact host memory. Between device and host only
// compact blocks are copied.
absl::Status ReadToHost(const DLTensor& from, char* compact) {
  const DLTensor packed = HostView(from, compact, /*compact=*/true);
  if (OnHost(from)) {
    CopyStridedHost(from, packed);
    return absl::OkStatus();
  }
  LATHE_ASSIGN_OR_RETURN(const DeviceRef devices, FindDevice(Device::FromPacked(from.device)));
  const Span span = SpanOf(from);
  const Flat flat(from, span);
  const auto whole = std::make_unique<char[]>(static_cast<size_t>(flat.extent));
  LATHE_RETURN_IF_ERROR(CopyOnDevice(devices, flat.view, HostView(flat.view, whole.get(), true)));
  CopyStridedHost(HostView(from, whole.get() - span.low, false), packed);
  return absl::OkStatus();
}

// The reverse of ReadToHost. The bytes between the elements of a strided view are read first and
// written back unchanged.
absl::Status WriteFromHost(char* compact, const DLTensor& to) {
  const DLTensor packed = HostView(to, compact, /*compact=*/true);
  if (OnHost(to)) {
    CopyStridedHost(packed, to);
    return absl::OkStatus();
  }
  LATHE_ASSIGN_OR_RETURN(const DeviceRef devices, FindDevice(Device::FromPacked(to.device)));
  const Span span = SpanOf(to);
  const Flat flat(to, span);
  if (IsCompact(to)) return CopyOnDevice(devices, HostView(flat.view, compact, true), flat.view);
  const auto whole = std::make_unique<char[]>(static_cast<size_t>(flat.extent));
  LATHE_RETURN_IF_ERROR(CopyOnDevice(devices, flat.view, HostView(flat.view, whole.get(), true)));
  CopyStridedHost(packed, HostView(to, whole.get() - span.low, false));
  return CopyOnDevice(devices, HostView(flat.view, whole.get(), true), flat.view);
}

void CheckSame(const DLTensor& from, const DLTensor& to) {
  bool same = from.ndim == to.ndim && DataType(from.dtype) == DataType(to.dtype);
  for (int i = 0; same && i < from.ndim; ++i) same = from.shape[i] == to.shape[i];
  if (same) return;
  throw Error({.name = "tensor-copy-mismatch",
               .message = "a copy needs equal shapes and element types",
               .expected = DescribeTensor(to),
               .found = DescribeTensor(from),
               .help = "",
               .notes = {},
               .where = {}});
}

absl::Status CheckBytes(const Tensor& tensor, uint64_t bytes) {
  if (bytes == tensor.num_bytes()) return absl::OkStatus();
  throw Error({.name = "tensor-wrong-byte-count",
               .message = "the host memory has another size than the tensor",
               .expected = std::to_string(tensor.num_bytes()) + " bytes for " + tensor.ToString(),
               .found = std::to_string(bytes) + " bytes",
               .help = "",
               .notes = {},
               .where = {}});
}

void CheckWritable(const Tensor& tensor) {
  if (!tensor.read_only()) return;
  throw Error({.name = "tensor-read-only",
               .message = "the tensor may only be read",
               .expected = "a tensor that may be written",
               .found = tensor.ToString(),
               .help = "write to a Clone()",
               .notes = {},
               .where = {}});
}

// Also checked for empty tensors: they depend on their session like others.
absl::Status CheckSession(const DLTensor& tensor) {
  const Device device = Device::FromPacked(tensor.device);
  return device.is_remote() ? FindDevice(device).status() : absl::OkStatus();
}

DLTensor CompactHost(const Tensor& like, const void* data) {
  return HostView(like.dl(), static_cast<char*>(const_cast<void*>(data)), /*compact=*/true);
}

}  // namespace

absl::Status CopyTensor(const DLTensor& from, const DLTensor& to) {
  LATHE_RETURN_IF_ERROR(ValidateTensor(from, "tensor-invalid"));
  LATHE_RETURN_IF_ERROR(ValidateTensor(to, "tensor-invalid"));
  CheckSame(from, to);
  LATHE_RETURN_IF_ERROR(CheckSession(from));
  LATHE_RETURN_IF_ERROR(CheckSession(to));
  if (NumElements(from) == 0) return absl::OkStatus();
  if (OnHost(from) && OnHost(to)) {
    CopyStridedHost(from, to);
    return absl::OkStatus();
  }
  const bool direct =
      OnHost(from) || OnHost(to) || from.device.device_type == to.device.device_type;
  if (direct) {
    LATHE_ASSIGN_OR_RETURN(const DeviceRef devices,
                           FindDevice(Device::FromPacked((OnHost(to) ? from : to).device)));
    absl::Status status = CopyOnDevice(devices, from, to);
    if (status.code() != absl::StatusCode::kUnimplemented || (IsCompact(from) && IsCompact(to)))
      return status;
  }
  const size_t bytes =
      static_cast<size_t>(NumElements(from)) * static_cast<size_t>(DataType(from.dtype).bytes());
  const auto staging = std::make_unique<char[]>(bytes);
  LATHE_RETURN_IF_ERROR(ReadToHost(from, staging.get()));
  return WriteFromHost(staging.get(), to);
}

absl::Status Tensor::CopyFrom(const Tensor& from) const {
  CheckWritable(*this);
  return CopyTensor(from.dl(), dl());
}

absl::Status Tensor::CopyFromHost(const void* data, uint64_t bytes) const {
  CheckWritable(*this);
  LATHE_RETURN_IF_ERROR(CheckBytes(*this, bytes));
  return CopyTensor(CompactHost(*this, data), dl());
}

absl::Status Tensor::CopyToHost(void* data, uint64_t bytes) const {
  LATHE_RETURN_IF_ERROR(CheckBytes(*this, bytes));
  return CopyTensor(dl(), CompactHost(*this, data));
}

absl::StatusOr<Tensor> Tensor::To(const Device& device) const {
  if (device == this->device()) return *this;
  LATHE_ASSIGN_OR_RETURN(Tensor copy, Empty(shape(), dtype(), device));
  LATHE_RETURN_IF_ERROR(copy.CopyFrom(*this));
  return copy;
}

absl::StatusOr<Tensor> Tensor::Clone() const {
  LATHE_ASSIGN_OR_RETURN(Tensor copy, Empty(shape(), dtype(), device()));
  LATHE_RETURN_IF_ERROR(copy.CopyFrom(*this));
  return copy;
}

}  // namespace lathe::runtime
