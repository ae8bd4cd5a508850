// Replays a fuzz target over the files named on the command line, without a fuzzer: each file as a
// whole, then its prefixes, as if it had been cut off.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// Long files are cut at this many evenly spaced places.
constexpr size_t kMaxPrefixes = 512;

void RunOne(const std::string& bytes, size_t size) {
  // A copy of exactly this size, so that a sanitizer sees a read past the end.
  std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
  for (size_t i = 0; i < size; ++i) copy[i] = static_cast<uint8_t>(bytes[i]);
  LLVMFuzzerTestOneInput(copy.get(), size);
}

}  // namespace

int main(int argc, char** argv) {
  size_t runs = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "replay: cannot read %s\n", argv[i]);
      return 1;
    }
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::printf("%s: %zu bytes\n", argv[i], bytes.size());
    std::fflush(stdout);
    RunOne(bytes, bytes.size());
    ++runs;
    const size_t step = bytes.size() / kMaxPrefixes + 1;
    for (size_t size = 0; size < bytes.size(); size += step, ++runs) RunOne(bytes, size);
  }
  std::printf("%zu inputs\n", runs);
  if (runs == 0) std::fprintf(stderr, "replay: no inputs\n");
  return runs == 0 ? 1 : 0;
}
