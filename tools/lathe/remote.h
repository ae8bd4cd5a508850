// The commands of `lathe remote` that are commands like others.
#pragma once

#include "tools/lathe/command.h"

namespace lathe::cli {

extern const Command kRemoteRun, kRemoteShell;

}  // namespace lathe::cli
