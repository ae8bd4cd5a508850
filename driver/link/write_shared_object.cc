// usage: write_shared_object EXPORT,EXPORT... OUTPUT OBJECT...
#include <cstdio>
#include <fstream>
#include <iterator>

#include "absl/strings/str_split.h"
#include "driver/link/shared_object.h"

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  lathe::driver::SharedObjectOptions options;
  options.exports = absl::StrSplit(argv[1], ',');
  std::vector<std::string> contents;
  std::vector<lathe::runtime::ObjectBytes> objects;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  for (int i = 3; i < argc; ++i) objects.push_back({argv[i], contents[i - 3]});
  const absl::StatusOr<lathe::Pieces> bytes = lathe::driver::LinkSharedObject(objects, options);
  if (!bytes.ok()) {
    std::fprintf(stderr, "%s\n", bytes.status().ToString().c_str());
    return 1;
  }
  return (std::ofstream(argv[2], std::ios::binary) << bytes->Join()) ? 0 : 1;
}
