#include "target/machine.h"

#include <algorithm>
#include <set>

#include "base/dtype.h"
#include "runtime/plugin_loader/manifest_reader.h"
#include "runtime/status.h"

namespace lathe::target {
namespace {

using runtime::Json;
using runtime::ManifestReader;
using Presence = ManifestReader::Presence;

constexpr int64_t kMost = int64_t{1} << 62;

bool IsDtype(const std::string& name) {
  DataType type;
  return DataType::Parse(name, &type) && type.is_scalar();
}

MemoryScope ReadMemory(ManifestReader& parent, const Json& json, size_t i) {
  ManifestReader reader(json, parent.ItemPath("memory", i));
  MemoryScope memory;
  memory.scope = reader.String("scope", Presence::kRequired);
  memory.bytes = static_cast<uint64_t>(reader.Int("bytes", Presence::kOptional, 0, 0, kMost));
  memory.alignment =
      static_cast<uint64_t>(reader.Int("alignment", Presence::kOptional, 1, 1, 1 << 20));
  if ((memory.alignment & (memory.alignment - 1)) != 0)
    reader.Fail("alignment", "must be a power of two");
  memory.per_core = reader.OneOf("per", {"device", "core"}) == "core";
  memory.reachable_by = reader.Strings("reachable_by");
  parent.Merge(reader.Finish());
  return memory;
}

ThreadAxis ReadAxis(ManifestReader& parent, const Json& json, size_t i) {
  ManifestReader reader(json, parent.ItemPath("axes", i));
  ThreadAxis axis;
  axis.tag = reader.String("tag", Presence::kRequired);
  axis.max = reader.Int("max", Presence::kOptional, 0, 1, kMost);
  parent.Merge(reader.Finish());
  return axis;
}

Intrinsic ReadIntrinsic(ManifestReader& parent, const Json& json, size_t i) {
  ManifestReader reader(json, parent.ItemPath("intrinsics", i));
  Intrinsic intrinsic;
  intrinsic.name = reader.String("name", Presence::kRequired);
  intrinsic.effect = reader.OneOf("effect", {"opaque", "pure", "read", "write"});
  intrinsic.body = reader.String("body", Presence::kOptional);
  intrinsic.doc = reader.String("doc", Presence::kOptional);
  parent.Merge(reader.Finish());
  return intrinsic;
}

TensorIntrinsic ReadTensorIntrinsic(ManifestReader& parent, const Json& json, size_t i) {
  ManifestReader reader(json, parent.ItemPath("tensor_intrinsics", i));
  TensorIntrinsic intrinsic;
  intrinsic.name = reader.String("name", Presence::kRequired);
  intrinsic.pattern = reader.String("pattern", Presence::kRequired);
  intrinsic.body = reader.String("body", Presence::kRequired);
  intrinsic.doc = reader.String("doc", Presence::kOptional);
  parent.Merge(reader.Finish());
  return intrinsic;
}

// An object of numbers, at least `lowest` each.
std::map<std::string, int64_t> ReadNumbers(ManifestReader& parent, std::string_view key,
                                           int64_t lowest, bool keys_are_dtypes) {
  std::map<std::string, int64_t> numbers;
  const Json* object = parent.Object(key);
  if (object == nullptr) return numbers;
  ManifestReader reader(*object, parent.Path(key));
  for (const Json::Member& member : object->members()) {
    numbers[member.first] = reader.Int(member.first, Presence::kRequired, lowest, lowest, kMost);
    if (keys_are_dtypes && !IsDtype(member.first)) reader.Fail(member.first, "is no element type");
  }
  parent.Merge(reader.Finish());
  return numbers;
}

std::map<std::string, std::vector<std::string>> ReadDtypes(ManifestReader& parent) {
  std::map<std::string, std::vector<std::string>> dtypes;
  const Json* object = parent.Object("dtypes");
  if (object == nullptr) return dtypes;
  ManifestReader reader(*object, parent.Path("dtypes"));
  for (const Json::Member& member : object->members()) {
    std::vector<std::string> names = reader.Strings(member.first);
    for (const std::string& name : names) {
      if (!IsDtype(name))
        reader.Fail(member.first, "lists `" + name.substr(0, 80) + "`, which is no element type");
    }
    dtypes[member.first] = std::move(names);
  }
  parent.Merge(reader.Finish());
  return dtypes;
}

template <class Items, class Name>
void CheckUnique(ManifestReader& reader, std::string_view key, const Items& items, Name name) {
  std::set<std::string> seen;
  for (const auto& item : items) {
    if (!seen.insert(name(item)).second)
      reader.Fail(key, "names `" + name(item).substr(0, 80) + "` twice");
  }
}

}  // namespace

const MemoryScope* Machine::FindMemory(std::string_view scope) const {
  const auto found = std::find_if(memory.begin(), memory.end(),
                                  [&](const auto& one) { return one.scope == scope; });
  return found == memory.end() ? nullptr : &*found;
}

const ThreadAxis* Machine::FindAxis(std::string_view tag) const {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const auto& one) { return one.tag == tag; });
  return found == axes.end() ? nullptr : &*found;
}

