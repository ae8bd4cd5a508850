#include "runtime/tensor.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/error.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/test_device.h"

namespace lathe::runtime {
namespace {

constexpr DataType kFloat = DataType::Float(32);

template <class F>
std::string Thrown(F body) {
  try {
    body();
  } catch (const Error& error) {
    return error.name();
  }
  return "";
}

// 0, 1, 2, ... in row-major order, on the host.
Tensor Iota(std::vector<int64_t> shape) {
  Tensor tensor = Tensor::Empty(shape, kFloat).value();
  float* data = tensor.HostData<float>();
  std::iota(data, data + tensor.num_elements(), 0.0f);
  return tensor;
}

std::vector<float> Elements(const Tensor& tensor) {
  std::vector<float> out(static_cast<size_t>(tensor.num_elements()));
  EXPECT_TRUE(tensor.CopyToHost(out.data(), out.size() * 4).ok());
  return out;
}

TestDevice* Compact() {
  static auto* device = [] {
    auto* made = new TestDevice(RegisterDeviceKind("tensortest").value(), /*strided=*/false);
    EXPECT_TRUE(RegisterDeviceAPI(made).ok());
    return made;
  }();
  return device;
}
TestDevice* Strided() {
  static auto* device = [] {
    auto* made = new TestDevice(RegisterDeviceKind("tensortest2").value(), /*strided=*/true);
    EXPECT_TRUE(RegisterDeviceAPI(made).ok());
    return made;
  }();
  return device;
}

TEST(Tensor, IsAlignedAndCompact) {
  Tensor tensor = Tensor::Empty({2, 3}, kFloat).value();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.HostData<float>()) % 64, 0u);
  EXPECT_TRUE(tensor.is_compact());
  EXPECT_EQ(tensor.stride(0), 3);
  EXPECT_EQ(tensor.num_bytes(), 24u);
  EXPECT_EQ(tensor.ToString(), "float32[2, 3] on cpu:0");
}

TEST(Tensor, EmptyExtentsAndRank0) {  // S50
  Tensor none = Tensor::Empty({0, 5}, kFloat).value();
  EXPECT_EQ(none.dl().data, nullptr);
  EXPECT_EQ(none.num_elements(), 0);
  EXPECT_TRUE(none.Clone().ok());
  EXPECT_TRUE(none.CopyToHost(nullptr, 0).ok());
  EXPECT_EQ(none.Reshape(std::vector<int64_t>{5, 0, 7}).num_elements(), 0);
  EXPECT_EQ(none.Slice(1, 2, 4).shape(1), 2);
  Tensor scalar = Tensor::Empty(std::span<const int64_t>(), kFloat).value();
  EXPECT_EQ(scalar.num_elements(), 1);
  *scalar.HostData<float>() = 3;
  EXPECT_EQ(Elements(scalar), std::vector<float>{3});
  EXPECT_NE(scalar.dl().shape, nullptr);
  EXPECT_EQ(Elements(Iota({4}).Select(0, 2)), std::vector<float>{2});
  EXPECT_EQ(Elements(scalar.Transpose({})), std::vector<float>{3});
}

TEST(Tensor, BadShapesAreNamed) {
  EXPECT_EQ(Thrown([] { Tensor::Empty({-1}, kFloat).status().IgnoreError(); }),
            "tensor-negative-extent");
  EXPECT_EQ(Thrown([] {
              Tensor::Empty({int64_t{1} << 40, int64_t{1} << 40}, kFloat).status().IgnoreError();
            }),
            "tensor-too-large");
  EXPECT_EQ(
      Thrown([] { Tensor::Empty(std::vector<int64_t>(33, 1), kFloat).status().IgnoreError(); }),
      "tensor-rank-too-large");
  EXPECT_EQ(Thrown([] { Tensor::Empty({1}, DataType::Void()).status().IgnoreError(); }),
            "tensor-bad-dtype");
  EXPECT_EQ(
      Thrown([] { Tensor::Empty({1}, kFloat.with_scalable_lanes(4)).status().IgnoreError(); }),
      "tensor-bad-dtype");
  EXPECT_EQ(StatusName(Tensor::Empty({int64_t{1} << 58}, kFloat).status()), "device-out-of-memory");
  EXPECT_EQ(Thrown([] {
              const int64_t shape[] = {2, 3}, strides[] = {1};
              Tensor::Wrap(nullptr, 0, shape, strides, kFloat, Device::Cpu(), nullptr, nullptr);
            }),
            "tensor-bad-strides");
}

