// Measures the expansions over every float32: `bazel run //lower/math:exhaustive [-- function
// ...]`. Takes some minutes a function; exits with 1 where an error is above 2 units of the last
// place.

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/thread.h"
#include "lower/math/accuracy.h"
#include "lower/math/expansion.h"
#include "runtime/start_thread.h"

int main(int argc, char** argv) {
  using namespace lathe::lower;
  namespace runtime = lathe::runtime;
  std::vector<std::string> functions(argv + 1, argv + argc);
  if (functions.empty()) functions = ExpandedFunctions();
  bool good = true;
  for (const std::string& function : functions) {
    for (const bool contract : {false, true}) {
      const MathProgram program(function, contract);
      constexpr uint64_t kParts = 1024, kPart = (uint64_t{1} << 32) / kParts;
      std::atomic<uint64_t> next{0};
      std::mutex mutex;
      WorstError worst;
      const auto measure = [&] {
        for (uint64_t part = next++; part < kParts; part = next++) {
          const WorstError found =
              MeasureRange(program, function, part * kPart, (part + 1) * kPart);
          const std::lock_guard lock(mutex);
          if (found.ulps > worst.ulps) worst = found;
        }
      };
      // The threads that there are do all of it, this one at least.
      std::vector<lathe::Thread> others;
      for (unsigned t = 1; t < std::thread::hardware_concurrency(); ++t) {
        auto started = runtime::StartThread("measuring", measure);
        if (!started.ok()) break;
        others.push_back(*std::move(started));
      }
      measure();
      for (lathe::Thread& other : others) other.join();
      std::printf("%-8s %s  %.3f ulp at %a (%.9g)\n", function.c_str(),
                  contract ? "contracted" : "plain     ", worst.ulps, static_cast<double>(worst.at),
                  static_cast<double>(worst.at));
      std::fflush(stdout);
      good = good && worst.ulps <= 2;
    }
  }
  return good ? 0 : 1;
}
