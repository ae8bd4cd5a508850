// Where the plugins lie that come with Lathe.
#pragma once

namespace lathe::driver {

// Makes the default plugins known to the plugin loader: those in this program's runfiles when Bazel
// built it, else those of the installation it lies in (../lib/lathe/plugins). LATHE_PLUGIN_PATH
// comes first in any case. Idempotent.
void UseDefaultPlugins();

}  // namespace lathe::driver
