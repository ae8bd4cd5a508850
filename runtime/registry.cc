#include "runtime/registry.h"

#include <map>
#include <mutex>
#include <shared_mutex>

#include "base/error.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

struct Registry {
  std::shared_mutex mutex;
  struct Entry {
    Function function;
    Exported exported;
  };
  std::map<std::string, Entry, std::less<>> functions;
  std::mutex resolver_mutex;
  std::vector<std::function<absl::Status(std::string_view)>> resolvers;
};

// Never destroyed: other threads and exit handlers may still look up names.
Registry& Global() {
  static Registry* registry = new Registry;
  return *registry;
}

}  // namespace

absl::Status RegisterGlobal(std::string_view name, Function function, Override override,
                            Exported exported) {
  if (name.empty() || name.size() > 255)
    return MakeStatus(
        absl::StatusCode::kInvalidArgument, "registry-name-invalid",
        {"a registered name has 1 to 255 bytes, this one ", std::to_string(name.size())});
  if (!function)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "registry-null-function",
                      {"`", name, "` was to be registered as a null function"});
  Registry& registry = Global();
  Function replaced;  // dropped after unlocking: its destructor may look up names
  {
    std::unique_lock lock(registry.mutex);
    auto [at, inserted] = registry.functions.try_emplace(std::string(name), function, exported);
    if (!inserted) {
      if (override == Override::kRefuse)
        return MakeStatus(absl::StatusCode::kAlreadyExists, "registry-name-taken",
                          {"a function named `", name,
                           "` is registered already\nhelp: replacing it must be asked for"});
      replaced = std::exchange(at->second.function, std::move(function));
      at->second.exported = exported;
    }
  }
  return absl::OkStatus();
}

bool RemoveGlobal(std::string_view name) {
  Registry& registry = Global();
  Function removed;
  std::unique_lock lock(registry.mutex);
  const auto at = registry.functions.find(name);
  if (at == registry.functions.end()) return false;
  removed = std::move(at->second.function);
  registry.functions.erase(at);
  lock.unlock();
  return true;
}

Function FindGlobal(std::string_view name) {
  Registry& registry = Global();
  std::shared_lock lock(registry.mutex);
  const auto at = registry.functions.find(name);
  return at == registry.functions.end() ? Function() : at->second.function;
}

absl::StatusOr<Function> FindExported(std::string_view name) {
  {
    Registry& registry = Global();
    std::shared_lock lock(registry.mutex);
    const auto at = registry.functions.find(name);
    if (at != registry.functions.end() && at->second.exported == Exported::kYes)
      return at->second.function;
  }
  return MakeStatus(absl::StatusCode::kPermissionDenied, "registry-not-exported",
                    {"no function named `", name,
                     "` may be called from a session\nexpected: a function that its process "
                     "registered for export\nhelp: register it there with exported=True (Python), "
                     "Exported::kYes (C++) or lathe_global_register_exported (C), or call a "
                     "function of a module that the session loads"});
}

absl::StatusOr<Function> FindOrLoadGlobal(std::string_view name) {
  if (Function found = FindGlobal(name)) return found;
  Registry& registry = Global();
  std::vector<std::function<absl::Status(std::string_view)>> resolvers;
  {
    std::lock_guard lock(registry.resolver_mutex);
    resolvers = registry.resolvers;
  }
  absl::Status refusal;
  for (const auto& resolver : resolvers) {
    absl::Status status = resolver(name);
    if (Function found = FindGlobal(name)) return found;
    if (!status.ok() && refusal.ok()) refusal = std::move(status);
  }
  LATHE_RETURN_IF_ERROR(refusal);
  std::string text = "no function named `" + std::string(name) + "` is registered";
  const std::vector<std::string> near = NearestNames(name, ListGlobalNames());
  text += near.empty() ? "\nhelp: register it first, or load the plugin or library that does"
                       : "\nhelp: did you mean " + QuotedList(near) + "?";
  return MakeStatus(absl::StatusCode::kNotFound, "registry-not-found", text);
}

std::vector<std::string> ListGlobalNames(std::string_view prefix) {
  Registry& registry = Global();
  std::vector<std::string> names;
  std::shared_lock lock(registry.mutex);
  for (auto at = registry.functions.lower_bound(prefix);
       at != registry.functions.end() && std::string_view(at->first).starts_with(prefix); ++at)
    names.push_back(at->first);
  return names;
}

void AddGlobalResolver(std::function<absl::Status(std::string_view name)> resolver) {
  Registry& registry = Global();
  std::lock_guard lock(registry.resolver_mutex);
  registry.resolvers.push_back(std::move(resolver));
}

}  // namespace lathe::runtime
