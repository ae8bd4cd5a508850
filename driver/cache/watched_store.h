// What the tests of CacheStore share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/digest.h"
#include "driver/cache/store.h"
#include "runtime/status.h"

namespace lathe::driver {

inline std::string FreshFolder(const char* name) {
  const std::string folder = testing::TempDir() + "/" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

inline Digest KeyOf(uint64_t number) { return {number, ~number * 7}; }
inline std::string BytesOf(uint64_t number, size_t size) {
  std::string out(size, '\0');
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>(number * 31 + i * 7 + (i >> 8));
  return out;
}

// A store that records its complaints.
struct Watched {
  explicit Watched(const std::string& folder, uint64_t max_bytes = 1 << 20)
      : store({folder, max_bytes}, [this](const absl::Status& status) {
          said.emplace_back(runtime::StatusName(status));
        }) {}
  std::vector<std::string> said;
  CacheStore store;
};

inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace lathe::driver
