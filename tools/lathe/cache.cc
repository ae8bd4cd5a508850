// `lathe cache`: lists, measures, checks and empties the compile cache.
#include <cstdio>
#include <ctime>

#include "driver/cache/store.h"
#include "runtime/status.h"
#include "tools/lathe/command.h"

namespace lathe::cli {
namespace {

using driver::CacheItem;
using driver::CacheOptions;
using driver::CacheStore;

std::string Bytes(uint64_t count) {
  const char* const units[] = {"B", "KB", "MB", "GB"};
  double value = static_cast<double>(count);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  char text[40];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

absl::Status List(CacheStore& store) {
  LATHE_ASSIGN_OR_RETURN(const std::vector<CacheItem> items, store.List());
  for (const CacheItem& item : items) {
    char used[40];
    std::tm time{};
    localtime_r(&item.last_used, &time);
    std::strftime(used, sizeof used, "%F %T", &time);
    std::printf("%s  %10s  %s  %-7s %s\n", item.key.ToString().c_str(),
                Bytes(item.file_bytes).c_str(), used, item.kind.c_str(), item.label.c_str());
  }
  return absl::OkStatus();
}

absl::Status Size(CacheStore& store) {
  LATHE_ASSIGN_OR_RETURN(const std::vector<CacheItem> items, store.List());
  uint64_t total = 0;
  for (const CacheItem& item : items) total += item.file_bytes;
  std::printf("%zu entries, %s of at most %s\n", items.size(), Bytes(total).c_str(),
              Bytes(store.options().max_bytes).c_str());
  return absl::OkStatus();
}

absl::Status Clear(CacheStore& store) {
  LATHE_ASSIGN_OR_RETURN(const uint64_t freed, store.Clear());
  std::printf("%s freed\n", Bytes(freed).c_str());
  return absl::OkStatus();
}

absl::Status Verify(CacheStore& store) {
  LATHE_ASSIGN_OR_RETURN(const CacheStore::Verified found, store.Verify());
  for (const std::string& path : found.damaged) std::printf("damaged, removed: %s\n", path.c_str());
  std::printf("%zu whole, %zu damaged\n", found.whole, found.damaged.size());
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  const std::string action = arguments.positional().empty() ? "size" : arguments.positional()[0];
  constexpr std::string_view kActions[] = {"list", "size", "clear", "verify", "path"};
  bool known = false;
  for (const std::string_view one : kActions) known = known || action == one;
  if (!known) {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "the cache knows no `" + action + "`",
                                .expected = "one of `list`, `size`, `clear`, `verify`, `path`",
                                .found = "`" + action + "`",
                                .help = "`lathe help cache` says what they do"});
  }
  CacheStore store(CacheOptions::FromEnvironment());
  if (!store.enabled()) {
    std::printf(action == "path" ? "\n" : "the compile cache is off\n");
    return absl::OkStatus();
  }
  if (action == "list") return List(store);
  if (action == "size") return Size(store);
  if (action == "clear") return Clear(store);
  if (action == "verify") return Verify(store);
  std::printf("%s\n", store.options().folder.c_str());
  return absl::OkStatus();
}

}  // namespace

const Command kCache = {
    .name = "cache",
    .arguments = "[list|size|clear|verify|path]",
    .what = "show, check or empty the cache of compiled programs",
    .details =
        "`lathe run` and `lathe compile` keep what they compiled and find it the next time, by its "
        "contents, target,\n"
        "options, plugin and release; `lathe run` and others keep whole models, with their "
        "weights. The cache is\n"
        "safe to use by several processes at once, and to remove at any time.\n"
        "  size    how many entries, how large together (the default)\n"
        "  list    each entry: key, size, last use, what it is; those used last first\n"
        "  verify  read every entry; damaged ones are removed\n"
        "  clear   remove all entries\n"
        "  path    the folder they lie in\n"
        "LATHE_CACHE_DIR names another folder than $XDG_CACHE_HOME/lathe or ~/.cache/lathe, "
        "LATHE_CACHE_BYTES another\n"
        "limit than 1G, LATHE_CACHE=0 turns the cache off (`--no-cache` for one command).\n",
    .example =
        "  lathe cache\n"
        "  lathe cache list\n"
        "  LATHE_CACHE_DIR=/tmp/mine lathe run examples/programs/vector_add.lathe random:8 "
        "random:8\n",
    .options = {},
    .fewest = 0,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
