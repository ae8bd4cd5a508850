// Tensors from and to DLPack, in both managed forms.

#include <memory>

#include "runtime/status.h"
#include "runtime/tensor.h"
#include "runtime/tensor_object.h"

namespace lathe::runtime {
namespace {

using internal::NewTensorObject;
using internal::TensorObject;
using internal::ValidateTensor;

// Elements that do not fill whole bytes; for these, DLPack must state whether they are packed.
bool IsSubByte(DataType dtype) { return (dtype.bits() * dtype.lanes()) % 8 != 0; }

// True if pointers are addresses, so that byte_offset can be added to them: some consumers ignore
// byte_offset.
bool PointersAreAddresses(int32_t kind) {
  switch (kind) {
    case kDLCPU:
    case kDLCUDA:
    case kDLCUDAHost:
    case kDLCUDAManaged:
    case kDLROCM:
    case kDLROCMHost:
      return true;
    default:
      return false;
  }
}

absl::Status CheckIncoming(const DLTensor& tensor, bool padded) {
  LATHE_RETURN_IF_ERROR(ValidateTensor(tensor, "dlpack-invalid"));
  // Such a device code would be a session here, but no producer in this process has memory of a
  // session.
  if (Device::FromPacked(tensor.device).is_remote())
    return MakeStatus(absl::StatusCode::kInvalidArgument, "dlpack-invalid",
                      {"a device type of ", std::to_string(tensor.device.device_type),
                       " is not from 0 to 65535"});
  if (!padded && IsSubByte(DataType(tensor.dtype)))
    return MakeStatus(
        absl::StatusCode::kUnimplemented, "dlpack-packed-sub-byte",
        {"the tensor packs elements of type ", DataType(tensor.dtype).ToString(),
         " without padding\nexpected: one element to a byte (stated by the padded flag), or a type "
         "with "
         "lanes that fills whole bytes\nhelp: pass int4 as int4x2, uint1 as uint1x8"});
  return absl::OkStatus();
}

Tensor Take(const DLTensor& from, void (*release)(void*), void* context, bool read_only) {
  const size_t rank = static_cast<size_t>(from.ndim);
  std::span<const int64_t> strides;
  if (from.strides != nullptr) strides = {from.strides, rank};
  TensorObject* object = NewTensorObject(from.data, from.byte_offset, {from.shape, rank}, strides,
                                         DataType(from.dtype), Device::FromPacked(from.device));
  object->release = release;
  object->context = context;
  if (read_only) object->flags |= LATHE_TENSOR_READ_ONLY;
  return Tensor(ObjectRef<lathe_tensor>(object->c()));
}

// Makes a managed tensor for a consumer; manager_ctx has its reference.
template <class M>
M* Give(const Tensor& tensor) {
  auto* managed = new M{};
  managed->dl_tensor = tensor.dl();
  if (PointersAreAddresses(tensor.device().kind) && tensor.dl().data != nullptr) {
    managed->dl_tensor.data = static_cast<char*>(tensor.dl().data) + tensor.dl().byte_offset;
    managed->dl_tensor.byte_offset = 0;
  }
  managed->manager_ctx = Tensor(tensor).release();
  managed->deleter = [](M* self) {
    if (self == nullptr) return;
    ReleaseObject(static_cast<lathe_object*>(self->manager_ctx));
    delete self;
  };
  return managed;
}

absl::Status CheckOutgoing(const Tensor& tensor) {
  if (tensor.get() == nullptr)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "dlpack-invalid", "the tensor is null");
  if (tensor.device().is_remote())
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "dlpack-remote",
        {tensor.ToString(),
         ": memory of a remote session cannot be shared\nhelp: copy it to this process"});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Tensor> Tensor::FromDLPack(DLManagedTensor* managed) {
  if (managed == nullptr)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "dlpack-invalid", "a null pointer");
  LATHE_RETURN_IF_ERROR(CheckIncoming(managed->dl_tensor, /*padded=*/false));
  return Take(
      managed->dl_tensor,
      [](void* context) {
        auto* self = static_cast<DLManagedTensor*>(context);
        if (self->deleter != nullptr) self->deleter(self);
      },
      managed, /*read_only=*/false);
}

absl::StatusOr<Tensor> Tensor::FromDLPackVersioned(DLManagedTensorVersioned* managed) {
  if (managed == nullptr)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "dlpack-invalid", "a null pointer");
  if (managed->version.major != DLPACK_MAJOR_VERSION)
    return MakeStatus(
        absl::StatusCode::kUnimplemented, "dlpack-version",
        {"the tensor follows another major version of DLPack\nexpected: ",
         std::to_string(DLPACK_MAJOR_VERSION), "\nfound: ", std::to_string(managed->version.major),
         ".", std::to_string(managed->version.minor)});
  const bool padded = (managed->flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
  LATHE_RETURN_IF_ERROR(CheckIncoming(managed->dl_tensor, padded));
  return Take(
      managed->dl_tensor,
      [](void* context) {
        auto* self = static_cast<DLManagedTensorVersioned*>(context);
        if (self->deleter != nullptr) self->deleter(self);
      },
      managed, (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
}

absl::StatusOr<DLManagedTensor*> Tensor::ToDLPack() const {
  LATHE_RETURN_IF_ERROR(CheckOutgoing(*this));
  if (read_only())
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "dlpack-read-only",
        {ToString(),
         " may only be read, which the unversioned form of DLPack cannot say\nhelp: ask for "
         "the versioned form, or share a copy"});
  if (IsSubByte(dtype()))
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "dlpack-sub-byte",
        {ToString(),
         " has one element to a byte, which the unversioned form of DLPack cannot say\nhelp: "
         "ask for the versioned form"});
  return Give<DLManagedTensor>(*this);
}

absl::StatusOr<DLManagedTensorVersioned*> Tensor::ToDLPackVersioned() const {
  LATHE_RETURN_IF_ERROR(CheckOutgoing(*this));
  auto* managed = Give<DLManagedTensorVersioned>(*this);
  managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  if (read_only()) managed->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  if (IsSubByte(dtype())) managed->flags |= DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  return managed;
}

}  // namespace lathe::runtime
