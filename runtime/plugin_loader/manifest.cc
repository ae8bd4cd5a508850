#include "runtime/plugin_loader/manifest.h"

#include <algorithm>
#include <set>

#include "lathe/abi/plugin.h"
#include "runtime/plugin_loader/elf_sections.h"
#include "runtime/plugin_loader/manifest_reader.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

using Presence = ManifestReader::Presence;
constexpr int32_t kHighestDeviceKind = 32767;

ManifestDevice ReadDevice(ManifestReader& parent, const Json& json, size_t i) {
  ManifestReader reader(json, parent.ItemPath("devices", i));
  ManifestDevice device;
  device.kind = reader.Name("kind", Presence::kRequired);
  if (device.kind == "cpu") reader.Fail("kind", "must not be `cpu`, which is the runtime's own");
  device.dlpack =
      static_cast<int32_t>(reader.Int("dlpack", Presence::kOptional, 0, 0, kHighestDeviceKind));
  device.doc = reader.String("doc", Presence::kOptional);
  parent.Merge(reader.Finish());
  return device;
}

ManifestModule ReadModule(ManifestReader& parent, const Json& json, size_t i) {
  ManifestReader reader(json, parent.ItemPath("modules", i));
  ManifestModule module;
  module.kind = reader.Name("kind", Presence::kRequired);
  module.serial = reader.Bool("serial", false);
  module.doc = reader.String("doc", Presence::kOptional);
  parent.Merge(reader.Finish());
  return module;
}

// Reads only the kind; a process with a compiler reads the other members.
std::string ReadTargetKind(ManifestReader& parent, const Json& json, size_t i) {
  ManifestReader reader(json, parent.ItemPath("targets", i));
  std::string kind = reader.Name("kind", Presence::kRequired);
  if (kind.empty()) parent.Merge(reader.Finish());
  return kind;
}

void CheckUnique(ManifestReader& reader, std::string_view key,
                 const std::vector<std::string>& kinds) {
  std::set<std::string> seen;
  for (const std::string& kind : kinds) {
    if (!seen.insert(kind).second) reader.Fail(key, "lists kind `" + kind + "` twice");
  }
}

template <class Items>
std::vector<std::string> KindsOf(const Items& items) {
  std::vector<std::string> kinds;
  for (const auto& item : items) kinds.push_back(item.kind);
  return kinds;
}

absl::StatusOr<Manifest> ReadFrom(const ElfSections& elf) {
  const ElfSections::Section* section = elf.Find(LATHE_MANIFEST_SECTION);
  if (section == nullptr) {
    return MakeStatus(absl::StatusCode::kNotFound, "plugin-no-manifest",
                      "no section " LATHE_MANIFEST_SECTION
                      ": this is not a plugin, or it was built without its manifest");
  }
  LATHE_ASSIGN_OR_RETURN(std::string text, elf.Read(*section, kMaxManifestBytes));
  // A C string literal ends with a NUL, and sections are padded with more.
  while (!text.empty() && text.back() == '\0') text.pop_back();
  LATHE_ASSIGN_OR_RETURN(Manifest manifest, Manifest::Parse(text));
  manifest.elf_machine = elf.machine();
  return manifest;
}

}  // namespace

absl::StatusOr<Manifest> Manifest::Parse(std::string_view text) {
  absl::StatusOr<Json> json = Json::Parse(text, kMaxManifestBytes);
  if (!json.ok()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "manifest-malformed",
                      StatusText(json.status()));
  }
  ManifestReader reader(*json, "");
  Manifest manifest;
  manifest.text = text;
  const int64_t format = reader.Int("lathe", Presence::kRequired, 0, 1, 1000000);
  if (format > kManifestVersion) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "manifest-malformed",
                      "the manifest has format " + std::to_string(format) +
                          ", newer than this Lathe's " + std::to_string(kManifestVersion) +
                          "; a newer Lathe reads it");
  }
  manifest.name = reader.Name("name", Presence::kRequired);
  manifest.version = reader.String("version", Presence::kRequired);
  manifest.doc = reader.String("doc", Presence::kOptional);
  manifest.survives_forks = reader.Bool("fork", false);
  reader.Range("abi", Presence::kRequired, &manifest.abi_lowest, &manifest.abi_highest);
  const std::vector<Json>& devices = reader.Objects("devices");
  for (size_t i = 0; i < devices.size(); ++i)
    manifest.devices.push_back(ReadDevice(reader, devices[i], i));
  const std::vector<Json>& modules = reader.Objects("modules");
  for (size_t i = 0; i < modules.size(); ++i)
    manifest.modules.push_back(ReadModule(reader, modules[i], i));
  const std::vector<Json>& targets = reader.Objects("targets");
  for (size_t i = 0; i < targets.size(); ++i) {
    manifest.target_kinds.push_back(ReadTargetKind(reader, targets[i], i));
    manifest.targets.Append(targets[i]);
  }
  CheckUnique(reader, "devices", KindsOf(manifest.devices));
  CheckUnique(reader, "modules", KindsOf(manifest.modules));
  CheckUnique(reader, "targets", manifest.target_kinds);
  LATHE_RETURN_IF_ERROR(reader.Finish());
  return manifest;
}

absl::StatusOr<Manifest> ReadManifest(const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const ElfSections elf, ElfSections::Open(path));
  return ReadFrom(elf);
}

absl::StatusOr<Manifest> ReadManifestFromBytes(std::string_view library) {
  LATHE_ASSIGN_OR_RETURN(const ElfSections elf, ElfSections::FromBytes(library));
  return ReadFrom(elf);
}

}  // namespace lathe::runtime
