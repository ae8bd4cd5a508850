// The manifest as the build rule embeds it: a generated source file defines both names. The text is
// in section LATHE_MANIFEST_SECTION (abi/plugin.h), so that it can be read without loading the
// library.
#pragma once

#include <cstdint>

extern "C" const char lathe_plugin_manifest[];
extern "C" const uint64_t lathe_plugin_manifest_size;
