#include "plugins/host/list.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "runtime/json.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "target/target.h"

namespace lathe::plugins {
namespace {

using runtime::Json;
using runtime::PluginInfo;
using runtime::PluginLoader;

Json Strings(const std::vector<std::string>& items) {
  Json array = Json::Array();
  for (const std::string& item : items) array.Append(item);
  return array;
}

template <class Items>
std::vector<std::string> Kinds(const Items& items) {
  std::vector<std::string> kinds;
  for (const auto& item : items) kinds.push_back(item.kind);
  return kinds;
}

// Appends a message of several lines below a label.
void AppendIndented(std::string& out, std::string_view label, std::string_view text) {
  out += "    " + std::string(label) + ": ";
  for (char c : text) {
    out += c;
    if (c == '\n') out += "      ";
  }
  out += '\n';
}

// The reason why the plugin cannot be used; covers its target schemas, too.
absl::Status ReasonOf(const PluginInfo& info) {
  if (!info.reason.ok()) return info.reason;
  return target::ReadTargetSchemas(info.manifest).status();
}

const char* StateOf(const PluginInfo& info, const absl::Status& reason) {
  return PluginStateName(reason.ok() ? info.state : runtime::PluginState::kDisabled);
}

std::string AttributeText(const target::AttributeSchema& attribute) {
  std::string text =
      "    -" + attribute.key + "=<" + target::AttributeTypeName(attribute.type) + ">";
  if (attribute.has_range) {
    text +=
        " in [" + std::to_string(attribute.lowest) + ", " + std::to_string(attribute.highest) + "]";
  }
  if (!attribute.choices.empty()) text += " " + QuotedList(attribute.choices);
  if (attribute.has_default) text += ", default `" + attribute.default_value + "`";
  if (!attribute.doc.empty()) text += ": " + attribute.doc;
  return text + "\n";
}

Json AttributeJson(const target::AttributeSchema& attribute) {
  Json json = Json::Object();
  json.Set("key", attribute.key).Set("type", target::AttributeTypeName(attribute.type));
  if (attribute.has_default) json.Set("default", attribute.default_value);
  if (attribute.has_range)
    json.Set("range", Json::Array().Append(attribute.lowest).Append(attribute.highest));
  if (!attribute.choices.empty()) json.Set("choices", Strings(attribute.choices));
  return std::move(json.Set("doc", attribute.doc));
}

}  // namespace

std::string ListPluginsText() {
  PluginLoader& loader = PluginLoader::Global();
  const std::vector<PluginInfo> plugins = loader.List();
  std::string out;
  for (const PluginInfo& info : plugins) {
    const absl::Status reason = ReasonOf(info);
    out += info.Title() + " (" + StateOf(info, reason) + ")";
    if (!info.manifest.doc.empty()) out += ": " + info.manifest.doc;
    out += "\n";
    const std::pair<const char*, std::vector<std::string>> provided[] = {
        {"targets", info.manifest.target_kinds},
        {"devices", Kinds(info.manifest.devices)},
        {"modules", Kinds(info.manifest.modules)},
    };
    for (const auto& [label, kinds] : provided) {
      if (!kinds.empty()) AppendIndented(out, label, absl::StrJoin(kinds, ", "));
    }
    AppendIndented(out, "file", info.path + " (" + info.found_by + ")");
    if (!reason.ok()) AppendIndented(out, "reason", reason.message());
  }
  if (plugins.empty()) out += "no plugins found\n";
  const std::vector<std::string> places = loader.SearchedPlaces();
  out += "looked in " +
         (places.empty() ? "no folder: set LATHE_PLUGIN_PATH" : absl::StrJoin(places, ", ")) + "\n";
  return out;
}

std::string ListPluginsJson() {
  Json array = Json::Array();
  for (const PluginInfo& info : PluginLoader::Global().List()) {
    const absl::Status reason = ReasonOf(info);
    Json json = Json::Object();
    json.Set("name", info.manifest.name)
        .Set("version", info.manifest.version)
        .Set("doc", info.manifest.doc);
    json.Set("path", info.path).Set("found_by", info.found_by).Set("state", StateOf(info, reason));
    json.Set("reason", std::string(reason.message()));
    json.Set("abi",
             Json::Array().Append(info.manifest.abi_lowest).Append(info.manifest.abi_highest));
    json.Set("devices", Strings(Kinds(info.manifest.devices)));
    json.Set("modules", Strings(Kinds(info.manifest.modules)));
    json.Set("targets", Strings(info.manifest.target_kinds));
    array.Append(std::move(json));
  }
  return array.Dump(2) + "\n";
}

std::string ListTargetsText() {
  std::string out;
  for (const target::KnownTarget& known : target::KnownTargets()) {
    const target::TargetSchema& schema = *known.schema;
    out += schema.kind + " (plugin " + known.plugin + ")";
    if (!schema.doc.empty()) out += ": " + schema.doc;
    out += "\n    runs on " + schema.device + "; takes IR at stage " +
           target::ContractStageName(schema.stage) + "; makes " +
           absl::StrJoin(schema.outputs, ", ") + "; keys " + absl::StrJoin(schema.keys, ", ") +
           "\n";
    for (const target::AttributeSchema& attribute : schema.attributes)
      out += AttributeText(attribute);
  }
  if (out.empty())
    out =
        "no targets: no plugin with a code generator was found (`lathe plugins` shows where it "
        "looked)\n";
  return out;
}

std::string ListTargetsJson() {
  Json array = Json::Array();
  for (const target::KnownTarget& known : target::KnownTargets()) {
    const target::TargetSchema& schema = *known.schema;
    Json json = Json::Object();
    json.Set("kind", schema.kind)
        .Set("plugin", known.plugin)
        .Set("doc", schema.doc)
        .Set("device", schema.device);
    json.Set("stage", target::ContractStageName(schema.stage)).Set("keys", Strings(schema.keys));
    json.Set("ir", Json::Array().Append(schema.ir_lowest).Append(schema.ir_highest));
    json.Set("outputs", Strings(schema.outputs));
    Json attributes = Json::Array();
    for (const target::AttributeSchema& attribute : schema.attributes)
      attributes.Append(AttributeJson(attribute));
    array.Append(std::move(json.Set("attributes", std::move(attributes))));
  }
  return array.Dump(2) + "\n";
}

}  // namespace lathe::plugins
