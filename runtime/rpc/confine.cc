#include "runtime/rpc/confine.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/file.h"

namespace lathe::runtime::rpc {
namespace {

// The kernel's interface, as its documentation states it (userspace-api/landlock): older C
// libraries and headers have none of it, or not all.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint32_t kVersion = 1;      // flag of kCreateRuleset: asks for the version
constexpr uint32_t kBeneathPath = 1;  // type of a rule

constexpr uint64_t kWriteFile = 1 << 1, kRemoveDirectory = 1 << 4, kRemoveFile = 1 << 5,
                   kMakeDevice = 1 << 6, kMakeDirectory = 1 << 7, kMakeFile = 1 << 8,
                   kMakeSocket = 1 << 9, kMakeFifo = 1 << 10, kMakeBlockDevice = 1 << 11,
                   kMakeSymlink = 1 << 12, kRefer = 1 << 13, kTruncate = 1 << 14;
constexpr uint64_t kScopeSignal = 1 << 1;

struct Ruleset {
  uint64_t files, network, scope;
};
struct [[gnu::packed]] PathRule {
  uint64_t allowed;
  int32_t parent;
};

bool Allow(int ruleset, const char* folder, uint64_t access) {
  const FileHandle parent(Uninterrupted([&] { return open(folder, O_PATH | O_CLOEXEC); }));
  if (!parent.is_open()) return false;
  const PathRule rule{access, parent.get()};
  return syscall(kAddRule, ruleset, kBeneathPath, &rule, 0) == 0;
}

int64_t Version() { return syscall(kCreateRuleset, nullptr, size_t{0}, kVersion); }

}  // namespace

int LandlockVersion() { return static_cast<int>(std::max<int64_t>(Version(), 0)); }

bool Confine(const std::string& folder) {
  const int64_t version = Version();
  if (version <= 0) return false;
  Ruleset rules{kWriteFile | kRemoveDirectory | kRemoveFile | kMakeDevice | kMakeDirectory |
                    kMakeFile | kMakeSocket | kMakeFifo | kMakeBlockDevice | kMakeSymlink,
                0, 0};
  if (version >= 2) rules.files |= kRefer;
  if (version >= 3) rules.files |= kTruncate;
  if (version >= 6) rules.scope = kScopeSignal;
  // Older kernels want the size that they know, or zeros behind it.
  const FileHandle ruleset(static_cast<int>(syscall(kCreateRuleset, &rules, sizeof(rules), 0)));
  return ruleset.is_open() && Allow(ruleset.get(), folder.c_str(), rules.files) &&
         Allow(ruleset.get(), "/dev", kWriteFile | (rules.files & kTruncate)) &&
         syscall(kRestrictSelf, ruleset.get(), 0) == 0;
}

}  // namespace lathe::runtime::rpc
