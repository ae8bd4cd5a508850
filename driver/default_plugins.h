// Where the plugins lie that come with Lathe.
#pragma once

namespace lathe::driver {

// Makes the default plugins known to the plugin loader: those in this program's runfiles when Bazel
// built it, else those of the installation that liblathe_compiler.so (lathe/plugins beside it) or
// the program lies in (../lib/lathe/plugins). LATHE_PLUGIN_PATH comes first in any case.
// Idempotent, thread-safe.
void UseDefaultPlugins();

}  // namespace lathe::driver
