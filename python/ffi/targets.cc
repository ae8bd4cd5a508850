// Targets.
#include <map>
#include <string>
#include <vector>

#include "python/ffi/boxes.h"
#include "python/ffi/ffi.h"
#include "target/host_target.h"
#include "target/machine_of.h"
#include "target/target.h"

namespace lathe::python {

using runtime::Value;

void RegisterTargets() {
  Def("target.parse", [](const std::string& text) {
    return TargetRef(Make<TargetObject>(target::ParseTarget(text)));
  });
  Def("target.of_this_machine", [] { return TargetRef(Make<TargetObject>(target::HostTarget())); });
  Def("target.with_host", [](const TargetRef& target, const TargetRef& host) {
    target::Target copy = target->item;
    copy.host = std::make_shared<const target::Target>(host->item);
    return TargetRef(Make<TargetObject>(copy));
  });
  Def("target.text", [](const TargetRef& target) { return target->item.ToString(); });
  Def("target.kind", [](const TargetRef& target) { return target->item.kind; });
  Def("target.keys", [](const TargetRef& target) { return target->item.keys; });
  Def("target.libs", [](const TargetRef& target) { return target->item.libs; });
  Def("target.device", [](const TargetRef& target) { return target->item.device; });
  Def("target.model", [](const TargetRef& target) { return target->item.model; });
  Def("target.host", [](const TargetRef& target) -> Value {
    if (target->item.host == nullptr) return {};
    return TargetRef(Make<TargetObject>(*target->item.host));
  });
  Def("target.attributes", [](const TargetRef& target) {
    std::vector<Value> pairs;
    for (const auto& [key, value] : target->item.attributes) {
      std::vector<Value> pair;
      pair.emplace_back(key);
      pair.emplace_back(value);
      pairs.emplace_back(std::move(pair));
    }
    return pairs;
  });
  // Does the target's machine have thread axes?
  Def("target.has_threads", [](const TargetRef& target) {
    return target->item.schema != nullptr && !target->item.schema->machine.axes.empty();
  });
  // A limit of the target's machine ("max_threads_per_block", "warp_size", ...); None if it has no
  // such limit.
  Def("target.limit", [](const TargetRef& target, const std::string& name) -> Value {
    if (target->item.schema == nullptr) return {};
    const int64_t limit = target::MachineOf(target->item).Limit(name);
    return limit == 0 ? Value() : Value(limit);
  });
  Def("target.known_kinds", [] {
    std::vector<std::string> kinds;
    for (const target::KnownTarget& known : target::KnownTargets())
      kinds.push_back(known.schema->kind);
    return kinds;
  });
}

}  // namespace lathe::python
