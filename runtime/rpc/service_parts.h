// What the files of Service share.
#pragma once

#include <cstdint>

#include "runtime/cancel.h"
#include "runtime/rpc/service.h"

namespace lathe::runtime::rpc {

// A request that runs; on the stack of the service's thread.
struct Service::Active {
  explicit Active(uint64_t number) : request(number) {}
  uint64_t request;
  Cancellation cancellation;
};

}  // namespace lathe::runtime::rpc
