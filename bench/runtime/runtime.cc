// Micro-benchmarks of the runtime. Prints the minimum and the median of many samples, one mechanism
// per line, beside the time of a plain C++ program for the same thing in the same run.
//
//   bazel run -c opt //bench/runtime -- [--openmp=LIBGOMP]
//
// Loops over threads are also given as multiples of the least that the machine takes for what any
// pool must do: a cache line that goes to another core and back, a sleeping thread that is woken.
// (The host may move a virtual machine's processors, so that a loop may be faster than the floor
// that was measured a moment before.) LIBGOMP is a library of GCC's OpenMP (PyTorch contains one,
// torch/lib/libgomp.so.1): its fork-join is timed beside ours.
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/function.h"
#include "runtime/registry.h"
#include "runtime/tensor.h"
#include "runtime/thread_pool.h"
#include "runtime/workspace.h"

namespace lathe::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double Nanoseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

// `floor`: nanoseconds that the machine itself takes, or 0. Returns the minimum.
double Report(const char* what, std::vector<double> samples, const char* goal, double floor = 0) {
  std::sort(samples.begin(), samples.end());
  std::printf("%-44s %10.1f %10.1f   %-8s", what, samples.front(), samples[samples.size() / 2],
              goal);
  if (floor > 0) std::printf(" %5.2f times the floor", samples.front() / floor);
  std::printf("\n");
  return samples.front();
}

// Nanoseconds per call of `body`.
template <class F>
void Time(const char* what, const char* goal, int calls, F body, double floor = 0) {
  std::vector<double> samples;
  for (int sample = 0; sample < 50; ++sample) {
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i) body();
    samples.push_back(Nanoseconds(begin) / calls);
  }
  Report(what, std::move(samples), goal, floor);
}

// One loop after a pause that lets the workers sleep.
template <class F>
void TimeCold(const char* what, const char* goal, F body, double floor = 0) {
  std::vector<double> samples;
  for (int sample = 0; sample < 100; ++sample) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto begin = Clock::now();
    body();
    samples.push_back(Nanoseconds(begin));
  }
  Report(what, std::move(samples), goal, floor);
}

// What any thread pool must spend, in nanoseconds.
struct Floors {
  double round_trip;  // a cache line to another thread, which spins, and another one back
  double wake;        // the system call that wakes a sleeper
  double run;         // from before that call until the sleeper has written a cache line
};

// Tells the processor that this thread spins.
void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void Wait(std::atomic<uint32_t>& word, uint32_t expected) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr,
          nullptr, 0);
}
void Wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr,
          0);
}

Floors MeasureFloors() {
  // Far enough apart for processors that fetch the neighbour of a line, too.
  struct alignas(512) Line {
    std::atomic<uint32_t> word{0};
  };
  static Line there_line, back_line;
  static std::atomic<uint32_t>&there = there_line.word, &back = back_line.word;
  Floors out{};
  {
    constexpr uint32_t kTrips = 200000;
    std::thread other([] {
      for (uint32_t i = 1; i <= kTrips; ++i) {
        while (there.load(std::memory_order_acquire) != i) Pause();
        back.exchange(i);
      }
    });
    std::vector<double> samples;
    for (uint32_t i = 1; i <= kTrips;) {
      const auto begin = Clock::now();
      for (int k = 0; k < 1000; ++k, ++i) {
        there.exchange(i);
        while (back.load(std::memory_order_acquire) != i) Pause();
      }
      samples.push_back(Nanoseconds(begin) / 1000);
    }
    other.join();
    out.round_trip = Report("a line to another thread and back", samples, "(floor)");
  }
  there = back = 0;
  constexpr uint32_t kWakes = 100;
  std::thread sleeper([] {
    for (uint32_t i = 1; i <= kWakes; ++i) {
      while (there.load() != i) Wait(there, i - 1);
      back.store(i);
    }
  });
  std::vector<double> wakes, runs;
  for (uint32_t i = 1; i <= kWakes; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto begin = Clock::now();
    there.store(i);
    Wake(there);
    wakes.push_back(Nanoseconds(begin));
    while (back.load() != i) {
    }
    runs.push_back(Nanoseconds(begin));
  }
  sleeper.join();
  out.wake = Report("futex: the call that wakes a sleeper", wakes, "(floor)");
  out.run = Report("futex: until the sleeper has run", runs, "(floor)");
  return out;
}

