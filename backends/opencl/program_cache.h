// Programs as a device's compiler made them, on disk: compiling takes a second on some drivers.
#pragma once

#include <string>

namespace lathe::opencl_backend {

// The key says all that the binary depends on: source, options, device, driver. Files lie in
// $LATHE_CACHE_DIR/opencl, else $XDG_CACHE_HOME/lathe/opencl, else $HOME/.cache/lathe/opencl; with
// LATHE_OPENCL_CACHE=0, or where no such folder can be written, there is no cache. Thread-safe,
// also between processes: files appear whole, and one that is damaged or of another key is as none.
// So is one that others could have written (base/trusted_file.h), which is logged once.
std::string FindBinary(const std::string& key);  // "" where there is none
void KeepBinary(const std::string& key, const std::string& binary);

}  // namespace lathe::opencl_backend
