// The output of `lathe plugins` and `lathe targets`: everything known without loading a plugin.
#pragma once

#include <string>

namespace lathe::plugins {

// All plugins found: name, version, state, the kinds they provide, the file, and the reason for a
// disabled one.
std::string ListPluginsText();
// An array of objects: name, version, doc, path, found_by, state, reason, abi, devices, modules,
// targets.
std::string ListPluginsJson();

// All targets: doc, plugin, device, stage, outputs, attributes with type, default, range and doc.
std::string ListTargetsText();
std::string ListTargetsJson();

}  // namespace lathe::plugins
