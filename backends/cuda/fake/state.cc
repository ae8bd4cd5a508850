#include "backends/cuda/fake/state.h"

#include <sys/mman.h>

namespace lathe::cuda::fake {
namespace {

constexpr uint64_t kAddressSpace = uint64_t{1} << 40;

// Reserves addresses that nothing else in the process gets and that nobody may access.
CUdeviceptr Reserve() {
  void* pages =
      mmap(nullptr, kAddressSpace, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? 0 : reinterpret_cast<CUdeviceptr>(pages);
}

void Reset(int devices, int arch, uint64_t memory) {
  State& state = State::Get();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  // A device object stays at its address: contexts that somebody holds stay valid.
  while (state.devices.size() < static_cast<size_t>(devices)) {
    auto device = std::make_unique<Device>();
    device->id = static_cast<int>(state.devices.size());
    device->reserved = device->next = Reserve();
    device->end = device->reserved + kAddressSpace;
    device->default_stream.device = device.get();
    state.devices.push_back(std::move(device));
  }
  state.devices.resize(static_cast<size_t>(devices));
  for (const auto& device : state.devices) {
    device->arch = arch;
    device->total = memory;
    device->fault = CUDA_SUCCESS;
    device->default_stream.work.clear();
  }
  state.failures.clear();
  state.kernels.clear();
  state.launches = 0;
}

FakeCounts Counts() {
  State& state = State::Get();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  FakeCounts counts = {};
  for (const auto& device : state.devices) {
    counts.allocations += static_cast<int64_t>(device->allocations.size());
    counts.contexts += device->contexts;
  }
  counts.host_allocations = static_cast<int64_t>(state.host_allocations.size());
  counts.registrations = static_cast<int64_t>(state.registrations.size());
  counts.streams = static_cast<int64_t>(state.streams.size());
  counts.events = static_cast<int64_t>(state.events.size());
  counts.modules = static_cast<int64_t>(state.modules.size());
  counts.launches = state.launches;
  counts.pending = Pending();
  return counts;
}

void Fail(const char* function, CUresult result, int skip) {
  State& state = State::Get();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  state.failures[function] = {result, skip};
}

void SetKernel(const char* name, FakeKernel kernel, void* user) {
  State& state = State::Get();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  if (kernel == nullptr)
    state.kernels.erase(name);
  else
    state.kernels[name] = {kernel, user};
}

void* LookAt(int device, CUdeviceptr address, uint64_t bytes) {
  State& state = State::Get();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  return Look(state.devices.at(static_cast<size_t>(device)).get(), address, bytes);
}

uint64_t Room(int id, CUdeviceptr address) {
  State& state = State::Get();
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  const Device& device = *state.devices.at(static_cast<size_t>(id));
  auto found = device.allocations.upper_bound(address);
  if (found == device.allocations.begin()) return 0;
  --found;
  const uint64_t offset = address - found->first;
  return offset < found->second.bytes ? found->second.bytes - offset : 0;
}

bool IsCurrent(int device) { return Current() != nullptr && Current()->id == device; }

}  // namespace

State& State::Get() {
  static State& state = *new State;
  return state;
}

Device*& Current() {
  thread_local Device* current = nullptr;
  return current;
}

Entry::Entry(const char* function, bool needs_context) : lock_(State::Get().mutex) {
  State& state = State::Get();
  if (const auto found = state.failures.find(function); found != state.failures.end()) {
    if (found->second.skip-- == 0) {
      result_ = found->second.result;
      state.failures.erase(found);
      return;
    }
  }
  if (!needs_context) return;
  if (Current() == nullptr)
    result_ = CUDA_ERROR_INVALID_CONTEXT;
  else
    result_ = Current()->fault;
}

Stream* FindStream(CUstream stream) {
  if (stream == nullptr) return &Current()->default_stream;
  State& state = State::Get();
  const auto found = state.streams.find(reinterpret_cast<Stream*>(stream));
  return found == state.streams.end() ? nullptr : *found;
}

void Enqueue(Stream* stream, std::function<CUresult()> work) {
  stream->work.push_back(std::move(work));
}

CUresult Drain(Stream* stream) {
  Device* device = stream->device;
  while (!stream->work.empty() && device->fault == CUDA_SUCCESS) {
    const std::function<CUresult()> work = std::move(stream->work.front());
    stream->work.pop_front();
    device->clock += 1;
    if (const CUresult result = work(); result != CUDA_SUCCESS) device->fault = result;
  }
  if (device->fault != CUDA_SUCCESS) stream->work.clear();
  return device->fault;
}

CUresult DrainDevice(Device* device) {
  CUresult result = Drain(&device->default_stream);
  for (Stream* stream : State::Get().streams) {
    if (stream->device == device && result == CUDA_SUCCESS) result = Drain(stream);
  }
  return result;
}

int64_t Pending() {
  State& state = State::Get();
  size_t count = 0;
  for (const auto& device : state.devices) count += device->default_stream.work.size();
  for (const Stream* stream : state.streams) count += stream->work.size();
  return static_cast<int64_t>(count);
}

char* Look(Device* device, CUdeviceptr address, uint64_t bytes) {
  auto found = device->allocations.upper_bound(address);
  if (found == device->allocations.begin()) return nullptr;
  --found;
  const uint64_t offset = address - found->first;
  if (offset > found->second.bytes || bytes > found->second.bytes - offset) return nullptr;
  return found->second.memory + offset;
}

}  // namespace lathe::cuda::fake

const lathe::cuda::FakeCuda* lathe_fake_cuda() {
  using namespace lathe::cuda;  // NOLINT: the table's entries
  static const FakeCuda table = {fake::Reset,  fake::Counts, fake::Fail,     fake::SetKernel,
                                 fake::LookAt, fake::Room,   fake::IsCurrent};
  return &table;
}
