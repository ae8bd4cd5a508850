// What this process runs on, for the other side's checks and messages.
#pragma once

#include "runtime/rpc/messages.h"

namespace lathe::runtime::rpc {

Machine ThisMachine();

}  // namespace lathe::runtime::rpc
