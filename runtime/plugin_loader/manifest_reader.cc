#include "runtime/plugin_loader/manifest_reader.h"

#include <utility>

#include "base/error.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr size_t kMaxItems = 1000;
const std::vector<Json> kNoItems;

}  // namespace

bool IsManifestName(std::string_view name) {
  if (name.empty() || name.size() > 64 || name[0] < 'a' || name[0] > 'z') return false;
  for (char c : name) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!fine) return false;
  }
  return true;
}

ManifestReader::ManifestReader(const Json& object, std::string path)
    : object_(object), path_(std::move(path)) {
  if (!object.is_object()) Fail("", std::string("must be an object, not ") + object.kind_name());
}

std::string ManifestReader::Path(std::string_view key) const {
  if (key.empty()) return path_.empty() ? "the manifest" : path_;
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

std::string ManifestReader::ItemPath(std::string_view key, size_t index) const {
  return Path(key) + "[" + std::to_string(index) + "]";
}

void ManifestReader::Fail(std::string_view key, const std::string& message) {
  const Json* member = key.empty() ? nullptr : object_.Find(key);
  const int line = member != nullptr ? member->line() : object_.line();
  std::string text = Path(key) + " " + message;
  if (line > 0) text += " (line " + std::to_string(line) + ")";
  Merge(MakeStatus(absl::StatusCode::kInvalidArgument, "manifest-malformed", text));
}

void ManifestReader::Merge(const absl::Status& status) {
  if (status_.ok()) status_ = status;
}

const Json* ManifestReader::Any(std::string_view key) {
  asked_.emplace(key);
  return object_.Find(key);
}

const Json* ManifestReader::Take(std::string_view key, Presence presence, Json::Kind kind,
                                 const char* wanted) {
  const Json* member = Any(key);
  if (member == nullptr) {
    if (presence == Presence::kRequired) Fail(key, std::string("is missing: ") + wanted);
    return nullptr;
  }
  if (member->kind() != kind) {
    Fail(key, std::string("must be ") + wanted + ", not " + member->kind_name());
    return nullptr;
  }
  return member;
}

std::string ManifestReader::String(std::string_view key, Presence presence) {
  const Json* member = Take(key, presence, Json::Kind::kString, "a string");
  if (member != nullptr && presence == Presence::kRequired && member->string().empty())
    Fail(key, "must not be empty");
  if (member != nullptr && member->string().find('\0') != std::string::npos)
    Fail(key, "must not hold a NUL");
  return member == nullptr ? "" : member->string();
}

std::string ManifestReader::Name(std::string_view key, Presence presence) {
  std::string name = String(key, presence);
  if (!name.empty() && !IsManifestName(name)) {
    Fail(key, "must be at most 64 lower-case letters, digits, '_' and '-', a letter first, not \"" +
                  name.substr(0, 80) + "\"");
  }
  return name;
}

int64_t ManifestReader::Int(std::string_view key, Presence presence, int64_t otherwise,
                            int64_t lowest, int64_t highest) {
  const Json* member = Take(key, presence, Json::Kind::kInt, "an integer");
  if (member == nullptr) return otherwise;
  if (member->int_value() < lowest || member->int_value() > highest) {
    Fail(key, "must be in [" + std::to_string(lowest) + ", " + std::to_string(highest) + "], not " +
                  std::to_string(member->int_value()));
  }
  return member->int_value();
}

bool ManifestReader::Bool(std::string_view key, bool otherwise) {
  const Json* member = Take(key, Presence::kOptional, Json::Kind::kBool, "true or false");
  return member == nullptr ? otherwise : member->bool_value();
}

std::string ManifestReader::OneOf(std::string_view key, const std::vector<std::string>& allowed) {
  const Json* member = Take(key, Presence::kOptional, Json::Kind::kString, "a string");
  if (member == nullptr) return allowed[0];
  for (const std::string& one : allowed) {
    if (one == member->string()) return one;
  }
  Fail(key, "must be " + QuotedList(allowed) + ", not `" + member->string().substr(0, 80) + "`");
  return allowed[0];
}

void ManifestReader::Range(std::string_view key, Presence presence, int* lowest, int* highest) {
  const Json* member = Take(key, presence, Json::Kind::kArray, "[lowest, highest]");
  if (member == nullptr) return;
  const std::vector<Json>& items = member->items();
  constexpr int64_t kMost = 1000000;
  if (items.size() != 2 || !items[0].is_int() || !items[1].is_int() || items[0].int_value() < 1 ||
      items[1].int_value() < items[0].int_value() || items[1].int_value() > kMost) {
    Fail(key, "must be [lowest, highest], two integers from 1, in order");
    return;
  }
  *lowest = static_cast<int>(items[0].int_value());
  *highest = static_cast<int>(items[1].int_value());
}

std::vector<std::string> ManifestReader::Strings(std::string_view key) {
  std::vector<std::string> out;
  const Json* member = Take(key, Presence::kOptional, Json::Kind::kArray, "an array of strings");
  if (member == nullptr) return out;
  for (const Json& item : member->items()) {
    if (!item.is_string() || item.string().empty() || out.size() >= kMaxItems) {
      Fail(key, "must be an array of at most 1000 strings, none empty");
      break;
    }
    out.push_back(item.string());
  }
  return out;
}

std::vector<int64_t> ManifestReader::Ints(std::string_view key) {
  std::vector<int64_t> out;
  const Json* member = Take(key, Presence::kOptional, Json::Kind::kArray, "an array of integers");
  if (member == nullptr) return out;
  for (const Json& item : member->items()) {
    if (!item.is_int() || out.size() >= kMaxItems) {
      Fail(key, "must be an array of at most 1000 integers");
      break;
    }
    out.push_back(item.int_value());
  }
  return out;
}

const std::vector<Json>& ManifestReader::Objects(std::string_view key) {
  const Json* member = Take(key, Presence::kOptional, Json::Kind::kArray, "an array of objects");
  if (member == nullptr) return kNoItems;
  if (member->items().size() > kMaxItems) {
    Fail(key, "must have at most 1000 items");
    return kNoItems;
  }
  return member->items();
}

const Json* ManifestReader::Object(std::string_view key) {
  return Take(key, Presence::kOptional, Json::Kind::kObject, "an object");
}

absl::Status ManifestReader::Finish() {
  for (const Json::Member& member : object_.members()) {
    if (asked_.contains(member.first)) continue;
    const std::vector<std::string> known(asked_.begin(), asked_.end());
    const std::vector<std::string> nearest = NearestNames(member.first, known);
    Fail(member.first.substr(0, 80),
         "is not a member that is known here; " +
             (nearest.empty() ? "known are " + QuotedList(known)
                              : "did you mean " + QuotedList(nearest) + "?"));
  }
  return status_;
}

}  // namespace lathe::runtime
