// The programs lathe-rpc-server, lathe-rpc-tracker and lathe-rpc-proxy as functions: `lathe remote`
// has them, too.
#pragma once

#include <string>
#include <vector>

namespace lathe::rpc_tools {

// Each reads its command line, where argv[0] is not looked at, and runs until Ctrl-C or SIGTERM.
// `name` is the program in help and messages. Returns the exit status. Exits by itself with 0 for
// --help, with 2 for a wrong command line, and with ExitStatusOf the error if it cannot serve. One
// of them runs in a process, once.
// `worker` is how a worker is started unless --worker says otherwise; empty: lathe-rpc-worker
// beside this program.
int ServerProgram(int argc, char** argv, const std::string& name,
                  std::vector<std::string> worker = {});
int TrackerProgram(int argc, char** argv, const std::string& name);
int ProxyProgram(int argc, char** argv, const std::string& name);

}  // namespace lathe::rpc_tools
