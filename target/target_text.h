// TargetText: a target string taken apart, `llvm -mtriple=x86_64-linux-gnu -mcpu=znver4
// -mattr=+avx512f,+fma`.
//
// Grammar: a kind, then attributes in any order: `-key=value`, or `-key` alone for a flag (the
// value is "1"). A value with blanks or quotes stands in double quotes, in which \" and \\ are
// escapes. Whether the keys mean anything is checked by the host, against the schema in the
// plugin's manifest; a plugin only ever sees checked targets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::target {

struct TargetText {
  std::string kind;
  std::map<std::string, std::string> attributes;

  // "" / `otherwise` where there is none.
  const std::string& Get(std::string_view key) const;
  int64_t GetInt(std::string_view key, int64_t otherwise) const;
  bool GetFlag(std::string_view key) const;
  // The value cut at its commas; empty where there is none.
  std::vector<std::string> GetList(std::string_view key) const;

  // The kind, then the attributes sorted by key; ParseTargetText reads it back.
  std::string ToString() const;
};

// Throws lathe::Error `target-malformed` with the column, on anything outside the grammar, a key
// given twice, or a text over 64 KiB.
TargetText ParseTargetText(std::string_view text);

}  // namespace lathe::target
