// Target: what code is made for, as data, checked against the schema of the plugin that provides
// its kind.
//
// Text form: `llvm -mtriple=x86_64-linux-gnu -mcpu=znver4 -mattr=+avx512f` (grammar:
// target/target_text.h). Every kind knows, beside its own attributes:
//   -keys=a,b    what schedules dispatch on, before the kind's own keys
//   -libs=x,y    libraries that operators may call
//   -device=d    a family of devices ("arm_cpu"); becomes the first key
//   -model=m     a name for tuning records
//   -host="..."  the target of the code that launches this one's
//   -target=     the same as -mtriple=, where the kind has that
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "target/target_schema.h"

namespace lathe::target {

// Immutable in use; copying shares schema and host. Thread-safe.
struct Target {
  std::string kind;
  std::vector<std::string> keys;
  std::vector<std::string> libs;
  std::string device;  // as -device= gave it; "" where it did not
  std::string model;
  std::map<std::string, std::string>
      attributes;  // those of the schema, defaults included; bools are "0" and "1"
  std::shared_ptr<const Target> host;          // NULL: none was given
  std::shared_ptr<const TargetSchema> schema;  // never NULL in a parsed target
  std::string plugin;                          // "acme 1.2", which provides the kind

  // "" / `otherwise` where the attribute has no value.
  const std::string& Get(std::string_view key) const;
  int64_t GetInt(std::string_view key, int64_t otherwise) const;
  bool HasKey(std::string_view key) const;

  // Parses back to an equal target. Attributes are sorted; those that have their default are there
  // too, so that the text means the same in a later release.
  std::string ToString() const;
};

// Reads and checks. Loads no plugin. Throws Error: `target-malformed`; `target-unknown-kind` and
// `target-unknown-attribute`, with the nearest known ones; `target-bad-value`;
// `target-plugin-disabled`, with the reason.
Target ParseTarget(std::string_view text);

// The same against one schema, for tools and tests.
Target ParseTargetWith(std::string_view text, std::shared_ptr<const TargetSchema> schema,
                       std::string plugin);

// The schemas of all plugins found that are not disabled, sorted by kind, with the plugin's title.
struct KnownTarget {
  std::shared_ptr<const TargetSchema> schema;
  std::string plugin;
};
std::vector<KnownTarget> KnownTargets();

}  // namespace lathe::target
