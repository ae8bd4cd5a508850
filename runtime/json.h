// Json: a small strict reader and writer (RFC 8259) for manifests, metadata and reports.
//
// Any bytes may be parsed: size and depth are limited; duplicate keys, bad UTF-8 and text after the
// document are refused; an error has line and column. Integers that fit into int64 stay exact. Not
// for bulk data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::runtime {

// A value type; copying copies the whole tree. Members keep their order.
class Json {
 public:
  enum class Kind : uint8_t { kNull, kBool, kInt, kDouble, kString, kArray, kObject };
  using Member = std::pair<std::string, Json>;

  static constexpr size_t kMaxBytes = 1 << 20;
  static constexpr int kMaxDepth = 64;

  Json() = default;
  Json(bool value) : kind_(Kind::kBool), int_(value ? 1 : 0) {}                 // NOLINT
  Json(int value) : kind_(Kind::kInt), int_(value) {}                           // NOLINT
  Json(int64_t value) : kind_(Kind::kInt), int_(value) {}                       // NOLINT
  Json(double value) : kind_(Kind::kDouble), double_(value) {}                  // NOLINT
  Json(std::string value) : kind_(Kind::kString), string_(std::move(value)) {}  // NOLINT
  Json(std::string_view value) : Json(std::string(value)) {}                    // NOLINT
  Json(const char* value) : Json(std::string(value)) {}                         // NOLINT
  static Json Array() { return Json(Kind::kArray); }
  static Json Object() { return Json(Kind::kObject); }

  // Fails with `json-malformed`: "line 3, column 14: expected ',' or '}', found ...".
  static absl::StatusOr<Json> Parse(std::string_view text, size_t max_bytes = kMaxBytes);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_int() const { return kind_ == Kind::kInt; }
  bool is_number() const { return kind_ == Kind::kInt || kind_ == Kind::kDouble; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_object() const { return kind_ == Kind::kObject; }
  // "an object", "a string"; for messages.
  const char* kind_name() const;

  // 0, false, "" or empty if the value has another kind.
  bool bool_value() const { return is_bool() && int_ != 0; }
  int64_t int_value() const { return is_int() ? int_ : 0; }
  double number() const { return is_int() ? static_cast<double>(int_) : double_; }
  const std::string& string() const { return string_; }
  const std::vector<Json>& items() const { return items_; }
  const std::vector<Member>& members() const { return members_; }
  // NULL if the value is not an object or has no such member.
  const Json* Find(std::string_view key) const;
  // The line where the value begins in the parsed text, from 1; 0 if it was not parsed.
  int line() const { return line_; }

  // Set is for objects (it replaces a member with that key), Append for arrays.
  Json& Set(std::string_view key, Json value);
  Json& Append(Json value);

  // Writes one line, or with `indent` blanks per level. Numbers that are not finite become null.
  std::string Dump(int indent = 0) const;

 private:
  class Parser;
  explicit Json(Kind kind) : kind_(kind) {}
  void DumpTo(std::string& out, int indent, int level) const;

  Kind kind_ = Kind::kNull;
  int line_ = 0;
  int64_t int_ = 0;
  double double_ = 0;
  std::string string_;
  std::vector<Json> items_;
  std::vector<Member> members_;
};

// `text` in quotes with escapes, as a JSON string.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace lathe::runtime
