#include "target/target.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <tuple>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "target/attribute_names.h"
#include "target/target_text.h"

namespace lathe::target {
namespace {

using runtime::PluginInfo;
using runtime::PluginLoader;
using runtime::PluginState;

constexpr std::string_view kCommonKeys[] = {attribute::kKeys, attribute::kLibs, attribute::kDevice,
                                            attribute::kModel, attribute::kHost};
constexpr int kMaxHostDepth = 4;

using Schemas = std::vector<std::shared_ptr<const TargetSchema>>;

// Reading a manifest's schemas takes some 50 us, and a target may be parsed per compile: kept by
// the manifest's text.
absl::StatusOr<Schemas> SchemasOf(const runtime::Manifest& manifest) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, absl::StatusOr<Schemas>>;
  std::lock_guard lock(mutex);
  const auto found = known.find(manifest.text);
  if (found != known.end()) return found->second;
  absl::StatusOr<std::vector<TargetSchema>> read = ReadTargetSchemas(manifest);
  absl::StatusOr<Schemas> schemas = Schemas();
  if (!read.ok()) {
    schemas = read.status();
  } else {
    for (TargetSchema& schema : *read)
      schemas->push_back(std::make_shared<TargetSchema>(std::move(schema)));
  }
  known.emplace(manifest.text, schemas);
  return schemas;
}

std::vector<std::string> SplitList(std::string_view text) {
  TargetText carrier;
  constexpr char kList[] = "list";
  carrier.attributes[kList] = text;
  return carrier.GetList(kList);
}

void AddKey(std::vector<std::string>* keys, const std::string& key) {
  if (std::find(keys->begin(), keys->end(), key) == keys->end()) keys->push_back(key);
}

[[noreturn]] void BadValue(const std::string& kind, const AttributeSchema& attribute,
                           const std::string& value, const std::string& expected) {
  Diagnostic diagnostic{
      .name = "target-bad-value",
      .message = "attribute `-" + attribute.key + "` of target `" + kind + "` has a wrong value",
      .expected = expected,
      .found = "`" + value + "`"};
  if (!attribute.doc.empty()) diagnostic.help = "-" + attribute.key + ": " + attribute.doc;
  throw Error(std::move(diagnostic));
}

// The value in its normal form.
std::string CheckValue(const std::string& kind, const AttributeSchema& attribute,
                       const std::string& value) {
  switch (attribute.type) {
    case AttributeType::kInt: {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      const std::string range = attribute.has_range
                                    ? " in [" + std::to_string(attribute.lowest) + ", " +
                                          std::to_string(attribute.highest) + "]"
                                    : "";
      if (error != std::errc() || end != value.data() + value.size() ||
          (attribute.has_range && (number < attribute.lowest || number > attribute.highest))) {
        BadValue(kind, attribute, value, "an integer" + range);
      }
      return std::to_string(number);
    }
    case AttributeType::kBool:
      if (value == "1" || value == "true") return "1";
      if (value == "0" || value == "false") return "0";
      BadValue(kind, attribute, value, "1, 0, true or false");
    case AttributeType::kString:
      if (!attribute.choices.empty() &&
          std::find(attribute.choices.begin(), attribute.choices.end(), value) ==
              attribute.choices.end()) {
        BadValue(kind, attribute, value, QuotedList(attribute.choices));
      }
      return value;
    case AttributeType::kList:
      return absl::StrJoin(SplitList(value), ",");
  }
  return value;
}

[[noreturn]] void UnknownAttribute(const TargetSchema& schema, const std::string& key) {
  std::vector<std::string> known(std::begin(kCommonKeys), std::end(kCommonKeys));
  for (const AttributeSchema& attribute : schema.attributes) known.push_back(attribute.key);
  std::sort(known.begin(), known.end());
  const std::vector<std::string> near = NearestNames(key, known);
  throw Error(Diagnostic{.name = "target-unknown-attribute",
                         .message = "target `" + schema.kind + "` has no attribute `-" + key + "`",
                         .expected = QuotedList(known),
                         .found = "`" + key + "`",
                         .help = near.empty() ? "`lathe targets` lists every target's attributes"
                                              : "did you mean " + QuotedList(near) + "?"});
}

Target FromParts(TargetText parts, std::shared_ptr<const TargetSchema> schema, std::string plugin,
                 int depth);

Target ParseAt(TargetText parts, int depth) {
  std::vector<std::string> kinds;
  for (const KnownTarget& known : KnownTargets()) {
    if (known.schema->kind == parts.kind)
      return FromParts(std::move(parts), known.schema, known.plugin, depth);
    kinds.push_back(known.schema->kind);
  }
  for (const PluginInfo& info : PluginLoader::Global().List()) {
    const std::vector<std::string>& provided = info.manifest.target_kinds;
    if (std::find(provided.begin(), provided.end(), parts.kind) == provided.end()) continue;
    absl::Status reason = info.reason;
    if (reason.ok()) reason = ReadTargetSchemas(info.manifest).status();
    throw Error(Diagnostic{.name = "target-plugin-disabled",
                           .message = "target `" + parts.kind + "` comes from plugin `" +
                                      info.Title() + "`, which cannot be used",
                           .found = std::string(reason.message()),
                           .help = "`lathe plugins` shows all plugins and their state",
                           .notes = {"the plugin is " + info.path}});
  }
  const std::vector<std::string> near = NearestNames(parts.kind, kinds);
  std::vector<std::string> places = PluginLoader::Global().SearchedPlaces();
  throw Error(Diagnostic{
      .name = "target-unknown-kind",
      .message = "no plugin provides target `" + parts.kind + "`",
      .expected = kinds.empty() ? "" : QuotedList(kinds),
      .found = "`" + parts.kind + "`",
      .help = near.empty() ? "put the folder of the plugin that provides it on LATHE_PLUGIN_PATH"
                           : "did you mean " + QuotedList(near) + "?",
      .notes = {"looked for plugins in " + (places.empty() ? "no folder" : QuotedList(places))}});
}

Target FromParts(TargetText parts, std::shared_ptr<const TargetSchema> schema, std::string plugin,
                 int depth) {
  Target target;
  target.kind = parts.kind;
  target.plugin = std::move(plugin);
  auto& given = parts.attributes;
  if (auto alias = given.extract(attribute::kTripleAlias); !alias.empty()) {
    if (schema->Find(attribute::kMtriple) == nullptr)
      UnknownAttribute(*schema, attribute::kTripleAlias);
    alias.key() = attribute::kMtriple;
    if (!given.insert(std::move(alias)).inserted) {
      throw Error(Diagnostic{
          .name = "target-malformed",
          .message = "`-target=` and `-mtriple=` are the same attribute, and both are given",
          .expected = "one of them"});
    }
  }
  const auto take = [&](std::string_view key) {
    auto node = given.extract(std::string(key));
    return node.empty() ? std::string() : std::move(node.mapped());
  };
  target.device = take(attribute::kDevice);
  target.model = take(attribute::kModel);
  target.libs = SplitList(take(attribute::kLibs));
  if (!target.device.empty()) AddKey(&target.keys, target.device);
  for (const std::string& key : SplitList(take(attribute::kKeys))) AddKey(&target.keys, key);
  for (const std::string& key : schema->keys) AddKey(&target.keys, key);
  if (const std::string host = take(attribute::kHost); !host.empty()) {
    if (depth >= kMaxHostDepth) {
      throw Error(Diagnostic{.name = "target-malformed",
                             .message = "hosts of hosts nest too deep",
                             .expected = "a host"});
    }
    target.host = std::make_shared<Target>(ParseAt(ParseTargetText(host), depth + 1));
  }
  for (const auto& [key, value] : given) {
    const AttributeSchema* attribute = schema->Find(key);
    if (attribute == nullptr) UnknownAttribute(*schema, key);
    target.attributes[key] = CheckValue(target.kind, *attribute, value);
  }
  for (const AttributeSchema& attribute : schema->attributes) {
    if (attribute.has_default)
      target.attributes.try_emplace(attribute.key, attribute.default_value);
  }
  target.schema = std::move(schema);
  return target;
}

}  // namespace