int64_t Machine::StreamedBytes() const {
  // What common servers have; for targets that say nothing. A result that a larger cache would have
  // kept loses more by going past it than a smaller cache loses by its passing through.
  constexpr int64_t kUsual = int64_t{32} << 20;
  // A virtual machine says the cache of all that run on its processor. Its part is by its cores:
  // servers' processors have no more than this for each, except for those with stacked caches.
  constexpr int64_t kMostOfCore = int64_t{4} << 20;
  if (l3.bytes == 0) return kUsual;
  const int64_t last = std::max(l2.bytes, l3.bytes);
  return std::min(last, std::max(kUsual, cores * kMostOfCore));
}

int64_t Machine::Limit(std::string_view name) const {
  const auto found = limits.find(std::string(name));
  return found == limits.end() ? 0 : found->second;
}

bool Machine::Supports(std::string_view operation, std::string_view dtype) const {
  if (dtypes.empty()) return true;
  auto found = dtypes.find(std::string(operation));
  if (found == dtypes.end()) found = dtypes.find("*");
  if (found == dtypes.end()) return false;
  return std::find(found->second.begin(), found->second.end(), dtype) != found->second.end();
}

absl::StatusOr<Machine> ReadMachine(const Json& object, const std::string& path) {
  ManifestReader reader(object, path);
  Machine machine;
  const std::vector<Json>& memory = reader.Objects("memory");
  for (size_t i = 0; i < memory.size(); ++i)
    machine.memory.push_back(ReadMemory(reader, memory[i], i));
  const std::vector<Json>& axes = reader.Objects("axes");
  for (size_t i = 0; i < axes.size(); ++i) machine.axes.push_back(ReadAxis(reader, axes[i], i));
  machine.pointer_arithmetic = reader.Bool("pointer_arithmetic", true);
  machine.grid_barrier = reader.Bool("grid_barrier", true);
  machine.limits = ReadNumbers(reader, "limits", 0, false);
  machine.dtypes = ReadDtypes(reader);
  machine.vector_widths = ReadNumbers(reader, "vector_widths", 1, true);
  const std::vector<Json>& intrinsics = reader.Objects("intrinsics");
  for (size_t i = 0; i < intrinsics.size(); ++i) {
    machine.intrinsics.push_back(ReadIntrinsic(reader, intrinsics[i], i));
  }
  const std::vector<Json>& tensor_intrinsics = reader.Objects("tensor_intrinsics");
  for (size_t i = 0; i < tensor_intrinsics.size(); ++i) {
    machine.tensor_intrinsics.push_back(ReadTensorIntrinsic(reader, tensor_intrinsics[i], i));
  }
  CheckUnique(reader, "memory", machine.memory, [](const MemoryScope& one) { return one.scope; });
  CheckUnique(reader, "axes", machine.axes, [](const ThreadAxis& one) { return one.tag; });
  CheckUnique(reader, "intrinsics", machine.intrinsics,
              [](const Intrinsic& one) { return one.name; });
  CheckUnique(reader, "tensor_intrinsics", machine.tensor_intrinsics,
              [](const TensorIntrinsic& one) { return one.name; });
  LATHE_RETURN_IF_ERROR(reader.Finish());
  return machine;
}

}  // namespace lathe::target
