#include "driver/build_many.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace lathe::driver {
namespace {

int UsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// Threads of their own, not the pool's: these live for milliseconds, and the pool's are there for
// kernels that run meanwhile.
template <class T, class F>
std::vector<absl::StatusOr<T>> ForEach(size_t count, int threads, F make) {
  std::vector<absl::StatusOr<T>> out(count, absl::UnknownError("not compiled"));
  std::vector<std::exception_ptr> thrown(count);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        out[i] = make(i);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    }
  };
  const size_t wanted = std::min(count, static_cast<size_t>(threads > 0 ? threads : UsableCores()));
  std::vector<std::thread> others;
  for (size_t i = 1; i < wanted; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
  return out;
}

}  // namespace

std::vector<absl::StatusOr<runtime::Module>> BuildMany(std::span<const ProgramToCompile> programs,
                                                       CompileCache* cache, int threads) {
  return ForEach<runtime::Module>(programs.size(), threads,
                                  [&](size_t i) { return BuildProgram(programs[i], cache); });
}

std::vector<absl::StatusOr<std::string>> CompileMany(std::span<const ProgramToCompile> programs,
                                                     plugins::OutputKind output,
                                                     CompileCache* cache, int threads) {
  return ForEach<std::string>(programs.size(), threads,
                              [&](size_t i) { return CompileProgram(programs[i], output, cache); });
}

}  // namespace lathe::driver
