// The state of the fake driver. One lock protects all of it.
#pragma once

#include <cuda.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "backends/cuda/fake/fake_cuda.h"

namespace lathe::cuda::fake {

struct Device;

struct Event {
  Device* device = nullptr;
  bool timing = true;
  bool recorded = false;
  int64_t waiting = 0;        // records that are still delayed
  CUstream stream = nullptr;  // of the last record
  double milliseconds = 0;    // when it was reached
};

struct Stream {
  Device* device = nullptr;
  std::deque<std::function<CUresult()>> work;
};

struct Allocation {
  uint64_t bytes = 0;
  char* memory = nullptr;
};

struct Kernel {
  std::string name;
  std::vector<uint64_t> param_offsets, param_bytes;
  int max_dynamic_shared = 48 << 10;
  int static_shared = 0;
  struct Module* module = nullptr;
};

struct Module {
  Device* device = nullptr;
  std::map<std::string, Kernel> kernels;
};

struct Device {
  int id = 0;
  int arch = 80;
  uint64_t total = 0, used = 0;
  int contexts = 0;
  CUresult fault = CUDA_SUCCESS;  // sticky
  CUdeviceptr reserved = 0, next = 0, end = 0;
  std::map<CUdeviceptr, Allocation> allocations;
  Stream default_stream;
  double clock = 0;  // milliseconds; each piece of work takes one
};

struct State {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<Device>> devices;
  std::set<Stream*> streams;
  std::set<Event*> events;
  std::set<Module*> modules;
  std::map<void*, uint64_t> host_allocations, registrations;
  std::map<std::string, std::pair<FakeKernel, void*>> kernels;
  struct Failure {
    CUresult result;
    int skip;
  };
  std::map<std::string, Failure> failures;
  int64_t launches = 0;

  static State& Get();
};

// The current device of the calling thread; null if no context is current.
Device*& Current();

// Every entry of the driver starts by making one: it takes the lock, and gives the result of
// injected failures, a missing context or the device's fault.
class Entry {
 public:
  Entry(const char* function, bool needs_context);
  bool failed() const { return result_ != CUDA_SUCCESS; }
  CUresult result() const { return result_; }

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  CUresult result_ = CUDA_SUCCESS;
};
#define FAKE_ENTRY(function)               \
  const Entry fake_entry(#function, true); \
  if (fake_entry.failed()) return fake_entry.result()

// The given stream, or the current device's default stream; null if the handle is invalid.
Stream* FindStream(CUstream stream);
// Queues work, to be run later.
void Enqueue(Stream* stream, std::function<CUresult()> work);
// Runs the queued work; the first fault stays with the device.
CUresult Drain(Stream* stream);
CUresult DrainDevice(Device* device);
int64_t Pending();

// The host address of device memory; null if it is not within one allocation.
char* Look(Device* device, CUdeviceptr address, uint64_t bytes);

// Reads the kernels of an image; returns CUDA_SUCCESS or the reason for failure.
CUresult ReadImage(const void* image, int arch, std::map<std::string, Kernel>* kernels);

}  // namespace lathe::cuda::fake
