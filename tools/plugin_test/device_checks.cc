// Devices and their memory through the runtime, as programs use them.
#include <cstring>
#include <set>

#include "runtime/device_api.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "tools/plugin_test/device_subject.h"

namespace lathe::kit {
namespace {

using runtime::AllocRequest;
using runtime::StatusName;
using runtime::Tensor;

std::string Pattern(size_t bytes, uint32_t seed = 1) {
  std::string text(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>((i * 131 + seed * 17) >> (i % 3));
  return text;
}

absl::StatusOr<Tensor> Put(const Dev& dev, const std::string& bytes, int id = 0) {
  const int64_t shape[] = {static_cast<int64_t>(bytes.size())};
  return Tensor::FromHost(bytes.data(), bytes.size(), shape, DataType::UInt(8), dev.device(id));
}

absl::StatusOr<std::string> Get(const Tensor& tensor) {
  std::string bytes(tensor.num_bytes(), '\0');
  KIT_RETURN_IF_ERROR(tensor.CopyToHost(bytes.data(), bytes.size()));
  return bytes;
}

absl::Status Same(const absl::StatusOr<std::string>& got, const std::string& expected,
                  const std::string& what) {
  if (!got.ok()) return got.status();
  return Require(*got == expected, what + ": other bytes came back");
}

absl::Status RoundTrip(const Dev& dev, size_t bytes, int id = 0) {
  const std::string text = Pattern(bytes);
  const auto tensor = Put(dev, text, id);
  if (!tensor.ok()) return tensor.status();
  return Same(Get(*tensor), text, std::to_string(bytes) + " bytes");
}

absl::Status Count(const Dev& dev) { return Require(dev.count > 0, "no device"); }

absl::Status Name(const Dev& dev) {
  const auto name = dev.api->Attribute(0, "name");
  if (!name.ok()) return name.status();
  return Require(name->is_none() || name->Is<std::string>(), "`name` is no text");
}

absl::Status Attributes(const Dev& dev) {
  for (const char* key : {"max_threads_per_block", "warp_size", "max_shared_memory_per_block",
                          "multi_processor_count", "max_clock_khz", "total_memory"}) {
    const auto value = dev.api->Attribute(0, key);
    if (!value.ok()) return value.status();
    KIT_RETURN_IF_ERROR(
        Require(value->is_none() || value->Is<int64_t>(), std::string(key) + " is no number"));
    if (value->Is<int64_t>())
      KIT_RETURN_IF_ERROR(Require(value->As<int64_t>() >= 0, std::string(key) + " is negative"));
  }
  return absl::OkStatus();
}

absl::Status UnknownAttribute(const Dev& dev) {
  const auto value = dev.api->Attribute(0, "attribute-of-nobody");
  if (!value.ok()) return value.status();
  return Require(value->is_none(), "an unknown attribute has a value");
}

absl::Status WrongId(const Dev& dev) {
  AllocRequest request;
  request.bytes = 64;
  for (int32_t id : {dev.count, 1000, -1})
    KIT_RETURN_IF_ERROR(
        Require(!dev.api->Alloc(id, request).ok(),
                "device " + std::to_string(id) + " has memory, and there is no such device"));
  return absl::OkStatus();
}

absl::Status EveryDevice(const Dev& dev) {
  for (int32_t id = 0; id < dev.count; ++id) {
    KIT_RETURN_IF_ERROR(dev.api->MakeCurrent(id));
    KIT_RETURN_IF_ERROR(RoundTrip(dev, 1000, id));
  }
  return absl::OkStatus();
}

absl::Status CurrentWrongId(const Dev& dev) {
  if (dev.api->MakeCurrent(0).ok() && dev.api->MakeCurrent(dev.count + 5).ok())
    return Failed("a device that is not there became current");
  return dev.api->MakeCurrent(0);
}

absl::Status Healthy(const Dev& dev) { return dev.api->Health(0); }

absl::Status AllocFree(const Dev& dev) {
  AllocRequest request;
  for (uint64_t bytes : {1, 7, 64, 4096, 1 << 20}) {
    request.bytes = bytes;
    const auto data = dev.api->Alloc(0, request);
    if (!data.ok()) return data.status();
    KIT_RETURN_IF_ERROR(Require(*data != nullptr, "an allocation is NULL"));
    KIT_RETURN_IF_ERROR(dev.api->Free(0, "global", *data));
  }
  return absl::OkStatus();
}

absl::Status Alignment(const Dev& dev) {
  AllocRequest request;
  request.bytes = 100;
  for (uint64_t alignment : {1, 16, 64, 256}) {
    request.alignment = alignment;
    const auto data = dev.api->Alloc(0, request);
    if (!data.ok()) return data.status();
    const bool aligned = reinterpret_cast<uintptr_t>(*data) % alignment == 0;
    KIT_RETURN_IF_ERROR(dev.api->Free(0, "global", *data));
    if (dev.has_addresses)
      KIT_RETURN_IF_ERROR(Require(aligned, "not aligned to " + std::to_string(alignment)));
  }
  return absl::OkStatus();
}

absl::Status ManyAlive(const Dev& dev) {
  AllocRequest request;
  request.bytes = 256;
  std::set<void*> alive;
  for (int i = 0; i < 500; ++i) {
    const auto data = dev.api->Alloc(0, request);
    if (!data.ok()) return data.status();
    KIT_RETURN_IF_ERROR(Require(alive.insert(*data).second, "two live allocations are one"));
  }
  for (void* data : alive) KIT_RETURN_IF_ERROR(dev.api->Free(0, "global", data));
  return absl::OkStatus();
}

absl::Status AgainAndAgain(const Dev& dev) {
  AllocRequest request;
  request.bytes = 1 << 20;
  for (int i = 0; i < 2000; ++i) {
    const auto data = dev.api->Alloc(0, request);
    if (!data.ok()) return data.status();
    KIT_RETURN_IF_ERROR(dev.api->Free(0, "global", *data));
  }
  return absl::OkStatus();
}

absl::Status OutOfMemory(const Dev& dev) {
  AllocRequest request;
  request.bytes = uint64_t{1} << 60;
  const auto data = dev.api->Alloc(0, request);
  KIT_RETURN_IF_ERROR(Require(!data.ok(), "2^60 bytes were allocated"));
  KIT_RETURN_IF_ERROR(
      Require(StatusName(data.status()) == "device-out-of-memory",
              "out of memory is called `" + std::string(StatusName(data.status())) + "`"));
  return RoundTrip(dev, 4096);
}

absl::Status UnknownScope(const Dev& dev) {
  AllocRequest request;
  request.bytes = 64;
  request.scope = "scope-of-nobody";
  const auto data = dev.api->Alloc(0, request);
  KIT_RETURN_IF_ERROR(Require(!data.ok(), "an unknown scope has memory"));
  return Require(StatusName(data.status()) == "device-no-such-scope",
                 "an unknown scope is called `" + std::string(StatusName(data.status())) + "`");
}

absl::Status MemoryInfo(const Dev& dev) {
  const auto before = dev.api->GetMemoryInfo(0, "global");
  if (before.status().code() == absl::StatusCode::kUnimplemented)
    return NotApplicable("the device does not say");
  if (!before.ok()) return before.status();
  return Require(before->total > 0 && before->free <= before->total, "more free than there is");
}

template <size_t kBytes>
absl::Status RoundTripOf(const Dev& dev) {
  return RoundTrip(dev, kBytes);
}

absl::Status EveryElementSize(const Dev& dev) {
  for (DataType dtype : {DataType::Bool(), DataType::Int(8), DataType::Float(16), DataType::Int(32),
                         DataType::Float(64), DataType::Float(32).with_lanes(4)}) {
    const std::string text = Pattern(static_cast<size_t>(6 * dtype.bytes()));
    const int64_t shape[] = {2, 3};
    const auto tensor = Tensor::FromHost(text.data(), text.size(), shape, dtype, dev.device());
    if (!tensor.ok()) return tensor.status();
    KIT_RETURN_IF_ERROR(Same(Get(*tensor), text, dtype.ToString()));
  }
  return absl::OkStatus();
}

absl::Status NoElements(const Dev& dev) {
  const auto tensor = Tensor::Empty({0, 5}, DataType::Float(32), dev.device());
  if (!tensor.ok()) return tensor.status();
  return Same(Get(*tensor), "", "no elements");
}

absl::Status RankZero(const Dev& dev) {
  const std::string text = Pattern(4);
  const auto tensor = Tensor::FromHost(text.data(), 4, std::span<const int64_t>(),
                                       DataType::Float(32), dev.device());
  if (!tensor.ok()) return tensor.status();
  return Same(Get(*tensor), text, "rank 0");
}

absl::Status DeviceToDevice(const Dev& dev) {
  const std::string text = Pattern(10000);
  const auto from = Put(dev, text), to = Put(dev, std::string(text.size(), 'x'));
  if (!from.ok()) return from.status();
  if (!to.ok()) return to.status();
  KIT_RETURN_IF_ERROR(to->CopyFrom(*from));
  KIT_RETURN_IF_ERROR(Same(Get(*to), text, "the copy"));
  return Same(Get(*from), text, "the original");
}

absl::Status BetweenDevices(const Dev& dev) {
  if (dev.count < 2) return NotApplicable("there is one device");
  const std::string text = Pattern(5000);
  const auto from = Put(dev, text, 0), to = Put(dev, std::string(text.size(), 'x'), 1);
  if (!from.ok()) return from.status();
  if (!to.ok()) return to.status();
  KIT_RETURN_IF_ERROR(to->CopyFrom(*from));
  return Same(Get(*to), text, "the copy");
}

// A view that begins in the middle of a tensor: only the view's bytes are copied.
absl::Status ViewFrom(const Dev& dev) {
  const std::string text = Pattern(1000);
  const auto tensor = Put(dev, text);
  if (!tensor.ok()) return tensor.status();
  return Same(Get(tensor->Slice(0, 300, 437)), text.substr(300, 137), "a view");
}

absl::Status ViewTo(const Dev& dev) {
  std::string text = Pattern(1000);
  const auto tensor = Put(dev, text);
  if (!tensor.ok()) return tensor.status();
  const std::string part = Pattern(137, 9);
  KIT_RETURN_IF_ERROR(tensor->Slice(0, 300, 437).CopyFromHost(part.data(), part.size()));
  text.replace(300, 137, part);
  return Same(Get(*tensor), text, "what surrounds the view");
}

// A transposed view of every second element: copied by the device, or repacked by the runtime.
absl::Status Strided(const Dev& dev, bool to_device) {
  std::vector<float> values(12 * 10);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const int64_t shape[] = {12, 10};
  const auto ours =
      Tensor::FromHost(values.data(), values.size() * 4, shape, DataType::Float(32), dev.device());
  if (!ours.ok()) return ours.status();
  const int swapped[] = {1, 0};
  const Tensor view = ours->Slice(0, 1, 11, 2).Transpose(swapped);  // 10 x 5
  const auto host = Tensor::Empty(view.shape(), view.dtype());
  if (!host.ok()) return host.status();
  float* data = host->HostData<float>();
  if (to_device) {
    for (int i = 0; i < 50; ++i) data[i] = static_cast<float>(1000 + i);
    KIT_RETURN_IF_ERROR(view.CopyFrom(*host));
    KIT_RETURN_IF_ERROR(ours->CopyToHost(values.data(), values.size() * 4));
  } else {
    KIT_RETURN_IF_ERROR(host->CopyFrom(view));
  }
  for (size_t c = 0; c < 10; ++c) {
    for (size_t r = 0; r < 5; ++r) {
      const float there = values[(1 + 2 * r) * 10 + c], here = data[c * 5 + r];
      KIT_RETURN_IF_ERROR(
          Require(there == here, "element " + std::to_string(c) + ", " + std::to_string(r)));
    }
  }
  return to_device
             ? Require(values[0] == 0 && values[20] == 20, "elements between were overwritten")
             : absl::OkStatus();
}
absl::Status StridedFrom(const Dev& dev) { return Strided(dev, false); }
absl::Status StridedTo(const Dev& dev) { return Strided(dev, true); }

template <int kBytes>
absl::Status Fill(const Dev& dev) {
  const std::string text(1024, 'z');
  const auto tensor = Put(dev, text);
  if (!tensor.ok()) return tensor.status();
  const uint64_t pattern = 0x8877665544332211;
  const absl::Status filled = dev.api->Fill(0, tensor->dl().data, 64 + tensor->dl().byte_offset,
                                            512, pattern, kBytes, nullptr);
  if (filled.code() == absl::StatusCode::kUnimplemented)
    return NotApplicable("the device does not fill");
  KIT_RETURN_IF_ERROR(filled);
  KIT_RETURN_IF_ERROR(dev.api->SyncStream(0, nullptr));
  std::string expected = text;
  for (size_t i = 0; i < 512; ++i)
    expected[64 + i] = static_cast<char>(pattern >> (8 * (i % kBytes)));
  return Same(Get(*tensor), expected, "a pattern of " + std::to_string(kBytes) + " bytes");
}

absl::Status WrapHost(const Dev& dev) {
  std::string text = Pattern(4096);
  const auto data = dev.api->WrapHost(0, text.data(), text.size());
  if (data.status().code() == absl::StatusCode::kUnimplemented)
    return NotApplicable("the device does not take host memory");
  if (!data.ok()) return data.status();
  return dev.api->UnwrapHost(0, *data);
}

absl::Status ExportHost(const Dev& dev) {
  const std::string text = Pattern(4096);
  const auto tensor = Put(dev, text);
  if (!tensor.ok()) return tensor.status();
  const auto host = dev.api->ExportHost(0, tensor->dl().data, 4096);
  if (host.status().code() == absl::StatusCode::kUnimplemented)
    return NotApplicable("the device does not show its memory");
  if (!host.ok()) return host.status();
  return Require(std::memcmp(*host, text.data(), text.size()) == 0, "the host sees other bytes");
}

absl::Status ManyThreads(const Dev& dev) {
  return OnThreads([&]() -> absl::Status {
    for (int i = 0; i < 25; ++i) {
      KIT_RETURN_IF_ERROR(dev.api->MakeCurrent(0));
      KIT_RETURN_IF_ERROR(RoundTrip(dev, static_cast<size_t>(100 + i * 37)));
    }
    return absl::OkStatus();
  });
}

}  // namespace

void AddDeviceChecks(const Subject& subject, Checks* checks) {
  AddFor(subject, checks,
         {{"count", Count},
          {"name", Name},
          {"attributes", Attributes},
          {"unknown-attribute", UnknownAttribute},
          {"wrong-id", WrongId},
          {"every-device", EveryDevice},
          {"make-current-wrong-id", CurrentWrongId},
          {"healthy", Healthy},
          {"alloc-and-free", AllocFree},
          {"alloc-alignment", Alignment},
          {"alloc-many-alive", ManyAlive},
          {"alloc-again-and-again", AgainAndAgain},
          {"out-of-memory", OutOfMemory},
          {"unknown-scope", UnknownScope},
          {"memory-info", MemoryInfo},
          {"copy-1-byte", RoundTripOf<1>},
          {"copy-4095-bytes", RoundTripOf<4095>},
          {"copy-3-megabytes", RoundTripOf<(3 << 20) + 1>},
          {"copy-every-element-size", EveryElementSize},
          {"copy-no-elements", NoElements},
          {"copy-rank-0", RankZero},
          {"copy-on-the-device", DeviceToDevice},
          {"copy-between-devices", BetweenDevices},
          {"copy-from-view", ViewFrom},
          {"copy-to-view", ViewTo},
          {"copy-from-strided", StridedFrom},
          {"copy-to-strided", StridedTo},
          {"fill-1-byte", Fill<1>},
          {"fill-2-bytes", Fill<2>},
          {"fill-4-bytes", Fill<4>},
          {"fill-8-bytes", Fill<8>},
          {"wrap-host", WrapHost},
          {"export-host", ExportHost},
          {"many-threads", ManyThreads}});
}

}  // namespace lathe::kit
