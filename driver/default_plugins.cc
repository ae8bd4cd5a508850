#include "driver/default_plugins.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "runtime/init.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/plugin_loader/plugin_search.h"
#include "te/tensor_intrin.h"
#include "topi/cpu/dot_intrinsics.h"

namespace lathe::driver {

void UseDefaultPlugins() {
  static const bool once = [] {
    namespace fs = std::filesystem;
    runtime::Initialize();
    te::AddTensorIntrinLibrary(topi::cpu::RegisterDotIntrins);
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    constexpr const char* kInRunfiles = "lathe/plugins/default";
    std::vector<fs::path> folders;
    for (const char* variable : {"RUNFILES_DIR", "TEST_SRCDIR"}) {
      // A relative path depends on the current folder, which may belong to anybody.
      if (const char* root = secure_getenv(variable); root != nullptr && root[0] == '/')
        folders.push_back(fs::path(root) / kInRunfiles);
    }
    folders.push_back(fs::path(program.string() + ".runfiles") / kInRunfiles);
    // If this code is in liblathe_compiler.so: the installation that the library belongs to.
    const std::string self = runtime::FileOfCode(reinterpret_cast<const void*>(&UseDefaultPlugins));
    if (!self.empty()) folders.push_back(fs::path(self).parent_path() / "lathe" / "plugins");
    folders.push_back(program.parent_path().parent_path() / "lib" / "lathe" / "plugins");
    // The program of the Python package.
    folders.push_back(program.parent_path().parent_path() / "plugins");
    for (const fs::path& folder : folders) {
      if (!fs::is_directory(folder, ignored)) continue;
      runtime::PluginLoader::Global().AddFolder(folder.string());
      break;
    }
    return true;
  }();
  (void)once;
}

}  // namespace lathe::driver
