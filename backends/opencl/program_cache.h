// A disk cache of compiled programs: some drivers take a second to compile one.
#pragma once

#include <string>

namespace lathe::opencl_backend {

// The key contains everything on which the binary depends: source, options, device, driver. Files
// are in $LATHE_CACHE_DIR/opencl, else $XDG_CACHE_HOME/lathe/opencl, else
// $HOME/.cache/lathe/opencl. There is no cache with LATHE_OPENCL_CACHE=0, or if no such folder can
// be written. Thread-safe, also between processes: files are written atomically. A file is ignored
// if it is damaged, has another key, or could have been written by others (base/trusted_file.h);
// the latter is logged once.
std::string FindBinary(const std::string& key);  // "" where there is none
void KeepBinary(const std::string& key, const std::string& binary);

}  // namespace lathe::opencl_backend
