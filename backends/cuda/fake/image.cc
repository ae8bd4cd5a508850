// Reads which kernels an image has, and the sizes of their parameters.

#include <elf.h>

#include <cstring>
#include <string_view>

#include "backends/cuda/fake/state.h"

namespace lathe::cuda::fake {
namespace {

// Attributes in a section .nv.info.KERNEL: a format, a number, then 16 bits that hold the value or
// the size of a value.
constexpr uint8_t kSizedValue = 4;
constexpr uint8_t kParameter = 0x17;

template <class T>
T At(const char* bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

void ReadParameters(const char* info, uint64_t size, Kernel* kernel) {
  for (uint64_t at = 0; at + 4 <= size;) {
    const auto format = At<uint8_t>(info, at), attribute = At<uint8_t>(info, at + 1);
    const auto bytes = At<uint16_t>(info, at + 2);
    at += 4;
    if (format != kSizedValue) continue;
    if (attribute == kParameter) {
      const auto ordinal = At<uint16_t>(info, at + 4), offset = At<uint16_t>(info, at + 6);
      const auto bits = At<uint32_t>(info, at + 8);
      if (kernel->param_bytes.size() <= ordinal) {
        kernel->param_bytes.resize(ordinal + 1u);
        kernel->param_offsets.resize(ordinal + 1u);
      }
      kernel->param_bytes[ordinal] = bits >> 18;
      kernel->param_offsets[ordinal] = offset;
    }
    at += bytes;
  }
}

CUresult ReadCubin(const char* image, int arch, std::map<std::string, Kernel>* kernels) {
  const auto header = At<Elf64_Ehdr>(image, 0);
  if (static_cast<int>(header.e_flags >> 8 & 0xff) != arch) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  const auto section = [&](unsigned i) {
    return At<Elf64_Shdr>(image, header.e_shoff + uint64_t{i} * header.e_shentsize);
  };
  const char* names = image + section(header.e_shstrndx).sh_offset;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const std::string_view name = names + section(i).sh_name;
    constexpr std::string_view kInfo = ".nv.info.", kCode = ".text.", kShared = ".nv.shared.";
    if (name.starts_with(kCode)) {
      (*kernels)[std::string(name.substr(kCode.size()))].name = name.substr(kCode.size());
    } else if (name.starts_with(kShared) && !name.ends_with("reserved.0")) {
      (*kernels)[std::string(name.substr(kShared.size()))].static_shared =
          static_cast<int>(section(i).sh_size);
    } else if (name.starts_with(kInfo)) {
      ReadParameters(image + section(i).sh_offset, section(i).sh_size,
                     &(*kernels)[std::string(name.substr(kInfo.size()))]);
    }
  }
  return kernels->empty() ? CUDA_ERROR_INVALID_IMAGE : CUDA_SUCCESS;
}

// `.visible .entry name(.param .u64 name_param_0, ...)`.
CUresult ReadPtx(std::string_view text, std::map<std::string, Kernel>* kernels) {
  constexpr std::string_view kEntry = ".entry ";
  for (size_t at = text.find(kEntry); at != text.npos; at = text.find(kEntry, at)) {
    at += kEntry.size();
    const size_t open = text.find('(', at), close = text.find(')', at);
    if (open == text.npos || close == text.npos) return CUDA_ERROR_INVALID_PTX;
    const std::string name(text.substr(at, open - at));
    Kernel& kernel = (*kernels)[name];
    kernel.name = name;
    std::string_view params = text.substr(open, close - open);
    for (size_t param = params.find(".param"); param != params.npos;
         param = params.find(".param", param + 1)) {
      const size_t type = params.find_first_of("0123456789", param);
      const int bits = type == params.npos ? 0 : std::atoi(params.data() + type);
      if (bits % 8 != 0 || bits == 0) return CUDA_ERROR_INVALID_PTX;
      kernel.param_bytes.push_back(static_cast<uint64_t>(bits / 8));
    }
  }
  return kernels->empty() ? CUDA_ERROR_INVALID_PTX : CUDA_SUCCESS;
}

}  // namespace

CUresult ReadImage(const void* image, int arch, std::map<std::string, Kernel>* kernels) {
  const auto* bytes = static_cast<const char*>(image);
  if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) return ReadCubin(bytes, arch, kernels);
  const std::string_view text = bytes;
  if (text.find(".version") == text.npos) return CUDA_ERROR_INVALID_IMAGE;
  return ReadPtx(text, kernels);
}

}  // namespace lathe::cuda::fake
