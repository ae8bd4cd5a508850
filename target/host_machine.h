// What this machine says of itself, for code that is made for this machine.
#pragma once

#include <map>
#include <string>

namespace lathe::target {

// Attributes of targets (machine_of.h) -> values: `num-cores` (the processors that this process may
// run on, as parallel loops count them) and the caches of data of the first of them:
// `l1-cache-bytes`, `l2-cache-bytes`, `l2-cache-shared`, `l3-cache-bytes`. Without what the system
// does not say: containers and small boards may hide all of it. Caches are asked for once in a
// process.
std::map<std::string, std::string> HostFigures();

// The caches alone, from a folder like Linux's /sys/devices/system/cpu/cpu0. Any content is fine.
std::map<std::string, std::string> CachesIn(const std::string& processor_folder);

}  // namespace lathe::target
