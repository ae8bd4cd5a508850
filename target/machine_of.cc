#include "target/machine_of.h"

#include <algorithm>

#include "runtime/cpu_features.h"
#include "target/attribute_names.h"

namespace lathe::target {
namespace {

constexpr int64_t kMostLanes = 1 << 20;

void ReadFeatures(const Target& target, Machine* machine) {
  const std::string& list = target.Get(attribute::kMattr);
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    if (list[begin] == '+') machine->features.insert(list.substr(begin + 1, end - begin - 1));
    begin = end + 1;
  }
}

void ReadProcessor(const Target& target, Machine* machine) {
  const std::string_view architecture = runtime::ArchitectureOf(target.Get(attribute::kMtriple));
  if (architecture == "x86_64") machine->architecture = Architecture::kX86;
  if (architecture == "aarch64") machine->architecture = Architecture::kAArch64;
  const bool x86 = architecture == "x86_64" || architecture == "i686";
  machine->vector_registers = x86 && !machine->Has("avx512f") ? 16 : 32;
  // What the manifest prefers for floats is what it calls a vector.
  if (const auto lanes = machine->vector_widths.find("float32");
      lanes != machine->vector_widths.end() && lanes->second < kMostLanes)
    machine->vector_bytes = static_cast<int>(lanes->second * DataType::Float(32).bytes());
  machine->vector_bytes = static_cast<int>(
      target.GetInt(attribute::kVectorWidth, int64_t{8} * machine->vector_bytes) / 8);
  machine->cores = static_cast<int>(target.GetInt(attribute::kNumCores, machine->cores));
  machine->l1.bytes = target.GetInt(attribute::kL1CacheBytes, machine->l1.bytes);
  machine->l2.bytes = target.GetInt(attribute::kL2CacheBytes, machine->l2.bytes);
  machine->l3.bytes = target.GetInt(attribute::kL3CacheBytes, machine->l3.bytes);
  if (const std::string& shared = target.Get(attribute::kL2CacheShared); !shared.empty())
    machine->l2.shared = shared == "1";
}

// The target knows better than the manifest: its plugin asked the device, or somebody who compiles
// for another one said so.
void ReadLimits(const Target& target, Machine* machine) {
  for (const AttributeSchema& attribute : target.schema->attributes) {
    // Attributes may be written as options are, limits are named as the machine names them.
    std::string name = attribute.key;
    std::replace(name.begin(), name.end(), '-', '_');
    const bool limit = attribute.type == AttributeType::kInt &&
                       (name.starts_with(attribute::kLimitPrefix) || name == attribute::kWarpSize);
    if (const int64_t value = limit ? target.GetInt(attribute.key, 0) : 0; value > 0)
      machine->limits[name] = value;
  }
}

}  // namespace

Machine MachineOf(const Target& target) {
  Machine machine = target.schema->machine;
  ReadFeatures(target, &machine);
  ReadProcessor(target, &machine);
  ReadLimits(target, &machine);
  return machine;
}

}  // namespace lathe::target
