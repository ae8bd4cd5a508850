#include "runtime/plugin_loader/plugin_search.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace lathe::runtime {
namespace {

bool IsInProgram(const void* code) {
  struct Search {
    uintptr_t address;
    bool found = false;
  } search{reinterpret_cast<uintptr_t>(code)};
  const auto visit = [](dl_phdr_info* program, size_t, void* data) {
    auto* wanted = static_cast<Search*>(data);
    for (int i = 0; i < program->dlpi_phnum; ++i) {
      const auto& part = program->dlpi_phdr[i];
      const uintptr_t begin = program->dlpi_addr + part.p_vaddr;
      if (part.p_type == PT_LOAD && wanted->address - begin < part.p_memsz) wanted->found = true;
    }
    return 1;  // the program comes first; stop before the libraries
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

}  // namespace

bool IsFolder(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string RealPath(const std::string& path) {
  char buffer[PATH_MAX];
  return realpath(path.c_str(), buffer) == nullptr ? "" : std::string(buffer);
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

std::vector<std::string> SharedLibrariesIn(const std::string& folder) {
  std::vector<std::string> files;
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) return files;
  while (const dirent* entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name.ends_with(".so")) files.push_back(folder + "/" + entry->d_name);
  }
  closedir(directory);
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t colon = path.find(':');
    if (colon != 0) parts.emplace_back(path.substr(0, colon));
    path = colon == std::string_view::npos ? std::string_view() : path.substr(colon + 1);
  }
  return parts;
}

std::string FileOfCode(const void* code) {
  // For the program itself dladdr returns argv[0], which is a bare name if it was found on PATH.
  if (IsInProgram(code)) return RealPath("/proc/self/exe");
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr || info.dli_fname[0] != '/') return "";
  return RealPath(info.dli_fname);
}

std::string FindInstallationFolder() {
  const std::string self = FileOfCode(reinterpret_cast<const void*>(&FindInstallationFolder));
  if (self.empty()) return "";
  const std::string folder = FolderOf(self);
  for (const std::string& candidate : {folder + "/lathe/plugins", folder + "/../lib/lathe/plugins",
                                       self + ".runfiles/lathe/plugins/default"}) {
    if (IsFolder(candidate)) return RealPath(candidate);
  }
  return "";
}

}  // namespace lathe::runtime