const std::string& Target::Get(std::string_view key) const {
  static const std::string& none = *new std::string;
  const auto found = attributes.find(std::string(key));
  return found == attributes.end() ? none : found->second;
}

int64_t Target::GetInt(std::string_view key, int64_t otherwise) const {
  const std::string& text = Get(key);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

bool Target::HasKey(std::string_view key) const {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string Target::ToString() const {
  TargetText parts{kind, attributes};
  parts.attributes[attribute::kKeys] = absl::StrJoin(keys, ",");
  if (!libs.empty()) parts.attributes[attribute::kLibs] = absl::StrJoin(libs, ",");
  if (!device.empty()) parts.attributes[attribute::kDevice] = device;
  if (!model.empty()) parts.attributes[attribute::kModel] = model;
  if (host != nullptr) parts.attributes[attribute::kHost] = host->ToString();
  return parts.ToString();
}

std::vector<KnownTarget> KnownTargets() {
  std::vector<KnownTarget> targets;
  for (const PluginInfo& info : PluginLoader::Global().List()) {
    if (info.state == PluginState::kDisabled) continue;
    const absl::StatusOr<Schemas> schemas = SchemasOf(info.manifest);
    if (!schemas.ok()) continue;  // ParseTarget and `lathe plugins` say why
    for (const auto& schema : *schemas) targets.push_back({schema, info.Title()});
  }
  std::sort(targets.begin(), targets.end(), [](const KnownTarget& a, const KnownTarget& b) {
    return std::tie(a.schema->kind, a.plugin) < std::tie(b.schema->kind, b.plugin);
  });
  return targets;
}

Target ParseTarget(std::string_view text) { return ParseAt(ParseTargetText(text), 0); }

Target ParseTargetWith(std::string_view text, std::shared_ptr<const TargetSchema> schema,
                       std::string plugin) {
  TargetText parts = ParseTargetText(text);
  if (parts.kind != schema->kind) {
    throw Error(Diagnostic{.name = "target-unknown-kind",
                           .message = "target `" + parts.kind + "` is not `" + schema->kind + "`",
                           .expected = "`" + schema->kind + "`",
                           .found = "`" + parts.kind + "`"});
  }
  return FromParts(std::move(parts), std::move(schema), std::move(plugin), 0);
}

}  // namespace lathe::target
