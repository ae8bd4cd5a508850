// Finds the plugins that come with Lathe.
#pragma once

namespace lathe::driver {

// Tells the plugin loader where the default plugins are. If Bazel built this program, they are in
// its runfiles. Else they are in the installation of liblathe_compiler.so (lathe/plugins beside it)
// or of the program (../lib/lathe/plugins). LATHE_PLUGIN_PATH always has priority. Idempotent,
// thread-safe.
void UseDefaultPlugins();

}  // namespace lathe::driver
