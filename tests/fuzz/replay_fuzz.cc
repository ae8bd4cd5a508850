#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

// testdata holds one file of four bytes, so the replay has to run sizes 4, 0, 1, 2, 3.
constexpr size_t kExpected[] = {4, 0, 1, 2, 3};
size_t runs = 0;

void CheckRuns() {
  if (runs == 5) return;
  std::fprintf(stderr, "%zu inputs, expected 5\n", runs);
  std::_Exit(1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (runs == 0) std::atexit(CheckRuns);
  if (runs < 5 && (size != kExpected[runs] || (size > 0 && data[0] != 'a'))) {
    std::fprintf(stderr, "input %zu has size %zu\n", runs, size);
    std::abort();
  }
  ++runs;
  return 0;
}
