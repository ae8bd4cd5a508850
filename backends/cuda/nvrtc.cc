#include "backends/cuda/nvrtc.h"

#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

namespace fs = std::filesystem;

#define LATHE_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion)                \
  X(nvrtcGetErrorString)         \
  X(nvrtcCreateProgram)          \
  X(nvrtcDestroyProgram)         \
  X(nvrtcCompileProgram)         \
  X(nvrtcGetProgramLogSize)      \
  X(nvrtcGetProgramLog)          \
  X(nvrtcGetCUBINSize)           \
  X(nvrtcGetCUBIN)               \
  X(nvrtcGetPTXSize)             \
  X(nvrtcGetPTX)

struct Library {
#define LATHE_NVRTC_MEMBER(name) decltype(&::name) name = nullptr;
  LATHE_NVRTC_FUNCTIONS(LATHE_NVRTC_MEMBER)
#undef LATHE_NVRTC_MEMBER
  Nvrtc about;
  std::string problem;  // the reason if there is none, else ""
};

// The files of a folder whose names begin with `start`, the longest name and highest number first.
std::vector<fs::path> FilesLike(const fs::path& folder, std::string_view start) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(start)) found.push_back(entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

bool LookUp(void* handle, Library* library) {
#define LATHE_NVRTC_LOOK_UP(name)                                                  \
  library->name = reinterpret_cast<decltype(library->name)>(dlsym(handle, #name)); \
  if (library->name == nullptr) return false;
  LATHE_NVRTC_FUNCTIONS(LATHE_NVRTC_LOOK_UP)
#undef LATHE_NVRTC_LOOK_UP
  return library->nvrtcVersion(&library->about.major, &library->about.minor) == NVRTC_SUCCESS;
}

// Opens the libraries; they are never closed. NVRTC finds the library of its built-in functions
// only where the loader searches, so that library is opened first by its path.
bool OpenIn(const fs::path& folder, Library* library) {
  for (const fs::path& path : FilesLike(folder, "libnvrtc.so")) {
    for (const fs::path& builtins : FilesLike(folder, "libnvrtc-builtins.so")) {
      if (dlopen(fs::absolute(builtins).c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) break;
    }
    void* handle = dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr || !LookUp(handle, library)) continue;
    library->about.library = fs::absolute(path);
    return true;
  }
  return false;
}

std::string IncludeOf(const fs::path& root) {
  for (const char* folder : {"include", "targets/x86_64-linux/include"}) {
    if (fs::exists(root / folder / "cuda_fp16.h")) return fs::absolute(root / folder);
  }
  return "";
}

Library Open() {
  Library library;
  bool only = false;
  const std::vector<std::string> folders = ToolkitFolders(&only);
  std::string tried;
  for (const fs::path root : folders) {
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
      if (!OpenIn(root / folder, &library)) continue;
      library.about.include = IncludeOf(root);
      return library;
    }
    tried += (tried.empty() ? "" : ", ") + root.string();
  }
  if (only) {
    library.problem = "libnvrtc is not in " + tried + ", which LATHE_CUDA_HOME names";
    return library;
  }
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr || !LookUp(handle, &library)) continue;
    Dl_info info{};
    library.about.library = name;
    if (dladdr(reinterpret_cast<void*>(library.nvrtcVersion), &info) != 0) {
      library.about.library = info.dli_fname;
      library.about.include = IncludeOf(fs::path(info.dli_fname).parent_path().parent_path());
    }
    return library;
  }
  library.problem = "libnvrtc is neither in " + tried + " nor where the loader looks";
  return library;
}

const Library& GetLibrary() {
  static const Library& library = *new Library(Open());
  if (!library.problem.empty()) {
    throw sdk::Error(LATHE_UNAVAILABLE, "cuda-no-compiler",
                     "NVRTC, which compiles kernels, is not here: " + library.problem,
                     "help: install the CUDA toolkit, or the Python packages nvidia-cuda-nvrtc and "
                     "nvidia-cuda-runtime, and name its folder in LATHE_CUDA_HOME");
  }
  return library;
}

// A program of the library; the destructor destroys it.
class Program {
 public:
  Program(const Library& library, const std::string& source, const std::string& name)
      : library_(library) {
    Check(library_.nvrtcCreateProgram(&program_, source.c_str(), name.c_str(), 0, nullptr, nullptr),
          "reading the source");
  }
  ~Program() { library_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcResult Compile(const std::vector<const char*>& options) {
    return library_.nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
  }
  template <class Size, class Get>
  std::string Text(Size size, Get get, const char* what) {
    size_t bytes = 0;
    Check(size(program_, &bytes), what);
    std::string out(bytes, '\0');
    Check(get(program_, out.data()), what);
    return out;
  }
  void Check(nvrtcResult result, const char* doing) {
    if (result == NVRTC_SUCCESS) return;
    throw sdk::Error(
        LATHE_INTERNAL, "cuda-compile-failed",
        std::string("NVRTC failed, ") + doing + ": " + library_.nvrtcGetErrorString(result));
  }

 private:
  const Library& library_;
  nvrtcProgram program_ = nullptr;
};

void TrimNul(std::string* text) {
  while (!text->empty() && (text->back() == '\0' || text->back() == '\n')) text->pop_back();
}

}  // namespace

const Nvrtc& GetNvrtc() { return GetLibrary().about; }

Compiled CompileCuda(const std::string& source, const std::string& name, const std::string& arch,
                     const std::vector<std::string>& options) {
  const Library& library = GetLibrary();
  std::vector<std::string> all = {"--gpu-architecture=" + arch, "--std=c++17"};
  const bool to_ptx = arch.starts_with("compute_");
  if (!to_ptx) all.push_back("--ptxas-options=-v");
  if (!library.about.include.empty()) all.push_back("--include-path=" + library.about.include);
  all.insert(all.end(), options.begin(), options.end());
  std::vector<const char*> pointers;
  for (const std::string& option : all) pointers.push_back(option.c_str());

  Program program(library, source, name);
  const nvrtcResult result = program.Compile(pointers);
  Compiled out;
  std::string log =
      program.Text(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, "reading its log");
  TrimNul(&log);
  out.log = CleanLog(log);
  if (result != NVRTC_SUCCESS) {
    std::string note;
    if (library.about.include.empty())
      note = "help: the toolkit's headers were not found beside " + library.about.library + "\n";
    ThrowCompileFailed(source, name, arch, library.nvrtcGetErrorString(result), out.log, note);
  }
  if (to_ptx) {
    out.code = program.Text(library.nvrtcGetPTXSize, library.nvrtcGetPTX, "giving PTX");
    TrimNul(&out.code);
  } else {
    out.code = program.Text(library.nvrtcGetCUBINSize, library.nvrtcGetCUBIN, "giving a cubin");
  }
  return out;
}

}  // namespace lathe::cuda
