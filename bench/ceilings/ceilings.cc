// The most that this machine can do, for one thread and for all: `ceilings [THREADS...]` prints one
// JSON line for each number of threads.
//
//   float32: multiply-adds in registers, GFLOP/s, of all threads together
//   int8, bfloat16: dot products in registers, likewise, and the instruction; 0 if there is none
//   read, copy: GB/s over arrays of 32 KB, 256 KB (per thread) and 256 MB (together)
//
// Each figure is the best of several tries: a ceiling is what can be reached, not what is usual.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "bench/ceilings/peak.h"
#include "bench/ceilings/peak_dot.h"

namespace lathe::bench {
namespace {

std::atomic<double> g_sink;  // results go here, so that work is not optimised away

double Seconds(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Runs `body(thread)` on `threads` threads at once. Returns the seconds of the slowest one, counted
// from the moment when all threads have started.
double TimeTogether(int threads, const std::function<void(int)>& body) {
  std::atomic<int> waiting{threads};
  std::vector<double> took(static_cast<size_t>(threads));
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([&, t] {
      --waiting;
      while (waiting.load() > 0) {
      }
      took[static_cast<size_t>(t)] = Seconds([&] { body(t); });
    });
  }
  for (std::thread& thread : pool) thread.join();
  return *std::max_element(took.begin(), took.end());
}

struct Level {
  double (*peak)(int64_t);
  uint64_t (*read_all)(const uint64_t*, int64_t);
  int lanes;
};

Level BestLevel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    return {Peak_v4, ReadAll_v4, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {Peak_v3, ReadAll_v3, 8};
#endif
  return {Peak_v2, ReadAll_v2, 4};
}

double MeasureFloat32(int threads) {
  const Level level = BestLevel();
  const int64_t rounds = 4'000'000;
  double best = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    const double seconds = TimeTogether(threads, [&](int) { g_sink.store(level.peak(rounds)); });
    best = std::max(
        best, static_cast<double>(rounds * PeakOperations(level.lanes)) * threads / seconds / 1e9);
  }
  return best;
}

double MeasureDots(int threads, const DotPeak& peak) {
  if (peak.run == nullptr) return 0;
  const int64_t rounds = 4'000'000;
  double best = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    const double seconds = TimeTogether(threads, [&](int) { peak.run(rounds); });
    best = std::max(best, static_cast<double>(rounds * peak.operations) * threads / seconds / 1e9);
  }
  return best;
}

struct Bandwidth {
  double read, copy;  // GB/s; a copy counts bytes read plus bytes written
};

Bandwidth MeasureBandwidth(int threads, int64_t bytes_per_thread) {
  const size_t bytes = static_cast<size_t>(bytes_per_thread);
  std::vector<char*> from, to;
  for (int t = 0; t < threads; ++t) {
    from.push_back(static_cast<char*>(std::aligned_alloc(4096, bytes)));
    to.push_back(static_cast<char*>(std::aligned_alloc(4096, bytes)));
    std::memset(from.back(), 1, bytes);
    std::memset(to.back(), 1, bytes);
  }
  const int64_t times = std::max<int64_t>(1, (int64_t{256} << 20) / bytes_per_thread);
  const double moved = static_cast<double>(bytes_per_thread * times) * threads / 1e9;
  Bandwidth best{0, 0};
  const Level level = BestLevel();
  const auto read = [&](int t) {
    const uint64_t* data = reinterpret_cast<const uint64_t*>(from[static_cast<size_t>(t)]);
    for (int64_t n = 0; n < times; ++n) {
      g_sink.store(static_cast<double>(level.read_all(data, bytes_per_thread / 8)));
    }
  };
  const auto copy = [&](int t) {
    for (int64_t n = 0; n < times; ++n) {
      std::memcpy(to[static_cast<size_t>(t)], from[static_cast<size_t>(t)], bytes);
      asm volatile("" ::: "memory");
    }
  };
  for (int attempt = 0; attempt < 6; ++attempt) {
    best.read = std::max(best.read, moved / TimeTogether(threads, read));
    best.copy = std::max(best.copy, 2 * moved / TimeTogether(threads, copy));
  }
  for (char* data : from) std::free(data);
  for (char* data : to) std::free(data);
  return best;
}

void Print(int threads) {
  const Bandwidth l1 = MeasureBandwidth(threads, 16 << 10);
  const Bandwidth l2 = MeasureBandwidth(threads, 256 << 10);
  const Bandwidth memory = MeasureBandwidth(threads, (int64_t{256} << 20) / threads);
  const DotPeak int8 = BestInt8Peak(), bfloat16 = BestBfloat16Peak();
  std::printf(
      "{\"threads\": %d, \"float32_gflops\": %.1f, \"int8_gops\": %.1f, \"int8_instruction\": "
      "\"%s\", \"bfloat16_gflops\": %.1f, \"bfloat16_instruction\": \"%s\", \"l1_read\": %.1f, "
      "\"l1_copy\": %.1f, "
      "\"l2_read\": %.1f, \"l2_copy\": %.1f, \"memory_read\": %.1f, \"memory_copy\": "
      "%.1f}\n",
      threads, MeasureFloat32(threads), MeasureDots(threads, int8), int8.instruction,
      MeasureDots(threads, bfloat16), bfloat16.instruction, l1.read, l1.copy, l2.read, l2.copy,
      memory.read, memory.copy);
  std::fflush(stdout);
}

}  // namespace
}  // namespace lathe::bench

int main(int argc, char** argv) {
  std::vector<int> threads;
  for (int i = 1; i < argc; ++i) threads.push_back(std::max(1, std::atoi(argv[i])));
  if (threads.empty()) threads = {1, static_cast<int>(std::thread::hardware_concurrency())};
  for (const int n : threads) lathe::bench::Print(n);
}
