// A build step: `digest_sources @FILE`. FILE lists the header to write, the name of the constant in
// it, then the sources, one per line. The output depends only on the sources' names and contents.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/digest.h"

namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "digest_sources: cannot read %s\n", path.c_str());
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] != '@') {
    std::fprintf(stderr, "usage: digest_sources @FILE\n");
    return 2;
  }
  std::ifstream list(argv[1] + 1);
  std::vector<std::string> paths;
  for (std::string line; std::getline(list, line);) paths.push_back(line);
  if (paths.size() < 3) {
    std::fprintf(stderr, "digest_sources: no sources\n");
    return 1;
  }
  const std::string out = paths[0], constant = paths[1];
  paths.erase(paths.begin(), paths.begin() + 2);
  std::sort(paths.begin(), paths.end());
  std::string all;
  for (const std::string& path : paths) {
    // The path of a generated source contains a folder for the build configuration, which says
    // nothing about the source.
    const size_t bin = path.find("/bin/");
    all += bin == std::string::npos ? path : path.substr(bin + 5);
    all += " " + lathe::DigestOf(ReadFile(path)).ToString() + "\n";
  }
  std::ofstream header(out, std::ios::binary);
  header << "// Generated: the digest of the compiler's sources.\n#pragma once\n\nnamespace "
            "lathe {\n\ninline constexpr char "
         << constant << "[] = \"" << lathe::DigestOf(all).ToString()
         << "\";\n\n}  // namespace lathe\n";
  header.close();
  return header ? 0 : 1;
}