// GCC's OpenMP: what `#pragma omp parallel` calls. Null without a library.
using GompParallel = void (*)(void (*body)(void*), void* data, unsigned threads, unsigned flags);
GompParallel LoadOpenMp(const std::string& path) {
  if (path.empty()) return nullptr;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == nullptr ? nullptr : dlsym(library, "GOMP_parallel");
  if (symbol == nullptr) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), dlerror());
    std::exit(1);
  }
  return reinterpret_cast<GompParallel>(symbol);
}

void TimeOpenMp(GompParallel parallel, int threads, const Floors& floors) {
  if (parallel == nullptr) return;
  const auto loop = [=] { parallel([](void*) {}, nullptr, static_cast<unsigned>(threads), 0); };
  Time("  OpenMP (libgomp), hot, empty body", "", 20000, loop, floors.round_trip);
  // OpenMP's threads spin for longer than ours before they sleep.
  std::vector<double> samples;
  for (int sample = 0; sample < 30; ++sample) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto begin = Clock::now();
    loop();
    samples.push_back(Nanoseconds(begin));
  }
  Report("  OpenMP (libgomp), cold, empty body", samples, "", floors.run);
}

int32_t Nothing(void*, int64_t, int64_t) { return 0; }

// Both threads must take part: each part waits for the other.
int32_t Meet(void* arrived, int64_t, int64_t) {
  auto* count = static_cast<std::atomic<int>*>(arrived);
  count->fetch_add(1);
  while (count->load() < 2) {
  }
  return 0;
}

double ProcessorMilliseconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto in = [](const timeval& t) {
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  };
  return in(usage.ru_utime) + in(usage.ru_stime);
}

// The processor time of an idle pool during one second, which begins 10 ms after its last loop.
void ReportIdle() {
  ParallelFor(Nothing, nullptr, NumThreads());
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const double before = ProcessorMilliseconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  std::printf("%-44s %10.3f %10s   0\n", "  processor ms of an idle second",
              ProcessorMilliseconds() - before, "");
}

void Spend(int64_t steps) {
  for (volatile int64_t i = 0; i < steps; i = i + 1) {
  }
}

// Iteration i takes i steps: the last half has three quarters of the work. The figure is the time,
// divided by (the time of one thread / the number of threads): 1 is perfect balance.
void ReportUneven(int threads) {
  constexpr int64_t kIterations = 512;
  const auto steps = [](int64_t i) { return 40 * i; };
  const auto loop = [&](bool parallel) {
    double best = 1e30;
    for (int sample = 0; sample < 20; ++sample) {
      const auto begin = Clock::now();
      const auto body = [&](int64_t first, int64_t end) {
        for (int64_t i = first; i < end; ++i) Spend(steps(i));
      };
      if (parallel) {
        ParallelFor(kIterations, body);
      } else {
        body(0, kIterations);
      }
      best = std::min(best, Nanoseconds(begin));
    }
    return best;
  };
  const auto halves = [&] {  // the time of equal pieces: that of the last one
    double best = 1e30;
    for (int sample = 0; sample < 20; ++sample) {
      const auto begin = Clock::now();
      for (int64_t i = kIterations - kIterations / threads; i < kIterations; ++i) Spend(steps(i));
      best = std::min(best, Nanoseconds(begin));
    }
    return best;
  };
  const double perfect = loop(false) / threads;
  std::printf("%-44s %10.2f %10s   1 (equal pieces: %.2f)\n",
              "  uneven loop, time over perfect balance", loop(true) / perfect, "",
              halves() / perfect);
}

