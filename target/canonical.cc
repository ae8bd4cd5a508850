#include "target/canonical.h"

#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "lathe/abi/codegen.h"
#include "runtime/cpu_features.h"
#include "runtime/function.h"
#include "runtime/plugin_loader/host_table.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "target/attribute_names.h"
#include "target/host_machine.h"

namespace lathe::target {
namespace {

using runtime::MakeStatus;
using runtime::PluginCodeGen;
using runtime::Value;

// Is a figure of this machine one that the schema's attribute can have?
bool Fits(const AttributeSchema& attribute, int64_t figure) {
  if (attribute.type == AttributeType::kBool) return figure == 0 || figure == 1;
  return attribute.type == AttributeType::kInt &&
         (!attribute.has_range || (figure >= attribute.lowest && figure <= attribute.highest));
}

absl::StatusOr<Target> AskPlugin(const Target& target) {
  LATHE_ASSIGN_OR_RETURN(const PluginCodeGen* found, FindCodeGen(target));
  const PluginCodeGen& plugin = *found;
  if (plugin.table.canonical == nullptr) return target;

  LATHE_RETURN_IF_ERROR(plugin.identity->CheckAlive());
  const runtime::PluginCall call(*plugin.identity);
  lathe_value text{};
  const std::string own = target.ToString();
  if (plugin.table.canonical(plugin.table.self, own.c_str(), &text) != 0)
    return runtime::TakePluginError(&text, plugin.identity->origin);
  const Value answer = Value::Adopt(std::exchange(text, lathe_value{}));
  if (!answer.Is<std::string>()) {
    return MakeStatus(absl::StatusCode::kInternal, "plugin-contract",
                      plugin.identity->origin + ": the canonical target is not a string");
  }
  const auto canonical = answer.As<std::string>();
  try {
    return ParseTargetWith(canonical, target.schema, target.plugin);
  } catch (const Error& error) {
    return MakeStatus(absl::StatusCode::kInternal, "plugin-contract",
                      plugin.identity->origin + ": its canonical target `" + canonical +
                          "` is not one by its own manifest: " + error.diagnostic().message);
  }
}

}  // namespace

absl::StatusOr<const PluginCodeGen*> FindCodeGen(const Target& target) {
  runtime::PluginLoader::Global();  // which is what makes the registry look for plugins
  LATHE_ASSIGN_OR_RETURN(const runtime::Function factory,
                         runtime::FindOrLoadGlobal("codegen." + target.kind));
  LATHE_ASSIGN_OR_RETURN(const Value made, factory.TryCall());
  return static_cast<const PluginCodeGen*>(made.As<void*>());
}

bool IsThisMachine(const Target& target) {
  if (target.schema->device != "cpu") return false;
  const std::string& processor = target.Get(attribute::kMcpu);
  if (!processor.empty() && processor != kNativeCpu) return false;
  const std::string& triple = target.Get(attribute::kMtriple);
  return triple.empty() || (runtime::ArchitectureOf(triple) == runtime::HostArchitecture() &&
                            triple.find("linux") != std::string::npos);
}

Target WithHostFigures(Target canonical, const Target& asked) {
  if (!IsThisMachine(asked)) return canonical;
  for (const auto& [key, value] : HostFigures()) {
    const AttributeSchema* attribute = canonical.schema->Find(key);
    if (attribute == nullptr || !canonical.Get(key).empty()) continue;
    if (Fits(*attribute, std::stoll(value))) canonical.attributes[key] = value;
  }
  return canonical;
}

absl::StatusOr<Target> CanonicalTarget(const Target& target) {
  LATHE_ASSIGN_OR_RETURN(Target canonical, AskPlugin(target));
  return WithHostFigures(std::move(canonical), target);
}

}  // namespace lathe::target
