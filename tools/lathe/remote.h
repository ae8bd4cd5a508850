// The parts of `lathe remote`.
#pragma once

#include <string>
#include <vector>

#include "tools/lathe/command.h"

namespace lathe::cli {

// The command of a worker of this program's own: `lathe remote worker`, which people do not call.
std::vector<std::string> OwnWorker();

// Commands like others.
extern const Command kRemoteRun, kRemoteShell;

// `lathe remote ls`, with the words from `ls` on. Fails with `remote-unhealthy`, and as SummaryOf
// does; exits for --help and wrong options.
absl::Status ListRemote(int argc, char** argv);

}  // namespace lathe::cli
