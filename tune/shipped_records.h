// Records that come with Lathe: schedules that were faster than the default ones on processors that
// its makers had. Builds of graphs use them unless they are told not to (docs/guides/tuning.md).
//
// A record is for one kernel on one canonical target: on another processor none applies. The files
// are in tune/shipped, as `lathe tune MODEL -o` wrote them; `lathe tune records FILE` lists one.
#pragma once

#include <memory>

#include "tune/best_records.h"

namespace lathe::tune {

// Read once, at the first call. Thread-safe.
std::shared_ptr<const BestRecords> ShippedRecords();

}  // namespace lathe::tune
