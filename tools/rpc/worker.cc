// lathe-rpc-worker: the process that serves one session. lathe-rpc-server starts it.
#include <cstdio>
#include <cstring>

#include "runtime/graph/plan_module.h"
#include "runtime/init.h"
#include "runtime/rpc/chain.h"
#include "runtime/rpc/worker.h"

int main(int argc, char**) {
  if (argc != 1) {
    std::fprintf(stderr, "lathe-rpc-worker is started by lathe-rpc-server, not by people\n");
    return 2;
  }
  lathe::runtime::Initialize();
  const absl::Status end = lathe::runtime::rpc::RunWorker(lathe::runtime::rpc::kWorkerDescriptor,
                                                          lathe::runtime::rpc::ConstructSession);
  // Not exit: code that was loaded may have threads that run, and destructors that wait.
  std::fflush(nullptr);
  _exit(end.ok() ? 0 : 1);
}
