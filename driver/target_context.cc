#include "driver/target_context.h"

#include <sstream>
#include <string>

#include "target/attribute_names.h"

namespace lathe::driver {

lower::PassContext ContextFor(const target::Target& target, lower::PassContext context) {
  context.target_keys = target.keys;
  context.target_keys.insert(context.target_keys.begin(), target.kind);
  context.features.clear();
  std::istringstream features(target.Get(target::attribute::kMattr));
  for (std::string feature; std::getline(features, feature, ',');) {
    if (feature.starts_with('+')) context.features.insert(feature.substr(1));
  }
  context.supports = nullptr;
  if (target.schema != nullptr && !target.schema->machine.dtypes.empty()) {
    context.supports = [schema = target.schema](std::string_view operation, DataType dtype) {
      return schema->machine.Supports(operation, dtype.ToString());
    };
  }
  return context;
}

}  // namespace lathe::driver