int Main(const std::string& openmp_path) {
  std::printf("%-44s %10s %10s   %s\n", "", "min ns", "median ns", "goal");
  Tensor a = Tensor::Empty({16}, DataType::Float(32)).value();
  Tensor b = Tensor::Empty({16}, DataType::Float(32)).value();
  Tensor c = Tensor::Empty({16}, DataType::Float(32)).value();

  const Function packed = Function::From([](const Args& args, Value*) {
    if (args.size() != 3) std::abort();
  });
  Time("packed call, 3 tensors", "< 20", 200000, [&] { packed(a, b, c); });
  const Function borrowed =
      Function::From([](const DLTensor* x, const DLTensor* y, const DLTensor* z) {
        if (x->ndim != y->ndim || z->ndim != 1) std::abort();
      });
  Time("typed call, 3 DLTensor*", "< 20", 200000, [&] { borrowed(a, b, c); });
  const Function shared = Function::From([](Tensor x, Tensor y, Tensor z) {
    if (x.rank() != y.rank() || z.rank() != 1) std::abort();
  });
  Time("typed call, 3 Tensor (references counted)", "", 200000, [&] { shared(a, b, c); });
  const std::function<int64_t(int64_t, int64_t)> plain = [](int64_t x, int64_t y) { return x + y; };
  const Function add = Function::From([](int64_t x, int64_t y) { return x + y; });
  Time("typed call, 2 ints and a result", "", 200000, [&] { add(1, 2); });
  Time("  std::function with the same", "", 200000, [&] {
    volatile int64_t sum = plain(1, 2);
    static_cast<void>(sum);
  });
  RegisterGlobal("bench.add", add).IgnoreError();
  Time("registry look-up by name", "", 100000, [&] { FindGlobal("bench.add"); });
  Time("tensor new and drop, 16 floats", "", 50000,
       [&] { Tensor::Empty({16}, DataType::Float(32)).status().IgnoreError(); });
  Time("tensor view new and drop", "", 50000, [&] { a.Slice(0, 2, 8); });
  Time("workspace alloc and free, 64 KB", "", 100000, [&] {
    void* data = WorkspaceAlloc(Device::Cpu(), 65536).value();
    WorkspaceFree(Device::Cpu(), data).IgnoreError();
  });

  const Floors floors = MeasureFloors();
  const GompParallel openmp = LoadOpenMp(openmp_path);
  const int all = NumThreads();
  for (int threads : {2, all}) {
    SetNumThreads(threads);
    std::printf("-- %d threads\n", threads);
    Time(
        "fork-join, hot, empty body", "< 300", 20000,
        [&] { ParallelFor(Nothing, nullptr, threads); }, floors.round_trip);
    if (threads == 2)
      Time(
          "fork-join, hot, both threads must meet", "", 20000,
          [&] {
            std::atomic<int> arrived{0};
            ParallelFor(Meet, &arrived, 2);
          },
          floors.round_trip);
    TimeCold(
        "fork-join, cold, empty body", "< 15000", [&] { ParallelFor(Nothing, nullptr, threads); },
        floors.wake);
    if (threads == 2)
      TimeCold(
          "fork-join, cold, both threads must meet", "",
          [&] {
            std::atomic<int> arrived{0};
            ParallelFor(Meet, &arrived, 2);
          },
          floors.run);
    TimeOpenMp(openmp, threads, floors);
    ReportUneven(threads);
    ReportIdle();
    if (all <= 2) break;
  }
  TimeCold("  std::thread start and join", "", [] { std::thread([] {}).join(); });
  return 0;
}

}  // namespace
}  // namespace lathe::runtime

int main(int argc, char** argv) {
  std::string openmp;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--openmp=", 0) != 0) {
      std::fprintf(stderr, "usage: runtime [--openmp=LIBGOMP]\n");
      return 2;
    }
    openmp = argument.substr(9);
  }
  return lathe::runtime::Main(openmp);
}
