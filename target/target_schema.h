// What a target's manifest entry says: its attributes, the form in which it takes IR, and the
// machine as data.
//
//   {"kind": "acme", "doc": "...", "keys": ["acme", "npu"], "device": "acme",
//    "host": false, "stage": "tile", "ir": [1, 1], "outputs": ["module"], "imports": ["c"],
//    "attributes": [{"key": "cores", "type": "int", "default": 4, "range": [1, 64], "doc": "..."}],
//    "machine": {...}}                                               see machine.h
//
// All but "kind", "stage" and "ir" may be left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/plugin_loader/manifest.h"
#include "target/machine.h"

namespace lathe::target {

enum class AttributeType { kString, kInt, kBool, kList };
const char* AttributeTypeName(AttributeType type);

// One attribute of a target: `-key=value`.
struct AttributeSchema {
  std::string key;
  AttributeType type = AttributeType::kString;
  std::string default_value;  // as text; "" where there is none
  bool has_default = false;
  int64_t lowest = 0;  // with kInt: the range, where has_range
  int64_t highest = 0;
  bool has_range = false;
  std::vector<std::string> choices;  // with kString: what it may be; empty for anything
  std::string doc;
};

// The IR's contract stages: with multi-dimensional buffers, or flattened.
enum class ContractStage { kTile, kFlat };
const char* ContractStageName(ContractStage stage);

struct TargetSchema {
  std::string kind;
  std::string doc;
  std::vector<std::string>
      keys;            // what schedules dispatch on; the kind itself where the manifest gives none
  std::string device;  // kind of the device its code runs on: "cpu" where the manifest gives none
  // Is its code, without attributes, this machine's, and can it launch kernels of other targets?
  bool makes_host_code = false;
  ContractStage stage = ContractStage::kFlat;
  int ir_lowest = 0;  // versions of the binary IR that the plugin reads
  int ir_highest = 0;
  std::vector<std::string>
      outputs;  // "module", "object", "assembly", "ir", "source"; "module" where none are given
  std::vector<std::string>
      imports;  // languages of the sources that modules may bring (ir/imports.h)
  std::vector<AttributeSchema> attributes;
  Machine machine;

  const AttributeSchema* Find(std::string_view key) const;
};

// The targets of a manifest, in its order. Fails with `manifest-malformed`. Bounded; any manifest
// is fine.
absl::StatusOr<std::vector<TargetSchema>> ReadTargetSchemas(const runtime::Manifest& manifest);

}  // namespace lathe::target
