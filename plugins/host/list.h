// What `lathe plugins` and `lathe targets` print: everything known without loading a plugin.
#pragma once

#include <string>

namespace lathe::plugins {

// All plugins found: name, version, state, what they provide, where they lie, and for a disabled
// one the reason.
std::string ListPluginsText();
// An array of objects: name, version, doc, path, found_by, state, reason, abi, devices, modules,
// targets.
std::string ListPluginsJson();

// All targets: doc, plugin, device, stage, outputs, attributes with type, default, range and doc.
std::string ListTargetsText();
std::string ListTargetsJson();

}  // namespace lathe::plugins