TEST(Tensor, Views) {
  Tensor tensor = Iota({3, 4});
  EXPECT_EQ(Elements(tensor.Slice(0, 1, 3)), (std::vector<float>{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(Elements(tensor.Slice(1, 1, 4, 2)), (std::vector<float>{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(Elements(tensor.Select(1, 2)), (std::vector<float>{2, 6, 10}));
  EXPECT_EQ(Elements(tensor.Transpose(std::vector<int>{1, 0}).Slice(0, 0, 2)),
            (std::vector<float>{0, 4, 8, 1, 5, 9}));
  EXPECT_EQ(Elements(tensor.Reshape(std::vector<int64_t>{2, -1}).Select(0, 1)),
            (std::vector<float>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(tensor.Slice(0, 1, 3).dl().data, tensor.dl().data);
  EXPECT_EQ(tensor.Slice(0, 1, 3).dl().byte_offset, 16u);
  EXPECT_EQ(Thrown([&] { tensor.Slice(0, 1, 4); }), "tensor-slice-out-of-range");
  EXPECT_EQ(Thrown([&] { tensor.Slice(2, 0, 0); }), "tensor-slice-out-of-range");
  EXPECT_EQ(Thrown([&] { tensor.Slice(0, 0, 1, 0); }), "tensor-slice-out-of-range");
  EXPECT_EQ(Thrown([&] { tensor.Select(0, 3); }), "tensor-slice-out-of-range");
  EXPECT_EQ(Thrown([&] { tensor.Reshape(std::vector<int64_t>{5, -1}); }),
            "tensor-reshape-mismatch");
  EXPECT_EQ(Thrown([&] { tensor.Reshape(std::vector<int64_t>{-1, -1}); }),
            "tensor-reshape-mismatch");
  EXPECT_EQ(
      Thrown([&] { tensor.Transpose(std::vector<int>{1, 0}).Reshape(std::vector<int64_t>{12}); }),
      "tensor-not-compact");
  EXPECT_EQ(Thrown([&] { tensor.Transpose(std::vector<int>{0, 0}); }), "tensor-bad-permutation");
}

TEST(Tensor, UnitExtentsMayHaveAnyStride) {  // S31
  float data[3] = {1, 2, 3};
  const int64_t shape[] = {1, 3}, strides[] = {77, 1};
  Tensor tensor = Tensor::Wrap(data, 0, shape, strides, kFloat, Device::Cpu(), nullptr, nullptr);
  EXPECT_TRUE(tensor.is_compact());
}

TEST(Tensor, StridedCopiesWriteOnlyTheirElements) {
  Tensor target = Iota({4, 4});
  Tensor source = Iota({2, 2});
  ASSERT_TRUE(target.Slice(0, 1, 4, 2)
                  .Slice(1, 0, 4, 3)
                  .CopyFrom(source.Transpose(std::vector<int>{1, 0}))
                  .ok());
  EXPECT_EQ(Elements(target),
            (std::vector<float>{0, 1, 2, 3, 0, 5, 6, 2, 8, 9, 10, 11, 1, 13, 14, 3}));
}

TEST(Tensor, CopiesEveryElementSize) {
  for (DataType dtype :
       {DataType::Int(4), DataType::UInt(1), DataType::Bool(), DataType::Float(16), kFloat,
        DataType::Float(64), kFloat.with_lanes(3), kFloat.with_lanes(4), DataType::Int(4, 2)}) {
    const auto bytes = static_cast<size_t>(dtype.bytes());
    Tensor tensor = Tensor::Empty({3, 5}, dtype).value();
    std::vector<unsigned char> data(15 * bytes), back(15 * bytes), expected;
    std::iota(data.begin(), data.end(), 0);
    ASSERT_TRUE(tensor.CopyFromHost(data.data(), data.size()).ok());
    Tensor turned = tensor.Transpose(std::vector<int>{1, 0}).Clone().value();
    EXPECT_TRUE(turned.is_compact());
    ASSERT_TRUE(turned.CopyToHost(back.data(), back.size()).ok());
    for (size_t i = 0; i < 5; ++i)
      for (size_t j = 0; j < 3; ++j)
        for (size_t b = 0; b < bytes; ++b) expected.push_back(data[(j * 5 + i) * bytes + b]);
    EXPECT_EQ(back, expected) << dtype.ToString();
  }
}

TEST(Tensor, CopyMismatchesAreNamed) {
  EXPECT_EQ(Thrown([] { Iota({2}).CopyFrom(Iota({3})).IgnoreError(); }), "tensor-copy-mismatch");
  EXPECT_EQ(Thrown([] { Iota({2}).CopyFrom(Iota({2, 1})).IgnoreError(); }), "tensor-copy-mismatch");
  EXPECT_EQ(Thrown([] { Iota({2}).CopyToHost(nullptr, 7).IgnoreError(); }),
            "tensor-wrong-byte-count");
  EXPECT_EQ(Thrown([] { Iota({2}).ReadOnly().CopyFrom(Iota({2})).IgnoreError(); }),
            "tensor-read-only");
  EXPECT_EQ(Thrown([] { Iota({2}).ReadOnly().Slice(0, 0, 1).HostData<float>(); }),
            "tensor-read-only");
  EXPECT_EQ(*Iota({2}).ReadOnly().HostData<const float>(), 0);
  EXPECT_EQ(Thrown([] { Iota({2}).HostData<double>(); }), "tensor-wrong-dtype");
  DLTensor null_data{};
  int64_t extent = 3;
  null_data.device = Device::Cpu().packed();
  null_data.ndim = 1;
  null_data.shape = &extent;
  null_data.dtype = kFloat.dl();
  EXPECT_EQ(StatusName(CopyTensor(null_data, null_data)), "tensor-invalid");
}

class OnDevice : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(CompactAndStrided, OnDevice, testing::Bool());

TEST_P(OnDevice, CopiesAnyLayoutThroughTheDevice) {
  TestDevice* api = GetParam() ? Strided() : Compact();
  const size_t live = api->live();
  {
    const Device device{api->kind(), 1, 0};
    Tensor there = Iota({3, 4}).To(device).value();
    EXPECT_EQ(there.device(), device);
    EXPECT_EQ(Thrown([&] { there.HostData<float>(); }), "tensor-not-on-host");
    EXPECT_EQ(Elements(there), Elements(Iota({3, 4})));
    EXPECT_EQ(Elements(there.Transpose(std::vector<int>{1, 0})),
              Elements(Iota({3, 4}).Transpose(std::vector<int>{1, 0})));
    // Copies into a view: elements outside of it stay.
    ASSERT_TRUE(
        there.Slice(1, 0, 4, 3).CopyFrom(Iota({2, 3}).Transpose(std::vector<int>{1, 0})).ok());
    EXPECT_EQ(Elements(there), (std::vector<float>{0, 1, 2, 3, 1, 5, 6, 4, 2, 9, 10, 5}));
    // Between views of the same kind, and to another kind.
    Tensor other = Tensor::Empty({4, 3}, kFloat, {api->kind(), 0, 0}).value();
    ASSERT_TRUE(other.CopyFrom(there.Transpose(std::vector<int>{1, 0})).ok());
    EXPECT_EQ(Elements(other), (std::vector<float>{0, 1, 2, 1, 5, 9, 2, 6, 10, 3, 4, 5}));
    Tensor foreign = other.To({(GetParam() ? Compact() : Strided())->kind(), 0, 0}).value();
    EXPECT_EQ(Elements(foreign), Elements(other));
  }
  EXPECT_EQ(api->live(), live);
  EXPECT_EQ(api->bad_frees(), 0);
}

TEST(TensorOnDevice, PassesTheCurrentStream) {
  const Device device{Compact()->kind(), 0, 0};
  int handle = 0;
  StreamScope scope(device, Stream::Borrowed(device, &handle));
  Tensor tensor = Iota({2}).To(device).value();
  EXPECT_EQ(Compact()->last_stream(), &handle);
}

TEST(TensorOnDevice, OutOfMemoryIsAStatus) {
  const Device device{Compact()->kind(), 0, 0};
  EXPECT_EQ(StatusName(Tensor::Empty({1 << 20}, kFloat, device).status()), "device-out-of-memory");
  EXPECT_EQ(StatusName(Tensor::Empty({1}, kFloat, {device.kind, 2, 0}).status()),
            "device-no-such-id");
  EXPECT_EQ(StatusName(Tensor::Empty({1}, kFloat, {kDLCPU, 0, 3}).status()), "session-closed");
}

TEST(Tensor, ViewsOutliveWhatTheyLookAt) {
  static int released = 0;
  float data[4] = {1, 2, 3, 4};
  const int64_t shape[] = {2, 2};
  const auto wrap = [&] {
    return Tensor::Wrap(
        data, 0, shape, {}, kFloat, Device::Cpu(), [](void* count) { ++*static_cast<int*>(count); },
        &released);
  };
  Tensor tensor = wrap();
  Tensor row = tensor.Select(0, 1);
  Tensor element = row.Select(0, 0);
  tensor = nullptr;
  row = nullptr;
  EXPECT_EQ(released, 0);
  EXPECT_EQ(*element.HostData<float>(), 3);
  element = nullptr;
  EXPECT_EQ(released, 1);
  {
    Tensor again = wrap();
  }
  EXPECT_EQ(released, 2);
}

TEST(DLPack, OwnershipIsExactInEveryOrder) {
  static int released = 0;
  float data[2] = {1, 2};
  const int64_t shape[] = {2};
  for (int order = 0; order < 4; ++order) {
    released = 0;
    Tensor tensor = Tensor::Wrap(
        data, 0, shape, {}, kFloat, Device::Cpu(), [](void* count) { ++*static_cast<int*>(count); },
        &released);
    DLManagedTensorVersioned* managed = tensor.ToDLPackVersioned().value();
    if (order == 0) {  // our reference first, then the consumer's
      tensor = nullptr;
      EXPECT_EQ(released, 0);
      managed->deleter(managed);
    } else if (order == 1) {  // the consumer's reference first
      managed->deleter(managed);
      EXPECT_EQ(released, 0);
      tensor = nullptr;
    } else {  // imported again, then released in either order
      Tensor back = Tensor::FromDLPackVersioned(managed).value();
      Tensor view = back.Slice(0, 1, 2);
      if (order == 2) tensor = nullptr;
      back = nullptr;
      EXPECT_EQ(*view.HostData<float>(), 2);
      EXPECT_EQ(released, 0);
      view = nullptr;
      tensor = nullptr;
    }
    EXPECT_EQ(released, 1) << order;
  }
}

TEST(DLPack, UnversionedRoundTrip) {
  Tensor tensor = Iota({3, 4}).Slice(1, 1, 3);
  DLManagedTensor* managed = tensor.ToDLPack().value();
  EXPECT_EQ(managed->dl_tensor.byte_offset, 0u);  // folded into the pointer
  Tensor back = Tensor::FromDLPack(managed).value();
  EXPECT_EQ(Elements(back), (std::vector<float>{1, 2, 5, 6, 9, 10}));
}

TEST(DLPack, ReadOnlyIsHonoured) {
  Tensor fixed = Iota({2}).ReadOnly();
  EXPECT_EQ(StatusName(fixed.ToDLPack().status()), "dlpack-read-only");
  DLManagedTensorVersioned* managed = fixed.ToDLPackVersioned().value();
  EXPECT_EQ(managed->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  Tensor back = Tensor::FromDLPackVersioned(managed).value();
  EXPECT_TRUE(back.read_only());
  EXPECT_EQ(Thrown([&] { back.HostData<float>(); }), "tensor-read-only");
}

TEST(DLPack, SubByteElementsSayThatTheyArePadded) {
  Tensor nibbles = Tensor::Empty({3}, DataType::Int(4)).value();
  EXPECT_EQ(nibbles.num_bytes(), 3u);
  EXPECT_EQ(StatusName(nibbles.ToDLPack().status()), "dlpack-sub-byte");
  DLManagedTensorVersioned* managed = nibbles.ToDLPackVersioned().value();
  EXPECT_EQ(managed->flags, DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
  managed->flags = 0;  // as if elements were packed
  EXPECT_EQ(StatusName(Tensor::FromDLPackVersioned(managed).status()), "dlpack-packed-sub-byte");
  managed->deleter(managed);  // a failure leaves it with the caller
  Tensor pairs = Tensor::Empty({3}, DataType::Int(4, 2)).value();
  EXPECT_TRUE(Tensor::FromDLPack(pairs.ToDLPack().value()).ok());
}

TEST(DLPack, BadOnesAreRefused) {
  EXPECT_EQ(StatusName(Tensor::FromDLPack(nullptr).status()), "dlpack-invalid");
  EXPECT_EQ(StatusName(Tensor::FromDLPackVersioned(nullptr).status()), "dlpack-invalid");
  DLManagedTensorVersioned bad{};
  bad.version = {2, 0};
  EXPECT_EQ(StatusName(Tensor::FromDLPackVersioned(&bad).status()), "dlpack-version");
  bad.version = {1, 1};
  const auto refused = [&] {
    return StatusName(Tensor::FromDLPackVersioned(&bad).status()) == "dlpack-invalid";
  };
  int64_t shape[] = {2, 3};
  int64_t wild[] = {INT64_MAX / 2, 1};
  bad.dl_tensor.dtype = kFloat.dl();
  bad.dl_tensor.ndim = -1;
  EXPECT_TRUE(refused());
  bad.dl_tensor.ndim = 1000;
  EXPECT_TRUE(refused());
  bad.dl_tensor.ndim = 2;
  EXPECT_TRUE(refused());  // null shape
  bad.dl_tensor.shape = shape;
  EXPECT_TRUE(refused());  // null data
  bad.dl_tensor.data = shape;
  bad.dl_tensor.byte_offset = UINT64_MAX - 7;
  EXPECT_TRUE(refused());
  bad.dl_tensor.byte_offset = 0;
  bad.dl_tensor.strides = wild;
  EXPECT_TRUE(refused());
  bad.dl_tensor.strides = nullptr;
  shape[0] = -2;
  EXPECT_TRUE(refused());
  shape[0] = INT64_MAX;
  EXPECT_TRUE(refused());
  shape[0] = 2;
  bad.dl_tensor.dtype.bits = 0;
  EXPECT_TRUE(refused());
}

TEST(DLPack, EmptyOnesMayHaveAnyStrides) {
  // Found by dlpack_fuzz: products with such strides overflow, which the sanitizer sees.
  int64_t shape[] = {int64_t{1} << 40, 0};
  int64_t strides[] = {int64_t{1} << 40, int64_t{1} << 50};
  char data = 0;
  DLManagedTensorVersioned foreign{};
  foreign.version = {1, 1};
  foreign.dl_tensor = {&data, Device::Cpu().packed(), 2, kFloat.dl(), shape, strides, 0};
  const Tensor tensor = Tensor::FromDLPackVersioned(&foreign).value();
  EXPECT_EQ(tensor.Select(0, shape[0] - 1).num_elements(), 0);
  EXPECT_EQ(tensor.Slice(0, 1, shape[0], 1 << 30).num_elements(), 0);
  EXPECT_EQ(tensor.Slice(0, shape[0] - 1, shape[0]).dl().byte_offset, 0u);
}

TEST(DLPack, RemoteTensorsRefuse) {
  const int64_t shape[] = {2};
  Tensor remote = Tensor::Wrap(reinterpret_cast<void*>(16), 0, shape, {}, kFloat, {kDLCPU, 0, 5},
                               nullptr, nullptr);
  EXPECT_EQ(StatusName(remote.ToDLPack().status()), "dlpack-remote");
  EXPECT_EQ(StatusName(remote.ToDLPackVersioned().status()), "dlpack-remote");
  EXPECT_EQ(StatusName(remote.CopyFrom(Iota({2}))), "session-closed");
  EXPECT_EQ(Thrown([&] { remote.HostData<float>(); }), "tensor-not-on-host");
}

TEST(DLPack, ForeignDeviceTypesNameNoSession) {
  int64_t shape[] = {2};
  float data[] = {1, 2};
  DLManagedTensor foreign{
      {data, Device{kDLCPU, 0, 5}.packed(), 1, {kDLFloat, 32, 1}, shape, nullptr, 0},
      nullptr,
      nullptr};
  EXPECT_EQ(StatusName(Tensor::FromDLPack(&foreign).status()), "dlpack-invalid");
  foreign.dl_tensor.device.device_type = -1;
  EXPECT_EQ(StatusName(Tensor::FromDLPack(&foreign).status()), "dlpack-invalid");
  foreign.dl_tensor.device = Device::Cpu().packed();
  EXPECT_TRUE(Tensor::FromDLPack(&foreign).ok());
}

// Code that sees only the DLTensor cannot mistake a remote tensor for a local one.
TEST(TensorOfASession, TheBareTensorSaysSo) {
  const Device device{kDLCPU, 0, 40000};
  // Nothing is ever mapped at this address, so an access faults.
  void* const nowhere = reinterpret_cast<void*>(uintptr_t{0xdead} << 48);
  const int64_t shape[] = {2, 2};
  const Tensor remote = Tensor::Wrap(nowhere, 0, shape, {}, kFloat, device, nullptr, nullptr);
  EXPECT_EQ(remote.device(), device);
  EXPECT_NE(remote.dl().device.device_type, kDLCPU);
  EXPECT_EQ(remote.ToString(), "float32[2, 2] on session 40000 cpu:0");
  const Tensor view = remote.Select(0, 1);
  EXPECT_EQ(view.device(), device);
  const Tensor host = Iota({2, 2});
  EXPECT_EQ(StatusName(CopyTensor(remote.dl(), host.dl())), "session-closed");
  EXPECT_EQ(StatusName(CopyTensor(host.dl(), remote.dl())), "session-closed");
  EXPECT_EQ(StatusName(CopyTensor(remote.dl(), remote.dl())), "session-closed");
  const Tensor none = remote.Slice(0, 0, 0);
  EXPECT_EQ(StatusName(none.CopyFrom(Iota({0, 2}))), "session-closed");
  EXPECT_EQ(StatusName(view.To(Device::Cpu()).status()), "session-closed");
}

TEST(Tensor, CrossesAsAValue) {
  Tensor tensor = Iota({2});
  Value value = tensor;
  EXPECT_EQ(value.As<Tensor>().get(), tensor.get());
  EXPECT_EQ(value.As<const DLTensor*>(), &tensor.dl());
  EXPECT_EQ(value.ToString(), "tensor float32[2] on cpu:0");
  EXPECT_TRUE(Value(Tensor()).is_none());
  EXPECT_EQ(Thrown([] { Value(Tensor()).As<Tensor>(); }), "value-wrong-kind");
}

}  // namespace
}  // namespace lathe::runtime
