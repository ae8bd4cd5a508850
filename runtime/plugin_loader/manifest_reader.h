// Reads one JSON object of a manifest member by member; the first problem becomes the error.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "runtime/json.h"

namespace lathe::runtime {

// Usage: ask for every member that is allowed, then call Finish(), which refuses members that were
// not asked for. After a failure the getters return defaults, and the first error is kept. `path`
// ("targets[0].attributes[2]") is the beginning of messages.
class ManifestReader {
 public:
  ManifestReader(const Json& object, std::string path);

  enum class Presence { kRequired, kOptional };

  std::string String(std::string_view key, Presence presence);
  // Lower-case letters, digits, '_' and '-', at most 64, beginning with a letter.
  std::string Name(std::string_view key, Presence presence);
  int64_t Int(std::string_view key, Presence presence, int64_t otherwise, int64_t lowest,
              int64_t highest);
  bool Bool(std::string_view key, bool otherwise);
  // One of `allowed`; an absent member means the first.
  std::string OneOf(std::string_view key, const std::vector<std::string>& allowed);
  // The member is [lowest, highest], both at least 1.
  void Range(std::string_view key, Presence presence, int* lowest, int* highest);
  std::vector<std::string> Strings(std::string_view key);
  std::vector<int64_t> Ints(std::string_view key);
  // The items, each an object, at most 1000; empty if absent. ItemPath(key, i) is an item's path.
  const std::vector<Json>& Objects(std::string_view key);
  // NULL if absent.
  const Json* Object(std::string_view key);
  // Any value; NULL if absent.
  const Json* Any(std::string_view key);

  std::string ItemPath(std::string_view key, size_t index) const;
  std::string Path(std::string_view key) const;
  void Fail(std::string_view key, const std::string& message);
  void Merge(const absl::Status& status);

  absl::Status Finish();

 private:
  const Json* Take(std::string_view key, Presence presence, Json::Kind kind, const char* wanted);

  const Json& object_;
  std::string path_;
  std::set<std::string, std::less<>> asked_;
  absl::Status status_;
};

bool IsManifestName(std::string_view name);

}  // namespace lathe::runtime
