#include "tests/faults/own_part.h"

#include <link.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace lathe::faults {
namespace {

bool IsLathes(const std::string& name) {
  for (const std::string_view prefix : {"lathe::", "std::", "absl::", "operator ", "__cxa_",
                                        "void lathe::", "void std::", "decltype"}) {
    if (name.starts_with(prefix)) return true;
  }
  return name.find("lathe::") != std::string::npos;
}

template <size_t N>
bool StartsWithOneOf(const std::string& text, const std::string_view (&prefixes)[N]) {
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// Libraries, by the beginnings of their files' names.
constexpr std::string_view kForeign[] = {"libLLVM", "libclang", "libpocl",  "libOpenCL", "libhwloc",
                                         "libltdl", "libxml2",  "libnvrtc", "libcuda.so"};
constexpr std::string_view kPythons[] = {"python3", "libpython", "_ctypes", "libffi",
                                         "_multiarray_umath"};

bool IsForeign(const Symbol& symbol) {
  if (symbol.name.find("llvm::") != std::string::npos || symbol.name.starts_with("LLVM"))
    return true;
  // LLVM is linked into its plugin. Some of LLVM's functions there have no namespace of their own.
  if (symbol.object == "libllvm.so" && !IsLathes(symbol.name)) return true;
  return StartsWithOneOf(symbol.object, kForeign);
}

}  // namespace

uint64_t OwnPart(const Site& site, Symbols& symbols) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, a frame at a time
  bool own = false, ended = false;
  for (const void* frame : site.frames) {
    if (frame == nullptr) break;
    const Symbol& symbol = symbols.Of(frame);
    if (IsForeign(symbol)) return 0;
    ended = ended || StartsWithOneOf(symbol.object, kPythons);
    if (ended) continue;
    own = own || !symbol.object.starts_with("libc.so");
    hash = (hash ^ reinterpret_cast<uintptr_t>(frame)) * 0x100000001b3;
  }
  return own || !ended ? hash | 1 : 0;
}

std::vector<Code> ForeignCode() {
  std::vector<Code> found;
  const auto enter = [](dl_phdr_info* info, size_t, void* into) {
    std::string_view name = info->dlpi_name;
    name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
    if (!StartsWithOneOf(std::string(name), kForeign)) return 0;
    for (const auto* part = info->dlpi_phdr; part != info->dlpi_phdr + info->dlpi_phnum; ++part) {
      const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
      if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0)
        static_cast<std::vector<Code>*>(into)->push_back({begin, begin + part->p_memsz});
    }
    return 0;
  };
  dl_iterate_phdr(enter, &found);
  return found;
}

}  // namespace lathe::faults
