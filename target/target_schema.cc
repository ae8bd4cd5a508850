#include "target/target_schema.h"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/plugin_loader/manifest_reader.h"
#include "runtime/status.h"

namespace lathe::target {
namespace {

using runtime::Json;
using runtime::ManifestReader;
using Presence = ManifestReader::Presence;

constexpr std::string_view kOutputs[] = {"module", "object", "assembly", "ir", "source"};

AttributeType TypeFromName(const std::string& name) {
  if (name == "int") return AttributeType::kInt;
  if (name == "bool") return AttributeType::kBool;
  if (name == "list") return AttributeType::kList;
  return AttributeType::kString;
}

void ReadDefault(ManifestReader& reader, AttributeSchema* attribute) {
  const Json* value = reader.Any("default");
  if (value == nullptr) return;
  attribute->has_default = true;
  const bool fits = attribute->type == AttributeType::kInt    ? value->is_int()
                    : attribute->type == AttributeType::kBool ? value->is_bool()
                                                              : value->is_string();
  if (!fits)
    reader.Fail("default", std::string("must be of the attribute's type ") +
                               AttributeTypeName(attribute->type));
  if (value->is_int()) attribute->default_value = std::to_string(value->int_value());
  if (value->is_bool()) attribute->default_value = value->bool_value() ? "1" : "0";
  if (value->is_string()) attribute->default_value = value->string();
}

AttributeSchema ReadAttribute(ManifestReader& parent, const Json& json, size_t i) {
  ManifestReader reader(json, parent.ItemPath("attributes", i));
  AttributeSchema attribute;
  attribute.key = reader.Name("key", Presence::kRequired);
  attribute.type = TypeFromName(reader.OneOf("type", {"string", "int", "bool", "list"}));
  ReadDefault(reader, &attribute);
  const std::vector<int64_t> range = reader.Ints("range");
  if (!range.empty()) {
    attribute.has_range = true;
    if (attribute.type != AttributeType::kInt)
      reader.Fail("range", "is for attributes of type int");
    if (range.size() != 2 || range[0] > range[1]) {
      reader.Fail("range", "must be [lowest, highest]");
    } else {
      attribute.lowest = range[0];
      attribute.highest = range[1];
    }
  }
  attribute.choices = reader.Strings("choices");
  if (!attribute.choices.empty() && attribute.type != AttributeType::kString) {
    reader.Fail("choices", "is for attributes of type string");
  }
  attribute.doc = reader.String("doc", Presence::kOptional);
  parent.Merge(reader.Finish());
  return attribute;
}

absl::StatusOr<TargetSchema> ReadTarget(const Json& json, const std::string& path) {
  ManifestReader reader(json, path);
  TargetSchema schema;
  schema.kind = reader.Name("kind", Presence::kRequired);
  schema.doc = reader.String("doc", Presence::kOptional);
  schema.keys = reader.Strings("keys");
  if (schema.keys.empty()) schema.keys = {schema.kind};
  schema.device = reader.Name("device", Presence::kOptional);
  if (schema.device.empty()) schema.device = "cpu";
  schema.makes_host_code = reader.Bool("host", false);
  if (schema.makes_host_code && schema.device != "cpu")
    reader.Fail("host", "is for targets of the device `cpu`");
  if (reader.Any("stage") == nullptr) reader.Fail("stage", "is missing: `tile` or `flat`");
  schema.stage = reader.OneOf("stage", {"flat", "tile"}) == "tile" ? ContractStage::kTile
                                                                   : ContractStage::kFlat;
  reader.Range("ir", Presence::kRequired, &schema.ir_lowest, &schema.ir_highest);
  schema.outputs = reader.Strings("outputs");
  if (schema.outputs.empty()) schema.outputs = {"module"};
  for (const std::string& output : schema.outputs) {
    if (std::find(std::begin(kOutputs), std::end(kOutputs), output) == std::end(kOutputs)) {
      reader.Fail("outputs", "lists `" + output.substr(0, 80) +
                                 "`; known are `module`, `object`, `assembly`, `ir` and `source`");
    }
  }
  schema.imports = reader.Strings("imports");
  const std::vector<Json>& attributes = reader.Objects("attributes");
  std::set<std::string> seen;
  for (size_t i = 0; i < attributes.size(); ++i) {
    schema.attributes.push_back(ReadAttribute(reader, attributes[i], i));
    if (!seen.insert(schema.attributes.back().key).second) {
      reader.Fail("attributes", "has key `" + schema.attributes.back().key + "` twice");
    }
  }
  if (const Json* machine = reader.Object("machine")) {
    absl::StatusOr<Machine> read = ReadMachine(*machine, reader.Path("machine"));
    reader.Merge(read.status());
    if (read.ok()) schema.machine = *std::move(read);
  }
  LATHE_RETURN_IF_ERROR(reader.Finish());
  return schema;
}

}  // namespace

const char* AttributeTypeName(AttributeType type) {
  switch (type) {
    case AttributeType::kString:
      return "string";
    case AttributeType::kInt:
      return "int";
    case AttributeType::kBool:
      return "bool";
    case AttributeType::kList:
      return "list";
  }
  return "";
}

const char* ContractStageName(ContractStage stage) {
  return stage == ContractStage::kTile ? "tile" : "flat";
}

const AttributeSchema* TargetSchema::Find(std::string_view key) const {
  for (const AttributeSchema& attribute : attributes) {
    if (attribute.key == key) return &attribute;
  }
  return nullptr;
}

absl::StatusOr<std::vector<TargetSchema>> ReadTargetSchemas(const runtime::Manifest& manifest) {
  std::vector<TargetSchema> schemas;
  const std::vector<Json>& targets = manifest.targets.items();
  for (size_t i = 0; i < targets.size(); ++i) {
    LATHE_ASSIGN_OR_RETURN(TargetSchema schema,
                           ReadTarget(targets[i], "targets[" + std::to_string(i) + "]"));
    schemas.push_back(std::move(schema));
  }
  return schemas;
}

}  // namespace lathe::target
