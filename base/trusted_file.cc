#include "base/trusted_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace lathe {
namespace {

constexpr uid_t kUnknownOwner = 65534;

// Whether this user namespace has no number for root. Root's files then belong to kUnknownOwner.
bool RootIsUnknown() {
  std::string map;
  if (!ReadFile("/proc/self/uid_map", 1 << 16, &map).ok()) return false;
  // Each line is "first here, first outside, how many".
  const char* at = map.c_str();
  unsigned long here = 0, outside = 0, count = 0;
  for (int read = 0; std::sscanf(at, "%lu %lu %lu%n", &here, &outside, &count, &read) == 3;
       at += read) {
    if (here == 0 && count > 0) return false;
  }
  return at != map.c_str();
}

// As absl::StrCat, for this room uses no Abseil. It compiles to far less code than `+`: the runtime
// library must stay small.
std::string Concat(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

Distrust Lost(const std::string& path) {
  return {Concat({path, " cannot be looked at, or changed meanwhile"}), "try again"};
}

struct Rule {
  uid_t code_owner = 0;  // root if there is no such code

  bool Trusts(uid_t owner) const {
    return owner == 0 || owner == geteuid() || owner == code_owner ||
           (owner == kUnknownOwner && RootIsUnknown());
  }

  Distrust Check(const std::string& path, const struct stat& info, bool sticky_is_fine) const {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode & 07777));
    const std::string has =
        Concat({path, " (user ", std::to_string(info.st_uid), ", mode ", mode, ")"});
    if (!Trusts(info.st_uid)) {
      return {Concat({has, " is not yours (user ", std::to_string(geteuid()), ") or root's"}),
              Concat({"copy it to a folder of yours, or let root own it: chown root ", path})};
    }
    if (sticky_is_fine && (info.st_mode & S_ISVTX) != 0) return {};
    const bool group = (info.st_mode & S_IWGRP) != 0 && info.st_gid != info.st_uid;
    if (!group && (info.st_mode & S_IWOTH) == 0) return {};
    const bool all = (info.st_mode & S_IWOTH) != 0;
    return {Concat({has, " may be written to by ", all ? "everybody" : "group ",
                    all ? "" : std::to_string(info.st_gid)}),
            Concat({"chmod go-w ", path, ", or use a folder that only you may write to"})};
  }

  // Checks the folders above `real`, up to the first one that also contains `code`.
  Distrust CheckAbove(std::string real, const std::string& code) const {
    while (real.size() > 1) {
      real.resize(std::max<size_t>(real.rfind('/'), 1));
      const std::string inside = real.size() > 1 ? real + "/" : real;
      if (std::string_view(code).substr(0, inside.size()) == inside) return {};
      struct stat info{};
      if (lstat(real.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return Lost(real);
      if (Distrust found = Check(real, info, true); !found.ok()) return found;
    }
    return {};
  }
};

std::string Variable(const char* name) {
  const char* value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Distrust DistrustOf(const FileHandle& file, const std::string& path, const std::string& code) {
  char real[PATH_MAX];
  struct stat info{};
  if (fstat(file.get(), &info) != 0) return Lost(path);
  std::string located;
  if (realpath(path.c_str(), real) != nullptr) {
    located = real;
  } else {
    // The file was removed after it was opened, as caches do, but its folder still exists.
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (realpath(folder.c_str(), real) == nullptr) return Lost(path);
    located = Concat({real, "/", path.substr(slash + 1)});
  }
  Rule rule;
  if (struct stat of_code{}; !code.empty() && lstat(code.c_str(), &of_code) == 0)
    rule.code_owner = of_code.st_uid;
  if (Distrust found = rule.Check(located, info, false); !found.ok()) return found;
  return rule.CheckAbove(located, code);
}

Distrust DistrustOfFolder(const std::string& folder) {
  char real[PATH_MAX];
  struct stat info{};
  if (realpath(folder.c_str(), real) == nullptr || lstat(real, &info) != 0) return Lost(folder);
  if (Distrust found = Rule().Check(real, info, false); !found.ok()) return found;
  return Rule().CheckAbove(real, "");
}

std::string RefusalOf(const char* variable, const std::string& path) {
  if (path.empty() || path[0] == '/') return "";
  return Concat({variable, " is `", path,
                 "`: a path that depends on the current folder, which may be anybody's"});
}

CachePlace FindCachePlace() {
  constexpr struct {
    const char *variable, *inside;
  } kPlaces[] = {{"LATHE_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/lathe"}, {"HOME", "/.cache/lathe"}};
  for (const auto& place : kPlaces) {
    const std::string folder = Variable(place.variable);
    if (folder.empty()) continue;
    if (std::string refused = RefusalOf(place.variable, folder); !refused.empty())
      return {"", std::move(refused)};
    return {folder + place.inside, ""};
  }
  return {};
}

}  // namespace lathe
