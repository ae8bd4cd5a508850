// What an artefact says about itself, read from its bytes. Nothing of it is loaded, so it may be
// for another machine, or from an untrusted source.
//
// Metadata is a JSON document that lies uncompressed in the file's data, in objects, shared
// libraries and archives alike; imported modules are module files in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/metadata.h"
#include "runtime/module.h"

namespace lathe::driver {

// Removes from `bytes` the modules that the artefact imports, and returns them: one module file for
// each part. Without this, their metadata would be taken for the artefact's own.
std::vector<runtime::ModulePart> TakeImports(std::string* bytes);

// The metadata of all parts together, as the runtime combines them. `path` is for messages. Fails
// with `inspect-no-metadata`, or as Metadata::FromJson does.
absl::StatusOr<runtime::Metadata> FindMetadata(std::string_view bytes, const std::string& path);

}  // namespace lathe::driver
