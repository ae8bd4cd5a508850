#include "runtime/device.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>

#include "base/error.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr int32_t kLargestKind = 32767;

struct KnownKind {
  std::string_view name;
  int32_t kind;
};

// The first name of a kind is the one that is printed; the others are aliases.
constexpr KnownKind kKnownKinds[] = {
    {"cpu", kDLCPU},
    {"cuda", kDLCUDA},
    {"cuda_host", kDLCUDAHost},
    {"opencl", kDLOpenCL},
    {"cl", kDLOpenCL},
    {"vulkan", kDLVulkan},
    {"metal", kDLMetal},
    {"vpi", kDLVPI},
    {"rocm", kDLROCM},
    {"rocm_host", kDLROCMHost},
    {"cuda_managed", kDLCUDAManaged},
    {"oneapi", kDLOneAPI},
    {"webgpu", kDLWebGPU},
    {"hexagon", kDLHexagon},
    {"maia", kDLMAIA},
    {"trn", kDLTrn},
};

struct Extensions {
  std::mutex mutex;
  std::map<std::string, int32_t, std::less<>> codes;
};
Extensions& Registered() {
  static Extensions* extensions = new Extensions;
  return *extensions;
}

bool ValidName(std::string_view name) {
  if (name.empty() || name.size() > 64) return false;
  for (char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  return name[0] >= 'a' && name[0] <= 'z';
}

}  // namespace

bool FindDeviceKind(std::string_view name, int32_t* kind) {
  for (const KnownKind& known : kKnownKinds) {
    if (known.name == name) {
      *kind = known.kind;
      return true;
    }
  }
  Extensions& extensions = Registered();
  std::lock_guard lock(extensions.mutex);
  const auto at = extensions.codes.find(name);
  if (at == extensions.codes.end()) return false;
  *kind = at->second;
  return true;
}

std::vector<std::string> DeviceKindNames() {
  std::vector<std::string> names;
  for (const KnownKind& known : kKnownKinds)
    if (known.name != "cl") names.emplace_back(known.name);
  Extensions& extensions = Registered();
  {
    std::lock_guard lock(extensions.mutex);
    for (const auto& [name, code] : extensions.codes) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string DeviceKindName(int32_t kind) {
  for (const KnownKind& known : kKnownKinds)
    if (known.kind == kind) return std::string(known.name);
  Extensions& extensions = Registered();
  std::lock_guard lock(extensions.mutex);
  for (const auto& [name, code] : extensions.codes)
    if (code == kind) return name;
  return "kind " + std::to_string(kind);
}

int32_t DeviceKindFromName(std::string_view name) {
  int32_t kind = 0;
  if (FindDeviceKind(name, &kind)) return kind;
  const std::vector<std::string> known = DeviceKindNames();
  const std::vector<std::string> near = NearestNames(name, known);
  throw Error({.name = "device-unknown-kind",
               .message = "`" + std::string(name) + "` is no kind of device",
               .expected = QuotedList(known),
               .found = "`" + std::string(name) + "`",
               .help = near.empty()
                           ? "a kind of a plugin's own is known once the plugin is loaded"
                           : "did you mean " + QuotedList(near) +
                                 "? A kind of a plugin's own is known once the plugin is loaded",
               .notes = {},
               .where = {}});
}

int32_t DeriveDeviceKind(std::string_view name) {
  // FNV-1a, folded. The range has no numbers that DLPack uses or will soon use.
  uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  hash ^= hash >> 16;
  return 4096 + static_cast<int32_t>(hash % static_cast<uint32_t>(kLargestKind + 1 - 4096));
}

absl::StatusOr<int32_t> RegisterDeviceKind(std::string_view name, int32_t code) {
  if (code == 0) code = DeriveDeviceKind(name);
  int32_t known = 0;
  if (FindDeviceKind(name, &known)) {
    if (known == code || code == DeriveDeviceKind(name)) return known;
    return MakeStatus(absl::StatusCode::kAlreadyExists, "device-kind-taken",
                      {"device kind `", name, "` has the code ", std::to_string(known),
                       " already, not ", std::to_string(code)});
  }
  if (!ValidName(name) || code < kDLExtDev || code > kLargestKind)
    return MakeStatus(
        absl::StatusCode::kInvalidArgument, "device-kind-invalid",
        {"device kind `", name, "` with code ", std::to_string(code),
         "\nexpected: a name of lower-case letters, digits, '_' and '-', and a code from ",
         std::to_string(kDLExtDev), " to ", std::to_string(kLargestKind)});
  if (const std::string taken = DeviceKindName(code); !taken.starts_with("kind "))
    return MakeStatus(
        absl::StatusCode::kAlreadyExists, "device-kind-taken",
        {"code ", std::to_string(code), " of device kind `", name, "` belongs to `", taken, "`"});
  Extensions& extensions = Registered();
  std::lock_guard lock(extensions.mutex);
  return extensions.codes.try_emplace(std::string(name), code).first->second;
}

Device Device::Parse(std::string_view text) {
  std::string_view name = text;
  std::string_view number;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    name = text.substr(0, colon);
    number = text.substr(colon + 1);
  } else if (const size_t open = text.find('(');
             open != std::string_view::npos && text.ends_with(')')) {
    name = text.substr(0, open);
    number = text.substr(open + 1, text.size() - open - 2);
  } else {
    number = "0";
  }
  int32_t id = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
  if (error != std::errc() || end != number.data() + number.size() || id < 0)
    throw Error({.name = "device-bad-name",
                 .message = "`" + std::string(text) + "` is no device",
                 .expected = "a kind, optionally with a number: `cuda`, `cuda:1` or `cuda(1)`",
                 .found = "`" + std::string(text) + "`",
                 .help = "",
                 .notes = {},
                 .where = {}});
  return {DeviceKindFromName(name), id, 0};
}

std::string Device::ToString() const {
  std::string text = session == 0 ? "" : "session " + std::to_string(session) + " ";
  return text + DeviceKindName(kind) + ":" + std::to_string(id);
}

}  // namespace lathe::runtime
