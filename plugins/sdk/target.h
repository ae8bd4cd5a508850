// Target: what the user compiles for, in a plugin's view: a kind and attributes, which the compiler
// has checked against the schema in the plugin's manifest. target/target_text.h has the members and
// the grammar of the text.
#pragma once

#include <string_view>

#include "target/target_text.h"

namespace lathe::sdk {

using Target = target::TargetText;

// Throws lathe::Error `target-malformed`, as target::ParseTargetText does.
inline Target ParseTarget(std::string_view text) { return target::ParseTargetText(text); }

}  // namespace lathe::sdk
