// lathe-rpc-worker: the process that serves one session. lathe-rpc-server starts it.
#include <unistd.h>

#include <cstdio>
#include <system_error>

#include "base/thread.h"
#include "runtime/graph/plan_module.h"
#include "runtime/init.h"
#include "runtime/rpc/worker.h"

// A board is the end of a chain of sessions, and its worker is to be small.
#ifdef LATHE_LAST_OF_CHAIN
static const lathe::runtime::rpc::SessionConstructor kConstructor;
#else
#include "runtime/rpc/chain.h"
static const lathe::runtime::rpc::SessionConstructor kConstructor =
    lathe::runtime::rpc::ConstructSession;
#endif

[[noreturn]] static int Serve() {
  const absl::Status end =
      lathe::runtime::rpc::RunWorker(lathe::runtime::rpc::kWorkerDescriptor, kConstructor);
  // Not exit: code that was loaded may have threads that run, and destructors that wait.
  std::fflush(nullptr);
  _exit(end.ok() ? 0 : 1);
}

int main(int argc, char**) {
  if (argc != 1) {
    std::fprintf(stderr, "lathe-rpc-worker is started by lathe-rpc-server, not by people\n");
    return 2;
  }
  lathe::runtime::rpc::LimitWorker();
  lathe::runtime::Initialize();
  const absl::Status graphs = lathe::runtime::graph::RegisterGraph();
  if (!graphs.ok()) return std::fprintf(stderr, "%s\n", graphs.ToString().c_str()), 1;
  try {
    lathe::OnWholeStack(Serve);
  } catch (const std::system_error&) {
    Serve();  // the stack that there is may suffice
  }
}
